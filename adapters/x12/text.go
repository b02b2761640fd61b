package x12

import (
	"strconv"
	"strings"
	"unicode"
)

// Element is a value that is safe to write into a segment. Text makes Elements from
// all values except literals, so that none contains a delimiter.
type Element string

// Text converts s to upper-case ASCII without delimiters, control characters or
// surplus spaces. It strips accents, spells out Latin ligatures, drops letters of
// other scripts, and replaces other characters with spaces. The result may be
// empty: the caller must supply a substitute for a mandatory element.
func Text(s string) Element {
	if isText(s) { // the usual case
		return Element(s)
	}
	var short [64]byte // most values fit
	b := short[:0]
	for _, r := range s {
		b = appendText(b, r)
	}
	n := 0 // without surplus spaces
	for _, c := range b {
		if c != ' ' || n > 0 && b[n-1] != ' ' {
			b[n] = c
			n++
		}
	}
	if n > 0 && b[n-1] == ' ' {
		n--
	}
	return Element(b[:n])
}

// isText reports whether Text would return s unchanged.
func isText(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || c >= 'a' && c <= 'z' || c == ' ' && before == ' ' || c == '`' || reserved(rune(c)) {
			return false
		}
		before = c
	}
	return before != ' ' || s == ""
}

// reserved reports whether r is one of the Writer's delimiters.
func reserved(r rune) bool { return r == '*' || r == '^' || r == ':' || r == '~' }

// Clip converts s like Text and cuts it to limit characters, the element's maximum
// length.
func Clip(s string, limit int) Element {
	t := Text(s)
	if len(t) > limit {
		t = Element(strings.TrimRight(string(t[:limit]), " "))
	}
	return t
}

// Int formats a whole number.
func Int(n int) Element { return Element(strconv.Itoa(n)) }

// Cents formats cents as a decimal of dollars (type R), without leading zeros
// and without trailing zeros after the point.
func Cents(n int64) Element {
	sign, u := "", uint64(n) //nolint:gosec // G115: the next line undoes the wrap, the lowest number included
	if n < 0 {
		sign, u = "-", -u
	}
	whole, cents := u/100, u%100
	switch {
	case cents == 0:
		return Element(sign + strconv.FormatUint(whole, 10))
	case whole > 0:
		sign += strconv.FormatUint(whole, 10)
	}
	return Element(sign + "." + strings.TrimRight(string([]byte{'0' + byte(cents/10), '0' + byte(cents%10)}), "0"))
}

// Composite joins components and drops trailing empty ones.
func Composite(components ...Element) Element { return join(components, writeDelimiters.Component) }

// Repeat joins the repetitions of one element and drops empty ones.
func Repeat(values ...string) Element {
	var all []Element
	for _, v := range values {
		if t := Text(v); t != "" {
			all = append(all, t)
		}
	}
	return join(all, writeDelimiters.Repetition)
}

func join(parts []Element, by byte) Element {
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(by)
		}
		b.WriteString(string(p))
	}
	return Element(b.String())
}

// The upper-case base letters for U+00C0 to U+017F and for U+1E00 to U+1EFF. A digit
// represents several letters: see ligature.
const (
	latin = "AAAAAA1CEEEEIIIIDNOOOOO OUUUUY23AAAAAA1CEEEEIIIIDNOOOOO OUUUUY2Y" +
		"AAAAAACCCCCCCCDDDDEEEEEEEEEEGGGGGGGGHHHHIIIIIIIIII44JJKKKLLLLLLL" +
		"LLLNNNNNNNNNOOOOOO55RRRRRRSSSSSSSSTTTTTTUUUUUUUUUUUUWWYYYZZZZZZS"
	latinAdditional = "AABBBBBBCCDDDDDDDDDDEEEEEEEEEEFFGGHHHHHHHHHHIIIIKKKKKKLLLLLLLLMM" +
		"MMMMNNNNNNNNOOOOOOOOPPPPRRRRRRRRSSSSSSSSSSTTTTTTTTUUUUUUUUUUVVVV" +
		"WWWWWWWWWWXXXXYYZZZZZZHTWYAS  3 AAAAAAAAAAAAAAAAAAAAAAAAEEEEEEEE" +
		"EEEEEEEEIIIIOOOOOOOOOOOOOOOOOOOOOOOOUUUUUUUUUUUUUUYYYYYYYY      "
)

func ligature(digit byte) string {
	return [...]string{"AE", "TH", "SS", "IJ", "OE"}[digit-'1']
}

func appendText(b []byte, r rune) []byte {
	var c byte = ' '
	switch {
	case 'a' <= r && r <= 'z':
		c = byte(r) - 'a' + 'A'
	case reserved(r) || r < ' ' || r == 0x7f:
	case r == '`' || r == '\u2018' || r == '\u2019' || r == '\u02bc' || r == '\u00b4':
		c = '\''
	case r < 0x7f:
		c = byte(r)
	case 0xc0 <= r && r < 0x180:
		c = latin[r-0xc0]
	case 0x1e00 <= r && r < 0x1f00:
		c = latinAdditional[r-0x1e00]
	case r == '\u01a0' || r == '\u01a1': // Vietnamese O and U with horn
		c = 'O'
	case r == '\u01af' || r == '\u01b0':
		c = 'U'
	case r == '\u0218' || r == '\u0219': // Romanian, with a comma below
		c = 'S'
	case r == '\u021a' || r == '\u021b':
		c = 'T'
	case r == '\u201c' || r == '\u201d':
		c = '"'
	case 0x2010 <= r && r <= 0x2015: // hyphens and dashes
		c = '-'
	case 0xff01 <= r && r <= 0xff5e: // full-width forms of ASCII
		return appendText(b, r-0xfee0)
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return b
	}
	if r >= 0x80 && '1' <= c && c <= '5' {
		return append(b, ligature(c)...)
	}
	return append(b, c)
}
