package claims

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
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

// TestNoteOverflow compares what the domain says that a file leaves out of a note with
// what the file has.
func TestNoteOverflow(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("ab  c. \u00df\u0133\u00e9\u0301\u6b6f*~\u00d7\t\u2019\uff21\uff0a\u1e9c\u1eff")
	for range 20_000 {
		note := make([]rune, random.IntN(600))
		for i := range note {
			note[i] = letters[random.IntN(len(letters))]
		}
		attached := random.IntN(7)
		c := claim.Content{Note: string(note)}
		text := string(x12.Text(c.Note))
		rest := text
		for _, part := range chop(text)[:min(len(chop(text)), max(MaxNotes-attached, 0))] {
			rest = strings.TrimPrefix(strings.TrimSpace(rest), part)
		}
		want := 0
		for _, part := range chop(rest) {
			want += len(part)
		}
		if got := c.NoteOverflow(attached); got < want || got > want+len(rest)/maxNote {
			t.Fatalf("%q beside %d attachments: %d, want %d", c.Note, attached, got, want)
		}
	}
}
