package edi_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

// hour is a clock that stands still, long after every inquiry.
type hour struct{}

func (hour) Now() time.Time { return time.Date(2026, 6, 15, 14, 30, 0, 0, time.UTC) }

// ask sends the inquiry to the sandbox the way a check does, and reads what
// comes back.
func ask(t *testing.T, q network.Inquiry) (coverage.CheckResponse, error) {
	t.Helper()
	nw := sandboxnet.NewEligibility(hour{})
	var replies [][]byte
	for n, question := range q.Questions() {
		request, err := edi.New().Inquiry(q, question, n)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := nw.Inquire(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, reply)
	}
	return edi.New().Answer(q, replies)
}

// The endings of a member ID and what they stand for: the outcome, and the
// status or the first reason with its payer code.
func TestSandboxScenariosAreReadAsWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	for ending, want := range map[string]string{
		"ACTIVE-FULL":         "answered active",
		"ACTIVE-BASIC":        "answered active",
		"ACTIVE-USED-UP":      "answered active",
		"INACTIVE":            "answered inactive",
		"UNKNOWN":             "answered unknown",
		"SLOW-3":              "answered active",
		"OUT-OF-NETWORK":      "answered active",
		"TWO-NETWORKS":        "answered active",
		"COPAY":               "answered active",
		"DIFFERENT":           "answered active",
		"PLAN-YEAR":           "answered active",
		"FREQUENCY-USED":      "answered active",
		"WAITING-PERIOD":      "answered active",
		"MISSING-TOOTH":       "answered active",
		"DOWNGRADE":           "answered active",
		"AGE-LIMIT":           "answered active",
		"NOT-FOUND":           "rejected fix_and_resend MEMBER_NOT_FOUND subscriber subscriber.member_id 75",
		"DEPENDENT":           "rejected fix_and_resend PATIENT_IS_DEPENDENT subscriber patient 67",
		"DOB-MISMATCH":        "rejected fix_and_resend DATE_OF_BIRTH_MISMATCH subscriber subscriber.date_of_birth 71",
		"MEMBER-INVALID":      "rejected fix_and_resend MEMBER_ID_INVALID subscriber subscriber.member_id 72",
		"MEMBER-DUPLICATE":    "rejected fix_and_resend MEMBER_ID_DUPLICATE subscriber subscriber.member_id 76",
		"NAME-MISMATCH":       "rejected fix_and_resend NAME_MISMATCH subscriber subscriber.last_name 73 MILLER",
		"SERVICE-DATE":        "rejected fix_and_resend SERVICE_DATE_INVALID request service_date 62",
		"REQUEST-INVALID":     "rejected rejected REQUEST_INVALID request 33",
		"NOT-ACCEPTED":        "rejected rejected REQUEST_NOT_ACCEPTED payer payer_id 79",
		"PROVIDER-UNKNOWN":    "rejected fix_and_resend PROVIDER_NOT_ON_FILE provider office_id 51",
		"PROVIDER-INELIGIBLE": "rejected rejected PROVIDER_NOT_ELIGIBLE provider 50",
		"PATIENT-INELIGIBLE":  "rejected rejected PATIENT_NOT_ELIGIBLE patient 95",
		"PATIENT-DETAILS":     "rejected fix_and_resend PATIENT_DETAILS_REQUIRED patient patient 15",
		"REJECTED-OTHER":      "rejected rejected PAYER_REJECTED_OTHER payer ZZ",
		"PAYER-DOWN":          "payer_unavailable payer_unavailable PAYER_NOT_ANSWERING payer 42",
	} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			q := inquiry270()
			q.Inquiry.Subscriber.MemberID = "SANDBOX-" + ending
			q.Inquiry.ProcedureCodes = []string{"D1110", "D2740", "D2392", "D1206", "D9972", "D0330"}
			a, err := ask(t, q)
			if err != nil {
				t.Fatal(err)
			}
			consistent(t, a)
			equal(t, "answer", summary(a), want)
			goldenResponse(t, ending, a)
		})
	}
}

func summary(a coverage.CheckResponse) string {
	words := []string{string(a.Outcome)}
	if a.Benefits != nil {
		words = append(words, string(a.Benefits.Status))
	}
	if r := a.Rejection; r != nil {
		first := r.Reasons[0]
		words = append(words, string(r.Kind), string(first.Code), string(first.About), first.Field, r.PayerCode, first.SuggestedValue)
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

func goldenResponse(t *testing.T, name string, a coverage.CheckResponse) {
	t.Helper()
	got, err := json.MarshalIndent(a, "", "  ") //nolint:musttag // the golden files have the fields' own names
	if err != nil {
		t.Fatal(err)
	}
	x12test.Golden(t, filepath.Join("sandbox", name+".json"), append(got, '\n'))
}

func TestSandboxGarbageIsNoReply(t *testing.T) {
	t.Parallel()
	q := inquiry270()
	q.Inquiry.Subscriber.MemberID = "SANDBOX-GARBLED"
	if a, err := ask(t, q); err == nil {
		t.Errorf("answered %+v", a)
	}
}

func TestSandboxAnswersADependentInEnhancedDetail(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{"ACTIVE-FULL", "ACTIVE-USED-UP"} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			q := withPatient(inquiry270())
			q.Inquiry.Subscriber.MemberID = "SANDBOX-" + ending
			q.Inquiry.DetailLevel, q.Inquiry.ProcedureCodes = coverage.DetailEnhanced, []string{"D1110", "D1206", "D3330"}
			a, err := ask(t, q)
			if err != nil {
				t.Fatal(err)
			}
			consistent(t, a)
			goldenResponse(t, ending+"-enhanced-dependent", a)
		})
	}
}

