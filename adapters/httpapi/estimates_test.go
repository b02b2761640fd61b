package httpapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/estimates"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// estimateBody returns the request of an estimate from a check, with fields in place of its own.
func estimateBody(check string, fields ...any) string {
	return jsonOf(anObject{
		"eligibility_id": check, "network": "in",
		"lines": []anObject{{"procedure_code": "D2740", "fee": "1250.00", "allowed": "900.00", "tooth": "14"}},
	}, with(fields...))
}

// TestEstimates previews, makes, reads and lists estimates of a check.
func TestEstimates(t *testing.T) {
	t.Parallel()
	s := startService(t)
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	id := check.text(t, "id")
	preview := s.must(t, 200, call{path: "/estimates", body: estimateBody(id, "preview", true)})
	preview.shows(t, "id", nil, "preview", true, "object", "estimate", "eligibility_id", id, "network", "in",
		// Half of the 900.00 that the plan allows; the deductible is met, and 1640.00 of the maximum are left.
		"lines.0.write_off.most", "350.00", "lines.0.plan_pays.most", "450.00", "lines.0.patient_pays.least", "450.00", "lines.0.patient_pays.most", "450.00",
		"lines.0.percent.most", 50.0, "lines.0.allowed_from.origin", "given", "lines.0.maximum_left.least", "1190.00", "lines.0.unless.0.patient_pays.most", "900.00",
		"totals.patient_pays.most", "450.00")
	if got := s.walk(t, "/estimates"); len(got) > 0 {
		t.Errorf("a preview is stored: %v", got)
	}
	create := call{path: "/estimates", body: estimateBody(id), idem: "first"}
	made := s.must(t, 201, create)
	if again := s.must(t, 201, create); again.body != made.body {
		t.Errorf("the request again: %s", again.body)
	}
	if read := s.must(t, 200, call{path: "/estimates/" + made.text(t, "id")}); read.body != made.body {
		t.Errorf("read %s\nmade %s", read.body, made.body)
	}
	for query, want := range map[string]int{"": 1, "?eligibility_id=" + id: 1, "?patient_id=" + check.text(t, "patient_id"): 1, "?patient_id=pat_01JGFJJZ00FC1R3ZY5N7Q8Z4VK": 0} {
		if got := s.walk(t, "/estimates"+query); len(got) != want || want > 0 && !slices.Equal(got, []string{made.text(t, "id")}) {
			t.Errorf("%s: %v", query, got)
		}
	}
	wantStatus(t, s.do(t, call{path: "/estimates", body: estimateBody("elg_01JGFJJZ00FC1R3ZY5N7Q8Z4VK")}), 404, billing.CodeNotFound)
}

