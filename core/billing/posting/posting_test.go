package posting_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/posting"
	"github.com/molar-billing/molar/core/billing/remit"
)

var noon, evening = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), time.Date(2026, 5, 4, 18, 0, 0, 0, time.UTC)

// decidedClaim is a claim of 100.00 of which the payer paid 80.00 and left the rest to the patient.
func decidedClaim(changes ...func(*claim.Record)) *claim.Record {
	r := &claim.Record{Claim: &claim.Claim{
		Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal,
		Content:  claim.Content{Lines: []claim.Line{{Fee: 100_00}}},
		Progress: claim.Progress{State: claim.Paid, SentAt: noon, SettledAt: noon, Standing: &claim.Standing{Outcome: remit.OutcomePaid, Paid: 80_00, PatientResponsibility: 20_00}},
	}}
	for _, change := range changes {
		change(r)
	}
	return r
}

// TestSettled has a claim for each reason to leave it out, and those that are reconciled.
func TestSettled(t *testing.T) {
	t.Parallel()
	secondPlan := func(r *claim.Record) {
		r.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequenceSecondary}}
	}
	late := func(r *claim.Record) { r.Standing.Late, r.Standing.LateAmount = true, 20_00 }
	for name, test := range map[string]struct {
		r         *claim.Record
		requested bool
		why       remit.LeftOutReason
		settled   bool
	}{
		"paid":   {r: decidedClaim(), settled: true},
		"denied": {r: decidedClaim(func(r *claim.Record) { r.State, r.Standing.Paid, r.Standing.Contractual = claim.Denied, 0, 80_00 }), settled: true},
		"open":   {r: decidedClaim(func(r *claim.Record) { r.Standing.Paid -= 1 }), why: remit.LeftOpen},
		"overpaid": {
			r: decidedClaim(func(r *claim.Record) { r.Standing.Paid += 1 }), why: remit.LeftOverpaid,
		},
		"a next payer":              {r: decidedClaim(secondPlan), why: remit.LeftSecondary},
		"a plan that a check shows": {r: decidedClaim(func(r *claim.Record) { r.Shown = &coverage.ShownPlan{} }), why: remit.LeftSecondary},
		"a shown plan that a person does not bill": {
			r: decidedClaim(func(r *claim.Record) {
				r.Shown = &coverage.ShownPlan{}
				r.Decisions = decision.List{{Of: "secondary_to_bill", As: decision.NotBilled, Amount: 20_00}}
			}), settled: true,
		},
		"a next payer was billed": {r: decidedClaim(secondPlan, func(r *claim.Record) { r.SecondaryID = billing.ClaimID{1} }), settled: true},
		"a next payer that a person does not bill": {
			r: decidedClaim(secondPlan, func(r *claim.Record) {
				r.Decisions = decision.List{{Of: "secondary_to_bill", As: decision.NotBilled, Amount: 20_00}}
			}), settled: true,
		},
		"more is left to a next payer than was decided": {
			r: decidedClaim(secondPlan, func(r *claim.Record) {
				r.Decisions = decision.List{{Of: "secondary_to_bill", As: decision.NotBilled, Amount: 10_00}}
			}), why: remit.LeftSecondary,
		},
		"requested": {r: decidedClaim(), requested: true, why: remit.LeftRequest},
		"appealed":  {r: decidedClaim(func(r *claim.Record) { r.Appealing = &limit.Appealing{} }), why: remit.LeftAppeal},
		"late":      {r: decidedClaim(late), why: remit.LeftLate},
		"late, and a person accepts that": {
			r: decidedClaim(late, func(r *claim.Record) {
				r.Decisions = decision.List{{Of: "denied", As: decision.Accepted, Amount: 20_00}}
			}), settled: true,
		},
		"late, and a person answered": {
			r: decidedClaim(late, func(r *claim.Record) {
				r.Decisions = decision.List{{Of: "denied", As: decision.Handled, Amount: 20_00, At: evening}}
			}), why: remit.LeftLate,
		},
		"to review":          {r: decidedClaim(func(r *claim.Record) { r.ReviewERA = billing.ERAID{1} }), why: remit.LeftNeedsReview},
		"taken back":         {r: decidedClaim(func(r *claim.Record) { r.State = claim.AcceptedPayer }), why: remit.LeftNotDecided},
		"reconciled":         {r: decidedClaim(func(r *claim.Record) { r.State, r.ReconciledAt = claim.Reconciled, evening })},
		"changed afterwards": {r: decidedClaim(func(r *claim.Record) { r.State, r.ReconciledAt = claim.Reconciled, noon.Add(-time.Hour) }), why: remit.LeftChanged},
		"an estimate":        {r: decidedClaim(func(r *claim.Record) { r.Kind, r.State = claim.KindPredetermination, claim.Returned })},
	} {
		if why, settled := posting.Settled(test.r, test.requested); why != test.why || settled != test.settled {
			t.Errorf("%s: %q, %t, want %q, %t", name, why, settled, test.why, test.settled)
		}
		if test.why != "" && test.why.Message() == "" {
			t.Errorf("%s has no message", test.why)
		}
	}
	for _, r := range remit.LeftOutReasons() {
		if r.Message() == "" {
			t.Errorf("%s has no message", r)
		}
	}
}

// TestUnpostedWith reopens a claim unless a person changed it after the posting.
func TestReopen(t *testing.T) {
	t.Parallel()
	e := &remit.ERA{ID: billing.ERAID{1}, File: clearing.FileRef{Name: "f.835"}}
	for name, test := range map[string]struct {
		change  func(*claim.Record)
		reopens bool
	}{
		"as it was": {func(*claim.Record) {}, true},
		"a file came": {func(r *claim.Record) {
			r.History = append(r.History, claim.Move{State: claim.Reconciled, Cause: claim.TriggerPay, File: "g.835"})
		}, true},
		"a person noted": {func(r *claim.Record) {
			r.History = append(r.History, claim.Move{State: claim.Reconciled, Cause: claim.TriggerSettle, By: "usr_ben"})
		}, false},
		"a person reopened":   {func(r *claim.Record) { _ = r.Reopen("usr_ben", evening) }, false},
		"a person reconciled": {func(r *claim.Record) { _ = r.Reopen("usr_ben", evening); _ = r.Reconcile(nil, "usr_ben", evening) }, false},
	} {
		r := decidedClaim()
		if err := posting.Reconcile(r, e, "usr_ann", evening); err != nil || r.ReconciledWith != e.ID || r.History[0].File != "f.835" || posting.Reopened(r.Claim) {
			t.Fatalf("%s: %v, %+v", name, err, r.History)
		}
		test.change(r)
		if name == "a person reconciled" && !r.ReconciledWith.IsZero() {
			t.Errorf("%s, and it is still reconciled with %s", name, r.ReconciledWith)
		}
		reopened, err := false, error(nil)
		if !r.ReconciledWith.IsZero() {
			reopened, err = posting.Reopen(r, "usr_ann", evening)
		}
		if err != nil || reopened != test.reopens || !r.ReconciledWith.IsZero() {
			t.Errorf("%s: reopened %t, %v, want %t", name, reopened, err, test.reopens)
		}
		if reopened && (r.State != claim.Paid || !posting.Reopened(r.Claim)) {
			t.Errorf("%s: it is %s", name, r.State)
		}
	}
}
