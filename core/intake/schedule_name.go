package intake

import (
	"regexp"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// name reads a person's name from two columns, or from one: "Last, First M." or "First Last".
// Middle initials, suffixes such as Jr., and preferred names, in quotation marks or brackets, are left out: a check has
// none of them, and payers compare names without them.
func (r *scheduleRow) name(column, field string, from map[string]string) (first, last string) {
	from[field+"first_name"], from[field+"last_name"] = column+"first_name", column+"last_name"
	r.lost(column+"first_name", field+"first_name")
	r.lost(column+"last_name", field+"last_name")
	first, last = r.text(column+"first_name"), r.text(column+"last_name")
	if first != "" || last != "" {
		return first, last
	}
	if _, ok := r.found[column+"name"]; !ok {
		return "", ""
	}
	from[field+"first_name"], from[field+"last_name"] = column+"name", column+"name"
	if r.lost(column+"name", field+"last_name") {
		return "", ""
	}
	parts := strings.Split(preferred.ReplaceAllString(r.text(column+"name"), " "), ",")
	for i := range parts {
		parts[i] = withoutSuffix(parts[i])
	}
	for n := len(parts); n > 1 && (suffix.MatchString(parts[n-1]) || n > 2 && parts[n-1] == ""); n = len(parts) {
		parts = parts[:n-1]
	}
	if len(parts) > 2 && suffix.MatchString(parts[1]) { // Smith, Jr., John
		parts = slices.Delete(parts, 1, 2)
	}
	switch len(parts) {
	case 1:
		return r.split(column, field, strings.Fields(withoutMiddle(parts[0])))
	case 2:
		return withoutInitial(parts[1]), parts[0]
	}
	r.unclear(column, field, parts[0]+", "+strings.Join(parts[1:], " "))
	return "", ""
}

// split reads a name without a comma, of which two words are the first and the last name.
func (r *scheduleRow) split(column, field string, words []string) (first, last string) {
	switch len(words) {
	case 0:
		return "", ""
	case 2:
		return words[0], words[1]
	}
	var readings []string
	for i := 1; i < len(words) && i <= maxSplits; i++ {
		readings = append(readings, strings.Join(words[i:], " ")+", "+strings.Join(words[:i], " "))
	}
	r.unclear(column, field, readings...)
	return "", ""
}

// unclear notes a name with several readings.
func (r *scheduleRow) unclear(column, field string, readings ...string) {
	f := r.fault(column+"name", field+"last_name", billing.FaultFormat, "Which part is the last name? Write the name as Last, First.")
	f.Candidates = nil
	for _, name := range readings {
		f.Candidates = append(f.Candidates, Candidate{name, name})
	}
}

// maxSplits bounds the readings of a name.
const maxSplits = 5

var (
	preferred = regexp.MustCompile(`"[^"]*"|\([^)]*\)`)
	initial   = regexp.MustCompile(`^\pL\.?$`)
	suffix    = regexp.MustCompile(`(?i)^(jr|sr|ii|iii|iv)\.?$`)
)

// withoutSuffix returns a name with single spaces, and without a suffix at its end. A suffix alone stays.
func withoutSuffix(name string) string {
	parts := strings.Fields(name)
	if n := len(parts); n > 1 && suffix.MatchString(parts[n-1]) {
		parts = parts[:n-1]
	}
	return strings.Join(parts, " ")
}

// withoutInitial returns first names without a middle initial at their end.
func withoutInitial(first string) string {
	parts := strings.Fields(first)
	if n := len(parts); n > 1 && initial.MatchString(parts[n-1]) {
		parts = parts[:n-1]
	}
	return strings.Join(parts, " ")
}

// withoutMiddle returns First M. Last without the initial.
func withoutMiddle(name string) string {
	parts := strings.Fields(name)
	if len(parts) == 3 && initial.MatchString(parts[1]) {
		return parts[0] + " " + parts[2]
	}
	return name
}
