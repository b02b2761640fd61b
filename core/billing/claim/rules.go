package claim

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// RuleContext is the data that the rules use besides the claim.
type RuleContext struct {
	Today    billing.Date        // in the office's time zone
	Office   *directory.Office   // nil leaves its rules out
	Provider *directory.Provider // the rendering provider; nil for none
	Payer    *directory.Payer    // nil leaves its rules out
	Similar  []*Claim            // of the same patient on the same days; they may include the claim itself
	Attached int                 // how many closed attachments the claim's file names

	Sent       bool                      // a network of live mode carries claims to the payer
	Enrollment directory.EnrollmentState // of the office with the payer for claims; empty for none
}

// rule is a rule for claims that can be sent, or for a part of them. The message
// repeats no value of the claim.
type rule[T part] struct {
	code, field, message, fix string

	broken func(at T, with *RuleContext) bool
}

// part is a claim, or an item of one of its lists.
type part interface {
	path() string // what the names of its fields start with
}

// The parts of a claim that have rules.
type (
	// lineOf is line i of the claim.
	lineOf struct {
		*Line
		claim *Claim
		i     int
	}
	// coverageOf is other coverage i of the claim.
	coverageOf struct {
		*OtherCoverage
		claim *Claim
		i     int
	}
	// decisionOf is line j in the adjudication of an other coverage.
	decisionOf struct {
		*CoverageLine
		of coverageOf
		j  int
	}
)

func (*Claim) path() string       { return "" }
func (l lineOf) path() string     { return "lines." + strconv.Itoa(l.i) + "." }
func (o coverageOf) path() string { return "other_coverage." + strconv.Itoa(o.i) + "." }
func (d decisionOf) path() string {
	return d.of.path() + "adjudication.lines." + strconv.Itoa(d.j) + "."
}

// apply adds the findings of the rules for a part.
func apply[T part](found []Finding, at T, with *RuleContext, rules []rule[T]) []Finding {
	for n := range rules {
		if r := &rules[n]; r.broken(at, with) {
			found = append(found, Finding{r.code, at.path() + r.field, r.message, r.fix})
		}
	}
	return found
}

// missing returns the rule that a field has a value. What names the field in
// messages. Drafts and changes may leave the field out. A claim that is sent
// must have it.
func missing[T part](field, what string, is func(T) bool) rule[T] {
	return rule[T]{
		"required", field, "The " + what + " is missing.", "Enter the " + what + ".",
		func(at T, _ *RuleContext) bool { return is(at) },
	}
}

// lacks returns the rule that a text field is not blank.
func lacks[T part](field, what string, value func(T) string) rule[T] {
	return missing(field, what, func(at T) bool { return billing.Blank(value(at)) })
}

// unspelled returns the rule that a name has a letter that X12 can carry. Files
// have Latin letters without accents, and an X for a name without them.
func unspelled[T part](field string, name func(T) string) rule[T] {
	return rule[T]{
		"name_not_latin", field, "The name has no Latin letters, and files to payers can carry no others.",
		"Enter the name in Latin letters, as the plan has it.",
		func(at T, _ *RuleContext) bool { return notLatin(name(at)) },
	}
}

func notLatin(name string) bool {
	return !billing.Blank(name) && !strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Latin, r) || unicode.IsDigit(r) })
}

// uncarried returns the rule that X12 can carry the whole text.
func uncarried[T part](field string, value func(T) string) rule[T] {
	return rule[T]{
		"text_not_carried", field, "Files to payers cannot carry some of the characters in this text.",
		"Use Latin letters, digits and plain punctuation.",
		func(at T, _ *RuleContext) bool { return !billing.Spellable(value(at)) },
	}
}

// ofMemberID returns the rule for a member ID. It has 2 characters or more (NM109),
// all of which files can carry.
func ofMemberID[T part](field string, id func(T) string) rule[T] {
	return rule[T]{
		"member_id_form", field, "No payer issues member IDs in this form.", "Copy the member ID from the insurance card: at least two letters or digits.",
		func(at T, _ *RuleContext) bool { return !billing.Blank(id(at)) && !plausibleMemberID(id(at)) },
	}
}

// ofAddress returns the rules for an address with any value. An address without one
// is missing, which has a rule of its own where it is required.
func ofAddress[T part](field, whose string, address func(T) directory.Address) []rule[T] {
	lacking := func(name, what string, value func(a directory.Address) string) rule[T] {
		return missing(field+"."+name, whose+" "+what, func(at T) bool {
			a := address(at)
			return a != directory.Address{} && billing.Blank(value(a))
		})
	}
	return []rule[T]{
		lacking("line1", "street address", func(a directory.Address) string { return a.Line1 }),
		{"address_line", field + ".line1", "The street address has no letters or digits.", "Enter the street and number.", func(at T, _ *RuleContext) bool {
			line := address(at).Line1
			return !billing.Blank(line) && billing.ComparableName(line) == ""
		}},
		uncarried(field+".line1", func(at T) string { return address(at).Line1 }),
		uncarried(field+".line2", func(at T) string { return address(at).Line2 }),
		lacking("city", "city", func(a directory.Address) string { return a.City }),
		uncarried(field+".city", func(at T) string { return address(at).City }),
		lacking("state", "state", func(a directory.Address) string { return a.State }),
		{"state_unknown", field + ".state", stateUnknown, stateFix, func(at T, _ *RuleContext) bool {
			state := address(at).State
			return state != "" && !directory.KnownState(state)
		}},
		lacking("zip", "ZIP code", func(a directory.Address) string { return a.ZIP }),
		// The postal service uses no prefix below 005.
		{"zip_unknown", field + ".zip", "The ZIP code does not exist.", "Look up the ZIP code and correct it.", func(at T, _ *RuleContext) bool {
			zip := address(at).ZIP
			return zip != "" && zip < "005"
		}},
	}
}

const (
	npiFix       = "Look up the NPI in the national registry (NPPES) and enter it correctly."
	stateUnknown = "The state does not exist."
	stateFix     = "Enter the two-letter postal code of the state, such as TX."
)

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
