package intake

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
)

// The limits of a claim; lengths in characters.
const (
	maxClaimLines                  = 50 // 005010X224A2, loop 2400
	maxControlNumber               = 20
	maxClaimNote                   = 400             // five NTE segments of 80
	maxReference                   = 50              // REF02
	maxCode                        = 10              // of a tooth, a surface, an area, a modifier or a diagnosis
	maxAmount        billing.Money = 99_999_999_99   // the ten digits of CLM02
	minAmount                      = -maxAmount      // of an adjustment
	maxFee           billing.Money = maxAmount / 100 // so that 50 lines stay below maxAmount
)

var (
	controlNumberForm  = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	placeOfServiceForm = regexp.MustCompile(`^[0-9]{2}$`)
	stateForm          = regexp.MustCompile(`^[A-Za-z]{2}$`)
)

// claimParser reads the fields of a ClaimRequest.
type claimParser struct {
	f     *billing.Faults
	whole bool       // the request must have every required field
	known bool       // the fields that the request leaves out are known
	kind  claim.Kind // of the claim; empty when it is not known
}

// claim reads the given fields. It only validates those that name another
// resource.
func (p *claimParser) claim(r *ClaimRequest, c *claim.Claim, given func(field string) bool) {
	if given("kind") && r.Kind != nil {
		p.f.Required("kind", *r.Kind, 0)
		oneOf(p, "kind", *r.Kind, claim.KindClaim, claim.KindPredetermination)
	}
	optionalID[billing.OfficeID](p.f, "office_id", r.OfficeID, "office")
	if r.PayerID != nil {
		p.f.Required("payer_id", *r.PayerID, 0)
	}
	optionalID[billing.ProviderID](p.f, "rendering_provider_id", r.RenderingProviderID, "provider")
	strict := *p // a change states a coverage or a detail whole, unless it is a draft
	strict.whole = !r.Draft
	for _, field := range []struct {
		name string
		read func(name string)
	}{
		{"subscriber", func(at string) { c.Subscriber = p.subscriber(at, r.Subscriber) }},
		{"patient", func(at string) { c.Patient = p.patient(at, r.Patient) }},
		{"coverage", func(at string) { c.Coverage = oneOf(p, at, p.maybe(at, r.Coverage, 0), billing.Sequences()...) }},
		{"other_coverage", func(at string) { c.OtherCoverage = strict.otherCoverage(at, r.OtherCoverage) }},
		{"patient_control_number", func(at string) { c.PatientControlNumber = p.controlNumber(at, r.PatientControlNumber) }},
		{"place_of_service", func(at string) { c.PlaceOfService = cmp.Or(p.place(at, r.PlaceOfService), "11") }}, // an office
		{"prior_authorization", func(at string) { c.PriorAuthorization = p.maybe(at, r.PriorAuthorization, maxReference) }},
		{"accident", func(at string) { c.Accident = p.accident(at, r.Accident) }},
		{"note", func(at string) { c.Note = p.maybe(at, r.Note, maxClaimNote) }},
		{"lines", func(at string) { c.Lines = p.lines(at, r.Lines) }},
		{"tenant_reference", func(at string) {
			p.f.Optional(at, r.TenantReference, maxTenantReference)
			c.TenantReference = r.TenantReference
		}},
		{"estimate_id", func(at string) { c.EstimateID = optionalID[billing.EstimateID](p.f, at, r.EstimateID, "estimate") }},
	} {
		if given(field.name) {
			field.read(field.name)
		}
	}
	strict.details(&r.ClaimDetailsInput, &c.Details, given)
	p.references(r, c, given)
	p.sequences(c, given)
}

func (p *claimParser) controlNumber(field string, value *string) string {
	if value == nil {
		return ""
	}
	if p.f.Required(field, *value, maxControlNumber) {
		p.form(field, *value, controlNumberForm.MatchString, "The control number must have only letters, digits and dashes.")
	}
	return *value
}

func (p *claimParser) accident(at string, in *AccidentInput) *claim.Accident {
	if in == nil {
		return nil
	}
	p.text(at+".type", in.Type, 0)
	oneOf(p, at+".type", in.Type, "auto", "employment", "other")
	return &claim.Accident{Type: in.Type, Date: p.day(at+".date", in.Date), State: p.state(at+".state", in.State, false)}
}

// place reads a place of service. Empty means none.
func (p *claimParser) place(field string, value *string) string {
	if value == nil || !p.f.Required(field, *value, 0) {
		return ""
	}
	return p.form(field, *value, placeOfServiceForm.MatchString, "The place of service must be two digits.")
}

// amount reads an amount that a whole request must have.
func (p *claimParser) amount(field, value string, low, high billing.Money) billing.Money {
	if p.text(field, value, 0); billing.Blank(value) {
		return 0
	}
	m, err := billing.ParseMoney(value)
	switch {
	case err != nil:
		p.f.Add(field, billing.FaultFormat, "The amount must have digits, a point and two decimals, such as 125.00.")
	case m < low || m > high:
		p.f.Add(field, billing.FaultRange, "The amount must be from "+low.String()+" to "+high.String()+".")
	}
	return m
}

// number reads a whole number, or its default when it was left out.
func (p *claimParser) number(field string, value *int, low, high, otherwise int) int {
	if value == nil {
		return otherwise
	}
	if *value < low || *value > high {
		p.f.Add(field, billing.FaultRange, fmt.Sprintf("The value must be from %d to %d.", low, high))
	}
	return *value
}

// codes returns short codes in upper case. The rules check which of them exist.
func (p *claimParser) codes(field string, in []string, most int) []string {
	if p.tooMany(field, len(in), most) {
		return nil
	}
	var out []string
	for i, s := range in {
		p.f.Required(item(field, i), s, maxCode)
		out = append(out, strings.ToUpper(strings.TrimSpace(s)))
	}
	return out
}

// distinct is codes without repetition, each in a form.
func (p *claimParser) distinct(field string, in []string, most int, valid func(string) bool, message string) []string {
	out := p.codes(field, in, most)
	for i, s := range out {
		p.form(item(field, i), s, valid, message)
		if slices.Contains(out[:i], s) {
			p.f.Add(item(field, i), billing.FaultConflict, "Duplicate value. List each value once.")
		}
	}
	return out
}

// tooMany adds a fault when a list is longer than it may be.
func (p *claimParser) tooMany(field string, n, most int) bool {
	if n > most {
		p.f.Add(field, billing.FaultTooMany, fmt.Sprintf("There may be at most %d of these.", most))
	}
	return n > most
}

// item returns the path of an item of a list.
func item(field string, i int) string { return field + "." + strconv.Itoa(i) }

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

// maybeDay reads a day that can be left out.
func (p *claimParser) maybeDay(field, value string) billing.Date {
	if value == "" {
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
