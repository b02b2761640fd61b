package x12

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Segment is a segment of an interchange. It is valid until the next call of
// Reader.Next; the strings that it returns stay valid.
type Segment struct {
	ID      string // such as "NM1"
	Ordinal int    // from 1 for the first ISA of the input
	Offset  int    // of the first byte in the input

	raw        []byte // without the terminator, in the Reader's memory
	waiting    bool   // raw has not been split yet
	text       string // a permanent copy of raw
	ends       []int  // the offsets in text at which the ID and each element end
	delimiters Delimiters
	page       *strings.Builder // the text of the latest segments
}

// Len returns the number of elements.
func (s *Segment) Len() int {
	if s.waiting {
		s.load()
	}
	return max(len(s.ends)-1, 0)
}

// Element returns the element at position n, from 1 as X12 counts (Element(3) of
// an EB is EB03), without surrounding spaces. It is empty when absent.
func (s *Segment) Element(n int) string {
	if s.waiting {
		s.load()
	}
	e, trimmed := s.element(n)
	if !trimmed {
		e = strings.TrimSpace(e)
	}
	return e
}

// element is Element for a segment that has been split. It reports whether there are no
// spaces to remove, as usual. Fields asks it first, because the compiler puts it in place.
func (s *Segment) element(n int) (e string, trimmed bool) {
	if n < 1 || n >= len(s.ends) {
		return "", true
	}
	e = s.text[s.ends[n-1]+1 : s.ends[n]]
	return e, e == "" || solid(e[0]) && solid(e[len(e)-1])
}

// solid reports whether c is printable ASCII other than the space.
func solid(c byte) bool { return c > ' ' && c < 0x7f }

// Component returns component c, from 1, of element n. It is empty when absent.
func (s *Segment) Component(n, c int) string {
	rest := s.Element(n)
	for ; c > 1; c-- {
		_, after, found := strings.Cut(rest, string(s.delimiters.Component))
		if !found {
			return ""
		}
		rest = after
	}
	first, _, _ := strings.Cut(rest, string(s.delimiters.Component))
	return strings.TrimSpace(first)
}

// Components splits element n. It returns nil when the element is absent.
func (s *Segment) Components(n int) []string { return s.split(n, s.delimiters.Component) }

// Repetitions splits the repeating element n. It returns nil when the element is
// absent. In versions without repetition it returns the whole element.
func (s *Segment) Repetitions(n int) []string {
	if s.delimiters.Repetition == 0 {
		if e := s.Element(n); e != "" {
			return []string{e}
		}
		return nil
	}
	return s.split(n, s.delimiters.Repetition)
}

func (s *Segment) split(n int, by byte) []string {
	e := s.Element(n)
	if e == "" {
		return nil
	}
	parts := strings.Split(e, string(by))
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return parts
}

// Fault returns an Error at the segment. The reason must not quote an element.
func (s *Segment) Fault(reason string) *Error { return &Error{s.Ordinal, s.Offset, reason} }

// parse reads the ID of raw, a segment without its terminator. It returns false if
// raw does not start with a segment ID. Elements are split only on first use,
// because the elements of many segments are never read.
func (s *Segment) parse(raw []byte, d Delimiters) bool {
	s.delimiters, s.raw, s.waiting = d, raw, true
	n := 0
	for n < len(raw) && n < 4 && raw[n] != d.Element {
		n++
	}
	switch id := frequent(raw[:n]); {
	case id != "":
		s.ID = id
		return true
	case validID(raw[:n]):
		s.ID = s.keep(raw[:n])
		return true
	}
	s.load() // the ID may contain a space or a line break
	s.ID = strings.TrimSpace(s.text[:s.ends[0]])
	return validID(s.ID)
}

// frequent returns a frequent ID as a string, which is not allocated, or an empty one.
func frequent(id []byte) string {
	switch string(id) {
	case "CAS":
		return "CAS"
	case "DTM":
		return "DTM"
	case "SVC":
		return "SVC"
	case "REF":
		return "REF"
	case "NM1":
		return "NM1"
	case "AMT":
		return "AMT"
	case "CLP":
		return "CLP"
	case "LQ":
		return "LQ"
	case "PER":
		return "PER"
	case "MOA":
		return "MOA"
	case "EB":
		return "EB"
	case "DTP":
		return "DTP"
	case "MSG":
		return "MSG"
	default:
		return ""
	}
}

// load splits the segment into its elements.
func (s *Segment) load() {
	if !s.cut(s.keep(s.raw), s.delimiters.Element) {
		s.cut(clean(s.raw, s.delimiters), s.delimiters.Element)
	}
	s.waiting = false
}

// pageSize is the size of one allocation for text, enough for about a hundred
// segments. A string that outlives its segment keeps the whole page in memory.
const pageSize = 4 << 10

// keep copies raw to the page, or to a new page if the current one is full. A page
// never grows, so its strings stay valid.
func (s *Segment) keep(raw []byte) string {
	if s.page == nil || s.page.Cap()-s.page.Len() < len(raw) {
		s.page = &strings.Builder{}
		s.page.Grow(max(pageSize, len(raw)))
	}
	start := s.page.Len()
	s.page.Write(raw)
	return s.page.String()[start:]
}

// cut finds the ID and the elements of text in one pass. It records only where they
// end, because strings would use as much memory as the text. It reports whether
// the text is all printable ASCII.
func (s *Segment) cut(text string, by byte) (plain bool) {
	ends := s.ends[:0]
	plain = true
	for i := range len(text) {
		if c := text[i]; c == by {
			ends = append(ends, i)
		} else if c-' ' >= 0x7f-' ' { // a control character wraps around
			plain = false
		}
	}
	s.text, s.ends = text, append(ends, len(text))
	return plain
}

// validID reports whether id is a valid segment ID: an upper-case letter, then one
// or two upper-case letters or digits.
func validID[T string | []byte](id T) bool {
	if len(id) != 2 && len(id) != 3 {
		return false
	}
	for i := range len(id) {
		if c := id[i]; (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// clean returns a segment as valid UTF-8 without control characters, such as the
// line breaks of a file that was wrapped at a column. It reads bytes that are not
// UTF-8 as Latin-1. It keeps delimiters, even if they are control characters.
func clean(b []byte, d Delimiters) string {
	var out strings.Builder
	latin1 := !utf8.Valid(b)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if latin1 {
			r, n = rune(b[0]), 1
		}
		b = b[n:]
		delimiter := r == rune(d.Element) || r == rune(d.Component) || r == rune(d.Repetition)
		if r != 0 && delimiter || !unicode.IsControl(r) {
			out.WriteRune(r)
		}
	}
	return out.String()
}
