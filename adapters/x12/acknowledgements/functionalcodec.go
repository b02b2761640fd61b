package acknowledgements

import (
	"fmt"
	"io"

	"github.com/molar-billing/molar/adapters/x12"
)

// limits are far above the acknowledgement of the largest file, 5,000 claims.
//
//nolint:gochecknoglobals // a constant; Go has none of struct type
var limits = x12.Limits{Bytes: 64 << 20, Segments: 1_000_000}

// The implementation guides that the encoder writes. A 997 has none.
const (
	version999 = "005010X231A1"
	version997 = "005010"
)

// DecodeFunctional reads the 999s, 997s and TA1s of a file. It fails if the file has
// none, or if a 999 or 997 names no functional group. Warnings are harmless faults.
func DecodeFunctional(r io.Reader) (*Functional, []x12.Warning, error) {
	d := functionalDecoder{Reader: x12.NewReader(r, limits)}
	if err := d.Each(d.take); err != nil && !x12.Ended(err) {
		return nil, nil, err
	}
	if len(d.f.Interchanges)+len(d.f.Groups) == 0 {
		return nil, nil, &x12.Error{Segment: 1, Reason: "there is no acknowledgement (999, 997 or TA1)"}
	}
	return &d.f, d.Warnings(), nil
}

// functionalDecoder reads the segments. Group, set and segment are the current ones.
// Each is nil before the first.
type functionalDecoder struct {
	*x12.Reader
	fields  x12.Fields
	f       Functional
	within  bool // in a 999 or 997
	group   *GroupVerdict
	set     *SetVerdict
	segment *SegmentFault
}

func (d *functionalDecoder) take(s *x12.Segment) error {
	f := d.fields.Read(s)
	switch s.ID {
	case "ISA":
		if s.Ordinal == 1 {
			d.f.Interchange = d.Interchange()
		}
	case "TA1":
		x12.List(f, "TA1", &d.f.Interchanges, (*InterchangeVerdict).fields)
	case "ST":
		id := Standard(d.Set().ID)
		d.group, d.set, d.segment, d.within = nil, nil, nil, id == Standard999 || id == Standard997
		if d.within && d.f.Standard == "" {
			d.f.Standard, d.f.Group = id, d.Group()
		}
	case "SE":
		if d.within && d.group == nil {
			return s.Fault("the acknowledgement names no functional group (AK1)")
		}
		d.within = false
	default:
		if d.within {
			return d.inSet(s)
		}
	}
	return nil
}

func (d *functionalDecoder) inSet(s *x12.Segment) error {
	f := &d.fields
	switch s.ID {
	case "AK1":
		d.group, d.set, d.segment = enter(f, &d.f.Groups, (*GroupVerdict).fields), nil, nil
	case "AK2", "AK9":
		if d.group == nil {
			return s.Fault("the verdict stands outside a functional group (AK1)")
		}
		if d.set, d.segment = nil, nil; s.ID == "AK9" {
			d.group.verdict(f)
		} else {
			d.set = enter(f, &d.group.Sets, (*SetVerdict).fields)
		}
	case "IK3", "AK3", "IK5", "AK5":
		if d.set == nil {
			return s.Fault("the verdict stands outside a transaction set (AK2)")
		}
		if d.segment = nil; s.ID[2] == '5' {
			d.set.verdict(f)
		} else {
			d.segment = enter(f, &d.set.Segments, (*SegmentFault).fields)
		}
	case "IK4", "AK4":
		if d.segment == nil {
			return s.Fault("the fault of an element stands outside a segment (IK3, AK3)")
		}
		enter(f, &d.segment.Elements, (*ElementFault).fields)
	case "CTX":
		if d.segment != nil && s.Component(1, 1) != "" {
			enter(f, &d.segment.Contexts, (*Context).fields)
		}
	}
	return nil
}

// enter reads a segment as another value of the list, and returns it.
func enter[T any](f *x12.Fields, list *[]T, fields func(*T, *x12.Fields)) *T {
	var next T
	*list = append(*list, next)
	last := &(*list)[len(*list)-1]
	fields(last, f)
	return last
}

func (i *InterchangeVerdict) fields(f *x12.Fields) {
	f.Text(1, &i.Control, 9).Time(2, &i.At, "060102", "1504").Code(4, &i.Code).Code(5, &i.Note)
}

func (g *GroupVerdict) fields(f *x12.Fields) {
	f.Text(1, &g.FunctionalID, 2).Text(2, &g.Control, 9).Text(3, &g.Version, 12)
}

