package estimate_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// The oracle is written from the rules in the documentation, apart from the code: it knows
// no range, and computes with fractions one world in which nothing is missing. The
// property draws what a payer may leave out from within, not only from the ends.

// world is a plan without anything missing.
type world struct {
	in, beyond  bool // in network; no write-off beyond limits
	deductible  [3]billing.Money
	maximum     [3]billing.Money // one person's, the family's, that of crowns; less than 0 is none
	alone       bool             // the one of crowns stands alone
	percent     map[coverage.Category]int64
	covered     map[coverage.Category]bool
	copay       billing.Money
	hasDeducted [3]bool
}

// service is a line of a world.
type service struct {
	category       coverage.Category
	fee            billing.Money
	allowed        [2]billing.Money // by plan
	alternate      billing.Money    // less than 0 for none
	first, patient billing.Money    // what the oracle computed
}

// oracleBenefit returns what a plan would pay for a service, and spends its deductibles.
func (w *world) oracleBenefit(s *service, allowed billing.Money) billing.Money {
	if !w.covered[s.category] {
		return 0
	}
	base := allowed
	if s.alternate >= 0 && s.alternate < base {
		base = s.alternate
	}
	taken := base
	applies := false
	for i, has := range w.hasDeducted {
		if has && (i < 2 || s.category == major) {
			applies = true
			if w.deductible[i] < taken {
				taken = w.deductible[i]
			}
		}
	}
	if !applies {
		taken = 0
	}
	for i := range w.deductible {
		if i < 2 || s.category == major {
			w.deductible[i] -= taken
		}
	}
	rest := base - taken
	if rest < w.copay {
		rest = 0
	} else {
		rest -= w.copay
	}
	// half up: floor(x + 1/2)
	x := big.NewRat(int64(rest)*w.percent[s.category], 10_000)
	x.Add(x, big.NewRat(1, 2))
	after := billing.Money(new(big.Int).Div(x.Num(), x.Denom()).Int64())
	for _, i := range w.counts(s) {
		if w.maximum[i] < after {
			after = w.maximum[i]
		}
	}
	return after
}

// counts returns the maximums that count for a service.
func (w *world) counts(s *service) (out []int) {
	own := s.category == major && w.maximum[2] >= 0
	if own {
		out = append(out, 2)
	}
	for i := range 2 {
		if w.maximum[i] >= 0 && (!own || !w.alone) {
			out = append(out, i)
		}
	}
	return out
}

func (w *world) spend(s *service, paid billing.Money) {
	for _, i := range w.counts(s) {
		w.maximum[i] -= paid
	}
}

// oracle computes what the patient pays for each service.
func oracle(a, b *world, how estimate.Coordination, all []service) {
	for i := range all {
		s := &all[i]
		used := false
		for _, k := range a.counts(s) {
			used = used || a.maximum[k] == 0
		}
		p := a.oracleBenefit(s, s.allowed[0])
		a.spend(s, p)
		rest := s.fee - p
		if a.in && (!a.beyond || !used || !a.covered[s.category]) {
			rest = s.allowed[0] - p
		}
		if b != nil {
			own := b.oracleBenefit(s, s.allowed[1])
			switch how {
			case estimate.Basic:
				if own+p > s.allowed[1] {
					own = s.allowed[1] - p
				}
			case estimate.CarveOut, estimate.NonDuplication:
				own -= p
			case estimate.Standard:
			}
			own = min(max(own, 0), rest)
			b.spend(s, own)
			rest -= own
		}
		s.first, s.patient = p, rest
	}
}

// draw draws an amount up to a limit, often one of the ends.
func draw(r *rand.Rand, most billing.Money) billing.Money {
	switch r.IntN(5) {
	case 0:
		return 0
	case 1:
		return most
	}
	return billing.Money(r.Int64N(int64(most) + 1))
}

// known is what the payer returns; the rest is missing.
type known struct {
	plan *estimate.Plan
	full *world // with definite values where the plan has them
	free []func(r *rand.Rand, w *world)
}

