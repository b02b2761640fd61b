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

// Left returns the most that the payers before the claim's leave of the line at a position.
func (c *Content) Left(i int) billing.Money {
	left, whole := c.Lines[i].Fee, c.Charge()
	for _, o := range c.Earlier() {
		if o.Adjudication == nil {
			continue
		}
		whole -= o.Adjudication.Paid
		for _, l := range o.Adjudication.Lines {
			if l.LineNumber == i+1 {
				left -= l.Paid
			}
		}
	}
	return max(0, min(left, whole))
}

// Turn returns the sequence of the claim's payer.
func (c *Content) Turn() billing.Sequence {
	if slices.Contains(billing.Sequences(), c.Coverage) {
		return c.Coverage
	}
	return billing.SequencePrimary
}
