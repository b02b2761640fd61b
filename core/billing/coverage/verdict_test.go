package coverage_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

func day(s string) billing.Date {
	d, err := billing.ParseDate(s)
	if err != nil {
		panic(err)
	}
	return d
}

// amount is an amount with what is left of it, in dollars; less than 0 was not returned.
func amount(level coverage.BenefitLevel, period coverage.BenefitPeriod, all, left int, applies string) coverage.BenefitAmount {
	a := coverage.BenefitAmount{Level: level, Period: period, AppliesTo: applies}
	if all >= 0 {
		a.Amount = new(billing.Money(all * 100))
	}
	if left >= 0 {
		a.Remaining = new(billing.Money(left * 100))
	}
	return a
}

// TestVerdicts has one row for each rule. The answers are those of the sandbox's plans and of
// public 271s; the sentences were read aloud.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	const (
		person, family = coverage.LevelIndividual, coverage.LevelFamily
		year, plan     = coverage.PeriodCalendarYear, coverage.PeriodPlanYear
		life           = coverage.PeriodLifetime
	)
	type amounts = []coverage.BenefitAmount
	yes := coverage.Benefits{Status: coverage.Active}
	with := func(change func(b *coverage.Benefits)) *coverage.Benefits {
		b := yes
		change(&b)
		return &b
	}
	procedure := func(code string, status coverage.ProcedureStatus, next string) coverage.ProcedureBenefit {
		p := coverage.ProcedureBenefit{Code: code, Status: status}
		if next != "" {
			p.NextEligibleDate = day(next)
		}
		return p
	}
	for name, c := range map[string]struct {
		benefits *coverage.Benefits
		asked    []string
		standing coverage.Standing
		says     []string
	}{
		"nothing is used": {
			with(func(b *coverage.Benefits) {
				b.Maximums = amounts{amount(family, year, 4000, 3400, ""), amount(person, year, 2000, 1640, ""), amount(person, life, 1500, 1500, "orthodontics")}
				b.Deductibles = amounts{amount(person, year, 50, 0, ""), amount(family, year, 150, 50, "")}
			}), nil, coverage.StandingCovered,
			[]string{"Covered. $1,640.00 of the year's maximum is left.", "The deductible is met.", "$50.00 of the family's deductible is left to pay."},
		},
		"the only maximum is a lifetime's": {
			with(func(b *coverage.Benefits) { b.Maximums = amounts{amount(person, life, 5000, 4200, "")} }), nil, coverage.StandingCovered,
			[]string{"Covered. $4,200.00 of the lifetime maximum is left."},
		},
		"the year's maximum is used up": {
			with(func(b *coverage.Benefits) {
				b.Maximums = amounts{amount(person, year, 1500, 0, "")}
				b.Deductibles = amounts{amount(person, year, 50, 0, "")}
			}), nil, coverage.StandingLimited,
			[]string{"Covered. The year's maximum is used up until January 1.", "The deductible is met."},
		},
		"a plan year's maximum is used up, and the next year's is not": {
			with(func(b *coverage.Benefits) {
				b.Plan.BenefitPeriod = "2025-07-01 to 2026-06-30"
				b.Maximums = amounts{
					amount(person, plan, 1500, 0, "PLAN YEAR FROM 2025-07-01 TO 2026-06-30"), amount(person, plan, 2000, 2000, "PLAN YEAR FROM 2026-07-01 TO 2027-06-30"),
				}
			}), nil, coverage.StandingLimited,
			[]string{"Covered. The year's maximum is used up until July 1."},
		},
		"the maximum of another plan year is used up": {
			with(func(b *coverage.Benefits) {
				b.Maximums = amounts{
					amount(person, plan, 1500, 0, "PLAN YEAR FROM 2024-07-01 TO 2025-06-30"), amount(person, plan, 2000, 700, "PLAN YEAR FROM 2025-07-01 TO 2026-06-30"),
				}
			}), nil, coverage.StandingCovered,
			[]string{"Covered. $700.00 of the year's maximum is left."},
		},
		"a benefit year of unknown dates is used up": {
			with(func(b *coverage.Benefits) { b.Maximums = amounts{amount(person, plan, 1000, 0, "")} }), nil, coverage.StandingLimited,
			[]string{"Covered. The year's maximum is used up for this benefit year."},
		},
		"the family's maximum is used up": {
			with(func(b *coverage.Benefits) {
				b.Maximums = amounts{amount(family, year, 4000, 0, ""), amount(person, year, 2000, 900, "")}
			}), nil, coverage.StandingLimited,
			[]string{"Covered. The family's maximum for the year is used up until January 1."},
		},
		"less of the family's maximum is left": {
			with(func(b *coverage.Benefits) {
				b.Maximums = amounts{amount(person, year, 2000, 900, ""), amount(family, year, 4000, 250, "")}
			}), nil, coverage.StandingCovered,
			[]string{"Covered. $250.00 of the family's maximum for the year is left."},
		},
		"the maximum of a category is used up": {
			with(func(b *coverage.Benefits) {
				b.Maximums = amounts{amount(person, life, 1500, 0, "orthodontics"), amount(person, year, 2000, 900, "")}
			}), nil, coverage.StandingLimited,
			[]string{"Covered. The lifetime maximum for orthodontics is used up.", "$900.00 of the year's maximum is left."},
		},
		"the maximum of a class in the payer's words is used up": {
			with(func(b *coverage.Benefits) {
				b.Maximums = amounts{amount(person, year, 1500, 0, "CLASS IV"), amount(person, year, 1500, 1200, "CLASS I TO III")}
			}), nil, coverage.StandingLimited,
			[]string{"Covered. A maximum for some services is used up until January 1.", "The payer does not say how much of the maximum is left."},
		},
		"a maximum of zero says nothing": {
			with(func(b *coverage.Benefits) { b.Maximums = amounts{amount(person, year, 0, 0, "")} }), nil, coverage.StandingCovered,
			[]string{"Covered. The payer does not say how much of the maximum is left."},
		},
		"the rest of the maximum is not returned": {
			with(func(b *coverage.Benefits) { b.Maximums = amounts{amount(person, year, 1500, -1, "")} }), nil, coverage.StandingCovered,
			[]string{"Covered. The year's maximum is $1,500.00. The payer does not say how much of it is left."},
		},
		"only shares": {&yes, nil, coverage.StandingCovered, []string{"Covered. The payer does not say how much of the maximum is left."}},
		"out of network": {
			with(func(b *coverage.Benefits) {
				b.NetworkStatus = coverage.OutOfNetwork
				b.Maximums = amounts{amount(person, year, 1000, 1000, "out of network"), amount(person, year, 2000, 0, "in network")}
				b.Deductibles = amounts{amount(person, year, 100, 100, "out of network"), amount(person, year, 50, 0, "in network")}
			}), nil, coverage.StandingLimited,
			[]string{"Covered. The office is out of the plan's network.", "$1,000.00 of the year's maximum is left.", "$100.00 of the deductible is left to pay."},
		},
		"amounts of two networks, and the payer does not say which is the office's": {
			with(func(b *coverage.Benefits) {
				b.NetworkStatus = coverage.NetworkUnknown
				b.Maximums = amounts{amount(person, year, 2000, -1, "in network"), amount(person, year, -1, 400, "out of network")}
			}), nil, coverage.StandingCovered,
			[]string{"Covered. The payer does not say how much of the maximum is left."},
		},
		"procedures that were asked for": {
			with(func(b *coverage.Benefits) {
				b.Maximums = amounts{amount(person, year, 1500, 300, "")}
				b.Procedures = []coverage.ProcedureBenefit{
					procedure("D1110", coverage.ProcedureNotDueYet, "2026-10-15"), procedure("D9972", coverage.ProcedureNotCovered, ""), procedure("D2740", coverage.ProcedureDowngraded, ""),
					procedure("D1206", coverage.ProcedureAgeLimit, ""), procedure("D0150", coverage.ProcedureNotCovered, ""), procedure("D0120", coverage.ProcedureCoveredNow, ""),
					procedure("D4910", coverage.ProcedureNotDueYet, "2026-01-01"), procedure("D9989", coverage.ProcedureNotCovered, ""),
				}
			}),
			[]string{"D1110", "D9972", "D2740", "D1206", "D0120", "D4910", "D9989"},
			coverage.StandingLimited,
			[]string{
				"Covered. The plan does not pay for teeth whitening at the office and D9989.", "At the patient's age, the plan does not pay for fluoride varnish.",
				"The plan does not pay yet for gum maintenance cleaning.", "From October 15 on, the plan pays for adult cleaning.",
				"For porcelain crown, the plan pays only as much as for a cheaper service.", "$300.00 of the year's maximum is left.",
			},
		},
		"categories that wait": {
			with(func(b *coverage.Benefits) {
				b.CoverageEffectiveDate = day("2026-01-01")
				b.WaitingPeriods = []coverage.WaitingPeriod{
					{Category: coverage.CategoryOrthodontics, Months: 12},
					{Category: coverage.CategoryMajor, Until: day("2026-12-01")},
					{Category: coverage.CategoryProsthodontics, Until: day("2026-12-01")},
					{Category: coverage.CategoryBasic, Months: 5},
					{Category: coverage.CategoryImplants, Until: day("2026-06-15")},
					{Category: coverage.CategoryPeriodontics, Until: day("2027-06-01")}, // a check of May would read June 1 as its own
				}
			}), nil, coverage.StandingLimited,
			[]string{
				"Covered. From December 1 on, the plan pays for major services and prosthodontics.", "From January 1 on, the plan pays for orthodontics.",
				"From June 1, 2027 on, the plan pays for periodontics.",
				"The payer does not say how much of the maximum is left.",
			},
		},
		"a category is not covered": {
			with(func(b *coverage.Benefits) {
				b.Coverage = []coverage.CategoryCoverage{{Category: coverage.CategoryOralSurgery, Covered: new(false)}, {Category: coverage.CategoryBasic, Covered: new(true)}}
			}), nil, coverage.StandingCovered,
			[]string{"Covered. The payer does not say how much of the maximum is left.", "The plan does not pay for oral surgery."},
		},
		"the plan ends soon": {
			with(func(b *coverage.Benefits) { b.CoverageTerminationDate = day("2026-07-15") }), nil, coverage.StandingLimited,
			[]string{"Covered. The plan ends on July 15.", "The payer does not say how much of the maximum is left."},
		},
		"the plan ends later": {
			with(func(b *coverage.Benefits) { b.CoverageTerminationDate = day("2026-07-16") }), nil, coverage.StandingCovered,
			[]string{"Covered. The payer does not say how much of the maximum is left."},
		},
		"the plan has ended": {
			&coverage.Benefits{Status: coverage.Inactive, CoverageTerminationDate: day("2026-04-30")}, nil, coverage.StandingNotCovered,
			[]string{"Not covered. The plan ended on April 30, 2026."},
		},
		"the plan begins later": {
			&coverage.Benefits{Status: coverage.Inactive, CoverageEffectiveDate: day("2026-07-01")}, nil, coverage.StandingNotCovered,
			[]string{"Not covered. The plan begins on July 1."},
		},
		"not covered, without dates": {
			&coverage.Benefits{Status: coverage.Inactive}, nil, coverage.StandingNotCovered,
			[]string{"Not covered. The plan does not cover the patient on June 15, 2026."},
		},
		"the payer does not say": {
			&coverage.Benefits{Status: coverage.Unknown}, nil, coverage.StandingNotKnown,
			[]string{"Not known. The payer does not say whether the plan covers the patient."},
		},
	} {
		got := verdictOf(t, c.asked, coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: c.benefits})
		if got.Standing != c.standing || !slices.Equal(append([]string{got.Text}, got.Also...), c.says) {
			t.Errorf("%s: %s %q, want %s %q", name, got.Standing, append([]string{got.Text}, got.Also...), c.standing, c.says)
		}
	}
}

