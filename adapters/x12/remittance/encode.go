package remittance

import (
	"fmt"
	"io"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// The longest values that the guide allows, in characters.
const (
	maxReference   = 50
	maxTrace       = 50
	maxOriginator  = 10
	maxClaim       = 38
	maxName        = 60
	maxFirst       = 35
	maxMiddle      = 25
	maxSuffix      = 10
	maxID          = 80
	maxLine        = 55
	maxCity        = 30
	maxState       = 2
	maxZIP         = 15
	maxContact     = 256
	maxQuantity    = 15
	maxProcedure   = 48
	maxDescription = 80
	maxRemark      = 30
	maxCode        = 3 // for values of code lists
	maxReason      = 5 // of adjustments
)

const (
	perCAS = 6 // triples of a CAS
	perPLB = 6 // pairs of a PLB
	perPER = 3 // numbers of a PER

	maxModifiers = 4 // of a procedure
)

// Encode writes an interchange with one group and a transaction set for each
// remittance. It does not change amounts: see Settle. It ignores positions, spans,
// balances and the envelopes of the payments. It cuts values to the guide's lengths.
func Encode(w io.Writer, i x12.Interchange, g x12.Group, all []Remittance) error {
	var e encoder
	e.OpenInterchange(i)
	g.FunctionalID, g.Version = "HP", Version
	e.OpenGroup(g)
	for n := range all {
		r := &all[n]
		e.OpenSet(x12.Set{ID: set, Control: fmt.Sprintf("%04d", n+1)})
		e.payment(&r.Payment)
		if len(r.Claims) > 0 {
			e.Segment("LX", "1")
		}
		for c := range r.Claims {
			e.claim(&r.Claims[c])
			if err := e.Flush(w); err != nil {
				return err
			}
		}
		e.providerAdjustments(r.Adjustments)
		e.Close()
	}
	_, err := w.Write(e.Bytes())
	return err
}

// encoder writes loops.
type encoder struct {
	x12.Writer
}

// payment writes the segments before the claims.
func (e *encoder) payment(p *Payment) {
	e.Segment("BPR", code3(p.Handling), money(p.Total), code3(p.CreditDebit), code3(p.Method),
		"", "", "", "", "", "", "", "", "", "", "", optionalDay(p.Date))
	e.Segment("TRN", "1", x12.Clip(p.Trace.Number, maxTrace), x12.Clip(p.Trace.Originator, maxOriginator), x12.Clip(p.Trace.Division, maxTrace))
	e.references(p.References)
	if !p.Produced.IsZero() {
		e.Segment("DTM", "405", optionalDay(p.Produced))
	}
	e.party("PR", &p.Payer)
	e.party("PE", &p.Payee)
}

func (e *encoder) party(entity x12.Element, p *Party) {
	e.Segment("N1", entity, x12.Clip(p.Name, maxName), code3(p.IDQualifier), x12.Clip(p.ID, maxID))
	e.Optional("N3", x12.Clip(p.Address.Line1, maxLine), x12.Clip(p.Address.Line2, maxLine))
	e.Optional("N4", x12.Clip(p.Address.City, maxCity), x12.Clip(p.Address.State, maxState), x12.Clip(p.Address.ZIP, maxZIP))
	e.references(p.References)
	e.contacts(p.Contacts)
}

func (e *encoder) claim(c *Claim) {
	var share x12.Element
	if c.PatientResponsibility != nil {
		share = money(*c.PatientResponsibility)
	}
	e.Segment("CLP", x12.Clip(c.ControlNumber, maxClaim), code3(c.Status), money(c.Charge), money(c.Paid), share,
		code3(c.FilingCode), x12.Clip(c.PayerControlNumber, maxReference), code3(c.PlaceOfService), code3(c.Frequency))
	e.adjustments(c.Adjustments)
	for _, n := range c.Names {
		e.Segment("NM1", code3(n.Entity), code3(n.Kind), x12.Clip(n.Last, maxName), x12.Clip(n.First, maxFirst), x12.Clip(n.Middle, maxMiddle), "",
			x12.Clip(n.Suffix, maxSuffix), code3(n.IDQualifier), x12.Clip(n.ID, maxID))
	}
	e.elements("MIA", c.Inpatient)
	e.elements("MOA", c.Outpatient)
	e.references(c.References)
	e.dates(c.Dates)
	e.contacts(c.Contacts)
	e.amounts(c.Amounts)
	for i := range c.Services {
		e.service(&c.Services[i])
	}
}

func (e *encoder) service(s *Service) {
	e.Segment("SVC", procedure(s.Procedure), money(s.Charge), money(s.Paid), x12.Clip(s.Revenue, maxProcedure), x12.Clip(s.Units, maxQuantity),
		procedure(s.Submitted), x12.Clip(s.SubmittedUnits, maxQuantity))
	e.dates(s.Dates)
	e.adjustments(s.Adjustments)
	e.references(s.References)
	e.amounts(s.Amounts)
	for _, r := range s.Remarks {
		e.Segment("LQ", code3(r.Qualifier), x12.Clip(r.Code, maxRemark))
	}
}

// adjustments writes a CAS for consecutive adjustments of the same group, at most six
// in one segment.
func (e *encoder) adjustments(all []Adjustment) {
	for len(all) > 0 {
		group := all[0].Group
		triples := []x12.Element{code3(group)}
		n := 0
		for n < len(all) && n < perCAS && all[n].Group == group {
			a := all[n]
			triples = append(triples, x12.Clip(a.Reason, maxReason), money(a.Amount), x12.Clip(a.Quantity, maxQuantity))
			n++
		}
		e.Segment("CAS", triples...)
		all = all[n:]
	}
}

// providerAdjustments writes a PLB for consecutive adjustments of the same provider
// and period, at most six in one segment.
func (e *encoder) providerAdjustments(all []ProviderAdjustment) {
	for len(all) > 0 {
		first := all[0]
		pairs := []x12.Element{x12.Clip(first.Provider, maxReference), optionalDay(first.Period)}
		n := 0
		for n < len(all) && n < perPLB && all[n].Provider == first.Provider && all[n].Period == first.Period {
			a := all[n]
			pairs = append(pairs, x12.Composite(x12.Clip(a.Reason, maxReason), x12.Clip(a.Reference, maxReference)), money(a.Amount))
			n++
		}
		e.Segment("PLB", pairs...)
		all = all[n:]
	}
}

func (e *encoder) references(all []Reference) {
	for _, r := range all {
		e.Segment("REF", code3(r.Qualifier), x12.Clip(r.Value, maxReference))
	}
}

// dates writes DTMs. It writes a missing day as zeros, as payers do for the service
// date of a predetermination.
func (e *encoder) dates(all []Date) {
	for _, d := range all {
		e.Segment("DTM", code3(d.Qualifier), x12.Element(d.Day.X12()))
	}
}

func (e *encoder) amounts(all []Amount) {
	for _, a := range all {
		e.Segment("AMT", code3(a.Qualifier), money(a.Amount))
	}
}

func (e *encoder) contacts(all []Contact) {
	for _, c := range all {
		numbers := []x12.Element{code3(c.Function), x12.Clip(c.Name, maxName)}
		for _, n := range c.Numbers[:min(len(c.Numbers), perPER)] {
			if q, v := code3(n.Qualifier), x12.Clip(n.Value, maxContact); q+v != "" {
				numbers = append(numbers, q, v)
			}
		}
		e.Segment("PER", numbers...)
	}
}

func (e *encoder) elements(id string, all []string) {
	clipped := make([]x12.Element, len(all))
	for i, v := range all {
		clipped[i] = x12.Clip(v, maxReference)
	}
	e.Optional(id, clipped...)
}

func money(m billing.Money) x12.Element { return x12.Cents(int64(m)) }

// code3 returns a value of a code list.
func code3(s string) x12.Element { return x12.Clip(s, maxCode) }

func optionalDay(d billing.Date) x12.Element {
	if d.IsZero() {
		return ""
	}
	return x12.Element(d.X12())
}

func procedure(p Procedure) x12.Element {
	parts := []x12.Element{code3(p.Qualifier), x12.Clip(p.Code, maxProcedure)}
	for _, m := range p.Modifiers[:min(len(p.Modifiers), maxModifiers)] {
		if m := x12.Clip(m, maxProcedure); m != "" {
			parts = append(parts, m)
		}
	}
	for len(parts) < 2+maxModifiers {
		parts = append(parts, "")
	}
	return x12.Composite(append(parts, x12.Clip(p.Description, maxDescription))...)
}
