package billing

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
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

// Password adds a fault when the text is no password for a user with the email
// address: it is too short, too long, too common, or the address itself.
func (f *Faults) Password(field, text, email string) {
	lower := strings.ToLower(text)
	switch n := utf8.RuneCountInString(text); {
	case n < minPassword:
		f.Add(field, FaultTooFew, fmt.Sprintf("A password has at least %d characters.", minPassword))
	case n > maxPassword:
		f.Add(field, FaultTooLong, fmt.Sprintf("A password has at most %d characters.", maxPassword))
	case commonPasswords()[lower], lower == email:
		f.Add(field, FaultNotAllowed, "This password is easy to guess. Choose another.")
	}
}
