package billing

import (
	"slices"
	"strings"
)

// maxServiceAgeMonths is the age of the oldest services that are billed. Plans
// accept claims for 90 days to 12 months after the service, a few for two years.
// An older date is a mistake, or too late for every plan.
const maxServiceAgeMonths = 24

// lineRules are the rules for a line, in the order of its fields.
//
//nolint:gochecknoglobals // a constant table
var lineRules = []lineRule{
	{"required", "procedure_code", "The procedure code is missing.", "Enter the procedure code.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Lines[i].ProcedureCode == ""
	}},
	// Payers pay the first of two equal services and deny the other.
	{"duplicate_line", "procedure_code", "An earlier line has the same procedure, date, tooth, surfaces and area.", "Remove one of the lines, or increase the quantity of the other.", func(c *Claim, _ *RuleContext, i int) bool {
		return slices.ContainsFunc(c.Lines[:i], func(l ClaimLine) bool { return c.Lines[i].ProcedureCode != "" && c.Lines[i].sameService(&l) })
	}},
	{"duplicate_service", "procedure_code", "Another claim to the payer already has this service: same patient, date, procedure, tooth, surfaces and area.", "Remove the line, or replace or void the other claim.", func(c *Claim, w *RuleContext, i int) bool {
		return slices.ContainsFunc(w.Similar, func(o *Claim) bool { return o.bills(c, &c.Lines[i]) })
	}},

	{"required", "service_date", "The service date is missing.", "Enter the date of the service.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Kind == KindClaim && c.Lines[i].ServiceDate.IsZero()
	}},
	// A future service cannot be billed, only predetermined.
	{"service_date_future", "service_date", "The service date is in the future.", "Correct the service date, or send a predetermination.", func(c *Claim, w *RuleContext, i int) bool {
		return w.Today.Before(c.Lines[i].ServiceDate)
	}},
	// A replacement changes a claim that was sent in time.
	{"service_date_old", "service_date", "The service date is more than 24 months ago. Payers accept claims for at most one or two years.", "Correct the service date.", func(c *Claim, w *RuleContext, i int) bool {
		day := c.Lines[i].ServiceDate
		return !day.IsZero() && c.Frequency != FrequencyReplacement && day.Before(w.Today.AddMonths(-maxServiceAgeMonths))
	}},

	// Payers drop lines without a charge, and then the claim's total is wrong.
	{"fee_zero", "fee", "The fee is zero.", "Enter the office's full fee for the service, or remove the line.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Lines[i].Fee == 0
	}},

	{"tooth_unknown", "tooth", "The tooth does not exist.", "Correct the tooth number: 1 to 32 or A to T, or 51 to 82 or AS to TS for a supernumerary tooth.", func(c *Claim, _ *RuleContext, i int) bool {
		_, ok := findTooth(c.Lines[i].Tooth)
		return c.Lines[i].Tooth != "" && !ok
	}},
	{"tooth_required", "tooth", "The procedure is for one tooth, and the tooth number is missing.", "Enter the tooth number.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Lines[i].Tooth == "" && oneTooth(c.Lines[i].ProcedureCode)
	}},
	{"tooth_not_allowed", "tooth", "The procedure is for the whole mouth, not for one tooth.", "Remove the tooth number.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Lines[i].Tooth != "" && hasPrefix(c.Lines[i].ProcedureCode, wholeMouth)
	}},
	// Surfaces belong to a tooth (005010X224A2, TOO03 requires TOO02).
	{"tooth_required", "tooth", "The line has surfaces but no tooth number.", "Enter the tooth number, or remove the surfaces.", func(c *Claim, _ *RuleContext, i int) bool {
		l := &c.Lines[i]
		return l.Tooth == "" && len(l.Surfaces) > 0 && !oneTooth(l.ProcedureCode)
	}},

	{"surfaces_required", "surfaces", "The procedure restores surfaces, and the surfaces are missing.", "Enter the surfaces: M, O, D, B, F, L or I.", func(c *Claim, _ *RuleContext, i int) bool {
		return len(c.Lines[i].Surfaces) == 0 && hasPrefix(c.Lines[i].ProcedureCode, ofSurfaces)
	}},
	{"surface_unknown", "surfaces", "A surface does not exist.", "Correct the surfaces: M, O, D, B, F, L or I.", func(c *Claim, _ *RuleContext, i int) bool {
		return slices.ContainsFunc(c.Lines[i].Surfaces, func(s string) bool { return len(s) != 1 || !strings.Contains("MODBFLI", s) })
	}},
	{"surface_repeated", "surfaces", "A surface is listed twice.", "List each surface once.", func(c *Claim, _ *RuleContext, i int) bool {
		return repeats(c.Lines[i].Surfaces)
	}},
	// The composite TOO03 has five components.
	{"surfaces_too_many", "surfaces", "The line has more than five surfaces.", "List at most five surfaces.", func(c *Claim, _ *RuleContext, i int) bool {
		return len(c.Lines[i].Surfaces) > 5
	}},
	// Incisors and canines have an edge, other teeth a chewing surface.
	{"surface_not_of_tooth", "surfaces", "The tooth does not have this surface: only front teeth have I, only back teeth have O.", "Correct the tooth or the surfaces.", func(c *Claim, _ *RuleContext, i int) bool {
		l := &c.Lines[i]
		t, ok := findTooth(l.Tooth)
		return ok && slices.Contains(l.Surfaces, map[bool]string{true: "O", false: "I"}[t.front()])
	}},

	{"oral_cavity_unknown", "oral_cavity", "An area of the mouth does not exist.", "Correct the areas: 00 to 09, 10, 20, 30, 40, L or R.", func(c *Claim, _ *RuleContext, i int) bool {
		return slices.ContainsFunc(c.Lines[i].OralCavity, func(s string) bool { return !slices.Contains(strings.Fields(oralCavity), s) })
	}},
	{"oral_cavity_repeated", "oral_cavity", "An area is listed twice.", "List each area once.", func(c *Claim, _ *RuleContext, i int) bool {
		return repeats(c.Lines[i].OralCavity)
	}},
	// The composite SV304 has five components.
	{"oral_cavity_too_many", "oral_cavity", "The line has more than five areas.", "List at most five areas.", func(c *Claim, _ *RuleContext, i int) bool {
		return len(c.Lines[i].OralCavity) > 5
	}},

	// The prior placement is older than the service that replaces it.
	{"prior_placement_late", "prior_placement_date", "The prior placement date is after the service date or in the future.", "Correct the prior placement date.", func(c *Claim, w *RuleContext, i int) bool {
		l := &c.Lines[i]
		return w.Today.Before(l.PriorPlacementDate) ||
			!l.ServiceDate.IsZero() && l.ServiceDate.Before(l.PriorPlacementDate)
	}},
}

