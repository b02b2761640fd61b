package intake_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/intake"
)

// otherCoverage is the plan of the payer before, with its decision about both
// lines of claimRequest.
func otherCoverage() intake.OtherCoverageInput {
	return intake.OtherCoverageInput{
		Sequence: "primary", PayerID: " CHTEST ", Relationship: "spouse", GroupNumber: "G2", GroupName: "Other & Sons", FilingIndicator: "ci",
		Subscriber: &intake.ClaimSubscriberInput{
			PersonInput: intake.PersonInput{
				FirstName: "Ann", MiddleName: "B", LastName: "Poe", Suffix: "JR", DateOfBirth: "1980-01-02", Gender: "female",
				Address: &intake.AddressInput{Line1: "5 Fir Street", City: "Peoria", State: "IL", ZIP: "61602"},
			},
			MemberID: "W2",
		},
		Adjudication: &intake.CoverageAdjudicationInput{
			PaymentDate: "2026-03-15", PayerClaimNumber: "ICN-1", Paid: "70.00",
			Adjustments: []intake.AdjustmentInput{{Group: "OA", Reason: "23", Amount: "-1.00"}},
			Lines: []intake.CoverageLineInput{
				{LineNumber: new(1), ProcedureCode: "d2391", Paid: "70.00", Units: new(0), Adjustments: []intake.AdjustmentInput{
					{Group: "CO", Reason: "45", Amount: "10.00", Quantity: "1.5"}, {Group: "PR", Reason: "b1", Amount: "20.00"},
				}},
				{LineNumber: new(2), ProcedureCode: "D4341", Paid: "0.00"},
			},
		},
	}
}

func wantOtherCoverage() claim.OtherCoverage {
	return claim.OtherCoverage{
		Sequence: billing.SequencePrimary, Payer: directory.PayerSummary{PayerID: "CHTEST"}, Relationship: coverage.RelationSpouse, FilingIndicator: "CI",
		Subscriber: claim.Subscriber{
			FirstName: "Ann", MiddleName: "B", LastName: "Poe", Suffix: "JR", DateOfBirth: on(1980, 1, 2), MemberID: "W2", GroupNumber: "G2",
			GroupName: "Other & Sons", Gender: claim.GenderFemale,
			Address: directory.Address{Line1: "5 Fir Street", City: "Peoria", State: "IL", ZIP: "61602"},
		},
		Adjudication: &claim.CoverageAdjudication{
			PaymentDate: on(2026, 3, 15), PayerClaimNumber: "ICN-1", Paid: 70_00,
			Adjustments: []remit.Adjustment{{Group: "OA", Reason: "23", Amount: -1_00}},
			Lines: []claim.CoverageLine{
				{LineNumber: 1, ProcedureCode: "D2391", Paid: 70_00, Adjustments: []remit.Adjustment{
					{Group: "CO", Reason: "45", Amount: 10_00, Quantity: "1.5"}, {Group: "PR", Reason: "B1", Amount: 20_00},
				}},
				{LineNumber: 2, ProcedureCode: "D4341", Units: 1},
			},
		},
	}
}

// adjusted returns n adjustments of a group.
func adjusted(group string, n int) (all []intake.AdjustmentInput) {
	for i := range n {
		all = append(all, intake.AdjustmentInput{Group: group, Reason: strconv.Itoa(i + 1), Amount: "0.01"})
	}
	return all
}

