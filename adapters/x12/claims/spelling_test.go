package claims

import (
	"testing"
	"unicode"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// TestSpellable compares the rule with what files carry, for every letter,
// digit and symbol.
func TestSpellable(t *testing.T) {
	t.Parallel()
	for r := rune(' '); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.L, unicode.N, unicode.S) || r == '\uff3e' || r == '\uff5e' || r == '\u3164' || r == '\uffa0' ||
			r == '\u115f' || r == '\u1160' || r == '\u2800' {
			continue // full-width delimiters become a space; the rest are invisible
		}
		if kept := x12.Text(string(r)) != ""; kept != billing.Spellable(string(r)) {
			t.Errorf("%U: carried %t, spellable %t", r, kept, !kept)
		}
	}
	for _, s := range []string{"*", " :~^ ", "\u2026", "\u6b6f", "2\u00bd mm"} {
		if billing.Spellable(s) {
			t.Errorf("%q is spellable", s)
		}
	}
	for _, s := range []string{"", "plain", "Zo\u00eb, cafe\u0301 \u201cx\u201d \u2013 2:1*~^", "\u200b\n\t\u00a0"} {
		if !billing.Spellable(s) {
			t.Errorf("%q is not spellable", s)
		}
	}
}