// TestEstimateRefuses has what an estimate cannot be made of.
func TestEstimateRefuses(t *testing.T) {
	t.Parallel()
	s := startService(t)
	id := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)}).text(t, "id")
	line := func(fields ...any) string {
		o := anObject{"procedure_code": "D2740", "fee": "1250.00"}
		with(fields...)(o)
		return estimateBody(id, "lines", []anObject{o})
	}
	for body, want := range map[string]string{
		line("fee", nil):                                 "lines.0.fee required",
		line("procedure_code", "2740"):                   "lines.0.procedure_code format",
		line("allowed", "9"):                             "lines.0.allowed format",
		line("quantity", 0):                              "lines.0.quantity range",
		line("service_date", "2026-02-30"):               "lines.0.service_date format",
		line("service_date", "0001-01-02"):               "lines.0.service_date range",
		line("last_service_date", "9999-01-02"):          "lines.0.last_service_date range",
		line("alternate_procedure_code", "crown"):        "lines.0.alternate_procedure_code format",
		line("tooth", "99"):                              "lines.0.tooth not_allowed",
		line("tooth", "14", "surfaces", []string{"Q"}):   "lines.0.surfaces not_allowed",
		line("tooth", "14", "surfaces", []string{"I"}):   "lines.0.surfaces not_allowed",
		line("oral_cavity", []string{"UR"}):              "lines.0.oral_cavity not_allowed",
		estimateBody(id, "lines", []anObject{}):          "lines too_few",
		estimateBody(id, "lines", nil):                   "lines required",
		estimateBody(id, "network", "maybe"):             "network not_allowed",
		estimateBody(id, "coordination", "standard"):     "coordination not_allowed",
		estimateBody(id, "secondary_eligibility_id", id): "secondary_eligibility_id conflict",
		estimateBody("elg_1"):                            "eligibility_id format",
	} {
		for _, preview := range []bool{true, false} {
			body := strings.Replace(body, "{", fmt.Sprintf(`{"preview":%t,`, preview), 1)
			wantFields(t, s.do(t, call{path: "/estimates", body: body, bad: true}), want)
		}
	}
	// In the words of a claim's finding.
	s.do(t, call{path: "/estimates", body: line("tooth", "99")}).shows(t, "errors.0.message",
		"The tooth does not exist. Correct the tooth number: 1 to 32 or A to T, or 51 to 82 or AS to TS for a supernumerary tooth.")
	s.must(t, 201, call{path: "/estimates", body: line("tooth", "as", "surfaces", []string{"m", "O"}, "oral_cavity", []string{"10"})})

	of := func(first, last, born string) string {
		return s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-BASIC", func(_, who anObject) {
			who["first_name"], who["last_name"], who["date_of_birth"] = first, last, born
		})}).text(t, "id")
	}
	for _, other := range []string{of("Zed", "Other", "1970-01-02"), of("Sam", "Example", "1984-02-28"), of("Ann", "Example", "1984-02-29")} {
		a := s.do(t, call{path: "/estimates", body: estimateBody(id, "secondary_eligibility_id", other), bad: true})
		wantFields(t, a, "secondary_eligibility_id conflict")
		a.shows(t, "errors.0.message", "The second check is of another patient. Use one of this patient, or leave it out.")
	}
	s.must(t, 201, call{path: "/estimates", body: estimateBody(id, "secondary_eligibility_id", of("SAM", "Exámple", "1984-02-29"))})

	failed := s.do(t, call{path: "/eligibility", body: s.question("NOT-FOUND", nil)})
	rejected := s.walk(t, "/eligibility?outcome=rejected")
	if len(rejected) != 1 {
		t.Fatalf("no rejected check: %s", failed.body)
	}
	a := s.do(t, call{path: "/estimates", body: estimateBody(rejected[0])})
	wantStatus(t, a, 409, billing.CodeConflict)
	a.shows(t, "errors.0.field", "eligibility_id", "message", "The payer has not answered this check: its outcome is rejected. Check again.")
}

// TestEstimateOfWhatIsKnown takes allowances from fee schedules, what claims use that the
// payer still decides, and when the patient last had a service.
func TestEstimateOfWhatIsKnown(t *testing.T) {
	t.Parallel()
	s := startService(t)
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	id, patient := check.text(t, "id"), check.text(t, "patient_id")
	s.must(t, 201, call{path: "/fee_schedules", body: feesBody("rows", []anObject{{"procedure_code": "D2740", "amount": "1250.00"}})})
	s.must(t, 201, call{path: "/fee_schedules", body: feesBody("kind", "allowed", "payer_id", "CHTEST", "network", "in", "rows", []anObject{{"procedure_code": "D2740", "amount": "900.00"}})})
	crown := anObject{"procedure_code": "D2740"}
	three := call{path: "/estimates", body: estimateBody(id, "preview", true, "lines", []anObject{crown, crown, crown})}
	s.must(t, 200, three).shows(t, "lines.0.fee_from.origin", "fee_schedule", "lines.0.allowed_from.schedule_name", "Office fees",
		// 450.00, 450.00 and 450.00 of 1640.00
		"lines.2.plan_pays.most", "450.00", "lines.2.maximum_left.most", "290.00", "totals.patient_pays.most", "1350.00")

	sent := func(of string, state claim.State, on billing.Date) {
		s.claim(t, func(c *claim.Claim) {
			c.Subscriber.MemberID, c.State, c.SentAt = "sandbox-active-full", state, time.Now().Add(time.Minute)
			c.PatientID, _ = billing.ParseID[billing.PatientID](of)
			c.Lines[0].ServiceDate = on
		})
	}
	today := todayAt(directory.DefaultTimeZone)
	sent(patient, claim.Submitted, today)
	sent("pat_01JGFJJZ00FC1R3ZY5N7Q8Z4VK", claim.AcceptedPayer, today) // uses the family maximum only: 425.00 after a deductible of its own
	// The claim uses 450.00, so 1190.00 are left: 450.00, 450.00 and 290.00.
	a := s.must(t, 200, three)
	a.shows(t, "lines.2.plan_pays.most", "290.00", "lines.2.patient_pays.most", "610.00", "lines.2.maximum_left.most", "0.00", "totals.patient_pays.most", "1510.00")
	for _, step := range []string{"Claims that the payer has not decided yet use $450.00 of the maximum.", "Claims that the payer has not decided yet use $875.00 of the family maximum."} {
		if !strings.Contains(a.body, step) {
			t.Errorf("no step %q in %s", step, a.body)
		}
	}

	// A crown of the same tooth three years ago, beside the one of today: once in 60 months.
	sent(patient, claim.Reconciled, today.AddMonths(-36))
	again := s.must(t, 200, call{path: "/estimates", body: estimateBody(id, "preview", true)})
	again.shows(t, "lines.0.last_service_date", today.AddMonths(-36).String(), "lines.0.plan_pays.most", "0.00", "lines.0.patient_pays.most", "900.00",
		"lines.0.paid_from", today.AddMonths(60).String())
	s.must(t, 200, call{path: "/estimates", body: estimateBody(id, "preview", true, "lines", []anObject{{"procedure_code": "D2740", "tooth": "3"}})}).
		shows(t, "lines.0.last_service_date", nil, "lines.0.plan_pays.most", "450.00")
}

