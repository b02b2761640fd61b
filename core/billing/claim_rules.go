package billing

import (
	"strconv"
	"strings"
	"unicode"
)

// RuleContext is what rules know of a claim besides the claim.
type RuleContext struct {
	Today    Date      // in the office's time zone
	Office   *Office   // nil leaves its rules out
	Provider *Provider // who rendered the services; nil for none
	Payer    *Payer    // nil leaves its rules out
	Similar  []*Claim  // of the same patient, with services in the same days; the claim itself may be among them
}

// claimRule is what makes a well-formed claim one that should not be sent. The
// message does not repeat what the claim says.
type claimRule struct {
	code, field, message, fix string

	broken func(c *Claim, with *RuleContext) bool
}

// lineRule is a claimRule for line i; its field is one of the line.
type lineRule struct {
	code, field, message, fix string

	broken func(c *Claim, with *RuleContext, i int) bool
}

// Judge applies every rule to the claim. The findings are in the order of the
// fields of POST /claims, and nil when there are none. A rule that is not sure
// finds nothing: the payer reports what it misses, but what it finds wrongly
// keeps a good claim from being sent.
func (c *Claim) Judge(with RuleContext) (found []Finding) {
	for i := range claimRules {
		if r := &claimRules[i]; r.broken(c, &with) {
			found = append(found, Finding{r.code, r.field, r.message, r.fix})
		}
	}
	for i := range c.Lines {
		at := "lines." + strconv.Itoa(i) + "."
		for n := range lineRules {
			if r := &lineRules[n]; r.broken(c, &with, i) {
				found = append(found, Finding{r.code, at + r.field, r.message, r.fix})
			}
		}
	}
	return found
}

// FindingFaults lists findings as faults, for a request that is refused because
// of them. The values are well formed: that they are not allowed is all that
// their code says.
func FindingFaults(findings []Finding) (f Faults) {
	for _, x := range findings {
		f.Add(x.Field, FaultNotAllowed, x.Message+" "+x.Fix)
	}
	return f
}

// missing is the rule that a field has a value: drafts and changes may leave it
// out, a claim that is sent may not.
func missing(field string, is func(c *Claim) bool) claimRule {
	return claimRule{
		"required", field, "A claim needs a value here.", "Give a value.",
		func(c *Claim, _ *RuleContext) bool { return is(c) },
	}
}

// lacks is missing, for the text of a field.
func lacks(field string, value func(c *Claim) string) claimRule {
	return missing(field, func(c *Claim) bool { return Blank(value(c)) })
}

// unspelled is a name of which X12 cannot carry a letter: files spell Latin
// letters without their accents, and a payer would get an X for all the rest.
func unspelled(field string, name func(c *Claim) string) claimRule {
	return claimRule{
		"name_not_latin", field, "The name has no Latin letter, and files to payers carry no others.",
		"Give the name in Latin letters, as the plan has it.",
		func(c *Claim, _ *RuleContext) bool {
			return !Blank(name(c)) && !strings.ContainsFunc(name(c), func(r rune) bool {
				return unicode.Is(unicode.Latin, r) || unicode.IsDigit(r)
			})
		},
	}
}

// uncarried is a text that would reach the payer with less than was written, or
// with nothing.
func uncarried(field string, value func(c *Claim) string) claimRule {
	return claimRule{
		"text_not_carried", field, "Files to payers cannot carry some characters of this text.",
		"Write it in Latin letters, digits and plain punctuation.",
		func(c *Claim, _ *RuleContext) bool { return !Spellable(value(c)) },
	}
}

// ofDependent is missing, for a field of a patient who is not the subscriber.
func ofDependent(field string, is func(p *ClaimPatient) bool) claimRule {
	return missing(field, func(c *Claim) bool { return c.Patient != nil && is(c.Patient) })
}

// patient is the patient who is not the subscriber, without anything when there
// is none.
func (c *Claim) patient() ClaimPatient {
	if c.Patient == nil {
		return ClaimPatient{}
	}
	return *c.Patient
}

// ofAddress is missing, for a field of an address of which there is something.
func ofAddress(field string, value func(a Address) string) claimRule {
	return missing("subscriber.address."+field, func(c *Claim) bool {
		return c.Subscriber.Address != Address{} && Blank(value(c.Subscriber.Address))
	})
}

