package sandboxnet_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// planOf reads a plan as a caller writes it.
func planOf(t *testing.T, text string) *scenario.Plan {
	t.Helper()
	p := new(scenario.Plan)
	in := json.NewDecoder(strings.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(p); err != nil {
		t.Fatal(err, text)
	}
	return p
}

// faultsOf validates a plan and tries it.
func faultsOf(t *testing.T, p *scenario.Plan) (all []string) {
	t.Helper()
	return faultsAt(t, p, asked)
}

func faultsAt(t *testing.T, p *scenario.Plan, now time.Time) (all []string) {
	t.Helper()
	_, _, faults := p.On(billing.DateOf(now))
	err := faults.Err()
	if err == nil {
		err = sandboxnet.ReadPlan(edi.New().Over)(t.Context(), p, now)
	}
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*billing.Error](err)
	if !ok {
		t.Fatal(err)
	}
	for _, f := range e.Faults {
		all = append(all, f.Field+" "+string(f.Code))
	}
	return all
}

// shownBy makes a check of the plan and returns its benefits as the API shows them.
func shownBy(t *testing.T, p *scenario.Plan, change func(*coverage.Inquiry)) map[string]any {
	t.Helper()
	a, reply, err := rehearse(t.Context(), p.Stored(), scenario.Keep, change)
	if err != nil || a.Benefits == nil {
		t.Fatalf("%v, %+v\n%s", err, a.Rejection, x12test.Lines(reply))
	}
	var shown map[string]any
	if err := json.Unmarshal(a.Benefits.Data(), &shown); err != nil {
		t.Fatal(err)
	}
	shown["status"] = string(a.Benefits.Status)
	return shown
}

// dataOfPlan returns what a check shows of the benefits, without what it shows of the patient.
func dataOfPlan(b *coverage.Benefits) []byte {
	return bytes.Replace(b.Data(), []byte(`"differences":[],`), nil, 1)
}

// at returns the value at a path of a reply, as JSON.
func at(value any, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			var n int
			if _, err := fmt.Sscan(name, &n); err != nil || n >= len(v) {
				return "none"
			}
			value = v[n]
		}
	}
	b, _ := json.Marshal(value)
	return string(b)
}

