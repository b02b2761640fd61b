package claim

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// maxServiceAgeMonths is the age of the oldest services that are billed. Plans
// accept claims for 90 days to 12 months after the service, a few for two years.
// An older date is a mistake, or too late for every plan.
const maxServiceAgeMonths = 24

const (
	ageFix   = "Correct the procedure code or the date of birth."
	toothFix = "Correct the tooth number: 1 to 32 or A to T, or 51 to 82 or AS to TS for a supernumerary tooth."
)

// lineRules are the rules for a line, in the order of its fields.
//
//nolint:gochecknoglobals // a constant table
var lineRules = slices.Concat([]rule[lineOf]{
	{"required", "procedure_code", "The procedure code is missing.", "Enter the procedure code.", func(l lineOf, _ *RuleContext) bool {
		return l.ProcedureCode == ""
	}},
	// D0145 names its age limit. Other codes are for a dentition: the primary and the
	// transitional one end at about 14 years. Plans change from D1120 to D1110 at 12 to
	// 14 years, some later, but none before 12 or after 18.
	{"age_not_of_procedure", "procedure_code", "The procedure is for patients younger than three years.", ageFix, func(l lineOf, w *RuleContext) bool {
		return l.ProcedureCode == "D0145" && l.isAged(3, oldestAge, w)
	}},
	{"age_not_of_procedure", "procedure_code", "The procedure is for children, and the patient is an adult.", ageFix, func(l lineOf, w *RuleContext) bool {
		return inList(ofChildren, l.ProcedureCode) && l.isAged(18, oldestAge, w)
	}},
	{"age_not_of_procedure", "procedure_code", "The procedure is for adults, and the patient is a child younger than 12 years.", ageFix, func(l lineOf, w *RuleContext) bool {
		return inList(ofAdults, l.ProcedureCode) && l.isAged(0, 12, w)
	}},
	// Payers pay the first of two equal services and deny the other.
	{"duplicate_line", "procedure_code", "An earlier line has the same procedure, date, teeth, surfaces and area.", "Remove one of the lines, or increase the quantity of the other.", func(l lineOf, _ *RuleContext) bool {
		return l.ProcedureCode != "" && slices.ContainsFunc(l.claim.Lines[:l.i], func(before Line) bool { return before.sameService(l.Line) })
	}},
	{"duplicate_service", "procedure_code", "Another claim to the payer already has this service: same patient, date, procedure, teeth, surfaces and area.", "Remove the line, or replace or void the other claim.", func(l lineOf, w *RuleContext) bool {
		return slices.ContainsFunc(w.Similar, func(o *Claim) bool { return o.bills(l.claim, l.Line) })
	}},

	{"required", "service_date", "The service date is missing.", "Enter the date of the service.", func(l lineOf, _ *RuleContext) bool {
		return l.claim.Kind == KindClaim && l.ServiceDate.IsZero()
	}},
	// A future service cannot be billed, only predetermined.
	{"service_date_future", "service_date", "The service date is in the future.", "Correct the service date, or send a predetermination.", func(l lineOf, w *RuleContext) bool {
		return w.Today.Before(l.ServiceDate)
	}},
	// A replacement changes a claim that was sent in time.
	{"service_date_old", "service_date", "The service date is more than 24 months ago. Payers accept claims for at most one or two years.", "Correct the service date.", func(l lineOf, w *RuleContext) bool {
		day := l.ServiceDate
		return !day.IsZero() && l.claim.Frequency != FrequencyReplacement && day.Before(w.Today.AddMonths(-maxServiceAgeMonths))
	}},

	// Payers drop lines without a charge, and then the claim's total is wrong.
	{"fee_zero", "fee", "The fee is zero.", "Enter the office's full fee for the service, or remove the line.", func(l lineOf, _ *RuleContext) bool {
		return l.Fee == 0
	}},

	// Several TOO segments stand only on a line whose count is 1 (005010X224A2, 2400).
	{"quantity_of_several_teeth", "quantity", "A line with several teeth has a quantity of 1.", "Set the quantity to 1, or enter a line for each tooth.", func(l lineOf, _ *RuleContext) bool {
		return len(l.Teeth) > 1 && l.Quantity > 1
	}},

	{"tooth_unknown", "tooth", "The tooth does not exist.", toothFix, func(l lineOf, _ *RuleContext) bool {
		_, ok := findTooth(l.Tooth)
		return l.Tooth != "" && !ok
	}},
	unknownTeeth("teeth", func(l lineOf) []string { return l.Teeth }),
	{"tooth_required", "tooth", "The procedure is for one tooth, and the tooth number is missing.", "Enter the tooth number.", func(l lineOf, _ *RuleContext) bool {
		return !l.hasTeeth() && oneTooth(l.ProcedureCode)
	}},
	// Surfaces belong to a tooth (005010X224A2, TOO03 requires TOO02).
	{"tooth_required", "tooth", "The line has surfaces but no tooth number.", "Enter the tooth number, or remove the surfaces.", func(l lineOf, _ *RuleContext) bool {
		return !l.hasTeeth() && len(l.Surfaces) > 0 && !oneTooth(l.ProcedureCode)
	}},
	{"teeth_not_allowed", "teeth", "The procedure restores surfaces of one tooth, and the line has several teeth.", "Enter a line for each tooth.", func(l lineOf, _ *RuleContext) bool {
		return len(l.Teeth) > 1 && hasPrefix(l.ProcedureCode, ofSurfaces)
	}},
}, ofTeeth("tooth_not_allowed", "The procedure is for the whole mouth, not for one tooth.", "Remove the tooth number.", func(l lineOf, _ string) bool {
	return hasPrefix(l.ProcedureCode, wholeMouth)
}), ofTeeth("tooth_not_of_procedure", "The procedure is for primary teeth, and the tooth is a permanent one.", "Correct the procedure code or the tooth.", func(l lineOf, name string) bool {
	t, ok := findTooth(name)
	return ok && !t.primary && inList(ofPrimary, l.ProcedureCode)
}), ofTeeth("tooth_not_of_procedure", "The procedure is for permanent teeth, and the tooth is a primary one.", "Correct the procedure code or the tooth.", func(l lineOf, name string) bool {
	t, ok := findTooth(name)
	return ok && t.primary && inList(ofPermanent, l.ProcedureCode)
}), ofTeeth("tooth_missing", "The procedure treats a natural tooth that the claim lists as missing.", "Correct the tooth, the procedure code or the missing teeth.", func(l lineOf, name string) bool {
	return hasPrefix(l.ProcedureCode, ofNatural) && !hasPrefix(l.ProcedureCode, byReport) && l.claim.misses(name)
}), []rule[lineOf]{
	{"surfaces_required", "surfaces", "The procedure restores surfaces, and the surfaces are missing.", "Enter the surfaces: M, O, D, B, F, L or I.", func(l lineOf, _ *RuleContext) bool {
		return len(l.Surfaces) == 0 && len(l.Teeth) < 2 && hasPrefix(l.ProcedureCode, ofSurfaces)
	}},
	{"surface_unknown", "surfaces", "A surface does not exist.", "Correct the surfaces: M, O, D, B, F, L or I.", func(l lineOf, _ *RuleContext) bool {
		return slices.ContainsFunc(l.Surfaces, func(s string) bool { return len(s) != 1 || !strings.Contains("MODBFLI", s) })
	}},
	{"surface_repeated", "surfaces", "A surface is listed twice.", "List each surface once.", func(l lineOf, _ *RuleContext) bool {
		return Repeats(l.Surfaces)
	}},
	// The composite TOO03 has five components.
	{"surfaces_too_many", "surfaces", "The line has more than five surfaces.", "List at most five surfaces.", func(l lineOf, _ *RuleContext) bool {
		return len(l.Surfaces) > 5
	}},
	// Incisors and canines have an edge, other teeth a chewing surface.
	{"surface_not_of_tooth", "surfaces", "The tooth does not have this surface: only front teeth have I, only back teeth have O.", "Correct the tooth or the surfaces.", func(l lineOf, _ *RuleContext) bool {
		t, ok := findTooth(l.Tooth)
		lacks := "I"
		if t.front() {
			lacks = "O"
		}
		return ok && slices.Contains(l.Surfaces, lacks)
	}},

	{"oral_cavity_unknown", "oral_cavity", "An area of the mouth does not exist.", "Correct the areas: 00 to 09, 10, 20, 30, 40, L or R.", func(l lineOf, _ *RuleContext) bool {
		return slices.ContainsFunc(l.OralCavity, func(s string) bool { return !inList(oralCavity, s) })
	}},
	{"oral_cavity_repeated", "oral_cavity", "An area is listed twice.", "List each area once.", func(l lineOf, _ *RuleContext) bool {
		return Repeats(l.OralCavity)
	}},
	// The composite SV304 has five components.
	{"oral_cavity_too_many", "oral_cavity", "The line has more than five areas.", "List at most five areas.", func(l lineOf, _ *RuleContext) bool {
		return len(l.OralCavity) > 5
	}},
	// Periodontal surgery and scaling are by quadrant, or by the teeth in it.
	{"quadrant_required", "oral_cavity", "The procedure is for a quadrant, and the quadrant is missing.", "Enter the quadrant: 10 upper right, 20 upper left, 30 lower left or 40 lower right.", func(l lineOf, _ *RuleContext) bool {
		return inList(perQuadrant, l.ProcedureCode) && !l.hasTeeth() && !l.isIn("10 20 30 40")
	}},
	{"arch_required", "oral_cavity", "The partial denture has no arch.", "Enter the arch: 01 for the upper jaw.", func(l lineOf, _ *RuleContext) bool {
		return inList(upperPartials, l.ProcedureCode) && !l.isIn(upper) && !l.isIn(lower)
	}},
	{"arch_required", "oral_cavity", "The partial denture has no arch.", "Enter the arch: 02 for the lower jaw.", func(l lineOf, _ *RuleContext) bool {
		return inList(lowerPartials, l.ProcedureCode) && !l.isIn(lower) && !l.isIn(upper)
	}},
	{"arch_not_of_procedure", "oral_cavity", "The procedure is for the upper jaw, and the area is in the lower one.", "Correct the procedure code, or enter the arch 01.", func(l lineOf, _ *RuleContext) bool {
		return inList(upperPartials, l.ProcedureCode) && l.isIn(lower)
	}},
	{"arch_not_of_procedure", "oral_cavity", "The procedure is for the lower jaw, and the area is in the upper one.", "Correct the procedure code, or enter the arch 02.", func(l lineOf, _ *RuleContext) bool {
		return inList(lowerPartials, l.ProcedureCode) && l.isIn(upper)
	}},

	{"diagnosis_unknown", "diagnosis_pointers", "The line points to a diagnosis that the claim does not have.", "Enter the diagnosis, or remove the pointer.", func(l lineOf, _ *RuleContext) bool {
		return slices.ContainsFunc(l.DiagnosisPointers, func(n int) bool { return n < 1 || n > len(l.claim.DiagnosisCodes) })
	}},

	{"prosthesis_initial", "prosthesis", "The prosthesis is the first one in its place, and the line has the date of a prior one.", "Remove the prior placement date, or change the prosthesis to a replacement.", func(l lineOf, _ *RuleContext) bool {
		return l.Prosthesis == ProsthesisInitial && !l.PriorPlacementDate.IsZero()
	}},
	// SV305 R needs DTP 441.
	{"prior_placement_required", "prior_placement_date", "The prosthesis is a replacement, and the date of the prior placement is missing.", "Enter the date of the prior placement; an estimate will do.", func(l lineOf, _ *RuleContext) bool {
		return l.Prosthesis == ProsthesisReplacement && l.PriorPlacementDate.IsZero()
	}},
	// The prior placement is older than the service that replaces it.
	{"prior_placement_late", "prior_placement_date", "The prior placement date is after the service date or in the future.", "Correct the prior placement date.", func(l lineOf, w *RuleContext) bool {
		return w.Today.Before(l.PriorPlacementDate) ||
			!l.ServiceDate.IsZero() && l.ServiceDate.Before(l.PriorPlacementDate)
	}},
})