func (g *GroupVerdict) verdict(f *x12.Fields) {
	f.Code(1, &g.Code).Number(2, &g.Included).Number(3, &g.Received).Number(4, &g.Accepted)
	faults(f, 5, &g.Faults)
}

func (s *SetVerdict) fields(f *x12.Fields) {
	f.Code(1, &s.ID).Text(2, &s.Control, 9).Text(3, &s.Version, 35)
}

func (s *SetVerdict) verdict(f *x12.Fields) {
	f.Code(1, &s.Code)
	faults(f, 2, &s.Faults)
}

func (s *SegmentFault) fields(f *x12.Fields) {
	f.Code(1, &s.ID).Number(2, &s.Position).Text(3, &s.Loop, maxLoop).Code(4, &s.Code)
}

func (c *Context) fields(f *x12.Fields) {
	f.Component(1, 1, &c.Name, 35).Component(1, 2, &c.Value, 35)
}

func (e *ElementFault) fields(f *x12.Fields) {
	if f.Reading() {
		f.NumberComponent(1, 1, &e.Position)
	} else {
		f.Number(1, &e.Position) // even zero
	}
	f.NumberComponent(1, 2, &e.Component).NumberComponent(1, 3, &e.Repetition)
	f.Text(2, &e.Reference, 4).Code(3, &e.Code).Text(4, &e.Value, 99)
}

// maxFaults is the maximum number of fault codes of a group or a set. MaxLoop is the
// maximum length of a loop's name.
const (
	maxFaults = 5
	maxLoop   = 6
)

// faults goes through the fault codes from an element on.
func faults(f *x12.Fields, first int, all *[]string) {
	if f.Reading() {
		*all = nil
		for n := first; n < first+maxFaults; n++ {
			var code string
			if f.Code(n, &code); code != "" {
				*all = append(*all, code)
			}
		}
		return
	}
	n := first
	for i := range *all {
		if c := &(*all)[i]; n < first+maxFaults && x12.Text(*c) != "" {
			f.Code(n, c)
			n++
		}
	}
}

// EncodeFunctional writes a file of one interchange: a TA1 for each interchange
// verdict and a transaction set for each group verdict.
func EncodeFunctional(f *Functional) []byte {
	e := functionalEncoder{prefix: "IK"}
	standard, version, guide := Standard999, version999, version999
	if f.Standard == Standard997 { // which names no guide
		e.prefix, standard, version, guide = "AK", Standard997, version997, ""
	}
	e.OpenInterchange(f.Interchange)
	x12.List(e.Fields(), "TA1", &f.Interchanges, (*InterchangeVerdict).fields)
	if len(f.Groups) > 0 {
		g := f.Group
		g.FunctionalID, g.Version = "FA", version
		e.OpenGroup(g)
	}
	for i := range f.Groups {
		e.OpenSet(x12.Set{ID: string(standard), Control: fmt.Sprintf("%04d", i+1), Version: guide})
		e.group(&f.Groups[i])
		e.Close()
	}
	return e.Bytes()
}

type functionalEncoder struct {
	x12.Writer
	prefix string
}

func (e *functionalEncoder) group(g *GroupVerdict) {
	f := e.Fields()
	f.Segment("AK1")
	g.fields(f)
	e.withoutGuide()
	for i := range g.Sets {
		e.set(&g.Sets[i])
	}
	if x12.Text(g.Code) != "" {
		f.Segment("AK9")
		g.verdict(f)
	}
}

func (e *functionalEncoder) set(s *SetVerdict) {
	f := e.Fields()
	f.Segment("AK2")
	s.fields(f)
	e.withoutGuide()
	for i := range s.Segments {
		fault := &s.Segments[i]
		f.Segment(e.prefix + "3")
		fault.fields(f)
		for k := range fault.Contexts {
			if c := &fault.Contexts[k]; x12.Text(c.Name) != "" && e.prefix == "IK" {
				f.Segment("CTX")
				c.fields(f)
			}
		}
		x12.List(f, e.prefix+"4", &fault.Elements, (*ElementFault).fields)
	}
	if x12.Text(s.Code) != "" {
		f.Segment(e.prefix + "5")
		s.verdict(f)
	}
}

// withoutGuide removes the implementation guide from AK1 and AK2 of a 997, which names
// none.
func (e *functionalEncoder) withoutGuide() {
	if e.prefix == "AK" {
		e.Fields().Put(3, "")
	}
}

// code returns a value of a code list.
func code(s string) x12.Element { return x12.Clip(s, 3) }
