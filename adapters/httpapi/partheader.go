package httpapi

import (
	"bytes"
	"io"
)

// headerTabs reads a form, with tabs for the control characters in the headers
// of its parts: a file name may hold any, and is shown without them, but
// mime/multipart refuses a header with others than tabs. All else is given as
// it is: a line is a boundary where mime/multipart takes it for one. U+0000
// stays, and is refused, as it is everywhere.
type headerTabs struct {
	from io.Reader
	dash string // the boundary with its dashes, without a line's end
	in   place
	met  int  // bytes of dash that the line began with; -1 once it began otherwise
	any  bool // a boundary has come
	lf   bool // lines end with LF alone, as the first boundary's did
	last byte
}

// place is what the next byte of a form belongs to.
type place byte

const (
	inContent  place = iota // of a part, or before the first boundary
	inBoundary              // after dash, in its line
	atHeader                // of a part, where a line begins
	inHeader                // of a part, further on in a line
)

// Read reads on.
func (h *headerTabs) Read(b []byte) (int, error) {
	n, err := h.from.Read(b)
	for i := 0; i < n; i++ {
		i += h.skip(b[i:n])
		c := b[i]
		if h.in == inHeader && (c > 0 && c < ' ' && c != '\r' && c != '\n' || c == 0x7f) {
			b[i] = '\t'
		}
		h.pass(c)
	}
	return n, err
}

// skip passes bytes in which no boundary can begin, all but one at the most, and
// tells how many: nearly every byte of a file is one.
func (h *headerTabs) skip(b []byte) int {
	if h.in != inContent || h.met >= 0 {
		return 0
	}
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		n = len(b) - 1
	}
	if n > 0 {
		h.last = b[n-1]
	}
	return n
}

// pass moves on by a byte.
func (h *headerTabs) pass(c byte) {
	switch h.in {
	case inContent:
		h.passContent(c)
	case inBoundary:
		switch c {
		case '\n':
			h.lf = h.lf || !h.any && h.last != '\r'
			h.in, h.any = atHeader, true
		case ' ', '\t', '\r':
		default: // a longer line, or the last boundary
			h.in, h.met = inContent, -1
		}
	case atHeader:
		switch c {
		case '\n': // an empty line ends the header, and a boundary may follow at once
			h.in, h.met = inContent, 0
		case '\r':
		default:
			h.in = inHeader
		}
	case inHeader:
		if c == '\n' {
			h.in = atHeader
		}
	}
	h.last = c
}

func (h *headerTabs) passContent(c byte) {
	switch {
	case c == '\n' && (!h.any || h.lf || h.last == '\r'):
		h.met = 0
	case h.met < 0 || c != h.dash[h.met]:
		h.met = -1
	default:
		if h.met++; h.met == len(h.dash) {
			h.in = inBoundary
		}
	}
}