// TestPlansAreShown has what a plan says beside what a check of March 15, 2026 shows.
func TestPlansAreShown(t *testing.T) {
	t.Parallel()
	code := func(rest string) string { return `"procedures":[{"code":"D1110",` + rest + `}]` }
	for rest, want := range map[string]map[string]string{
		`"maximums":null`: {"status": `"active"`, "network_status": "null", "maximums": "[]", "plan.benefit_period": "null", "payer_notes": "[]", "procedures": "[]"},
		`"coverage_effective_date":"calendar_year","coverage_termination_date":"calendar_year"`: {
			"coverage_effective_date": `"2026-01-01"`, "coverage_termination_date": `"2026-12-31"`,
		},
		`"coverage_effective_date":"--07-01","coverage_termination_date":"--07-01"`: {"coverage_effective_date": `"2025-07-01"`, "coverage_termination_date": `"2026-06-30"`},
		`"coverage_effective_date":"-P1Y6M","coverage_termination_date":"P0D"`:      {"coverage_effective_date": `"2024-09-15"`, "coverage_termination_date": `"2026-03-15"`},
		`"plan":{"benefit_period":"calendar_year"}`:                                 {"plan.benefit_period": `"2026-01-01 to 2026-12-31"`},
		`"plan":{"benefit_period":"--04-01"}`:                                       {"plan.benefit_period": `"2025-04-01 to 2026-03-31"`},
		`"plan":{"benefit_period":"July 1 to June 30"}`:                             {"plan.benefit_period": `"JULY 1 TO JUNE 30"`},
		`"plan":{"benefit_period":"calendar_year"},"maximums":[{"level":"family","period":"calendar_year","amount":"1.00"}]`: {
			"plan.benefit_period": `"calendar_year"`, "maximums.0.level": `"family"`,
		},
		`"plan":{"name":"Premier","type":"HMO","group_number":"g-1"}`:                    {"plan.name": `"PREMIER"`, "plan.type": `"HMO"`, "plan.group_number": `"G-1"`},
		`"network_status":"in_network"`:                                                  {"network_status": `"in_network"`},
		`"network_status":"unknown","coverage":[{"category":"major","percent_paid":50}]`: {"network_status": `"unknown"`},
		`"network_status":"out_of_network","payer_notes":["Call us"],"maximums":[{"level":"individual","period":"plan_year","amount":"900.00","used":"800.00"}]`: {
			"network_status": `"out_of_network"`, "maximums.0.applies_to": "null", "maximums.0.remaining": `"100.00"`, "payer_notes": `["CALL US"]`,
		},
		`"deductibles":[{"level":"individual","period":"lifetime","used":"50.00","remaining":"25.00","applies_to":"orthodontics"},{"level":"individual","period":"plan_year","remaining":"5.00","applies_to":"Night guards"}]`: {
			"deductibles.0.amount": `"75.00"`, "deductibles.0.applies_to": `"orthodontics"`, "deductibles.1.applies_to": `"NIGHT GUARDS"`,
			"deductibles.1.remaining": `"5.00"`, "deductibles.1.period": `"plan_year"`,
		},
		`"coverage":[{"category":"implants","percent_paid":33.25,"frequency":{"count":1,"period":"5 years","scope":"per tooth"},"notes":["Ask first"]},{"category":"basic","covered":false},{"category":"major","covered":true}]`: {
			"coverage.0.covered": "false", "coverage.1.covered": "true", "coverage.2.percent_paid": "33.25", "coverage.2.frequency.period": `"5 years"`,
			"coverage.2.frequency.scope": `"per tooth"`, "coverage.2.notes": `["LIMIT IS PER TOOTH","ASK FIRST"]`,
		},
		code(`"percent_paid":100,"frequency":{"count":1,"period":"6 months"},"last_service_date":"-P30D"`): {
			"procedures.0.last_service_date": `"2026-02-13"`, "procedures.0.next_eligible_date": `"2026-08-13"`, "procedures.0.status": `"not_due_yet"`, "procedures.0.note": "null",
		},
		code(`"percent_paid":100,"frequency":{"count":2,"period":"calendar_year"},"last_service_date":"-P5W","next_eligible_date":"calendar_year"`): {
			"procedures.0.last_service_date": `"2026-02-08"`, "procedures.0.next_eligible_date": `"2027-01-01"`, "procedures.0.status": `"not_due_yet"`,
		},
		code(`"covered":true,"next_eligible_date":"-P1D"`):                                      {"procedures.0.status": `"covered_now"`, "procedures.0.next_eligible_date": `"2026-03-14"`},
		code(`"covered":true,"max_age":18`):                                                     {"procedures.0.status": `"age_limit"`, "procedures.0.max_age": "18"},
		code(`"status":"not_covered","note":"Cosmetic"`):                                        {"procedures.0.status": `"not_covered"`, "procedures.0.note": `"COSMETIC"`},
		code(`"percent_paid":0`):                                                                {"procedures.0.covered": "false", "procedures.0.percent_paid": "0"},
		code(`"percent_paid":80,"status":"downgraded"`):                                         {"procedures.0.status": `"downgraded"`},
		code(`"percent_paid":80,"note":"paid as D2150, least expensive","status":"downgraded"`): {"procedures.0.note": `"PAID AS D2150, LEAST EXPENSIVE"`},
		`"procedures":[{"code":"D6010","percent_paid":40}],"coverage":[{"category":"implants","percent_paid":60}]`: {
			"procedures.0.percent_paid": "40", "coverage.0.percent_paid": "60",
		},
		`"coverage":[{"category":"major","percent_paid":50}],"waiting_periods":[{"category":"major","months":12,"until":"P6M"},{"category":"oral_surgery","until":"--01-01"}],"procedures":[{"code":"D2740","percent_paid":50}]`: {
			"plan_rules.waiting_period": `"WAITING PERIOD 12 MONTHS FOR MAJOR; WAITING PERIOD FOR ORAL SURGERY UNTIL 2027-01-01; major from 2026-09-15"`,
			"procedures.0.status":       `"not_due_yet"`, "procedures.0.next_eligible_date": `"2026-09-15"`,
		},
		`"plan_rules":{"missing_tooth_clause":"applies","waiting_period":"none","pre_authorization":"over 300","coordination_of_benefits":"standard","major_services_paid_on":"seat_date"}`: {
			"plan_rules.missing_tooth_clause": `"MISSING TOOTH CLAUSE APPLIES"`, "plan_rules.waiting_period": `"WAITING PERIOD NONE"`,
			"plan_rules.pre_authorization": `"PRE-AUTHORIZATION OVER 300"`, "plan_rules.coordination_of_benefits": `"COORDINATION OF BENEFITS STANDARD"`,
			"plan_rules.major_services_paid_on": `"seat_date"`, "payer_notes": "[]",
		},
		`"maximums":[{"level":"family","period":"calendar_year","amount":"1.00"}],"plan":{"name":"X"},"not_returned":["maximums","plan.name","procedures.D1110"],` + code(`"percent_paid":100`): {
			"maximums": "[]", "plan.name": "null", "procedures": "[]",
		},
	} {
		p := planOf(t, `{"status":"active",`+rest+`}`)
		if faults := faultsOf(t, p); faults != nil {
			t.Errorf("%s: %v", rest, faults)
		}
		shown := shownBy(t, p, func(q *coverage.Inquiry) { q.ServiceDate = billing.DateOf(asked) })
		for path, value := range want {
			if got := at(shown, path); got != value {
				t.Errorf("%s: %s is %s, want %s", rest, path, got, value)
			}
		}
	}
	for _, status := range []string{"inactive", "unknown"} {
		p := planOf(t, `{"status":"`+status+`","network_status":"in_network","payer_notes":["Call us"]}`)
		if shown := shownBy(t, p, nil); faultsOf(t, p) != nil || shown["status"] != status || shown["network_status"] != "in_network" {
			t.Errorf("%s: %v, %v", status, faultsOf(t, p), shown)
		}
	}
}

