package remittance

import (
	"bytes"
	"strconv"

	"github.com/molar-billing/molar/adapters/x12"
)

// ExtractedSegment is the ordinal of the ST in what Extract gives, after an ISA
// and a GS.
const ExtractedSegment = 3

// Extract gives an interchange with nothing but one transaction set of the
// input, whose Span a Decoder told. The set is copied to the byte, between the
// ISA and GS that it came in; GE and IEA are new, with counts of one and what
// the input has between segments. It reads no other set, so that the payments of
// a file are cut out in the time that one reading takes. The error is an
// *x12.Error when the input has no set there.
func Extract(input []byte, s Span) ([]byte, error) {
	absent := &x12.Error{Offset: s.Start, Reason: "no transaction set starts there"}
	if s.Interchange < 0 || s.Interchange > s.Group || s.Group > s.Start || s.Start > s.End || s.End > len(input) ||
		s.Start == s.End || input[s.Group] != 'G' || input[s.Start] != 'S' { // line breaks may stand between the letters
		return nil, absent
	}
	in := x12.NewReader(bytes.NewReader(input[s.Interchange:s.Start]), x12.Limits{})
	isa, err := in.Next()
	if err != nil {
		return nil, err
	}
	interchange, by, end := isa.Element(13), in.Delimiters(), in.Offset()
	next, err := in.Next()
	if err != nil {
		return nil, err
	}
	start := s.Interchange
	header, gap := input[start:start+end], input[start+end:start+next.Offset]
	size := bytes.IndexByte(input[s.Group:s.Start], by.Segment) + 1
	gs := input[s.Group : s.Group+size]
	elements := bytes.Split(bytes.TrimRight(gs, string(by.Segment)), []byte{by.Element})
	var group []byte
	if len(elements) > 6 {
		group = bytes.TrimSpace(elements[6])
	}

	set := input[s.Start:s.End]
	var out bytes.Buffer
	out.Grow(len(header) + len(gs) + len(set) + 5*len(gap) + 64)
	for _, part := range [][]byte{header, gap, gs, gap, set} {
		out.Write(part)
	}
	if set[len(set)-1] != by.Segment { // the last byte of a file that breaks off
		out.WriteByte(by.Segment)
	}
	for _, trailer := range [][2]string{{"GE", string(group)}, {"IEA", interchange}} {
		out.Write(gap)
		out.WriteString(trailer[0])
		for _, element := range []string{strconv.Itoa(1), trailer[1]} {
			out.WriteByte(by.Element)
			out.WriteString(element)
		}
		out.WriteByte(by.Segment)
	}
	out.Write(gap)
	return out.Bytes(), nil
}
