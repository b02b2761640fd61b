package billing

import "slices"

// OtherCoverage is another plan that covers the patient, with what its payer has
// decided about the services.
type OtherCoverage struct {
	Sequence        Sequence        // of its payer among the payers of the services
	Payer           PayerSummary    // without an ID of ours if the payer is not in the directory
	Subscriber      ClaimSubscriber // with the number and the name of the group
	Relationship    Relationship    // of the patient to the subscriber
	FilingIndicator string          // SBR09; empty for the payer's own, or else CI
	Adjudication    *CoverageAdjudication
}

// CoverageAdjudication is the decision of another payer, as the claim states it
// to its own payer. Each adjustment stands at the level where the other payer put
// it: on its line, or on the claim.
type CoverageAdjudication struct {
	PaymentDate      Date
	PayerClaimNumber string
	Paid             Money
	Adjustments      []Adjustment
	Lines            []CoverageLine
}

// CoverageLine is the decision about one line.
type CoverageLine struct {
	LineNumber    int    // of the claim's line, from 1
	ProcedureCode string // as paid; payers may pay for another procedure
	Paid          Money
	Units         int
	Adjustments   []Adjustment
}

// Total returns what was paid for a line, and all its adjustments.
func (l *CoverageLine) Total() Money {
	return l.Paid + sumOf(l.Adjustments, everyAdjustment)
}

func everyAdjustment(Adjustment) bool { return true }

// Patient returns what the decision leaves to the patient.
func (a *CoverageAdjudication) Patient() Money {
	sum := sumOf(a.Adjustments, Adjustment.ofPatient)
	for i := range a.Lines {
		sum += sumOf(a.Lines[i].Adjustments, Adjustment.ofPatient)
	}
	return sum
}

// Earlier returns the coverages whose payers decide before the claim's, in order.
func (c *ClaimContent) Earlier() (all []*OtherCoverage) {
	for _, s := range Sequences() {
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

// Turn returns the sequence of the claim's payer.
func (c *ClaimContent) Turn() Sequence {
	if slices.Contains(Sequences(), c.Coverage) {
		return c.Coverage
	}
	return SequencePrimary
}
