package sandboxnet

import (
	"slices"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
)

// standard begins the reply of an active plan with the yearly maximum and deductible and
// the shares. It lists the procedures, or those of the inquiry if it asks only for them.
func (a *answer) standard(rules []procedure, listed ...string) {
	a.membership()
	if a.aboutProcedures() {
		a.add(a.plan(active))
		a.procedures(rules, a.asked())
		return
	}
	a.add(a.plan(active, "Benefit period is from January 1 to December 31"))
	a.money(limitation, individual, dental, sum{calendarYear, "2000.00"}, sum{remaining, "1640.00"})
	a.money(deductible, individual, dental, sum{calendarYear, "50.00"}, sum{remaining, "0.00"})
	a.categories(inNetwork, false)
	a.procedures(rules, append(a.asked(), listed...))
}

// outOfNetwork replies with the benefits outside of the network, which are lower.
func (a *answer) outOfNetwork() {
	a.membership()
	b := a.plan(active)
	b.InNetwork = outNetwork
	b.Messages = []string{"The provider does not participate in the network"}
	a.add(b)
	a.outside()
}

// twoNetworks replies with the benefits in the network and those outside of it.
func (a *answer) twoNetworks() {
	a.standard(plan())
	if !a.aboutProcedures() {
		a.outside()
	}
}

// outside adds the shares and the amounts outside of the network.
func (a *answer) outside() {
	for _, c := range shares {
		share := eligibility.Benefit{Code: coinsurance, Level: individual, Percent: outsideShare[c.share], InNetwork: outNetwork}
		if c.serviceType == implant.code {
			share.Procedure = eligibility.Procedure{Qualifier: "AD", Code: implant.code}
		} else {
			share.ServiceTypes = []string{c.serviceType}
		}
		a.add(share)
	}
	for _, m := range []struct{ code, period, amount string }{
		{limitation, calendarYear, "1000.00"}, {limitation, remaining, "1000.00"}, {deductible, calendarYear, "100.00"}, {deductible, remaining, "100.00"},
	} {
		a.add(eligibility.Benefit{
			Code: m.code, Level: individual, ServiceTypes: []string{dental}, Period: m.period, Amount: m.amount, InNetwork: outNetwork,
		})
	}
}

// copays replies with what the patient pays for each service, by category and for two
// procedures. The plan pays the rest.
func (a *answer) copays() {
	a.membership()
	a.add(a.plan(active, "Benefit period is from January 1 to December 31"))
	if !a.aboutProcedures() {
		a.money(limitation, individual, dental, sum{calendarYear, "2000.00"}, sum{remaining, "1640.00"})
		a.money(deductible, individual, dental, sum{calendarYear, "50.00"}, sum{remaining, "0.00"})
	}
	row := func(code, serviceType, procedure string) eligibility.Benefit {
		b := eligibility.Benefit{Code: code, Level: individual, InNetwork: inNetwork}
		if procedure != "" {
			b.Procedure = eligibility.Procedure{Qualifier: "AD", Code: procedure}
		} else {
			b.ServiceTypes = []string{serviceType}
		}
		return b
	}
	for _, c := range []struct{ serviceType, procedure, amount string }{
		{"41", "", ""},
		{"23", "", ""},
		{"25", "", "25.00"},
		{"26", "", "95.00"},
		{"24", "", "45.00"},
		{"40", "", "30.00"},
		{"36", "", "275.00"},
		{"39", "", "320.00"},
		{"", "D2740", "310.00"},
		{"", "D3330", "180.00"},
	} {
		if a.aboutProcedures() && !slices.Contains(a.asked(), c.procedure) {
			continue
		}
		share, amount := row(coinsurance, c.serviceType, c.procedure), row(copayment, c.serviceType, c.procedure)
		share.Percent, amount.Amount = "0", c.amount
		if a.add(share); c.amount != "" {
			a.add(amount)
		}
	}
}

// outsideShare is the patient's share outside of the network, by that inside.
//
//nolint:gochecknoglobals // a constant table
var outsideShare = map[string]string{"0": ".2", ".2": ".4", ".5": ".6"}

