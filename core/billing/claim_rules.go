package billing

import (
	"strconv"
	"strings"
	"unicode"
)

// RuleContext is the data that the rules use besides the claim.
type RuleContext struct {
	Today    Date      // in the office's time zone
	Office   *Office   // nil leaves its rules out
	Provider *Provider // the rendering provider; nil for none
	Payer    *Payer    // nil leaves its rules out
	Similar  []*Claim  // of the same patient on the same days; they may include the claim itself
}

// claimRule is a rule for claims that can be sent. The message repeats no value
// of the claim.
type claimRule struct {
	code, field, message, fix string

	broken func(c *Claim, with *RuleContext) bool
}

// lineRule is a claimRule for line i. Its field is one of the line.
type lineRule struct {
	code, field, message, fix string

	broken func(c *Claim, with *RuleContext, i int) bool
}

// Judge applies every rule and returns the findings in the order of the fields of
// POST /claims. A rule finds nothing when it is not sure: payers report what it
// misses, but a wrong finding stops a good claim.
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

// FindingFaults returns findings as the faults of a rejected request. The
// values are well formed, so the code is always FaultNotAllowed.
func FindingFaults(findings []Finding) (f Faults) {
	for _, x := range findings {
		f.Add(x.Field, FaultNotAllowed, x.Message+" "+x.Fix)
	}
	return f
}

// missing returns the rule that a field has a value. What names the field in
// messages. Drafts and changes may leave the field out. A claim that is sent
// must have it.
func missing(field, what string, is func(c *Claim) bool) claimRule {
	return claimRule{
		"required", field, "The " + what + " is missing.", "Enter the " + what + ".",
		func(c *Claim, _ *RuleContext) bool { return is(c) },
	}
}

// lacks returns the rule that a text field is not blank.
func lacks(field, what string, value func(c *Claim) string) claimRule {
	return missing(field, what, func(c *Claim) bool { return Blank(value(c)) })
}

// unspelled returns the rule that a name has a letter that X12 can carry. Files
// have Latin letters without accents, and an X for a name without them.
func unspelled(field string, name func(c *Claim) string) claimRule {
	return claimRule{
		"name_not_latin", field, "The name has no Latin letters, and files to payers can carry no others.",
		"Enter the name in Latin letters, as the plan has it.",
		func(c *Claim, _ *RuleContext) bool {
			return !Blank(name(c)) && !strings.ContainsFunc(name(c), func(r rune) bool {
				return unicode.Is(unicode.Latin, r) || unicode.IsDigit(r)
			})
		},
	}
}

// uncarried returns the rule that X12 can carry the whole text.
func uncarried(field string, value func(c *Claim) string) claimRule {
	return claimRule{
		"text_not_carried", field, "Files to payers cannot carry some of the characters in this text.",
		"Use Latin letters, digits and plain punctuation.",
		func(c *Claim, _ *RuleContext) bool { return !Spellable(value(c)) },
	}
}

// ofDependent returns the rule that a patient who is not the subscriber has a
// value in the field.
func ofDependent(field, what string, is func(p *ClaimPatient) bool) claimRule {
	return missing(field, what, func(c *Claim) bool { return c.Patient != nil && is(c.Patient) })
}

// patient returns the patient who is not the subscriber, or an empty one.
func (c *Claim) patient() ClaimPatient {
	if c.Patient == nil {
		return ClaimPatient{}
	}
	return *c.Patient
}

// ofAddress returns the rule that an address with any value has one in the
// field.
func ofAddress(field, what string, value func(a Address) string) claimRule {
	return missing("subscriber.address."+field, what, func(c *Claim) bool {
		return c.Subscriber.Address != Address{} && Blank(value(c.Subscriber.Address))
	})
}

// oldestAge is an age that no patient exceeds.
const oldestAge = 120

const (
	bornLate    = "The date of birth is after the first service date or in the future."
	bornEarly   = "The date of birth is more than 120 years ago."
	correctBorn = "Correct the date of birth or the service dates."
	npiFix      = "Look up the NPI in the national registry (NPPES) and enter it correctly."
	stateFix    = "Enter the two-letter postal code of the state, such as TX."
)