func TestWhatIsWrongWithAnotherCoverage(t *testing.T) {
	t.Parallel()
	type input = intake.OtherCoverageInput
	const at, adjudication = "other_coverage.0.", "other_coverage.0.adjudication."
	groups := func(sizes ...int) (all []intake.AdjustmentInput) {
		for i, n := range sizes {
			all = append(all, adjusted([]string{"CO", "PR", "OA", "PI"}[i], n)...)
		}
		return all
	}
	for name, c := range map[string]struct {
		change func(o *input)
		want   []string
	}{
		"nothing": {func(*input) {}, nil},
		"empty objects": {func(o *input) {
			*o = input{Subscriber: &intake.ClaimSubscriberInput{}, Adjudication: &intake.CoverageAdjudicationInput{
				Adjustments: make([]intake.AdjustmentInput, 1), Lines: make([]intake.CoverageLineInput, 1),
			}}
		}, []string{
			at + "sequence required", at + "payer_id required", at + "subscriber.first_name required", at + "subscriber.last_name required",
			at + "subscriber.member_id required", at + "relationship required", adjudication + "payment_date required", adjudication + "paid required",
			adjudication + "adjustments.0.group required", adjudication + "adjustments.0.reason required", adjudication + "adjustments.0.amount required",
			adjudication + "lines.0.line_number required", adjudication + "lines.0.procedure_code required", adjudication + "lines.0.paid required",
		}},
		"nothing in it": {func(o *input) { *o = input{} }, []string{
			at + "sequence required", at + "payer_id required", at + "subscriber required", at + "relationship required",
		}},
		"what it needs, and no more": {func(o *input) {
			o.FilingIndicator, o.GroupNumber, o.GroupName, o.Adjudication = "", "", "", nil
			o.Subscriber = &intake.ClaimSubscriberInput{PersonInput: intake.PersonInput{FirstName: "A", LastName: "B"}, MemberID: "1"}
		}, nil},
		"no decision yet":      {func(o *input) { o.Adjudication = nil }, nil},
		"its payer by name":    {func(o *input) { o.PayerID, o.PayerName = "", "Other Payer" }, nil},
		"its payer by both":    {func(o *input) { o.PayerName = "Other Payer" }, nil},
		"blank names":          {func(o *input) { o.PayerID, o.PayerName = " ", " " }, []string{at + "payer_id required"}},
		"the claim's sequence": {func(o *input) { o.Sequence = "secondary" }, []string{at + "sequence conflict"}},
		"words": {func(o *input) {
			o.Sequence, o.Relationship, o.FilingIndicator, o.Subscriber.Gender = "first", "parent", "XX", "x"
		}, []string{at + "sequence not_allowed", at + "subscriber.gender not_allowed", at + "relationship not_allowed", at + "filing_indicator format"}},
		"limits": {func(o *input) {
			long := func(n int) string { return strings.Repeat("é", n) }
			o.PayerID, o.PayerName, o.GroupNumber, o.GroupName = long(81), long(61), long(51), long(61)
			o.Subscriber.MiddleName, o.Subscriber.Suffix, o.Subscriber.MemberID = long(26), long(11), long(81)
			o.Adjudication.PayerClaimNumber, o.Adjudication.Lines[0].ProcedureCode = long(51), long(49)
		}, []string{
			at + "payer_id too_long", at + "payer_name too_long", at + "subscriber.middle_name too_long", at + "subscriber.suffix too_long", at + "subscriber.member_id too_long",
			at + "group_number too_long", at + "group_name too_long", adjudication + "payer_claim_number too_long",
			adjudication + "lines.0.procedure_code too_long",
		}},
		"dates": {func(o *input) {
			o.Subscriber.DateOfBirth, o.Adjudication.PaymentDate = "1980-02-30", "soon"
		}, []string{at + "subscriber.date_of_birth format", adjudication + "payment_date format"}},
		"its address": {func(o *input) { o.Subscriber.Address = &intake.AddressInput{State: "ILL"} }, []string{
			at + "subscriber.address.line1 required", at + "subscriber.address.city required", at + "subscriber.address.state format",
			at + "subscriber.address.zip required",
		}},
		"amounts": {func(o *input) {
			o.Adjudication.Paid, o.Adjudication.Lines[0].Paid, o.Adjudication.Lines[1].Paid = "-0.01", "100000000.00", "99999999.99"
			o.Adjudication.Adjustments = adjusted("CO", 4)
			for i, amount := range []string{"-99999999.99", "-100000000.00", "1", "0.00"} {
				o.Adjudication.Adjustments[i].Amount = amount
			}
		}, []string{
			adjudication + "paid range", adjudication + "adjustments.1.amount range", adjudication + "adjustments.2.amount format",
			adjudication + "lines.0.paid range",
		}},
		"adjustments": {func(o *input) {
			o.Adjudication.Adjustments = adjusted("CO", 6)
			for i, reason := range []string{"", "123456", "4-5", "45A7B", "é"} {
				o.Adjudication.Adjustments[i].Reason = reason
			}
			o.Adjudication.Adjustments[5].Group = "CR"
			for i, quantity := range []string{"1,5", "-1.5", "1e3", "1.", "0.125"} {
				o.Adjudication.Adjustments[i].Quantity = quantity
			}
		}, []string{
			adjudication + "adjustments.0.reason required", adjudication + "adjustments.0.quantity format", adjudication + "adjustments.1.reason format",
			adjudication + "adjustments.2.reason format", adjudication + "adjustments.2.quantity format", adjudication + "adjustments.3.quantity format",
			adjudication + "adjustments.4.reason format", adjudication + "adjustments.5.group not_allowed",
		}},
		"30 adjustments":        {func(o *input) { o.Adjudication.Lines[0].Adjustments = groups(12, 6, 6, 6) }, nil},
		"31 adjustments":        {func(o *input) { o.Adjudication.Adjustments = groups(13, 6, 6, 6) }, []string{adjudication + "adjustments too_many"}},
		"too many for five CAS": {func(o *input) { o.Adjudication.Adjustments = groups(7, 7, 1, 1) }, []string{adjudication + "adjustments too_many"}},
		"exactly five CAS":      {func(o *input) { o.Adjudication.Adjustments = groups(7, 6, 1, 1) }, nil},
		"51 lines":              {func(o *input) { o.Adjudication.Lines = make([]intake.CoverageLineInput, 51) }, []string{adjudication + "lines too_many"}},
		"lines of another claim": {func(o *input) {
			o.Adjudication.Lines[0].LineNumber, o.Adjudication.Lines[1].LineNumber = new(0), new(3)
		}, []string{adjudication + "lines.0.line_number range", adjudication + "lines.1.line_number range"}},
		"units": {func(o *input) { o.Adjudication.Lines[0].Units, o.Adjudication.Lines[1].Units = new(-1), new(10000) }, []string{adjudication + "lines.0.units range", adjudication + "lines.1.units range"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := claimRequest()
			c.change(&r.OtherCoverage[0])
			if _, faults := r.Claim(); !slices.Equal(found(faults), c.want) {
				t.Errorf("%q\nwant %q", found(faults), c.want)
			}
		})
	}
}

