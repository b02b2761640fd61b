package coverage_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

func on(text string) billing.Date {
	d, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

// answered returns a completed check of a patient on a day, whose plan the change makes.
func answered(t *testing.T, day string, change func(b *coverage.Benefits)) *coverage.Check {
	t.Helper()
	money := func(cents billing.Money) *billing.Money { return &cents }
	at := on(day).Time().Add(15 * time.Hour)
	c := &coverage.Check{
		ID: billing.NewID[billing.CheckID](billing.RealAt(at)), State: coverage.CheckPending, CreatedAt: at,
		Inquiry: coverage.Inquiry{ServiceDate: on(day), Subscriber: coverage.Subscriber{MemberID: "W1"}},
		Payer:   directory.PayerSummary{PayerID: "DELTA"},
	}
	b := &coverage.Benefits{
		Status: coverage.Active, Plan: coverage.Plan{Name: "PPO", BenefitPeriod: "CALENDAR YEAR"},
		Maximums: []coverage.BenefitAmount{{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Amount: money(1500_00), Used: money(500_00), Remaining: money(1000_00)}},
		Coverage: []coverage.CategoryCoverage{
			{Category: coverage.CategoryMajor, PercentPaid: new(50.0)}, {Category: coverage.CategoryImplants, Covered: new(false)},
		},
		NotReturned: []string{"coverage_termination_date", "deductibles", "coverage.basic", "procedures.D2740", "plan_rules.missing_tooth_clause"},
	}
	change(b)
	if err := c.Complete(coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: b}, coverage.Background{}, at); err != nil {
		t.Fatal(err)
	}
	return c
}

func same(*coverage.Benefits) {}

// report reads "path value" pairs.
func report(day string, values ...string) *coverage.Report {
	r := &coverage.Report{Source: coverage.ByPhone, Person: "Dana", On: on(day)}
	for _, v := range values {
		path, value, _ := strings.Cut(v, " ")
		r.Values = append(r.Values, coverage.ReportedValue{Path: path, Value: []byte(value)})
	}
	return r
}

func add(t *testing.T, c *coverage.Check, has []*coverage.Addition, values ...string) []*coverage.Addition {
	t.Helper()
	made, err := c.Add(report(c.Inquiry.ServiceDate.String(), values...), has, "key_1", c.CreatedAt)
	if err != nil {
		t.Fatal(err, errorsOf(err))
	}
	return append(has, made...)
}

func errorsOf(err error) (out []string) {
	if e, ok := errors.AsType[*billing.Error](err); ok {
		for _, f := range e.Faults {
			out = append(out, f.Field+" "+string(f.Code))
		}
	}
	return out
}