// TestEstimateBesideItsOwn: a claim that the payer has not decided uses what the estimate says that it names, and one
// to a second payer at most what the first one leaves.
func TestEstimateBesideItsOwn(t *testing.T) {
	t.Parallel()
	s := startService(t)
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	crown := anObject{"procedure_code": "D2740", "fee": "1250.00", "allowed": "900.00"}
	told, _ := billing.ParseID[billing.EstimateID](s.must(t, 201, call{path: "/estimates", body: estimateBody(check.text(t, "id"), "lines", []anObject{crown})}).text(t, "id"))
	sent := func(change func(*claim.Claim)) {
		s.claim(t, func(c *claim.Claim) {
			c.Subscriber.MemberID, c.State, c.SentAt = "sandbox-active-full", claim.Submitted, time.Now().Add(time.Minute)
			c.PatientID, _ = billing.ParseID[billing.PatientID](check.text(t, "patient_id"))
			c.Lines[0].ServiceDate, c.Lines[0].Tooth = todayAt(directory.DefaultTimeZone), "14"
			change(c)
		})
	}
	line := anObject{"procedure_code": "D2750", "fee": "1250.00", "allowed": "900.00"}
	three := call{path: "/estimates", body: estimateBody(check.text(t, "id"), "preview", true, "lines", []anObject{line, line, line})}
	sent(func(c *claim.Claim) { c.EstimateID = told })
	sent(func(c *claim.Claim) { c.EstimateID, c.CreatedAt = told, c.CreatedAt.Add(time.Second) }) // again, within 60 months at the tooth: nothing
	// No fee schedule has its allowance, but its estimate: half of 900.00. Of 1640.00, 1190.00 are left.
	s.must(t, 200, three).shows(t, "lines.1.maximum_left.least", "290.00", "lines.1.maximum_left.most", "290.00", "lines.2.plan_pays.least", "290.00")
	sent(func(c *claim.Claim) {
		c.Coverage, c.Lines[0].Tooth = billing.SequenceSecondary, "3"
		c.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequencePrimary, Adjudication: &claim.CoverageAdjudication{
			Paid: 1210_00, Lines: []claim.CoverageLine{{LineNumber: 1, ProcedureCode: "D2740", Paid: 1210_00, Units: 1}},
		}}}
	})
	s.must(t, 200, three).shows(t, "lines.1.maximum_left.least", "250.00", "lines.1.maximum_left.most", "290.00", "lines.2.plan_pays.least", "290.00", "lines.2.plan_pays.most", "250.00")
}

