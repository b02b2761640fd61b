package journeys_test

import "testing"

// A front desk types what the patient says, in any order, and everything about the
// patient is one key away: checks too, before there is a claim.
func TestAPatientFoundOpensWhatThereIs(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	person := map[string]any{"first_name": "Mary Ann", "last_name": "Garcia-Lopez", "date_of_birth": "1985-02-03", "member_id": "W77-ACTIVE-FULL"}
	practice.post("/eligibility", map[string]any{"office_id": practice.office, "payer_id": "CHTEST", "subscriber": person})
	page := practice.signsIn("biller")
	search := func(text string) {
		page.press("Control+K")
		page.focuses("Find a patient, claim or command")
		page.types(text)
		page.sees("born Feb 3, 1985") // in the list of what is found
	}
	search("lopez garcia")
	page.press("Enter")
	page.sees("Born Feb 3, 1985", "Eligibility checks", "Covered", "No claims")
	search("w77") // the start of the member ID of a check
	page.press("Enter")
	page.sees("Eligibility checks")
	page.click("New check")
	page.has("Payer", "Molar Test Payer (CHTEST)")
	for label, value := range map[string]string{"First name": "Mary Ann", "Last name": "Garcia-Lopez", "Date of birth": "1985-02-03", "Member ID": "W77-ACTIVE-FULL"} {
		page.has(label, value)
	}

	claim := practice.claims("Mary Ann", "W77-ACTIVE-FULL", map[string]any{"subscriber": map[string]any{
		"first_name": "Mary Ann", "last_name": "Garcia-Lopez", "date_of_birth": "1985-02-03", "member_id": "W77-ACTIVE-FULL",
		"address": map[string]any{"line1": "2 Oak Street", "city": "Albany", "state": "NY", "zip": "12207"},
	}}, aFilling())
	practice.post("/attachments", map[string]any{"claim_id": claim})
	practice.post("/payer_requests", map[string]any{
		"claim_id": claim, "payer_id": "CHTEST", "reference_number": "R-77", "requested": "Please send the X-rays.", "due_date": "2030-01-09",
	})
	search("2/3/85 mar")
	page.press("Enter")
	page.sees("$180.00", "No images", "Please send the X-rays.", "No remittances")
	page.screen("patient")
	search("w77") // the start of a member ID
}
