package httpapi

import (
	"fmt"
	"testing"

	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports/porttest"
)

// paid makes a claim that its payer decides, and returns it with the last name of its patient.
func (s *service) paid(t *testing.T, ending string, change func(o anObject)) (claim response, name string) {
	t.Helper()
	id := s.queuedClaim(t, ending, change)
	claim = s.until(t, "/claims/"+id, "paid")
	return claim, claim.text(t, "subscriber", "last_name")
}

// coverageOf asks a payer about the patient of that name, and waits until the claims of the patient follow.
func (s *service) coverageOf(t *testing.T, name, payer, ending string) (check string) {
	t.Helper()
	asks := call{path: "/eligibility", body: s.question(fmt.Sprint(s.keys.Add(1))+ending, func(q, subscriber anObject) {
		q["payer_id"], subscriber["last_name"] = payer, name
	})}
	if ending == "-NOT-FOUND" {
		check = s.must(t, 422, asks).text(t, "check", "id")
	} else {
		check = s.must(t, 200, asks).text(t, "id")
	}
	porttest.Await(t, "the claims follow the check", func() bool { return s.count(t, "SELECT count(*) FROM jobs WHERE kind = 'second_plan'") == 0 })
	return check
}

// ofSecondPlan returns the task to bill the next payer of a claim; nil for none.
func (s *service) ofSecondPlan(t *testing.T, claim response) anObject {
	t.Helper()
	return s.tasks(t, "?resource_id="+claim.text(t, "id"))["secondary_to_bill"]
}

// recomputed computes all tasks again: none differs.
func (s *service) recomputed(t *testing.T) {
	t.Helper()
	sum, err := s.options.Tasks.Renew(t.Context(), s.test, func(task.Renewed) {})
	if err != nil || sum.Resources == 0 || sum.Differed > 0 {
		t.Errorf("computed again: %+v, %v", sum, err)
	}
}

// TestACheckShowsTheNextPlan answers checks after the payer's decision: the task comes with an active plan, goes with an
// inactive one, and ends when the plan is billed.
func TestACheckShowsTheNextPlan(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	claim, name := s.paid(t, "PAID-ERA", nil)
	at, era := "/claims/"+claim.text(t, "id"), "/eras/"+claim.text(t, "payment", "era_id")
	claim.shows(t, "second_plan", nil, "next_step", "Post the payment in the practice's books unless it is there already, then reconcile the claim.")
	s.coverageOf(t, name, "CHTEST", "-ACTIVE-FULL") // its own payer
	if w := s.ofSecondPlan(t, claim); w != nil {
		t.Fatalf("without another payer: %v", w)
	}
	left := claim.text(t, "payment", "patient_responsibility")
	check := s.coverageOf(t, name, "60054", "-ACTIVE-FULL")
	shown := s.must(t, 200, call{path: at})
	shown.shows(t, "second_plan.eligibility_id", check, "second_plan.payer.payer_id", "60054", "second_plan.on", todayAt("America/New_York").String(), "other_coverage", []any{},
		"next_step", "Post the payment in the practice's books unless it is there already, then bill Aetna Dental, whose plan an active check shows: $"+left+" is left.")
	w := s.ofSecondPlan(t, claim)
	path := "/tasks/" + w["id"].(string)
	s.must(t, 200, call{path: path}).shows(t, "state", "open", "amount", left, "reason", "An active check shows a plan with Aetna Dental, and $"+left+" is left: bill it, or say that you will not.",
		"actions", []any{"billSecondary", "settleTask"}, "settles", []any{"not_billed"})
	s.recomputed(t)

	// A later check says the same: the task stays as it is, also while it is snoozed until something changes.
	s.must(t, 200, call{method: "POST", path: path + "/snooze"}).shows(t, "state", "snoozed")
	again := s.coverageOf(t, name, "60054", "-ACTIVE-FULL")
	s.must(t, 200, call{path: at}).shows(t, "second_plan.eligibility_id", again)
	s.must(t, 200, call{path: path}).shows(t, "state", "snoozed", "since", w["since"])
	s.must(t, 200, call{method: "POST", path: path + "/wake"})
	s.recomputed(t)

	// The plan has ended, and another one is found.
	s.coverageOf(t, name, "60054", "-INACTIVE")
	s.must(t, 200, call{path: at}).shows(t, "second_plan", nil)
	s.must(t, 200, call{path: path}).shows(t, "state", "done")
	s.coverageOf(t, name, "60054", "-NOT-FOUND") // which says nothing of the plan
	s.must(t, 200, call{path: path}).shows(t, "state", "done")
	s.recomputed(t)
	s.coverageOf(t, name, "84105", "-ACTIVE-FULL")
	s.must(t, 200, call{path: at}).shows(t, "second_plan.payer.payer_id", "84105")
	s.must(t, 200, call{path: path}).shows(t, "state", "open")
	s.must(t, 200, call{path: era + "/post", body: `{"reconcile":true}`}).shows(t, "reconciled", 0.0, "left_out.0.reason", "secondary_to_bill")
	s.must(t, 200, call{method: "POST", path: era + "/unpost"})

	second := s.must(t, 201, call{path: at + "/bill_secondary", body: jsonOf(anObject{
		"payer_id": shown.text(t, "second_plan", "payer", "payer_id"), "relationship": "self", "subscriber": shown.get(t, "subscriber"),
	}, func(o anObject) {
		for _, field := range []string{"group_number", "group_name"} {
			delete(o["subscriber"].(anObject), field)
		}
	})})
	second.shows(t, "coverage", "secondary", "second_plan", nil)
	s.must(t, 200, call{path: path}).shows(t, "state", "done", "settled", nil)
	s.recomputed(t)

	// What the second payer leaves, the third plan may pay.
	s.must(t, 200, call{method: "POST", path: "/claims/" + second.text(t, "id") + "/submit"})
	decided := s.until(t, "/claims/"+second.text(t, "id"), "paid")
	decided.shows(t, "second_plan.payer.payer_id", "84105")
	s.must(t, 200, call{path: at}).shows(t, "state", "paid", "secondary_claim_id", second.text(t, "id"))
	s.recomputed(t)
}

