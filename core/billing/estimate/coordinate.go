package estimate

import (
	"cmp"

	"github.com/molar-billing/molar/core/billing"
)

// Coordination is how the second plan counts what the first one pays.
type Coordination string

// The ways. Standard pays the lesser of the plan's own benefit and what is left. Basic also
// keeps both payments within the plan's own allowance. CarveOut and NonDuplication pay the
// plan's own benefit less what the first one pays.
const (
	Standard       Coordination = "standard"
	Basic          Coordination = "basic"
	CarveOut       Coordination = "carve_out"
	NonDuplication Coordination = "non_duplication"
)

// Coordinations lists every way.
func Coordinations() []Coordination { return []Coordination{Standard, Basic, CarveOut, NonDuplication} }

// second returns what the second plan pays, when the first one has paid and left an amount.
func (c Coordination) second(own part, first, left billing.Money) billing.Money {
	pays := own.pays
	switch c {
	case Standard:
	case Basic:
		pays = min(pays, own.allowed-first)
	case CarveOut, NonDuplication:
		pays -= first
	}
	return max(0, min(pays, left))
}

// Scenario is a line, or a total, with a definite value for all that is missing. WriteOff,
// PlanPays, SecondPlanPays and PatientPays add up to Fee.
type Scenario struct {
	Fee            billing.Money
	Allowed        billing.Money
	WriteOff       billing.Money
	Deductible     billing.Money
	Percent        float64 // the plan's share, 0 to 100; of a total 0
	Copay          billing.Money
	PlanPays       billing.Money
	SecondPlanPays billing.Money
	PatientPays    billing.Money
}

// scenario joins what the plans pay. The patient takes the rest.
func (t *terms) scenario(first part, second *part, c Coordination) Scenario {
	s := Scenario{
		Fee: t.fee, Allowed: first.allowed, Deductible: first.deductible, Percent: float64(first.percent) / 100, Copay: first.copay, PlanPays: first.pays,
	}
	if t.inNetwork && (!first.beyond || !t.noWriteOffBeyond) {
		s.WriteOff = s.Fee - s.Allowed
	}
	left := s.Fee - s.WriteOff - s.PlanPays
	if second != nil {
		s.SecondPlanPays = c.second(*second, s.PlanPays, left)
	}
	s.PatientPays = left - s.SecondPlanPays
	return s
}

// plus adds the amounts of a line to a total, or of units that the plan does not pay to those that it does.
func (s Scenario) plus(o Scenario) Scenario {
	return Scenario{
		Percent: s.Percent,
		Fee:     s.Fee + o.Fee, Allowed: s.Allowed + o.Allowed, WriteOff: s.WriteOff + o.WriteOff, Deductible: s.Deductible + o.Deductible,
		Copay: s.Copay + o.Copay, PlanPays: s.PlanPays + o.PlanPays, SecondPlanPays: s.SecondPlanPays + o.SecondPlanPays,
		PatientPays: s.PatientPays + o.PatientPays,
	}
}

// joined is the outcome of a line under both plans.
type joined struct {
	least, most Scenario
	pays        paying
}

func (j joined) plus(o joined) joined {
	return joined{j.least.plus(o.least), j.most.plus(o.most), j.pays.plus(o.pays)}
}

// paying is what each of the others may pay of a line, or write off, and what is left to pay after the first
// plan. In between the two scenarios it may be more or less than in both.
type paying struct{ first, second, writeOff, left Range }

func payingOf(s Scenario) paying {
	return paying{Exactly(s.PlanPays), Exactly(s.SecondPlanPays), Exactly(s.WriteOff), Exactly(s.SecondPlanPays + s.PatientPays)}
}

// or returns what may be paid in either case, and plus what is paid in both.
func (p paying) or(o paying) paying {
	return paying{*p.first.with(&o.first), *p.second.with(&o.second), *p.writeOff.with(&o.writeOff), *p.left.with(&o.left)}
}

func (p paying) plus(o paying) paying {
	return paying{p.first.plus(o.first), p.second.plus(o.second), p.writeOff.plus(o.writeOff), p.left.plus(o.left)}
}

// join tries every combination of both plans, and keeps the ends.
func join(first *terms, parts []part, seconds []part, c Coordination) joined {
	var out joined
	started := false
	try := func(a part, b *part) {
		s := first.scenario(a, b, c)
		if !started {
			out = joined{s, s, payingOf(s)}
			started = true
			return
		}
		// Of two in which the patient pays the same, the one that allows more is the likelier. Of those that allow
		// the same, the first plan pays the most where the patient pays the least.
		if cmp.Or(cmp.Compare(s.PatientPays, out.least.PatientPays), cmp.Compare(out.least.Allowed, s.Allowed), cmp.Compare(out.least.PlanPays, s.PlanPays)) < 0 {
			out.least = s
		}
		if cmp.Or(cmp.Compare(out.most.PatientPays, s.PatientPays), cmp.Compare(out.most.Allowed, s.Allowed), cmp.Compare(s.PlanPays, out.most.PlanPays)) < 0 {
			out.most = s
		}
		out.pays = out.pays.or(payingOf(s))
	}
	for _, a := range parts {
		if seconds == nil {
			try(a, nil)
		}
		for i := range seconds {
			try(a, &seconds[i])
		}
	}
	if !first.allowed.Known() {
		out.pays.second.Most = max(out.pays.second.Most, mostOf(seconds, first.fee))
	}
	return out
}

// mostOf returns the most that the second plan may pay where the first allowance is
// missing. Between the ends of that allowance the second payment may be higher than at
// both: little is left at the lower end, and the first plan pays much at the upper one.
func mostOf(seconds []part, fee billing.Money) (most billing.Money) {
	for _, b := range seconds {
		most = max(most, b.pays)
	}
	return min(most, fee)
}