// TestPlansAreRefused has what no check would show, and what is wrong by itself.
func TestPlansAreRefused(t *testing.T) {
	t.Parallel()
	amount := func(rest string) string {
		return `"maximums":[{"level":"individual","period":"lifetime",` + rest + `}]`
	}
	code := func(rest string) string { return `"procedures":[{"code":"D1110",` + rest + `}]` }
	long := strings.Repeat("x", 300)
	for rest, want := range map[string]string{
		`"status":"covered"`:                                                    "plan.status not_allowed",
		`"status":""`:                                                           "plan.status required",
		`"coverage_termination_date":"-P1D"`:                                    "plan.status conflict", // then the plan is inactive
		`"status":"unknown","plan":{"name":"X"}`:                                "plan.plan.name conflict",
		`"coverage_effective_date":"2026-02-30"`:                                "plan.coverage_effective_date format",
		`"coverage_effective_date":"P"`:                                         "plan.coverage_effective_date format",
		`"coverage_effective_date":"PT1H"`:                                      "plan.coverage_effective_date format",
		`"coverage_effective_date":"--02-30"`:                                   "plan.coverage_effective_date format",
		`"coverage_effective_date":"plan_year"`:                                 "plan.coverage_effective_date format",
		`"coverage_effective_date":"1899-01-01"`:                                "plan.coverage_effective_date range",
		`"coverage_effective_date":"-P101Y"`:                                    "plan.coverage_effective_date range",
		`"network_status":"preferred"`:                                          "plan.network_status not_allowed",
		`"plan":{"type":"Dental HMO"}`:                                          "plan.plan.type conflict",
		`"plan":{"name":"` + long + `"}`:                                        "plan.plan.name conflict", // EB05 has 50 characters
		`"plan":{"group_number":"群"}`:                                           "plan.plan.group_number conflict",
		amount(`"amount":"10"`):                                                 "plan.maximums.0.amount format",
		amount(`"amount":"-1.00"`):                                              "plan.maximums.0.amount format",
		amount(`"applies_to":"major"`):                                          "plan.maximums.0 required",
		`"deductibles":[{"level":"employee","period":"month","amount":"1.00"}]`: "plan.deductibles.0.level not_allowed, plan.deductibles.0.period not_allowed",
		`"maximums":[{"level":"family","period":"lifetime","amount":"1.00"},{"level":"family","period":"lifetime","used":"1.00"}]`: "plan.maximums.1 conflict",
		`"coverage":[{"category":"cosmetic","covered":true}]`:                                                                      "plan.coverage.0.category not_allowed",
		`"coverage":[{"category":"major","percent_paid":101}]`:                                                                     "plan.coverage.0.percent_paid range",
		`"coverage":[{"category":"major","percent_paid":33.333}]`:                                                                  "plan.coverage.0.percent_paid conflict",
		`"coverage":[{"category":"major","percent_paid":0,"covered":true}]`:                                                        "plan.coverage.0.covered conflict",
		`"coverage":[{"category":"major","covered":true},{"category":"major","covered":true}]`:                                     "plan.coverage.1 conflict",
		`"coverage":[{"category":"major","covered":true,"notes":["Waiting period 6 months"]}]`:                                     "plan.coverage.0.notes.0 conflict",
		code(`"frequency":{"period":"6 months"}`):                                                                                  "plan.procedures.0.frequency.count required",
		code(`"frequency":{"count":1}`):                                                                                            "plan.procedures.0.frequency.period format",
		code(`"frequency":{"count":999,"period":"decade","scope":"per mouth"}`):                                                    "plan.procedures.0.frequency.scope not_allowed, plan.procedures.0.frequency.count range, plan.procedures.0.frequency.period format",
		code(`"frequency":{"count":1,"period":"6 months","period_count":5}`):                                                       "plan.procedures.0.frequency conflict",
		code(`"frequency":{"count":1,"period":"1 calendar year"}`):                                                                 "plan.procedures.0.frequency.period conflict", // a check shows calendar_year
		code(`"description":"Cleaning"`):                                                                                           "plan.procedures.0 required",
		`"coverage":[{"category":"major"}]`:                                                                                        "plan.coverage.0 required",
		code(`"covered":true,"description":"Cleaning"`):                                                                            "plan.procedures.0.description conflict",
		code(`"max_age":-1`):                                    "plan.procedures.0.max_age range",
		code(`"status":"age_limit"`):                            "plan.procedures.0.status conflict",
		code(`"status":"not_due_yet"`):                          "plan.procedures.0.status conflict",
		code(`"status":"not_covered","percent_paid":50`):        "plan.procedures.0.status conflict",
		`"procedures":[{"code":"1110","covered":true}]`:         "plan.procedures.0.code format",
		`"waiting_periods":[{"category":"major"}]`:              "plan.waiting_periods.0 required",
		`"waiting_periods":[{"category":"major","months":121}]`: "plan.waiting_periods.0.months range",
		`"plan_rules":{"major_services_paid_on":"start"}`:       "plan.plan_rules.major_services_paid_on not_allowed",
		`"plan_rules":{"missing_tooth_clause":"` + long + `"}`:  "plan.plan_rules.missing_tooth_clause conflict", // MSG01 has 264
		`"payer_notes":[" "]`:                                   "plan.payer_notes.0 required",
		`"payer_notes":["Missing tooth clause applies"]`:        "plan.payer_notes.0 conflict", // a check shows it as a rule
		`"payer_notes":["` + long + long + long + long + `"]`:   "plan.payer_notes.0 too_long",
		`"not_returned":["maximum"]`:                            "plan.not_returned.0 not_allowed",
		`"maximums":[{"level":"family","period":"calendar_year","amount":"1.00"}],"not_returned":["plan.benefit_period"]`: "plan.not_returned.0 conflict",
	} {
		text := `{"status":"active",` + rest + `}`
		if strings.HasPrefix(rest, `"status"`) {
			text = "{" + rest + "}"
		}
		if got := strings.Join(faultsOf(t, planOf(t, text)), ", "); got != want {
			t.Errorf("%s: %q, want %q", rest, got, want)
		}
	}
	many := &scenario.Plan{Status: "active"}
	for n := range 301 {
		many.Procedures = append(many.Procedures, scenario.PlanCode{Code: fmt.Sprintf("D%04d", n), Note: new(strings.Repeat("a;", 100))})
	}
	if got := faultsOf(t, many); !slices.Equal(got, []string{"plan.procedures too_many"}) {
		t.Error(got)
	}
	many.Procedures = many.Procedures[:300]
	if got := faultsOf(t, many); !slices.Equal(got, []string{"plan too_many"}) {
		t.Error(got)
	}
}