// TestAKnownPlanIsNext answers a check before the payer decides. The plan of another time is none, nor is one to which the payer
// sent the claim itself; and a person may decide not to bill it.
func TestAKnownPlanIsNext(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: jsonOf(anObject{"ending": "-NEW-JOB", "operation": "eligibility", "plan": anObject{
		"status": "active", "coverage_effective_date": "-P5D",
	}}, nil)})
	served := func(daysAgo int, name string) func(o anObject) {
		return func(o anObject) {
			o["lines"].([]anObject)[0]["service_date"] = lately(daysAgo)
			if name != "" {
				o["subscriber"].(anObject)["last_name"] = name
			}
		}
	}
	s.clear(t)
	old, name := s.paid(t, "PAID-ERA", served(9, ""))
	s.coverageOf(t, name, "60054", "-NEW-JOB")
	s.must(t, 200, call{path: "/claims/" + old.text(t, "id")}).shows(t, "second_plan", nil)
	if w := s.ofSecondPlan(t, old); w != nil {
		t.Errorf("a plan that began after the service: %v", w)
	}
	claim, _ := s.paid(t, "PAID-ERA", served(3, name)) // the check was before
	w := s.ofSecondPlan(t, claim)
	if w == nil || claim.text(t, "second_plan", "payer", "name") != "Aetna Dental" {
		t.Fatalf("a check before the decision: %s", claim.body)
	}
	s.recomputed(t)

	path := "/tasks/" + w["id"].(string)
	s.must(t, 200, call{path: path + "/settle", body: `{"as":"not_billed","note":"It is a discount card."}`}).shows(t, "state", "done", "settled.as", "not_billed")
	s.coverageOf(t, name, "60054", "-NEW-JOB")
	s.must(t, 200, call{path: path}).shows(t, "state", "done")
	s.must(t, 200, call{path: "/claims/" + claim.text(t, "id")}).shows(t, "second_plan.payer.payer_id", "60054",
		"next_step", "Post the payment in the practice's books unless it is there already, then reconcile the claim.")
	s.recomputed(t)
	s.must(t, 200, call{path: "/eras/" + claim.text(t, "payment", "era_id") + "/post", body: `{"reconcile":true}`}).shows(t, "reconciled", 1.0, "left_out", []any{})
	s.must(t, 200, call{method: "POST", path: "/claims/" + claim.text(t, "id") + "/reopen"})
	s.must(t, 200, call{method: "POST", path: path + "/wake"}).shows(t, "state", "open")

	// What was decided is not about a plan that is found later.
	s.must(t, 200, call{path: path + "/settle", body: `{"as":"not_billed"}`}).shows(t, "state", "done")
	s.coverageOf(t, name, "84105", "-ACTIVE-FULL")
	s.must(t, 200, call{path: path}).shows(t, "state", "open", "settled.as", "not_billed")
	s.recomputed(t)

	sent, name := s.paid(t, "CROSSOVER", nil)
	s.coverageOf(t, name, "60054", "-ACTIVE-FULL")
	if w := s.ofSecondPlan(t, sent); w != nil {
		t.Errorf("the payer sent the claim on: %v", w)
	}
	s.recomputed(t)
}
