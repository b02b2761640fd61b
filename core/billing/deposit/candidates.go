package deposit

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Candidate is what a person may match a deposit with.
type Candidate struct {
	ERAs   []*remit.ERA // more than one when they add up to the deposit
	Others []*Deposit   // with which the deposit adds up to the one remittance; empty when it pays alone
}

// Total returns what the remittances await together.
func (c Candidate) Total() (sum billing.Money) {
	for _, e := range c.ERAs {
		sum += e.Awaited()
	}
	return sum
}

// Spread is how many days before and after a deposit another one of the same payment can come: both
// are within Apart of their remittance.
const Spread = 14

// Candidates returns what a person may match the deposit with: single remittances of its amount,
// several of one payer that add up to it, and single remittances to which it adds up with others of
// the deposits. Each of these is a proposal, because amounts fit by chance, too. It does not depend
// on the order of the arguments.
func (d *Deposit) Candidates(eras []*remit.ERA, others []*Deposit) (all []Candidate) {
	rest := d.Rest()
	if rest <= 0 {
		return nil
	}
	below, above := map[string][]*remit.ERA{}, []*remit.ERA{}
	for _, e := range d.nearest(eras) {
		awaited, traced := e.Awaited(), d.Traces(e)
		if awaited == 0 || !d.near(e, Window) {
			continue
		}
		fits := d.Within(e) && (d.Names(e) || !d.Claims)
		switch {
		case awaited < rest && fits:
			name := billing.ComparableName(cmp.Or(e.Payer.Name, e.PayerName))
			below[name] = append(below[name], e)
		case awaited > rest && (fits || traced):
			above = append(above, e)
		}
		if traced || awaited == rest {
			all = append(all, Candidate{ERAs: []*remit.ERA{e}})
		}
	}
	steps := maxSteps
	for _, name := range d.payers(below) {
		for _, eras := range adding(d.partsOf(below[name]), rest, MaxParts, &steps) {
			all = append(all, Candidate{ERAs: eras})
		}
	}
	for _, e := range above {
		for _, with := range adding(d.beside(e, others), e.Awaited()-rest, MaxParts-1, &steps) {
			all = append(all, Candidate{ERAs: []*remit.ERA{e}, Others: with})
		}
	}
	return all[:min(len(all), maxCandidates)]
}

const maxCandidates = 10

// nearest returns the remittances of a payer that the bank names before others, and of each the
// closest day first.
func (d *Deposit) nearest(eras []*remit.ERA) []*remit.ERA {
	eras = slices.Clone(eras)
	slices.SortFunc(eras, func(a, b *remit.ERA) int {
		return cmp.Or(cmp.Compare(d.rank(a), d.rank(b)), cmp.Compare(d.days(a), d.days(b)), bytes.Compare(a.ID[:], b.ID[:]))
	})
	return eras
}

// payers returns the names of payers in the order in which their remittances stand.
func (d *Deposit) payers(of map[string][]*remit.ERA) []string {
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(d.rank(of[a][0]), d.rank(of[b][0])), cmp.Compare(a, b))
	})
	return names
}

// rank is 0 for the payer that the bank names.
func (d *Deposit) rank(e *remit.ERA) int {
	if d.Names(e) {
		return 0
	}
	return 1
}

func (d *Deposit) days(e *remit.ERA) time.Duration { return d.Date.Time().Sub(e.Due().Time()).Abs() }

// Traces reports whether both have the same trace number, or number of a check.
func (d *Deposit) Traces(e *remit.ERA) bool {
	number := comparableTrace(d.Trace)
	return number != "" && number == comparableTrace(e.Payment.TraceNumber)
}

// partsOf are remittances that may be parts of the deposit.
func (d *Deposit) partsOf(eras []*remit.ERA) []part[*remit.ERA] {
	all := make([]part[*remit.ERA], len(eras))
	for i, e := range eras {
		all[i] = part[*remit.ERA]{e, e.Awaited(), d.days(e), e.ID}
	}
	return all
}

// beside are those of the deposits that may pay the remittance together with this one.
func (d *Deposit) beside(e *remit.ERA, others []*Deposit) (all []part[*Deposit]) {
	for _, o := range others {
		if o.ID != d.ID && o.Rest() > 0 && o.near(e, Window) && (o.Traces(e) || o.Within(e) && (o.Names(e) || !o.Claims)) {
			all = append(all, part[*Deposit]{o, o.Rest(), o.days(e), o.ID})
		}
	}
	return all
}

// part is a remittance or a deposit that may be a part of a sum.
type part[T any] struct {
	of     T
	amount billing.Money
	apart  time.Duration // from the day of the sum
	id     [16]byte
}

const (
	maxSums  = 3       // proposals for one sum
	maxFound = 1000    // sets among which they are chosen
	maxSteps = 200_000 // of all searches for a deposit
)

// adding finds sets of at most so many parts that add up to the sum: those whose days are the
// closest, and of these the smallest. It gives up when no steps are left.
func adding[T any](parts []part[T], sum billing.Money, most int, steps *int) (sets [][]T) {
	slices.SortFunc(parts, func(a, b part[T]) int {
		return cmp.Or(cmp.Compare(b.amount, a.amount), cmp.Compare(a.apart, b.apart), bytes.Compare(a.id[:], b.id[:]))
	})
	s := summands{after: make([]billing.Money, len(parts)+1), most: most, steps: steps}
	for _, p := range parts {
		s.amounts = append(s.amounts, p.amount)
	}
	for i := len(parts) - 1; i >= 0; i-- {
		s.after[i] = s.after[i+1] + s.amounts[i]
	}
	s.try(0, sum)
	apart := func(set []int) (days time.Duration) {
		for _, i := range set {
			days += parts[i].apart
		}
		return days
	}
	slices.SortStableFunc(s.found, func(a, b []int) int {
		return cmp.Or(cmp.Compare(apart(a), apart(b)), cmp.Compare(len(a), len(b)))
	})
	for _, set := range s.found[:min(len(s.found), maxSums)] {
		of := make([]T, len(set))
		for n, i := range set {
			of[n] = parts[i].of
		}
		sets = append(sets, of)
	}
	return sets
}

// summands is a search for sets of amounts that add up to a sum.
type summands struct {
	amounts []billing.Money // above 0, the largest first
	after   []billing.Money // what all from there on add up to
	most    int             // in a set
	steps   *int            // left
	chosen  []int
	found   [][]int
}

func (s *summands) try(from int, left billing.Money) {
	if left == 0 {
		s.found = append(s.found, slices.Clone(s.chosen))
		return
	}
	room := billing.Money(s.most - len(s.chosen))
	for i := from; i < len(s.amounts) && *s.steps > 0 && len(s.found) < maxFound; i++ {
		if s.after[i] < left || s.amounts[i]*room < left {
			return // neither all that follow, nor as many as there is room for, are enough
		}
		if *s.steps--; s.amounts[i] <= left {
			s.chosen = append(s.chosen, i)
			s.try(i+1, left-s.amounts[i])
			s.chosen = s.chosen[:len(s.chosen)-1]
		}
	}
}
