package deposit

import (
	"cmp"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Candidates returns what a person may match the deposit with: single remittances of its amount,
// and several of one payer that add up to it, the closest first.
func (d *Deposit) Candidates(eras []*remit.ERA) (all [][]*remit.ERA) {
	rest := d.Rest()
	if rest <= 0 {
		return nil
	}
	byPayer, names := map[string][]*remit.ERA{}, []string{}
	for _, e := range eras {
		switch awaited := e.Awaited(); {
		case awaited == 0 || !d.near(e, Window):
		case comparableTrace(d.Trace) != "" && comparableTrace(d.Trace) == comparableTrace(e.Payment.TraceNumber), awaited == rest:
			all = append(all, []*remit.ERA{e})
		case awaited < rest && d.Within(e):
			name := billing.ComparableName(cmp.Or(e.Payer.Name, e.PayerName))
			if byPayer[name] == nil {
				names = append(names, name)
			}
			byPayer[name] = append(byPayer[name], e)
		}
	}
	slices.SortStableFunc(all, func(a, b []*remit.ERA) int {
		return cmp.Or(cmp.Compare(d.rank(a[0]), d.rank(b[0])), cmp.Compare(d.days(a[0]), d.days(b[0])))
	})
	for _, name := range names {
		if of := byPayer[name]; d.Names(of[0]) || !d.Claims {
			all = append(all, adding(of, rest)...)
		}
	}
	return all[:min(len(all), maxCandidates)]
}

const maxCandidates = 10

// rank is 0 for the payer that the bank names.
func (d *Deposit) rank(e *remit.ERA) int {
	if d.Names(e) {
		return 0
	}
	return 1
}

func (d *Deposit) days(e *remit.ERA) time.Duration { return d.Date.Time().Sub(e.Due().Time()).Abs() }

const (
	maxSums  = 3       // proposals of one payer
	maxSteps = 200_000 // of the search for one payer
)

// adding finds sets of 2 to MaxParts remittances that await the sum together. It gives up after a
// bounded number of steps.
func adding(eras []*remit.ERA, sum billing.Money) (all [][]*remit.ERA) {
	eras = slices.Clone(eras)
	slices.SortStableFunc(eras, func(a, b *remit.ERA) int { return cmp.Compare(b.Awaited(), a.Awaited()) })
	after := make([]billing.Money, len(eras)+1) // what all from there on add up to
	for i := len(eras) - 1; i >= 0; i-- {
		after[i] = after[i+1] + eras[i].Awaited()
	}
	steps := 0
	var chosen []*remit.ERA
	var try func(from int, left billing.Money)
	try = func(from int, left billing.Money) {
		if left == 0 {
			if len(chosen) > 1 {
				all = append(all, slices.Clone(chosen))
			}
			return
		}
		for i := from; i < len(eras) && len(chosen) < MaxParts && len(all) < maxSums && after[i] >= left && steps < maxSteps; i++ {
			steps++
			if awaited := eras[i].Awaited(); awaited <= left {
				chosen = append(chosen, eras[i])
				try(i+1, left-awaited)
				chosen = chosen[:len(chosen)-1]
			}
		}
	}
	try(0, sum)
	return all
}
