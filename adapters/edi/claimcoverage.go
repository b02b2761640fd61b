package edi

import (
	"strings"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
)

// coordinate adds the other coverages of a claim, and what their payers decided about
// its lines.
func coordinate(out *claims.Claim, of *billing.OutgoingClaim) {
	c := of.Claim
	for i := range c.OtherCoverage {
		o := &c.OtherCoverage[i]
		s := &o.Subscriber
		payer := claims.OtherPayer{
			Coverage: coverageCode(o.Sequence), Relationship: relationshipCode(o.Relationship), GroupNumber: s.GroupNumber, GroupName: s.GroupName,
			FilingIndicator: otherFiling(of, i), BenefitsAssigned: out.BenefitsAssigned, Release: out.Release,
			Subscriber: claims.OtherSubscriber{
				FirstName: s.FirstName, MiddleName: s.MiddleName, LastName: s.LastName, Suffix: s.Suffix, MemberID: s.MemberID,
				Address: claims.Address(s.Address),
			},
			Payer: claims.Payer{Name: o.Payer.Name, PayerID: otherPayerID(c, i)},
		}
		if a := o.Adjudication; a != nil {
			payer.Adjustments, payer.Paid, payer.Remaining = adjustmentsOf(a.Adjustments), &a.Paid, new(a.Patient())
			payer.PaymentDate, payer.PayerClaimNumber = a.PaymentDate, a.PayerClaimNumber
			decided(out.Lines, payer.Payer.PayerID, a)
		}
		out.OtherPayers = append(out.OtherPayers, payer)
	}
}

// otherPayerID returns the ID that links a payer to its decisions about lines. A payer
// that is only a name, or that comes twice, has its place in the order instead.
func otherPayerID(c *billing.Claim, i int) string {
	id := c.OtherCoverage[i].Payer.PayerID
	for k := range c.OtherCoverage[:i] {
		if c.OtherCoverage[k].Payer.PayerID == id {
			id = ""
		}
	}
	if id == "" {
		return strings.ToUpper(string(c.OtherCoverage[i].Sequence))
	}
	return id
}

// otherFiling returns the filing indicator of a coverage, or else its payer's.
func otherFiling(of *billing.OutgoingClaim, i int) string {
	stated := of.Claim.OtherCoverage[i].FilingIndicator
	if stated == "" && i < len(of.OtherPayers) && of.OtherPayers[i] != nil {
		return of.OtherPayers[i].FilingIndicator
	}
	return stated
}

// decided adds the decisions about lines.
func decided(lines []claims.Line, payer string, a *billing.CoverageAdjudication) {
	for i := range a.Lines {
		l := &a.Lines[i]
		if l.LineNumber < 1 || l.LineNumber > len(lines) {
			continue
		}
		line := &lines[l.LineNumber-1]
		line.Adjudications = append(line.Adjudications, claims.Adjudication{
			PayerID: payer, Paid: l.Paid, Procedure: l.ProcedureCode, Quantity: l.Units, Adjustments: adjustmentsOf(l.Adjustments),
			PaymentDate: a.PaymentDate,
		})
	}
}

func adjustmentsOf(all []billing.Adjustment) []claims.Adjustment {
	out := make([]claims.Adjustment, len(all))
	for i, a := range all {
		out[i] = claims.Adjustment(a)
	}
	return out
}

func coverageCode(s billing.Sequence) string {
	switch s {
	case billing.SequenceSecondary:
		return claims.CoverageSecondary
	case billing.SequenceTertiary:
		return claims.CoverageTertiary
	case billing.SequencePrimary:
	}
	return claims.CoveragePrimary
}
