package claim

import (
	"fmt"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/directory"
)

// detailRules are the rules for the rest of the claim outside its lines.
//
//nolint:gochecknoglobals // a constant table
var detailRules = slices.Concat([]rule[*Claim]{
	uncarried("prior_authorization", func(c *Claim) string { return c.PriorAuthorization }),
	uncarried("predetermination_number", func(c *Claim) string { return c.PredeterminationNumber }),
	uncarried("referral_number", func(c *Claim) string { return c.ReferralNumber }),

	missing("referring_provider.last_name", "referring provider's last name", func(c *Claim) bool {
		return c.ReferringProvider != nil && billing.Blank(c.ReferringProvider.LastName)
	}),
	unspelled("referring_provider.first_name", func(c *Claim) string { return c.referring().FirstName }),
	unspelled("referring_provider.last_name", func(c *Claim) string { return c.referring().LastName }),
	{"provider_npi", "referring_provider.npi", "The referring provider's NPI fails its check digit.", npiFix, func(c *Claim, _ *RuleContext) bool {
		return c.referring().NPI != "" && !directory.ValidNPI(c.referring().NPI)
	}},

	missing("facility.name", "facility's name", func(c *Claim) bool { return c.Facility != nil && billing.Blank(c.Facility.Name) }),
	unspelled("facility.name", func(c *Claim) string { return c.facility().Name }),
	{"provider_npi", "facility.npi", "The facility's NPI fails its check digit.", npiFix, func(c *Claim, _ *RuleContext) bool {
		return c.facility().NPI != "" && !directory.ValidNPI(c.facility().NPI)
	}},
	// 2310C has N3 and N4 (005010X224A2).
	missing("facility.address", "facility's address", func(c *Claim) bool { return c.Facility != nil && c.Facility.Address == directory.Address{} }),
}, ofAddress("facility.address", "facility's", func(c *Claim) directory.Address { return c.facility().Address }), []rule[*Claim]{
	// A related cause needs its date (005010X224A2, 2300 DTP 439). An auto accident
	// needs its state, whose law decides who pays (CLM11-4).
	missing("accident.type", "type of the accident", func(c *Claim) bool { return c.Accident != nil && c.Accident.Type == "" }),
	missing("accident.date", "date of the accident", func(c *Claim) bool { return c.Accident != nil && c.Accident.Date.IsZero() }),
	{"accident_date_future", "accident.date", "The accident date is in the future.", "Correct the accident date.", func(c *Claim, w *RuleContext) bool {
		return c.Accident != nil && w.Today.Before(c.Accident.Date)
	}},
	{"accident_state_required", "accident.state", "The state of the auto accident is missing.", stateFix, func(c *Claim, _ *RuleContext) bool {
		return c.Accident != nil && c.Accident.Type == "auto" && c.Accident.State == ""
	}},
	{"state_unknown", "accident.state", stateUnknown, stateFix, func(c *Claim, _ *RuleContext) bool {
		return c.Accident != nil && c.Accident.State != "" && !directory.KnownState(c.Accident.State)
	}},

	{"orthodontics_required", "orthodontics", "The claim has orthodontic treatment, and its course is missing.", "Enter the months of the treatment, the months that remain, and the date of the appliance.", func(c *Claim, _ *RuleContext) bool {
		return c.Orthodontics == nil && c.treatsOrthodontically()
	}},
	// DTP 452. An estimate comes before the appliance.
	{"required", "orthodontics.appliance_date", "The claim has orthodontic treatment, and the date when the appliance was placed is missing.", "Enter the date of the appliance.", func(c *Claim, _ *RuleContext) bool {
		return c.Orthodontics != nil && c.Orthodontics.ApplianceDate.IsZero() && c.Kind == KindClaim && c.treatsOrthodontically()
	}},
	{"months_remaining_many", "orthodontics.months_remaining", "More months remain than the treatment has.", "Correct the months that remain, or the months of the treatment.", func(c *Claim, _ *RuleContext) bool {
		o := c.Orthodontics
		return o != nil && o.TotalMonths > 0 && o.MonthsRemaining > o.TotalMonths
	}},
	// The appliance of an estimate may have a planned date.
	{"appliance_date_late", "orthodontics.appliance_date", "The appliance was placed after the last service, or in the future.", "Correct the date of the appliance or the service dates.", func(c *Claim, w *RuleContext) bool {
		if c.Orthodontics == nil || c.Kind != KindClaim {
			return false
		}
		placed, last := c.Orthodontics.ApplianceDate, c.ServiceDates().To
		return w.Today.Before(placed) || !last.IsZero() && last.Before(placed)
	}},

	unknownTeeth("missing_teeth", func(c *Claim) []string { return c.MissingTeeth }),
	unknownTeeth("teeth_to_extract", func(c *Claim) []string { return c.TeethToExtract }),
	{"tooth_missing", "teeth_to_extract", "A tooth that is missing cannot be extracted.", "Remove the tooth from the missing teeth, or from the teeth to extract.", func(c *Claim, _ *RuleContext) bool {
		return slices.ContainsFunc(c.TeethToExtract, c.misses)
	}},
	{"teeth_too_many", "missing_teeth", "Files to payers state at most 35 missing teeth and teeth to extract.", "Remove teeth that do not matter for the services.", func(c *Claim, _ *RuleContext) bool {
		return len(c.MissingTeeth)+len(c.TeethToExtract) > 35
	}},

	uncarried("note", func(c *Claim) string { return c.Note }),

	{"required", "lines", "The claim has no lines.", "Add a line for each service.", func(c *Claim, _ *RuleContext) bool {
		return len(c.Lines) == 0
	}},
})

