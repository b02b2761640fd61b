package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
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
		line("alternate_procedure_code", "crown"):        "lines.0.alternate_procedure_code format",
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
	today := billing.DateOf(time.Now())
	sent(patient, claim.Submitted, today)
	sent("pat_01JGFJJZ00FC1R3ZY5N7Q8Z4VK", claim.AcceptedPayer, today) // uses the family's maximum only
	// The claim uses 450.00, so 1190.00 are left: 450.00, 450.00 and 290.00.
	a := s.must(t, 200, three)
	a.shows(t, "lines.2.plan_pays.most", "290.00", "lines.2.patient_pays.most", "610.00", "lines.2.maximum_left.most", "0.00", "totals.patient_pays.most", "1510.00")
	for _, step := range []string{"Claims that the payer still decides use $450.00 of the maximum.", "Claims that the payer still decides use $900.00 of the family maximum."} {
		if !strings.Contains(a.body, step) {
			t.Errorf("no step %q in %s", step, a.body)
		}
	}

	// A crown of the same tooth three years ago: once in 60 months.
	sent(patient, claim.Reconciled, today.AddMonths(-36))
	again := s.must(t, 200, call{path: "/estimates", body: estimateBody(id, "preview", true)})
	again.shows(t, "lines.0.last_service_date", today.AddMonths(-36).String(), "lines.0.plan_pays.most", "0.00", "lines.0.patient_pays.most", "900.00",
		"lines.0.paid_from", today.AddMonths(24).String())
	s.must(t, 200, call{path: "/estimates", body: estimateBody(id, "preview", true, "lines", []anObject{{"procedure_code": "D2740", "tooth": "3"}})}).
		shows(t, "lines.0.last_service_date", nil, "lines.0.plan_pays.most", "450.00")
}
