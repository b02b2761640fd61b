package edi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// expected is what a person read from a 271, segment by segment, before any
// program did. Why cites the segments; it is for the reader.
type expected struct {
	Why     map[string]string `json:"why"`
	Inquiry struct {
		ServiceDate billing.Date `json:"service_date"`
		Born        billing.Date `json:"born"`
		Patient     bool         `json:"patient"`
		Procedures  []string     `json:"procedures"`
		Detail      string       `json:"detail"`
	} `json:"inquiry"`
	Status        string              `json:"status"`
	Effective     billing.Date        `json:"effective"`
	Termination   billing.Date        `json:"termination"`
	Plan          map[string]string   `json:"plan"`
	NetworkStatus string              `json:"network_status"`
	Maximums      []string            `json:"maximums"`
	Deductibles   []string            `json:"deductibles"`
	Coverage      map[string]string   `json:"coverage"`
	CoverageNotes map[string][]string `json:"coverage_notes"` // those that must be there
	Procedures    map[string]string   `json:"procedures"`
	PlanRules     map[string]string   `json:"plan_rules"`
	PayerNotes    []string            `json:"payer_notes"` // nil is not judged
	NotesContain  []string            `json:"payer_notes_contain"`
	NotJudged     []string            `json:"not_judged"` // paths of scrambled segments
	NotReturned   []string            `json:"not_returned"`
}

func (e *expected) inquiry() network.Inquiry {
	q := inquiry270()
	i := &q.Inquiry
	i.ServiceDate, i.ProcedureCodes, i.DetailLevel = e.Inquiry.ServiceDate, e.Inquiry.Procedures, coverage.DetailLevel(e.Inquiry.Detail)
	i.Subscriber.DateOfBirth = e.Inquiry.Born
	if e.Inquiry.Patient {
		i.Patient = &coverage.Dependent{FirstName: "Pat", LastName: "Roe", DateOfBirth: e.Inquiry.Born, Relationship: coverage.RelationChild}
	}
	return q
}

func TestCorpusRepliesAsReadByHand(t *testing.T) {
	t.Parallel()
	corpus := os.Getenv("MOLAR_CORPUS_DIR")
	files, err := filepath.Glob("testdata/corpus/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no expectations", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			want := readExpected(t, file)
			if corpus == "" {
				t.Log("MOLAR_CORPUS_DIR is not set: the public 271 is not read, and nothing of it is checked")
				return
			}
			reply, err := os.ReadFile(filepath.Join(corpus, "x12", "271", strings.TrimSuffix(filepath.Base(file), ".json")))
			if err != nil {
				t.Fatal(err)
			}
			want.judge(t, reply)
		})
	}
}

