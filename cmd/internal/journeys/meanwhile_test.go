package journeys_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/go-rod/rod"
)

// Two people change one claim, first one after the other, then both the same field. No
// change is lost, and each learns what the other did.
func TestTwoPeopleChangeOneClaim(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Rosa", "W30", map[string]any{"draft": true}, aFilling())
	owner, biller := practice.signsIn("owner"), practice.signsIn("biller")
	for _, page := range []*page{owner, biller} {
		page.open("/test/claims/" + claim + "/edit")
		page.has("Member ID", "W30")
		page.click("Note to the payer")
	}
	biller.fill("Note", "From the biller.")
	biller.click("Save as draft")
	biller.sees("The draft is saved.")
	biller.sees("Draft · You")

	owner.fill("Member ID", "W31")
	owner.refused(http.StatusPreconditionFailed, "PATCH /api/v1/claims/"+claim)
	owner.click("Save as draft")
	owner.sees("This was changed while you worked on it.", "Note", practice.email("biller"))
	owner.has("Member ID", "W31")
	owner.has("Note", "From the biller.")
	owner.screen("claim-changed-meanwhile")
	owner.click("Save as draft")
	owner.sees("The draft is saved.")
	owner.sees("Draft · " + practice.email("biller"))
	if c := practice.get("/claims/" + claim); c["note"] != "From the biller." || c["subscriber"].(map[string]any)["member_id"] != "W31" || c["version"] != 3.0 {
		t.Errorf("%v %v %v", c["note"], c["subscriber"], c["version"])
	}

	for _, page := range []*page{owner, biller} {
		page.open("/test/claims/" + claim + "/edit")
		page.has("Member ID", "W31")
	}
	owner.fill("Member ID", "W32")
	owner.click("Save as draft")
	owner.sees("The draft is saved.")
	biller.fill("Member ID", "W33")
	biller.refused(http.StatusPreconditionFailed, "PATCH /api/v1/claims/"+claim)
	biller.click("Save as draft")
	biller.sees("Subscriber: Member ID", practice.email("owner"), "Theirs is “W32”; yours is kept.")
	biller.has("Member ID", "W33")
	biller.click("Save as draft")
	biller.sees("The draft is saved.")
	if c := practice.get("/claims/" + claim); c["subscriber"].(map[string]any)["member_id"] != "W33" {
		t.Errorf("%v", c["subscriber"])
	}

	// Both change the services: each line of the other one stands in the notice, and can be taken.
	for _, page := range []*page{owner, biller} {
		page.open("/test/claims/" + claim + "/edit")
		page.within("group", "Line 1").has("Fee", "180.00")
	}
	owner.within("group", "Line 1").fill("Fee", "185.00")
	owner.click("Save as draft")
	owner.sees("The draft is saved.")
	biller.within("group", "Line 1").fill("Fee", "190.00")
	biller.click("Save as draft")
	biller.sees("Services", "Theirs differs", "Line 1: D2391", "$185.00")
	biller.within("group", "Line 1").has("Fee", "190.00")
	biller.screen("claim-services-changed-meanwhile")
	biller.click("Use their services")
	biller.within("group", "Line 1").has("Fee", "185.00")
}

// Services of a predetermination change while another person chooses those that are done.
// The form shows them, and keeps the choice of the others.
func TestServicesThatChangeWhileTheyAreChosen(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	crown, core := map[string]any{"procedure_code": "D2740", "fee": "1250.00", "tooth": "3"}, map[string]any{"procedure_code": "D2950", "fee": "300.00", "tooth": "3"}
	question := practice.claims("Kim", "W36-ESTIMATE", map[string]any{"kind": "predetermination", "submit": true}, crown, core)
	page := practice.signsIn("biller")
	page.open("/test/claims/" + question)
	page.becomes(practice, question, "returned")
	page.click("Convert to a claim")
	page.fill("Service date of line 2", lastWeek)
	page.click("D2740, 3, $1,250.00")
	practice.s.sql(t, "UPDATE claims SET state = 'rejected' WHERE patient_control_number = $1", practice.get("/claims/" + question)["patient_control_number"])
	core["fee"] = "310.00"
	practice.call(http.MethodPatch, "/claims/"+question, map[string]any{"lines": []any{core, crown}, "submit": true})
	page.until("the estimate", func(*rod.Page) error {
		if state := practice.get("/claims/" + question)["state"]; state != "returned" {
			return errors.New("is " + state.(string))
		}
		return nil
	})
	page.refused(http.StatusPreconditionFailed, "POST /api/v1/claims/"+question+"/convert")
	page.click("Make the claim")
	page.sees("This was changed while you worked on it.", "Services", "D2950, 3, $310.00")
	page.screen("predetermination-changed-meanwhile")
	page.fill("Service date of line 1", lastWeek)
	page.click("Make the claim")
	page.sees("Original predetermination", "$310.00")
	page.seesNo("D2740")
}

