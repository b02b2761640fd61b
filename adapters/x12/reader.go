package x12

import (
	"bufio"
	"errors"
	"io"
	"strconv"
)

// Limits bound what a Reader accepts. A zero field means the default.
type Limits struct {
	Bytes        int // of the whole input; 1 GiB
	Segments     int // of the whole input; 50 million
	SegmentBytes int // of one segment; 64 KiB, the size of the Reader's buffer

	// SkipInvalid skips the segments of a transaction set whose ID is invalid, with a
	// warning. Without it they are errors.
	SkipInvalid bool
}

func (l Limits) orDefault() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 1 << 30
	}
	if l.Segments <= 0 {
		l.Segments = 50_000_000
	}
	if l.SegmentBytes <= 0 {
		l.SegmentBytes = 64 << 10
	}
	l.SegmentBytes = max(l.SegmentBytes, maxISA)
	return l
}

const maxISA = 256 // the standard ISA has 106 bytes; some senders use other lengths

// level is the depth of nested envelopes at the current segment.
type level int

const (
	outside level = iota
	inInterchange
	inGroup
	inSet
)

// Reader reads interchanges, one segment at a time, and checks that their
// envelopes are complete. An input may hold several interchanges, each with its
// own delimiters.
type Reader struct {
	in      *bufio.Reader
	limits  Limits
	offset  int // of the next byte
	segment Segment
	level   level

	interchange Interchange
	group       Group
	set         Set
	control     string // ISA13 as sent
	groupRef    string // GS06 as sent

	// The counts so far: sets in the group, and groups in the interchange. Then the
	// ordinal of the ST, whether the interchange has a TA1, and the ordinal of the
	// latest trailer with a wrong count.
	sets, groups, setStart int
	acknowledged           bool
	miscounted             int

	delimiters Delimiters
	warnings   Warnings
	err        error
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader, limits Limits) *Reader {
	limits = limits.orDefault()
	return &Reader{in: bufio.NewReaderSize(r, limits.SegmentBytes), limits: limits}
}

// Interchange returns the interchange of the latest segment.
func (r *Reader) Interchange() Interchange { return r.interchange }

// Group returns the functional group of the latest segment.
func (r *Reader) Group() Group { return r.group }

// Set returns the transaction set of the latest segment.
func (r *Reader) Set() Set { return r.set }

// Delimiters returns the delimiters of the interchange.
func (r *Reader) Delimiters() Delimiters { return r.delimiters }

// Offset returns the offset of the byte after the latest segment and its
// terminator.
func (r *Reader) Offset() int { return r.offset }

// Miscounted reports whether the latest segment is a trailer (SE, GE or IEA) whose
// count is not that of the segments, sets or groups that were read.
func (r *Reader) Miscounted() bool { return r.miscounted > 0 && r.miscounted == r.segment.Ordinal }

// Warnings returns the harmless faults found so far, at most a hundred.
func (r *Reader) Warnings() []Warning { return r.warnings }

// Next reads the next segment, including envelope segments. At the end of an input
// with at least one whole interchange, the error is io.EOF. For invalid input it is
// an *Error. Otherwise it is the underlying reader's error. Once Next has failed,
// it returns the same error again.
func (r *Reader) Next() (*Segment, error) {
	if r.err != nil {
		return nil, r.err
	}
	if err := r.next(); err != nil {
		r.err = err
		return nil, err
	}
	return &r.segment, nil
}

// Each calls take for each segment, up to the end of the input or the first error.
func (r *Reader) Each(take func(*Segment) error) error {
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = take(s)
		}
		if err != nil {
			return err
		}
	}
}

// Ended reports whether the input is whole up to an error: nothing follows its last
// interchange, or nothing that counts.
func Ended(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return errors.Is(err, io.EOF) || ok && e.Reason == ReasonTrailing
}

func (r *Reader) next() error {
	for {
		var err error
		if r.level == outside {
			err = r.readISA()
		} else {
			err = r.readSegment()
		}
		if err != nil {
			return err
		}
		s := &r.segment
		switch {
		case s.Ordinal > r.limits.Segments:
			return s.Fault("the input has too many segments")
		case r.offset > r.limits.Bytes:
			return s.Fault("the input is too large")
		}
		if err := r.nest(s); err == nil || !errors.Is(err, errUnknown) {
			return err
		}
		r.warnings.Add(s, ReasonUnknown)
	}
}

