package claim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Three payers: that of the claims of these tests, and two whose plans checks show.
var (
	ours  = directory.PayerSummary{ID: billing.PayerID{15: 1}, Name: "Delta"}
	aetna = directory.PayerSummary{ID: billing.PayerID{15: 2}, Name: "Aetna"}
	cigna = directory.PayerSummary{ID: billing.PayerID{15: 3}, Name: "Cigna"}
)

// decidedClaim is a claim of March 9 and March 2, 2026, of which its payer left 30.00 to the patient.
func decidedClaim(changes ...func(*claim.Claim)) *claim.Claim {
	c := &claim.Claim{Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal}
	c.Payer, c.PatientID = ours, billing.PatientID{15: 7}
	c.Lines = []claim.Line{{Fee: 60_00, Quantity: 1, ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 9}}, {Fee: 40_00, Quantity: 1, ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 2}}}
	c.State, c.SentAt, c.SettledAt, c.Standing = claim.Paid, noon, noon, &claim.Standing{Paid: 70_00, PatientResponsibility: 30_00}
	for _, change := range changes {
		change(c)
	}
	return c
}

// active is a plan by a check about a day.
func active(payer directory.PayerSummary, on billing.Date) coverage.ActivePlan {
	return coverage.ActivePlan{Check: billing.CheckID{14: payer.ID[15], 15: byte(on.Day)}, Payer: payer, On: on, At: on.Time()}
}

// TestSeePlans has the plan that each claim finds among those of its patient.
func TestSeePlans(t *testing.T) {
	t.Parallel()
	march, april := billing.Date{Year: 2026, Month: 3, Day: 20}, billing.Date{Year: 2026, Month: 4, Day: 1}
	between := active(aetna, april)
	between.From, between.To = billing.Date{Year: 2026, Month: 3, Day: 3}, april // covers the second service only
	other := func(s billing.Sequence, p directory.PayerSummary) func(*claim.Claim) {
		return func(c *claim.Claim) {
			c.OtherCoverage = append(c.OtherCoverage, claim.OtherCoverage{Sequence: s, Payer: p})
		}
	}
	second := func(c *claim.Claim) { c.Coverage = billing.SequenceSecondary }
	for what, x := range map[string]struct {
		c     *claim.Claim
		among []coverage.ActivePlan
		want  directory.PayerSummary // the zero one for none
	}{
		"of another payer":              {decidedClaim(), []coverage.ActivePlan{active(aetna, march)}, aetna},
		"the newest answer":             {decidedClaim(), []coverage.ActivePlan{active(cigna, march), active(aetna, march)}, cigna},
		"the newest that covers it":     {decidedClaim(), []coverage.ActivePlan{active(cigna, april), active(aetna, march)}, aetna},
		"no check":                      {decidedClaim(), nil, directory.PayerSummary{}},
		"of its own payer":              {decidedClaim(), []coverage.ActivePlan{active(ours, march)}, directory.PayerSummary{}},
		"another month":                 {decidedClaim(), []coverage.ActivePlan{active(aetna, april)}, directory.PayerSummary{}},
		"not the first service":         {decidedClaim(), []coverage.ActivePlan{between}, directory.PayerSummary{}},
		"the claim names the next plan": {decidedClaim(other(billing.SequenceSecondary, cigna)), []coverage.ActivePlan{active(aetna, march)}, directory.PayerSummary{}},
		"the claim names the payer":     {decidedClaim(second, other(billing.SequencePrimary, aetna)), []coverage.ActivePlan{active(aetna, march)}, directory.PayerSummary{}},
		"by its name":                   {decidedClaim(second, other(billing.SequencePrimary, directory.PayerSummary{Name: "AETNA"})), []coverage.ActivePlan{active(aetna, march)}, directory.PayerSummary{}},
		"a third plan":                  {decidedClaim(second, other(billing.SequencePrimary, aetna)), []coverage.ActivePlan{active(aetna, march), active(cigna, march)}, cigna},
		"nobody comes after":            {decidedClaim(func(c *claim.Claim) { c.Coverage = billing.SequenceTertiary }), []coverage.ActivePlan{active(aetna, march)}, directory.PayerSummary{}},
		"denied":                        {decidedClaim(func(c *claim.Claim) { c.State = claim.Denied }), []coverage.ActivePlan{active(aetna, march)}, aetna},
		"reconciled":                    {decidedClaim(func(c *claim.Claim) { c.State = claim.Reconciled }), []coverage.ActivePlan{active(aetna, march)}, aetna},
		"not decided":                   {decidedClaim(func(c *claim.Claim) { c.State, c.Standing = claim.AcceptedPayer, nil }), []coverage.ActivePlan{active(aetna, march)}, directory.PayerSummary{}},
		"being replaced":                {decidedClaim(func(c *claim.Claim) { c.State = claim.Queued }), []coverage.ActivePlan{active(aetna, march)}, directory.PayerSummary{}},
		"erased":                        {decidedClaim(func(c *claim.Claim) { c.ErasedAt = noon }), []coverage.ActivePlan{active(aetna, march)}, directory.PayerSummary{}},
	} {
		found := x.want != directory.PayerSummary{}
		if changed := x.c.SeePlans(x.among); changed != found || (x.c.Shown != nil) != found || found && x.c.Shown.Payer != x.want {
			t.Errorf("%s: %v, %+v", what, changed, x.c.Shown)
		}
		if x.c.SeePlans(x.among) {
			t.Errorf("%s: it changes again", what)
		}
		if open := x.c.LeftToNext() > 0; found && !open {
			t.Errorf("%s: nothing is left", what)
		}
	}
}

