package estimate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

const (
	preventive = coverage.CategoryPreventive
	diagnostic = coverage.CategoryDiagnostic
	basic      = coverage.CategoryBasic
	major      = coverage.CategoryMajor
	prostho    = coverage.CategoryProsthodontics
	ortho      = coverage.CategoryOrthodontics
	person     = coverage.LevelIndividual
	family     = coverage.LevelFamily
	year       = coverage.PeriodCalendarYear
	life       = coverage.PeriodLifetime
)

func day(text string) billing.Date {
	d, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

// dollars reads an amount such as "387.50" or "400".
func dollars(text string) billing.Money {
	if !strings.Contains(text, ".") {
		text += ".00"
	}
	m, err := billing.ParseMoney(text)
	if err != nil {
		panic(err)
	}
	return m
}

type change func(*estimate.Plan)

// plan returns an active plan of the calendar year 2026 in network, which was checked on
// June 15, with the changes.
func plan(all ...change) *estimate.Plan {
	p := &estimate.Plan{
		Status: coverage.Active, CheckedOn: day("2026-06-15"), Effective: day("2020-01-01"), InNetwork: true,
		Period: estimate.Period{From: day("2026-01-01")}, Categories: map[coverage.Category]estimate.Share{}, Procedures: map[string]estimate.Share{},
	}
	for _, c := range all {
		c(p)
	}
	return p
}

// planOf reads the plan of a check without additions.
func planOf(c *coverage.Check, in *bool) (*estimate.Plan, error) {
	all, err := estimate.PlansOf(c.Amend(nil, nil), billing.DateOf(c.CompletedAt), in)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// pays sets the percent of a category; "" sets the general one.
func pays(c coverage.Category, percent float64) change {
	return func(p *estimate.Plan) {
		if c == "" {
			p.General = &estimate.Share{Percent: &percent, Path: "coverage"}
			return
		}
		p.Categories[c] = estimate.Share{Percent: &percent, Path: "coverage." + string(c)}
	}
}

func code(c string, s estimate.Share) change {
	return func(p *estimate.Plan) {
		s.Path, s.CopayPath, s.FrequencyPath = "procedures."+c, "procedures."+c, "procedures."+c+".frequency"
		p.Procedures[c] = s
	}
}

func limit(level coverage.BenefitLevel, period coverage.BenefitPeriod, amount, left string) estimate.Limit {
	l := estimate.Limit{Level: level, Period: period}
	if amount != "?" {
		l.Amount = new(dollars(amount))
	}
	if left != "?" {
		l.Remaining = new(dollars(left))
	}
	return l
}

func maximum(level coverage.BenefitLevel, amount, left string) change {
	return most(limit(level, year, amount, left))
}

func deductible(level coverage.BenefitLevel, amount, left string) change {
	return first(limit(level, year, amount, left))
}

func most(l estimate.Limit) change {
	return func(p *estimate.Plan) {
		l.Path = fmt.Sprint("maximums.", len(p.Maximums))
		p.Maximums = append(p.Maximums, l)
	}
}

func first(l estimate.Limit) change {
	return func(p *estimate.Plan) {
		l.Path = fmt.Sprint("deductibles.", len(p.Deductibles))
		p.Deductibles = append(p.Deductibles, l)
	}
}

func of(l estimate.Limit, c coverage.Category) estimate.Limit { l.Category = c; return l }
func ofCode(l estimate.Limit, c string) estimate.Limit        { l.Code = c; return l }
func alone(l estimate.Limit) estimate.Limit                   { l.Alone = true; return l }
func inactive(p *estimate.Plan)                               { p.Status = coverage.Inactive }
func covers(from, to string) change {
	return func(p *estimate.Plan) {
		p.Effective, p.Terminates = day(from), billing.Date{}
		if to != "" {
			p.Terminates = day(to)
		}
	}
}
func outOfNetwork(p *estimate.Plan)     { p.InNetwork = false }
func noWriteOffBeyond(p *estimate.Plan) { p.NoWriteOffBeyondLimits = true }

func lacks(paths ...string) change {
	return func(p *estimate.Plan) { p.NotReturned = append(p.NotReturned, paths...) }
}

// line reads "D2740 fee 800 allowed 600 second 650 alternate 500 x3 on 2026-07-01 last 2025-01-01 lost 2019-01-01".
// Without an allowance it is the fee, and that of the second plan is as the first; "?" is unknown.
func line(text string) estimate.Line {
	words := strings.Fields(text)
	l := estimate.Line{Code: words[0], ServiceDate: day("2026-06-15")}
	unknown, second, both := false, true, true
	for i := 1; i < len(words); i++ {
		if n, ok := strings.CutPrefix(words[i], "x"); ok {
			_, _ = fmt.Sscan(n, &l.Quantity)
			continue
		}
		key := words[i]
		i++
		switch v := words[i]; key {
		case "fee":
			l.Fee = dollars(v)
		case "allowed":
			if unknown = v == "?"; !unknown {
				l.Allowed = new(dollars(v))
			}
		case "second":
			if second = v != "?"; second {
				l.Second.Allowed = new(dollars(v))
			}
		case "alternate", "alternate1": // the latter under the first plan only
			both = key == "alternate"
			if l.Alternate = true; v != "?" {
				l.AlternateAllowed = new(dollars(v))
			}
		case "tooth":
			l.Tooth = v
		case "surface":
			l.Surfaces = []string{v}
		case "area":
			l.Areas = []string{v}
		case "on":
			l.ServiceDate = day(v)
		case "last":
			l.LastService = day(v)
		case "lost":
			l.ToothLostOn = day(v)
		case "prior":
			l.PriorPlacement = day(v)
		default:
			panic(key)
		}
	}
	if l.Allowed == nil && !unknown {
		l.Allowed = new(l.Fee)
	}
	if l.Second.Allowed == nil && l.Allowed != nil && second {
		l.Second.Allowed = new(*l.Allowed)
	}
	if both {
		l.Second.Alternate, l.Second.AlternateAllowed = l.Alternate, l.AlternateAllowed
	}
	return l
}

// show writes a scenario as "D 25 P 387.50 O 412.50"; W and S stand where they are not 0.
func show(s estimate.Scenario) string {
	var b strings.Builder
	for _, part := range []struct {
		name   string
		amount billing.Money
		always bool
	}{{"D", s.Deductible, false}, {"W", s.WriteOff, false}, {"P", s.PlanPays, true}, {"S", s.SecondPlanPays, false}, {"O", s.PatientPays, true}} {
		if part.always || part.amount != 0 {
			fmt.Fprintf(&b, "%s %s ", part.name, strings.TrimSuffix(part.amount.String(), ".00"))
		}
	}
	return strings.TrimSpace(b.String())
}

// shown writes a line: one scenario, or both ends.
func shown(least, most estimate.Scenario) string {
	if least == most {
		return show(least)
	}
	return show(least) + " | " + show(most)
}

// addsUp fails the test unless the parts of a scenario add up to its fee and none is
// negative.
func addsUp(t *testing.T, what string, s estimate.Scenario) {
	t.Helper()
	if s.WriteOff+s.PlanPays+s.SecondPlanPays+s.PatientPays != s.Fee {
		t.Errorf("%s: the parts of %+v do not add up", what, s)
	}
	if min(s.WriteOff, s.PlanPays, s.SecondPlanPays, s.PatientPays, s.Deductible, s.Copay, s.Allowed) < 0 {
		t.Errorf("%s: %+v has a negative part", what, s)
	}
}
