package estimate_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// answer reads what the sandbox's payer says in a scenario, as a check has it.
func answer(t *testing.T, scenario string) *estimate.Plan {
	t.Helper()
	text, err := os.ReadFile("../../../adapters/edi/testdata/sandbox/" + scenario + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var a struct{ Benefits *coverage.Benefits }
	text = []byte(strings.ReplaceAll(string(text), `""`, "null")) // a date that was not returned
	if err := json.Unmarshal(text, &a); err != nil {              //nolint:musttag // the golden has the names of the fields
		t.Fatal(err)
	}
	check := &coverage.Check{
		State: coverage.CheckCompleted, Outcome: coverage.OutcomeAnswered, Status: a.Benefits.Status, Benefits: a.Benefits.Data(),
		CompletedAt: day("2026-06-15").Time(), Inquiry: coverage.Inquiry{Subscriber: coverage.Subscriber{DateOfBirth: day("1985-04-12")}},
	}
	p, err := planOf(check, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSandboxPlans has estimates by hand from what the sandbox's payers say.
func TestSandboxPlans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scenario, line, want string
		unless               []string // paths
	}{
		{"ACTIVE-FULL", "D1110 fee 120 allowed 90", "W 30 P 90 O 0 = 90 x 1; 1640 is left", nil},
		{"ACTIVE-FULL", "D2740 fee 1400 allowed 1000 last 2020-03-15", "W 400 P 500 O 500 = 1000 x 0.5; the deductible is met", nil},
		{"ACTIVE-FULL", "D2740 fee 1400 allowed 1000", "W 400 P 500 O 500 = the payer's date may be another tooth's", []string{"procedures.D2740.frequency"}},
		{"ACTIVE-FULL", "D2740 fee 1400 allowed 1000 last 2024-03-15", "W 400 P 0 O 1000 = 60 months are not over", nil},
		{"ACTIVE-FULL", "D1206 fee 60 allowed 40", "W 20 P 0 O 40 = the age limit is 18", nil},
		{"ACTIVE-FULL", "D8080 fee 5000 allowed 4000", "W 1000 P 1500 O 2500 = min(2000, 1500 for a lifetime)", nil},
		{"ACTIVE-FULL", "D6240 fee 2000 allowed 1600", "W 400 P 800 O 800 = 1600 x 0.5", []string{"plan_rules.missing_tooth_clause"}},
		{"ACTIVE-FULL", "D2740 fee 5000 allowed 4000 last 2019-01-01", "W 1000 P 1640 O 2360 = min(2000, 2000-360)", nil},
		{"ACTIVE-USED-UP", "D2330 fee 200 allowed 150", "W 50 P 0 O 150 = the maximum is used up", nil},
		{"ACTIVE-USED-UP", "D2330 fee 200 allowed 150 on 2027-01-04", "D 50 W 50 P 80 O 70 = (150-50) x 0.8 of next year's 1500", nil},
		{"ACTIVE-USED-UP", "D9972 fee 300 allowed 250", "W 50 P 0 O 250 = not covered", nil},
		{"WAITING-PERIOD", "D2740 fee 1400 allowed 1000", "W 400 P 0 O 1000 = until 2026-12-01", nil},
		{"WAITING-PERIOD", "D2740 fee 1400 allowed 1000 on 2026-12-01 last 2019-01-01", "W 400 P 500 O 500 = the first day", nil},
		{"MISSING-TOOTH", "D6010 fee 2000 allowed 1500 lost 2014-02-02", "W 500 P 0 O 1500 = lost before 2016", nil},
		{"MISSING-TOOTH", "D6010 fee 2000 allowed 1500 lost 2018-02-02", "W 500 P 750 O 750 = lost during the coverage", nil},
		{"DOWNGRADE", "D2392 fee 300 allowed 250 alternate 150 last 2020-01-01", "W 50 P 120 O 130 = 150 x 0.8; 250-120", nil},
		{"FREQUENCY-USED", "D1110 fee 120 allowed 90", "W 30 P 0 O 90 = again from 2027-01-01", nil},
		{"FREQUENCY-USED", "D1110 fee 120 allowed 90 on 2027-01-01", "D 50 W 30 P 40 O 50 = 90-50; nobody says that it is waived", nil},
		{"OUT-OF-NETWORK", "D2330 fee 300 allowed 200", "D 100 P 60 O 240 = (200-100) x 0.6; 300-60", nil},
		{"COPAY", "D2330 fee 200 allowed 150", "W 50 P 125 O 25 = the copayment of 25, then 100 percent", nil},
		{"COPAY", "D2740 fee 1400 allowed 1000", "W 400 P 690 O 310 = the copayment of the procedure, not of the category", nil},
		{"TWO-NETWORKS", "D2330 fee 200 allowed 150 last 2020-01-01", "W 50 P 120 O 30 = 150 x 0.8", nil},
		{"PLAN-YEAR", "D2740 fee 1400 allowed 1000 last 2019-01-01", "W 400 P 420 O 580 | D 1000 W 400 P 0 O 1000 = min(500, 420); no deductible is returned", nil},
		{"INACTIVE", "D1110 fee 120 allowed 90", "P 0 O 120 = not active, and no network is named", nil},
	} {
		p := answer(t, c.scenario)
		e := estimate.Compute(&estimate.Case{Plan: p, Lines: []estimate.Line{line(c.line)}})
		r := e.Lines[0]
		want, _, _ := strings.Cut(c.want, " =")
		if got := shown(r.Least, r.Most); got != want {
			t.Errorf("%s, %s: %s\nwant %s\nbecause %v", c.scenario, c.line, got, c.want, r.Because)
		}
		var paths []string
		for _, u := range r.Unless {
			paths = append(paths, u.Path)
			if u.PatientPays.Most < r.Most.PatientPays {
				t.Errorf("%s, %s: unless %s, the patient pays %s", c.scenario, c.line, u.Text, u.PatientPays)
			}
		}
		if c.unless != nil && !slices.Equal(paths, c.unless) {
			t.Errorf("%s, %s: unless %v, want %v", c.scenario, c.line, paths, c.unless)
		}
	}
}

// TestReasons has the sentences of one line, and what is named beside it.
func TestReasons(t *testing.T) {
	t.Parallel()
	p := answer(t, "ACTIVE-FULL")
	e := estimate.Compute(&estimate.Case{Plan: p, Lines: []estimate.Line{line("D2740 fee 1400 allowed 1000")}, Today: day("2026-07-02")})
	var got []string
	for _, s := range e.Lines[0].Because {
		got = append(got, strings.TrimSpace(s.Text+" "+s.Path))
	}
	want := []string{
		"The plan allows $1,000.00 of the fee of $1,400.00.",
		"The deductible is met. deductibles.0",
		"The plan pays 50 percent. procedures.D2740",
		"Of the maximum, $1,640.00 is left. maximums.0",
		"Of the family maximum, $3,400.00 is left. maximums.1",
		"The plan pays $500.00.",
		"The office writes off $400.00.",
		"The patient pays $500.00.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("because\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if u := e.Lines[0].Unless; len(u) != 1 || u[0].PatientPays != estimate.Exactly(billing.Money(1000_00)) {
		t.Errorf("unless %+v", u)
	}
	if w := e.Lines[0].Warnings; len(w) != 1 || !strings.Contains(w[0], "PRE-AUTHORIZATION IS RECOMMENDED") {
		t.Errorf("warnings %v", w)
	}
	if len(e.Uncertain) != 1 || !strings.Contains(e.Uncertain[0], "June 15, 2026") {
		t.Errorf("uncertain %v", e.Uncertain)
	}
}
