package edi

import (
	"slices"
	"strings"
	"unicode"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// differences returns what the reply has otherwise than the inquiry about the subscriber and
// the patient. A value that one of the two lacks is no difference.
func (a *answer) differences(group string) []coverage.Difference {
	d := &differing{}
	s := a.inquiry.Subscriber
	holder := a.holder
	if p := a.inquiry.Patient; p != nil {
		switch {
		case a.dependent != nil:
			d.person("patient", p.FirstName, p.LastName, p.DateOfBirth, p.Gender, a.dependent)
		case holder != nil && isPerson(holder, p.FirstName, p.LastName, p.DateOfBirth): // who has a member ID of their own
			d.person("patient", p.FirstName, p.LastName, p.DateOfBirth, p.Gender, holder)
			holder = nil
		}
	}
	if holder != nil {
		d.person("subscriber", s.FirstName, s.LastName, s.DateOfBirth, s.Gender, holder)
		if id := holder.Name.ID; holder.Name.IDQualifier == "MI" {
			d.text("subscriber.member_id", s.MemberID, id, squash(s.MemberID) == squash(id))
		}
	}
	if sent := s.GroupNumber; sent != nil {
		d.text("subscriber.group_number", *sent, group, squash(*sent) == squash(group))
	}
	return d.found
}

// differing collects differences.
type differing struct{ found []coverage.Difference }

func (d *differing) text(field, sent, returned string, same bool) {
	if !same && squash(sent) != "" && squash(returned) != "" {
		d.found = append(d.found, coverage.Difference{Field: field, Sent: sent, Returned: strings.TrimSpace(returned)})
	}
}

func (d *differing) person(who, first, last string, born billing.Date, gender coverage.Gender, m *eligibility.Member) {
	d.text(who+".first_name", first, m.Name.First, sameFirstName(first, m.Name.First))
	d.text(who+".last_name", last, m.Name.Last, sameLastName(last, m.Name.Last))
	d.text(who+".date_of_birth", born.String(), m.BirthDate.String(), born == m.BirthDate)
	if known := genders[m.Gender]; gender != coverage.GenderUnknown {
		d.text(who+".gender", string(gender), string(known), gender == known)
	}
}

// genders are the codes of DMG03. U, unknown, is no difference.
//
//nolint:gochecknoglobals // a constant table
var genders = map[string]coverage.Gender{"F": coverage.GenderFemale, "M": coverage.GenderMale}

// isPerson reports whether the loop is about the person of that name and birth date.
func isPerson(m *eligibility.Member, first, last string, born billing.Date) bool {
	return sameFirstName(first, m.Name.First) && sameLastName(last, m.Name.Last) && (m.BirthDate.IsZero() || m.BirthDate == born)
}

// sameFirstName compares two first names without middle names, which some people write
// into the same field.
func sameFirstName(a, b string) bool {
	if strings.EqualFold(a, b) { // as almost all are
		return true
	}
	x, y := nameWords(a), nameWords(b)
	if len(x) == 0 || len(y) == 0 {
		return true
	}
	return x[0] == y[0] || strings.Join(x, "") == strings.Join(y, "")
}

// sameLastName compares two last names without suffixes.
func sameLastName(a, b string) bool {
	return strings.EqualFold(a, b) || strings.Join(nameWords(a), "") == strings.Join(nameWords(b), "")
}

// suffixes are the words after a name that are no part of it.
//
//nolint:gochecknoglobals // a constant table
var suffixes = []string{"JR", "SR", "II", "III", "IV", "ESQ", "MD", "DDS", "DMD", "PHD"}

// inWords takes out the signs that stand within a word, as in O'Brien and J.R.
//
//nolint:gochecknoglobals // a constant table
var inWords = strings.NewReplacer("'", "", ".", "")

// nameWords returns the words of a name in upper case, without accents, signs and suffixes.
func nameWords(name string) []string {
	words := strings.FieldsFunc(inWords.Replace(string(x12.Text(name))), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	for len(words) > 1 && slices.Contains(suffixes, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return words
}

// squash returns the letters and digits of a text in upper case, without accents.
func squash(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, string(x12.Text(s)))
}
