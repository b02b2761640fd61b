package httpapi

import (
	"strconv"
	"testing"
)

// TestOverview reads a patient with more checks than an overview has, who is there under
// another name, too.
func TestOverview(t *testing.T) {
	t.Parallel()
	s := startService(t)
	check := func(first, member string, n int) response {
		return s.must(t, 200, call{path: "/eligibility", idem: first + member + strconv.Itoa(n), body: s.question(member, func(_, subscriber anObject) { subscriber["first_name"] = first })})
	}
	other := check("Samuel", "ACTIVE-FULL", 0).text(t, "patient_id")
	check("Sam", "INACTIVE", 0)
	var last response
	for n := range 11 {
		last = check("Sam", "ACTIVE-FULL", n)
	}
	made := s.must(t, 201, call{path: "/estimates", body: estimateBody(last.text(t, "id"))})
	cl := s.must(t, 201, call{path: "/claims", body: s.crown("1", nil)})
	patient := last.text(t, "patient_id")
	o := s.must(t, 200, call{path: "/patients/" + patient + "/overview"})
	if got := o.text(t, "patient", "id"); got != patient {
		t.Errorf("the patient is %s, want %s", got, patient)
	}
	if same := o.get(t, "may_be_same").([]any); len(same) != 1 || o.text(t, "may_be_same", "0", "id") != other {
		t.Errorf("may be the same: %v, want %s", same, other)
	}
	if checks := o.get(t, "checks").([]any); len(checks) != 10 || o.text(t, "checks", "0", "id") != last.text(t, "id") {
		t.Errorf("%d checks, the first is %s; want the newest 10", len(checks), o.text(t, "checks", "0", "id"))
	}
	if got := o.get(t, "estimates").([]any); len(got) != 1 || o.text(t, "estimates", "0", "id") != made.text(t, "id") {
		t.Errorf("estimates %v", got)
	}
	plans := o.get(t, "coverages").([]any)
	if len(plans) != 2 || o.text(t, "coverages", "0", "eligibility_id") != last.text(t, "id") || o.text(t, "coverages", "1", "status") != "inactive" {
		t.Errorf("plans %v, want the active one of the last check, then the inactive one", plans)
	}
	if len(o.get(t, "claims").([]any)) != 0 || o.text(t, "owed") != "0.00" {
		t.Errorf("claims and what is owed: %s", o.body)
	}
	if o := s.must(t, 200, call{path: "/patients/" + cl.text(t, "patient_id") + "/overview"}); o.text(t, "claims", "0", "id") != cl.text(t, "id") {
		t.Errorf("of a patient with a claim: %s", o.body)
	}
	s.must(t, 422, call{path: "/patients/" + patient + "/overview?limit=3"})
	s.must(t, 404, call{path: "/patients/pat_01M82EG4T5F59R1BMG6WKEN2W1/overview"})
}
