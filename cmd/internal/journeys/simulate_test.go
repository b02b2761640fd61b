package journeys_test

import "testing"

// An owner makes the payer of test mode deny a claim that its ending would pay, and then take
// the denial back. A biller has no such choice.
func TestOwnerSimulatesSteps(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Vera", "W41-INFO-REQUEST", map[string]any{"submit": true}, aFilling())
	tab := practice.signsIn("owner")
	tab.open("/test/claims/" + claim)
	tab.becomes(practice, claim, "accepted_payer")
	simulate := func() *page {
		tab.click("More actions")
		tab.clickA("menuitem", "Simulate the next step")
		return tab.within("dialog", "Simulate the next step")
	}
	dialog := simulate()
	dialog.has("Allowed, in percent of the fee", "80")
	tab.screen("simulate")
	dialog.choose("What happens", "The payer denies the claim")
	dialog.fill("Reason", "CO")
	tab.refused(422, "POST /api/v1/sandbox/claims/"+claim+"/simulate")
	dialog.click("Simulate")
	tab.sees("The value must be a group and an adjustment reason")
	dialog.fill("Reason", "PR-204")
	dialog.click("Simulate")
	tab.sees("The file has come.", "Denied") // without a reload
	dialog = simulate()
	dialog.has("What happens", "reverse")
	dialog.click("Simulate")
	tab.becomes(practice, claim, "accepted_payer")
	tab.sees("At payer")

	biller := practice.signsIn("biller")
	biller.open("/test/claims/" + claim)
	biller.click("More actions")
	biller.seesA("menuitem", "Copy as curl")
	biller.seesNo("Simulate the next step")
}