// TestEstimateBesideOneOfTheOtherNetwork: a claim uses what its estimate says, also if that had the terms of the other network.
func TestEstimateBesideOneOfTheOtherNetwork(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: jsonOf(anObject{"ending": "-TWONETS", "operation": "eligibility", "plan": anObject{
		"status":         "active",
		"coverage":       []anObject{{"category": "major", "percent_paid": 50}},
		"maximums":       []anObject{{"level": "individual", "period": "calendar_year", "amount": "1500.00", "remaining": "1500.00"}},
		"deductibles":    []anObject{{"level": "individual", "period": "calendar_year", "amount": "0.00", "remaining": "0.00"}},
		"out_of_network": anObject{"coverage": []anObject{{"category": "major", "percent_paid": 20}}},
	}}, nil)})
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("TWONETS", nil)})
	crown := anObject{"procedure_code": "D2740", "fee": "1000.00", "allowed": "800.00"}
	of := func(network string, fields ...any) call {
		return call{path: "/estimates", body: estimateBody(check.text(t, "id"), append([]any{"network", network, "lines", []anObject{crown}}, fields...)...)}
	}
	told := s.must(t, 201, of("out"))
	told.shows(t, "lines.0.plan_pays.most", "160.00")
	s.claim(t, func(c *claim.Claim) {
		c.Subscriber.MemberID, c.State, c.SentAt = "sandbox-twonets", claim.Submitted, time.Now().Add(time.Minute)
		c.PatientID, _ = billing.ParseID[billing.PatientID](check.text(t, "patient_id"))
		c.EstimateID, _ = billing.ParseID[billing.EstimateID](told.text(t, "id"))
		c.Lines[0].ServiceDate, c.Lines[0].Tooth = todayAt(directory.DefaultTimeZone), "14"
	})
	after := s.must(t, 200, of("in", "preview", true))
	if step := "Claims that the payer has not decided yet use $160.00 of the maximum."; !strings.Contains(after.body, step) {
		t.Errorf("no step %q in %s", step, after.body)
	}
}

// TestEstimateAfterADecision: a claim that the payer has decided after the check uses what it paid. In a later
// check, the payer has counted it.
func TestEstimateAfterADecision(t *testing.T) {
	t.Parallel()
	s := startService(t)
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	c := s.claim(t, func(c *claim.Claim) {
		c.Subscriber.MemberID, c.State, c.SentAt = "sandbox-active-full", claim.AcceptedPayer, time.Now()
		c.PatientID, _ = billing.ParseID[billing.PatientID](check.text(t, "patient_id"))
	})
	three := func(check response) call {
		line := anObject{"procedure_code": "D2750", "fee": "1250.00", "allowed": "900.00"}
		return call{path: "/estimates", body: estimateBody(check.text(t, "id"), "preview", true, "lines", []anObject{line, line, line})}
	}
	// Half of 900.00 each, of 1640.00 less at most half of the 1250.00 of the claim: 115.00 for the third.
	s.must(t, 200, three(check)).shows(t, "lines.0.plan_pays.most", "450.00", "lines.2.plan_pays.most", "115.00")
	s.remitted(t, s.key, s.test, paying("EFT-1", 800, crownPaid(c.PatientControlNumber)))
	a := s.must(t, 200, three(check))
	// Of 1640.00 less the 800.00 that the plan paid, 840.00 are left: 450.00, 390.00 and nothing.
	a.shows(t, "lines.0.plan_pays.least", "450.00", "lines.1.plan_pays.most", "390.00", "lines.2.plan_pays.most", "0.00", "totals.patient_pays.most", "1860.00")
	if step := "Claims that the payer has decided after the check used $800.00 of the maximum."; !strings.Contains(a.body, step) {
		t.Errorf("no step %q in %s", step, a.body)
	}
	// A saved answer is as old as the check that it was saved from.
	hit := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	s.must(t, 200, three(hit)).shows(t, "lines.1.plan_pays.most", "390.00")
	later := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil), header: map[string]string{"Cache-Control": "no-cache"}})
	s.must(t, 200, three(later)).shows(t, "lines.2.plan_pays.most", "450.00", "lines.2.maximum_left.most", "290.00")
}

