package x12

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// writeDelimiters are the delimiters of every Writer.
//
//nolint:gochecknoglobals // a constant; Go has none of struct type
var writeDelimiters = Delimiters{Element: '*', Component: ':', Repetition: '^', Segment: '~'}

// Writer builds interchanges. It keeps the counts and repeats the control
// numbers in the trailers. The zero Writer is ready to use.
type Writer struct {
	buf      []byte
	trailers []trailer // of the open envelopes, the innermost last
	segments int       // written so far
	levels   int       // of the set, so far
	fields   Fields    // that write; their segment may be unfinished
}

// trailer is the content of an SE, GE or IEA.
type trailer struct {
	id    string
	count int // for SE, the segments written before the ST; for GE and IEA, the envelopes inside
	ref   string
}

// OpenInterchange starts an interchange of version 00501 with ISA, padded to
// the standard's widths.
func (w *Writer) OpenInterchange(i Interchange) {
	w.fields.end()
	qualifier := func(q string) string { return fmt.Sprintf("%-2.2s", cmp.Or(string(Text(q)), "ZZ")) }
	party := func(id string) string { return fmt.Sprintf("%-15.15s", Text(id)) }
	usage := "P"
	if i.Test {
		usage = "T"
	}
	ref := fmt.Sprintf("%09d", bounded(i.Control))
	w.write("ISA", "00", fmt.Sprintf("%10s", ""), "00", fmt.Sprintf("%10s", ""),
		qualifier(i.SenderQualifier), party(i.Sender), qualifier(i.ReceiverQualifier), party(i.Receiver),
		i.Created.UTC().Format("060102"), i.Created.UTC().Format("1504"),
		string(writeDelimiters.Repetition), "00501", ref, "0", usage, string(writeDelimiters.Component))
	w.trailers = append(w.trailers, trailer{id: "IEA", ref: ref})
}

// OpenGroup starts a functional group with GS.
func (w *Writer) OpenGroup(g Group) {
	w.count()
	ref := strconv.Itoa(bounded(g.Control))
	w.Segment("GS", Clip(g.FunctionalID, 2), cmp.Or(Clip(g.Sender, 15), "0"), cmp.Or(Clip(g.Receiver, 15), "0"),
		Element(g.Created.UTC().Format("20060102")), Element(g.Created.UTC().Format("150405")), Element(ref), "X", Clip(g.Version, 12))
	w.trailers = append(w.trailers, trailer{id: "GE", ref: ref})
}

// OpenSet starts a transaction set with ST.
func (w *Writer) OpenSet(s Set) {
	w.count()
	w.levels = 0
	w.trailers = append(w.trailers, trailer{id: "SE", count: w.segments, ref: string(Clip(s.Control, 9))})
	w.Segment("ST", Clip(s.ID, 3), Clip(s.Control, 9), Clip(s.Version, 35))
}

// Open starts an interchange with one group and one transaction set.
func (w *Writer) Open(i Interchange, g Group, s Set) {
	w.OpenInterchange(i)
	w.OpenGroup(g)
	w.OpenSet(s)
}

// Level starts a level of the set's hierarchy with HL, and returns its number. The parent
// is 0 for none, and child (HL04) is empty where the guide has none.
func (w *Writer) Level(parent int, code string, child Element) int {
	w.levels++
	var up Element
	if parent > 0 {
		up = Int(parent)
	}
	w.Segment("HL", Int(w.levels), up, Element(code), child)
	return w.levels
}

// Child is HL04: whether there are levels below.
func Child(below bool) Element {
	if below {
		return "1"
	}
	return "0"
}

// Fields returns what writes the segments of a loop.
func (w *Writer) Fields() *Fields {
	w.fields.out = w
	return &w.fields
}

// Segment writes a segment without trailing empty elements.
func (w *Writer) Segment(id string, elements ...Element) {
	w.fields.end()
	w.emit(id, elements)
}

// Append writes segments that another Writer has written.
func (w *Writer) Append(segments []byte) {
	w.fields.end()
	w.buf = append(w.buf, segments...)
	w.segments += bytes.Count(segments, []byte{writeDelimiters.Segment})
}

func (w *Writer) emit(id string, elements []Element) {
	for len(elements) > 0 && elements[len(elements)-1] == "" {
		elements = elements[:len(elements)-1]
	}
	w.buf = append(w.buf, id...)
	for _, e := range elements {
		w.buf = append(append(w.buf, writeDelimiters.Element), e...)
	}
	w.end()
}

// Close ends the innermost envelope with its trailer. It does nothing if no envelope
// is open.
func (w *Writer) Close() {
	if len(w.trailers) == 0 {
		return
	}
	w.fields.end()
	t := w.trailers[len(w.trailers)-1]
	w.trailers = w.trailers[:len(w.trailers)-1]
	if t.id == "SE" {
		t.count = w.segments - t.count + 1
	}
	w.Segment(t.id, Int(t.count), Element(t.ref))
}

// Bytes closes the open envelopes and returns what was written.
func (w *Writer) Bytes() []byte {
	w.fields.end()
	for len(w.trailers) > 0 {
		w.Close()
	}
	return w.buf
}

// Flush moves the bytes so far to another writer, so that memory does not grow with
// the interchange. Envelopes stay open.
func (w *Writer) Flush(to io.Writer) error {
	w.fields.end()
	_, err := to.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// count adds one to the count of the enclosing envelope.
func (w *Writer) count() {
	w.fields.end()
	if n := len(w.trailers); n > 0 {
		w.trailers[n-1].count++
	}
}

func (w *Writer) write(id string, elements ...string) {
	w.buf = append(w.buf, id+string(writeDelimiters.Element)+strings.Join(elements, string(writeDelimiters.Element))...)
	w.end()
}

func (w *Writer) end() {
	w.buf = append(w.buf, writeDelimiters.Segment)
	w.segments++
}

// bounded returns a control number above zero with at most nine digits.
func bounded(n int) int {
	if n %= 1_000_000_000; n <= 0 {
		n = 1
	}
	return n
}