// TestVerdictsWithoutAnswer has the ways in which a check ends without benefits.
func TestVerdictsWithoutAnswer(t *testing.T) {
	t.Parallel()
	rejected := func(code coverage.ReasonCode, message, fix string) *coverage.Rejection {
		return &coverage.Rejection{Kind: coverage.RejectionFixAndResend, Reasons: []coverage.RejectionReason{{Code: code, Message: message, Fix: fix}}}
	}
	for _, c := range []struct {
		response coverage.CheckResponse
		want     verdict
	}{
		{
			coverage.CheckResponse{Outcome: coverage.OutcomeRejected, Rejection: rejected(coverage.ReasonMemberNotFound, "The payer did not find the subscriber.", "Check the member ID.")},
			verdict{coverage.StandingNotKnown, "Not known yet. The payer did not find the subscriber.", []string{"Check the member ID."}},
		},
		{
			coverage.CheckResponse{Outcome: coverage.OutcomeRejected, Rejection: rejected(coverage.ReasonPatientNotEligible, "The payer has no coverage.", "Ask the patient.")},
			verdict{coverage.StandingNotCovered, "Not covered. The payer has no coverage.", []string{"Ask the patient."}},
		},
		{
			coverage.Unanswered(coverage.OutcomePayerUnavailable, coverage.AboutPayer, "sandbox", 1),
			verdict{coverage.StandingNotKnown, "Not known yet. The payer is not responding.", []string{}},
		},
		{
			coverage.CheckResponse{Outcome: coverage.OutcomeError},
			verdict{coverage.StandingNotKnown, "Not known yet. The check did not reach the payer.", []string{}},
		},
	} {
		if got := verdictOf(t, nil, c.response); got.Standing != c.want.Standing || got.Text != c.want.Text || !slices.Equal(got.Also, c.want.Also) {
			t.Errorf("%s: %v, want %v", c.response.Outcome, got, c.want)
		}
	}
	pending := &coverage.Check{State: coverage.CheckPending}
	if data := string(pending.Data()); !strings.Contains(data, `"verdict":null`) {
		t.Errorf("a pending check has a verdict: %s", data)
	}
}

