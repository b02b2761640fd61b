package edi

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing/coverage"
)

// The patterns match the set phrases in which payers state a plan's rules. They
// expect text in upper case.
var (
	missingToothWords = regexp.MustCompile(`MISSING (?:TOOTH|TEETH)|(?:TOOTH|TEETH) (?:MISSING|LOST|EXTRACTED) (?:PRIOR|BEFORE)|` +
		`(?:TOOTH|TEETH) (?:MUST (?:BE|HAVE BEEN) )?(?:LOST|EXTRACTED|REMOVED) WHILE (?:INSURED|COVERED)`)
	waitingWords   = regexp.MustCompile(`\bWAIT(?:ING)? PERIOD`)
	authorizeWords = regexp.MustCompile(`\bPRE[- ]?(?:DETERMIN|AUTHORI[SZ]|CERTIFI|TREATMENT (?:ESTIMATE|REVIEW))|\bPRIOR AUTHORI[SZ]`)
	otherPlanWords = regexp.MustCompile(`\bCOORDINATION OF BENEFITS|\bCOB\b|\bNON[- ]?DUPLICATION|\bBIRTHDAY RULE`)
	prepWords      = regexp.MustCompile(`\bPREP(?:ARATION)? DATE|\bDATE OF PREP`)
	seatWords      = regexp.MustCompile(`\bSEAT(?:ING)? DATE|\bDATE OF SEAT|\bINSERTION DATE|\bDELIVERY DATE`)
)

// says reports whether a message in upper case matches the pattern. For speed, it first
// checks that the message contains one of the stems: most messages match no rule.
func says(upper string, words *regexp.Regexp, stems ...string) bool {
	return has(upper, stems...) && words.MatchString(upper)
}

// mentions reports whether the message contains one of the stems, ignoring case.
func mentions(message string, stems ...string) bool { return has(strings.ToUpper(message), stems...) }

func has(upper string, stems ...string) bool {
	return slices.ContainsFunc(stems, func(s string) bool { return strings.Contains(upper, s) })
}

// takeRules moves the row's messages that state a plan rule to the plan's rules. It
// leaves messages about a single procedure in the row.
func (a *answer) takeRules(r *row) {
	if r.code != "" || r.foreign {
		return
	}
	r.notes = slices.DeleteFunc(r.notes, func(m string) bool { return a.takeRule(m, r) })
}

// ofClass returns the message with the row's categories, or else its class, unless the
// message names them all, or the row is about the whole plan.
func (r *row) ofClass(message string) string {
	unnamed := func(word string) bool { return !strings.Contains(strings.ToUpper(message), strings.ToUpper(word)) }
	switch {
	case len(r.categories) > 1 && r.general():
	case slices.ContainsFunc(r.categories, func(c coverage.Category) bool { return unnamed(words(c)) }):
		return join(": ", names(r.categories), message)
	case len(r.categories) == 0 && unnamed(r.subject):
		return join(": ", r.subject, message)
	}
	return message
}

// takeRule adds the plan rule that the row's message states, and reports whether it found
// one. Waiting periods and authorizations differ by category, so they are said with those
// of the row; other rules apply to the whole plan.
func (a *answer) takeRule(message string, r *row) (taken bool) {
	upper := strings.ToUpper(message)
	waits := says(upper, waitingWords, "WAIT PERIOD", "WAITING PERIOD")
	if waits {
		a.waitIn(upper, r.categories)
	}
	for _, t := range [...]struct {
		stated, differs bool
		field           *string
	}{
		{says(upper, missingToothWords, "TOOTH", "TEETH"), false, &a.rules.MissingToothClause},
		{waits, true, &a.rules.WaitingPeriod},
		{says(upper, authorizeWords, "DETERMIN", "AUTHORI", "CERTIFI", "TREATMENT"), true, &a.rules.PreAuthorization},
		{says(upper, otherPlanWords, "COORDINATION", "COB", "DUPLICATION", "BIRTHDAY"), false, &a.rules.CoordinationOfBenefits},
	} {
		switch {
		case !t.stated:
			continue
		case t.differs:
			appendRule(t.field, r.ofClass(message))
		default:
			appendRule(t.field, message)
		}
		taken = true
	}
	prep, seat := says(upper, prepWords, "PREP"), says(upper, seatWords, "SEAT", "INSERTION DATE", "DELIVERY DATE")
	if prep != seat && a.rules.MajorServicesPaidOn == "" {
		a.rules.MajorServicesPaidOn = map[bool]string{true: "prep_date", false: "seat_date"}[prep]
		taken = true
	}
	return taken
}

func appendRule(field *string, said string) {
	if !strings.Contains("; "+*field+"; ", "; "+said+"; ") {
		*field = join("; ", *field, said)
	}
}

func words(c coverage.Category) string { return strings.ReplaceAll(string(c), "_", " ") }

func names(all []coverage.Category) string {
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = words(c)
	}
	return strings.Join(out, ", ")
}

// authorizations adds the authorization requirements (EB11) of the plan and of its
// categories.
func (a *answer) authorizations() {
	for _, r := range a.rows {
		if r.Authorization != "Y" || r.code != "" || r.foreign {
			continue
		}
		said := join(" for ", "Authorization is needed", strings.ReplaceAll(r.about(), "_", " "))
		appendRule(&a.rules.PreAuthorization, said)
	}
}

// otherPayer is the EB01 of a row about another payer of the patient.
const otherPayer = "R"

// otherPayers adds the other payers that the payer reports.
func (a *answer) otherPayers() {
	for _, r := range a.rows {
		if r.Code != otherPayer {
			continue
		}
		name := strings.TrimSpace(r.Plan)
		for _, p := range r.Related {
			if p.Name.Kind == "2" {
				name = cmp.Or(p.Name.Last, name)
			}
		}
		said := join(": ", "The payer knows of another payer", name)
		appendRule(&a.rules.CoordinationOfBenefits, said)
	}
}

// payerNotes returns the payer's messages that no other field holds, in order and
// without duplicates. The facts that have no field follow.
func (a *answer) payerNotes() []string {
	var out []string
	for _, n := range a.notes {
		out = add(out, n)
	}
	outside := slices.ContainsFunc(a.rows, func(r *row) bool { return !r.foreign && r.tier.standing == outOfNetwork })
	for _, r := range a.rows {
		for _, n := range r.notes {
			where := ""
			if r.tier.standing == outOfNetwork || outside && r.tier.standing == inNetwork {
				where = r.tier.label()
			}
			if where != "" && slices.ContainsFunc(a.rows, func(o *row) bool { // the note is for several networks
				return !r.tier.same(o.tier) && o.subject == r.subject && slices.Contains(o.notes, n)
			}) {
				where = ""
			}
			out = add(out, introduce(r.subject, where)+n)
		}
	}
	for _, n := range a.remarks {
		out = add(out, n)
	}
	return out
}
