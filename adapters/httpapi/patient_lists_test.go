package httpapi

import (
	"slices"
	"testing"
)

// TestListsOfAPatient has everything about two patients, and lists what is about one.
func TestListsOfAPatient(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var of string
	var want map[string]string
	for _, number := range []string{"ONE-1", "TWO-1"} {
		claim := s.must(t, 201, call{path: "/claims", body: s.crown("PAID", func(o anObject) { o["patient_control_number"], o["submit"] = number, true })})
		of = claim.text(t, "patient_id")
		made := anObject{"claim_id": claim.text(t, "id")}
		attachment := s.must(t, 201, call{path: "/attachments", body: jsonOf(made, nil)})
		request := s.must(t, 201, call{path: "/payer_requests", body: jsonOf(anObject{
			"claim_id": claim.text(t, "id"), "payer_id": "CHTEST", "reference_number": number, "requested": "Please send X-rays.", "due_date": lately(-9),
		}, nil)})
		subscriber := claim.get(t, "subscriber").(anObject)
		check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", func(_, asked anObject) {
			asked["first_name"], asked["last_name"], asked["date_of_birth"] = subscriber["first_name"], subscriber["last_name"], subscriber["date_of_birth"]
		})})
		want = map[string]string{
			"/claims": claim.text(t, "id"), "/attachments": attachment.text(t, "id"), "/payer_requests": request.text(t, "id"), "/eligibility": check.text(t, "id"),
		}
	}
	for list, id := range want {
		if got := s.walk(t, list+"?limit=1&patient_id="+of); !slices.Equal(got, []string{id}) {
			t.Errorf("%s: %v, want %s", list, got, id)
		}
	}
	if got := s.walk(t, "/eras?limit=1&patient_id="+of); len(got) != 0 {
		t.Errorf("remittances before one came: %v", got)
	}
	for _, list := range []string{"/attachments", "/payer_requests", "/eligibility", "/eras"} {
		wantFields(t, s.do(t, call{path: list + "?patient_id=" + want["/claims"], bad: true}), "patient_id format")
	}
}
