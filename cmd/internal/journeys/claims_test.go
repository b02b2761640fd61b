package journeys_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
)

// lastWeek is a day on which services were done: seven days before today where the
// browser and the practices are, because a screen counts the days from it.
var lastWeek = time.Now().In(newYork).AddDate(0, 0, -7).Format(time.DateOnly)

// entersPlan fills in the payer of test mode, and a subscriber whose member ID
// chooses what it does.
func (p *page) entersPlan(firstName, memberID string) {
	p.tb.Helper()
	p.entersPayer()
	p.fill("First name", firstName)
	p.fill("Last name", "Rivers")
	p.fill("Date of birth", "1984-02-29")
	p.fill("Member ID", memberID)
	p.fill("Street", "2 Oak Street")
	p.fill("City", "Albany")
	p.fill("State", "NY")
	p.fill("ZIP code", "12207")
}

func (p *page) entersPayer() {
	p.tb.Helper()
	p.fill("Payer", "CHTEST")
	p.clickA("option", "Molar Test Payer (CHTEST)")
	p.has("Payer", "Molar Test Payer (CHTEST)")
}

// claim returns the ID of the claim that the page shows.
func (p *page) claim() (id string) {
	p.tb.Helper()
	p.until("the address of a claim", func(*rod.Page) error {
		for _, part := range strings.Split(p.address(), "/") {
			if strings.HasPrefix(part, "clm_") {
				id = part
				return nil
			}
		}
		return errors.New("is " + p.address())
	})
	return id
}

// becomes waits until a claim has a state, and loads the page again.
func (p *page) becomes(practice *practice, claim, state string) {
	p.tb.Helper()
	p.until("the claim", func(*rod.Page) error {
		if now := practice.get("/claims/" + claim)["state"]; now != state {
			return fmt.Errorf("is %v, want %s", now, state)
		}
		return nil
	})
	p.reload()
}

// subscriber is a subscriber for practice.post.
func subscriber(firstName, memberID string) map[string]any {
	return map[string]any{
		"first_name": firstName, "last_name": "Rivers", "date_of_birth": "1984-02-29", "member_id": memberID,
		"address": map[string]any{"line1": "2 Oak Street", "city": "Albany", "state": "NY", "zip": "12207"},
	}
}

// claims creates a claim of lines.
func (p *practice) claims(firstName, memberID string, with map[string]any, lines ...map[string]any) (id string) {
	p.t.Helper()
	body := map[string]any{"office_id": p.office, "payer_id": "CHTEST", "subscriber": subscriber(firstName, memberID), "lines": lines}
	for k, v := range with {
		body[k] = v
	}
	return p.post("/claims", body)["id"].(string)
}

func aFilling() map[string]any {
	return map[string]any{"procedure_code": "D2391", "service_date": lastWeek, "fee": "180.00", "tooth": "14", "surfaces": []string{"M", "O"}}
}

