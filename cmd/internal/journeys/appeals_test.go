package journeys_test

import (
	"net/http"
	"testing"
)

// A biller appeals a denial: the letter is written, changed and sent, and the payer's decision is
// recorded. The claim says what comes next all the way.
func TestADenialIsAppealed(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.call(http.MethodPut, "/payer_limits/CHTEST", map[string]any{"appeal_days": 90, "appeal_source": "Manual, page 12"})
	claim := practice.claims("Vera", "W45-INFO-REQUEST", map[string]any{"submit": true}, aFilling())
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.becomes(practice, claim, "accepted_payer")
	practice.post("/sandbox/claims/"+claim+"/simulate", map[string]any{"deny": map[string]any{"reason": "CO-50"}})
	page.becomes(practice, claim, "denied")
	page.sees("appeal with the records of the visit", "Payer accepts an appeal until", "by the payer’s limit, Manual, page 12", "No appeals.")
	page.screen("claim-to-appeal")

	page.click("Appeal")
	dialog := page.within("dialog", "Appeal the decision")
	dialog.fill("Why the payer should pay", "The film shows decay below the old filling.")
	dialog.click("Write the letter")
	page.sees("To be sent by", "Print the letter", "Record as sent")
	page.screen("appeal-draft")
	page.fill("Letter", "Dear reviewer,\n\nplease look at the film again.\n\nVera’s dentist")
	page.click("Save")
	page.sees("The appeal is saved.")
	page.click("Record as sent")
	dialog = page.within("dialog", "How was the appeal sent?")
	dialog.choose("Sent by", "Fax")
	dialog.fill("Reference (optional)", "FAX-77")
	page.screen("appeal-sending")
	dialog.click("Record")
	page.sees("The decision is due on", "FAX-77", "please look at the film again", "Nothing yet.")
	page.screen("appeal-sent")

	page.click("Record the decision")
	dialog = page.within("dialog", "What did the payer decide?")
	dialog.choose("Outcome", "The payer stays with its decision")
	dialog.click("Record")
	page.sees("The payer stays with its decision (", "The outcome is recorded.")
	page.click("Claim")
	page.at("/test/claims/" + claim)
	page.sees("First level", "The payer stays with its decision (", "appeal with the records of the visit")
}