// planYears replies with a plan year that ends on June 30, and with the next one, which
// has another maximum.
func (a *answer) planYears() {
	a.membership()
	begin := billing.Date{Year: a.date.Year, Month: 7, Day: 1}
	if a.date.Before(begin) {
		begin = begin.AddMonths(-12)
	}
	for _, year := range []struct {
		from            billing.Date
		maximum, unused string
	}{{begin, "1500.00", "420.00"}, {begin.AddMonths(12), "2000.00", "2000.00"}} {
		to := year.from.AddMonths(12).AddDays(-1)
		name := "Plan year from " + year.from.String() + " to " + to.String()
		status := a.plan(active)
		status.Dates = []eligibility.Date{{Qualifier: "292", Format: "RD8", Value: year.from.X12() + "-" + to.X12()}}
		a.add(status)
		for _, s := range []sum{{planYear, year.maximum}, {remaining, year.unused}} {
			a.add(eligibility.Benefit{
				Code: limitation, Level: individual, ServiceTypes: []string{dental}, Period: s.period, Amount: s.amount, InNetwork: inNetwork,
				Messages: []string{name},
			})
		}
	}
	a.categories(inNetwork, false)
	a.procedures(plan(), a.asked())
}

// frequencyUsed replies that both cleanings and exams of the calendar year were done.
func (a *answer) frequencyUsed() {
	used := func(code string) procedure {
		return procedure{code: code, count: 2, period: calendarYear, n: 1, maxAge: -1, done: []billing.Date{
			{Year: a.date.Year, Month: 1, Day: 1}, a.date,
		}}
	}
	a.standard(append([]procedure{used("D1110"), used("D0120")}, plan()...), "D1110", "D0120")
	for _, code := range []string{"D1110", "D0120"} {
		if !a.aboutProcedures() || slices.Contains(a.asked(), code) {
			a.add(eligibility.Benefit{
				Code: limitation, Level: individual, Period: yearToDate, QuantityQualifier: "VS", Quantity: "2", InNetwork: inNetwork,
				Procedure: eligibility.Procedure{Qualifier: "AD", Code: code},
			})
		}
	}
}

// waiting replies with a plan that began half a year ago, and pays major services after
// a year.
func (a *answer) waiting() {
	a.standard(plan(), "D2740")
	p := a.reply.Patient()
	begin := billing.Date{Year: a.date.Year, Month: a.date.Month, Day: 1}.AddMonths(-6)
	p.Dates = append(slices.DeleteFunc(p.Dates, func(d eligibility.Date) bool { return d.Qualifier == "356" }), eligibility.On("356", begin))
	for i := range p.Benefits {
		b := &p.Benefits[i]
		if b.Code == coinsurance && b.Percent == ".5" && (len(b.ServiceTypes) == 1 && b.ServiceTypes[0] != orthodontics || b.Procedure.Code != "") {
			b.Dates = []eligibility.Date{eligibility.On("348", begin.AddMonths(12))}
		}
	}
	a.add(eligibility.Benefit{
		Code: description, Level: individual, ServiceTypes: []string{dental}, Messages: []string{"Waiting period 12 months for major services"},
	})
}

// missingTooth replies with a clause that excludes teeth that were missing before.
func (a *answer) missingTooth() {
	a.standard(plan(), "D6240", "D5213")
	a.add(eligibility.Benefit{
		Code: description, Level: individual, ServiceTypes: []string{"39"},
		Messages: []string{"Missing tooth clause: teeth extracted before the effective date are not replaced"},
	})
}

// downgrade replies that some procedures are paid as cheaper ones.
func (a *answer) downgrade() {
	a.standard(a.problems(func(p *procedure) bool { return p.count > 0 && p.messages != nil }), "D2392", "D2740")
}

// ageLimit replies that the patient is too old for some procedures.
func (a *answer) ageLimit() {
	a.standard(a.problems(func(p *procedure) bool { return p.maxAge >= 0 }), "D1206", "D1351")
}

// problems returns the plan with those procedures of problemPlan that have a problem.
func (a *answer) problems(has func(p *procedure) bool) []procedure {
	found := slices.DeleteFunc(a.problemPlan(), func(p procedure) bool { return !has(&p) })
	return append(found, plan()...)
}
