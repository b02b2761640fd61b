package billing

import (
	"crypto/sha256"
	"encoding/hex"
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

// Person is a patient to look up in the directory, by the key and the date of
// birth. The rest counts only when the person is new.
type Person struct {
	Key string // of PatientKey
	Patient
}

// NewPerson is the person as an entry made at that time. ok is false when name
// or date of birth is missing, so that two people could not be kept apart.
func NewPerson(scope Scope, firstName, lastName string, born Date, at time.Time) (p Person, ok bool) {
	key, ok := PatientKey(firstName, lastName, born)
	return Person{key, Patient{
		ID: NewID[PatientID](at), Scope: scope, FirstName: firstName, LastName: lastName, DateOfBirth: born, CreatedAt: at,
	}}, ok
}

// PatientKey is what makes two patients the same person within a scope, with
// the date of birth: a digest of the normalised name. ok is false when either is missing.
func PatientKey(firstName, lastName string, born Date) (name string, ok bool) {
	first, last := comparableName(firstName), comparableName(lastName)
	if first == "" && last == "" || born.IsZero() {
		return "", false
	}
	sum := sha256.Sum256([]byte(first + "|" + last)) // names grow when they are normalised, and an index row must not
	return hex.EncodeToString(sum[:]), true
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
