package x12

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
)

// readISA reads the header of an interchange, which defines the delimiters. It counts
// element separators, because senders ignore the standard's fixed widths.
func (r *Reader) readISA() error {
	s := &r.segment
	first := s.Ordinal == 0
	s.Ordinal++
	if err := r.skipSpace(); errors.Is(err, io.EOF) {
		s.Offset = r.offset
		if first {
			return s.Fault(reasonAbsent)
		}
		return io.EOF
	} else if err != nil {
		return err
	}
	if first {
		if err := r.skipMIME(); err != nil {
			return err
		}
	}
	s.Offset = r.offset
	raw, err := r.in.Peek(maxISA)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head := unwrap(raw)
	if len(head) < 4 || string(head[:3]) != "ISA" {
		if first {
			return s.Fault(reasonAbsent)
		}
		return s.Fault(ReasonTrailing)
	}
	element := head[3]
	end := afterElements(head, element, 16)
	last := 0
	if end > 0 && end < len(head) {
		last = terminator(raw, end+1)
	}
	if last == 0 || last == len(raw) {
		return s.Fault(reasonTruncated)
	}
	r.delimiters = Delimiters{Element: element, Component: head[end], Segment: raw[last]}
	if !s.parse(head[:end+1], Delimiters{Element: element}) || len(s.Element(12)) != 5 || !digits(s.Element(12)) {
		return s.Fault("the interchange header (ISA) is damaged")
	}
	r.findRepetition(s)
	if !r.delimiters.usable() {
		return s.Fault("the interchange header (ISA) has unusable delimiters")
	}
	s.delimiters = r.delimiters
	r.control = s.Element(13)
	r.interchange = Interchange{
		SenderQualifier: s.Element(5), Sender: s.Element(6),
		ReceiverQualifier: s.Element(7), Receiver: s.Element(8),
		Created: ParseTime(s.Element(9), s.Element(10)),
		Version: s.Element(12), Control: control(r.control), Test: s.Element(15) == "T",
	}
	n, err := r.in.Discard(last + 1)
	r.offset += n
	return err
}

// The reasons of errors of the header.
const (
	reasonAbsent    = "there is no interchange header (ISA)"
	reasonTruncated = "the interchange header (ISA) is truncated"
)

func lineBreak(c byte) bool { return c == '\r' || c == '\n' }

// unwrap removes line breaks. A file that is wrapped at a column may have them anywhere.
func unwrap(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	return slices.DeleteFunc(slices.Clone(raw), lineBreak)
}

// terminator returns the index of the segment terminator behind the first n characters
// that are no line breaks. A line break there is the terminator, unless another one
// follows it. It returns len(raw) if there is none.
func terminator(raw []byte, n int) int {
	at := 0
	for ; n > 0; at++ {
		if !lineBreak(raw[at]) {
			n--
		}
	}
	next := at
	for next < len(raw) && lineBreak(raw[next]) {
		next++
	}
	if next < len(raw) && separator(raw[next]) && !between(raw[next]) {
		return next
	}
	return at
}

// afterElements returns the index after the nth separator, or 0 when there are
// fewer.
func afterElements(b []byte, separator byte, n int) int {
	for i, c := range b {
		if c == separator {
			if n--; n == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// findRepetition reads the repetition separator, ISA11, from version 00402 on. In
// earlier versions ISA11 is a standards identifier such as U. Some senders still
// put a letter there in later versions.
func (r *Reader) findRepetition(s *Segment) {
	e, d := s.Element(11), &r.delimiters
	if s.Element(12) < "00402" || len(e) != 1 || !separator(e[0]) ||
		e[0] == d.Element || e[0] == d.Component || e[0] == d.Segment {
		return
	}
	d.Repetition = e[0]
}

func (d Delimiters) usable() bool {
	return separator(d.Element) && separator(d.Component) && separator(d.Segment) &&
		d.Element != d.Component && d.Element != d.Segment && d.Component != d.Segment
}

// separator reports whether c can be a delimiter: an ASCII character other than a
// space, a letter or a digit.
func separator(c byte) bool {
	return c > 0 && c < 0x80 && c != ' ' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// maxMIME is the length of the longest MIME header that is skipped.
const maxMIME = 8 << 10

// mimeLine matches a line of a MIME header: a boundary, a field, or the rest of one.
var mimeLine = regexp.MustCompile(`^(?:--.*|[A-Za-z][A-Za-z0-9-]*:.*|[ \t].*|)\r?$`)

// skipMIME skips a MIME header before the first interchange. Some mailboxes leave it
// there. Any other text before the interchange is an error of the ISA.
func (r *Reader) skipMIME() error {
	if head, err := r.in.Peek(4); err != nil || startsISA(head) {
		return nil //nolint:nilerr // the ISA's own reader returns it
	}
	head, _ := r.in.Peek(min(maxMIME, r.in.Size()))
	start := 0
	for !startsISA(head[start:]) {
		line, _, ended := bytes.Cut(head[start:], []byte("\n"))
		if !ended || !mimeLine.Match(line) {
			return nil
		}
		start += len(line) + 1
	}
	r.segment.Offset = r.offset
	r.warnings.Add(&r.segment, ReasonMIME)
	n, err := r.in.Discard(start)
	r.offset += n
	return err
}

func startsISA(b []byte) bool { return len(b) > 3 && string(b[:3]) == "ISA" && separator(b[3]) }