// An office and a provider are changed by two owners, and a narrative by two billers.
func TestSettingsAndANarrativeThatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	attachment := practice.post("/attachments", map[string]any{
		"claim_id": practice.crown(), "narrative": "The first one.",
	})["id"].(string)
	page := practice.signsIn("owner")

	page.open("/test/settings/offices/" + practice.office)
	page.fill("Phone", "5185550111")
	practice.call(http.MethodPatch, "/offices/"+practice.office, map[string]any{"contact_name": "Mo"})
	page.refused(http.StatusPreconditionFailed, "PATCH /api/v1/offices/"+practice.office)
	page.click("Save")
	page.sees("Contact name", "A program")
	page.has("Contact for payers (optional)", "Mo")
	page.has("Phone", "5185550111")
	page.click("Save")
	page.sees("The office is saved.")

	page.open("/test/settings/providers")
	page.click("Edit Ann Rivers")
	dialog := page.within("dialog", "Edit the provider")
	dialog.fill("Last name", "Stream")
	provider := practice.get("/providers")["data"].([]any)[0].(map[string]any)["id"].(string)
	practice.call(http.MethodPatch, "/providers/"+provider, map[string]any{"last_name": "Lake", "first_name": "Anna"})
	page.refused(http.StatusPreconditionFailed, "PATCH /api/v1/providers/"+provider)
	dialog.click("Save")
	dialog.sees("Theirs is “Lake”; yours is kept.")
	dialog.has("First name", "Anna")
	dialog.has("Last name", "Stream")
	page.press("Escape")
	page.within("dialog", "Leave without saving?").click("Stay")
	dialog.click("Save")
	page.sees("The provider is saved.", "Anna Stream")

	page.open("/test/attachments/" + attachment)
	page.fill("Narrative", "Mine.")
	practice.call(http.MethodPatch, "/attachments/"+attachment, map[string]any{"narrative": "Theirs."})
	page.refused(http.StatusPreconditionFailed, "PATCH /api/v1/attachments/"+attachment)
	page.click("Save the narrative")
	page.sees("Theirs is “Theirs.”; yours is kept.")
	page.has("Narrative", "Mine.")
	page.click("Save the narrative")
	page.sees("The narrative is saved.")
}

// A question that no longer applies is closed, and the person sees why. Nothing is done
// about a claim that another person changed since.
func TestWhatAPersonLooksAtChanges(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	request := practice.post("/payer_requests", map[string]any{"payer_id": "CHTEST", "reference_number": "REF-1", "requested": "Proof, please.", "claim_id": practice.crown()})["id"].(string)
	page := practice.signsIn("biller")
	page.open("/test/payer-requests/" + request)
	page.fill("Narrative", "Here it is.")
	page.click("Send to the payer")
	page.seesA("dialog", "Send the answer?")
	practice.post("/payer_requests/"+request+"/answer", map[string]any{"narrative": "By a program."})
	page.sees("The question was closed.", "“Send the answer?” no longer applies")
	page.sees("What you wrote was not sent", "Here it is.")
	page.screen("payer-request-answered-meanwhile")
	page.within("navigation", "Screens").click("Claims")
	page.within("dialog", "Leave without saving?").click("Leave")
	page.seesA("heading", "Claims")
}

