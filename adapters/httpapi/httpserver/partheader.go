package httpserver

import (
	"bytes"
	"io"
)

// headerTabs reads a form and replaces control characters in the headers of
// its parts with tabs. A file name may contain any, and the API removes them,
// but mime/multipart rejects all but tabs. Nothing else changes: headerTabs
// finds boundaries exactly as mime/multipart does. U+0000 stays and is
// rejected, as everywhere.
type headerTabs struct {
	from io.Reader
	dash string // the boundary with its dashes, without the line break
	in   place
	met  int  // bytes of dash at the start of the line; -1 if the line starts differently
	any  bool // a boundary was found
	lf   bool // lines end with LF alone, as the first boundary does
	last byte
}

// place is the part of the form that the next byte belongs to.
type place byte

const (
	inContent  place = iota // of a part, or before the first boundary
	inBoundary              // after dash, on its line
	atHeader                // at the start of a line of a part's header
	inHeader                // further on in that line
)

// Read replaces the control characters in the bytes that it reads.
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

// skip returns the number of bytes to skip, in which no boundary can begin:
// nearly all bytes of a file. It keeps the last byte before the next line.
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

// pass updates the place for a byte.
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
