package remittance

import (
	"fmt"
	"io"

	"github.com/molar-billing/molar/adapters/x12"
)

const (
	perPLB       = 6 // pairs of a PLB
	maxModifiers = 4 // of a procedure
)

// Encode writes an interchange with one group and a transaction set for each
// remittance. It does not change amounts: see Settle. It ignores positions, spans,
// balances and the envelopes of the payments. It cuts values to the guide's lengths.
func Encode(to io.Writer, i x12.Interchange, g x12.Group, all []Remittance) error {
	var w x12.Writer
	w.OpenInterchange(i)
	g.FunctionalID, g.Version = "HP", Version
	w.OpenGroup(g)
	f := w.Fields()
	for n := range all {
		r := &all[n]
		w.OpenSet(x12.Set{ID: set, Control: fmt.Sprintf("%04d", n+1)})
		r.header(f)
		r.Payer.write(f, "PR")
		r.Payee.write(f, "PE")
		if len(r.Claims) > 0 {
			w.Segment("LX", "1")
		}
		for c := range r.Claims {
			r.Claims[c].write(f)
			if err := w.Flush(to); err != nil {
				return err
			}
		}
		writeProviderAdjustments(f, r.Adjustments)
		w.Close()
	}
	_, err := to.Write(w.Bytes())
	return err
}

func (p *Party) write(f *x12.Fields, entity x12.Element) {
	f.Segment("N1")
	p.fields(f.Put(1, entity))
	p.loop(f)
}

func (c *Claim) write(f *x12.Fields) {
	f.Segment("CLP")
	c.fields(f)
	c.responsibility(f)
	c.loop(f)
	for i := range c.Services {
		s := &c.Services[i]
		f.Segment("SVC")
		s.fields(f)
		s.Procedure.write(f, 1)
		s.Submitted.write(f, 6)
		s.loop(f)
	}
}

// writeProviderAdjustments writes a PLB for consecutive adjustments of the same provider
// and period, at most six in one segment.
func writeProviderAdjustments(f *x12.Fields, all []ProviderAdjustment) {
	for len(all) > 0 {
		first, n := &all[0], 0
		f.Segment("PLB")
		first.provider(f)
		for ; n < min(len(all), perPLB) && all[n].Provider == first.Provider && all[n].Period == first.Period; n++ {
			all[n].pair(f, 3+2*n)
		}
		all = all[n:]
	}
}

func (p *Procedure) write(f *x12.Fields, n int) {
	c := f.Component(n, 1, &p.Qualifier, 3).Component(n, 2, &p.Code, x12.MaxProcedure)
	at := 3
	for _, m := range p.Modifiers[:min(len(p.Modifiers), maxModifiers)] {
		if m := x12.Clip(m, x12.MaxProcedure); m != "" {
			c.PutComponent(n, at, m)
			at++
		}
	}
	c.Component(n, 3+maxModifiers, &p.Description, x12.MaxDescription)
}