// TestEstimateAfterADenial: a service that the payer refused was not done before, also if it paid another one of the claim.
func TestEstimateAfterADenial(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: jsonOf(anObject{"ending": "-SELDOM", "operation": "eligibility", "plan": anObject{
		"status":      "active",
		"coverage":    []anObject{{"category": "basic", "percent_paid": 80}},
		"maximums":    []anObject{{"level": "individual", "period": "calendar_year", "amount": "1500.00", "remaining": "1500.00"}},
		"deductibles": []anObject{{"level": "individual", "period": "calendar_year", "amount": "0.00", "remaining": "0.00"}},
		"procedures":  []anObject{{"code": "D2391", "percent_paid": 80, "frequency": anObject{"count": 1, "period": "24 months", "scope": "per tooth"}}},
	}}, nil)})
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("SELDOM", nil)})
	c := s.claim(t, func(c *claim.Claim) {
		c.Subscriber.MemberID, c.State, c.SentAt = "sandbox-seldom", claim.AcceptedPayer, time.Now()
		c.PatientID, _ = billing.ParseID[billing.PatientID](check.text(t, "patient_id"))
		c.Lines = append(c.Lines, claim.Line{ProcedureCode: "D2391", ServiceDate: c.Lines[0].ServiceDate, Fee: 150_00, Quantity: 1, Tooth: "3", Surfaces: []string{"O"}})
	})
	filling := call{path: "/estimates", body: estimateBody(check.text(t, "id"), "preview", true, "lines", []anObject{
		{"procedure_code": "D2391", "fee": "150.00", "allowed": "150.00", "tooth": "3", "surfaces": []string{"O"}},
	})}
	s.must(t, 200, filling).shows(t, "lines.0.plan_pays.most", "0.00")
	s.remitted(t, s.key, s.test, paying("EFT-1", 800, "CLP*"+c.PatientControlNumber+"*1*1400*800*200*12*ICN-1*11*1~NM1*QC*1*EXAMPLE*SAM****MI*SANDBOX-SELDOM~"+
		"SVC*AD:D2740*1250*800**1~DTM*472*20260102~CAS*CO*45*250~CAS*PR*2*200~SVC*AD:D2391*150*0**1~DTM*472*20260102~CAS*CO*96*150~"))
	// 150.00 x 0.8
	s.must(t, 200, filling).shows(t, "lines.0.plan_pays.least", "120.00", "lines.0.plan_pays.most", "120.00", "lines.0.patient_pays.most", "30.00", "lines.0.paid_from", nil)
}

// TestEstimateByClaims counts the claims of a year for a plan that pays twice, and prices what a plan pays instead
// by the code that the payer returns.
func TestEstimateByClaims(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: jsonOf(anObject{"ending": "-TWICE", "operation": "eligibility", "plan": anObject{
		"status":      "active",
		"coverage":    []anObject{{"category": "preventive", "percent_paid": 100}},
		"maximums":    []anObject{{"level": "individual", "period": "calendar_year", "amount": "1500.00", "remaining": "1500.00"}},
		"deductibles": []anObject{{"level": "individual", "period": "calendar_year", "amount": "0.00", "remaining": "0.00"}},
		"procedures":  []anObject{{"code": "D1110", "percent_paid": 100, "frequency": anObject{"count": 2, "period": "calendar_year"}}},
	}}, nil)})
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("TWICE", nil)})
	next := todayAt(directory.DefaultTimeZone).Year + 1
	sent := func(on billing.Date) {
		s.claim(t, func(c *claim.Claim) {
			c.Subscriber.MemberID, c.State, c.SentAt = "sandbox-twice", claim.Submitted, time.Now().Add(time.Minute)
			c.PatientID, _ = billing.ParseID[billing.PatientID](check.text(t, "patient_id"))
			c.Lines = []claim.Line{{ProcedureCode: "D1110", Fee: 100_00, Quantity: 1, ServiceDate: on}}
		})
	}
	cleaning := call{path: "/estimates", body: estimateBody(check.text(t, "id"), "preview", true, "lines", []anObject{
		{"procedure_code": "D1110", "fee": "100.00", "allowed": "80.00", "service_date": fmt.Sprint(next, "-03-01")},
	})}
	sent(billing.Date{Year: next, Month: time.January, Day: 5})
	s.must(t, 200, cleaning).shows(t, "lines.0.plan_pays.most", "80.00")
	sent(billing.Date{Year: next, Month: time.January, Day: 8})
	s.must(t, 200, cleaning).shows(t, "lines.0.plan_pays.most", "0.00", "lines.0.patient_pays.least", "80.00", "lines.0.paid_from", fmt.Sprint(next+1, "-01-01"))

	s.must(t, 201, call{path: "/fee_schedules", body: feesBody("kind", "allowed", "payer_id", "CHTEST", "network", "in", "rows", []anObject{
		{"procedure_code": "D2392", "amount": "180.00"}, {"procedure_code": "D2150", "amount": "120.00"},
	})})
	downgrade := s.must(t, 200, call{path: "/eligibility", body: s.question("DOWNGRADE", nil)})
	s.must(t, 200, call{path: "/estimates", body: estimateBody(downgrade.text(t, "id"), "preview", true, "lines", []anObject{{"procedure_code": "D2392", "fee": "300.00", "tooth": "14", "surfaces": []string{"M", "O"}}})}).
		// 80 percent of the 120.00 of an amalgam, and the rest of 180.00
		shows(t, "lines.0.alternate_procedure_code", "D2150", "lines.0.plan_pays.least", "96.00", "lines.0.plan_pays.most", "96.00", "lines.0.patient_pays.least", "84.00", "lines.0.patient_pays.most", "84.00")
	// A claim that the payer has not decided uses the same 96.00.
	s.claim(t, func(c *claim.Claim) {
		c.Subscriber.MemberID, c.State, c.SentAt = "sandbox-downgrade", claim.Submitted, time.Now().Add(time.Minute)
		c.PatientID, _ = billing.ParseID[billing.PatientID](downgrade.text(t, "patient_id"))
		c.Lines = []claim.Line{{ProcedureCode: "D2392", Fee: 300_00, Quantity: 1, ServiceDate: todayAt(directory.DefaultTimeZone), Tooth: "14", Surfaces: []string{"M", "O"}}}
	})
	after := s.must(t, 200, call{path: "/estimates", body: estimateBody(downgrade.text(t, "id"), "preview", true, "lines", []anObject{{"procedure_code": "D2330", "fee": "200.00", "allowed": "150.00"}})})
	if step := "Claims that the payer has not decided yet use $96.00 of the maximum."; !strings.Contains(after.body, step) {
		t.Errorf("no step %q in %s", step, after.body)
	}
}