// planFields are the fields of a check that are a plan.
var planFields = []string{
	"status", "coverage_effective_date", "coverage_termination_date", "plan", "network_status", "maximums", "deductibles", "coverage", "procedures",
	"waiting_periods", "plan_rules", "out_of_network", "payer_notes", "not_returned",
}

// bare returns a text as X12 has it.
func bare(text string) string { return strings.ReplaceAll(strings.ToUpper(text), ":", "") }

// TestRepliesArePlans sends what checks show as plans: those of the sandbox's endings.
func TestRepliesArePlans(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{
		"ACTIVE-FULL", "ACTIVE-BASIC", "ACTIVE-USED-UP", "OUT-OF-NETWORK", "TWO-NETWORKS", "COPAY", "PLAN-YEAR", "FREQUENCY-USED", "WAITING-PERIOD", "MISSING-TOOTH", "DOWNGRADE", "AGE-LIMIT", "INACTIVE", "UNKNOWN",
	} {
		today := func(q *coverage.Inquiry) { q.ServiceDate = billing.DateOf(asked) }
		a, _, err := rehearse(t.Context(), nil, scenario.Keep, func(q *coverage.Inquiry) { today(q); q.Subscriber.MemberID = "X-" + ending })
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(`{"status":%q,%s`, a.Benefits.Status, dataOfPlan(a.Benefits)[1:])
		var first map[string]any
		if err := json.Unmarshal([]byte(text), &first); err != nil {
			t.Fatal(err)
		}
		p := planOf(t, text)
		if faults := faultsOf(t, p); faults != nil {
			t.Errorf("%s: %v\n%s", ending, faults, text)
			continue
		}
		again := shownBy(t, p, today)
		for _, field := range planFields {
			if got, want := bare(at(again, field)), bare(at(first, field)); got != want && field != "procedures" && field != "plan_rules" {
				t.Errorf("%s: %s is %s, want %s", ending, field, got, want)
			}
		}
		for i, c := range first["procedures"].([]any) {
			for _, field := range slices.Sorted(maps.Keys(c.(map[string]any))) {
				path := fmt.Sprintf("procedures.%d.%s", i, field)
				if got, want := at(again, path), at(first, path); got != want && field != "note" {
					t.Errorf("%s: %s is %s, want %s", ending, path, got, want)
				}
			}
		}
	}
}

