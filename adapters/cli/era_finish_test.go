package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// sent stores a claim of 150.00 that the payer has.
func (r *remitted) sent(t *testing.T, office billing.OfficeID, number string) billing.ClaimID {
	t.Helper()
	scope, now := billing.Scope{Org: r.org, Mode: billing.ModeTest}, new(noon).Now()
	payer, _ := porttest.Payers(t).Find("CHTEST")
	c := &claim.Claim{
		ID: billing.NewID[billing.ClaimID](billing.RealAt(now)), Scope: scope, Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal,
		PatientControlNumber: number, CreatedAt: now,
		Content: claim.Content{
			OfficeID: office, PlaceOfService: "11", Payer: payer.PayerSummary,
			Subscriber: claim.Subscriber{FirstName: "Sam", LastName: "Example", MemberID: "W1", Gender: claim.GenderUnknown},
			Lines:      []claim.Line{{ProcedureCode: "D1110", ServiceDate: billing.Date{Year: 2026, Month: 1, Day: 2}, Fee: 15000, Quantity: 1}},
		},
		Progress: claim.Progress{State: claim.AcceptedPayer, SentAt: now, UpdatedAt: now},
	}
	porttest.In(t, r.store, scope, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
	return c.ID
}

// unfinished is a remittance with a claim that is applied, one that matches none,
// one that does not balance and another that matches none.
func (r *remitted) unfinished(t *testing.T) (era billing.ERAID, lost billing.ClaimID) {
	t.Helper()
	scope := billing.Scope{Org: r.org, Mode: billing.ModeTest}
	var office billing.OfficeID
	call := idempotency.Administration(scope, "test", func(o *directory.Office) string { office = o.ID; return "" })
	if _, err := r.access.CreateOffice(t.Context(), call, intake.OfficeRequest{Name: "Main", NPI: "1999999992"}); err != nil {
		t.Fatal(err)
	}
	r.sent(t, office, "VISIT-1")
	r.sent(t, office, "VISIT-3")
	lost = r.sent(t, office, "VISIT-2")
	payment := remitting("EFT-9", "MOLAR TEST PAYER", 0)
	c := func(number string) remittance.Claim {
		return remittance.Claim{
			ControlNumber: number, Status: "1", PayerControlNumber: "ICN-" + number,
			Names: []remittance.Name{{Entity: "QC", Kind: "1", Last: "EXAMPLE", First: "SAM", IDQualifier: "MI", ID: "W1"}},
			Services: []remittance.Service{{
				Procedure: remittance.Procedure{Qualifier: "AD", Code: "D1110"}, Charge: 15000,
				Adjustments: []remittance.Adjustment{{Group: "CO", Reason: "45", Amount: 2000}, {Group: "PR", Reason: "2", Amount: 1050}},
			}},
		}
	}
	payment.Claims = []remittance.Claim{c("VISIT-1"), c("UNKNOWN"), c("VISIT-3"), c("PAPER")}
	payment.Settle()
	payment.Claims[2].Charge += 100
	made, err := r.service.Import(t.Context(), scope, "payment.835", fileOf(t, payment))
	if err != nil || len(made) != 1 {
		t.Fatal(made, err)
	}
	r.apply(t, made[0].ID)
	return made[0].ID, lost
}

// apply does the job of a worker.
func (r *remitted) apply(t *testing.T, era billing.ERAID) {
	t.Helper()
	job := jobs.ForERA(billing.Scope{Org: r.org, Mode: billing.ModeTest}, era)
	if err := r.service.Apply(t.Context(), job); err != nil {
		t.Fatal(err)
	}
}

// A golden file has what the commands print that finish a remittance.
func TestFinishCommands(t *testing.T) {
	t.Parallel()
	r := newRemitted(t)
	var all strings.Builder
	org := r.org.String()
	run := func(args ...string) {
		t.Helper()
		if len(args) < 3 || args[2] != "--help" {
			args = append([]string{args[0], args[1], "--org", org}, args[2:]...)
		}
		all.WriteString("$ molar " + strings.Join(args, " ") + "\n")
		all.WriteString(r.run(t, strings.NewReader(""), args...) + "\n")
	}
	for _, command := range []string{"list", "show", "match", "apply", "ignore", "unapply", "post", "unpost"} {
		run("era", command, "--help")
	}
	run("era", "list")
	id, lost := r.unfinished(t)
	era, none := id.String(), billing.ClaimID{1}.String()
	run("era", "list", "--needs-attention")
	run("era", "show", era)
	run("era", "post", era)
	run("era", "apply", era, "2")
	run("era", "match", era, "2", none)
	run("era", "match", era, "2", "clm_1", "--line", "0=1", "--line", "1=-1")
	run("era", "match", era, "2", none, "--line", "1")
	run("era", "match", era, "2", none, "--line", "x=1")
	run("era", "match", era, "2", lost.String(), "--line", "2=1")
	run("era", "match", era, "2", lost.String(), "--line", "1=none")
	run("era", "apply", era, "3", "--note", "The payer confirmed it.")
	run("era", "ignore", era, "3")
	run("era", "ignore", era, "4")
	run("era", "list", "--needs-attention")
	run("era", "post", era)
	run("era", "unapply", era, "3")
	run("era", "unpost", era)
	run("era", "unapply", era, "3", "--note", "Misapplied.")
	run("era", "show", era)
	run("era", "post", era, "--accept-unfinished")
	run("era", "list")
	run("era", "ignore", era, "5")
	run("era", "ignore", era, "x")
	run("era", "ignore", era, "99999999999")
	run("era", "ignore", billing.ERAID{1}.String(), "1")
	run("era", "show", billing.ERAID{1}.String())
	run("era", "show", "era_1")
	run("era", "post", billing.ERAID{1}.String())
	golden(t, "era_finish.txt", []byte(r.same(all.String())))
}
