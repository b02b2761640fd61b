package claim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/remit"
)

// crownEstimate has a crown with a fee of 950.00, of which the plan allows 800.00 and pays
// 650.00: 150.00 are written off, and the patient pays 150.00.
func crownEstimate() *estimate.Record {
	s := estimate.Scenario{Fee: 950_00, Allowed: 800_00, WriteOff: 150_00, PlanPays: 650_00, PatientPays: 150_00}
	r := &estimate.Record{ID: billing.EstimateID{15: 1}}
	r.Payer = crownClaim().Payer
	r.Services = []estimate.Service{{Code: "D2740", Quantity: 1}}
	r.Estimate = &estimate.Estimate{Lines: []estimate.Result{{Least: s, Most: s}}, Least: s, Most: s}
	return r
}

// accuracyWith compares the estimate of a crown with what payers decided of it.
func accuracyWith(t *testing.T, files ...eraFile) *claim.Accuracy {
	t.Helper()
	c := crownClaim()
	l, left, _ := postFiles(c, files)
	if l == nil {
		t.Fatal("nothing is posted", left)
	}
	c.Standing = l.Standing()
	a, err := claim.AccuracyOf(crownEstimate(), []*claim.Record{{Claim: c, Ledger: l}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestWhyAnEstimateWasOff has for each way in which a payment differs what is said.
func TestWhyAnEstimateWasOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line remit.Line
		off  billing.Money
		want []string
	}{
		"as estimated": {paying("D2740", 650_00, cas("PR", "2", 150_00), cas("CO", "45", 150_00)), 0, nil},
		"another allowance": {paying("D2740", 700_00, cas("PR", "2", 150_00), cas("CO", "45", 100_00)), 0, []string{
			"The payer allows $850.00. The estimate had $800.00.",
		}},
		"the deductible": {paying("D2740", 600_00, cas("PR", "1", 50_00), cas("PR", "2", 150_00), cas("CO", "45", 150_00)), 50_00, []string{
			"The deductible takes $50.00. The estimate had $0.00.",
		}},
		"the maximum": {paying("D2740", 300_00, cas("PR", "119", 350_00), cas("PR", "2", 150_00), cas("CO", "45", 150_00)), 350_00, []string{
			"The plan's maximum is used up: $350.00 is not paid for this reason.",
		}},
		"denied": {paying("D2740", 0, cas("CO", "16", 950_00)), -150_00, []string{
			"The payer denied this service: claim incomplete or wrong; see remarks.",
		}},
		"the maximum was used up before": {paying("D2740", 0, cas("PR", "119", 800_00), cas("CO", "45", 150_00)), 650_00, []string{
			"The plan's maximum is used up: $800.00 is not paid for this reason.",
		}},
		"the deductible, out of network": {paying("D2740", 0, cas("PR", "1", 800_00), cas("PR", "45", 150_00)), 800_00, []string{
			"The payer allows $950.00. The estimate had $800.00.", "The deductible takes $800.00. The estimate had $0.00.",
		}},
		"denied, and the patient pays": {paying("D2740", 0, cas("PR", "96", 950_00)), 800_00, []string{
			"The payer denied this service: " + strings.ToLower(remit.ReasonLabel("96")) + ".",
		}},
		"another percent": {paying("D2740", 400_00, cas("PR", "2", 400_00), cas("CO", "45", 150_00)), 250_00, []string{
			"The payer pays $400.00. The estimate had $650.00.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := accuracyWith(t, eraFile{1, "Delta", []remit.Claim{remitted("1", "ICN-1", append([]remit.Line{c.line}, primaryLines()[1:]...))}})
			l := a.Lines[0]
			if l.Number != 1 || l.Decided == nil || l.Decided.Off(&a.Estimate.Estimate.Lines[0]) != c.off {
				t.Fatalf("line %+v, decided %+v", l, l.Decided)
			}
			if !slices.Equal(l.Because, c.want) {
				t.Errorf("because %q\nwant    %q", l.Because, c.want)
			}
		})
	}
}

// TestAccuracyBeforeTheSecondPlan says that the figures lack the payment of a second plan.
func TestAccuracyBeforeTheSecondPlan(t *testing.T) {
	t.Parallel()
	first := eraFile{1, "Delta", []remit.Claim{remitted("1", "ICN-1", primaryLines())}}
	then := eraFile{2, "Cigna", []remit.Claim{remitted("2", "C-1", secondaryLines())}}
	for name, c := range map[string]struct {
		second billing.CheckID
		files  []eraFile
		want   []string
	}{
		"no second plan":          {files: []eraFile{first}},
		"it has not decided":      {billing.CheckID{15: 2}, []eraFile{first}, []string{"The second plan has not decided the claim yet. What it pays is not in these figures."}},
		"the second plan decided": {billing.CheckID{15: 2}, []eraFile{first, then}, nil},
	} {
		k, e := crownClaim(), crownEstimate()
		l, _, _ := postFiles(k, c.files)
		k.Standing, e.SecondCheck = l.Standing(), c.second
		a, err := claim.AccuracyOf(e, []*claim.Record{{Claim: k, Ledger: l}})
		if err != nil || !slices.Equal(a.Uncertain, c.want) {
			t.Errorf("%s: uncertain %q, %v; want %q", name, a.Uncertain, err, c.want)
		}
	}
}

// TestAccuracyOfAPlanThatForgetsTheFirst has a second plan whose own terms leave 800.00 of a line to the patient, as if
// the first one had paid nothing. No more is left than 950.00 less 650.00, 150.00 and 37.50.
func TestAccuracyOfAPlanThatForgetsTheFirst(t *testing.T) {
	t.Parallel()
	lines := secondaryLines()
	lines[0] = paying("D2740", 37_50, cas("CO", "45", 112_50), cas("PR", "2", 800_00))
	a := accuracyWith(t, eraFile{1, "Delta", []remit.Claim{remitted("1", "ICN-1", primaryLines())}}, eraFile{2, "Cigna", []remit.Claim{remitted("2", "C-1", lines)}})
	if d := a.Lines[0].Decided; d == nil || d.Later != 37_50 || d.Patient != d.Charge-d.Paid-d.Later-d.WriteOff || d.Patient != 112_50 {
		t.Errorf("decided %+v", d)
	}
}

// TestAccuracyNeedsAPayment has claims with which an estimate is not compared.
func TestAccuracyNeedsAPayment(t *testing.T) {
	t.Parallel()
	void, secondary, other := crownClaim(), crownClaim(), crownClaim()
	void.Frequency, secondary.SecondaryTo, other.Payer.ID = claim.FrequencyVoid, billing.ClaimID{15: 2}, billing.PayerID{15: 3}
	for _, c := range []*claim.Claim{void, secondary, other, crownClaim()} {
		if _, err := claim.AccuracyOf(crownEstimate(), []*claim.Record{{Claim: c}}); billing.CodeOf(err) != billing.CodeConflict {
			t.Errorf("compared: %v", err)
		}
	}
}
