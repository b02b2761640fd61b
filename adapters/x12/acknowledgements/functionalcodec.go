package acknowledgements

import (
	"errors"
	"io"
	"strconv"

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
	for {
		s, err := d.Next()
		if ended(err) {
			break
		}
		if err == nil {
			err = d.take(s)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if len(d.f.Interchanges)+len(d.f.Groups) == 0 {
		return nil, nil, &x12.Error{Segment: 1, Reason: "there is no acknowledgement (999, 997 or TA1)"}
	}
	return &d.f, d.Warnings(), nil
}

// ended reports whether err marks the end of the last interchange. Other text may
// follow it.
func ended(err error) bool {
	e, ok := errors.AsType[*x12.Error](err)
	return errors.Is(err, io.EOF) || ok && e.Reason == x12.ReasonTrailing
}

// functionalDecoder reads the segments. Group, set and segment are the current ones.
// Each is nil before the first.
type functionalDecoder struct {
	*x12.Reader
	f       Functional
	within  bool // in a 999 or 997
	group   *GroupVerdict
	set     *SetVerdict
	segment *SegmentFault
}

func (d *functionalDecoder) take(s *x12.Segment) error {
	switch s.ID {
	case "ISA":
		if s.Ordinal == 1 {
			d.f.Interchange = d.Interchange()
		}
	case "TA1":
		d.f.Interchanges = append(d.f.Interchanges, InterchangeVerdict{
			Control: s.Element(1), At: x12.ParseTime(s.Element(2), s.Element(3)), Code: s.Element(4), Note: s.Element(5),
		})
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
	switch s.ID {
	case "AK1":
		d.f.Groups = append(d.f.Groups, GroupVerdict{FunctionalID: s.Element(1), Control: s.Element(2), Version: s.Element(3)})
		d.group, d.set, d.segment = &d.f.Groups[len(d.f.Groups)-1], nil, nil
		return nil
	case "AK2", "AK9":
		if d.group == nil {
			return s.Fault("the verdict stands outside a functional group (AK1)")
		}
		d.inGroup(s)
	case "IK3", "AK3", "IK5", "AK5":
		if d.set == nil {
			return s.Fault("the verdict stands outside a transaction set (AK2)")
		}
		d.inVerdict(s)
	case "IK4", "AK4":
		if d.segment == nil {
			return s.Fault("the fault of an element stands outside a segment (IK3, AK3)")
		}
		d.segment.Elements = append(d.segment.Elements, ElementFault{
			Position: number(s.Component(1, 1)), Component: number(s.Component(1, 2)), Repetition: number(s.Component(1, 3)),
			Reference: s.Element(2), Code: s.Element(3), Value: s.Element(4),
		})
	case "CTX":
		if name := s.Component(1, 1); d.segment != nil && name != "" {
			d.segment.Contexts = append(d.segment.Contexts, Context{name, s.Component(1, 2)})
		}
	}
	return nil
}

func (d *functionalDecoder) inGroup(s *x12.Segment) {
	g := d.group
	if s.ID == "AK2" {
		g.Sets = append(g.Sets, SetVerdict{ID: s.Element(1), Control: s.Element(2), Version: s.Element(3)})
		d.set, d.segment = &g.Sets[len(g.Sets)-1], nil
		return
	}
	g.Code, g.Included, g.Received, g.Accepted = s.Element(1), number(s.Element(2)), number(s.Element(3)), number(s.Element(4))
	g.Faults = faults(s, 5)
	d.set, d.segment = nil, nil
}

func (d *functionalDecoder) inVerdict(s *x12.Segment) {
	switch s.ID {
	case "IK3", "AK3":
		d.set.Segments = append(d.set.Segments, SegmentFault{
			ID: s.Element(1), Position: number(s.Element(2)), Loop: s.Element(3), Code: s.Element(4),
		})
		d.segment = &d.set.Segments[len(d.set.Segments)-1]
	default:
		d.set.Code, d.set.Faults = s.Element(1), faults(s, 2)
		d.segment = nil
	}
}

// maxFaults is the maximum number of fault codes of a group or a set. MaxLoop is the
// maximum length of a loop's name.
const (
	maxFaults = 5
	maxLoop   = 6
)

func faults(s *x12.Segment, first int) (all []string) {
	for n := first; n < first+maxFaults; n++ {
		if e := s.Element(n); e != "" {
			all = append(all, e)
		}
	}
	return all
}

// number parses a count or a position. It returns 0 if e is not one.
func number(e string) int {
	n, err := strconv.Atoi(e)
	if err != nil || n < 0 || n > 999_999_999 {
		return 0
	}
	return n
}

// EncodeFunctional writes a file of one interchange: a TA1 for each interchange
// verdict and a transaction set for each group verdict.
func EncodeFunctional(f *Functional) []byte {
	e := functionalEncoder{prefix: "IK", version: version999}
	standard := Standard999
	if f.Standard == Standard997 {
		e.prefix, e.version, standard = "AK", version997, Standard997
	}
	e.OpenInterchange(f.Interchange)
	for _, i := range f.Interchanges {
		var date, clock x12.Element
		if !i.At.IsZero() {
			date, clock = x12.Element(i.At.UTC().Format("060102")), x12.Element(i.At.UTC().Format("1504"))
		}
		e.Segment("TA1", x12.Clip(i.Control, 9), date, clock, code(i.Code), code(i.Note))
	}
	if len(f.Groups) > 0 {
		g := f.Group
		g.FunctionalID, g.Version = "FA", e.version
		e.OpenGroup(g)
	}
	guide := e.version
	if standard == Standard997 {
		guide = ""
	}
	for i := range f.Groups {
		e.OpenSet(x12.Set{ID: string(standard), Control: setControl(i), Version: guide})
		e.group(&f.Groups[i])
		e.Close()
	}
	return e.Bytes()
}

// setControl returns ST02 of the set at the index.
func setControl(i int) string {
	s := strconv.Itoa(i + 1)
	for len(s) < 4 {
		s = "0" + s
	}
	return s
}

type functionalEncoder struct {
	x12.Writer
	prefix, version string
}

func (e *functionalEncoder) group(g *GroupVerdict) {
	e.Segment("AK1", x12.Clip(g.FunctionalID, 2), x12.Clip(g.Control, 9), e.guide(g.Version, 12))
	for i := range g.Sets {
		e.set(&g.Sets[i])
	}
	if c := code(g.Code); c != "" {
		elements := []x12.Element{c, x12.Int(g.Included), x12.Int(g.Received), x12.Int(g.Accepted)}
		e.Segment("AK9", append(elements, codes(g.Faults)...)...)
	}
}

func (e *functionalEncoder) set(s *SetVerdict) {
	e.Segment("AK2", x12.Clip(s.ID, 3), x12.Clip(s.Control, 9), e.guide(s.Version, 35))
	for _, f := range s.Segments {
		e.Segment(e.prefix+"3", x12.Clip(f.ID, 3), x12.Int(f.Position), x12.Clip(f.Loop, maxLoop), code(f.Code))
		for _, c := range f.Contexts {
			if name := x12.Clip(c.Name, 35); name != "" && e.prefix == "IK" {
				e.Segment("CTX", x12.Composite(name, x12.Clip(c.Value, 35)))
			}
		}
		for _, el := range f.Elements {
			e.Segment(e.prefix+"4", x12.Composite(x12.Int(el.Position), positive(el.Component), positive(el.Repetition)),
				x12.Clip(el.Reference, 4), code(el.Code), x12.Clip(el.Value, 99))
		}
	}
	if c := code(s.Code); c != "" {
		e.Segment(e.prefix+"5", append([]x12.Element{c}, codes(s.Faults)...)...)
	}
}

// guide returns the implementation guide of the acknowledged set. It is empty in a
// 997, which names no guide.
func (e *functionalEncoder) guide(version string, limit int) x12.Element {
	if e.version == version997 {
		return ""
	}
	return x12.Clip(version, limit)
}

func positive(n int) x12.Element {
	if n <= 0 {
		return ""
	}
	return x12.Int(n)
}

// codes converts as many codes as the segment allows.
func codes(all []string) (elements []x12.Element) {
	for _, c := range all {
		if t := code(c); t != "" && len(elements) < maxFaults {
			elements = append(elements, t)
		}
	}
	return elements
}

// code returns a value of a code list.
func code(s string) x12.Element { return x12.Clip(s, 3) }
