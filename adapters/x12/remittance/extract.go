package remittance

import (
	"bytes"
	"strconv"

	"github.com/molar-billing/molar/adapters/x12"
)

// ExtractedSegment is the ordinal of the ST in the result of Extract, after an
// ISA and a GS.
const ExtractedSegment = 3

// Extract returns an interchange with one transaction set of the input. The Span comes
// from a Decoder. Extract copies the ISA, the GS and the set byte for byte. It
// writes a new GE and IEA with counts of one and the input's line breaks. It reads
// no other set, so splitting a file takes as long as reading it once. The error is
// an *x12.Error if no set starts at the Span.
func Extract(input []byte, s Span) ([]byte, error) {
	absent := &x12.Error{Offset: s.Start, Reason: "no transaction set starts there"}
	if s.Interchange < 0 || s.Interchange > s.Group || s.Group > s.Start || s.Start > s.End || s.End > len(input) ||
		s.Start == s.End || input[s.Group] != 'G' || input[s.Start] != 'S' { // line breaks may separate the letters
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
	gap = gap[:len(gap)-len(bytes.TrimLeft(gap, " \t\r\n"))] // without segments that the Reader skips
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
	if set[len(set)-1] != by.Segment { // the last segment has no terminator
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