func TestHowManyOtherCoverages(t *testing.T) {
	t.Parallel()
	r := claimRequest()
	r.OtherCoverage = append(r.OtherCoverage, otherCoverage())
	if _, faults := r.Claim(); !slices.Equal(found(faults), []string{"other_coverage too_many"}) {
		t.Errorf("three: %q", found(faults))
	}
	r = claimRequest()
	r.OtherCoverage[1].Sequence = "primary"
	if _, faults := r.Claim(); !slices.Equal(found(faults), []string{"other_coverage.1.sequence conflict"}) {
		t.Errorf("two of one sequence: %q", found(faults))
	}
	r = claimRequest()
	r.Draft, r.OtherCoverage = true, make([]intake.OtherCoverageInput, 2)
	r.OtherCoverage[1] = intake.OtherCoverageInput{Subscriber: &intake.ClaimSubscriberInput{}, Adjudication: &intake.CoverageAdjudicationInput{
		Lines: make([]intake.CoverageLineInput, 1), Adjustments: make([]intake.AdjustmentInput, 1),
	}}
	if c, faults := r.Claim(); len(faults) > 0 || len(c.OtherCoverage) != 2 {
		t.Errorf("a draft: %+v, faults %q", c.OtherCoverage, found(faults))
	}
}

// numbered returns n codes.
func numbered(n int) (all []string) {
	for i := range n {
		all = append(all, strconv.Itoa(i+1))
	}
	return all
}

// A change is held against the parts of the claim that it does not have.
func TestAChangeAgreesWithTheRestOfTheClaim(t *testing.T) {
	t.Parallel()
	whole, _ := claimRequest().Claim()
	for name, c := range map[string]struct {
		of   *claim.Claim
		in   intake.ClaimRequest
		want []string
	}{
		"another coverage": {&whole, intake.ClaimRequest{Coverage: new("tertiary"), Given: map[string]bool{"coverage": true}}, []string{"other_coverage.1.sequence conflict"}},
		"fewer lines": {&whole, intake.ClaimRequest{
			Lines: make([]intake.ClaimLineInput, 1), Given: map[string]bool{"lines": true},
		}, []string{"other_coverage.0.adjudication.lines.1.line_number range"}},
		"fewer codes": {&whole, intake.ClaimRequest{
			ClaimDetailsInput: intake.ClaimDetailsInput{DiagnosisCodes: []string{"K02.52"}}, Given: map[string]bool{"diagnosis_codes": true},
		}, []string{"lines.1.diagnosis_pointers.0 range"}},
		"more teeth": {&whole, intake.ClaimRequest{
			ClaimDetailsInput: intake.ClaimDetailsInput{TeethToExtract: numbered(34)}, Given: map[string]bool{"teeth_to_extract": true},
		}, []string{"teeth_to_extract too_many"}},
		"an incomplete facility": {&whole, intake.ClaimRequest{
			ClaimDetailsInput: intake.ClaimDetailsInput{Facility: &intake.FacilityInput{}}, Given: map[string]bool{"facility": true},
		}, []string{"facility.name required", "facility.address required"}},
		"an incomplete facility of a draft": {&whole, intake.ClaimRequest{
			Draft: true, ClaimDetailsInput: intake.ClaimDetailsInput{Facility: &intake.FacilityInput{}}, Given: map[string]bool{"facility": true},
		}, nil},
		"a claim that is not known": {nil, intake.ClaimRequest{
			OtherCoverage: []intake.OtherCoverageInput{otherCoverage()}, Lines: claimRequest().Lines[1:], Given: map[string]bool{"other_coverage": true, "lines": true},
		}, []string{"other_coverage.0.adjudication.lines.1.line_number range"}},
		"lines of a claim that is not known": {nil, intake.ClaimRequest{
			OtherCoverage: []intake.OtherCoverageInput{otherCoverage()}, Given: map[string]bool{"other_coverage": true},
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, faults := c.in.Change(c.of); !slices.Equal(found(faults), c.want) {
				t.Errorf("%q, want %q", found(faults), c.want)
			}
		})
	}
}
