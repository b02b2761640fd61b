package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares the JSON of v with a file.
func golden(t *testing.T, name string, v any) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, b.Bytes(), want)
	}
}

// shown is what a reply shows, and its schema in the contract.
type shown struct {
	schema string
	shape  any
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for _, shapes := range []map[string]shown{
		checkShapes(t), attachmentShapes(t), claimShapes(t), eraShapes(), directoryShapes(t), webhookShapes(), requestShapes(), auditShapes(), connectionShapes(),
	} {
		for name, s := range shapes {
			golden(t, name, s.shape)
			inSchema(t, s.schema, s.shape)
		}
	}
}

func idOf[T billing.ID[K], K billing.Kind](n byte) T { return T{0: 1, 15: n} }

func pendingCheck() *coverage.Check {
	return &coverage.Check{
		ID:        idOf[billing.CheckID](1),
		Scope:     billing.Scope{Org: idOf[billing.OrgID](2), Mode: billing.ModeTest},
		OfficeID:  idOf[billing.OfficeID](3),
		Payer:     directory.PayerSummary{ID: idOf[billing.PayerID](4), PayerID: "CHTEST", Name: "Molar Test Payer"},
		State:     coverage.CheckPending,
		RequestID: idOf[billing.RequestID](5), IdempotencyKey: "one",
		CreatedAt: time.Date(2026, 1, 1, 22, 4, 5, 6789, time.FixedZone("", -5*3600)),
		Inquiry: coverage.Inquiry{
			Subscriber: coverage.Subscriber{
				FirstName: "Sam", LastName: "O'Example & <Sons>", DateOfBirth: billing.Date{Year: 1984, Month: 2, Day: 29}, MemberID: "SANDBOX-ACTIVE-FULL",
			},
			ServiceDate: billing.Date{Year: 2026, Month: 1, Day: 2}, DetailLevel: coverage.DetailStandard, Office: coverage.InquiringOffice{NPI: "1234567893"},
		},
	}
}

func completed(t *testing.T, change func(*coverage.Check), a coverage.CheckResponse) *coverage.Check {
	t.Helper()
	c := pendingCheck()
	if change != nil {
		change(c)
	}
	a.Network = "sandbox"
	if err := c.Complete(a, coverage.Background{Patient: idOf[billing.PatientID](6)}, c.CreatedAt.Add(1500*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	return c
}

func fullBenefits() *coverage.Benefits {
	amount := coverage.BenefitAmount{
		Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Amount: new(billing.Money(150000)), Used: new(billing.Money(5)),
		Remaining: new(billing.Money(-100)), AppliesTo: "orthodontics",
	}
	often := &coverage.Frequency{Count: new(2), Period: "calendar_year", Scope: "per tooth"}
	return &coverage.Benefits{
		Status:                coverage.Active,
		CoverageEffectiveDate: billing.Date{Year: 2020, Month: 1, Day: 1}, CoverageTerminationDate: billing.Date{Year: 2026, Month: 12, Day: 31},
		Plan:          coverage.Plan{Name: "PPO Plus", Type: "PPO", GroupNumber: "1000", BenefitPeriod: "calendar year"},
		NetworkStatus: coverage.InNetwork,
		Maximums:      []coverage.BenefitAmount{amount, {Level: coverage.LevelFamily, Period: coverage.PeriodLifetime}},
		Deductibles:   []coverage.BenefitAmount{amount},
		Coverage: []coverage.CategoryCoverage{
			{Category: coverage.CategoryBasic, PercentPaid: new(80.0), Covered: new(true), Frequency: often, Notes: []string{"after deductible"}},
			{Category: coverage.CategoryImplants},
		},
		Procedures: []coverage.ProcedureBenefit{
			{
				Code: "D0120", Description: "periodic oral evaluation", PercentPaid: new(33.5), Covered: new(true), Frequency: often, MaxAge: new(18),
				LastServiceDate: billing.Date{Year: 2025, Month: 8, Day: 1}, NextEligibleDate: billing.Date{Year: 2026, Month: 2, Day: 1},
				Status: coverage.ProcedureNotDueYet, Note: "twice a year",
			},
			{Code: "D6010", Covered: new(false), Frequency: &coverage.Frequency{}},
		},
		PlanRules: coverage.PlanRules{
			MissingToothClause: "applies", WaitingPeriod: "6 months", PreAuthorization: "major services",
			CoordinationOfBenefits: "birthday rule", MajorServicesPaidOn: "seat_date",
		},
		PayerNotes: []string{"call for implants"}, NotReturned: []string{"coverage.orthodontics"},
	}
}

func checkShapes(t *testing.T) map[string]shown {
	t.Helper()
	full := completed(t, func(c *coverage.Check) {
		c.ParentID, c.TenantReference = idOf[billing.CheckID](8), new("appointment-4711")
		c.Inquiry.Subscriber.GroupNumber = new("1000")
		c.Inquiry.ProcedureCodes = []string{"D0120", "D6010"}
		c.Inquiry.Patient = &coverage.Dependent{
			FirstName: "Kim", LastName: "Example", DateOfBirth: billing.Date{Year: 2015, Month: 6, Day: 1}, Relationship: coverage.RelationChild,
		}
	}, coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: fullBenefits(), LatencyMS: new(1499)})
	hit := pendingCheck()
	if err := hit.AnswerFromCache(full, hit.CreatedAt); err != nil {
		t.Fatal(err)
	}
	rejection := &coverage.Rejection{Kind: coverage.RejectionFixAndResend, PayerCode: "75", Reasons: []coverage.RejectionReason{
		{Code: coverage.ReasonMemberNotFound, About: coverage.AboutSubscriber, Field: "subscriber.member_id", Message: "Not found.", Fix: "Check the ID."},
		{Code: coverage.ReasonNameMismatch, About: coverage.AboutPatient, Message: "Another name.", Fix: "Use it.", SuggestedValue: "SAMUEL"},
	}}
	out := map[string]shown{}
	for name, c := range map[string]*coverage.Check{
		"check_pending":  pendingCheck(),
		"check_full":     full,
		"check_hit":      hit,
		"check_empty":    completed(t, nil, coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: &coverage.Benefits{Status: coverage.Unknown}, LatencyMS: new(0)}),
		"check_rejected": completed(t, nil, coverage.CheckResponse{Outcome: coverage.OutcomeRejected, Rejection: rejection, LatencyMS: new(7)}),
		"check_network":  completed(t, nil, coverage.Unanswered(coverage.OutcomeError, coverage.AboutClearinghouse, "sandbox", 7)),
		"check_failed":   completed(t, nil, coverage.CheckResponse{Outcome: coverage.OutcomeError}),
	} {
		out[name] = shown{"EligibilityCheck", c.Data()}
	}
	out["check_exchange"] = shown{"EligibilityExchange", exchangeShape(coverage.CheckExchange{
		Check:    idOf[billing.CheckID](1),
		Messages: []coverage.Exchange{{Request: []byte("ISA*<é>~"), Reply: []byte("ISA*Jos\xe9~")}, {Request: []byte("ISA~")}},
	})}
	out["check_exchange_none"] = shown{"EligibilityExchange", exchangeShape(coverage.CheckExchange{Check: idOf[billing.CheckID](1), Source: idOf[billing.CheckID](2)})}
	return out
}

// inSchema validates a shape against the contract.
func inSchema(t *testing.T, schema string, v any) {
	t.Helper()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	if err := refusal(doc.Components.Schemas[schema], plainJSON(t, v)); err != nil {
		t.Error(schema, err)
	}
}

// plainJSON is the JSON of v, read without its types.
func plainJSON(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, b)
}