// drawPlan draws what a payer returns, with functions that fill what it leaves out.
func drawPlan(r *rand.Rand) *known {
	p, w := plan(), &world{percent: map[coverage.Category]int64{}, covered: map[coverage.Category]bool{}, maximum: [3]billing.Money{-1, -1, -1}}
	k := &known{plan: p, full: w}
	p.InNetwork = r.IntN(2) == 0
	p.NoWriteOffBeyondLimits = r.IntN(3) == 0
	w.in, w.beyond = p.InNetwork, p.NoWriteOffBeyondLimits
	w.alone = r.IntN(2) == 0
	for i := range 3 {
		if r.IntN(2) == 0 {
			k.drawLimit(r, i, &p.Deductibles, 100_00, func(w *world, m billing.Money) { w.deductible[i], w.hasDeducted[i] = m, true })
		}
		if r.IntN(2) == 0 {
			k.drawLimit(r, i, &p.Maximums, 900_00, func(w *world, m billing.Money) { w.maximum[i] = m })
		}
	}
	if r.IntN(4) == 0 {
		w.copay = draw(r, 30_00)
	}
	for _, c := range []coverage.Category{basic, major, preventive} {
		s := estimate.Share{}
		if w.copay > 0 {
			s.Copay = new(w.copay)
		}
		switch r.IntN(4) {
		case 0: // nothing is returned
			k.free = append(k.free, func(r *rand.Rand, w *world) {
				w.percent[c] = int64(draw(r, 10_000))
				w.covered[c] = r.IntN(3) > 0
			})
		case 1: // covered
			s.Covered = new(true)
			k.free = append(k.free, func(r *rand.Rand, w *world) { w.percent[c], w.covered[c] = int64(draw(r, 10_000)), true })
		default:
			w.percent[c] = int64(draw(r, 10_000))
			w.covered[c] = w.percent[c] > 0
			s.Percent = new(float64(w.percent[c]) / 100)
		}
		p.Categories[c] = s
	}
	return k
}

func (k *known) drawLimit(r *rand.Rand, i int, to *[]estimate.Limit, most billing.Money, set func(*world, billing.Money)) {
	l := estimate.Limit{Level: person, Period: year}
	if i == 1 {
		l.Level = family
	}
	if i == 2 {
		l.Category, l.Alone = major, k.full.alone
	}
	amount := draw(r, most)
	l.Amount = &amount
	if r.IntN(3) == 0 {
		k.free = append(k.free, func(r *rand.Rand, w *world) { set(w, draw(r, amount)) })
	} else {
		left := draw(r, amount)
		l.Remaining = &left
		set(k.full, left)
	}
	*to = append(*to, l)
}

// most returns the most that the plan pays for all services by its general maximums.
func (k *known) most() billing.Money {
	most := billing.Money(1 << 40)
	for _, m := range k.plan.Maximums {
		if m.Alone {
			return 1 << 40
		}
		if m.Category == "" {
			most = min(most, *m.Amount)
			if m.Remaining != nil {
				most = min(most, *m.Remaining)
			}
		}
	}
	return most
}

// world returns a world that what is known allows.
func (k *known) world(r *rand.Rand) *world {
	w := *k.full
	w.percent, w.covered = map[coverage.Category]int64{}, map[coverage.Category]bool{}
	for c, p := range k.full.percent {
		w.percent[c], w.covered[c] = p, k.full.covered[c]
	}
	for _, fill := range k.free {
		fill(r, &w)
	}
	return &w
}

// drawLines draws services and, for each, how to fill what is missing.
func drawLines(r *rand.Rand) (lines []estimate.Line, fill func(r *rand.Rand) []service) {
	codes := map[coverage.Category]string{basic: "D2391", major: "D2740", preventive: "D1110"}
	var fixed []service
	for range 1 + r.IntN(4) {
		c := []coverage.Category{basic, major, preventive}[r.IntN(3)]
		l := estimate.Line{Code: codes[c], Fee: draw(r, 500_00), ServiceDate: day("2026-06-15")}
		s := service{category: c, fee: l.Fee, allowed: [2]billing.Money{-1, -1}, alternate: -1}
		if r.IntN(3) > 0 {
			s.allowed[0] = draw(r, l.Fee)
			l.Allowed = new(s.allowed[0])
		}
		if r.IntN(3) > 0 {
			s.allowed[1] = draw(r, l.Fee)
			l.Second.Allowed = new(s.allowed[1])
		}
		if r.IntN(4) == 0 {
			l.Alternate = true
			if s.alternate = -2; r.IntN(2) == 0 {
				s.alternate = draw(r, l.Fee)
				l.AlternateAllowed = new(s.alternate)
			}
			l.Second.Alternate, l.Second.AlternateAllowed = l.Alternate, l.AlternateAllowed
		}
		lines, fixed = append(lines, l), append(fixed, s)
	}
	return lines, func(r *rand.Rand) []service {
		out := append([]service{}, fixed...)
		for i := range out {
			for k := range out[i].allowed {
				if out[i].allowed[k] < 0 {
					out[i].allowed[k] = draw(r, out[i].fee)
				}
			}
			if out[i].alternate == -2 {
				out[i].alternate = draw(r, out[i].fee)
			}
		}
		return out
	}
}

