package intake

import (
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/fee"
)

// EstimateRequest is what an estimate is asked for, as a caller wrote it. Nil is a value that
// was left out or null.
type EstimateRequest struct {
	EligibilityID          string
	SecondaryEligibilityID *string
	Network                *string
	Coordination           *string
	Lines                  []EstimateLineInput
	Preview                *bool
	Faults                 billing.Faults // found when the body was decoded
}

// EstimateLineInput is a service as a caller wrote it.
type EstimateLineInput struct {
	ProcedureCode          string
	Fee                    *string // of all units, as on a claim
	Allowed                *string // of all units
	Quantity               *int
	Tooth                  *string
	Surfaces               []string
	OralCavity             []string
	ServiceDate            *string // the day of the estimate if it is left out
	LastServiceDate        *string
	ToothLostOn            *string
	PriorPlacementDate     *string
	AlternateProcedureCode *string
}

// Asked is a validated EstimateRequest.
type Asked struct {
	CheckID      billing.CheckID
	SecondCheck  billing.CheckID       // zero for none
	Network      fee.Network           // empty if it was left out
	Coordination estimate.Coordination // empty without a second check
	Services     []estimate.Service    // dates are zero where the day of the estimate counts
	Preview      bool
}

// Estimate validates the request.
func (r EstimateRequest) Estimate() (Asked, billing.Faults) {
	f := slices.Clone(r.Faults)
	a := Asked{
		CheckID:     optionalID[billing.CheckID](&f, "eligibility_id", &r.EligibilityID, "check"),
		SecondCheck: optionalID[billing.CheckID](&f, "secondary_eligibility_id", r.SecondaryEligibilityID, "check"),
		Preview:     r.Preview != nil && *r.Preview,
	}
	p := &claimParser{f: &f, whole: true}
	if r.Network != nil {
		a.Network = oneOf(p, "network", *r.Network, fee.In, fee.Out)
	}
	if a.SecondCheck != (billing.CheckID{}) {
		a.Coordination = estimate.Standard
		if a.SecondCheck == a.CheckID {
			f.Add("secondary_eligibility_id", billing.FaultConflict, "The second check must be of the second plan. Leave it out if there is none.")
		}
	}
	if r.Coordination != nil {
		a.Coordination = oneOf(p, "coordination", *r.Coordination, estimate.Coordinations()...)
		if r.SecondaryEligibilityID == nil {
			f.Add("coordination", billing.FaultNotAllowed, "Coordination needs secondary_eligibility_id. Leave it out, or send both.")
		}
	}
	switch {
	case !p.there("lines", r.Lines != nil):
	case len(r.Lines) == 0:
		f.Add("lines", billing.FaultTooFew, "An estimate must have at least one line.")
	case len(r.Lines) > estimate.MaxLines:
		f.Add("lines", billing.FaultTooMany, "An estimate may have at most 50 lines.")
	default:
		a.Services = make([]estimate.Service, len(r.Lines))
		for i := range r.Lines {
			a.Services[i] = p.service(item("lines", i)+".", &r.Lines[i])
			s := &a.Services[i]
			at := claim.Line{Tooth: s.Tooth, Surfaces: s.Surfaces, OralCavity: s.OralCavity}
			for _, found := range at.Unplaced(i) {
				f.Add(found.Field, billing.FaultNotAllowed, found.Message+" "+found.Fix)
			}
		}
	}
	return a, f
}

// The years of services that an estimate computes with.
const firstYear, lastYear = 1900, 2199

// service reads a line of an estimate; at is the path of its fields.
func (p *claimParser) service(at string, in *EstimateLineInput) estimate.Service {
	s := estimate.Service{Code: p.text(at+"procedure_code", in.ProcedureCode, 0)}
	p.form(at+"procedure_code", s.Code, coverage.ValidProcedureCode, "A procedure code must be D and four digits.")
	s.Quantity = p.number(at+"quantity", in.Quantity, 1, maxQuantity, 1)
	s.Tooth = strings.ToUpper(strings.TrimSpace(p.maybe(at+"tooth", in.Tooth, maxCode)))
	s.Surfaces = p.codes(at+"surfaces", in.Surfaces, maxAreas)
	s.OralCavity = p.codes(at+"oral_cavity", in.OralCavity, maxAreas)
	s.Alternate = p.maybe(at+"alternate_procedure_code", in.AlternateProcedureCode, 0)
	p.form(at+"alternate_procedure_code", s.Alternate, coverage.ValidProcedureCode, "A procedure code must be D and four digits.")
	for _, amount := range []struct {
		name string
		text *string
		to   *estimate.Source
	}{{"fee", in.Fee, &s.Fee}, {"allowed", in.Allowed, &s.Allowed}} {
		if amount.text != nil {
			*amount.to = estimate.Source{Amount: p.amount(at+amount.name, *amount.text, 0, maxFee), From: estimate.Given}
		}
	}
	for _, date := range []struct {
		name string
		text *string
		to   *billing.Date
	}{
		{"service_date", in.ServiceDate, &s.ServiceDate},
		{"last_service_date", in.LastServiceDate, &s.LastService},
		{"tooth_lost_on", in.ToothLostOn, &s.ToothLostOn},
		{"prior_placement_date", in.PriorPlacementDate, &s.PriorPlacement},
	} {
		if date.text != nil {
			*date.to = day(p.f, at+date.name, *date.text)
			if y := date.to.Year; !date.to.IsZero() && (y < firstYear || lastYear < y) {
				p.f.Add(at+date.name, billing.FaultRange, "The year must be from "+strconv.Itoa(firstYear)+" to "+strconv.Itoa(lastYear)+".")
			}
		}
	}
	return s
}