// TestSamplesAsReadByHand reads a sample for each thing that payers do and that was
// once read wrongly.
func TestSamplesAsReadByHand(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/samples/*.271")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no samples", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			reply, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			readExpected(t, file+".json").judge(t, reply)
		})
	}
}

func (e *expected) judge(t *testing.T, reply []byte) {
	t.Helper()
	answer, err := edi.New().Answer(e.inquiry(), [][]byte{reply})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Outcome != coverage.OutcomeAnswered {
		t.Fatalf("outcome %s: %+v", answer.Outcome, answer.Rejection)
	}
	e.check(t, answer.Benefits)
}

func readExpected(t *testing.T, file string) *expected {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	want := &expected{}
	if err := d.Decode(want); err != nil {
		t.Fatal(err)
	}
	return want
}

func (e *expected) check(t *testing.T, b *coverage.Benefits) {
	t.Helper()
	judged := func(path string) bool { return !slices.Contains(e.NotJudged, path) }
	equal(t, "status", string(b.Status), e.Status)
	if judged("coverage_effective_date") {
		equal(t, "effective", b.CoverageEffectiveDate, e.Effective)
		equal(t, "termination", b.CoverageTerminationDate, e.Termination)
	}
	equal(t, "plan.name", b.Plan.Name, e.Plan["name"])
	equal(t, "plan.type", b.Plan.Type, e.Plan["type"])
	equal(t, "plan.benefit_period", b.Plan.BenefitPeriod, e.Plan["benefit_period"])
	if judged("plan.group_number") {
		equal(t, "plan.group_number", b.Plan.GroupNumber, e.Plan["group_number"])
	}
	equal(t, "network_status", string(b.NetworkStatus), e.NetworkStatus)
	sameSet(t, "maximums", amountLines(b.Maximums), e.Maximums)
	sameSet(t, "deductibles", amountLines(b.Deductibles), e.Deductibles)

	cov := map[string]string{}
	for _, c := range b.Coverage {
		if line := coverageLine(c); line != "" {
			cov[string(c.Category)] = line
		}
		for _, note := range e.CoverageNotes[string(c.Category)] {
			if !slices.Contains(c.Notes, note) {
				t.Errorf("coverage.%s: no note %q in %q", c.Category, note, c.Notes)
			}
		}
	}
	sameMap(t, "coverage", cov, e.Coverage)
	procedures := map[string]string{}
	for _, p := range b.Procedures {
		// An enhanced answer has more than was looked at by hand.
		if e.Procedures[p.Code] != "" || e.Inquiry.Detail != "enhanced" {
			procedures[p.Code] = procedureLine(p)
		}
	}
	sameMap(t, "procedures", procedures, e.Procedures)
	if len(e.PlanRules) > 0 || e.PayerNotes != nil {
		sameMap(t, "plan_rules", ruleMap(b.PlanRules), e.PlanRules)
	}
	if e.PayerNotes != nil {
		sameList(t, "payer_notes", b.PayerNotes, e.PayerNotes)
	}
	for _, note := range e.NotesContain {
		if !slices.Contains(b.PayerNotes, note) {
			t.Errorf("payer_notes: no %q in %q", note, b.PayerNotes)
		}
	}
	var notReturned []string
	for _, path := range b.NotReturned {
		if judged(path) {
			notReturned = append(notReturned, path)
		}
	}
	sameList(t, "not_returned", notReturned, e.NotReturned)
}

func amountLines(all []coverage.BenefitAmount) []string {
	var out []string
	for _, b := range all {
		line := string(b.Level) + " " + string(b.Period)
		for _, part := range []struct {
			name string
			m    *billing.Money
		}{{" ", b.Amount}, {" used ", b.Used}, {" remaining ", b.Remaining}} {
			if part.m != nil {
				line += part.name + part.m.String()
			}
		}
		if b.AppliesTo != "" {
			line += " for " + b.AppliesTo
		}
		out = append(out, line)
	}
	return out
}

func paidLine(percent *float64, covered *bool) string {
	line := ""
	if percent != nil {
		line = jsonOf(*percent) + " "
	}
	switch {
	case covered == nil:
	case *covered:
		line += "covered"
	default:
		line += "not covered"
	}
	return strings.TrimSpace(line)
}

func frequencyLine(f *coverage.Frequency) string {
	if f == nil {
		return ""
	}
	line := jsonOf(f.Count) + " per " + f.Period
	if f.Scope != "" {
		line += " " + f.Scope
	}
	return line
}

func coverageLine(c coverage.CategoryCoverage) string {
	return commas(paidLine(c.PercentPaid, c.Covered), frequencyLine(c.Frequency))
}

func procedureLine(p coverage.ProcedureBenefit) string {
	parts := []string{paidLine(p.PercentPaid, p.Covered), frequencyLine(p.Frequency)}
	if p.MaxAge != nil {
		parts = append(parts, "to age "+jsonOf(*p.MaxAge))
	}
	if !p.LastServiceDate.IsZero() {
		parts = append(parts, "last "+p.LastServiceDate.String())
	}
	if !p.NextEligibleDate.IsZero() {
		parts = append(parts, "next "+p.NextEligibleDate.String())
	}
	return commas(append(parts, string(p.Status))...)
}

func ruleMap(r coverage.PlanRules) map[string]string {
	out := map[string]string{}
	for name, said := range map[string]string{
		"missing_tooth_clause": r.MissingToothClause, "waiting_period": r.WaitingPeriod, "pre_authorization": r.PreAuthorization,
		"coordination_of_benefits": r.CoordinationOfBenefits, "major_services_paid_on": r.MajorServicesPaidOn,
	} {
		if said != "" {
			out[name] = said
		}
	}
	return out
}

func commas(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func sameList(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n\t%s\nwant\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func sameSet(t *testing.T, what string, got, want []string) {
	t.Helper()
	sameList(t, what, slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}

func sameMap(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	lines := func(m map[string]string) []string {
		var out []string
		for k, v := range m {
			out = append(out, k+": "+v)
		}
		return out
	}
	sameSet(t, what, lines(got), lines(want))
}

// inquiry270 is an inquiry about a subscriber, for tests to change.
func inquiry270() network.Inquiry {
	id, err := billing.ParseID[billing.CheckID]("elg_01JZ0000000000000000000042")
	if err != nil {
		panic(err)
	}
	return network.Inquiry{
		CheckID:   id,
		CreatedAt: time.Date(2026, 6, 15, 13, 4, 5, 670_000_000, time.UTC),
		Scope:     billing.Scope{Mode: billing.ModeTest},
		Envelope:  envelope(""),
		Payer:     directory.PayerSummary{PayerID: "60054", Name: "Sample Dental"},
		Inquiry: coverage.Inquiry{
			Subscriber: coverage.Subscriber{
				FirstName: "Jane", LastName: "Roe", MemberID: "SANDBOX-1", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12},
			},
			ServiceDate: billing.Date{Year: 2026, Month: 6, Day: 15},
			DetailLevel: coverage.DetailStandard,
			Office:      coverage.InquiringOffice{Name: "Bright Teeth", NPI: "1234567893", TaxID: "12-3456789"},
		},
	}
}