// TestAClaimNamesItsEstimate makes claims with the estimate that the patient was given. It must
// be there, in the same mode, and of the same patient; then it stays as long as the claim.
func TestAClaimNamesItsEstimate(t *testing.T) {
	t.Parallel()
	s := startService(t)
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	made := s.must(t, 201, call{path: "/estimates", body: estimateBody(check.text(t, "id"))}).text(t, "id")
	of := func(named any, last string) string {
		return s.crown("ACTIVE-FULL", func(o anObject) {
			o["subscriber"].(anObject)["last_name"], o["estimate_id"] = last, named
		})
	}
	c := s.must(t, 201, call{path: "/claims", body: of(made, "Example")})
	c.shows(t, "estimate_id", made)
	s.must(t, 200, call{path: "/claims/" + c.text(t, "id")}).shows(t, "estimate_id", made)
	for named, want := range map[string]string{
		"est_01JGFJJZ00FC1R3ZY5N7Q8Z4VK": "estimate_id not_allowed",
		"est_1":                          "estimate_id format",
	} {
		wantFields(t, s.do(t, call{path: "/claims", body: of(named, "Example"), bad: true}), want)
	}
	other := s.do(t, call{path: "/claims", body: of(made, "Another"), bad: true})
	wantFields(t, other, "estimate_id conflict")
	other.shows(t, "errors.0.message", "The estimate is for another patient. Use one of this patient, or leave it out.")
	wantFields(t, s.do(t, call{method: "PATCH", path: "/claims/" + c.text(t, "id"), body: `{"estimate_id":"est_01JGFJJZ00FC1R3ZY5N7Q8Z4VK"}`, bad: true}), "estimate_id not_allowed")

	// Two estimates of last year, one of which has a claim.
	id, _ := billing.ParseID[billing.EstimateID](made)
	var old [2]*estimate.Record
	porttest.In(t, s.store, s.test, func(ctx context.Context, tx ports.Tx) error {
		for i := range old {
			r, err := tx.Estimates.Get(ctx, id)
			if err != nil {
				return err
			}
			r.ID = billing.NewID[billing.EstimateID](billing.RealAt(time.Now().AddDate(0, -13, i)))
			if old[i] = r; tx.Estimates.Insert(ctx, r) != nil {
				return errors.New("an estimate is not stored")
			}
		}
		return nil
	})
	s.must(t, 201, call{path: "/claims", body: of(old[0].ID.String(), "Example")})
	if n, err := estimates.New(s.store).Forget(t.Context()); err != nil || n != 1 {
		t.Errorf("%d estimates are forgotten, %v; want 1", n, err)
	}
	s.must(t, 200, call{path: "/estimates/" + old[0].ID.String()})
	s.must(t, 404, call{path: "/estimates/" + old[1].ID.String()})
}

