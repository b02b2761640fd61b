package credentials

import (
	"strings"

	"github.com/ccojocar/zxcvbn-go"
	"github.com/ccojocar/zxcvbn-go/matching"
)

// Strength measures a password with zxcvbn, as it is and with the signs that stand for
// letters read as letters. The library's own reading of such signs tries all
// combinations: 72 of them take minutes.
func (p *Credentials) Strength(password string, known []string) int {
	strength := 4
	for _, read := range []string{password, readings("i").Replace(password), readings("l").Replace(password)} {
		strength = min(strength, zxcvbn.PasswordStrength(read, known, matching.FilterL33tMatcher).Score)
	}
	return strength
}

// readings returns the letters that signs stand for; one of them stands for two.
func readings(one string) *strings.Replacer {
	return strings.NewReplacer("@", "a", "4", "a", "8", "b", "3", "e", "6", "g", "1", one, "!", one, "|", one, "0", "o", "$", "s", "5", "s", "7", "t", "+", "t", "2", "z")
}