// claimRules are the rules for fields outside lines, in the order of the body.
//
//nolint:gochecknoglobals // a constant table
var claimRules = []claimRule{
	// Clearinghouses reject every claim of a billing or rendering provider whose
	// NPI fails its check digit (45 CFR 162.406).
	{"office_npi", "office_id", "The office's NPI fails its check digit.", npiFix, func(_ *Claim, w *RuleContext) bool {
		return w.Office != nil && !ValidNPI(w.Office.NPI)
	}},
	{"payer_takes_no_claims", "payer_id", "The payer does not accept electronic claims.", "Choose another payer, or mail the claim on paper.", func(_ *Claim, w *RuleContext) bool {
		return w.Payer != nil && !w.Payer.Capabilities.Claims
	}},
	{"required", "rendering_provider_id", "The claim has no provider, and the organization has none on file.", "Add the provider who rendered the services, then choose that provider.", func(_ *Claim, w *RuleContext) bool {
		return w.Provider == nil
	}},
	{"provider_npi", "rendering_provider_id", "The provider's NPI fails its check digit.", npiFix, func(_ *Claim, w *RuleContext) bool {
		return w.Provider != nil && !ValidNPI(w.Provider.NPI)
	}},

	lacks("subscriber.first_name", "subscriber's first name", func(c *Claim) string { return c.Subscriber.FirstName }),
	unspelled("subscriber.first_name", func(c *Claim) string { return c.Subscriber.FirstName }),
	lacks("subscriber.last_name", "subscriber's last name", func(c *Claim) string { return c.Subscriber.LastName }),
	unspelled("subscriber.last_name", func(c *Claim) string { return c.Subscriber.LastName }),
	lacks("subscriber.date_of_birth", "subscriber's date of birth", func(c *Claim) string { return c.Subscriber.DateOfBirth.String() }),
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
	// A member ID has 2 characters or more (NM109), all of which files can carry.
	{"member_id_form", "subscriber.member_id", "No payer issues member IDs in this form.", "Copy the member ID from the insurance card: at least two letters or digits.", func(c *Claim, _ *RuleContext) bool {
		return !Blank(c.Subscriber.MemberID) && !plausibleMemberID(c.Subscriber.MemberID)
	}},
	// Every claim has the patient's address (005010X224A2, 2010BA and 2010CA N3). The
	// subscriber's is sent for a dependent.
	{"required", "subscriber.address", "The subscriber's address is missing. Payers need it as the patient's address.", "Enter the subscriber's address.", func(c *Claim, _ *RuleContext) bool {
		return c.Subscriber.Address == Address{}
	}},
	ofAddress("line1", "subscriber's street address", func(a Address) string { return a.Line1 }),
	{"address_line", "subscriber.address.line1", "The street address has no letters or digits.", "Enter the street and number.", func(c *Claim, _ *RuleContext) bool {
		return !Blank(c.Subscriber.Address.Line1) && comparableName(c.Subscriber.Address.Line1) == ""
	}},
	uncarried("subscriber.address.line1", func(c *Claim) string { return c.Subscriber.Address.Line1 }),
	uncarried("subscriber.address.line2", func(c *Claim) string { return c.Subscriber.Address.Line2 }),
	ofAddress("city", "subscriber's city", func(a Address) string { return a.City }),
	uncarried("subscriber.address.city", func(c *Claim) string { return c.Subscriber.Address.City }),
	ofAddress("state", "subscriber's state", func(a Address) string { return a.State }),
	{"state_unknown", "subscriber.address.state", "The state does not exist.", stateFix, func(c *Claim, _ *RuleContext) bool {
		return c.Subscriber.Address.State != "" && !knownState(c.Subscriber.Address.State)
	}},
	ofAddress("zip", "subscriber's ZIP code", func(a Address) string { return a.ZIP }),
	// The postal service uses no prefix below 005.
	{"zip_unknown", "subscriber.address.zip", "The ZIP code does not exist.", "Look up the ZIP code and correct it.", func(c *Claim, _ *RuleContext) bool {
		return c.Subscriber.Address.ZIP != "" && c.Subscriber.Address.ZIP < "005"
	}},

	ofDependent("patient.first_name", "patient's first name", func(p *ClaimPatient) bool { return Blank(p.FirstName) }),
	ofDependent("patient.last_name", "patient's last name", func(p *ClaimPatient) bool { return Blank(p.LastName) }),
	unspelled("patient.first_name", func(c *Claim) string { return c.patient().FirstName }),
	unspelled("patient.last_name", func(c *Claim) string { return c.patient().LastName }),
	ofDependent("patient.date_of_birth", "patient's date of birth", func(p *ClaimPatient) bool { return p.DateOfBirth.IsZero() }),
	{"date_of_birth_late", "patient.date_of_birth", bornLate, correctBorn, func(c *Claim, w *RuleContext) bool {
		return c.Patient != nil && bornAfterService(c, w, c.Patient.DateOfBirth)
	}},
	{"date_of_birth_early", "patient.date_of_birth", bornEarly, correctBorn, func(c *Claim, w *RuleContext) bool {
		return c.Patient != nil && implausiblyOld(c.Patient.DateOfBirth, w.Today)
	}},
	ofDependent("patient.relationship", "patient's relationship to the subscriber", func(p *ClaimPatient) bool { return p.Relationship == "" }),

	uncarried("prior_authorization", func(c *Claim) string { return c.PriorAuthorization }),

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
	{"state_unknown", "accident.state", "The state does not exist.", stateFix, func(c *Claim, _ *RuleContext) bool {
		return c.Accident != nil && c.Accident.State != "" && !knownState(c.Accident.State)
	}},

	uncarried("note", func(c *Claim) string { return c.Note }),

	{"required", "lines", "The claim has no lines.", "Add a line for each service.", func(c *Claim, _ *RuleContext) bool {
		return len(c.Lines) == 0
	}},
}

// bornAfterService reports whether the date of birth is after the first service,
// or after today.
func bornAfterService(c *Claim, with *RuleContext, born Date) bool {
	first := c.ServiceDates().From
	return with.Today.Before(born) || !first.IsZero() && first.Before(born)
}

func implausiblyOld(born, today Date) bool { return !born.IsZero() && born.AgeOn(today) > oldestAge }

// plausibleMemberID reports whether a payer could have issued the ID: at least
// two letters or digits, and otherwise only separators.
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

// knownStates are the postal codes of states, territories, freely associated
// states and the armed forces, each followed by a space.
const knownStates = "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY " +
	"AS GU MP PR VI FM MH PW AA AE AP "

func knownState(code string) bool { return strings.Contains(knownStates, code+" ") }