// oldestAge is an age that no patient of a dentist has passed.
const oldestAge = 120

const (
	bornLate    = "The date of birth is after the first service, or in the future."
	bornEarly   = "The date of birth is more than 120 years ago."
	correctBorn = "Correct the date of birth, or the service dates."
	npiFix      = "Register it with the NPI that the national registry has."
	stateFix    = "Use the two letters of the postal service, such as TX."
)

// claimRules are the rules for what is not in a line, in the order of the body.
//
//nolint:gochecknoglobals // a constant table
var claimRules = []claimRule{
	// Clearinghouses reject every claim of a billing or rendering provider whose
	// NPI fails its check digit (45 CFR 162.406).
	{"office_npi", "office_id", "The office's NPI fails its check digit.", npiFix, func(_ *Claim, w *RuleContext) bool {
		return w.Office != nil && !ValidNPI(w.Office.NPI)
	}},
	{"payer_takes_no_claims", "payer_id", "The payer takes no claims through the network.", "Choose another payer, or send the claim on paper.", func(_ *Claim, w *RuleContext) bool {
		return w.Payer != nil && !w.Payer.Capabilities.Claims
	}},
	{"required", "rendering_provider_id", "No provider is named, and the organization has none.", "Create the provider who rendered the services, and name the provider.", func(_ *Claim, w *RuleContext) bool {
		return w.Provider == nil
	}},
	{"provider_npi", "rendering_provider_id", "The provider's NPI fails its check digit.", npiFix, func(_ *Claim, w *RuleContext) bool {
		return w.Provider != nil && !ValidNPI(w.Provider.NPI)
	}},

	lacks("subscriber.first_name", func(c *Claim) string { return c.Subscriber.FirstName }),
	unspelled("subscriber.first_name", func(c *Claim) string { return c.Subscriber.FirstName }),
	lacks("subscriber.last_name", func(c *Claim) string { return c.Subscriber.LastName }),
	unspelled("subscriber.last_name", func(c *Claim) string { return c.Subscriber.LastName }),
	lacks("subscriber.date_of_birth", func(c *Claim) string { return c.Subscriber.DateOfBirth.String() }),
	{"date_of_birth_late", "subscriber.date_of_birth", bornLate, correctBorn, func(c *Claim, w *RuleContext) bool {
		if c.Patient != nil { // a subscriber may be younger than the patient, but is born
			return w.Today.Before(c.Subscriber.DateOfBirth)
		}
		return bornAfterService(c, w, c.Subscriber.DateOfBirth)
	}},
	{"date_of_birth_early", "subscriber.date_of_birth", bornEarly, correctBorn, func(c *Claim, w *RuleContext) bool {
		return implausiblyOld(c.Subscriber.DateOfBirth, w.Today)
	}},
	lacks("subscriber.member_id", func(c *Claim) string { return c.Subscriber.MemberID }),
	// A member ID has 2 characters or more (NM109), and none that cannot travel.
	{"member_id_form", "subscriber.member_id", "No payer gives member IDs of this form.", "Copy the ID from the member's card: letters and digits, at least two.", func(c *Claim, _ *RuleContext) bool {
		return !Blank(c.Subscriber.MemberID) && !plausibleMemberID(c.Subscriber.MemberID)
	}},
	// The address of a patient is in every claim (005010X224A2, 2010BA and
	// 2010CA N3); a dependent's is taken to be the subscriber's.
	{"required", "subscriber.address", "Payers need the patient's address; a dependent is taken to live with the subscriber.", "Give the subscriber's address.", func(c *Claim, _ *RuleContext) bool {
		return c.Subscriber.Address == Address{}
	}},
	ofAddress("line1", func(a Address) string { return a.Line1 }),
	{"address_line", "subscriber.address.line1", "The line has neither a letter nor a digit.", "Give street and number.", func(c *Claim, _ *RuleContext) bool {
		return !Blank(c.Subscriber.Address.Line1) && comparableName(c.Subscriber.Address.Line1) == ""
	}},
	uncarried("subscriber.address.line1", func(c *Claim) string { return c.Subscriber.Address.Line1 }),
	uncarried("subscriber.address.line2", func(c *Claim) string { return c.Subscriber.Address.Line2 }),
	ofAddress("city", func(a Address) string { return a.City }),
	uncarried("subscriber.address.city", func(c *Claim) string { return c.Subscriber.Address.City }),
	ofAddress("state", func(a Address) string { return a.State }),
	{"state_unknown", "subscriber.address.state", "There is no such state.", stateFix, func(c *Claim, _ *RuleContext) bool {
		return c.Subscriber.Address.State != "" && !knownState(c.Subscriber.Address.State)
	}},
	ofAddress("zip", func(a Address) string { return a.ZIP }),
	// The postal service has given out no prefix below 005.
	{"zip_unknown", "subscriber.address.zip", "There is no such ZIP code.", "Look the ZIP code up.", func(c *Claim, _ *RuleContext) bool {
		return c.Subscriber.Address.ZIP != "" && c.Subscriber.Address.ZIP < "005"
	}},

	ofDependent("patient.first_name", func(p *ClaimPatient) bool { return Blank(p.FirstName) }),
	ofDependent("patient.last_name", func(p *ClaimPatient) bool { return Blank(p.LastName) }),
	unspelled("patient.first_name", func(c *Claim) string { return c.patient().FirstName }),
	unspelled("patient.last_name", func(c *Claim) string { return c.patient().LastName }),
	ofDependent("patient.date_of_birth", func(p *ClaimPatient) bool { return p.DateOfBirth.IsZero() }),
	{"date_of_birth_late", "patient.date_of_birth", bornLate, correctBorn, func(c *Claim, w *RuleContext) bool {
		return c.Patient != nil && bornAfterService(c, w, c.Patient.DateOfBirth)
	}},
	{"date_of_birth_early", "patient.date_of_birth", bornEarly, correctBorn, func(c *Claim, w *RuleContext) bool {
		return c.Patient != nil && implausiblyOld(c.Patient.DateOfBirth, w.Today)
	}},
	ofDependent("patient.relationship", func(p *ClaimPatient) bool { return p.Relationship == "" }),

	uncarried("prior_authorization", func(c *Claim) string { return c.PriorAuthorization }),

	// A related cause needs its date (005010X224A2, 2300 DTP 439), and one with a
	// vehicle the state whose law decides who pays (CLM11-4).
	missing("accident.type", func(c *Claim) bool { return c.Accident != nil && c.Accident.Type == "" }),
	missing("accident.date", func(c *Claim) bool { return c.Accident != nil && c.Accident.Date.IsZero() }),
	{"accident_date_future", "accident.date", "The accident is in the future.", "Correct the date.", func(c *Claim, w *RuleContext) bool {
		return c.Accident != nil && w.Today.Before(c.Accident.Date)
	}},
	{"accident_state_required", "accident.state", "An auto accident needs the state where it happened.", stateFix, func(c *Claim, _ *RuleContext) bool {
		return c.Accident != nil && c.Accident.Type == "auto" && c.Accident.State == ""
	}},
	{"state_unknown", "accident.state", "There is no such state.", stateFix, func(c *Claim, _ *RuleContext) bool {
		return c.Accident != nil && c.Accident.State != "" && !knownState(c.Accident.State)
	}},

	uncarried("note", func(c *Claim) string { return c.Note }),

	missing("lines", func(c *Claim) bool { return len(c.Lines) == 0 }),
}

// bornAfterService reports whether a patient was treated, or asks for
// treatment, before birth.
func bornAfterService(c *Claim, with *RuleContext, born Date) bool {
	first := c.ServiceDates().From
	return with.Today.Before(born) || !first.IsZero() && first.Before(born)
}

func implausiblyOld(born, today Date) bool { return !born.IsZero() && born.AgeOn(today) > oldestAge }

// plausibleMemberID reports whether a payer could have given the ID: two
// letters or digits at least, and nothing but these and what separates groups
// of them.
func plausibleMemberID(id string) bool {
	count := 0
	for _, r := range strings.TrimSpace(id) {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			count++
		case !strings.ContainsRune(" -./_#", r):
			return false
		}
	}
	return count >= 2
}

// knownStates are the codes of the postal service: states, territories, freely
// associated states and the armed forces, each followed by a space.
const knownStates = "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY " +
	"AS GU MP PR VI FM MH PW AA AE AP "

func knownState(code string) bool { return strings.Contains(knownStates, code+" ") }
