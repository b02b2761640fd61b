package billing

import (
	"slices"
	"strings"
)

// The oldest services that are billed: plans take claims for 90 days to 12
// months after the service, a few for two years. A date beyond that is a
// mistake, or comes too late everywhere.
const maxServiceAgeMonths = 24

// lineRules are the rules for a line, in the order of its fields.
//
//nolint:gochecknoglobals // a constant table
var lineRules = []lineRule{
	{"required", "procedure_code", "A line needs a procedure code.", "Give a value.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Lines[i].ProcedureCode == ""
	}},
	// Payers pay the first of two equal services and deny the other.
	{"duplicate_line", "procedure_code", "An earlier line has the same procedure, day, tooth, surfaces and area.", "Take one of the lines out, or raise the quantity of the other.", func(c *Claim, _ *RuleContext, i int) bool {
		return slices.ContainsFunc(c.Lines[:i], func(l ClaimLine) bool { return c.Lines[i].ProcedureCode != "" && c.Lines[i].sameService(&l) })
	}},
	{"duplicate_service", "procedure_code", "Another claim to the payer has the service already: same patient, day, procedure, tooth, surfaces and area.", "Take the line out, or replace or void the other claim.", func(c *Claim, w *RuleContext, i int) bool {
		return slices.ContainsFunc(w.Similar, func(o *Claim) bool { return o.bills(c, &c.Lines[i]) })
	}},

	{"required", "service_date", "A line of a claim needs its service date.", "Give the day on which the service was done.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Kind == KindClaim && c.Lines[i].ServiceDate.IsZero()
	}},
	// What is not done yet cannot be billed, only asked about.
	{"service_date_future", "service_date", "The service is in the future.", "Correct the date, or send a predetermination.", func(c *Claim, w *RuleContext, i int) bool {
		return w.Today.Before(c.Lines[i].ServiceDate)
	}},
	// A replacement changes what came in time.
	{"service_date_old", "service_date", "The service is more than 24 months ago; payers take claims for a year or two at most.", "Correct the date.", func(c *Claim, w *RuleContext, i int) bool {
		day := c.Lines[i].ServiceDate
		return !day.IsZero() && c.Frequency != FrequencyReplacement && day.Before(w.Today.AddMonths(-maxServiceAgeMonths))
	}},

	// Payers drop lines that charge nothing, and then the claim's sum is wrong.
	{"fee_zero", "fee", "The fee is zero.", "Give the office's full fee for the service, or take the line out.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Lines[i].Fee == 0
	}},

	{"tooth_unknown", "tooth", "There is no such tooth.", "Use 1 to 32 or A to T; for a supernumerary tooth 51 to 82 or AS to TS.", func(c *Claim, _ *RuleContext, i int) bool {
		_, ok := findTooth(c.Lines[i].Tooth)
		return c.Lines[i].Tooth != "" && !ok
	}},
	{"tooth_required", "tooth", "The procedure is for one tooth.", "Name the tooth.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Lines[i].Tooth == "" && oneTooth(c.Lines[i].ProcedureCode)
	}},
	{"tooth_not_allowed", "tooth", "The procedure is for the whole mouth.", "Leave the tooth out.", func(c *Claim, _ *RuleContext, i int) bool {
		return c.Lines[i].Tooth != "" && hasPrefix(c.Lines[i].ProcedureCode, wholeMouth)
	}},
	// A surface is one of a tooth (005010X224A2, TOO02 is required with TOO03).
	{"tooth_required", "tooth", "Surfaces are those of a tooth, and none is named.", "Name the tooth, or leave the surfaces out.", func(c *Claim, _ *RuleContext, i int) bool {
		l := &c.Lines[i]
		return l.Tooth == "" && len(l.Surfaces) > 0 && !oneTooth(l.ProcedureCode)
	}},

	{"surfaces_required", "surfaces", "The procedure restores surfaces.", "Name the surfaces: M, O, D, B, F, L or I.", func(c *Claim, _ *RuleContext, i int) bool {
		return len(c.Lines[i].Surfaces) == 0 && hasPrefix(c.Lines[i].ProcedureCode, ofSurfaces)
	}},
	{"surface_unknown", "surfaces", "There is no such surface.", "Use M, O, D, B, F, L or I.", func(c *Claim, _ *RuleContext, i int) bool {
		return slices.ContainsFunc(c.Lines[i].Surfaces, func(s string) bool { return len(s) != 1 || !strings.Contains("MODBFLI", s) })
	}},
	{"surface_repeated", "surfaces", "A surface is named twice.", "Name each surface once.", func(c *Claim, _ *RuleContext, i int) bool {
		return repeats(c.Lines[i].Surfaces)
	}},
	// The composite TOO03 has five components.
	{"surfaces_too_many", "surfaces", "A tooth has at most five surfaces in a claim.", "Name at most five.", func(c *Claim, _ *RuleContext, i int) bool {
		return len(c.Lines[i].Surfaces) > 5
	}},
	// Incisors and canines have an edge where the other teeth have a chewing
	// surface.
	{"surface_not_of_tooth", "surfaces", "The tooth has no such surface: I is of front teeth, O of back teeth.", "Correct the tooth or the surfaces.", func(c *Claim, _ *RuleContext, i int) bool {
		l := &c.Lines[i]
		t, ok := findTooth(l.Tooth)
		return ok && slices.Contains(l.Surfaces, map[bool]string{true: "O", false: "I"}[t.front()])
	}},

	{"oral_cavity_unknown", "oral_cavity", "There is no such area of the mouth.", "Use 00 to 09, 10, 20, 30, 40, L or R.", func(c *Claim, _ *RuleContext, i int) bool {
		return slices.ContainsFunc(c.Lines[i].OralCavity, func(s string) bool { return !slices.Contains(strings.Fields(oralCavity), s) })
	}},
	{"oral_cavity_repeated", "oral_cavity", "An area is named twice.", "Name each area once.", func(c *Claim, _ *RuleContext, i int) bool {
		return repeats(c.Lines[i].OralCavity)
	}},
	// The composite SV304 has five components.
	{"oral_cavity_too_many", "oral_cavity", "A line has at most five areas.", "Name at most five.", func(c *Claim, _ *RuleContext, i int) bool {
		return len(c.Lines[i].OralCavity) > 5
	}},

	// What is replaced was there before: it is not newer than what replaces it.
	{"prior_placement_late", "prior_placement_date", "What is replaced was placed after the service, or in the future.", "Correct the date.", func(c *Claim, w *RuleContext, i int) bool {
		l := &c.Lines[i]
		return w.Today.Before(l.PriorPlacementDate) ||
			!l.ServiceDate.IsZero() && l.ServiceDate.Before(l.PriorPlacementDate)
	}},
}