// TestEndsBoundEveryWorld compares estimates with the oracle in worlds that what is known
// allows.
func TestEndsBoundEveryWorld(t *testing.T) {
	t.Parallel()
	exact := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 130))
		first := drawPlan(r)
		var second *known
		c := &estimate.Case{Plan: first.plan}
		if r.IntN(2) == 0 {
			second = drawPlan(r)
			c.Second, c.Coordination = second.plan, estimate.Coordinations()[r.IntN(4)]
		}
		lines, fill := drawLines(r)
		c.Lines = lines
		e := estimate.Compute(c)
		checkEstimate(t, seed, e)
		for _, s := range []estimate.Scenario{e.Least, e.Most} {
			if most := first.most(); s.PlanPays > most {
				t.Errorf("seed %d: the plan pays %s in all, of %s", seed, s.PlanPays, most)
			}
			if second != nil && s.SecondPlanPays > second.most() {
				t.Errorf("seed %d: the second plan pays %s in all, of %s", seed, s.SecondPlanPays, second.most())
			}
		}
		for range 25 {
			a, all := first.world(r), fill(r)
			var b *world
			if second != nil {
				b = second.world(r)
			}
			oracle(a, b, c.Coordination, all)
			var total billing.Money
			for i := range all {
				total += all[i].patient
				if got := e.Lines[i]; all[i].patient < got.Least.PatientPays || all[i].patient > got.Most.PatientPays {
					t.Errorf("seed %d, line %d: the oracle has %s, outside %s to %s", seed, i, all[i].patient, got.Least.PatientPays, got.Most.PatientPays)
				}
				if got := e.Lines[i]; got.Least == got.Most && got.Least.PlanPays == all[i].first {
					exact++
				}
			}
			if total < e.Least.PatientPays || total > e.Most.PatientPays {
				t.Errorf("seed %d: the oracle's total is %s, outside %s to %s", seed, total, e.Least.PatientPays, e.Most.PatientPays)
			}
		}
		if t.Failed() {
			return
		}
	}
	if exact < 1000 {
		t.Errorf("only %d lines were exact", exact)
	}
}

func checkEstimate(t *testing.T, seed uint64, e *estimate.Estimate) {
	t.Helper()
	what := fmt.Sprint("seed ", seed)
	for _, l := range e.Lines {
		addsUp(t, what, l.Least)
		addsUp(t, what, l.Most)
		if l.Least.PatientPays > l.Most.PatientPays {
			t.Errorf("%s: %+v is above %+v", what, l.Least, l.Most)
		}
	}
	addsUp(t, what, e.Least)
	addsUp(t, what, e.Most)
	if e.Least.PatientPays > e.Most.PatientPays {
		t.Errorf("%s: total %+v is above %+v", what, e.Least, e.Most)
	}
}

// TestMoreMaximumNeverCostsThePatient raises what is left of a maximum of one plan.
func TestMoreMaximumNeverCostsThePatient(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 131))
		k := drawPlan(r)
		lines, _ := drawLines(r)
		c := &estimate.Case{Plan: k.plan, Lines: lines}
		before := estimate.Compute(c)
		for i := range k.plan.Maximums {
			if m := &k.plan.Maximums[i]; m.Remaining != nil {
				*m.Remaining += draw(r, 200_00)
				m.Amount = new(max(*m.Amount, *m.Remaining))
			}
		}
		after := estimate.Compute(c)
		if after.Least.PatientPays > before.Least.PatientPays || after.Most.PatientPays > before.Most.PatientPays {
			t.Fatalf("seed %d: the patient pays %s to %s, and with more left %s to %s", seed,
				before.Least.PatientPays, before.Most.PatientPays, after.Least.PatientPays, after.Most.PatientPays)
		}
	}
}
