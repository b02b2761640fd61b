package remit

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// Difference is what a correction changes, by claim and line.
type Difference struct {
	Total                    billing.Money     // of the remittances that it corrects
	ProviderAdjustmentsTotal billing.Money     // of those
	Changed                  int               // claims in both, with other figures
	Added                    int               // claims only in the correction
	Removed                  int               // claims only in the others
	Claims                   []ClaimDifference // the first maxDifferences
}

// maxDifferences is the most claims that an Difference shows.
const maxDifferences = 100

// ClaimDifference is a claim with other figures.
type ClaimDifference struct {
	ControlNumber    string
	PayerClaimNumber string
	PatientFirstName string
	PatientLastName  string
	Was, Is          *Stated // nil: the claim is not there
	Lines            []LineDifference
}

// LineDifference is a line with other figures.
type LineDifference struct {
	ProcedureCode string // as billed
	ServiceDate   billing.Date
	Was, Is       *Stated // nil: the line is not there
}

// Stated is what a payer states of a claim, or of a line.
type Stated struct {
	StatusCode            string // CLP02; empty for a line
	ProcedureCode         string // as paid; empty for a claim
	Charge                billing.Money
	Paid                  billing.Money
	Allowed               *billing.Money // nil when not stated
	PatientResponsibility *billing.Money // CLP05; nil when not stated, and for a line
	Adjustments           []Adjustment   // of the claim level, or of the line
}

// Comparison finds the difference. It is given the claims of the correction in their
// order with Is, and then those of the others with Was.
type Comparison struct {
	difference Difference
	was, is    map[ClaimOutline]int // how many of the others' claims differ, and of the correction's
	removed    map[uint64]int       // by number: how many more the others have
	rows       []*pairOfClaims
	open       map[uint64][]*pairOfClaims // rows without the others' claim
}

type pairOfClaims struct{ was, is *Claim }

// Compare begins a comparison of a correction with what it corrects.
func Compare(was []*Outline, is *Outline) *Comparison {
	c := &Comparison{was: map[ClaimOutline]int{}, is: map[ClaimOutline]int{}, removed: map[uint64]int{}, open: map[uint64][]*pairOfClaims{}}
	for _, o := range is.Claims {
		c.is[o]++
	}
	for _, others := range was {
		for _, o := range others.Claims {
			if c.is[o] > 0 {
				c.is[o]--
			} else {
				c.was[o]++
				c.removed[o.Number]++
			}
		}
	}
	added := map[uint64]int{}
	for o, n := range c.is {
		added[o.Number] += n
	}
	for number, n := range added {
		both := min(n, c.removed[number])
		c.removed[number] -= both
		c.difference.Changed, c.difference.Added = c.difference.Changed+both, c.difference.Added+n-both
	}
	for _, n := range c.removed {
		c.difference.Removed += n
	}
	return c
}

// Is adds a claim of the correction.
func (c *Comparison) Is(r *Claim) {
	o := r.outline()
	if c.is[o] == 0 || len(c.rows) == maxDifferences {
		return
	}
	c.is[o]--
	row := &pairOfClaims{is: r}
	c.rows, c.open[o.Number] = append(c.rows, row), append(c.open[o.Number], row)
}

// Was adds a remittance claim that is corrected.
func (c *Comparison) Was(r *Claim) {
	o := r.outline()
	if c.was[o] == 0 {
		return
	}
	c.was[o]--
	switch open := c.open[o.Number]; {
	case len(open) > 0:
		open[0].was, c.open[o.Number] = r, open[1:]
	case c.removed[o.Number] > 0 && len(c.rows) < maxDifferences:
		c.removed[o.Number]--
		c.rows = append(c.rows, &pairOfClaims{was: r})
	}
}

// Difference returns the result, given what was corrected.
func (c *Comparison) Difference(of []*ERA) *Difference {
	for _, e := range of {
		c.difference.Total += e.Payment.Total
		c.difference.ProviderAdjustmentsTotal += e.Payment.ProviderAdjustmentsTotal
	}
	for _, row := range c.rows {
		c.difference.Claims = append(c.difference.Claims, row.difference())
	}
	return &c.difference
}

func (p *pairOfClaims) difference() ClaimDifference {
	of := p.is
	if of == nil {
		of = p.was
	}
	return ClaimDifference{
		ControlNumber: of.ControlNumber, PayerClaimNumber: of.PayerClaimNumber, PatientFirstName: of.PatientFirstName, PatientLastName: of.PatientLastName,
		Was: p.was.stated(), Is: p.is.stated(), Lines: lineDifferences(p.was.lines(), p.is.lines()),
	}
}

func (r *Claim) stated() *Stated {
	if r == nil {
		return nil
	}
	return &Stated{
		StatusCode: r.StatusCode, Charge: r.Charge, Paid: r.Paid, Allowed: r.Allowed, PatientResponsibility: r.PatientResponsibility,
		Adjustments: r.Adjustments,
	}
}

func (l *Line) stated() *Stated {
	if l == nil {
		return nil
	}
	return &Stated{ProcedureCode: l.ProcedureCode, Charge: l.Charge, Paid: l.Paid, Allowed: l.Allowed, Adjustments: l.Adjustments}
}

func (r *Claim) lines() (all []*Line) {
	if r != nil {
		for i := range r.Lines {
			all = append(all, &r.Lines[i])
		}
	}
	return all
}

// lineDifferences returns the lines with other figures. Equal lines are left out first.
// Then lines are paired by the number under which they were billed, by procedure and date,
// and by procedure.
func lineDifferences(was, is []*Line) (all []LineDifference) {
	pair := func(alike func(a, b *Line) bool, found func(a, b *Line)) {
		is = slices.DeleteFunc(is, func(b *Line) bool {
			i := slices.IndexFunc(was, func(a *Line) bool { return alike(a, b) })
			if i < 0 {
				return false
			}
			found(was[i], b)
			was = slices.Delete(was, i, i+1)
			return true
		})
	}
	add := func(a, b *Line) {
		of := b
		if of == nil {
			of = a
		}
		all = append(all, LineDifference{of.Billed(), of.ServiceDate, a.stated(), b.stated()})
	}
	pair((*Line).same, func(*Line, *Line) {})
	pair(func(a, b *Line) bool {
		return a.ControlNumber != "" && strings.EqualFold(a.ControlNumber, b.ControlNumber)
	}, add)
	pair(func(a, b *Line) bool { return a.Billed() == b.Billed() && a.ServiceDate == b.ServiceDate }, add)
	pair(func(a, b *Line) bool { return a.Billed() == b.Billed() }, add)
	for _, b := range is {
		add(nil, b)
	}
	for _, a := range was {
		add(a, nil)
	}
	return all
}

// same reports whether the payer decides the same about both lines.
func (l *Line) same(o *Line) bool { return l.figures(new(values)) == o.figures(new(values)) }