// TestAdditionsHaveTheFormOfTheContract has values that a check takes, and those that it refuses.
func TestAdditionsHaveTheFormOfTheContract(t *testing.T) {
	t.Parallel()
	c := answered(t, "2026-03-03", same)
	for _, ok := range []string{
		`status "active"`, `coverage_termination_date "2026-12-31"`, `plan.type "PPO"`, `plan.benefit_period "CALENDAR YEAR"`, `network_status "in_network"`,
		`maximums.0.remaining "12.00"`, `maximums.1 {"level":"family","period":"calendar_year","amount":"3000.00"}`,
		`deductibles.0 {"level":"individual","period":"plan_year","remaining":"50.00","applies_to":"basic"}`,
		`coverage.basic.percent_paid 80`, `coverage.basic {"percent_paid":80,"frequency":{"count":1,"period":"12 months"}}`, `coverage.major.frequency.used 1`,
		`coverage.major.frequency {"count":1,"period":"60 months","scope":"per tooth"}`, `procedures.D2740.max_age 18`, `procedures.D2740.alternate_code "D2791"`,
		`procedures.D2740.next_eligible_date "2027-01-01"`, `waiting_periods.major.until "2026-09-01"`, `waiting_periods.major.months 6`,
		`plan_rules.missing_tooth_clause "yes"`, `plan_rules.major_services_paid_on "seat_date"`, `out_of_network.coverage.major.percent_paid 40`,
		`out_of_network.maximums.0 {"level":"individual","period":"lifetime","amount":"1000.00"}`, `coverage.major.copay "20.00"`, `procedures.D1110.covered true`,
	} {
		if _, err := c.Add(report("2026-03-03", ok), nil, "key_1", c.CreatedAt); err != nil {
			t.Errorf("%s: %v", ok, errorsOf(err))
		}
	}
	for value, want := range map[string]string{
		` 1`: "values.0.path required", `nothing 1`: "values.0.path unknown", `not_returned ["a"]`: "values.0.path unknown", `payer_notes ["a"]`: "values.0.path unknown",
		`id "x"`: "values.0.path unknown", `coverage.teeth.percent_paid 1`: "values.0.path unknown", `coverage.major.percent_paid.x 1`: "values.0.path unknown",
		`procedures.2740.covered true`: "values.0.path unknown", `maximums.x.amount "1.00"`: "values.0.path unknown", `maximums.-1.amount "1.00"`: "values.0.path unknown",
		`maximums.01.amount "1.00"`: "values.0.path unknown", `maximums.100.amount "1.00"`: "values.0.path unknown", `coverage..percent_paid 1`: "values.0.path unknown",
		`maximums.1.amount "1.00"`: "values.0.path not_found", `maximums.0.level "family"`: "values.0.path not_found", `maximums.1 {"amount":"1.00"}`: "values.0.path not_found",
		`maximums.0 {"level":"family","period":"lifetime","amount":"1.00"}`: "values.0.path not_found",
		`maximums.0.remaining 12`: "values.0.value type", `maximums.0.remaining "12"`: "values.0.value type", `maximums.0.remaining "-1.00"`: "values.0.value type",
		`maximums []`: "values.0.value type", `plan {"name":"x"}`: "values.0.value type", `coverage.major {}`: "values.0.value type", `coverage.major {"teeth":1}`: "values.0.value type",
		`coverage.major.percent_paid 101`: "values.0.value type", `coverage.major.percent_paid "50"`: "values.0.value type", `coverage.major.percent_paid`: "values.0.value type",
		`coverage.major.percent_paid null`: "values.0.value type", `coverage_effective_date "03/03/2026"`: "values.0.value type", `procedures.D2740.max_age 1.5`: "values.0.value type",
		`status "unknown"`: "values.0.value type", `plan_rules.waiting_period ""`: "values.0.value type", `plan.name "a\nb"`: "values.0.value type",
	} {
		if _, err := c.Add(report("2026-03-03", value), nil, "key_1", c.CreatedAt); fmt.Sprint(errorsOf(err)) != "["+want+"]" {
			t.Errorf("%s: %v, want %s", value, errorsOf(err), want)
		}
	}
	_, err := c.Add(report("2026-03-05", `status "active"`, `status "inactive"`, `plan.x 1`), nil, "key_1", c.CreatedAt)
	if got := fmt.Sprint(errorsOf(err)); got != "[on range values.1.path conflict values.2.path unknown]" {
		t.Error(got)
	}
	if _, err := (&coverage.Check{}).Add(report("2026-03-03"), nil, "key_1", c.CreatedAt); !strings.Contains(fmt.Sprint(err), "Check again first") {
		t.Error(err)
	}
	many := make([]*coverage.Addition, 200)
	if _, err := c.Add(report("2026-03-03", `status "active"`), many, "key_1", c.CreatedAt); fmt.Sprint(errorsOf(err)) != "[values too_many]" {
		t.Error(errorsOf(err))
	}
}

// TestAmendedCheck has what a check shows once people added to it.
func TestAmendedCheck(t *testing.T) {
	t.Parallel()
	c := answered(t, "2026-03-03", same)
	before := string(c.Data())
	has := add(t, c, nil, `plan_rules.missing_tooth_clause "yes"`, `coverage.basic.percent_paid 80`, `deductibles.0 {"level":"individual","period":"calendar_year","amount":"50.00","remaining":"0.00"}`)
	has = add(t, c, has, `coverage.major.percent_paid 60`, `procedures.D2740.percent_paid 50`)
	if err := has[4].Strike("usr_1", c.CreatedAt); err != nil {
		t.Fatal(err)
	}
	if err := has[4].Strike("usr_1", c.CreatedAt); err == nil {
		t.Error("an addition was struck twice")
	}
	var got struct {
		NotReturned []string                `json:"not_returned"`
		Additions   []coverage.AdditionData `json:"additions"`
	}
	data := c.Amend(has, nil).Data()
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if want := "[coverage_termination_date procedures.D2740]"; fmt.Sprint(got.NotReturned) != want {
		t.Error(got.NotReturned)
	}
	for i, a := range got.Additions {
		struck, contradicts := i == 4, i == 3
		if a.Number != i+1 || a.Contradicts != contradicts || (a.StruckAt != nil) != struck || a.CreatedBy != "key_1" || *a.Person != "Dana" {
			t.Errorf("%+v", a)
		}
	}
	plain, _, _ := strings.Cut(before, `"not_returned"`)
	if !strings.HasPrefix(string(data), plain) || string(c.Data()) != before {
		t.Error("the answer changed")
	}
	if none := string(c.Amend(nil, nil).Data()); none != before {
		t.Error(none)
	}
}

