package eligibility

import (
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// The codes of HL03, and the loop of an AAA before the payer's name.
const (
	levelSource     = "20"
	levelReceiver   = "21"
	levelSubscriber = "22"
	levelDependent  = "23"
	loopSource      = "2000A"
)

// The longest values that the guide allows, in characters.
const (
	maxReference = 50
	maxLast      = 60
	maxFirst     = 35
	maxMiddle    = 25
	maxSuffix    = 10
	maxID        = 80
	maxLine      = 55
	maxCity      = 30
	maxState     = 2
	maxZIP       = 15
	maxPlan      = 50
	maxDTP       = 35
	maxMessage   = 264
	maxContact   = 256
	maxNumber    = 15
	maxMoney     = 18
	maxCode      = 3 // for values of code lists
	maxProcedure = 48
)

// setControl is ST02 of the one transaction set that the encoder writes.
const setControl = "0001"

// EncodeInquiry writes the 270. A name without ASCII letters becomes X, because
// NM103 must not be empty. EncodeInquiry cuts values to the guide's lengths.
func EncodeInquiry(q *Inquiry) []byte {
	var e encoder
	e.open(q.Interchange, q.Group, "HS", "270")
	e.header("13", q.Reference, q.CreatedAt)
	e.level(levelSource, true)
	e.party(&q.Payer)
	e.level(levelReceiver, true)
	e.party(&q.Provider)
	e.level(levelSubscriber, q.Dependent != nil)
	e.party(&q.Subscriber)
	if q.Dependent != nil {
		e.level(levelDependent, false)
		e.party(q.Dependent)
	}
	for _, s := range q.Queries {
		e.Segment("EQ", x12.Repeat(s.ServiceTypes...), procedure(s.Procedure), code(s.Level))
	}
	return e.Bytes()
}

// Encode writes the 271. An empty Purpose is written as 11, a response.
func Encode(r *Reply) []byte {
	var e encoder
	e.open(r.Interchange, r.Group, "HB", "271")
	purpose := code(r.Purpose)
	if purpose == "" {
		purpose = "11"
	}
	e.header(purpose, r.Reference, r.CreatedAt)
	below := []bool{r.Receiver != nil || r.Subscriber != nil || r.Dependent != nil, r.Subscriber != nil || r.Dependent != nil, r.Dependent != nil}
	if r.Source != nil {
		e.level(levelSource, below[0])
		e.party(r.Source)
	}
	if r.Receiver != nil {
		e.level(levelReceiver, below[1])
		e.party(r.Receiver)
	}
	if r.Subscriber != nil {
		e.level(levelSubscriber, below[2])
		e.member(r.Subscriber)
	}
	if r.Dependent != nil {
		e.level(levelDependent, false)
		e.member(r.Dependent)
	}
	return e.Bytes()
}

// encoder writes loops.
type encoder struct {
	x12.Writer
	levels int
}

func (e *encoder) open(i x12.Interchange, g x12.Group, functionalID, set string) {
	e.OpenInterchange(i)
	g.FunctionalID, g.Version = functionalID, Version
	e.OpenGroup(g)
	e.OpenSet(x12.Set{ID: set, Control: setControl, Version: Version})
}

// header writes BHT. Structure 0022 nests information source, receiver, subscriber
// and dependent.
func (e *encoder) header(purpose x12.Element, reference string, at time.Time) {
	var date, clock x12.Element
	if !at.IsZero() {
		at = at.UTC()
		date = x12.Element(billing.DateOf(at).X12())
		clock = x12.Text(at.Format("150405.00")[:6] + at.Format("150405.00")[7:])
	}
	e.Segment("BHT", "0022", purpose, x12.Clip(reference, maxReference), date, clock)
}

// level writes an HL. Each level is the child of the preceding one.
func (e *encoder) level(levelCode x12.Element, hasChild bool) {
	e.levels++
	var parent x12.Element
	if e.levels > 1 {
		parent = x12.Int(e.levels - 1)
	}
	child := x12.Element("0")
	if hasChild {
		child = "1"
	}
	e.Segment("HL", x12.Int(e.levels), parent, levelCode, child)
}

func (e *encoder) member(m *Member) {
	e.party(&m.Party)
	for i := range m.Benefits {
		e.benefit(&m.Benefits[i])
	}
}

func (e *encoder) party(p *Party) {
	for _, t := range p.Traces {
		e.Segment("TRN", code(t.Type), x12.Clip(t.Number, maxReference), x12.Clip(t.Originator, 10), x12.Clip(t.Division, maxReference))
	}
	for _, a := range p.Rejections {
		if a.Loop == loopSource {
			e.rejection(a)
		}
	}
	if p.Name != (Name{}) {
		e.name(p.Name)
	}
	e.references(p.References)
	e.whereabouts(p)
	for _, a := range p.Rejections {
		if a.Loop != loopSource {
			e.rejection(a)
		}
	}
	e.specialty(p)
	e.demographics(p)
	e.Optional("INS", code(p.Insured), code(p.Relationship))
	e.dates(p.Dates)
	e.messages(p.Messages)
}

// name writes an NM1. A name without ASCII letters becomes X, so that the loop keeps
// its first segment.
func (e *encoder) name(n Name) {
	last, first := x12.Clip(n.Last, maxLast), x12.Clip(n.First, maxFirst)
	id := x12.Clip(n.ID, maxID)
	if last == "" && (n.Last != "" || code(n.Entity)+code(n.Kind)+first+id == "") {
		last = "X"
	}
	e.Segment("NM1", code(n.Entity), code(n.Kind), last, first, x12.Clip(n.Middle, maxMiddle), "",
		x12.Clip(n.Suffix, maxSuffix), code(n.IDQualifier), id)
}

func (e *encoder) whereabouts(p *Party) {
	e.Optional("N3", x12.Clip(p.Address.Line1, maxLine), x12.Clip(p.Address.Line2, maxLine))
	e.Optional("N4", x12.Clip(p.Address.City, maxCity), x12.Clip(p.Address.State, maxState), x12.Clip(p.Address.ZIP, maxZIP))
	for _, c := range p.Contacts {
		e.contact(c)
	}
}

func (e *encoder) specialty(p *Party) {
	taxonomy := x12.Clip(p.Taxonomy, maxReference)
	qualifier := x12.Element("PXC")
	if taxonomy == "" {
		qualifier = ""
	}
	e.Optional("PRV", code(p.Role), qualifier, taxonomy)
}

func (e *encoder) demographics(p *Party) {
	var format, born x12.Element
	if !p.BirthDate.IsZero() {
		format, born = "D8", x12.Element(p.BirthDate.X12())
	}
	e.Optional("DMG", format, born, code(p.Gender))
}

func (e *encoder) contact(c Contact) {
	elements := []x12.Element{code(c.Function), x12.Clip(c.Name, maxLast)}
	for _, n := range c.Numbers {
		if q, v := code(n.Qualifier), x12.Clip(n.Value, maxContact); q+v != "" {
			elements = append(elements, q, v)
		}
	}
	e.Segment("PER", elements...)
}

func (e *encoder) references(all []Reference) {
	for _, r := range all {
		e.Segment("REF", code(r.Qualifier), x12.Clip(r.Value, maxReference), x12.Clip(r.Description, 80))
	}
}

func (e *encoder) dates(all []Date) {
	for _, d := range all {
		e.Segment("DTP", code(d.Qualifier), code(d.Format), x12.Clip(d.Value, maxDTP))
	}
}

func (e *encoder) rejection(a Rejection) {
	e.Segment("AAA", code(a.Valid), "", code(a.Reason), code(a.FollowUp))
}

func (e *encoder) messages(all []string) {
	for _, m := range all {
		e.Segment("MSG", x12.Clip(m, maxMessage))
	}
}

func (e *encoder) benefit(b *Benefit) {
	e.Segment("EB", code(b.Code), code(b.Level), x12.Repeat(b.ServiceTypes...), code(b.InsuranceType), x12.Clip(b.Plan, maxPlan),
		code(b.Period), x12.Clip(b.Amount, maxMoney), x12.Clip(b.Percent, maxMoney), code(b.QuantityQualifier), x12.Clip(b.Quantity, maxNumber),
		code(b.Authorization), code(b.InNetwork), procedure(b.Procedure), components(b.Diagnoses))
	for _, d := range b.Deliveries {
		e.Segment("HSD", code(d.Quantifier), x12.Clip(d.Quantity, maxNumber), code(d.Per), x12.Clip(d.Every, maxNumber),
			code(d.Period), x12.Clip(d.Periods, maxNumber), code(d.Pattern), code(d.TimePattern))
	}
	e.references(b.References)
	e.dates(b.Dates)
	for _, a := range b.Rejections {
		e.rejection(a)
	}
	e.messages(b.Messages)
	for _, i := range b.Information {
		e.Segment("III", code(i.Qualifier), x12.Clip(i.Code, 30), code(i.Category), x12.Clip(i.Text, maxMessage))
	}
	if len(b.Related) == 0 {
		return
	}
	e.Segment("LS", "2120")
	for i := range b.Related {
		p := &b.Related[i]
		e.name(p.Name)
		e.references(p.References)
		e.whereabouts(p)
		e.specialty(p)
	}
	e.Segment("LE", "2120")
}

// code returns a value of a code list.
func code(s string) x12.Element { return x12.Clip(s, maxCode) }

func procedure(p Procedure) x12.Element {
	return components(append([]string{p.Qualifier, p.Code}, p.Modifiers...))
}

func components(values []string) x12.Element {
	all := make([]x12.Element, len(values))
	for i, v := range values {
		all[i] = x12.Clip(v, maxProcedure)
	}
	return x12.Composite(all...)
}
