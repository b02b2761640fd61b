package journeys_test

import (
	"testing"
)

// aCrown is a service that payers want to see an X-ray of.
func aCrown() map[string]any {
	return map[string]any{"procedure_code": "D2740", "service_date": lastWeek, "fee": "1250.00", "tooth": "14"}
}

// A biller makes a rule, is asked on the form and on the page of a claim before it is sent without
// what the rule wants, and ends the advice with an X-ray.
func TestAdviceBeforeAClaimIsSent(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.open("/test/settings/attachment-rules")
	page.sees("No rules of your own yet")
	page.click("New rule")
	form := page.within("dialog", "New attachment rule")
	form.fill("Payer (optional)", "CHTEST")
	page.clickA("option", "Molar Test Payer (CHTEST)")
	form.fill("Procedures (optional)", "2740")
	form.clickA("checkbox", "X-ray")
	form.fill("Note (optional)", "The plan denied two of these in May.")
	page.refused(422, "POST /api/v1/attachment_rules")
	form.click("Save")
	form.sees("Send a procedure code such as D2740, a range such as D2710-D2794, or a pattern such as Dxx99.")
	page.screen("settings-attachment-rule-refused")
	form.fill("Procedures (optional)", "d2740, D2950-D2954")
	form.click("Save")
	page.sees("The rule is saved.")
	page.row("Molar Test Payer").sees("D2740, D2950-D2954", "X-ray")
	page.screen("settings-attachment-rules")

	page.open("/test/claims/new")
	page.entersPlan("Ada", "W61")
	line := page.within("group", "Line 1")
	line.fill("Procedure", "D2740")
	line.fill("Service date", lastWeek)
	line.fill("Tooth", "14")
	line.fill("Fee", "1250")
	page.click("Send")
	ask := page.within("dialog", "Send without what the payer wants to see?")
	ask.sees("Your rule asks for an X-ray with D2740 (line 1). The plan denied two of these in May.")
	page.screen("claim-advice-asked")
	ask.click("Cancel")
	page.sees("What the payer wants to see", "Attach an X-ray, such as bitewings or a periapical.")
	page.screen("claim-advice")
	claim := page.claim()
	if state := practice.get("/claims/" + claim)["state"]; state != "validated" {
		t.Errorf("the claim is %v before it is sent", state)
	}

	page.click("Send to the payer")
	ask.fill("Why it goes without", "The payer has the film of the predetermination.")
	ask.click("Send without it")
	page.sees("The claim is queued for the next file.", "Sent without an X-ray", "The payer has the film of the predetermination.")
	page.screen("claim-advice-ignored")

	other := practice.claims("Bea", "W62", nil, aCrown())
	page.open("/test/claims/" + other)
	page.click("Add what is missing")
	page.click("Continue to the images")
	page.upload("Choose images", film(t, "tooth.png", 640, 480))
	page.row("tooth.png").choose("What it shows", "Bitewings")
	page.row("tooth.png").fill("Taken on", lastWeek)
	page.click("Upload 1 image")
	page.sees("Ready to send.")
	page.open("/test/claims/" + other)
	page.sees("1 document")
	page.seesNo("What the payer wants to see")
	page.click("Send to the payer")
	page.within("dialog", "1 image is not sent. Send both?").click("Send both")
	page.sees("The claim is queued for the next file.")
}

// A biller makes a rule of a denial, changes and deletes it. A viewer reads rules.
func TestARuleIsMadeOfADenial(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Cleo", "W63-DENIED", map[string]any{"submit": true}, aCrown())
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.becomes(practice, claim, "denied")
	page.click("Make a rule")
	form := page.within("dialog", "New attachment rule")
	form.has("Payer (optional)", "Molar Test Payer (CHTEST)")
	form.has("Procedures (optional)", "D2740")
	page.screen("settings-attachment-rule-of-a-denial")
	form.clickA("checkbox", "Narrative")
	form.click("Save")
	page.sees("The rule is saved.")
	page.row("Molar Test Payer").sees("D2740", "Narrative")
	page.click("Edit the rule for Molar Test Payer, D2740")
	edit := page.within("dialog", "Edit the rule")
	edit.clickA("checkbox", "Intraoral photo")
	edit.click("Save")
	page.row("Molar Test Payer").sees("Narrative, Intraoral photo")

	viewer := practice.signsIn("viewer")
	viewer.open("/test/settings/attachment-rules")
	viewer.sees("Narrative, Intraoral photo")
	viewer.seesNo("New rule", "Delete")

	page.click("Delete the rule for Molar Test Payer, D2740")
	page.within("dialog", "Delete this rule?").click("Delete the rule")
	page.sees("The rule is deleted.", "No rules of your own yet")
}

// A biller replaces a denied claim, and is asked about what its payer wants to see.
func TestAdviceBeforeAClaimIsReplaced(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.post("/attachment_rules", map[string]any{"payer_id": "CHTEST", "procedure_codes": []string{"D2740"}, "needs": []string{"xray"}})
	claim := practice.claims("Cleo", "W64-DENIED", map[string]any{"submit": true}, aCrown())
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.becomes(practice, claim, "denied")
	page.sees("What the payer wants to see", "Your rule asks for an X-ray with D2740 (line 1).")
	page.click("Replace with a corrected claim")
	page.sees("Send the replacement", "What the payer wants to see")
	page.press("Control+Enter")
	ask := page.within("dialog", "Send without what the payer wants to see?")
	ask.sees("Your rule asks for an X-ray with D2740 (line 1).")
	page.screen("claim-replace-advice")
	ask.fill("Why it goes without", "The payer has the film of the first claim.")
	ask.click("Send without it")
	page.sees("The claim is queued for the next file.", "Sent without an X-ray", "The payer has the film of the first claim.")
}
