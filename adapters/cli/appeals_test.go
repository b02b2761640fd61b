package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/sdk/go"
)

// TestAppealCommands says in a golden file what the help of the commands on appeals and limits is,
// and how they are printed. Requests run in the cases of the clients.
func TestAppealCommands(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, line := range []string{
		"molar appeals --help", "molar appeals create --help", "molar appeals create", "molar appeals list", "molar appeals edit --help", "molar appeals sent --help",
		"molar appeals decided --help", "molar claims limits --help", "molar claims limits set --help", "molar claims limits set",
	} {
		all.WriteString("$ " + line + "\n")
		cmd := New(Backend{})
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(words(line))
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			out.WriteString(err.Error() + "\n")
		}
		all.WriteString(out.String() + "\n")
	}
	a := molar.Appeal{ID: "apl_1", ClaimID: "clm_1", State: "draft", Level: "first", Letter: "Dear reviewer", DueOn: new("2026-09-06"), Deadline: molar.Deadline{Source: molar.DeadlineSourceProposed}}
	all.WriteString(letterOf(&a) + "\n\n")
	a.State, a.Sent, a.DueOn = "sent", &molar.AppealSent{On: "2026-03-10", By: "fax"}, new("2026-05-09")
	a.Payments = []molar.AppealPayment{{ERAID: "era_1", On: "2026-04-01", Paid: "120.00"}}
	all.WriteString(appealText(&a) + "\n\n")
	a.State, a.Decided, a.DueOn = "decided", &molar.AppealDecided{On: "2026-04-02", Outcome: "partly"}, nil
	all.WriteString(appealText(&a) + "\n\n")
	l := molar.PayerLimits{FilingDays: new(365), FilingSource: new("page 12"), AppealDays: new(180)}
	l.Payer.Name, l.Payer.PayerID = "Molar Test Payer", "CHTEST"
	all.WriteString(limitsText(&l) + "\n")
	golden(t, "appeals.txt", []byte(all.String()))
}