// A biller chooses a tooth and its surfaces on the chart with the mouse, adds two X-rays
// of which one is turned, sends both, and marks the payment as posted.
func TestClaimWithXRaysToPaid(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.open("/test/claims/new")
	page.entersPlan("Sam", "W1-PAID-ERA")
	line := page.within("group", "Line 1")
	line.fill("Procedure", "D2391")
	line.fill("Service date", lastWeek)
	line.fill("Fee", "180")
	page.screen("claim-new")
	page.click("Choose the tooth of line 1 on the chart")
	chart := page.within("dialog", "Line 1, D2391")
	chart.focuses("Tooth 8, upper right central incisor")
	chart.clickSurface("3", "lingual")
	chart.sees("Tooth 3 L", "upper right first molar")
	for _, side := range []string{"mesial", "outer", "middle", "outer"} { // the outer one is a slip
		chart.clickSurface("14", side)
	}
	chart.sees("Tooth 14 MO", "upper left first molar")
	chart.has("Tooth", "14")
	chart.has("Surfaces", "MO")
	page.screen("odontogram")
	chart.click("Done")
	line.has("Surfaces", "MO")
	line.has("Fee", "180.00")
	page.click("Check")
	page.sees("The claim is saved, and nothing is wrong with it.", "14 MO")
	claim := page.claim()

	page.click("Add images")
	page.fill("Narrative", "The old filling of tooth 14 is broken.")
	page.click("Continue to the images")
	page.upload("Choose images", film(t, "before.png", 640, 480), film(t, "lying.jpg", 400, 600))
	for _, name := range []string{"before.png", "lying.jpg"} {
		page.row(name).choose("What it shows", "Bitewings")
		page.row(name).fill("Taken on", lastWeek)
	}
	page.click("Turn image 2 left")
	page.click("Upload 2 images")
	page.sees("Ready to send.")
	page.click("Send to the payer")
	page.within("dialog", "Send to the payer?").click("Send and close")
	page.seesA("heading", "In the claim file")
	page.click("Open the claim")
	page.at("/test/claims/" + claim)
	page.sees("2 documents", "Closed") // else it asks whether the images go first
	page.click("Send to the payer")
	page.sees("The claim is queued for the next file.")
	page.sees("Patient owes") // without a reload
	page.screen("claim-paid")
	page.click("Ask the payer")
	page.sees("Decided with a payment: paid", "F1:65", "The payer announces", "Payment number")
	page.click("Show the 276 and 277")
	page.sees("REF*EJ*")
	page.screen("claim-status")
	page.click("Reconcile")
	page.sees("Reconciled")
}

// A claim that the payer does not find is work of Today, whose act asks the payer again.
func TestAClaimThatThePayerDoesNotFind(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.call(http.MethodPatch, "/sandbox/clock", map[string]any{"running": false})
	claim := practice.claims("Nora", "W91-STATUS-NOT-FOUND", map[string]any{"submit": true}, aFilling())
	for range 10 {
		if practice.get("/claims/" + claim)["state"] == "accepted_payer" {
			break
		}
		practice.advances(map[string]any{"until": "next"})
	}
	practice.post("/claims/"+claim+"/status_inquiries", map[string]any{})
	page := practice.signsIn("biller")
	page.open("/test")
	page.sees("No decision 1", "the payer found no such claim")
	page.press("J")
	page.press("Enter")
	page.at("/test/claims/" + claim)
	page.sees("Ask the payer A", "claim not found")
	page.press("A")
	page.sees("The payer was asked.", "1 earlier answer")
	page.screen("claim-not-found")
}

// A claim whose images are not sent asks, and sends both.
func TestImagesAreSentWithTheirClaim(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Ida", "W17", nil, aFilling())
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.click("Add images")
	page.click("Continue to the images")
	page.upload("Choose images", film(t, "before.png", 640, 480), film(t, "after.jpg", 400, 600))
	for _, name := range []string{"before.png", "after.jpg"} {
		page.row(name).choose("What it shows", "Bitewings")
		page.row(name).fill("Taken on", lastWeek)
	}
	page.click("Upload 2 images")
	page.sees("Ready to send.")
	practice.post("/claims/"+claim+"/hold", map[string]any{"reason": "The dentist looks at the films."})
	page.open("/test/claims/" + claim)
	page.sees("The claim is held, and no batch takes it", "The dentist looks at the films.")
	page.click("Release")
	page.sees("The claim is released.")
	page.click("Send to the payer")
	dialog := page.within("dialog", "2 images are not sent. Send both?")
	page.screen("claim-images-unsent")
	dialog.click("Send both")
	page.sees("The claim is queued for the next file.", "Closed", "2 documents")
}