// TestRealRepliesArePlans sends what checks show of the public 271s, and of those in which
// reading once failed. Two of them have one amount twice.
func TestRealRepliesArePlans(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../edi/testdata/samples/*.271")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, x12test.Corpus(t, "271/*")...) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kept, _, err := sandboxnet.ReadReply(content)
		if err != nil {
			t.Fatal(file, err)
		}
		a, _, err := rehearse(t.Context(), kept, scenario.Move, func(q *coverage.Inquiry) { q.ServiceDate = billing.DateOf(asked) })
		if err != nil || a.Benefits == nil {
			continue // a rejection
		}
		p := planOf(t, fmt.Sprintf(`{"status":%q,%s`, a.Benefits.Status, dataOfPlan(a.Benefits)[1:]))
		if faults := faultsOf(t, p); len(faults) > 0 != strings.HasPrefix(filepath.Base(file), "same-key-") {
			t.Errorf("%s: %v", file, faults)
		}
	}
}

// randomPlan is a plan of words that a payer uses.
func randomPlan(r *rand.Rand) *scenario.Plan {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	maybe := func(words ...string) *string {
		if r.IntN(3) == 0 {
			return nil
		}
		return new(pick(words...))
	}
	money := func() *string {
		if r.IntN(3) == 0 {
			return nil
		}
		return new(billing.Money(r.IntN(300_000)).String())
	}
	past := []string{"-P1M", "-P400D", "-P2Y", "2025-11-30", "calendar_year", "--09-15"}
	ahead := []string{"P1M", "P400D", "2027-02-03", "calendar_year", "--02-01"}
	frequency := func() *scenario.PlanFrequency {
		if r.IntN(2) == 0 {
			return nil
		}
		return &scenario.PlanFrequency{
			Count: new(1 + r.IntN(4)), Period: new(pick("calendar_year", "plan_year", "lifetime", "6 months", "1 month", "36 months", "2 years", "1 year", "2 calendar years", "3 plan years", "90 days", "1 week", "1 visit")),
			Scope: maybe("per tooth", "per quadrant", "per arch"),
		}
	}
	percent := func() *float64 {
		if r.IntN(4) == 0 {
			return nil
		}
		return new(float64(r.IntN(10_001)) / 100)
	}
	amounts := func() (all []scenario.PlanAmount) {
		for _, level := range []string{"individual", "family"} {
			for _, period := range []string{"calendar_year", "plan_year", "lifetime"} {
				for _, about := range []string{"", "orthodontics", "implants", "preventive, diagnostic", "TMJ", "oral_surgery", "out of network"} {
					a := scenario.PlanAmount{Level: level, Period: period, Amount: money(), Used: money(), Remaining: money()}
					if about != "" {
						a.AppliesTo = new(about)
					}
					if r.IntN(6) == 0 && (a.Amount != nil || a.Used != nil || a.Remaining != nil) {
						all = append(all, a)
					}
				}
			}
		}
		r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		return all
	}
	p := &scenario.Plan{
		Status: pick("active", "active", "inactive"), CoverageEffectiveDate: maybe(past...), CoverageTerminationDate: maybe(ahead...),
		Plan:          &scenario.PlanNames{Name: maybe("Premier", "PPO Plus 100/80/50"), Type: maybe("PPO", "HMO", "indemnity", "commercial"), GroupNumber: maybe("00123", "A-9")},
		NetworkStatus: maybe("in_network", "out_of_network", "unknown"), Maximums: amounts(), Deductibles: amounts(),
		PlanRules: &scenario.PlanRules{
			MissingToothClause: maybe("applies", "Missing tooth clause: does not apply", "Teeth lost before coverage; 3 years"), WaitingPeriod: maybe("none", "Waiting period 6 months for basic; waived with prior coverage"),
			PreAuthorization: maybe("over 300.00", "Predetermination is recommended"), CoordinationOfBenefits: maybe("birthday rule", "non-duplication"), MajorServicesPaidOn: maybe("prep_date", "seat_date"),
		},
	}
	if note := maybe("Call us", "Benefits are not a guarantee of payment"); note != nil {
		p.PayerNotes = []string{*note}
	}
	for _, c := range coverage.Categories() {
		if r.IntN(2) == 0 {
			item := scenario.PlanCategory{Category: string(c), PercentPaid: percent(), Frequency: frequency()}
			if item.PercentPaid == nil {
				item.Covered = new(r.IntN(2) == 0)
			}
			p.Coverage = append(p.Coverage, item)
		}
		if r.IntN(9) == 0 {
			p.WaitingPeriods = append(p.WaitingPeriods, scenario.PlanWait{Category: string(c), Months: new(6), Until: maybe(ahead...)})
		}
	}
	for _, code := range []string{"D0120", "D1110", "D2740", "D4910", "D8080", "D9110"} {
		if r.IntN(2) == 0 {
			continue
		}
		c := scenario.PlanCode{Code: code, PercentPaid: percent(), Frequency: frequency(), LastServiceDate: maybe(past...), Note: maybe("Ask first", "Alternate benefit applies; by report")}
		if c.PercentPaid == nil {
			c.Covered = new(r.IntN(2) == 0)
		}
		if r.IntN(3) == 0 {
			c.MaxAge = new(r.IntN(99))
		}
		if len(p.WaitingPeriods) == 0 { // which may end later
			c.NextEligibleDate = maybe(ahead...)
		}
		p.Procedures = append(p.Procedures, c)
	}
	r.Shuffle(len(p.Procedures), func(i, k int) { p.Procedures[i], p.Procedures[k] = p.Procedures[k], p.Procedures[i] })
	return p
}

// doubted reports whether a note is about shares that no plan has.
func doubted(note any) bool { return strings.HasPrefix(note.(string), "The percentages may be") }

// TestRandomPlans tries plans of random values, also on a later day, and asks about
// dependents, in detail.
func TestRandomPlans(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(271, 114))
	for n := range 150 {
		p := randomPlan(r)
		if faults := faultsOf(t, p); faults != nil {
			t.Fatalf("plan %d: %v\n%s", n, faults, p.Stored())
		}
		if later := asked.AddDate(0, 0, r.IntN(800)); !bytes.Contains(p.Stored(), []byte(`"202`)) { // all of its dates follow the check
			if faults := faultsAt(t, p, later); faults != nil {
				t.Fatalf("plan %d on %s: %v\n%s", n, later, faults, p.Stored())
			}
		}
		codes := []string{"D1110", "D2740"}
		shown := shownBy(t, p, func(q *coverage.Inquiry) {
			q.ServiceDate, q.ProcedureCodes, q.DetailLevel = billing.DateOf(asked), codes, coverage.DetailEnhanced
			if n%2 == 0 {
				q.Patient = &coverage.Dependent{FirstName: "Bo", LastName: "Nguyen", DateOfBirth: billing.Date{Year: 2015, Month: 1, Day: 2}, Relationship: coverage.RelationChild}
			}
		})
		want, _, _ := p.On(billing.DateOf(asked))
		for what, pair := range map[string][2]int{
			"maximums": {len(shown["maximums"].([]any)), len(want.Maximums)}, "deductibles": {len(shown["deductibles"].([]any)), len(want.Deductibles)},
			"procedures": {len(shown["procedures"].([]any)), len(want.Procedures)}, "notes": {len(slices.DeleteFunc(shown["payer_notes"].([]any), doubted)), len(want.PayerNotes)},
		} {
			if pair[0] != pair[1] {
				t.Errorf("plan %d: %d %s, want %d\n%s", n, pair[0], what, pair[1], p.Stored())
			}
		}
		for _, c := range shown["coverage"].([]any) {
			if !slices.ContainsFunc(p.Coverage, func(w scenario.PlanCategory) bool { return w.Category == c.(map[string]any)["category"] }) {
				t.Errorf("plan %d: %v\n%s", n, c, p.Stored())
			}
		}
	}
}

// TestPlansFollowTheCheck has the day at the office, which is not yet that of UTC.
func TestPlansFollowTheCheck(t *testing.T) {
	t.Parallel()
	p := planOf(t, `{"status":"active","coverage_effective_date":"P0D"}`)
	for service, want := range map[int]string{0: `"2026-03-15"`, -1: `"2026-03-14"`, 1: `"2026-03-15"`, 40: `"2026-03-15"`} {
		shown := shownBy(t, p, func(q *coverage.Inquiry) { q.ServiceDate = billing.DateOf(asked).AddDays(service) })
		if got := at(shown, "coverage_effective_date"); got != want {
			t.Errorf("for services %d days later: %s, want %s", service, got, want)
		}
	}
}

// FuzzPlan has plans with any words, dates and numbers. One that is accepted has a reply on
// each day, for each patient, and keeps its status on the day on which it was sent.
func FuzzPlan(f *testing.F) {
	f.Add("Waiting period 6 months; to age 14", "-P6M", 50.0, 2, 0)
	f.Add("BENEFITCLASS=MAJOR", "calendar_year", 33.333, -1, 3)
	f.Add("Benefit period is from July 1 to June 30", "--07-01", 100.0, 998, 4)
	f.Add("Next eligible 13/45/2026, 1 per 6 months per tooth*~:^", "2026-02-30", 0.0, 12, 9)
	f.Add("Class IV\n\x00 downgraded \u7fa4", "P99Y", -1.0, 0, 17)
	f.Fuzz(func(t *testing.T, text, date string, percent float64, count, which int) {
		p := &scenario.Plan{Status: "active", Maximums: []scenario.PlanAmount{{Level: "family", Period: "plan_year", Amount: new("1.00")}}}
		frequency := &scenario.PlanFrequency{Count: &count, Period: new(fmt.Sprint(count, " months")), Scope: new("per tooth")}
		switch which % 10 {
		case 0:
			p.Plan = &scenario.PlanNames{Name: &text, BenefitPeriod: &date}
		case 1:
			p.Plan = &scenario.PlanNames{Type: &text, BenefitPeriod: &text, GroupNumber: &text}
		case 2:
			p.Maximums[0].AppliesTo, p.Deductibles = &text, []scenario.PlanAmount{{Level: "family", Period: "lifetime", Used: &text}}
		case 3:
			p.Coverage = []scenario.PlanCategory{{Category: string(coverage.CategoryImplants), PercentPaid: &percent, Frequency: frequency, Notes: []string{text, date}}}
		case 4, 5:
			p.Procedures = []scenario.PlanCode{{Code: "D1110", PercentPaid: &percent, Frequency: frequency, LastServiceDate: &date, NextEligibleDate: &date, MaxAge: &count, Note: &text}}
		case 6:
			p.PlanRules = &scenario.PlanRules{MissingToothClause: &text, WaitingPeriod: &text, PreAuthorization: &text, CoordinationOfBenefits: &text}
		case 7:
			p.PayerNotes, p.NotReturned = []string{text}, []string{date}
		case 8:
			p.WaitingPeriods = []scenario.PlanWait{{Category: "major", Months: &count, Until: &date}}
		default:
			p.CoverageEffectiveDate, p.CoverageTerminationDate, p.NetworkStatus = &date, &text, new("unknown")
		}
		if !utf8.ValidString(text+date) || faultsOf(t, p) != nil { // JSON has nothing else
			return
		}
		shown := shownBy(t, p, func(q *coverage.Inquiry) { q.ServiceDate = billing.DateOf(asked) })
		if at(shown, "status") != `"active"` {
			t.Errorf("%s: %s", p.Stored(), at(shown, "status"))
		}
		shownBy(t, p, func(q *coverage.Inquiry) {
			q.ServiceDate, q.ProcedureCodes, q.DetailLevel = billing.DateOf(asked).AddDays(300), []string{"D1110", "D2740"}, coverage.DetailEnhanced
			q.Patient = &coverage.Dependent{FirstName: "Bo", LastName: "Nguyen", DateOfBirth: billing.Date{Year: 2015, Month: 1, Day: 2}, Relationship: coverage.RelationChild}
		})
	})
}
