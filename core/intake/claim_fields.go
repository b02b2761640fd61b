package intake

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// The limits of a claim; lengths in characters.
const (
	maxClaimLines                       = 50 // 005010X224A2, loop 2400
	maxControlNumber                    = 20
	maxClaimNote                        = 400        // five NTE segments of 80
	maxPriorAuthorization               = 50         // REF02
	maxAddressLine                      = 55         // N301
	maxCity                             = 30         // N401
	maxQuantity                         = 99         // two digits on the claim form of the ADA, item 29b
	maxAreas                            = 10         // surfaces, or areas, of a line; rules limit them further
	maxArea                             = 10         // characters of a tooth, a surface or an area
	maxFee                billing.Money = 999_999_99 // so that 50 lines stay below the ten digits of CLM02
)

var (
	controlNumberForm  = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	placeOfServiceForm = regexp.MustCompile(`^[0-9]{2}$`)
	stateForm          = regexp.MustCompile(`^[A-Za-z]{2}$`)
)

// claimParser reads the fields of a ClaimRequest.
type claimParser struct {
	f     *billing.Faults
	whole bool              // the request must have every required field
	kind  billing.ClaimKind // of the claim; empty when it is not known
}

// claim reads the given fields. It only validates those that name another
// resource.
func (p *claimParser) claim(r *ClaimRequest, c *billing.Claim, given func(field string) bool) {
	if given("kind") && r.Kind != nil {
		p.f.Required("kind", *r.Kind, 0)
		oneOf(p, "kind", *r.Kind, billing.KindClaim, billing.KindPredetermination)
	}
	optionalID[billing.OfficeID](p.f, "office_id", r.OfficeID, "office")
	if r.PayerID != nil {
		p.f.Required("payer_id", *r.PayerID, 0)
	}
	optionalID[billing.ProviderID](p.f, "rendering_provider_id", r.RenderingProviderID, "provider")
	if given("subscriber") {
		c.Subscriber = p.subscriber(r.Subscriber)
	}
	if given("patient") {
		c.Patient = p.patient(r.Patient)
	}
	if given("patient_control_number") {
		c.PatientControlNumber = p.controlNumber(r.PatientControlNumber)
	}
	if given("place_of_service") {
		c.PlaceOfService = "11" // office
		if r.PlaceOfService != nil && p.f.Required("place_of_service", *r.PlaceOfService, 0) {
			c.PlaceOfService = p.form("place_of_service", *r.PlaceOfService, placeOfServiceForm.MatchString, "The place of service must be two digits.")
		}
	}
	if given("prior_authorization") {
		c.PriorAuthorization = p.maybe("prior_authorization", r.PriorAuthorization, maxPriorAuthorization)
	}
	if given("accident") {
		c.Accident = p.accident(r.Accident)
	}
	if given("note") {
		c.Note = p.maybe("note", r.Note, maxClaimNote)
	}
	if given("lines") {
		c.Lines = p.lines(r.Lines)
	}
	if given("tenant_reference") {
		p.f.Optional("tenant_reference", r.TenantReference, maxTenantReference)
		c.TenantReference = r.TenantReference
	}
}

func (p *claimParser) controlNumber(value *string) string {
	if value == nil {
		return ""
	}
	if p.f.Required("patient_control_number", *value, maxControlNumber) {
		p.form("patient_control_number", *value, controlNumberForm.MatchString, "The control number must have only letters, digits and dashes.")
	}
	return *value
}

