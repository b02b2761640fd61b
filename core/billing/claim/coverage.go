package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// OtherCoverage is another plan that covers the patient, with what its payer has
// decided about the services.
type OtherCoverage struct {
	Sequence        billing.Sequence       // of its payer among the payers of the services
	Payer           directory.PayerSummary // without an ID of ours if the payer is not in the directory
	Subscriber      Subscriber             // with the number and the name of the group
	Relationship    coverage.Relationship  // of the patient to the subscriber
	FilingIndicator string                 // SBR09; empty for the payer's own, or else CI
	Adjudication    *CoverageAdjudication
}

// CoverageAdjudication is the decision of another payer, as the claim states it
// to its own payer. Each adjustment stands at the level where the other payer put
// it: on its line, or on the claim.
type CoverageAdjudication struct {
	PaymentDate      billing.Date
	PayerClaimNumber string
	Paid             billing.Money
	Adjustments      []remit.Adjustment
	Lines            []CoverageLine
}

// CoverageLine is the decision about one line.
type CoverageLine struct {
	LineNumber    int    // of the claim's line, from 1
	ProcedureCode string // as paid; payers may pay for another procedure
	Paid          billing.Money
	Units         int
	Adjustments   []remit.Adjustment
}

// Total returns what was paid for a line, and all its adjustments.
func (l *CoverageLine) Total() billing.Money {
	return l.Paid + remit.Sum(l.Adjustments, everyAdjustment)
}

func everyAdjustment(remit.Adjustment) bool { return true }

// Patient returns what the decision leaves to the patient.
func (a *CoverageAdjudication) Patient() billing.Money {
	sum := remit.Sum(a.Adjustments, remit.Adjustment.OfPatient)
	for i := range a.Lines {
		sum += remit.Sum(a.Lines[i].Adjustments, remit.Adjustment.OfPatient)
	}
	return sum
}

// Earlier returns the coverages whose payers decide before the claim's, in order.
func (c *Content) Earlier() (all []*OtherCoverage) {
	for _, s := range billing.Sequences() {
		if s == c.Turn() {
			return all
		}
		for i := range c.OtherCoverage {
			if c.OtherCoverage[i].Sequence == s {
				all = append(all, &c.OtherCoverage[i])
			}
		}
	}
	return all
}

// Left returns the most that the payers before the claim's leave to it: of each line, and of all together. It is
// what they have not paid and their contracts do not take off.
func (c *Content) Left() (lines []billing.Money, all billing.Money) {
	all = c.Charge()
	for i := range c.Lines {
		lines = append(lines, c.Lines[i].Fee)
	}
	for _, o := range c.Earlier() {
		if o.Adjudication == nil {
			continue
		}
		all -= o.Adjudication.Paid + remit.Sum(o.Adjudication.Adjustments, remit.Adjustment.Contractual)
		for _, l := range o.Adjudication.Lines {
			contract := remit.Sum(l.Adjustments, remit.Adjustment.Contractual)
			all -= contract
			if i := l.LineNumber - 1; i >= 0 && i < len(lines) {
				lines[i] -= l.Paid + contract
			}
		}
	}
	for i := range lines {
		lines[i] = max(0, min(lines[i], all))
	}
	return lines, max(0, all)
}

// Turn returns the sequence of the claim's payer.
func (c *Content) Turn() billing.Sequence {
	if slices.Contains(billing.Sequences(), c.Coverage) {
		return c.Coverage
	}
	return billing.SequencePrimary
}