// Unplaced returns what is wrong with the place of line i, whether or not it is on a claim: a tooth, a surface or an area
// that does not exist, and a surface that the tooth does not have.
func (l *Line) Unplaced(i int) []Finding {
	rules := slices.DeleteFunc(slices.Clone(lineRules), func(r rule[lineOf]) bool {
		return !inList("tooth_unknown surface_unknown surface_not_of_tooth oral_cavity_unknown", r.code)
	})
	return apply(nil, lineOf{l, &Claim{}, i}, &RuleContext{}, rules)
}

// ofTeeth returns the rules for a line's one tooth, and for each of several. A tooth
// that does not exist has a finding of its own.
func ofTeeth(code, message, fix string, bad func(l lineOf, name string) bool) []rule[lineOf] {
	return []rule[lineOf]{
		{code, "tooth", message, fix, func(l lineOf, _ *RuleContext) bool { return l.Tooth != "" && bad(l, l.Tooth) }},
		{code, "teeth", message, fix, func(l lineOf, _ *RuleContext) bool {
			return slices.ContainsFunc(l.Teeth, func(name string) bool { return bad(l, name) })
		}},
	}
}

func (l lineOf) hasTeeth() bool { return l.Tooth != "" || len(l.Teeth) > 0 }

// isIn reports whether the line names one of the areas. Spaces separate them.
func (l lineOf) isIn(areas string) bool {
	return slices.ContainsFunc(l.OralCavity, func(s string) bool { return inList(areas, s) })
}

