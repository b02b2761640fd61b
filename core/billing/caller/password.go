package caller

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
)

//go:embed passwords.txt
var passwordsFile string

// commonPasswords returns the passwords that people choose most, in lower case.
var commonPasswords = sync.OnceValue(func() map[string]bool { //nolint:gochecknoglobals // read once, never changed
	common := map[string]bool{}
	for line := range strings.Lines(passwordsFile) {
		common[strings.ToLower(strings.TrimSuffix(line, "\n"))] = true
	}
	return common
})

// The lengths of a password, in characters. The maximum bounds the work of
// hashing one.
const (
	minPassword = 12
	maxPassword = 128
)

// What is measured of a password, and the least strength of one that is good.
const (
	measuredPassword = 72
	leastStrength    = 3
)

// Measured returns the part of a password whose strength is measured.
func Measured(password string) string {
	n := 0
	for i := range password {
		if n++; n > measuredPassword {
			return password[:i]
		}
	}
	return password
}

// KnownWords returns the words that are no secret in the password of a user.
func KnownWords(email, organization string) []string {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	words := []string{"molar", email, organization, strings.Join(strings.FieldsFunc(organization, apart), "")}
	return append(words, strings.FieldsFunc(email+" "+organization, apart)...)
}

// WeakPassword reports whether a password of the strength is easy to guess: also when
// it is one of the most common, or the user's email address.
func WeakPassword(text, email string, strength int) bool {
	lower := strings.ToLower(text)
	return strength < leastStrength || commonPasswords()[lower] || lower == email
}

// JudgePassword adds a fault when the text is no password of the strength for a user with
// the email address: it is too short, too long or easy to guess.
func JudgePassword(f *billing.Faults, field, text, email string, strength int) {
	switch n := utf8.RuneCountInString(text); {
	case n < minPassword:
		f.Add(field, billing.FaultTooFew, fmt.Sprintf("A password has at least %d characters.", minPassword))
	case n > maxPassword:
		f.Add(field, billing.FaultTooLong, fmt.Sprintf("A password has at most %d characters.", maxPassword))
	case WeakPassword(text, email, strength):
		f.Add(field, billing.FaultNotAllowed, "This password is easy to guess. Use several words that do not belong together.")
	}
}