// TestAShownPlanLasts lets another check say the same, a third one something else, and the claim come into another state.
func TestAShownPlanLasts(t *testing.T) {
	t.Parallel()
	on := func(n int) billing.Date { return billing.Date{Year: 2026, Month: 3, Day: n} }
	c := decidedClaim()
	c.SeePlans([]coverage.ActivePlan{active(aetna, on(2))})
	first := *c.Shown
	if !c.SeePlans([]coverage.ActivePlan{active(aetna, on(5))}) || c.Shown.Check == first.Check || c.Shown.On != on(5) || !c.Shown.Since.Equal(first.Since) {
		t.Errorf("a later check shows %+v after %+v", c.Shown, first)
	}
	if !c.SeePlans([]coverage.ActivePlan{active(cigna, on(6))}) || !c.Shown.Since.Equal(on(6).Time()) {
		t.Errorf("another plan: %+v", c.Shown)
	}
	if !c.SeePlans(nil) || c.Shown != nil || c.LeftToNext() != 0 {
		t.Errorf("after the plan ended: %+v", c.Shown)
	}
	c.SeePlans([]coverage.ActivePlan{active(aetna, on(2))})
	if _, err := record(c).Replace(c.Content, evening); err != nil || c.Shown != nil {
		t.Errorf("a claim that is replaced keeps %+v, %v", c.Shown, err)
	}
}

// TestWhatIsLeftToAShownPlan has what ends the work, and the next steps before.
func TestWhatIsLeftToAShownPlan(t *testing.T) {
	t.Parallel()
	see := func(c *claim.Claim) {
		c.SeePlans([]coverage.ActivePlan{active(aetna, billing.Date{Year: 2026, Month: 3, Day: 20})})
	}
	for what, x := range map[string]struct {
		c              *claim.Claim
		left, toNext   billing.Money
		nextStepEnding string
	}{
		"left":        {decidedClaim(see), 30_00, 30_00, "then bill Aetna, whose plan an active check shows: $30.00 is left."},
		"denied":      {decidedClaim(see, func(c *claim.Claim) { c.State = claim.Denied }), 30_00, 30_00, "in the remittance, then bill Aetna, whose plan an active check shows: $30.00 is left."},
		"named":       {decidedClaim(func(c *claim.Claim) { c.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequenceSecondary}} }), 30_00, 30_00, "then bill the next payer: $30.00 is left."},
		"none":        {decidedClaim(), 0, 0, "then reconcile the claim."},
		"billed":      {decidedClaim(see, func(c *claim.Claim) { c.SecondaryID = billing.ClaimID{15: 9} }), 0, 0, "then reconcile the claim."},
		"sent on":     {decidedClaim(see, func(c *claim.Claim) { c.Standing.CrossedOver = true }), 0, 0, "then reconcile the claim."},
		"paid":        {decidedClaim(see, func(c *claim.Claim) { c.Standing.Paid, c.Standing.PatientResponsibility = 100_00, 0 }), 0, 0, "then reconcile the claim."},
		"not billed":  {decidedClaim(see, decides(30_00)), 30_00, 0, "then reconcile the claim."},
		"more is now": {decidedClaim(see, decides(20_00)), 30_00, 30_00, "$30.00 is left."},
	} {
		if x.c.LeftToNext() != x.left || x.c.ToNext() != x.toNext || !strings.HasSuffix(x.c.NextStep(), x.nextStepEnding) {
			t.Errorf("%s: %s and %s are left: %s", what, x.c.LeftToNext(), x.c.ToNext(), x.c.NextStep())
		}
	}
}

// decides lets a person bill no next payer for an amount.
func decides(amount billing.Money) func(*claim.Claim) {
	return func(c *claim.Claim) {
		c.Decisions = decision.List{{Of: "secondary_to_bill", As: decision.NotBilled, Amount: amount, At: noon.Add(time.Hour)}}
	}
}