// referring returns the referring provider, or an empty one.
func (c *Claim) referring() ReferringProvider {
	if c.ReferringProvider == nil {
		return ReferringProvider{}
	}
	return *c.ReferringProvider
}

// facility returns the facility, or an empty one.
func (c *Claim) facility() Facility {
	if c.Facility == nil {
		return Facility{}
	}
	return *c.Facility
}

// treatsOrthodontically reports whether a line is orthodontic treatment.
func (c *Claim) treatsOrthodontically() bool {
	return slices.ContainsFunc(c.Lines, func(l Line) bool { return orthodontic(l.ProcedureCode) })
}

// misses reports whether the patient has lost the tooth.
func (c *Claim) misses(tooth string) bool { return slices.Contains(c.MissingTeeth, tooth) }

// unknownTeeth returns the rule that the teeth exist.
func unknownTeeth[T part](field string, teeth func(T) []string) rule[T] {
	return rule[T]{"tooth_unknown", field, "A tooth does not exist.", toothFix, func(at T, _ *RuleContext) bool {
		return slices.ContainsFunc(teeth(at), func(name string) bool { _, ok := findTooth(name); return !ok })
	}}
}

// judgeNote adds the finding of a note that does not fit into files.
func (c *Claim) judgeNote(found []Finding, attached int) []Finding {
	over := c.NoteOverflow(attached)
	if over == 0 {
		return found
	}
	return append(found, Finding{
		"note_too_long", "note", fmt.Sprintf("Files to payers leave out the last %d characters of the note.", over),
		"Shorten the note. Files have room for 400 characters, and for 80 fewer with each closed attachment.",
	})
}

// maxNTEs is the number of notes in a claim file (005010X224A2, 2300 NTE).
const maxNTEs = 5

// NoteOverflow returns how many characters of the note do not fit into a file,
// where each closed attachment has one of its notes.
func (c *Content) NoteOverflow(attached int) (over int) {
	free := max(maxNTEs-attached, 0) * attachment.MaxNTE
	used := 0        // of the file's notes, including what spaces at their ends leave empty
	between := false // there is a space before the next letter
	put := func() {
		if used++; used > free {
			over++
		}
	}
	for _, r := range c.Note {
		n := billing.SpelledLength(r)
		switch {
		case n < 0:
			between = used > 0
			continue
		case n > 0 && between && used%attachment.MaxNTE != 0: // a note does not start with a space
			put()
		}
		between = between && n == 0
		for range n {
			put()
		}
	}
	return over
}
