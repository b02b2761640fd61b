package intake

import (
	"regexp"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// The limits of other coverages; lengths in characters.
const (
	maxOtherCoverage   = 2 // the claim's payer is the third
	maxAdjustments     = 30
	maxAdjustmentLoops = 5  // CAS segments of a level
	adjustmentsOfLoop  = 6  // reasons of a CAS segment
	maxPaidProcedure   = 48 // SVD03-2
	maxPayerID         = 80 // NM109
	maxUnits           = 9999
)

var (
	reasonForm   = regexp.MustCompile(`^[0-9A-Z]{1,5}$`)
	quantityForm = regexp.MustCompile(`^-?[0-9]{1,12}(\.[0-9]{1,3})?$`)
)

// OtherCoverageInput is another plan of the patient, as a caller wrote it.
type OtherCoverageInput struct {
	Sequence, PayerID, PayerName string
	Subscriber                   *ClaimSubscriberInput `without:"group_number,group_name"`
	Relationship                 string
	GroupNumber, GroupName       string
	FilingIndicator              string
	Adjudication                 *CoverageAdjudicationInput
}

// CoverageAdjudicationInput is the decision of another payer, as a caller wrote it.
type CoverageAdjudicationInput struct {
	PaymentDate, PayerClaimNumber, Paid string
	Adjustments                         []AdjustmentInput
	Lines                               []CoverageLineInput
}

// CoverageLineInput is the decision about a line, as a caller wrote it.
type CoverageLineInput struct {
	LineNumber          *int
	ProcedureCode, Paid string
	Units               *int
	Adjustments         []AdjustmentInput
}

// AdjustmentInput is an adjustment as a caller wrote it.
type AdjustmentInput struct{ Group, Reason, Amount, Quantity string }

func (p *claimParser) otherCoverage(field string, in []OtherCoverageInput) (out []claim.OtherCoverage) {
	if p.tooMany(field, len(in), maxOtherCoverage) {
		return nil
	}
	for i := range in {
		out = append(out, p.coverage(item(field, i)+".", &in[i]))
	}
	return out
}

func (p *claimParser) coverage(at string, in *OtherCoverageInput) claim.OtherCoverage {
	out := claim.OtherCoverage{
		Sequence: oneOf(p, at+"sequence", p.text(at+"sequence", in.Sequence, 0), billing.Sequences()...),
		Payer:    p.otherPayer(at, in),
	}
	out.Subscriber.Gender = claim.GenderUnknown
	if s := in.Subscriber; p.there(at+"subscriber", s != nil) {
		out.Subscriber = p.person(at+"subscriber.", &s.PersonInput, p.maybeDay)
		out.Subscriber.MemberID = p.text(at+"subscriber.member_id", s.MemberID, maxMemberID)
		out.Subscriber.Address = p.address(at+"subscriber.address.", s.Address)
	}
	out.Relationship = oneOf(p, at+"relationship", p.text(at+"relationship", in.Relationship, 0),
		coverage.RelationSelf, coverage.RelationSpouse, coverage.RelationChild, coverage.RelationOther)
	out.Subscriber.GroupNumber = p.maybe(at+"group_number", &in.GroupNumber, maxReference)
	out.Subscriber.GroupName = p.maybe(at+"group_name", &in.GroupName, maxGroupName)
	out.FilingIndicator = p.form(at+"filing_indicator", strings.ToUpper(in.FilingIndicator), directory.ValidFiling,
		"The filing indicator must be a code of X12, such as CI for a commercial insurer.")
	out.Adjudication = p.adjudication(at+"adjudication.", in.Adjudication)
	return out
}

// otherPayer reads the payer ID and the name of a payer. The name is for a payer that is
// not in the directory.
func (p *claimParser) otherPayer(at string, in *OtherCoverageInput) directory.PayerSummary {
	out := directory.PayerSummary{
		PayerID: strings.TrimSpace(p.maybe(at+"payer_id", &in.PayerID, maxPayerID)), Name: p.maybe(at+"payer_name", &in.PayerName, maxOrganization),
	}
	if out.PayerID == "" && billing.Blank(out.Name) && p.whole {
		p.f.Add(at+"payer_id", billing.FaultRequired, "Send payer_id, and payer_name for a payer that is not in the directory.")
	}
	return out
}

func (p *claimParser) adjudication(at string, in *CoverageAdjudicationInput) *claim.CoverageAdjudication {
	if in == nil {
		return nil
	}
	out := &claim.CoverageAdjudication{
		PaymentDate: p.day(at+"payment_date", in.PaymentDate), PayerClaimNumber: p.maybe(at+"payer_claim_number", &in.PayerClaimNumber, maxReference),
		Paid: p.amount(at+"paid", in.Paid, 0, maxAmount), Adjustments: p.adjustments(at+"adjustments", in.Adjustments),
	}
	if p.tooMany(at+"lines", len(in.Lines), maxClaimLines) {
		return out
	}
	for i := range in.Lines {
		out.Lines = append(out.Lines, p.coverageLine(item(at+"lines", i)+".", &in.Lines[i]))
	}
	return out
}

func (p *claimParser) coverageLine(at string, in *CoverageLineInput) claim.CoverageLine {
	p.there(at+"line_number", in.LineNumber != nil)
	return claim.CoverageLine{
		LineNumber:    p.number(at+"line_number", in.LineNumber, 1, maxClaimLines, 0),
		ProcedureCode: strings.ToUpper(p.text(at+"procedure_code", in.ProcedureCode, maxPaidProcedure)),
		Paid:          p.amount(at+"paid", in.Paid, 0, maxAmount),
		Units:         p.number(at+"units", in.Units, 0, maxUnits, 1),
		Adjustments:   p.adjustments(at+"adjustments", in.Adjustments),
	}
}

// adjustments reads the adjustments of one level, which must fit into its CAS
// segments: each has up to six reasons of one group.
func (p *claimParser) adjustments(field string, in []AdjustmentInput) (out []remit.Adjustment) {
	if p.tooMany(field, len(in), maxAdjustments) {
		return nil
	}
	of, loops := map[string]int{}, 0
	for i := range in {
		a, at := &in[i], item(field, i)+"."
		if of[a.Group]%adjustmentsOfLoop == 0 {
			loops++
		}
		of[a.Group]++
		out = append(out, remit.Adjustment{
			Group: oneOf(p, at+"group", p.text(at+"group", a.Group, 0), "CO", "PR", "OA", "PI"),
			Reason: p.form(at+"reason", strings.ToUpper(p.text(at+"reason", a.Reason, 0)), reasonForm.MatchString,
				"The reason must have one to five letters or digits."),
			Amount: p.amount(at+"amount", a.Amount, minAmount, maxAmount),
			Quantity: p.form(at+"quantity", a.Quantity, quantityForm.MatchString,
				"The quantity must be a decimal number, such as 1 or 1.5."),
		})
	}
	if loops > maxAdjustmentLoops {
		p.f.Add(field, billing.FaultTooMany, "Claim files have room for five times six adjustments, each six of one group. Send fewer.")
	}
	return out
}

// sequences adds the faults of payers with the same sequence. It skips the claim's
// own when that is not known.
func (p *claimParser) sequences(c *claim.Claim, given func(field string) bool) {
	if !given("coverage") && !given("other_coverage") {
		return
	}
	taken := map[billing.Sequence]bool{}
	if own := c.Turn(); (p.known || given("coverage")) && (c.Coverage == "" || c.Coverage == own) {
		taken[own] = true
	}
	for i := range c.OtherCoverage {
		s := c.OtherCoverage[i].Sequence
		if taken[s] {
			p.f.Add(item("other_coverage", i)+".sequence", billing.FaultConflict, "Another payer of the claim has this sequence. Each payer has its own.")
		}
		taken[s] = s != ""
	}
}
