package sandboxnet

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// ranks are the ranks of payers (SBR01) in the order in which they pay.
const ranks = claims.CoveragePrimary + claims.CoverageSecondary + claims.CoverageTertiary

// rank returns the place of a payer in ranks. A claim without a rank is for its
// primary payer.
func rank(coverage string) int { return max(0, strings.Index(ranks, coverage)) }

// unexplained denies a claim that does not state what an earlier payer decided.
//
//nolint:gochecknoglobals // a constant; Go has none of struct type
var unexplained = &terms{status: remittance.StatusDenied, refused: &remittance.Adjustment{Group: remittance.GroupOther, Reason: reasonNoEOB}}

// coordinate sets what the earlier payers leave of each line, if the claim's payer is
// not the first. It returns the terms for the claim.
func (r *received) coordinate(t *terms) *terms {
	if rank(r.Coverage) == 0 || t.status == statusForwarded {
		return t
	}
	if before := lastBefore(r.Claim); before != nil {
		r.left = leftBy(before, r.Lines)
		return t
	}
	return unexplained
}

// lastBefore returns the last payer that has decided the claim before its own payer,
// or nil.
func lastBefore(c *claims.Claim) (last *claims.OtherPayer) {
	for i := range c.OtherPayers {
		o := &c.OtherPayers[i]
		before := rank(o.Coverage) < rank(c.Coverage) && (last == nil || rank(o.Coverage) > rank(last.Coverage))
		if before && (o.Paid != nil || len(o.Adjustments) > 0 || slices.ContainsFunc(c.Lines, func(l claims.Line) bool { return len(decisionsOf(o, &l)) > 0 })) {
			last = o
		}
	}
	return last
}

// leftBy returns what a payer left to the patient on each line. An amount that it
// states for the whole claim goes to the first lines that have room for it.
func leftBy(o *claims.OtherPayer, lines []claims.Line) []billing.Money {
	left := make([]billing.Money, len(lines))
	whole := ofPatient(o.Adjustments)
	for i := range lines {
		l := &lines[i]
		for _, a := range decisionsOf(o, l) {
			left[i] += ofPatient(a.Adjustments)
		}
		more := min(whole, max(0, l.Fee-left[i]))
		left[i] = min(max(0, left[i]+more), l.Fee)
		whole -= more
	}
	return left
}

// decisionsOf returns the payer's decisions on a line.
func decisionsOf(o *claims.OtherPayer, l *claims.Line) (all []claims.Adjudication) {
	for _, a := range l.Adjudications {
		if a.PayerID == o.Payer.PayerID {
			all = append(all, a)
		}
	}
	return all
}

func ofPatient(all []claims.Adjustment) (sum billing.Money) {
	for _, a := range all {
		if a.Group == remittance.GroupPatient {
			sum += a.Amount
		}
	}
	return sum
}
