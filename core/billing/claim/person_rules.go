package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// oldestAge is an age that no patient exceeds.
const oldestAge = 120

const (
	bornLate    = "The date of birth is after the first service date or in the future."
	bornEarly   = "The date of birth is more than 120 years ago."
	correctBorn = "Correct the date of birth or the service dates."
)

// personRules are the rules for the subscriber and the patient.
//
//nolint:gochecknoglobals // a constant table
var personRules = slices.Concat([]rule[*Claim]{
	lacks("subscriber.first_name", "subscriber's first name", func(c *Claim) string { return c.Subscriber.FirstName }),
	unspelled("subscriber.first_name", func(c *Claim) string { return c.Subscriber.FirstName }),
	unspelled("subscriber.middle_name", func(c *Claim) string { return c.Subscriber.MiddleName }),
	lacks("subscriber.last_name", "subscriber's last name", func(c *Claim) string { return c.Subscriber.LastName }),
	unspelled("subscriber.last_name", func(c *Claim) string { return c.Subscriber.LastName }),
	uncarried("subscriber.suffix", func(c *Claim) string { return c.Subscriber.Suffix }),
	missing("subscriber.date_of_birth", "subscriber's date of birth", func(c *Claim) bool { return c.Subscriber.DateOfBirth.IsZero() }),
	{"date_of_birth_late", "subscriber.date_of_birth", bornLate, correctBorn, func(c *Claim, w *RuleContext) bool {
		if c.Patient != nil { // a subscriber may be younger than the patient, but is born
			return w.Today.Before(c.Subscriber.DateOfBirth)
		}
		return bornAfterService(c, w, c.Subscriber.DateOfBirth)
	}},
	{"date_of_birth_early", "subscriber.date_of_birth", bornEarly, correctBorn, func(c *Claim, w *RuleContext) bool {
		return implausiblyOld(c.Subscriber.DateOfBirth, w.Today)
	}},
	lacks("subscriber.member_id", "subscriber's member ID", func(c *Claim) string { return c.Subscriber.MemberID }),
	ofMemberID("subscriber.member_id", func(c *Claim) string { return c.Subscriber.MemberID }),
	uncarried("subscriber.group_name", func(c *Claim) string { return c.Subscriber.GroupName }),
	// Every claim has the patient's address (005010X224A2, 2010BA and 2010CA N3). The
	// subscriber's is sent for a dependent without one.
	{"required", "subscriber.address", "The subscriber's address is missing. Payers need it as the patient's address.", "Enter the subscriber's address.", func(c *Claim, _ *RuleContext) bool {
		return c.Subscriber.Address == directory.Address{}
	}},
}, ofAddress("subscriber.address", "subscriber's", func(c *Claim) directory.Address { return c.Subscriber.Address }), []rule[*Claim]{
	ofDependent("patient.first_name", "patient's first name", func(p *Patient) bool { return billing.Blank(p.FirstName) }),
	ofDependent("patient.last_name", "patient's last name", func(p *Patient) bool { return billing.Blank(p.LastName) }),
	unspelled("patient.first_name", func(c *Claim) string { return c.patient().FirstName }),
	unspelled("patient.middle_name", func(c *Claim) string { return c.patient().MiddleName }),
	unspelled("patient.last_name", func(c *Claim) string { return c.patient().LastName }),
	uncarried("patient.suffix", func(c *Claim) string { return c.patient().Suffix }),
	ofDependent("patient.date_of_birth", "patient's date of birth", func(p *Patient) bool { return p.DateOfBirth.IsZero() }),
	{"date_of_birth_late", "patient.date_of_birth", bornLate, correctBorn, func(c *Claim, w *RuleContext) bool {
		return c.Patient != nil && bornAfterService(c, w, c.Patient.DateOfBirth)
	}},
	{"date_of_birth_early", "patient.date_of_birth", bornEarly, correctBorn, func(c *Claim, w *RuleContext) bool {
		return c.Patient != nil && implausiblyOld(c.Patient.DateOfBirth, w.Today)
	}},
	ofDependent("patient.relationship", "patient's relationship to the subscriber", func(p *Patient) bool { return p.Relationship == "" }),
}, ofAddress("patient.address", "patient's", func(c *Claim) directory.Address { return c.patient().Address }))

// ofDependent returns the rule that a patient who is not the subscriber has a
// value in the field.
func ofDependent(field, what string, is func(p *Patient) bool) rule[*Claim] {
	return missing(field, what, func(c *Claim) bool { return c.Patient != nil && is(c.Patient) })
}

// patient returns the patient who is not the subscriber, or an empty one.
func (c *Claim) patient() Patient {
	if c.Patient == nil {
		return Patient{}
	}
	return *c.Patient
}

// born returns the patient's date of birth.
func (c *Claim) born() billing.Date {
	if c.Patient != nil {
		return c.Patient.DateOfBirth
	}
	return c.Subscriber.DateOfBirth
}

// bornAfterService reports whether the date of birth is after the first service,
// or after today.
func bornAfterService(c *Claim, with *RuleContext, born billing.Date) bool {
	first := c.ServiceDates().From
	return with.Today.Before(born) || !first.IsZero() && first.Before(born)
}

func implausiblyOld(born, today billing.Date) bool {
	return !born.IsZero() && born.AgeOn(today) > oldestAge
}
