package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// coverageRules are the rules for the payers of the services as a whole. A payer
// that is not the first needs the decisions of all before it.
//
//nolint:gochecknoglobals // a constant table
var coverageRules = []rule[*Claim]{
	{"earlier_payer_missing", "other_coverage", "The claim's payer is not the primary one, and the primary payer is missing.", "Add the primary coverage with its payer's decision.", func(c *Claim, _ *RuleContext) bool {
		return c.Turn() != billing.SequencePrimary && !c.covers(billing.SequencePrimary)
	}},
	{"earlier_payer_missing", "other_coverage", "The claim's payer is the third one, and the secondary payer is missing.", "Add the secondary coverage with its payer's decision.", func(c *Claim, _ *RuleContext) bool {
		return c.Turn() == billing.SequenceTertiary && !c.covers(billing.SequenceSecondary)
	}},
}

// covers reports whether an other coverage has the sequence.
func (c *Content) covers(s billing.Sequence) bool {
	return slices.ContainsFunc(c.OtherCoverage, func(o OtherCoverage) bool { return o.Sequence == s })
}

// otherCoverageRules are the rules for each other coverage.
//
//nolint:gochecknoglobals // a constant table
var otherCoverageRules = slices.Concat([]rule[coverageOf]{
	missing("sequence", "place of the other payer in the order of payers", func(o coverageOf) bool { return o.Sequence == "" }),
	// A claim names no rank of payers twice (005010X224A2, 2320 SBR01).
	{"sequence_repeated", "sequence", "Two payers have the same place in the order of payers.", "Give each payer its own: primary, secondary or tertiary.", func(o coverageOf, _ *RuleContext) bool {
		return o.Sequence == o.claim.Turn() || o.Sequence != "" &&
			slices.ContainsFunc(o.claim.OtherCoverage[:o.i], func(before OtherCoverage) bool { return before.Sequence == o.Sequence })
	}},
	// Loop 2330B needs the payer's ID (005010X224A2, NM109).
	{"required", "payer_id", "The other payer's ID is missing.", "Choose the payer from the directory, or enter the payer ID that its member card shows.", func(o coverageOf, _ *RuleContext) bool {
		return billing.Blank(o.Payer.PayerID)
	}},
	uncarried("payer_id", func(o coverageOf) string { return o.Payer.PayerID }),
	missing("payer_name", "other payer", func(o coverageOf) bool { return o.Payer.ID.IsZero() && billing.Blank(o.Payer.Name) }),
	unspelled("payer_name", func(o coverageOf) string { return o.Payer.Name }),
	lacks("subscriber.first_name", "other subscriber's first name", func(o coverageOf) string { return o.Subscriber.FirstName }),
	unspelled("subscriber.first_name", func(o coverageOf) string { return o.Subscriber.FirstName }),
	unspelled("subscriber.middle_name", func(o coverageOf) string { return o.Subscriber.MiddleName }),
	lacks("subscriber.last_name", "other subscriber's last name", func(o coverageOf) string { return o.Subscriber.LastName }),
	unspelled("subscriber.last_name", func(o coverageOf) string { return o.Subscriber.LastName }),
	uncarried("subscriber.suffix", func(o coverageOf) string { return o.Subscriber.Suffix }),
	lacks("subscriber.member_id", "other subscriber's member ID", func(o coverageOf) string { return o.Subscriber.MemberID }),
	ofMemberID("subscriber.member_id", func(o coverageOf) string { return o.Subscriber.MemberID }),
}, ofAddress("subscriber.address", "other subscriber's", func(o coverageOf) directory.Address { return o.Subscriber.Address }), []rule[coverageOf]{
	missing("relationship", "patient's relationship to the other subscriber", func(o coverageOf) bool { return o.Relationship == "" }),
	uncarried("group_number", func(o coverageOf) string { return o.Subscriber.GroupNumber }),
	uncarried("group_name", func(o coverageOf) string { return o.Subscriber.GroupName }),

	// A later payer pays what the earlier ones leave. An estimate may come first.
	{FindingNotAdjudicated, "adjudication", "This payer decides before the claim's payer, and its decision is missing.", "Wait for this payer's remittance, then enter what it paid and adjusted.", func(o coverageOf, _ *RuleContext) bool {
		return o.Adjudication == nil && o.claim.Kind == KindClaim && slices.Contains(o.claim.Earlier(), o.OtherCoverage)
	}},
	missing("adjudication.payment_date", "date of the other payer's decision", func(o coverageOf) bool {
		return o.Adjudication != nil && o.Adjudication.PaymentDate.IsZero()
	}),
	uncarried("adjudication.payer_claim_number", func(o coverageOf) string {
		if o.Adjudication == nil {
			return ""
		}
		return o.Adjudication.PayerClaimNumber
	}),
	// Payers reject other payers' decisions that do not add up (005010X224A2, 1.4.4).
	{"payment_unbalanced", "adjudication.paid", "The amount paid and the adjustments do not add up to the claim's charge.", adjustmentFix, func(o coverageOf, _ *RuleContext) bool {
		a := o.Adjudication
		return a != nil && len(a.Lines) == 0 && a.Paid+remit.Sum(a.Adjustments, everyAdjustment) != o.claim.Charge()
	}},
	{"payment_unbalanced", "adjudication.paid", "The amount paid is not what was paid for the lines, less the adjustments of the whole claim.", adjustmentFix, func(o coverageOf, _ *RuleContext) bool {
		a := o.Adjudication
		return a != nil && len(a.Lines) > 0 && a.Paid+remit.Sum(a.Adjustments, everyAdjustment) != a.paidForLines()
	}},
	{"line_not_adjudicated", "adjudication.lines", "The other payer has not decided about a line of the claim.", "Enter what the other payer paid and adjusted for each line, or remove the line from the claim.", func(o coverageOf, _ *RuleContext) bool {
		if len(o.lines()) == 0 {
			return false
		}
		for n := range o.claim.Lines {
			if !slices.ContainsFunc(o.lines(), func(l CoverageLine) bool { return l.LineNumber == n+1 }) {
				return true
			}
		}
		return false
	}},
})

