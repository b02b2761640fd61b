package x12

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// Piece is a part of an input: interchanges that follow one another, with the text behind
// them, or one interchange that cannot be read.
type Piece struct {
	Start, End int
	Err        error // an *Error with a position in the piece; nil if all of it can be read

	open bool // the last trailer (IEA) may not be all there yet
}

// Whole returns nil if all of an input can be read. Otherwise it states the first fault:
// the input is empty, an interchange is broken, or the last one may still grow. An input
// that does not begin with an interchange is whole unless it is empty.
//
// Whole accepts what a Reader does: line breaks inside segments, text after the trailer
// (IEA), and a trailer without a terminator. That trailer must have the control number of
// its header, because it may be cut.
func Whole(input []byte) error {
	start := 0
	for start < len(input) && between(input[start]) {
		start++
	}
	switch head := string(input[start:min(start+3, len(input))]); {
	case head == "":
		return errors.New("the file is empty")
	case start+3 >= len(input) && strings.HasPrefix("ISA", head):
		return errors.New(reasonTruncated)
	}
	for _, p := range Pieces(input) {
		switch {
		case p.Err != nil:
			return p.Err
		case p.open:
			return errors.New("the last interchange trailer (IEA) has neither a terminator nor the control number of its header")
		}
	}
	return nil
}

// maxPieces bounds the work on a hostile input. Interchanges that follow one another are
// one piece.
const maxPieces = 1000

// Pieces finds what can be read of an input. The pieces cover it without gaps. There are
// none if the input does not begin with an interchange.
func Pieces(input []byte) (pieces []Piece) {
	for start := 0; start < len(input); {
		p := piece(input[start:])
		if e, ok := errors.AsType[*Error](p.Err); ok && e.Reason == reasonAbsent && start == 0 {
			return nil
		}
		if len(pieces) == maxPieces-1 {
			p = Piece{End: len(input) - start, Err: &Error{Segment: 1, Reason: "there are too many interchanges that cannot be read"}}
		}
		p.Start, p.End = start, start+p.End
		pieces, start = append(pieces, p), p.End
	}
	return pieces
}

// piece reads the first piece of an input.
func piece(input []byte) (p Piece) {
	in := NewReader(bytes.NewReader(input), Limits{SkipInvalid: true})
	header, trailer := 0, -1
	for {
		s, err := in.Next()
		fault, _ := errors.AsType[*Error](err)
		if fault != nil && in.level == outside {
			header = fault.Offset
		}
		switch {
		case errors.Is(err, io.EOF):
			p.End = len(input)
			return p
		case fault != nil && trailer < 0:
			return Piece{End: nextHeader(input, header+1), Err: fault}
		case fault != nil && fault.Reason == ReasonTrailing:
			p.End = nextHeader(input, trailer)
			return p
		case fault != nil:
			return Piece{End: header}
		case s.ID == "ISA":
			header = s.Offset
		case s.ID == "IEA" && in.level == outside:
			trailer = s.Offset
			if sameControl(s.Element(2), in.control) {
				p.open = false
				continue
			}
			// Without a terminator, the trailer extends over the next header.
			if next := nextHeader(input[:in.Offset()], trailer); next < in.Offset() {
				return Piece{End: next}
			}
			p.open = input[in.Offset()-1] != in.delimiters.Segment
		}
	}
}

// sameControl reports whether two control numbers are equal, ignoring leading zeros.
func sameControl(a, b string) bool {
	a = strings.TrimLeft(a, "0")
	return a != "" && a == strings.TrimLeft(b, "0")
}

// nextHeader returns the offset of the first interchange header that begins at an offset
// or later, or the length of the input.
func nextHeader(input []byte, from int) int {
	for at := min(from, len(input)); ; at++ {
		i := bytes.IndexByte(input[at:], 'I')
		if i < 0 {
			return len(input)
		}
		at += i
		head := input[at:min(at+maxISA, len(input))]
		if flat := unwrap(head); len(flat) < 4 || !startsISA(flat) {
			continue
		}
		_, err := NewReader(bytes.NewReader(head), Limits{SegmentBytes: maxISA}).Next()
		fault, _ := errors.AsType[*Error](err)
		cut := len(head) < maxISA && fault != nil && fault.Reason == reasonTruncated
		if fault == nil || cut && (at == 0 || separator(input[at-1])) {
			return at
		}
	}
}
