package acknowledgements

import (
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// The longest values that the guides allow, in characters.
const (
	maxReference = 50
	maxLast      = 60
	maxFirst     = 35
	maxMiddle    = 25
	maxSuffix    = 10
	maxID        = 80
	maxStatus    = 30
	maxProcedure = 48
	maxText      = 264
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
	e.OpenInterchange(r.Interchange)
	g := r.Group
	g.FunctionalID, g.Version = "HN", string(e.kind)
	e.OpenGroup(g)
	control := string(x12.Clip(r.Control, 9))
	if control == "" {
		control = "0001"
	}
	e.OpenSet(x12.Set{ID: "277", Control: control, Version: string(e.kind)})
	var date, clock x12.Element
	if at := r.CreatedAt.UTC(); !at.IsZero() {
		date, clock = x12.Element(at.Format("20060102")), x12.Element(at.Format("150405"))
	}
	e.Segment("BHT", structure, "08", x12.Clip(r.Reference, maxReference), date, clock, transaction)
	for i := range r.Sources {
		e.source(&r.Sources[i])
	}
	return e.Bytes()
}

// reportEncoder writes loops.
type reportEncoder struct {
	x12.Writer
	kind   Kind
	levels int
}

// hl writes an HL and returns its number. The guides have no HL04 for patients.
func (e *reportEncoder) hl(parent int, code x12.Element, children int) int {
	e.levels++
	var up, below x12.Element
	if parent > 0 {
		up = x12.Int(parent)
	}
	switch {
	case children > 0:
		below = "1"
	case code != levelPatient:
		below = "0"
	}
	e.Segment("HL", x12.Int(e.levels), up, code, below)
	return e.levels
}

func (e *reportEncoder) source(s *Source) {
	at := e.hl(0, levelSource, len(s.Receivers))
	e.level(&s.Level, "1", "", nil)
	e.date("050", billing.DateSpan{From: s.Received, To: s.Received})
	e.date("009", billing.DateSpan{From: s.Processed, To: s.Processed})
	for i := range s.Receivers {
		e.receiver(&s.Receivers[i], at)
	}
}

func (e *reportEncoder) receiver(r *Receiver, parent int) {
	at := e.hl(parent, levelReceiver, len(r.Providers))
	e.level(&r.Level, "2", "", []x12.Element{"90", "AA"})
	for i := range r.Providers {
		e.provider(&r.Providers[i], at)
	}
}

func (e *reportEncoder) provider(p *Provider, parent int) {
	at := e.hl(parent, levelProvider, len(p.Claims))
	tax := x12.Element("")
	if e.kind == KindAcknowledgement { // the other guides have no segment for it
		tax = x12.Clip(p.TaxID, maxReference)
	}
	e.level(&p.Level, "1", tax, []x12.Element{"QA", "QC"})
	for i := range p.Claims {
		e.claim(&p.Claims[i], at)
	}
}

// level writes the segments after the HL of a source, receiver or provider. Counts
// holds the qualifiers for the numbers of accepted and rejected claims.
func (e *reportEncoder) level(l *Level, trace, tax x12.Element, counts []x12.Element) {
	e.name(l.Name)
	number := x12.Clip(l.Trace, maxReference)
	if number == "" && e.traced(l, tax, counts) {
		number = noTrace
	}
	if number != "" {
		e.Segment("TRN", trace, number)
	}
	e.statuses(l.Statuses, e.kind == KindAcknowledgement)
	if tax != "" {
		e.Segment("REF", "TJ", tax)
	}
	if counts == nil {
		return
	}
	for i, n := range []int{l.Totals.Accepted, l.Totals.Rejected} {
		if n > 0 {
			e.Segment("QTY", counts[i], x12.Int(n))
		}
	}
	for _, total := range []struct {
		qualifier x12.Element
		amount    billing.Money
	}{{"YU", l.Totals.AcceptedAmount}, {"YY", l.Totals.RejectedAmount}} {
		if total.amount != 0 {
			e.Segment("AMT", total.qualifier, x12.Cents(int64(total.amount)))
		}
	}
}

// noTrace is the TRN02 of a provider without a trace number.
const noTrace = "0"

// traced reports whether a level of a 277CA needs a TRN: its loop (2200B, 2200C)
// begins with one, and STC, REF, QTY and AMT stand in it.
func (e *reportEncoder) traced(l *Level, tax x12.Element, counts []x12.Element) bool {
	return e.kind == KindAcknowledgement && counts != nil && (l.Totals != (Totals{}) || len(l.Statuses) > 0 || tax != "")
}

// claim writes a patient's level with one claim. A 277CA numbers the claim in
// TRN02, others in REF EJ.
func (e *reportEncoder) claim(c *Claim, parent int) {
	level := x12.Element(levelPatient)
	if e.kind == KindResponse {
		level = levelSubscriber
	}
	e.hl(parent, level, 0)
	e.name(c.Patient)
	number, trace, reference := x12.Clip(c.ControlNumber, maxReference), x12.Clip(c.Trace, maxReference), x12.Clip(c.PayerReference, maxReference)
	switch {
	case reference != "":
		e.Segment("TRN", "1", reference)
	case trace != "" && trace != number:
		e.Segment("TRN", "2", trace)
	case e.kind == KindAcknowledgement && number != "":
		e.Segment("TRN", "2", number)
		number = ""
	}
	e.statuses(c.Statuses, e.kind == KindAcknowledgement)
	e.reference("1K", c.PayerClaimNumber)
	e.reference("EJ", string(number))
	e.reference("D9", c.ClearinghouseNumber)
	e.date("472", c.Service)
	e.date("106", billing.DateSpan{From: c.Due, To: c.Due})
	for i := range c.Lines {
		e.line(&c.Lines[i])
	}
}

func (e *reportEncoder) line(l *Line) {
	var charge x12.Element
	if l.Charge != 0 || e.kind == KindAcknowledgement { // which requires it
		charge = x12.Cents(int64(l.Charge))
	}
	e.Segment("SVC", x12.Composite(code(l.Qualifier), x12.Clip(l.Procedure, maxProcedure)), charge)
	e.statuses(l.Statuses, false)
	e.reference("FJ", l.Number)
	e.date("472", l.Service)
}

func (e *reportEncoder) name(n Name) {
	entity := code(n.Entity)
	if entity == "" {
		return
	}
	qualifier, id := code(n.IDQualifier), x12.Clip(n.ID, maxID)
	if id == "" {
		qualifier = "" // the two stand together
	}
	e.Segment("NM1", entity, code(n.Kind), x12.Clip(n.Last, maxLast), x12.Clip(n.First, maxFirst), x12.Clip(n.Middle, maxMiddle), "",
		x12.Clip(n.Suffix, maxSuffix), qualifier, id)
}

// statuses writes STC segments. Charged says that the guide requires a charge, even
// of zero.
func (e *reportEncoder) statuses(all []Status, charged bool) {
	for _, s := range all {
		var c [3]x12.Element
		n := 0
		for _, one := range s.Codes {
			if t := status(one); t != "" && n < len(c) {
				c[n] = t
				n++
			}
		}
		var day, charge x12.Element
		if !s.Effective.IsZero() {
			day = x12.Element(s.Effective.X12())
		}
		if s.Charge != 0 || charged {
			charge = x12.Cents(int64(s.Charge))
		}
		e.Segment("STC", c[0], day, code(s.Action), charge, "", "", "", "", "", c[1], c[2], x12.Clip(s.Text, maxText))
	}
}

func status(c Code) x12.Element {
	return x12.Composite(code(c.Category), x12.Clip(c.Status, maxStatus), code(c.Entity), code(c.List))
}

func (e *reportEncoder) reference(qualifier x12.Element, value string) {
	if v := x12.Clip(value, maxReference); v != "" {
		e.Segment("REF", qualifier, v)
	}
}

// date writes DTP of one day or of a range.
func (e *reportEncoder) date(qualifier x12.Element, span billing.DateSpan) {
	switch {
	case span.From.IsZero():
	case span.To.IsZero() || span.To == span.From:
		e.Segment("DTP", qualifier, "D8", x12.Element(span.From.X12()))
	default:
		e.Segment("DTP", qualifier, "RD8", x12.Element(span.From.X12()+"-"+span.To.X12()))
	}
}
