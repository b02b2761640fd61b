package directory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/molar-billing/molar/core/billing"
)

// Patient is an entry of the patient directory: one for each organization,
// mode and person.
type Patient struct {
	ID          billing.PatientID
	Scope       billing.Scope
	FirstName   string
	LastName    string
	DateOfBirth billing.Date
	CreatedAt   time.Time
}

// Position returns the place in a list, by the time and the ID.
func (p *Patient) Position() billing.Position { return billing.Position{Time: p.CreatedAt, ID: p.ID} }

// Person is a patient to find in the directory by key and date of birth. The
// other fields are used only when the person is new.
type Person struct {
	Key string // of PatientKey
	Patient
}

// NewPerson returns the person, with a new directory entry created at the given
// time. ok is false when the name or the date of birth is missing, because two
// people could then have the same key.
func NewPerson(scope billing.Scope, firstName, lastName string, born billing.Date, stamp billing.Real, at time.Time) (p Person, ok bool) {
	key, ok := PatientKey(firstName, lastName, born)
	return Person{key, Patient{
		ID: billing.NewID[billing.PatientID](stamp), Scope: scope, FirstName: firstName, LastName: lastName, DateOfBirth: born, CreatedAt: at,
	}}, ok
}

// PatientKey returns a digest of the normalized name. With the date of birth it
// identifies a person within a scope. ok is false when either is missing.
func PatientKey(firstName, lastName string, born billing.Date) (name string, ok bool) {
	first, last := keyOf(firstName), keyOf(lastName)
	if first == "" && last == "" || born.IsZero() {
		return "", false
	}
	sum := sha256.Sum256([]byte(first + "|" + last)) // a normalized name may be too long for an index row
	return hex.EncodeToString(sum[:]), true
}

// keyOf returns the letters and digits of a name, without accents and case. Stored patients have digests of it, so
// it stays as it is, whatever billing.ComparableName makes of a letter.
func keyOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, norm.NFKD.String(cases.Fold().String(name)))
}
