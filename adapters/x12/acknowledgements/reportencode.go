package acknowledgements

import (
	"cmp"

	"github.com/molar-billing/molar/adapters/x12"
)

// EncodeReport writes a 277 as an interchange of one transaction set. It cuts
// values to the lengths of the guides.
func EncodeReport(r *Report) []byte {
	e := reportEncoder{kind: r.Kind}
	structure, transaction := x12.Element("0085"), x12.Element("TH")
	switch r.Kind {
	case KindRequest:
		transaction = "RQ"
	case KindResponse:
		structure, transaction = "0010", "DG"
	case KindAcknowledgement:
	default:
		e.kind = KindAcknowledgement
	}
	g := r.Group
	g.FunctionalID, g.Version = "HN", string(e.kind)
	control := cmp.Or(string(x12.Clip(r.Control, 9)), "0001")
	e.Open(r.Interchange, g, x12.Set{ID: "277", Control: control, Version: string(e.kind)})
	r.header(e.Fields(), structure, transaction)
	for i := range r.Sources {
		e.source(&r.Sources[i])
	}
	return e.Bytes()
}

// reportEncoder writes loops.
type reportEncoder struct {
	x12.Writer
	kind Kind
}

func (e *reportEncoder) source(s *Source) {
	at := e.Level(0, levelSource, x12.Child(len(s.Receivers) > 0))
	e.level(&s.Level, "1", "")
	s.dates(e.Fields())
	for i := range s.Receivers {
		e.receiver(&s.Receivers[i], at)
	}
}

func (e *reportEncoder) receiver(r *Receiver, parent int) {
	at := e.Level(parent, levelReceiver, x12.Child(len(r.Providers) > 0))
	e.counted(&r.Level, "2", "")
	r.Totals.fields(e.Fields(), "90", "AA")
	for i := range r.Providers {
		e.provider(&r.Providers[i], at)
	}
}

func (e *reportEncoder) provider(p *Provider, parent int) {
	at := e.Level(parent, levelProvider, x12.Child(len(p.Claims) > 0))
	tax := ""
	if e.kind == KindAcknowledgement { // the other guides have no segment for it
		tax = p.TaxID
	}
	e.counted(&p.Level, "1", tax)
	e.Fields().Reference("TJ", &tax)
	p.Totals.fields(e.Fields(), "QA", "QC")
	for i := range p.Claims {
		e.claim(&p.Claims[i], at)
	}
}

// noTrace is the TRN02 of a provider without a trace number.
const noTrace = "0"

// counted is level for one with totals. In a 277CA its loop (2200B, 2200C) begins with
// a TRN, and STC, REF, QTY and AMT stand in it.
func (e *reportEncoder) counted(l *Level, trace x12.Element, tax string) {
	otherwise := ""
	if e.kind == KindAcknowledgement && (l.Totals != (Totals{}) || len(l.Statuses) > 0 || x12.Text(tax) != "") {
		otherwise = noTrace
	}
	e.level(l, trace, otherwise)
}

// level writes the name, the trace number and the statuses of a source, receiver or
// provider.
func (e *reportEncoder) level(l *Level, trace x12.Element, otherwise string) {
	e.name(&l.Name)
	e.trace(trace, cmp.Or(string(x12.Text(l.Trace)), otherwise))
	e.statuses(l.Statuses, e.kind == KindAcknowledgement)
}

func (e *reportEncoder) trace(kind x12.Element, number string) {
	if f := e.Fields(); f.Optional("TRN") {
		f.Const(1, kind).Text(2, &number, x12.MaxReference)
	}
}

// claim writes a patient's level with one claim. A 277CA numbers the claim in
// TRN02, others in REF EJ. The guides have no HL04 for patients.
func (e *reportEncoder) claim(c *Claim, parent int) {
	switch patient := c.Patient; {
	case e.kind != KindResponse:
		e.Level(parent, levelPatient, "")
		e.name(&patient)
	case x12.Text(c.Subscriber.Entity) == "":
		e.Level(parent, levelSubscriber, x12.Child(false))
		e.name(&patient)
	default:
		at := e.Level(parent, levelSubscriber, x12.Child(true))
		e.name(&c.Subscriber)
		e.Level(at, levelDependent, "")
		if patient.ID == c.Subscriber.ID { // a dependent has none of their own
			patient.IDQualifier, patient.ID = "", ""
		}
		e.name(&patient)
	}
	number, trace := x12.Clip(c.ControlNumber, x12.MaxReference), x12.Clip(c.Trace, x12.MaxReference)
	switch {
	case x12.Text(c.PayerReference) != "":
		e.trace("1", c.PayerReference)
	case trace != "" && trace != number:
		e.trace("2", string(trace))
	case e.kind == KindAcknowledgement:
		e.trace("2", string(number))
		number = ""
	}
	e.statuses(c.Statuses, e.kind == KindAcknowledgement)
	reference := string(number)
	c.loop(e.Fields(), &reference)
	for i := range c.Lines {
		l := &c.Lines[i]
		e.Fields().Segment("SVC")
		l.fields(e.Fields(), e.kind == KindAcknowledgement)
		e.statuses(l.Statuses, false)
		l.loop(e.Fields())
	}
}

// name writes NM1. The qualifier of an ID stands beside it, or not at all.
func (e *reportEncoder) name(n *Name) {
	if x12.Text(n.Entity) == "" {
		return
	}
	f := e.Fields()
	f.Segment("NM1")
	if n.Fields(f); x12.Text(n.ID) == "" {
		f.Put(8, "")
	}
}

// statuses writes STC segments. Charged says that the guide requires a charge, even
// of zero.
func (e *reportEncoder) statuses(all []Status, charged bool) {
	for i := range all {
		e.Fields().Segment("STC")
		all[i].fields(e.Fields(), charged)
	}
}