// TestReadings has what the benefits of an answer are with additions: the payer's own, and another
// reading for what contradicts it.
func TestReadings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []string
		look   string
		want   string
	}{
		"a gap":                                {[]string{`coverage.basic.percent_paid 80`}, "basic", "80%"},
		"a gap that another one contradicts":   {[]string{`coverage.basic.percent_paid 80`, `coverage.basic {"percent_paid":70}`}, "basic", "80% | 70%"},
		"the same":                             {[]string{`coverage.major.percent_paid 50`}, "major", "50%"},
		"another percent":                      {[]string{`coverage.major.percent_paid 60`}, "major", "50% | 60%"},
		"two other percents":                   {[]string{`coverage.major.percent_paid 60`, `coverage.major {"percent_paid":40}`}, "major", "50% | 60% | 40%"},
		"a percent of what is not covered":     {[]string{`coverage.implants.percent_paid 50`}, "implants", "no | 50% yes"},
		"not covered after all":                {[]string{`coverage.major.covered false`}, "major", "50% | 50% no"},
		"less is left, so more is used":        {[]string{`maximums.0.remaining "300.00"`}, "maximum", "1500 500 1000 | 1500 1200 300"},
		"more is used, so less is left":        {[]string{`maximums.0.used "1500.00"`}, "maximum", "1500 500 1000 | 1500 1500 0"},
		"a larger maximum, so more is left":    {[]string{`maximums.0.amount "2000.00"`}, "maximum", "1500 500 1000 | 2000 500 1500"},
		"both":                                 {[]string{`maximums.0.amount "2000.00"`, `maximums.0.used "700.00"`}, "maximum", "1500 500 1000 | 2000 700 1300"},
		"a row that the answer has":            {[]string{`maximums.1 {"level":"individual","period":"calendar_year","remaining":"900.00"}`}, "maximum", "1500 500 1000 | 1500 600 900"},
		"a row that the answer lacks":          {[]string{`maximums.1 {"level":"family","period":"calendar_year","amount":"3000.00","used":"1000.00"}`}, "maximum", "1500 500 1000 3000 1000 2000"},
		"inactive after all":                   {[]string{`status "inactive"`}, "status", "active | inactive"},
		"a waiting period and a clause":        {[]string{`waiting_periods.major.months 6`, `plan_rules.missing_tooth_clause "yes"`}, "rules", "major 6 yes"},
		"a limit of a procedure that it lacks": {[]string{`procedures.D2740.frequency {"count":1,"period":"60 months"}`}, "procedures", "D2740 60 months"},
	} {
		check := answered(t, "2026-03-03", same)
		var has []*coverage.Addition
		for _, v := range c.values {
			has = add(t, check, has, v)
		}
		all, err := check.Amend(has, nil).Readings()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range all {
			got = append(got, strings.TrimSpace(look(b, c.look)))
		}
		if text := strings.Join(got, " | "); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

func look(b *coverage.Benefits, what string) (out string) {
	switch what {
	case "status":
		return string(b.Status)
	case "rules":
		return fmt.Sprint(b.WaitingPeriods[0].Category, " ", b.WaitingPeriods[0].Months, " ", b.PlanRules.MissingToothClause)
	case "procedures":
		return b.Procedures[0].Code + " " + b.Procedures[0].Frequency.Period
	case "maximum":
		for _, m := range b.Maximums {
			out += fmt.Sprint(*m.Amount, " ", *m.Used, " ", *m.Remaining, " ")
		}
		return strings.ReplaceAll(out, ".00", "")
	}
	for _, c := range b.Coverage {
		if string(c.Category) == what {
			if c.PercentPaid != nil {
				out += fmt.Sprint(*c.PercentPaid, "% ")
			}
			if c.Covered != nil {
				out += map[bool]string{true: "yes", false: "no"}[*c.Covered]
			}
		}
	}
	return out
}

// TestAdditionsFollow has which additions follow to a later check of the patient, and where.
func TestAdditionsFollow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value  string
		day    string
		change func(b *coverage.Benefits)
		member string
		want   string
	}{
		"to the next check":                    {`coverage.basic.percent_paid 80`, "2026-12-31", same, "W1", "coverage.basic.percent_paid"},
		"not into the next year":               {`coverage.basic.percent_paid 80`, "2027-01-01", same, "W1", ""},
		"not to another plan":                  {`coverage.basic.percent_paid 80`, "2026-05-01", func(b *coverage.Benefits) { b.Plan.Name = "HMO" }, "W1", ""},
		"not to another member":                {`coverage.basic.percent_paid 80`, "2026-05-01", same, "W2", ""},
		"to a plan whose name is not returned": {`coverage.basic.percent_paid 80`, "2026-05-01", func(b *coverage.Benefits) { b.Plan.Name = "" }, "w1 ", "coverage.basic.percent_paid"},
		"an amount finds its row": {`maximums.0.amount "2000.00"`, "2026-05-01", func(b *coverage.Benefits) {
			b.Maximums = append([]coverage.BenefitAmount{{Level: coverage.LevelFamily, Period: coverage.PeriodCalendarYear}}, b.Maximums...)
		}, "W1", "maximums.1.amount contradicts"},
		"not without its row":                   {`maximums.0.amount "2000.00"`, "2026-05-01", func(b *coverage.Benefits) { b.Maximums = nil }, "W1", ""},
		"what is left is better known later":    {`maximums.0.remaining "100.00"`, "2026-05-01", same, "W1", ""},
		"unless it is not returned":             {`maximums.0.remaining "100.00"`, "2026-05-01", func(b *coverage.Benefits) { b.Maximums[0].Remaining, b.Maximums[0].Used = nil, nil }, "W1", "maximums.0.remaining"},
		"a row, where the answer has no such":   {`deductibles.0 {"level":"family","period":"calendar_year","amount":"50.00"}`, "2026-05-01", func(b *coverage.Benefits) { b.Deductibles = b.Maximums }, "W1", "deductibles.1"},
		"a row without what is of the day":      {`maximums.1 {"level":"individual","period":"calendar_year","remaining":"50.00"}`, "2026-05-01", same, "W1", ""},
		"a percent that contradicts the answer": {`coverage.major.percent_paid 60`, "2026-05-01", same, "W1", "coverage.major.percent_paid contradicts"},
		"not to an earlier check":               {`coverage.basic.percent_paid 80`, "2026-03-02", same, "W1", ""},
	} {
		from := answered(t, "2026-03-03", same)
		has := add(t, from, nil, c.value)
		to := answered(t, c.day, c.change)
		to.Inquiry.Subscriber.MemberID = c.member
		earlier := map[billing.CheckID]*coverage.Check{from.ID: from}
		got := ""
		for _, p := range to.Amend(has, earlier).Additions {
			if got = p.Path; p.Contradicts {
				got += " contradicts"
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if err := has[0].Strike("usr_1", from.CreatedAt); err != nil {
			t.Fatal(err)
		}
		if a := to.Amend(has, earlier); len(a.Additions) > 0 {
			t.Errorf("%s: it follows though it is struck", name)
		}
	}
}

// TestAdditionsFollowUnderAStandingClock: of two checks of one instant, the one that was made later has the additions
// to the other.
func TestAdditionsFollowUnderAStandingClock(t *testing.T) {
	t.Parallel()
	first, second := answered(t, "2026-03-03", same), answered(t, "2026-03-03", same)
	second.ID = billing.NewID[billing.CheckID](billing.RealAt(first.CreatedAt.Add(time.Second)))
	for _, c := range []struct {
		from, to *coverage.Check
		follows  bool
	}{{first, second, true}, {second, first, false}} {
		has := add(t, c.from, nil, "coverage.basic.percent_paid 80")
		if got := c.to.Amend(has, map[billing.CheckID]*coverage.Check{c.from.ID: c.from}).Additions; (len(got) == 1) != c.follows {
			t.Errorf("it follows %d times, want %v", len(got), c.follows)
		}
	}
}