// The form of a claim asks about its images as the claim's page does, and sends none
// while something is left to correct.
func TestImagesAreSentFromTheForm(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Ida", "W37", map[string]any{"draft": true}, aFilling())
	attachment := practice.post("/attachments", map[string]any{"claim_id": claim})["id"].(string)
	page := practice.signsIn("biller")
	page.open("/test/attachments/" + attachment)
	page.upload("Choose images", film(t, "before.png", 640, 480))
	page.row("before.png").choose("What it shows", "Bitewings")
	page.row("before.png").fill("Taken on", lastWeek)
	page.click("Upload 1 image")
	page.sees("Ready to send.")
	page.open("/test/claims/" + claim + "/edit")
	line := page.within("group", "Line 1")
	line.fill("Tooth", "")
	page.click("Send")
	page.within("dialog", "1 image is not sent. Send both?").click("Send both")
	page.sees("1 thing to correct")
	if state := practice.get("/attachments/" + attachment)["state"]; state != "open" {
		t.Errorf("the attachment of a claim with findings is %v", state)
	}
	line.fill("Tooth", "14")
	page.click("Send")
	dialog := page.within("dialog", "1 image is not sent. Send both?")
	page.screen("claim-form-images-unsent")
	dialog.click("Cancel")
	page.click("Send")
	dialog.click("Send both")
	page.sees("The claim is queued for the next file.", "Closed", "1 document")
}

// What a payer asks for is named on its claim, until it is answered.
func TestOpenRequestIsNamedOnItsClaim(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Ivy", "W18-INFO-REQUEST", map[string]any{"submit": true}, aFilling())
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.sees("Molar Test Payer asks for more information") // without a reload
	page.seesNo("No action is needed")
	page.screen("claim-request")
	page.click("Answer the request")
	page.seesA("heading", "Request from Molar Test Payer")
	page.open("/test")
	page.row("The payer asks for more").sees("Payer request")
}

// A payment that is taken back after its claim was reconciled is work of Today, and the
// claim is reconciled again.
func TestChangedPaymentIsReconciledAgain(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Rosa", "W19-PAID-ERA", map[string]any{"submit": true}, aFilling())
	page := practice.signsIn("biller")
	page.becomes(practice, claim, "paid")
	practice.post("/claims/"+claim+"/reconcile", map[string]any{})
	era := practice.get("/eras")["data"].([]any)[0].(map[string]any)["id"].(string)
	practice.post("/eras/"+era+"/claims/1/unapply", map[string]any{"note": "Another practice's check."})
	page.open("/test")
	page.sees("Payment changed 1")
	page.press("J")
	page.press("Enter")
	page.at("/test/claims/" + claim)
	page.sees("Back to Today T")
	page.open("/test/claims?payment_changed=true&order=asc")
	page.sees("Payment taken back or changed", "Rosa Rivers")
	page.screen("claims-changed")
	page.click("Rosa Rivers")
	page.click("Reconcile again")
	page.within("dialog", "Accept the open amount of $180.00?").click("Accept and reconcile")
	page.sees("The claim is reconciled.")
	page.seesNo("Reconcile again")
}

