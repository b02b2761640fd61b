package intake

import (
	"regexp"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// The limits of a line.
const (
	maxQuantity  = 99 // two digits on the claim form of the ADA, item 29b
	maxAreas     = 10 // surfaces, or areas; rules limit them further
	maxTeeth     = 32 // TOO
	maxModifiers = 4  // SV301-3 to SV301-6
	maxPointers  = 4  // SV311
)

var modifierForm = regexp.MustCompile(`^[0-9A-Z]{2}$`)

// ClaimLineInput is a line as a caller wrote it.
type ClaimLineInput struct {
	ProcedureCode       string
	ServiceDate         *string
	Fee                 string
	Quantity            *int
	Tooth               *string
	Teeth               []string
	Surfaces            []string
	OralCavity          []string
	Modifiers           []string
	DiagnosisPointers   []int
	Prosthesis          *string
	PriorPlacementDate  *string
	PlaceOfService      *string
	RenderingProviderID *string
	Open                *string // as replies show it; it has no effect
}

func (p *claimParser) lines(field string, in []ClaimLineInput) []claim.Line {
	switch {
	case in == nil && !p.whole:
		return nil
	case !p.there(field, in != nil):
		return nil
	case len(in) == 0 && p.whole:
		p.f.Add(field, billing.FaultTooFew, "A claim must have at least one line.")
	case len(in) > maxClaimLines:
		p.f.Add(field, billing.FaultTooMany, "A claim may have at most 50 lines.")
		return nil
	}
	out := make([]claim.Line, len(in))
	for i := range in {
		out[i] = p.line(item(field, i)+".", &in[i])
	}
	return out
}

// line reads a line; at is the path of its fields.
func (p *claimParser) line(at string, in *ClaimLineInput) claim.Line {
	l := claim.Line{ProcedureCode: p.text(at+"procedure_code", in.ProcedureCode, 0), Fee: p.amount(at+"fee", in.Fee, 0, maxFee)}
	p.form(at+"procedure_code", l.ProcedureCode, coverage.ValidProcedureCode, "A procedure code must be D and four digits.")
	switch {
	case in.ServiceDate != nil && p.kind == claim.KindPredetermination:
		p.f.Add(at+"service_date", billing.FaultNotAllowed, "A predetermination has no service dates. Leave it out.")
	case in.ServiceDate != nil:
		l.ServiceDate = p.day(at+"service_date", *in.ServiceDate)
	case p.whole && p.kind == claim.KindClaim:
		p.f.Add(at+"service_date", billing.FaultRequired, "A value is required.")
	}
	l.Quantity = p.number(at+"quantity", in.Quantity, 1, maxQuantity, 1)
	p.teeth(at, in, &l)
	l.OralCavity = p.codes(at+"oral_cavity", in.OralCavity, maxAreas)
	l.Modifiers = p.distinct(at+"modifiers", in.Modifiers, maxModifiers, modifierForm.MatchString, "A modifier must be two letters or digits.")
	if !p.tooMany(at+"diagnosis_pointers", len(in.DiagnosisPointers), maxPointers) {
		l.DiagnosisPointers = append(l.DiagnosisPointers, in.DiagnosisPointers...) // nil for none
	}
	p.placement(at, in, &l)
	l.PlaceOfService = p.place(at+"place_of_service", in.PlaceOfService)
	l.ProviderID = optionalID[billing.ProviderID](p.f, at+"rendering_provider_id", in.RenderingProviderID, "provider")
	return l
}

// teeth reads the teeth of a line. One tooth may have surfaces.
func (p *claimParser) teeth(at string, in *ClaimLineInput, l *claim.Line) {
	l.Tooth = strings.ToUpper(strings.TrimSpace(p.maybe(at+"tooth", in.Tooth, maxCode)))
	l.Surfaces = p.codes(at+"surfaces", in.Surfaces, maxAreas)
	teeth := p.distinct(at+"teeth", in.Teeth, maxTeeth, anyCode, "")
	switch {
	case len(teeth) == 0:
	case l.Tooth != "" && (len(teeth) > 1 || teeth[0] != l.Tooth):
		p.f.Add(at+"teeth", billing.FaultConflict, "tooth and teeth must have the same tooth. Leave out tooth when there are several.")
	case len(teeth) == 1:
		l.Tooth = teeth[0]
	default:
		l.Teeth = teeth
		if len(l.Surfaces) > 0 {
			p.f.Add(at+"surfaces", billing.FaultConflict, "A line with several teeth cannot have surfaces. Send a line for each tooth.")
		}
	}
}

// placement reads whether a prosthesis is the first one. A prior one makes it a
// replacement.
func (p *claimParser) placement(at string, in *ClaimLineInput, l *claim.Line) {
	l.Prosthesis = oneOf(p, at+"prosthesis", p.maybe(at+"prosthesis", in.Prosthesis, 0), claim.ProsthesisInitial, claim.ProsthesisReplacement)
	if in.PriorPlacementDate == nil {
		return
	}
	l.PriorPlacementDate = day(p.f, at+"prior_placement_date", *in.PriorPlacementDate)
	switch l.Prosthesis {
	case "":
		l.Prosthesis = claim.ProsthesisReplacement
	case claim.ProsthesisInitial:
		p.f.Add(at+"prior_placement_date", billing.FaultConflict, "An initial prosthesis replaces none. Leave out the date, or send replacement.")
	case claim.ProsthesisReplacement:
	}
}

// references adds the faults of numbers that name a diagnosis code or a line that
// the claim does not have. It skips parts of the claim that are not known.
func (p *claimParser) references(r *ClaimRequest, c *claim.Claim, given func(field string) bool) {
	codes, lines := len(c.DiagnosisCodes), len(c.Lines)
	if given("diagnosis_codes") {
		codes = len(r.DiagnosisCodes) // also those in no valid form
	}
	if given("lines") {
		lines = len(r.Lines)
	}
	if given("diagnosis_codes") || given("lines") && p.known {
		for i := range c.Lines {
			for j, n := range c.Lines[i].DiagnosisPointers {
				if n < 1 || n > codes {
					p.f.Add(item(item("lines", i)+".diagnosis_pointers", j), billing.FaultRange, "diagnosis_codes has no code with this number. The first code is 1.")
				}
			}
		}
	}
	if given("lines") || given("other_coverage") && p.known {
		for i := range c.OtherCoverage {
			a := c.OtherCoverage[i].Adjudication
			for j := 0; a != nil && j < len(a.Lines); j++ {
				if a.Lines[j].LineNumber > lines {
					p.f.Add(item(item("other_coverage", i)+".adjudication.lines", j)+".line_number", billing.FaultRange, "The claim has no line with this number. The first line is 1.")
				}
			}
		}
	}
}