// TestCachedVerdict: a check that a saved one answers has the verdict of its benefits.
func TestCachedVerdict(t *testing.T) {
	t.Parallel()
	source, hit := checkOn(nil), checkOn(nil)
	answer := coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: &coverage.Benefits{Status: coverage.Unknown}}
	if err := source.Complete(answer, coverage.Background{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := hit.AnswerFromCache(source, time.Now()); err != nil {
		t.Fatal(err)
	}
	if got := shownVerdict(t, hit); got.Standing != coverage.StandingNotKnown || !strings.HasPrefix(got.Text, "Not known. The payer") {
		t.Errorf("%v", got)
	}
}

// TestProcedureNames reads the table: in byte order, each code once, each name short, plain
// and without a code.
func TestProcedureNames(t *testing.T) {
	t.Parallel()
	f, err := os.Open("procedures.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	last, lines := "", bufio.NewScanner(f)
	for lines.Scan() {
		code, name, ok := strings.Cut(lines.Text(), "\t")
		if !ok || code[0] != 'D' || strings.Trim(code[1:], "0123456789") != "" || len(code) < 3 || len(code) > 5 {
			t.Errorf("%q is no code with a name", lines.Text())
		}
		if name == "" || len(name) > 45 || strings.TrimSpace(name) != name || strings.Contains(name, "D0") {
			t.Errorf("%s: the name %q", code, name)
		}
		if lines.Text() <= last {
			t.Errorf("%q is not after %q", lines.Text(), last)
		}
		last = lines.Text()
	}
	for code, want := range map[string]string{"D1110": "adult cleaning", "D2952": "cast post and core", "D2962": "veneer", "D0999": "", "": "", "D": "", "X1110": ""} {
		if got := coverage.ProcedureName(code); got != want {
			t.Errorf("%q is %q, want %q", code, got, want)
		}
	}
}

type verdict struct {
	Standing coverage.Standing `json:"standing"`
	Text     string            `json:"text"`
	Also     []string          `json:"also"`
}

func checkOn(asked []string) *coverage.Check {
	return &coverage.Check{State: coverage.CheckPending, Inquiry: coverage.Inquiry{ServiceDate: day("2026-06-15"), ProcedureCodes: asked}}
}

// TestVerdictOfAPlanThatEndsBeforeTheVisit is of a visit next month, and speaks of the plan's end when the payer answers.
func TestVerdictOfAPlanThatEndsBeforeTheVisit(t *testing.T) {
	t.Parallel()
	for answered, want := range map[string]string{
		"2026-06-01": "Not covered. The plan ends on June 14, before the service.",
		"2026-06-14": "Not covered. The plan ends on June 14, before the service.",
		"2026-06-15": "Not covered. The plan ended on June 14, 2026.",
	} {
		c := checkOn(nil) // of June 15
		b := &coverage.Benefits{Status: coverage.Inactive, CoverageTerminationDate: day("2026-06-14")}
		if err := c.Complete(coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: b}, coverage.Background{}, day(answered).Time().Add(12*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := shownVerdict(t, c); got.Text != want {
			t.Errorf("answered on %s: %q, want %q", answered, got.Text, want)
		}
	}
}

// TestVerdictOfTheNextYear says of a service after the turn of the year that its maximum begins anew, and of
// one before it that it is used up.
func TestVerdictOfTheNextYear(t *testing.T) {
	t.Parallel()
	b := &coverage.Benefits{Status: coverage.Active, Maximums: []coverage.BenefitAmount{amount(coverage.LevelIndividual, coverage.PeriodCalendarYear, 1500, 0, "")}, Deductibles: []coverage.BenefitAmount{
		amount(coverage.LevelIndividual, coverage.PeriodCalendarYear, 50, 0, ""),
	}}
	for on, want := range map[string]string{
		"2026-12-31": "Covered. The year's maximum is used up until January 1.",
		"2027-01-01": "Covered. The year's maximum begins anew on January 1, 2027, before the service.",
	} {
		c := checkOn(nil)
		c.Inquiry.ServiceDate = day(on)
		answered := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		if err := c.Complete(coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: b}, coverage.Background{}, answered); err != nil {
			t.Fatal(err)
		}
		if got := shownVerdict(t, c); got.Text != want || on > "2027" && !slices.Contains(got.Also, "The deductible begins anew on January 1, 2027, before the service.") {
			t.Errorf("on %s: %q, want %q", on, got.Text, want)
		}
	}
}

// TestVerdictAtTheOffice: a payer that answers on the evening of December 31 at the office has answered for the
// year that ends, whatever day it is in UTC. A check that its answer was saved for says the same a day later.
func TestVerdictAtTheOffice(t *testing.T) {
	t.Parallel()
	b := &coverage.Benefits{Status: coverage.Active, Maximums: []coverage.BenefitAmount{amount(coverage.LevelIndividual, coverage.PeriodCalendarYear, 1000, 0, "")}}
	const before, after = "Covered. The year's maximum begins anew on January 1, 2027, before the service.", "Covered. The year's maximum is used up until January 1, 2028."
	for _, c := range []struct {
		zone, answered, want, left string
	}{
		{"America/New_York", "2027-01-01T02:00:00Z", before, "1000.00"},
		{"America/New_York", "2027-01-01T05:00:00Z", after, "0.00"},
		{"Pacific/Guam", "2026-12-31T14:00:00Z", after, "0.00"},
		{"", "2027-01-01T02:00:00Z", after, "0.00"}, // of a release that did not keep the zone
	} {
		at, err := time.Parse(time.RFC3339, c.answered)
		if err != nil {
			t.Fatal(err)
		}
		source, hit := checkOn(nil), checkOn(nil)
		for _, k := range []*coverage.Check{source, hit} {
			k.Inquiry.ServiceDate, k.Inquiry.Office.TimeZone = day("2027-01-02"), c.zone
		}
		if err := source.Complete(coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: b}, coverage.Background{}, at); err != nil {
			t.Fatal(err)
		}
		if err := hit.AnswerFromCache(source, at.Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		for name, k := range map[string]*coverage.Check{"fresh": source, "saved": hit} {
			s := k.Summary()
			if got := shownVerdict(t, k); got.Text != c.want || s.Verdict.Text != c.want || s.MaximumLeft.String() != c.left {
				t.Errorf("%s, answered at %s in %q: %q, %q with %s left, want %q with %s", name, c.answered, c.zone, got.Text, s.Verdict.Text, s.MaximumLeft, c.want, c.left)
			}
		}
	}
}

func verdictOf(t *testing.T, asked []string, r coverage.CheckResponse) verdict {
	t.Helper()
	c := checkOn(asked)
	if err := c.Complete(r, coverage.Background{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	return shownVerdict(t, c)
}

func shownVerdict(t *testing.T, c *coverage.Check) verdict {
	t.Helper()
	var shown struct {
		Verdict *verdict `json:"verdict"`
	}
	if err := json.Unmarshal(c.Data(), &shown); err != nil || shown.Verdict == nil {
		t.Fatalf("%v: %s", err, c.Data())
	}
	return *shown.Verdict
}