// The sign-in ends while a person types. What was typed waits in the tab, and is there
// again for the same person. Another person does not get it.
func TestTypedTextOutlivesASignIn(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.password("biller", "correct horse battery 9")
	page := visits(t, "/sign-in")
	page.mayBeRefused(http.StatusUnauthorized, "")
	ends := func() {
		practice.s.sql(t, "DELETE FROM sessions WHERE user_id = (SELECT id FROM users WHERE email = $1)", practice.email("biller"))
		page.until("the end of the session", func(r *rod.Page) error { // the service looks every two seconds
			status, err := page.eval(r, `() => fetch("/api/v1/me", {headers: {"Molar-Mode": "test"}}).then((reply) => String(reply.status))`)
			if err == nil && status != "401" {
				err = errors.New("is not noticed: " + status)
			}
			return err
		})
	}
	signIn := func() {
		page.fill("Email", practice.email("biller"))
		page.fill("Password", "correct horse battery 9")
		page.click("Sign in")
	}
	signIn()
	page.seesA("navigation", "Screens")
	page.open("/test/claims/new")
	page.entersPlan("Nia", "W34")
	ends()
	page.press("Control+S") // unless the page has found out by itself
	page.sees("You were signed out. What you entered is kept.", "30 minutes without use")
	page.has("Email", practice.email("biller"))
	page.screen("signed-out-typed")
	page.fill("Password", "correct horse battery 9")
	page.click("Sign in")
	page.sees("You are signed in again.")
	page.has("First name", "Nia")
	page.click("Save as draft")
	page.sees("The draft is saved.", "Nia Rivers")

	// Nothing is kept where nothing was typed, and the sign-in says why.
	ends()
	page.sees("You were signed out.", "30 minutes without use")
	page.screen("signed-out")
	signIn()
	page.sees("Nia Rivers")

	// Another person gets none of it.
	other := newPractice(t)
	other.password("viewer", "correct horse battery 10")
	page.open("/test/claims/new")
	page.fill("First name", "Kept")
	ends()
	page.press("Control+S")
	page.sees("What you entered is kept.")
	page.fill("Email", other.email("viewer"))
	page.fill("Password", "correct horse battery 10")
	page.click("Sign in")
	page.seesA("navigation", "Screens")
	page.at("/test")
	page.seesNo("Kept")
}

// What was typed in a form or in a dialog is not lost without asking, also by signing out.
func TestTypedTextIsAskedAbout(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	owner := practice.signsIn("owner")
	stays := func() {
		t.Helper()
		owner.within("dialog", "Leave without saving?").click("Stay")
	}
	owner.open("/test/developers/webhooks")
	owner.click("New endpoint")
	dialog := owner.within("dialog", "New endpoint")
	dialog.fill("URL", "https://hooks.example.com/molar")
	dialog.click("Cancel")
	stays()
	dialog.has("URL", "https://hooks.example.com/molar")
	dialog.click("Cancel")
	owner.within("dialog", "Leave without saving?").click("Leave")
	owner.click("New endpoint")
	dialog.click("Cancel") // nothing is typed
	owner.seesNo("Every type")
	for _, field := range []string{"Name (optional)", "New password"} {
		owner.open("/test/settings")
		owner.fill(field, "Ola")
		owner.within("navigation", "Screens").click("Claims")
		stays()
		owner.has(field, "Ola")
		owner.within("navigation", "Screens").click("Claims")
		owner.within("dialog", "Leave without saving?").click("Leave")
		owner.seesA("heading", "Claims")
	}
	attachment := practice.post("/attachments", map[string]any{"claim_id": practice.crown()})["id"].(string)
	page := practice.signsIn("biller")
	page.open("/test/attachments/" + attachment)
	page.upload("Choose images", film(t, "crown.png", 64, 48))
	page.row("crown.png").choose("What it shows", "Bitewings")
	page.row("crown.png").fill("Taken on", "2026-01-09")
	page.within("navigation", "Screens").click("Claims")
	page.within("dialog", "Leave without saving?").click("Stay")
	page.row("crown.png").has("Taken on", "2026-01-09")
	page.click("Leave out crown.png")
	page.open("/test/eligibility/new")
	page.fill("First name", "Nia")
	page.within("navigation", "Screens").click("Claims")
	page.within("dialog", "Leave without saving?").click("Stay")
	page.has("First name", "Nia")
	page.click("Account: Cedar Dental " + practice.email("biller"))
	page.click("Sign out")
	page.within("dialog", "Leave without saving?").click("Stay")
	page.has("First name", "Nia")
	page.mayBeRefused(http.StatusUnauthorized, "")
	page.click("Account: Cedar Dental " + practice.email("biller"))
	page.click("Sign out")
	page.within("dialog", "Leave without saving?").click("Leave")
	page.seesA("heading", "Sign in to Molar")
	page.seesNo("You were signed out.")
}