const adjustmentFix = "Copy the payments and the adjustments from the other payer's remittance."

// decisionRules are the rules for each line of an other payer's decision.
//
//nolint:gochecknoglobals // a constant table
var decisionRules = []rule[decisionOf]{
	{"line_unknown", "line_number", "The claim has no line with this number.", "Enter the number of a line of the claim: 1 for the first.", func(d decisionOf, _ *RuleContext) bool {
		return d.line() == nil
	}},
	// Payers split lines: all parts together have the line's charge (SVD02 and CAS of
	// 2430).
	{"line_unbalanced", "paid", "The amount paid for the line and its adjustments do not add up to the line's fee.", adjustmentFix, func(d decisionOf, _ *RuleContext) bool {
		var sum billing.Money
		for j, l := range d.of.lines() {
			switch {
			case l.LineNumber != d.LineNumber:
			case j < d.j:
				return false // the first part has the finding
			default:
				sum += l.Total()
			}
		}
		return d.line() != nil && sum != d.line().Fee
	}},
}

// lines returns the lines of the decision, if there is one.
func (o coverageOf) lines() []CoverageLine {
	if o.Adjudication == nil {
		return nil
	}
	return o.Adjudication.Lines
}

// line returns the claim's line, or nil.
func (d decisionOf) line() *Line {
	if lines := d.of.claim.Lines; d.LineNumber >= 1 && d.LineNumber <= len(lines) {
		return &lines[d.LineNumber-1]
	}
	return nil
}

// paidForLines returns the sum of the payments for lines.
func (a *CoverageAdjudication) paidForLines() (sum billing.Money) {
	for i := range a.Lines {
		sum += a.Lines[i].Paid
	}
	return sum
}