// TestEstimateAccuracy compares an estimate with the payment of its claim. The plan was to pay
// half of 900.00; the payer allows 1,000.00 and pays 800.00, and leaves 200.00 to the patient.
func TestEstimateAccuracy(t *testing.T) {
	t.Parallel()
	s := startService(t)
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	made := s.must(t, 201, call{path: "/estimates", body: estimateBody(check.text(t, "id"), "lines", []anObject{
		{"procedure_code": "D2740", "fee": "1250.00", "allowed": "900.00", "tooth": "14"}, {"procedure_code": "D1110", "fee": "104.00", "allowed": "80.00"},
	})}).text(t, "id")
	accuracy := call{path: "/estimates/" + made + "/accuracy"}
	wantStatus(t, s.do(t, accuracy), 409, billing.CodeConflict)
	c := s.claim(t, func(c *claim.Claim) {
		c.State, c.SentAt = claim.AcceptedPayer, time.Now()
		c.EstimateID, _ = billing.ParseID[billing.EstimateID](made)
		c.PatientID, _ = billing.ParseID[billing.PatientID](check.text(t, "patient_id"))
	})
	early := s.do(t, accuracy)
	wantStatus(t, early, 409, billing.CodeConflict)
	early.shows(t, "message", "No payer has decided the claim "+c.ID.String()+" of this estimate yet. Wait for its remittance.")
	s.must(t, 200, call{path: "/estimates/accuracy"}).shows(t, "data", []any{}, "next_cursor", nil)

	era := s.remitted(t, s.key, s.test, paying("EFT-1", 800, crownPaid(c.PatientControlNumber)))
	id := era[strings.LastIndex(era, "/")+1:]
	a := s.must(t, 200, accuracy)
	a.shows(t, "object", "estimate_accuracy", "estimate_id", made, "claim_id", c.ID.String(), "lines.0.claim_line_number", 1.0, "lines.0.procedure", "porcelain crown",
		"lines.0.estimated.plan_pays.most", "450.00", "lines.0.decided.charge", "1250.00", "lines.0.decided.allowed", "1000.00", "lines.0.decided.plan_paid", "800.00",
		"lines.0.decided.write_off", "250.00", "lines.0.decided.patient_responsibility", "200.00", "lines.0.difference", "-250.00",
		"lines.1.claim_line_number", nil, "lines.1.decided", nil, "lines.1.difference", nil, "lines.1.because.0", "The claim does not have this service.",
		"totals.estimated.most", "450.00", "totals.patient_responsibility", "200.00", "totals.difference", "-250.00",
		"uncertain", []any{"The remittance " + id + " is not posted yet. Look at it and post it: until then these figures may change."})
	if why := a.get(t, "lines", "0", "because").([]any); !slices.Contains(why, any("The payer allows $1,000.00. The estimate had $900.00.")) {
		t.Errorf("because %q", why)
	}
	s.must(t, 200, call{path: "/estimates/accuracy"}).shows(t, "data.0.payer.payer_id", "CHTEST", "data.0.estimates", 1.0, "data.0.within", 0.0, "data.0.mean_absolute_error", "250.00")

	// What is taken back no longer counts.
	s.must(t, 200, call{method: "POST", path: era + "/claims/1/unapply"})
	review := s.do(t, accuracy)
	wantStatus(t, review, 409, billing.CodeConflict)
	review.shows(t, "message", "The remittance "+id+" for the claim "+c.ID.String()+" of this estimate needs review. Apply it to the claim first.")
	s.must(t, 200, call{path: "/estimates/accuracy"}).shows(t, "data", []any{})

	s.must(t, 200, call{method: "POST", path: era + "/claims/1/apply"})
	s.must(t, 200, call{method: "POST", path: era + "/post"})
	s.must(t, 200, accuracy).shows(t, "uncertain", []any{})
}
