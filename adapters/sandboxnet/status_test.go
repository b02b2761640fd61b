package sandboxnet_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// request276 asks the payer about a claim of the member with services on the days.
func request276(c *claims.Claim, from, to billing.Date) []byte {
	return statusrequest.Encode(&statusrequest.Inquiry{
		Interchange: x12.Interchange{Sender: "MOLAR", Receiver: "CHTEST", Created: asked, Control: 12, Test: true},
		Group:       x12.Group{Sender: "MOLAR", Receiver: "CHTEST", Created: asked, Control: 12}, Reference: "STI01", CreatedAt: asked,
		Payer:      statusrequest.Name{Entity: "PR", Kind: "2", Last: c.Payer.Name, IDQualifier: "PI", ID: c.Payer.PayerID},
		Receiver:   statusrequest.Name{Entity: "41", Kind: "2", Last: "BRIGHT SMILES", IDQualifier: "46", ID: "MOLAR"},
		Provider:   statusrequest.Name{Entity: "1P", Kind: "2", Last: "BRIGHT SMILES", IDQualifier: "XX", ID: c.Billing.NPI},
		Subscriber: statusrequest.Person{Name: statusrequest.Name{Entity: "IL", Kind: "1", Last: "ROE", First: "JANE", IDQualifier: "MI", ID: c.Subscriber.MemberID}, BirthDate: on(1, 2)},
		Claims:     []statusrequest.Claim{{Trace: "STI0100", Service: billing.DateSpan{From: from, To: to}}},
	})
}

// answered asks about the claim some time after its file was sent, and returns the claims of
// the 277 and its bytes.
func answered(t *testing.T, c claims.Claim, after time.Duration, request []byte) ([]*acknowledgements.Claim, []byte) {
	t.Helper()
	files := []clearing.OutgoingFile{{Name: sentName, Content: file(t, c), At: asked}}
	b, err := sandboxnet.AnswerStatus(t.Context(), request, files, asked.Add(after), sandboxnet.Options{ERADelay: slowly})
	if err != nil {
		t.Fatal(err)
	}
	all, warnings, err := acknowledgements.DecodeReports(bytes.NewReader(b))
	if err != nil || len(warnings) > 0 || len(all) != 1 || all[0].Kind != acknowledgements.KindResponse {
		t.Fatalf("%v, %v: %s", err, warnings, b)
	}
	var found []*acknowledgements.Claim
	for _, one := range all[0].Claims() {
		found = append(found, one)
	}
	return found, b
}

// TestAnswerStatus asks the payers about claims, whose endings decide the answers, before and
// after they have decided.
func TestAnswerStatus(t *testing.T) {
	t.Parallel()
	const soon, decided = 2 * time.Second, 2*slowly + time.Minute
	for _, c := range []struct {
		ending string
		after  time.Duration
		want   string
		paid   string
	}{
		{"-PAID-ERA", soon, "P1:20", ""},
		{"-PAID-ERA", decided, "F1:65", "198.75"},
		{"-DENIED", decided, "F2:585", "0.00"},
		{"-FORWARDED", decided, "F4:16", "0.00"},
		{"-REVERSED", slowly + time.Minute, "F1:65", "198.75"},
		{"-REVERSED", decided, "F3:101", "0.00"},
		{"-REJECTED", soon, "A7:164:IL", ""},
		{"-BATCH-REJECTED", decided, "P1:20", ""},
		{"-INFO-REQUEST", time.Minute, "R4:297", ""},
		{"-STATUS-REQUESTED", soon, "R4:297", ""},
		{"-STATUS-NOT-FOUND", decided, "D0:35", ""},
	} {
		one := newClaim("C-1", c.ending, molarTest())
		found, b := answered(t, one, c.after, request276(&one, on(2, 25), on(3, 10)))
		if len(found) != 1 || len(found[0].Statuses) != 1 {
			t.Errorf("%s: %s", c.ending, b)
			continue
		}
		s := found[0].Statuses[0]
		code := strings.TrimSuffix(s.Codes[0].Category+":"+s.Codes[0].Status+":"+s.Codes[0].Entity, ":")
		paid := ""
		if s.Paid != nil {
			paid = s.Paid.String()
		}
		if code != c.want || paid != c.paid || found[0].Trace != "STI0100" {
			t.Errorf("%s after %v: %s %q, want %s %q: %s", c.ending, c.after, code, paid, c.want, c.paid, b)
		}
		if c.ending == "-PAID-ERA" && c.after == decided {
			x12test.Golden(t, "status-paid.edi", x12test.Lines(b))
		}
	}
}

// TestAnswerStatusFinds looks for claims by the payer, the provider, the member and the days.
func TestAnswerStatusFinds(t *testing.T) {
	t.Parallel()
	one := newClaim("C-1", "-PAID-ERA", molarTest())
	other := func(change func(c *claims.Claim)) []byte {
		c := newClaim("C-1", "-PAID-ERA", molarTest())
		change(&c)
		return request276(&c, on(3, 1), on(3, 10))
	}
	for name, request := range map[string][]byte{
		"another payer":    other(func(c *claims.Claim) { c.Payer.PayerID = "60054" }),
		"another provider": other(func(c *claims.Claim) { c.Billing.NPI = "1467560003" }),
		"another member":   other(func(c *claims.Claim) { c.Subscriber.MemberID = "W1" }),
		"earlier days":     request276(&one, on(2, 1), on(3, 1)),
		"later days":       request276(&one, on(3, 4), on(3, 10)),
	} {
		if found, b := answered(t, one, time.Hour, request); len(found) != 1 || found[0].Statuses[0].Codes[0].Status != "35" {
			t.Errorf("%s: %s", name, b)
		}
	}
	if found, b := answered(t, one, time.Hour, request276(&one, on(3, 3), on(3, 3))); len(found) != 1 || found[0].ControlNumber != "C-1" || found[0].PayerClaimNumber == "" {
		t.Errorf("one of its days: %s", b)
	}
	down := newClaim("C-1", "-STATUS-DOWN", molarTest())
	if _, b := answered(t, down, time.Hour, request276(&down, on(3, 1), on(3, 10))); !bytes.Contains(b, []byte("STC*E1:484*")) {
		t.Errorf("down: %s", b)
	}
	if _, err := sandboxnet.AnswerStatus(t.Context(), []byte("hello"), nil, asked, sandboxnet.Options{}); err == nil {
		t.Error("a text is a 276")
	}
}
