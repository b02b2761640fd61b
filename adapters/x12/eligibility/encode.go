package eligibility

import "github.com/molar-billing/molar/adapters/x12"

// The codes of HL03, and the loop of an AAA before the payer's name.
const (
	levelSource     = "20"
	levelReceiver   = "21"
	levelSubscriber = "22"
	levelDependent  = "23"
	loopSource      = "2000A"
)

// maxAmount is the length of the longest amount or percentage that the guide allows.
const maxAmount = 18

// setControl is ST02 of the one transaction set that the encoder writes.
const setControl = "0001"

// EncodeInquiry writes the 270. A name without ASCII letters becomes X, because
// NM103 must not be empty. EncodeInquiry cuts values to the guide's lengths.
func EncodeInquiry(q *Inquiry) []byte {
	r := Reply{
		Interchange: q.Interchange, Group: q.Group, Purpose: "13", Reference: q.Reference, CreatedAt: q.CreatedAt,
		Source: &q.Payer, Receiver: &q.Provider, Subscriber: &Member{Party: q.Subscriber},
	}
	if q.Dependent != nil {
		r.Dependent = &Member{Party: *q.Dependent}
	}
	var w x12.Writer
	r.write(&w, "HS", "270")
	x12.List(w.Fields(), "EQ", &q.Queries, (*Query).fields)
	return w.Bytes()
}

// Encode writes the 271. An empty Purpose is written as 11, a response.
func Encode(r *Reply) []byte {
	var w x12.Writer
	r.write(&w, "HB", "271")
	return w.Bytes()
}

// write writes the loops. Each level is the child of the preceding one.
func (r *Reply) write(w *x12.Writer, functionalID, set string) {
	g := r.Group
	g.FunctionalID, g.Version = functionalID, Version
	w.Open(r.Interchange, g, x12.Set{ID: set, Control: setControl, Version: Version})
	f, at, members := w.Fields(), 0, r.Subscriber != nil || r.Dependent != nil
	r.header(f)
	if r.Source != nil {
		at = w.Level(at, levelSource, x12.Child(r.Receiver != nil || members))
		r.Source.loop(f)
	}
	if r.Receiver != nil {
		at = w.Level(at, levelReceiver, x12.Child(members))
		r.Receiver.loop(f)
	}
	if r.Subscriber != nil {
		at = w.Level(at, levelSubscriber, x12.Child(r.Dependent != nil))
		r.Subscriber.write(f)
	}
	if r.Dependent != nil {
		w.Level(at, levelDependent, x12.Child(false))
		r.Dependent.write(f)
	}
}

func (m *Member) write(f *x12.Fields) {
	m.loop(f)
	for i := range m.Benefits {
		b := &m.Benefits[i]
		f.Segment("EB")
		b.fields(f)
		b.loop(f)
		b.writeRelated(f)
	}
}

// writeRelated writes loop 2120 for each party that the benefit refers to.
func (b *Benefit) writeRelated(f *x12.Fields) {
	if len(b.Related) == 0 {
		return
	}
	f.Segment("LS")
	f.Put(1, "2120")
	for i := range b.Related {
		p := &b.Related[i]
		p.writeName(f)
		p.whereabouts(f)
		p.specialty(f)
	}
	f.Segment("LE")
	f.Put(1, "2120")
}