func (p *claimParser) subscriber(in *ClaimSubscriberInput) (s billing.ClaimSubscriber) {
	s.Gender = billing.GenderUnknown
	if !p.there("subscriber", in != nil) {
		return s
	}
	s = billing.ClaimSubscriber{
		FirstName: p.text("subscriber.first_name", in.FirstName, maxName), LastName: p.text("subscriber.last_name", in.LastName, maxName),
		DateOfBirth: p.day("subscriber.date_of_birth", in.DateOfBirth), MemberID: p.text("subscriber.member_id", in.MemberID, maxMemberID),
		GroupNumber: p.maybe("subscriber.group_number", &in.GroupNumber, maxMemberID), Gender: p.gender("subscriber.gender", in.Gender),
	}
	if a := in.Address; a != nil {
		s.Address = billing.Address{
			Line1: p.text("subscriber.address.line1", a.Line1, maxAddressLine), Line2: p.maybe("subscriber.address.line2", &a.Line2, maxAddressLine),
			City: p.text("subscriber.address.city", a.City, maxCity), State: p.state("subscriber.address.state", a.State, p.whole),
			ZIP: p.zip("subscriber.address.zip", a.ZIP),
		}
	}
	return s
}

func (p *claimParser) patient(in *ClaimPatientInput) *billing.ClaimPatient {
	if in == nil {
		return nil
	}
	out := &billing.ClaimPatient{
		FirstName: p.text("patient.first_name", in.FirstName, maxName), LastName: p.text("patient.last_name", in.LastName, maxName),
		DateOfBirth:  p.day("patient.date_of_birth", in.DateOfBirth),
		Relationship: billing.Relationship(p.text("patient.relationship", in.Relationship, 0)), Gender: p.gender("patient.gender", in.Gender),
	}
	if out.Relationship == billing.RelationSelf {
		p.f.Add("patient.relationship", billing.FaultNotAllowed, "Leave out patient when the subscriber is the patient.")
	}
	oneOf(p, "patient.relationship", in.Relationship, billing.RelationSpouse, billing.RelationChild, billing.RelationOther)
	return out
}

func (p *claimParser) accident(in *AccidentInput) *billing.Accident {
	if in == nil {
		return nil
	}
	p.text("accident.type", in.Type, 0)
	oneOf(p, "accident.type", in.Type, "auto", "employment", "other")
	return &billing.Accident{Type: in.Type, Date: p.day("accident.date", in.Date), State: p.state("accident.state", in.State, false)}
}

func (p *claimParser) lines(in []ClaimLineInput) []billing.ClaimLine {
	switch {
	case in == nil && !p.whole:
		return nil
	case !p.there("lines", in != nil):
		return nil
	case len(in) == 0 && p.whole:
		p.f.Add("lines", billing.FaultTooFew, "A claim must have at least one line.")
	case len(in) > maxClaimLines:
		p.f.Add("lines", billing.FaultTooMany, "A claim may have at most 50 lines.")
		return nil
	}
	out := make([]billing.ClaimLine, len(in))
	for i := range in {
		out[i] = p.line("lines."+strconv.Itoa(i)+".", &in[i])
	}
	return out
}

// line reads a line; at is the path of its fields.
func (p *claimParser) line(at string, in *ClaimLineInput) billing.ClaimLine {
	l := billing.ClaimLine{ProcedureCode: p.text(at+"procedure_code", in.ProcedureCode, 0), Fee: p.fee(at+"fee", in.Fee), Quantity: 1}
	p.form(at+"procedure_code", l.ProcedureCode, billing.ValidProcedureCode, "A procedure code must be D and four digits.")
	switch {
	case in.ServiceDate != nil && p.kind == billing.KindPredetermination:
		p.f.Add(at+"service_date", billing.FaultNotAllowed, "A predetermination has no service dates. Leave it out.")
	case in.ServiceDate != nil:
		l.ServiceDate = p.day(at+"service_date", *in.ServiceDate)
	case p.whole && p.kind == billing.KindClaim:
		p.f.Add(at+"service_date", billing.FaultRequired, "A value is required.")
	}
	if in.Quantity != nil {
		if l.Quantity = *in.Quantity; l.Quantity < 1 || l.Quantity > maxQuantity {
			p.f.Add(at+"quantity", billing.FaultRange, fmt.Sprintf("The quantity must be from 1 to %d.", maxQuantity))
		}
	}
	l.Tooth = strings.ToUpper(strings.TrimSpace(p.maybe(at+"tooth", in.Tooth, maxArea)))
	l.Surfaces = p.areas(at+"surfaces", in.Surfaces)
	l.OralCavity = p.areas(at+"oral_cavity", in.OralCavity)
	if in.PriorPlacementDate != nil {
		l.PriorPlacementDate = day(p.f, at+"prior_placement_date", *in.PriorPlacementDate)
	}
	return l
}