// age returns the patient's age in years on the day of the service, or today for a
// service without a date. It returns false when it is not known.
func (l lineOf) age(today billing.Date) (years int, known bool) {
	day, born := l.ServiceDate, l.claim.born()
	if day.IsZero() {
		day = today
	}
	years = born.AgeOn(day)
	return years, !born.IsZero() && years >= 0 && years <= oldestAge
}

// isAged reports whether the patient is known to have from, and less than to, years.
func (l lineOf) isAged(from, to int, with *RuleContext) bool {
	years, known := l.age(with.Today)
	return known && from <= years && years < to
}

// sameService reports whether two lines are for the same service. A tooth can
// be restored twice in a day on different surfaces, and quadrants are treated
// under one code.
func (l *Line) sameService(o *Line) bool {
	return l.ProcedureCode == o.ProcedureCode && l.ServiceDate == o.ServiceDate && l.Tooth == o.Tooth &&
		sameSet(l.Teeth, o.Teeth) && sameSet(l.Modifiers, o.Modifiers) && sameSet(l.Surfaces, o.Surfaces) && sameSet(l.OralCavity, o.OralCavity)
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) || len(a) == 0 {
		return len(a) == len(b)
	}
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// bills reports whether the claim bills a line of another claim under the same
// plan. Billing a second plan is no duplicate, even with the same payer. A claim that is not on its way to
// the payer, or is denied, bills nothing.
func (c *Claim) bills(other *Claim, line *Line) bool {
	if other.Kind != KindClaim || c.Kind != KindClaim || c.Frequency == FrequencyVoid || c.ID == other.ID || line.ServiceDate.IsZero() ||
		c.Payer.ID != other.Payer.ID || !strings.EqualFold(strings.TrimSpace(c.Subscriber.MemberID), strings.TrimSpace(other.Subscriber.MemberID)) {
		return false
	}
	if c.Turn() != billing.SequencePrimary || other.Turn() != billing.SequencePrimary || c.SecondaryTo == other.ID || other.SecondaryTo == c.ID {
		return false
	}
	switch c.State {
	case Draft, NeedsAttention, Rejected, Voided, Denied, Returned:
		return false
	case Reconciled:
		if s := c.Standing; s == nil || s.Outcome == remit.OutcomeDenied {
			return false
		}
	case Validated, Queued, Submitted, AcceptedClearinghouse, AcceptedPayer, Paid:
	}
	return slices.ContainsFunc(c.Lines, func(l Line) bool { return l.sameService(line) })
}