// Procedures by their leading digits.
const (
	// Restorations and endodontics; sealants and other work on a tooth; pontics and
	// retainers of fixed prosthodontics; extractions.
	perTooth   = "D2 D3 D135 D62 D67 D711 D714 D721 D722 D723 D724 D725"
	byReport   = "D2999 D3999 D6999"
	wholeMouth = "D11 D12"                                       // cleaning and fluoride
	ofSurfaces = "D21 D233 D2391 D2392 D2393 D2394"              // direct restorations
	oralCavity = "00 01 02 03 04 05 06 07 08 09 10 20 30 40 L R" // ISO 3950 areas, quadrants and sextants; L and R of X12
)

func oneTooth(code string) bool { return hasPrefix(code, perTooth) && !hasPrefix(code, byReport) }

// hasPrefix reports whether the code starts with one of the prefixes. Spaces
// separate them.
func hasPrefix(code, prefixes string) bool {
	for p := range strings.FieldsSeq(prefixes) {
		if strings.HasPrefix(code, p) {
			return true
		}
	}
	return false
}

func repeats(list []string) bool {
	for i, s := range list {
		if slices.Contains(list[:i], s) {
			return true
		}
	}
	return false
}

// sameService reports whether two lines are for the same service. A tooth can
// be restored twice in a day on different surfaces, and quadrants are treated
// under one code.
func (l *ClaimLine) sameService(o *ClaimLine) bool {
	return l.ProcedureCode == o.ProcedureCode && l.ServiceDate == o.ServiceDate && l.Tooth == o.Tooth &&
		sameSet(l.Surfaces, o.Surfaces) && sameSet(l.OralCavity, o.OralCavity)
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// bills reports whether the claim bills a line of another claim under the same
// plan. Billing a second plan is no duplicate. A claim that is not on its way to
// the payer, or is denied, bills nothing.
func (c *Claim) bills(other *Claim, line *ClaimLine) bool {
	if other.Kind != KindClaim || c.Kind != KindClaim || c.Frequency == FrequencyVoid || c.ID == other.ID || line.ServiceDate.IsZero() ||
		c.Payer.ID != other.Payer.ID || !strings.EqualFold(strings.TrimSpace(c.Subscriber.MemberID), strings.TrimSpace(other.Subscriber.MemberID)) {
		return false
	}
	switch c.State {
	case ClaimDraft, ClaimNeedsAttention, ClaimRejected, ClaimVoided, ClaimDenied, ClaimReturned:
		return false
	case ClaimReconciled:
		if s := c.Standing; s == nil || s.Outcome == OutcomeDenied {
			return false
		}
	case ClaimValidated, ClaimQueued, ClaimSubmitted, ClaimAcceptedClearinghouse, ClaimAcceptedPayer, ClaimPaid:
	}
	return slices.ContainsFunc(c.Lines, func(l ClaimLine) bool { return l.sameService(line) })
}

// tooth is a place in the universal numbering: 1 to 32 for permanent teeth, 1 to
// 20 (A to T) for primary ones.
type tooth struct {
	place   int
	primary bool
}

// findTooth reads 1 to 32 and A to T, and 51 to 82 and AS to TS for the
// supernumerary teeth beside them.
func findTooth(name string) (t tooth, ok bool) {
	switch n := len(name); {
	case n == 0 || n > 2 || name[0] == '0':
	case allDigits(name):
		place := 0
		for _, digit := range name {
			place = place*10 + int(digit-'0')
		}
		if place > 50 {
			place -= 50
		}
		return tooth{place: place}, place <= 32
	case 'A' <= name[0] && name[0] <= 'T' && (n == 1 || name[1] == 'S'):
		return tooth{int(name[0]-'A') + 1, true}, true
	}
	return tooth{}, false
}

// front reports whether the tooth is an incisor or a canine.
func (t tooth) front() bool {
	if t.primary {
		return 3 <= t.place && t.place <= 8 || 13 <= t.place && t.place <= 18
	}
	return 6 <= t.place && t.place <= 11 || 22 <= t.place && t.place <= 27
}
