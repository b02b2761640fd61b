package journeys_test

import "testing"

// Today leads from the work to the list that shows it, and follows what happens.
func TestTodayLeadsToTheWork(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.sees("Nothing needs you now")
	page.screen("today-empty")
	practice.post("/claims", map[string]any{
		"office_id": practice.office, "payer_id": "CHTEST",
		"subscriber": map[string]any{
			"first_name": "Sam", "last_name": "Nolan", "date_of_birth": "1985-04-12", "member_id": "W1", "gender": "male",
			"address": map[string]any{"line1": "2 Oak Street", "city": "Albany", "state": "NY", "zip": "12207"},
		},
		"lines": []any{map[string]any{"procedure_code": "D2740", "service_date": "2026-11-01", "fee": "1250.00"}},
	})
	page.sees("claim has findings") // without a reload
	page.screen("today")
	page.tabTo("1 claim has findings Correct what stands beside the fields.")
	page.press("Enter")
	page.sees("Sam Nolan", "Needs attention")
	page.press("Control+K")
	page.focuses("Find a patient, claim or command")
	page.types("nolan")
	page.sees("Sam Nolan, $1,250.00")
	page.screen("search")
	page.press("Enter")
}