// readSegment reads up to the terminator. It skips line breaks between segments
// and empty segments.
func (r *Reader) readSegment() error {
	s := &r.segment
	s.Ordinal++
	for {
		s.Offset = r.offset
		raw, err := r.in.ReadSlice(r.delimiters.Segment)
		r.offset += len(raw)
		ended := err != nil && errors.Is(err, io.EOF) // the last segment may lack its terminator
		switch {
		case err == nil:
			raw = raw[:len(raw)-1]
		case errors.Is(err, bufio.ErrBufferFull):
			return s.Fault("the segment is too long")
		case !ended:
			return err
		}
		start := 0
		for start < len(raw) && between(raw[start]) {
			start++
		}
		s.Offset += start
		switch {
		case start < len(raw):
			if s.parse(raw[start:], r.delimiters) {
				return nil
			}
			if !r.limits.SkipInvalid || r.level != inSet || ended {
				return s.Fault("this is not a segment")
			}
			r.warnings.Add(s, ReasonInvalid)
			s.Ordinal++
			if s.Ordinal > r.limits.Segments || r.offset > r.limits.Bytes {
				return s.Fault("the input is too large")
			}
		case ended:
			return s.Fault("the input ends before its trailers (SE, GE, IEA)")
		case r.offset > r.limits.Bytes:
			return s.Fault("the input is too large")
		}
	}
}

// between reports whether c is allowed between segments: white space, byte order
// marks, NUL, and the CP/M end-of-file mark.
func between(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', 0, 0x1a, 0xef, 0xbb, 0xbf:
		return true
	default:
		return false
	}
}

// skipSpace skips the characters that are allowed before an interchange.
func (r *Reader) skipSpace() error {
	for {
		c, err := r.in.ReadByte()
		switch {
		case err != nil:
			return err
		case !between(c):
			return r.in.UnreadByte()
		}
		if r.offset++; r.offset > r.limits.Bytes {
			return &Error{r.segment.Ordinal, r.offset, "the input is too large"}
		}
	}
}

// nest checks that the envelopes allow the segment. For an envelope segment, it
// enters or leaves the envelope.
func (r *Reader) nest(s *Segment) error {
	switch r.level {
	case outside: // readISA has checked it
		r.level, r.groups, r.acknowledged = inInterchange, 0, false
		return nil
	case inInterchange:
		return r.nestInInterchange(s)
	case inGroup:
		return r.nestInGroup(s)
	case inSet:
		return r.nestInSet(s)
	}
	return nil
}

func (r *Reader) nestInInterchange(s *Segment) error {
	switch s.ID {
	case "TA1":
		r.acknowledged = true
	case "GS":
		r.level, r.sets = inGroup, 0
		r.groups++
		r.groupRef = s.Element(6)
		r.group = Group{
			FunctionalID: s.Element(1), Sender: s.Element(2), Receiver: s.Element(3),
			Created: ParseTime(s.Element(4), s.Element(5)), Control: control(r.groupRef), Version: s.Element(8),
		}
	case "IEA":
		if r.groups == 0 && !r.acknowledged {
			return s.Fault("the interchange has no functional group (GS)")
		}
		r.checkTrailer(s, r.groups, r.control)
		r.level = outside
	default:
		return unknown(s, "the segment stands outside a functional group (GS)")
	}
	return nil
}

func (r *Reader) nestInGroup(s *Segment) error {
	switch s.ID {
	case "ST":
		r.level, r.setStart = inSet, s.Ordinal
		r.sets++
		r.set = Set{ID: s.Element(1), Control: s.Element(2), Version: s.Element(3)}
	case "GE":
		if r.sets == 0 {
			return s.Fault("the functional group has no transaction set (ST)")
		}
		r.checkTrailer(s, r.sets, r.groupRef)
		r.level = inInterchange
	default:
		return unknown(s, "the segment stands outside a transaction set (ST)")
	}
	return nil
}

// errUnknown is the error of nest for a segment to skip: it stands outside transaction
// sets, and is no part of an envelope. Some networks put segments of their own there.
var errUnknown = errors.New(ReasonUnknown)

// IsEnvelope reports whether a segment with the ID is part of an envelope.
func IsEnvelope(id string) bool {
	switch id {
	case "ISA", "GS", "ST", "SE", "GE", "IEA", "TA1":
		return true
	}
	return false
}

// unknown returns errUnknown, or a fault for a segment of an envelope at a wrong place.
func unknown(s *Segment, reason string) error {
	if IsEnvelope(s.ID) && s.ID != "TA1" {
		return s.Fault(reason)
	}
	return errUnknown
}

func (r *Reader) nestInSet(s *Segment) error {
	switch s.ID {
	case "ISA", "IEA", "GS", "GE", "ST":
		return s.Fault("the transaction set has no trailer (SE)")
	case "SE":
		r.checkTrailer(s, s.Ordinal-r.setStart+1, r.set.Control)
		r.level = inGroup
	}
	return nil
}

// checkTrailer compares the count and the control number of SE, GE or IEA with
// what was read. Senders get both wrong, so a difference is a warning.
func (r *Reader) checkTrailer(s *Segment, count int, ref string) {
	if n, err := strconv.Atoi(s.Element(1)); err != nil || n != count {
		r.miscounted = s.Ordinal
		r.warnings.Add(s, "the count is wrong")
	}
	if s.Element(2) != ref {
		r.warnings.Add(s, ReasonControl)
	}
}

// control parses a control number. It returns 0 if s is not one.
func control(s string) int {
	if s == "" || len(s) > 9 || !digits(s) {
		return 0
	}
	n, _ := strconv.Atoi(s)
	return n
}