// Procedures by their leading digits, where these are enough.
const (
	// Restorations and endodontics as a whole but for what is coded by report;
	// sealants and what else goes on a tooth; pontics and retainers of fixed
	// prosthodontics; extractions.
	perTooth   = "D2 D3 D135 D62 D67 D711 D714 D721 D722 D723 D724 D725"
	byReport   = "D2999 D3999 D6999"
	wholeMouth = "D11 D12"                                       // cleaning and fluoride
	ofSurfaces = "D21 D233 D2391 D2392 D2393 D2394"              // direct restorations
	oralCavity = "00 01 02 03 04 05 06 07 08 09 10 20 30 40 L R" // ISO 3950 areas, quadrants and sextants; L and R of X12
)

func oneTooth(code string) bool { return hasPrefix(code, perTooth) && !hasPrefix(code, byReport) }

// hasPrefix reports whether the code starts with one of the prefixes, which
// spaces separate.
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

// bills reports whether the claim bills the service of a line of another claim,
// under the same plan: a second plan is billed for the same services. What is
// not on its way to the payer, and what the payer has denied, bills nothing.
func (c *Claim) bills(other *Claim, line *ClaimLine) bool {
	if other.Kind != KindClaim || c.Kind != KindClaim || c.Frequency == FrequencyVoid || c.ID == other.ID || line.ServiceDate.IsZero() ||
		c.Payer.ID != other.Payer.ID || !strings.EqualFold(strings.TrimSpace(c.Subscriber.MemberID), strings.TrimSpace(other.Subscriber.MemberID)) {
		return false
	}
	switch c.State {
	case ClaimDraft, ClaimNeedsAttention, ClaimRejected, ClaimVoided, ClaimDenied, ClaimReturned:
		return false
	case ClaimReconciled:
		if s := c.Standing(); s == nil || s.Outcome == OutcomeDenied {
			return false
		}
	case ClaimValidated, ClaimQueued, ClaimSubmitted, ClaimAcceptedClearinghouse, ClaimAcceptedPayer, ClaimPaid:
	}
	return slices.ContainsFunc(c.Lines, func(l ClaimLine) bool { return l.sameService(line) })
}

// tooth is the place of a tooth in the universal numbering: 1 to 32 of the
// permanent teeth, or 1 to 20, for A to T, of the primary ones.
type tooth struct {
	place   int
	primary bool
}

// findTooth reads 1 to 32 and A to T, and the supernumerary teeth beside them:
// 51 to 82 and AS to TS.
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

// front reports whether it is an incisor or a canine.
func (t tooth) front() bool {
	if t.primary {
		return 3 <= t.place && t.place <= 8 || 13 <= t.place && t.place <= 18
	}
	return 6 <= t.place && t.place <= 11 || 22 <= t.place && t.place <= 27
}
