package claim_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// secondary makes the claim a secondary one. Its fees are 100.00 and 12.50, for
// which the primary payer paid 80.00 and 5.00.
func secondary(change func(c *aClaim, primary *claim.OtherCoverage)) func(*aClaim, *ruleContext) {
	return func(c *aClaim, _ *ruleContext) {
		c.Coverage = billing.SequenceSecondary
		c.OtherCoverage = []claim.OtherCoverage{{
			Sequence: billing.SequencePrimary, Payer: directory.PayerSummary{PayerID: "PRIME", Name: "Prime Dental"}, Relationship: coverage.RelationChild,
			Subscriber: claim.Subscriber{FirstName: "Ann", LastName: "Poe", MemberID: "P1"},
			Adjudication: &claim.CoverageAdjudication{
				PaymentDate: on(2026, 3, 15), PayerClaimNumber: "PCN 1", Paid: 85_00,
				Lines: []claim.CoverageLine{
					{LineNumber: 1, ProcedureCode: "D2392", Paid: 80_00, Units: 1, Adjustments: []remit.Adjustment{
						{Group: "CO", Reason: "45", Amount: 5_00}, {Group: "PR", Reason: "2", Amount: 15_00},
					}},
					{LineNumber: 2, ProcedureCode: "D4341", Paid: 5_00, Units: 2, Adjustments: []remit.Adjustment{{Group: "PR", Reason: "1", Amount: 7_50}}},
				},
			},
		}}
		change(c, &c.OtherCoverage[0])
	}
}

func TestOtherCoverageRules(t *testing.T) {
	t.Parallel()
	judging{
		"a secondary claim":           {secondary(func(*aClaim, *claim.OtherCoverage) {}), nil},
		"without a first plan":        {secondary(func(c *aClaim, _ *claim.OtherCoverage) { c.OtherCoverage = nil }), []string{"other_coverage earlier_payer_missing"}},
		"a third plan without others": {secondary(func(c *aClaim, _ *claim.OtherCoverage) { c.Coverage = billing.SequenceTertiary }), []string{"other_coverage earlier_payer_missing"}},
		"a third plan without a first": {secondary(func(c *aClaim, o *claim.OtherCoverage) {
			c.Coverage, o.Sequence = billing.SequenceTertiary, billing.SequenceSecondary
		}), []string{"other_coverage earlier_payer_missing"}},
		"a third plan": {secondary(func(c *aClaim, o *claim.OtherCoverage) {
			c.Coverage, c.OtherCoverage = billing.SequenceTertiary, append(c.OtherCoverage, *o)
			c.OtherCoverage[1].Sequence = billing.SequenceSecondary
		}), nil},
		"a first plan that names the second": {secondary(func(c *aClaim, o *claim.OtherCoverage) {
			c.Coverage, o.Sequence, o.Adjudication = "", billing.SequenceSecondary, nil
		}), nil},
		"a payer outside the directory without its ID": {
			secondary(func(_ *aClaim, o *claim.OtherCoverage) { o.Payer.PayerID = " " }), []string{"other_coverage.0.payer_id required"},
		},
		"two first plans":       {secondary(func(c *aClaim, o *claim.OtherCoverage) { c.OtherCoverage = append(c.OtherCoverage, *o) }), []string{"other_coverage.1.sequence sequence_repeated"}},
		"the claim's own place": {secondary(func(c *aClaim, _ *claim.OtherCoverage) { c.Coverage = "" }), []string{"other_coverage.0.sequence sequence_repeated"}},
		"no decision":           {secondary(func(_ *aClaim, o *claim.OtherCoverage) { o.Adjudication = nil }), []string{"other_coverage.0.adjudication not_adjudicated"}},
		"an estimate before a decision": {secondary(func(c *aClaim, o *claim.OtherCoverage) {
			c.Kind, o.Adjudication = claim.KindPredetermination, nil
		}), nil},
		"nothing about the plan": {secondary(func(_ *aClaim, o *claim.OtherCoverage) {
			*o = claim.OtherCoverage{Adjudication: o.Adjudication}
		}), []string{
			"other_coverage earlier_payer_missing", "other_coverage.0.sequence required", "other_coverage.0.payer_id required", "other_coverage.0.payer_name required",
			"other_coverage.0.subscriber.first_name required",
			"other_coverage.0.subscriber.last_name required", "other_coverage.0.subscriber.member_id required",
			"other_coverage.0.relationship required",
		}},
		"texts that files cannot carry": {secondary(func(_ *aClaim, o *claim.OtherCoverage) {
			o.Payer.Name, o.Adjudication.PayerClaimNumber = "歯", "№1"
			o.Subscriber = claim.Subscriber{
				FirstName: "李", MiddleName: "小", LastName: "龙", Suffix: "世", MemberID: "1", GroupNumber: "№2", GroupName: "歯",
				Address: directory.Address{Line1: "улица", City: "Москва", State: "XX", ZIP: "00000"},
			}
		}), []string{
			"other_coverage.0.payer_name name_not_latin",
			"other_coverage.0.subscriber.first_name name_not_latin", "other_coverage.0.subscriber.middle_name name_not_latin",
			"other_coverage.0.subscriber.last_name name_not_latin", "other_coverage.0.subscriber.suffix text_not_carried",
			"other_coverage.0.subscriber.member_id member_id_form",
			"other_coverage.0.subscriber.address.line1 text_not_carried", "other_coverage.0.subscriber.address.city text_not_carried",
			"other_coverage.0.subscriber.address.state state_unknown", "other_coverage.0.subscriber.address.zip zip_unknown",
			"other_coverage.0.group_number text_not_carried", "other_coverage.0.group_name text_not_carried",
			"other_coverage.0.adjudication.payer_claim_number text_not_carried",
		}},
		"half an address": {secondary(func(_ *aClaim, o *claim.OtherCoverage) { o.Subscriber.Address.City = "Peoria" }), []string{
			"other_coverage.0.subscriber.address.line1 required", "other_coverage.0.subscriber.address.state required",
			"other_coverage.0.subscriber.address.zip required",
		}},
	}.test(t)
}

