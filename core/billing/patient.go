package billing

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Patient is an entry of the patient directory: one for each organization,
// mode and person.
type Patient struct {
	ID          PatientID
	Scope       Scope
	FirstName   string
	LastName    string
	DateOfBirth Date
	CreatedAt   time.Time
}

// PatientKey is what makes two patients the same person within a scope: the
// normalised name and the date of birth. ok is false when either is missing.
func PatientKey(firstName, lastName string, born Date) (name string, ok bool) {
	first, last := comparableName(firstName), comparableName(lastName)
	if first == "" && last == "" || born.IsZero() {
		return "", false
	}
	return first + "|" + last, true
}

// comparableName keeps letters and digits, without accents and case.
func comparableName(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}