// What the rules find stands beside its fields. The keyboard is enough to make
// the claim, to correct it and to send it.
func TestFindingsAreCorrectedByKeyboard(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.open("/test/claims/new")
	page.seesA("heading", "New claim")
	page.tabTo("Payer")
	page.types("CHTEST")
	page.seesA("option", "Molar Test Payer (CHTEST)")
	page.press("Enter")
	page.has("Payer", "Molar Test Payer (CHTEST)")
	for _, field := range [][2]string{{"First name", "Ida"}, {"Last name", "Rivers"}} {
		page.tabTo(field[0])
		page.types(field[1])
	}
	page.press("Tab")
	page.digits(time.Date(1984, 2, 29, 0, 0, 0, 0, time.UTC))
	for _, field := range [][2]string{{"Member ID", "W2-PAID-ERA"}, {"Street", "2 Oak Street"}, {"City", "Albany"}, {"State", "NY"}, {"ZIP code", "12207"}, {"Procedure", "D2391"}} {
		page.tabTo(field[0])
		page.types(field[1])
	}
	page.press("Tab")
	page.digits(time.Now().AddDate(0, 0, -7))
	page.tabTo("Fee")
	page.types("180")
	page.press("Control+Enter")
	page.sees("2 things to correct", "Line 1: The procedure is for one tooth, and the tooth number is missing.")
	page.screen("claim-findings")
	page.tabTo("Line 1: The procedure is for one tooth, and the tooth number is missing.")
	page.press("Enter")
	page.focuses("Tooth")
	page.tabTo("Choose the tooth of line 1 on the chart")
	page.press("Enter")
	page.focuses("Tooth 8, upper right central incisor")
	page.press("Down")
	page.press("Up")
	page.press("Right")
	page.focuses("Tooth 9, upper left central incisor")
	for range 5 {
		page.press("Right")
	}
	page.press("D")
	page.press("O")
	page.sees("Tooth 14 DO")
	page.press("Escape")
	page.within("group", "Line 1").has("Surfaces", "DO")
	page.seesNo("to correct", "The procedure is for one tooth")
	page.tabTo("Send")
	page.press("Enter")
	page.sees("The claim is queued for the next file.")
	page.becomes(practice, page.claim(), "paid")
	page.sees("Patient owes")
	page.tabTo("Reconcile")
	page.press("Enter")
	page.sees("Reconciled")
}

// digits types a day into a date field that has the focus.
func (p *page) digits(day time.Time) {
	p.tb.Helper()
	if err := p.rod.Timeout(patience).Keyboard.Type(keysOf(day.Format("01022006"))...); err != nil {
		p.tb.Fatal(err)
	}
}

// A service that refuses or does not reply takes nothing away of what was typed.
func TestClaimIsKeptThroughARefusal(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.claims("Sam", "W3", map[string]any{"patient_control_number": "TAKEN-1", "draft": true}, aFilling())
	page := practice.signsIn("biller")
	page.open("/test/claims/new")
	page.entersPlan("Nia", "W4")
	page.click("Numbers")
	page.fill("Control number", "TAKEN-1")
	page.refused(409, "POST /api/v1/claims")
	page.click("Save as draft")
	page.sees("1 thing to correct", "Request req_")
	page.screen("claim-refused")
	page.has("First name", "Nia")
	page.fill("Control number", "FREE-1")
	page.seesNo("1 thing to correct", "Request req_") // it is another number now
	page.press("Control+A")
	page.types("TAKEN-1") // the refused one again, on the way to another that begins with it
	page.sees("1 thing to correct")
	page.types("-FREE")
	page.has("Control number", "TAKEN-1-FREE")
	page.seesNo("1 thing to correct")
	page.within("navigation", "Screens").click("Claims")
	page.seesA("dialog", "Leave without saving?")
	page.click("Stay")
	page.has("Member ID", "W4")
	page.click("Save as draft")
	page.sees("The draft is saved.")
	page.sees("TAKEN-1-FREE")
	page.screen("claim-draft")
	page.click("Continue the draft")
	page.has("First name", "Nia")
}

// A payer stays below its contract, and the biller accepts the difference on the page of the claim.
func TestUnderpaymentIsAcceptedOnItsClaim(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.post("/fee_schedules", map[string]any{
		"name": "Contract", "kind": "allowed", "payer_id": "CHTEST", "effective_from": "2020-01-01",
		"rows": []map[string]any{{"procedure_code": "D2391", "amount": "170.00"}},
	})
	claim := practice.claims("Rosa", "W16-PAID-ERA", map[string]any{"submit": true}, aFilling())
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.becomes(practice, claim, "paid")
	page.sees("less than its contract says.")
	page.screen("claim-underpaid")
	page.click("Accept the difference")
	page.within("dialog", "Accept what the payer allows?").click("Accept the difference")
	page.sees("The difference is accepted.")
	page.seesNo("Accept the difference")
	if open := practice.get("/tasks?kind=underpaid")["data"].([]any); len(open) != 0 {
		t.Errorf("open tasks: %v", open)
	}
}