func TestAdjudicationRules(t *testing.T) {
	t.Parallel()
	decided := func(change func(a *claim.CoverageAdjudication)) func(*aClaim, *ruleContext) {
		return secondary(func(_ *aClaim, o *claim.OtherCoverage) { change(o.Adjudication) })
	}
	const (
		paid     = "other_coverage.0.adjudication.paid payment_unbalanced"
		linePaid = "other_coverage.0.adjudication.lines.0.paid line_unbalanced"
	)
	judging{
		"a decision of no day":   {decided(func(a *claim.CoverageAdjudication) { a.PaymentDate = billing.Date{} }), []string{"other_coverage.0.adjudication.payment_date required"}},
		"a payment of tomorrow":  {decided(func(a *claim.CoverageAdjudication) { a.PaymentDate = on(2026, 3, 21) }), nil},
		"a cent less for a line": {decided(func(a *claim.CoverageAdjudication) { a.Paid--; a.Lines[0].Paid-- }), []string{linePaid}},
		"a cent less in all":     {decided(func(a *claim.CoverageAdjudication) { a.Paid-- }), []string{paid}},
		"an adjustment of the claim": {decided(func(a *claim.CoverageAdjudication) {
			a.Paid, a.Adjustments = a.Paid-3_00, []remit.Adjustment{{Group: "OA", Reason: "A1", Amount: 3_00}}
		}), nil},
		"an adjustment that reduces nothing": {decided(func(a *claim.CoverageAdjudication) {
			a.Adjustments = []remit.Adjustment{{Group: "OA", Reason: "A1", Amount: 3_00}}
		}), []string{paid}},
		"a line in two parts": {decided(func(a *claim.CoverageAdjudication) {
			a.Lines[0].Paid -= 30_00
			a.Lines = append(a.Lines, claim.CoverageLine{LineNumber: 1, Paid: 30_00})
		}), nil},
		"two parts that are too much": {decided(func(a *claim.CoverageAdjudication) {
			a.Paid += 30_00
			a.Lines = append(a.Lines, claim.CoverageLine{LineNumber: 1, Paid: 30_00})
		}), []string{linePaid}},
		"a line that is none": {decided(func(a *claim.CoverageAdjudication) { a.Lines = append(a.Lines, claim.CoverageLine{LineNumber: 3}) }), []string{
			"other_coverage.0.adjudication.lines.2.line_number line_unknown",
		}},
		"a line that it lacks": {decided(func(a *claim.CoverageAdjudication) { a.Lines, a.Paid = a.Lines[:1], 80_00 }), []string{
			"other_coverage.0.adjudication.lines line_not_adjudicated",
		}},
		"the claim as a whole": {decided(func(a *claim.CoverageAdjudication) {
			a.Lines, a.Adjustments = nil, []remit.Adjustment{{Group: "PR", Reason: "2", Amount: 27_50}}
		}), nil},
		"a cent less as a whole": {decided(func(a *claim.CoverageAdjudication) {
			a.Lines, a.Adjustments = nil, []remit.Adjustment{{Group: "PR", Reason: "2", Amount: 27_49}}
		}), []string{paid}},
	}.test(t)
}
