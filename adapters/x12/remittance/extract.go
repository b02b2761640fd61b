package remittance

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/molar-billing/molar/adapters/x12"
)

// Extract copies to w an interchange with nothing but the one transaction set
// of r whose Span starts at start. The set is copied to the byte, between the ISA
// and GS that it came in; GE and IEA are new, with counts of one and what r has
// between segments. The error is an *x12.Error when no set starts there.
func Extract(w io.Writer, r io.Reader, start int) error {
	t := &tape{in: r}
	in := x12.NewReader(t, x12.Limits{})
	var e envelope
	for {
		s, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return &x12.Error{Offset: start, Reason: "no transaction set starts there"}
		case err != nil:
			return err
		}
		gap, raw := t.cut(s.Offset, in.Offset())
		switch {
		case s.ID == "ISA":
			e = envelope{isa: bytes.Clone(raw), interchange: s.Element(13), delimiters: in.Delimiters()}
		case s.ID == "GS":
			if e.gs == nil {
				e.gap = bytes.Clone(gap)
			}
			e.gs, e.group = bytes.Clone(raw), s.Element(6)
		case s.ID == "ST" && s.Offset == start:
			return e.copySet(w, raw, in, t)
		}
	}
}

// envelope is what a transaction set came in.
type envelope struct {
	isa, gap, gs       []byte // gap is what stands between segments, such as a line break
	interchange, group string // control numbers
	delimiters         x12.Delimiters
}

// copySet writes the set, of which first is the ST, and the envelope around it.
func (e *envelope) copySet(w io.Writer, first []byte, in *x12.Reader, t *tape) error {
	out := bytes.NewBuffer(bytes.Join([][]byte{e.isa, e.gap, e.gs, e.gap, first}, nil))
	for {
		if _, err := out.WriteTo(w); err != nil {
			return err
		}
		s, err := in.Next()
		if err != nil {
			return err
		}
		gap, raw := t.cut(s.Offset, in.Offset())
		out.Write(gap)
		out.Write(raw)
		if s.ID == "SE" {
			if raw[len(raw)-1] != e.delimiters.Segment { // the last byte of a file that breaks off
				out.WriteByte(e.delimiters.Segment)
			}
			break
		}
	}
	e.trailer(out, "GE", e.group)
	e.trailer(out, "IEA", e.interchange)
	out.Write(e.gap)
	_, err := out.WriteTo(w)
	return err
}

func (e *envelope) trailer(out *bytes.Buffer, id, control string) {
	out.Write(e.gap)
	out.WriteString(id)
	for _, element := range []string{strconv.Itoa(1), control} {
		out.WriteByte(e.delimiters.Element)
		out.WriteString(element)
	}
	out.WriteByte(e.delimiters.Segment)
}

// tape keeps what was read of an input until it is cut off.
type tape struct {
	in   io.Reader
	kept bytes.Buffer
	from int // offset of the first byte that is kept
}

func (t *tape) Read(b []byte) (int, error) {
	n, err := t.in.Read(b)
	t.kept.Write(b[:n])
	return n, err
}

// cut takes off what stands before a segment, and the segment with its
// terminator. They are valid until the next Read.
func (t *tape) cut(start, end int) (gap, raw []byte) {
	gap = t.kept.Next(start - t.from)
	raw = t.kept.Next(end - start)
	t.from = end
	return gap, raw
}
