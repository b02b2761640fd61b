package billing

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Blank reports whether s has no visible character.
func Blank(s string) bool { return !strings.ContainsFunc(s, visible) }

// visible reports whether r can be seen. Some letters and symbols of Unicode
// cannot, such as the Hangul fillers and the empty braille pattern.
func visible(r rune) bool {
	return r != '\u2800' && unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Variation_Selector, r) &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Spellable reports whether X12 files can carry s without a change of meaning.
// They hold only ASCII: accented Latin letters lose their accents, punctuation
// becomes plain or a space, and other characters are dropped. A text of which
// nothing remains is not spellable.
func Spellable(s string) bool {
	return !strings.ContainsFunc(s, lost) && (Blank(s) || strings.ContainsFunc(s, carried))
}

// carried reports whether files carry r or a substitute.
func carried(r rune) bool {
	switch {
	case '!' <= r && r <= '~':
		return !strings.ContainsRune("*^:~", r) // X12's delimiters
	case 0xff01 <= r && r <= 0xff5e: // full-width forms of ASCII
		return carried(r - 0xfee0)
	case strings.ContainsRune("´ʼ‘’“”ƠơƯưȘșȚț", r), 0x2010 <= r && r <= 0x2015: // the last are dashes
		return true
	default:
		return unicode.IsLetter(r) && (0xc0 <= r && r < 0x180 || 0x1e00 <= r && r < 0x1efa && !strings.ContainsRune("ẜẝẟ", r))
	}
}

// lost reports whether dropping r would change the meaning of a text.
func lost(r rune) bool {
	return r > unicode.MaxASCII && visible(r) && !carried(r) && !unicode.IsPunct(r) && !unicode.IsMark(r) &&
		r != '\uff3e' && r != '\uff5e' // full-width delimiters
}

// SpelledLength returns how many characters files have for r: none for letters
// that they drop, two for ligatures, and -1 for a space, however many follow each
// other.
func SpelledLength(r rune) int {
	switch {
	case strings.ContainsRune("ÆæÞþßẞĲĳŒœ", r):
		return 2
	case carried(r):
		return 1
	case (r < 0x1e00 || r >= 0x1f00) && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return 0
	default:
		return -1
	}
}

// ComparableName returns the letters and digits of s, without accents and case. A letter that Unicode
// does not decompose is the one that people type for it, and that files carry.
func ComparableName(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if unicode.IsLetter(r) && !unicode.Is(unicode.Lm, r) || unicode.IsDigit(r) { // Lm has apostrophes
			b.WriteString(typedLetter(r))
		}
	}
	return b.String()
}

// typedLetter returns what people type for a small letter. The function search_key of the database does the same.
func typedLetter(r rune) string {
	switch r {
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'đ', 'ð':
		return "d"
	case 'ħ':
		return "h"
	case 'ŧ':
		return "t"
	case 'ŋ':
		return "n"
	case 'ı':
		return "i"
	case 'ĸ':
		return "k"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'þ':
		return "th"
	default:
		return string(r)
	}
}
