package journeys_test

import "testing"

// A check shows the plan of another payer for a claim that is paid: Today leads to the form, which has the plan as the check
// asked about it, and the task goes when the plan is billed.
func TestCheckShowsTheNextPlan(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Rosa", "W8-PAID-ERA", map[string]any{"submit": true}, aFilling())
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.seesA("heading", "Rosa Rivers")
	page.becomes(practice, claim, "paid")
	check := practice.post("/eligibility", map[string]any{
		"office_id": practice.office, "payer_id": "60054",
		"subscriber": map[string]any{"first_name": "Rosa", "last_name": "Rivers", "date_of_birth": subscriber("Rosa", "")["date_of_birth"], "member_id": "W9-ACTIVE-FULL"},
	})["id"].(string)
	page.sees("An active check shows a plan with Aetna Dental") // without a reload
	page.click("Check that shows a plan with Aetna Dental")
	page.at("/test/eligibility/" + check)
	page.open("/test?kind=secondary_to_bill")
	page.row("Next payer to bill").sees("Rosa Rivers")
	page.press("J")
	page.press("A")
	page.at("/test/claims/" + claim + "/secondary")
	page.has("Payer", "Aetna Dental (60054)")
	page.has("First name", "Rosa")
	page.has("Street", "2 Oak Street")
	page.has("Member ID", "W9-ACTIVE-FULL")
	page.sees("The form has the plan as the check asked about it.")
	page.screen("claim-next-plan")
	page.click("Make the secondary claim")
	page.sees("Ready to send", "Claim to the primary payer")
	page.open("/test?kind=secondary_to_bill")
	page.sees("No task matches")
}
