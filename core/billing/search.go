package billing

import (
	"strings"
	"time"
)

// Search is what a person typed to find patients or claims: a name, a date of birth,
// both, or a number.
type Search struct {
	Reference string       // the whole text: a member ID or a control number, compared without case
	Names     []NameSearch // the ways to read the words as a name; a patient matches one of them
	Born      Date         // zero for none
}

// NameSearch matches names that begin with First and with Last. An empty one matches
// every name.
type NameSearch struct {
	First, Last string
}

// MaxSearchPatients is the maximum number of patients that a search finds.
const MaxSearchPatients = 200

// maxNameWords is the number of words that can be a name without a comma.
const maxNameWords = 4

// ParseSearch reads the text of a search. A comma after the last name is optional. A
// date is YYYY-MM-DD or MM/DD/YYYY.
func ParseSearch(text string) Search {
	s := Search{Reference: strings.TrimSpace(text)}
	var words []string
	last := -1 // the number of words before the comma
	for _, word := range strings.Fields(strings.ReplaceAll(text, ",", " , ")) {
		born, ok := typedDate(word)
		switch {
		case word == ",":
			last = len(words)
		case ok && s.Born.IsZero():
			s.Born, s.Reference = born, ""
		default:
			words = append(words, word)
		}
	}
	s.Names = readings(words, last)
	return s
}

func typedDate(word string) (Date, bool) {
	for _, layout := range []string{time.DateOnly, "01/02/2006", "1/2/2006"} {
		if t, err := time.Parse(layout, word); err == nil && t.Year() >= 1 {
			return DateOf(t), true
		}
	}
	return Date{}, false
}

// readings returns the ways to read words as a name. Before a comma is the last name.
func readings(words []string, comma int) (all []NameSearch) {
	whole := strings.Join(words, " ")
	switch {
	case whole == "", strings.ContainsAny(whole, "0123456789"):
		return nil
	case comma > 0:
		return []NameSearch{{Last: strings.Join(words[:comma], " "), First: strings.Join(words[comma:], " ")}}
	case len(words) > maxNameWords:
		return nil
	}
	all = []NameSearch{{Last: whole}, {First: whole}}
	for i := 1; i < len(words); i++ {
		before, after := strings.Join(words[:i], " "), strings.Join(words[i:], " ")
		all = append(all, NameSearch{First: before, Last: after}, NameSearch{First: after, Last: before})
	}
	return all
}
