package billing

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Search is what a person typed to find patients or claims: words of a name, a date of
// birth, both, or a number.
type Search struct {
	// Number is the whole text, to be compared without case with member IDs and control
	// numbers. It is empty for a date.
	Number string
	Words  []NameWord // each begins a word of the patient's name
	Born   []Date     // the days that the date may mean: of a year of two digits, one in each century
}

// NameWord is a typed word of a name.
type NameWord struct {
	Text string
	Of   NameOf
}

// NameOf is the name that a typed word is of.
type NameOf int

// A comma parts the last name from the first.
const (
	EitherName NameOf = iota
	FirstName
	LastName
)

// MaxSearchPatients is the maximum number of patients that a search finds.
const MaxSearchPatients = 200

// minNumberStart is the number of characters from which a number need not be complete.
const minNumberStart = 3

// ParseSearch reads the text of a search. With a comma, the last name is before it. A
// date is YYYY-MM-DD, MM/DD/YYYY or MM/DD/YY.
func ParseSearch(text string) Search {
	s := Search{Number: strings.TrimSpace(text)}
	var of NameOf
	for _, word := range strings.Fields(strings.ReplaceAll(text, ",", " , ")) {
		switch born := typedDate(word); {
		case word == "," && of == EitherName && len(s.Words) > 0:
			for i := range s.Words {
				s.Words[i].Of = LastName
			}
			of = FirstName
		case word == ",":
		case born != nil && s.Born == nil:
			s.Born, s.Number = born, ""
		default:
			s.Words = append(s.Words, NameWord{word, of})
		}
	}
	return s
}

// Starts reports whether numbers that begin with the text match, too.
func (s Search) Starts() bool { return utf8.RuneCountInString(s.Number) >= minNumberStart }

// Days returns the days of birth to find. A year of two digits is not in the future.
func (s Search) Days(today Date) (days []Date) {
	for _, day := range s.Born {
		if len(s.Born) == 1 || !today.Before(day) {
			days = append(days, day)
		}
	}
	return days
}

// typedDate returns the days that a word may mean.
func typedDate(word string) (days []Date) {
	for _, layout := range []string{time.DateOnly, "1/2/2006"} {
		if t, err := time.Parse(layout, word); err == nil && t.Year() >= 1 {
			return []Date{DateOf(t)}
		}
	}
	slash := strings.LastIndex(word, "/") + 1
	for _, century := range []string{"20", "19", "18"} {
		t, err := time.Parse("1/2/2006", word[:slash]+century+word[slash:])
		if err == nil && slash == len(word)-len("06") {
			days = append(days, DateOf(t))
		}
	}
	return days
}