func TestSandboxSaysAllThatCanBeSaid(t *testing.T) {
	t.Parallel()
	q := inquiry270()
	q.Inquiry.Subscriber.MemberID = "SANDBOX-ACTIVE-FULL"
	q.Inquiry.ProcedureCodes = []string{"D1110", "D2740"}
	a, err := ask(t, q)
	if err != nil {
		t.Fatal(err)
	}
	// A plan that goes on has no day on which it ends.
	sameList(t, "not_returned", a.Benefits.NotReturned, []string{"coverage_termination_date"})
	sameList(t, "maximums", amountLines(a.Benefits.Maximums), []string{
		"individual calendar_year 2000.00 used 360.00 remaining 1640.00",
		"family calendar_year 4000.00 used 600.00 remaining 3400.00",
		"individual lifetime 1500.00 used 0.00 remaining 1500.00 for orthodontics",
	})
	sameList(t, "deductibles", amountLines(a.Benefits.Deductibles), []string{
		"individual calendar_year 50.00 used 50.00 remaining 0.00",
		"family calendar_year 150.00 used 100.00 remaining 50.00",
	})
	equal(t, "categories", len(a.Benefits.Coverage), len(coverage.Categories()))
	for _, c := range a.Benefits.Coverage {
		if c.PercentPaid == nil || c.Covered == nil || !*c.Covered {
			t.Errorf("%+v", c)
		}
	}
}

func TestSandboxUsedUpHasEveryTrouble(t *testing.T) {
	t.Parallel()
	q := inquiry270()
	q.Inquiry.Subscriber.MemberID = "SANDBOX-ACTIVE-USED-UP"
	q.Inquiry.ProcedureCodes = []string{"D1110", "D2392", "D1206", "D9972"}
	a, err := ask(t, q)
	if err != nil {
		t.Fatal(err)
	}
	var status []string
	for _, p := range a.Benefits.Procedures {
		status = append(status, p.Code+" "+string(p.Status))
	}
	sameList(t, "procedures", status, []string{"D1110 not_due_yet", "D2392 downgraded", "D1206 age_limit", "D9972 not_covered"})
	sameList(t, "maximums", amountLines(a.Benefits.Maximums), []string{"individual calendar_year 1500.00 used 1500.00 remaining 0.00"})
}

// What limits one procedure or the whole plan is in its own field, and limits nothing else.
func TestSandboxLimits(t *testing.T) {
	t.Parallel()
	for ending, want := range map[string]struct{ procedures, rules, plan string }{
		"OUT-OF-NETWORK": {plan: "out_of_network calendar_year"},
		"PLAN-YEAR":      {"D1110 covered_now, D2740 covered_now, D2392 covered_now, D1206 age_limit", "", "in_network 2025-07-01 to 2026-06-30"},
		"FREQUENCY-USED": {
			"D1110 not_due_yet 2027-01-01, D2740 covered_now, D2392 covered_now, D1206 age_limit", "", "in_network JANUARY 1 TO DECEMBER 31",
		},
		"WAITING-PERIOD": {
			"D1110 covered_now, D2740 not_due_yet 2026-12-01, D2392 covered_now, D1206 age_limit",
			"WAITING PERIOD 12 MONTHS FOR MAJOR SERVICES; major from 2026-12-01; prosthodontics from 2026-12-01", "in_network JANUARY 1 TO DECEMBER 31",
		},
		"MISSING-TOOTH": {
			"D1110 covered_now, D2740 covered_now, D2392 covered_now, D1206 age_limit",
			"MISSING TOOTH CLAUSE TEETH EXTRACTED BEFORE THE EFFECTIVE DATE ARE NOT REPLACED", "in_network JANUARY 1 TO DECEMBER 31",
		},
		"DOWNGRADE": {
			"D1110 covered_now, D2740 downgraded, D2392 downgraded, D1206 age_limit", "", "in_network JANUARY 1 TO DECEMBER 31",
		},
		"AGE-LIMIT": {
			"D1110 covered_now, D2740 covered_now, D2392 covered_now, D1206 age_limit", "", "in_network JANUARY 1 TO DECEMBER 31",
		},
	} {
		q := inquiry270()
		q.Inquiry.Subscriber.MemberID = "SANDBOX-" + ending
		q.Inquiry.ProcedureCodes = []string{"D1110", "D2740", "D2392", "D1206"}
		a, err := ask(t, q)
		if err != nil {
			t.Fatal(err)
		}
		var procedures []string
		for _, p := range a.Benefits.Procedures {
			said := p.Code + " " + string(p.Status)
			if p.Status == coverage.ProcedureNotDueYet {
				said += " " + p.NextEligibleDate.String()
			}
			procedures = append(procedures, said)
		}
		b := a.Benefits
		equal(t, ending+" procedures", strings.Join(procedures, ", "), want.procedures)
		equal(t, ending+" rules", b.PlanRules.MissingToothClause+b.PlanRules.WaitingPeriod, want.rules)
		equal(t, ending+" plan", string(b.NetworkStatus)+" "+b.Plan.BenefitPeriod, want.plan)
	}
}
