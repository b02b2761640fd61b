package edi

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
)

// coordinate adds the other coverages of a claim, and what their payers decided about
// its lines.
func (w claimWriter) coordinate(out *claims.Claim, of *claim.OutgoingClaim) {
	c := of.Claim
	ids := w.otherPayerIDs(c)
	for i := range c.OtherCoverage {
		o := &c.OtherCoverage[i]
		s := &o.Subscriber
		payer := claims.OtherPayer{
			Coverage: coverageCode(o.Sequence), Relationship: relationshipCode(o.Relationship), GroupNumber: s.GroupNumber, GroupName: s.GroupName,
			FilingIndicator: w.otherFiling(of, i), BenefitsAssigned: out.BenefitsAssigned, Release: out.Release,
			Subscriber: claims.OtherSubscriber{
				FirstName: s.FirstName, MiddleName: s.MiddleName, LastName: s.LastName, Suffix: s.Suffix, MemberID: s.MemberID,
				Address: claims.Address(s.Address),
			},
			Payer: claims.Payer{Name: o.Payer.Name, PayerID: ids[i]},
		}
		if a := o.Adjudication; a != nil {
			payer.Adjustments, payer.Paid, payer.Remaining = adjustmentsOf(a.Adjustments), &a.Paid, new(a.Patient())
			payer.PaymentDate, payer.PayerClaimNumber = a.PaymentDate, a.PayerClaimNumber
			decided(out.Lines, payer.Payer.PayerID, a)
		}
		out.OtherPayers = append(out.OtherPayers, payer)
	}
}

// otherPayerIDs returns the IDs that link payers to their decisions about lines. A payer
// that comes twice has its place in the order instead. The ID of a payer that is only a
// name stays empty.
func (w claimWriter) otherPayerIDs(c *claim.Claim) []string {
	ids := make([]string, len(c.OtherCoverage))
	for i := range c.OtherCoverage {
		o := &c.OtherCoverage[i]
		id := w.route.PayerID(o.Payer, network.Claims)
		if id != "" && slices.Contains(ids[:i], id) {
			id = strings.ToUpper(string(o.Sequence))
		}
		ids[i] = id
	}
	return ids
}

// otherFiling returns the filing indicator of a coverage, or else its payer's.
func (w claimWriter) otherFiling(of *claim.OutgoingClaim, i int) string {
	o := &of.Claim.OtherCoverage[i]
	switch {
	case o.FilingIndicator != "":
		return o.FilingIndicator
	case i < len(of.OtherPayers) && of.OtherPayers[i] != nil:
		return w.options.Filing(o.Payer.PayerID, of.OtherPayers[i].FilingIndicator)
	}
	return w.options.Filing(o.Payer.PayerID, "")
}

// decided adds the decisions about lines.
func decided(lines []claims.Line, payer string, a *claim.CoverageAdjudication) {
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

func adjustmentsOf(all []remit.Adjustment) []claims.Adjustment {
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