// A paid claim is reconciled, opened again, replaced, and the replacement voided.
func TestReopenReplaceAndVoid(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Rosa", "W15-PAID-ERA", map[string]any{"submit": true}, aFilling())
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.click("Reconcile") // once it is paid, without a reload
	page.sees("The claim is reconciled.")
	page.click("More actions")
	page.click("Reopen")
	page.sees("The claim is open again.", "Reconciled")
	page.click("Reconcile")
	page.sees("The claim is reconciled.")
	page.click("More actions")
	page.click("Replace with a corrected claim")
	page.sees("The claim is closed, because it is reconciled.", "open the remittance")
	page.screen("claim-replace-closed")
	page.click("Reopen the claim")
	page.has("First name", "Rosa")
	page.within("group", "Line 1").fill("Fee", "190")
	page.screen("claim-replace")
	page.click("Send the replacement")
	page.sees("The claim is queued for the next file.", "$190.00")
	page.sees("Patient owes")
	page.click("More actions")
	page.click("Void")
	page.screen("claim-void")
	page.within("dialog", "Void this claim?").click("Void the claim")
	page.sees("The void is queued.", "Claim that this one voids")
	page.click("Claim that this one voids")
	page.sees("Voided")
}

// A paid claim is billed to the secondary payer, whose payment the first claim
// shows too, and then to the tertiary one.
func TestSecondaryToPaid(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Rosa", "W5-PAID-ERA", map[string]any{"submit": true}, aFilling())
	page := practice.signsIn("biller")
	page.open("/test/claims/" + claim)
	page.seesA("heading", "Rosa Rivers")
	page.becomes(practice, claim, "paid")
	page.click("More actions")
	page.click("Bill the secondary payer")
	page.entersPayer()
	page.choose("Patient's relationship", "Self")
	page.has("First name", "Rosa")
	page.has("Street", "2 Oak Street")
	page.fill("Member ID", "W6")
	page.screen("claim-secondary")
	page.click("Make the secondary claim")
	page.sees("Ready to send", "Claim to the primary payer")
	page.click("Send to the payer")
	page.sees("The claim is queued for the next file.")
	secondary := page.claim()
	page.becomes(practice, secondary, "paid")
	page.sees("Patient owes")
	page.click("Claim to the primary payer")
	page.at("/test/claims/" + claim)
	page.agrees("the claim to the primary payer")
	page.screen("claim-paid-twice")
	page.click("Claim to the secondary payer")
	page.at("/test/claims/" + secondary)
	page.agrees("the claim to the secondary payer")
	page.click("More actions")
	page.click("Bill the tertiary payer")
	page.sees("What the secondary payer decided")
	page.entersPayer()
	page.choose("Patient's relationship", "Self")
	page.fill("Member ID", "W7")
	page.click("Make the tertiary claim")
	page.sees("Ready to send", "Claim to the secondary payer")
	page.click("Send to the payer")
	page.sees("The claim is queued for the next file.")
	page.becomes(practice, page.claim(), "denied") // the secondary payer left nothing
}

// A predetermination becomes a claim of the services that are done.
func TestPredeterminationToClaim(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	predetermination := practice.claims("Kim", "W7-ESTIMATE", map[string]any{"kind": "predetermination", "submit": true},
		map[string]any{"procedure_code": "D2740", "fee": "1250.00", "tooth": "3"}, map[string]any{"procedure_code": "D2950", "fee": "300.00", "tooth": "3"})
	page := practice.signsIn("biller")
	page.open("/test/claims/" + predetermination)
	page.seesA("heading", "Kim Rivers")
	page.becomes(practice, predetermination, "returned")
	page.sees("Plan pays")
	page.screen("predetermination")
	page.click("Convert to a claim")
	page.click("D2950, 3, $300.00")
	page.fill("Service date of line 1", lastWeek)
	page.screen("predetermination-convert")
	page.click("Make the claim")
	page.sees("Original predetermination", "$1,250.00")
	page.seesNo("D2950")
}