func (p *claimParser) fee(field, value string) billing.Money {
	if p.text(field, value, 0); billing.Blank(value) {
		return 0
	}
	m, err := billing.ParseMoney(value)
	switch {
	case err != nil:
		p.f.Add(field, billing.FaultFormat, "The amount must have digits, a point and two decimals, such as 125.00.")
	case m < 0 || m > maxFee:
		p.f.Add(field, billing.FaultRange, "The fee must be from 0.00 to "+maxFee.String()+".")
	}
	return m
}

// areas returns the codes in upper case. The rules check which codes exist.
func (p *claimParser) areas(field string, in []string) []string {
	if len(in) > maxAreas {
		p.f.Add(field, billing.FaultTooMany, fmt.Sprintf("A line may have at most %d of these.", maxAreas))
		return nil
	}
	var out []string
	for i, s := range in {
		p.f.Required(field+"."+strconv.Itoa(i), s, maxArea)
		out = append(out, strings.ToUpper(strings.TrimSpace(s)))
	}
	return out
}

func (p *claimParser) gender(field, value string) billing.Gender {
	if value == "" {
		return billing.GenderUnknown
	}
	return oneOf(p, field, value, billing.GenderFemale, billing.GenderMale, billing.GenderUnknown)
}

func (p *claimParser) state(field, value string, needed bool) string {
	if needed {
		p.text(field, value, 0)
	}
	return strings.ToUpper(p.form(field, value, stateForm.MatchString, "The state must be two letters."))
}

func (p *claimParser) zip(field, value string) string {
	p.text(field, value, 0)
	return strings.ReplaceAll(p.form(field, value, billing.ValidZIP, "The ZIP code must have 5 or 9 digits."), "-", "")
}

// there adds a fault if a whole request lacks the object or the list.
func (p *claimParser) there(field string, is bool) bool {
	if !is && p.whole {
		p.f.Add(field, billing.FaultRequired, "A value is required.")
	}
	return is
}

// text reads a value that a whole request must have; limit 0 is no limit.
func (p *claimParser) text(field, value string, limit int) string {
	if p.whole {
		p.f.Required(field, value, limit)
	}
	p.f.Optional(field, &value, limit)
	return value
}

// maybe reads a value that can be left out.
func (p *claimParser) maybe(field string, value *string, limit int) string {
	if value == nil {
		return ""
	}
	p.f.Optional(field, value, limit)
	return *value
}

// day reads a day that a whole request must have.
func (p *claimParser) day(field, value string) billing.Date {
	if !p.whole && billing.Blank(value) {
		return billing.Date{}
	}
	return day(p.f, field, value)
}

// form reads a value that must be valid. Empty means none.
func (p *claimParser) form(field, value string, valid func(string) bool, message string) string {
	if value != "" && !valid(value) {
		p.f.Add(field, billing.FaultFormat, message)
	}
	return value
}

// oneOf reads one of a few words. Empty means none.
func oneOf[T ~string](p *claimParser, field, value string, words ...T) T {
	if value != "" && !slices.Contains(words, T(value)) {
		list := make([]string, len(words))
		for i, w := range words {
			list[i] = string(w)
		}
		p.f.Add(field, billing.FaultNotAllowed, "The value must be one of "+strings.Join(list, ", ")+".")
	}
	return T(value)
}