// A viewer reads claims and finds nothing that writes.
func TestViewerReadsClaims(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claim := practice.claims("Vera", "W8", nil, aFilling())
	practice.claims("Cleo", "W9", nil, map[string]any{"procedure_code": "D2740", "service_date": "2026-01-02", "fee": "1250.00", "tooth": "3"})
	page := practice.signsIn("viewer")
	page.within("navigation", "Screens").click("Claims")
	page.sees("Vera Rivers", "Cleo Rivers")
	page.seesNo("New claim")
	page.click("Charge")
	page.at("/test/claims?sort=charge")
	page.seesFirst("Cleo Rivers")
	page.click("Charge")
	page.at("/test/claims?sort=charge&order=asc")
	page.seesFirst("Vera Rivers")
	page.screen("claims-by-charge")
	page.open("/test/claims/" + claim)
	page.sees("Ready to send", "14 MO", "The claim was not sent, so the payer does not have it.")
	page.seesNo("Send to the payer", "Add images")
	for _, path := range []string{"/new", "/" + claim + "/edit"} {
		page.open("/test/claims" + path)
		page.until("a page without a form", func(r *rod.Page) error {
			text, err := page.shown(r)
			if err == nil && !strings.Contains(text, "but not change anything") && !strings.Contains(text, "can be edited") {
				err = errors.New(text)
			}
			return err
		})
		page.seesNo("Save as draft")
	}
}

// seesFirst waits until the first row of the list has the text.
func (p *page) seesFirst(text string) {
	p.tb.Helper()
	p.until("a list that begins with "+text, func(r *rod.Page) error {
		first, err := p.eval(r, `() => document.querySelector("main tbody tr")?.innerText ?? ""`)
		if err == nil && !strings.Contains(first, text) {
			err = errors.New(first)
		}
		return err
	})
}

// Texts of any kind are shown as they are, and break nothing.
func TestHostileTextsOfAClaim(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	const script = `<script>alert(1)</script>`
	name := strings.Repeat("Wolfeschlegelsteinhausen", 5)
	page := practice.signsIn("biller")
	page.open("/test/claims/new")
	page.entersPlan(name, "W9")
	page.fill("Last name", "שלום 🦷 <b>")
	page.click("Note to the payer")
	page.fill("Note", script+strings.Repeat("x", 200)+" \u202eright to left")
	page.within("group", "Line 1").fill("Procedure", "D0120")
	page.within("group", "Line 1").fill("Fee", "55")
	page.click("Save as draft")
	page.sees("The draft is saved.", script, "שלום 🦷 <b>")
	page.screen("claim-hostile")
	page.click("Continue the draft")
	page.has("Last name", "שלום 🦷 <b>")
	page.screen("claim-hostile-form")
	page.click("Claims")
	page.sees(name)
	page.screen("claims-hostile")
}

// A rejection for its member ID leads to that field, and says its status in words.
func TestARejectionLeadsToItsField(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	claim := practice.claims("Rick", "W1-REJECTED", map[string]any{"submit": true}, aFilling())
	page.open("/test/claims/" + claim)
	page.becomes(practice, claim, "rejected")
	const rejection = "The payer rejected the claim: invalid member ID (status A7:164). Its message: THE MEMBER ID IS NOT ON FILE."
	page.sees(rejection)
	page.click("Correct the claim")
	page.within("group", "Subscriber").sees(rejection)
	page.click(rejection)
	page.focuses("Member ID")
	page.screen("claim-rejected")
}
