package journeys_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bills sends a claim of two services for a patient, and waits for its remittance.
// The ending of the member ID decides what the payer does.
func (p *practice) bills(first, last, ending string) (id string) {
	p.t.Helper()
	day := time.Now().AddDate(0, 0, -2).Format(time.DateOnly)
	claim := p.post("/claims", map[string]any{
		"office_id": p.office, "payer_id": "CHTEST", "submit": true,
		"subscriber": map[string]any{
			"first_name": first, "last_name": last, "date_of_birth": "1985-04-12", "member_id": "W55" + ending, "gender": "female",
			"address": map[string]string{"line1": "2 Oak Street", "city": "Albany", "state": "NY", "zip": "12207"},
		},
		"lines": []map[string]string{
			{"procedure_code": "D2740", "service_date": day, "fee": "1250.00", "tooth": "14"},
			{"procedure_code": "D0220", "service_date": day, "fee": "45.00", "tooth": "14"},
		},
	})
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); len(p.get("/eras")["data"].([]any)) == 0; <-tick.C {
		if time.Now().After(end) {
			p.t.Fatal("no remittance arrives")
		}
	}
	return claim["id"].(string)
}

// api returns the path of the page's remittance in the API.
func (p *page) api(path string) string {
	p.tb.Helper()
	at, _, _ := strings.Cut(p.address(), "?")
	return "/api/v1/eras/" + at[strings.LastIndex(at, "/")+1:] + path
}

// A remittance that does not add up cannot be posted until a biller applies it, with
// a note that the claim's history keeps.
func TestUnbalancedRemittanceIsApplied(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.click("Remittances")
	page.sees("Nothing to finish")
	page.screen("remittances-empty")
	practice.bills("Una", "Balanced", "-UNBALANCED")
	page.sees("0 of 1 claim finished", "does not add up", "1 to review")
	page.screen("remittances")
	page.click("Molar Test Payer")
	page.sees("1 claim needs a decision", "Charge, adjustments and payment do not add up.", "1.00 too much")
	page.screen("remittance-unbalanced")

	page.refused(http.StatusConflict, "POST "+page.api("/post"))
	page.click("Post")
	page.seesA("dialog", "Post it with unfinished claims?")
	page.click("Finish the claims first")
	page.seesNo("Post it with unfinished claims?")

	page.click("Apply")
	dialog := page.within("dialog", "Apply the payment?")
	dialog.sees("Una Balanced", "Apr 12, 1985")
	page.screen("remittance-apply")
	dialog.fill("Note for the claim's history", "The payer confirmed the dollar by phone.")
	dialog.click("Apply")
	page.sees("Every claim is finished, but the amounts do not add up")
	page.click("Post")
	page.sees("Posted")
	page.click("Show all lines")
	page.click("Open the claim")
	page.sees("The payer confirmed the dollar by phone.")
}

// A payment without a usable number is matched by a search, by keyboard, and
// posted, which reconciles the claim. No text of the search is in an address.
func TestUnmatchedRemittanceIsMatchedAndPosted(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.bills("Cora", "Cutler", "-CUT-NUMBER")
	page := practice.signsIn("biller")
	page.click("Remittances")
	page.sees("0 of 1 claim finished")
	page.click("Molar Test Payer")
	page.sees("No claim has its control number or the payer's claim number.", "U next claim to decide", "M find its claim", "I ignore")
	page.screen("remittance-keys")
	page.press("i")
	page.seesA("dialog", "Ignore this remittance claim?")
	page.press("Escape")
	page.seesNo("Ignore this remittance claim?")
	page.press("m")
	page.seesA("dialog", "Find the claim")
	page.fill("Search claims", "cutler, c")
	page.sees("Cora Cutler", "born Apr 12, 1985", "Same patient, member ID, control number, service date, charge, open amount.")
	page.screen("remittance-match")
	if strings.Contains(strings.ToLower(page.address()), "cutler") {
		t.Errorf("the address is %s", page.address())
	}
	page.clickA("searchbox", "Search claims")
	page.press("Tab")
	page.press("Enter")
	page.sees("Choose another claim")
	page.click("Molar matches the 2 lines by procedure, date and charge. Choose by hand if it cannot know.")
	page.choose("Pays, line 2 of the payer", "Line 2: D0220, $45.00")
	page.screen("remittance-match-lines")
	page.click("Match and apply")
	page.sees("Every claim is finished, and all amounts add up")
	page.click("Post")
	page.sees("Posted")
	page.click("Show all lines")
	page.sees("Above the plan's fee", "CO-45", "line 2 of the claim", "matched by a person")
	page.screen("remittance-posted")
	if n := len(page.printed()); n > 2 {
		t.Errorf("a remittance of one claim prints on %d pages", n)
	}
	page.click("Open the claim")
	page.sees("Reconciled") // with the remittance
	practice.banks(page)
}

// banks lets a biller import the bank's file with the money of the only remittance, under
// another name, and match it by hand.
func (p *practice) banks(page *page) {
	p.t.Helper()
	era := p.get("/eras")["data"].([]any)[0].(map[string]any)["payment"].(map[string]any)
	file := filepath.Join(p.t.TempDir(), "bank.csv")
	text := fmt.Sprintf("Date,Description,Amount\n%s,HCCLAIMPMT SOMEBODY ELSE,%s\n%[1]s,RENT,-1200.00\n", era["date"], era["total"])
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	page.within("navigation", "Screens").click("Deposits")
	page.sees("Nothing to match")
	page.screen("deposits-none")
	page.click("Import")
	page.click("For a CSV file, and for payers that the bank does not mark")
	page.fill("Account (last four digits) (optional)", "6789")
	page.upload("Choose a file", file)
	page.sees("Entries of the file", "Matched at once")
	page.screen("deposits-imported")
	page.click("Done")
	page.sees("HCCLAIMPMT SOMEBODY ELSE", "…6789")
	page.screen("deposits")
	page.click("HCCLAIMPMT SOMEBODY ELSE")
	page.sees("May pay", "MOLAR TEST PAYER")
	page.screen("deposit")
	page.click("Match")
	page.sees("Matched by hand", "Undo the match")
	page.screen("deposit-matched")
	page.click("Undo the match")
	page.within("dialog", "Undo the match?").click("Undo the match")
	page.sees("May pay")
	page.click("Match")
	page.click("Matched by hand")
	page.sees("in the bank", "Deposit of")
}

// One click posts a remittance and reconciles its claim. What was left out is named with the reason, and
// to unpost it reopens the claim.
func TestPostedOnce(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.bills("Dora", "Denied", "-DENIED")
	denied := practice.era("applied")
	practice.bills("Paul", "Paid", "-PAID-ERA")
	paid := practice.era("applied", denied)
	page := practice.signsIn("biller")
	page.open(denied)
	page.click("Post")
	page.sees("No claim is reconciled, and 1 claim is left out.", "Not reconciled", "A part of the charge is open")
	page.screen("remittance-left-out")
	page.within("table", "Claims that were left out when the remittance was posted").click("DORA DENIED")
	page.sees("The payer refuses a part and $1,295.00 is open")
	page.open(paid)
	page.click("Post")
	page.sees("1 claim is reconciled.")
	page.seesNo("Not reconciled")
	claim := practice.get(strings.Replace(paid, "/test/remittances", "/eras", 1))["claims"].(map[string]any)["data"].([]any)[0].(map[string]any)["claim_id"].(string)
	if state := practice.get("/claims/" + claim)["state"]; state != "reconciled" {
		t.Errorf("the claim is %v", state)
	}
	page.click("More actions")
	page.click("Unpost")
	dialog := page.within("dialog", "Unpost the remittance?")
	dialog.sees("The claims that its posting reconciled are reopened")
	dialog.click("Unpost")
	page.sees("Every claim is finished")
	if state := practice.get("/claims/" + claim)["state"]; state != "paid" {
		t.Errorf("the claim is %v", state)
	}
}

// A remittance is unposted, its claim unapplied, and applied again.
func TestApplicationIsTakenBack(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.bills("Pat", "Paid", "-PAID-ERA")
	page := practice.signsIn("biller")
	page.open("/test/remittances?state=needs_review&needs_attention=false")
	page.sees("1 claim, finished")
	page.click("Molar Test Payer")
	page.click("Post")
	page.sees("Posted")
	page.click("Show all lines")
	page.sees("unpost the remittance first")
	page.click("More actions")
	page.click("Unpost")
	page.within("dialog", "Unpost the remittance?").click("Unpost")
	page.sees("Every claim is finished")
	page.click("Unapply")
	dialog := page.within("dialog", "Unapply the payment?")
	dialog.fill("Note for the claim's history", "Applied to the wrong visit.")
	dialog.click("Unapply")
	page.sees("A person reversed its application to the claim.")
	page.click("Ignore")
	page.within("dialog", "Ignore this remittance claim?").click("Ignore")
	page.sees("Ignored", "$828.80 of this remittance is on no claim: 1 remittance claim is ignored.")
	page.click("Apply")
	page.within("dialog", "Apply the payment?").click("Apply")
	page.sees("Every claim is finished")
}

// A viewer reads a remittance and its file, and changes nothing.
func TestViewerReadsRemittances(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.bills("Una", "Balanced", "-UNBALANCED")
	page := practice.signsIn("viewer")
	page.click("Remittances")
	page.sees("0 of 1 claim finished")
	page.seesNo("Import")
	page.click("Molar Test Payer")
	page.sees("1 claim needs a decision")
	page.click("Show all lines")
	page.sees("Open the claim")
	for _, name := range []string{"Post", "Apply", "Match to another claim", "Ignore", "Unapply"} {
		if page.offers(name) {
			t.Errorf("a viewer has the button %q", name)
		}
	}
	page.click("More actions")
	page.click("Show the 835 file")
	page.sees("BPR*", "Download")
	page.screen("remittance-file")
}

// offers reports whether the page has a button with the name now.
func (p *page) offers(name string) bool {
	_, err := p.find(p.rod.Timeout(patience), []string{"button"}, name)
	return err == nil
}

// hostile is a file of two payments, the second one for a stranger. Its texts try to
// be markup, to move the cursor, and to turn the text around.
func hostile(t *testing.T) string {
	t.Helper()
	payment := func(set, npi, trace string) string {
		return "ST*835*" + set + "~BPR*I*-5*D*ACH*CCP*01*999999999*DA*1*1512345678**01*999988880*DA*1*20260306~TRN*1*" + trace + "*1512345678~" +
			"N1*PR*<script>alert(1)</script> \x1b[2J\u202ePLAN~N1*PE*<b>MAIN</b>*XX*" + npi + "~LX*1~" +
			"CLP*\"><img src=x onerror=alert(1)>*22*-100*-5*-45*12*<svg onload=1>~CAS*CO*45*-50~" +
			"NM1*QC*1*<script>alert(2)</script>*\x07Eve\u202e*\\u0000~DTM*232*20260301~PLB*" + npi + "*20261231*ZZ:<i>ref</i>*0~" +
			"SE*11*" + set + "~"
	}
	text := "ISA*00*          *00*          *ZZ*SANDBOX        *ZZ*MOLAR          *260306*1200*^*00501*000000077*0*T*:~GS*HP*SANDBOX*MOLAR*20260306*1200*77*X*005010X221A1~" +
		payment("0001", "1234567893", "<h1>TRACE-1</h1>") + payment("0002", "1999999992", "TRACE-2") + "GE*2*77~IEA*1*000000077~"
	file := filepath.Join(t.TempDir(), "hostile<script>.835")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A biller imports a hostile file. Its texts are shown as they are, and run nothing.
// Its second payment waits in quarantine, and is assigned to the office.
func TestHostileRemittanceIsImported(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.click("Remittances")
	page.click("Import")
	page.upload("Choose a file", hostile(t))
	page.sees("<script>alert(1)</script>", "Imported", "In quarantine")
	page.screen("remittance-imported")
	page.upload("Choose another file", hostile(t))
	page.sees("Already here")
	page.click("Done")
	page.sees("<script>alert(1)</script>", "<h1>TRACE-1</h1>")
	page.screen("remittances-hostile")
	page.click("Today")
	page.row("It is not certain which office a payment is for").sees("In quarantine")
	page.screen("today-quarantine")
	page.open("/test?kind=quarantined")
	page.sees("It is not certain which office a payment is for")

	// A file in quarantine has no page. Its notes are in a dialog.
	page.press("J")
	page.press("N")
	page.focuses("New note")
	page.within("dialog", "Notes").sees("No notes.")
	page.types("Main Street moved, and the payer has its old NPI.")
	page.screen("today-note")
	page.press("Control+Enter")
	page.sees("The note is added.")
	page.seesNo("New note")
	page.row("It is not certain which office a payment is for").sees("You: Main Street moved, and the payer has its old NPI.")
	page.press("A")
	page.at("/test/remittances/quarantine?order=asc")
	page.sees("<b>MAIN</b>", "NPI 1999999992", "TRACE-2")
	page.screen("quarantine")
	page.press("N")
	page.within("dialog", "Notes").sees("You", "Main Street moved, and the payer has its old NPI.")
	page.press("Escape")
	page.seesNo("New note")
	page.press("A")
	dialog := page.within("dialog", "Assign the payment")
	dialog.choose("Office", "Main Street")
	dialog.click("Assign")
	page.sees("−$5.00", "1 claim needs a decision")
	page.click("Show all lines")
	page.sees("<script>alert(2)</script>", "<img src=x onerror=alert(1)>", "<i>ref</i>")
	page.screen("remittance-hostile")
	if shown := page.text(); strings.ContainsAny(shown, "\x00\x07\x1b\u202e") {
		t.Errorf("the page shows %q", shown)
	}
	page.click("Find the claim")
	page.seesA("dialog", "Find the claim")
	page.press("Escape")
	page.click("More actions")
	page.click("Show the 835 file")
	page.sees("␛[2J")
	page.open("/test/remittances/quarantine")
	page.sees("Nothing is in quarantine")
	page.screen("quarantine-empty")
}

// The claims to decide show by themselves until the last one is decided.
func TestDecidedClaimsShowAgain(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	claims := ""
	for i := range 6 {
		claims += fmt.Sprintf("CLP*N-%d*1*100*80*20*12*ICN%d~CAS*PR*2*20~NM1*QC*1*RIVERS*ROSA%d~DTM*232*20260301~", i, i, i)
	}
	file := filepath.Join(t.TempDir(), "six.835")
	text := "ISA*00*          *00*          *ZZ*SANDBOX        *ZZ*MOLAR          *260306*1200*^*00501*000000077*0*T*:~GS*HP*SANDBOX*MOLAR*20260306*1200*77*X*005010X221A1~" +
		"ST*835*0001~BPR*I*480*C*ACH*CCP*01*999999999*DA*1*1512345678**01*999988880*DA*1*20260306~TRN*1*SIX*1512345678~" +
		"N1*PR*PLAN~N1*PE*MAIN*XX*1234567893~LX*1~" + claims + "SE*31*0001~GE*1*77~IEA*1*000000077~"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	page := practice.signsIn("biller")
	page.open("/test/remittances")
	page.click("Import")
	page.upload("Choose a file", file)
	page.sees("Imported")
	path := practice.era("unmatched")
	page.open(path)
	page.click("Show the 6 to decide")
	page.sees("Show all claims")
	for i := range 6 {
		practice.post(fmt.Sprint(strings.Replace(path, "/test/remittances", "/eras", 1), "/claims/", i+1, "/ignore"), map[string]any{})
	}
	page.seesNo("Show all claims", "to decide", "No claim matches") // without a reload
	page.sees("N-0", "N-5")
}

// A file that is no 835 says why, and a quarantined one is deleted.
func TestImportIsRefusedAndQuarantineDeleted(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.click("Remittances")
	page.click("Import")
	page.refused(http.StatusUnprocessableEntity, "POST /api/v1/eras/import")
	page.upload("Choose a file", "doc_test.go")
	page.sees("Request req_")
	page.screen("remittance-import-refused")
	other := page.tab("/test/remittances/quarantine")
	other.sees("Nothing is in quarantine")
	page.upload("Choose a file", hostile(t))
	other.sees("TRACE-2") // without a reload
	page.click("Open the quarantine")
	page.sees("TRACE-2")
	page.click("Delete")
	page.within("dialog", "Delete the file?").click("Delete")
	page.sees("Nothing is in quarantine")
	if list := practice.get("/quarantine")["data"].([]any); len(list) != 0 {
		t.Errorf("the quarantine has %s", fmt.Sprint(list))
	}
}

// A biller accepts what a denial leaves open, and takes that back.
func TestWhatIsOpenIsAccepted(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.bills("Dora", "Denied", "-DENIED")
	page := practice.signsIn("biller")
	page.open("/test/claims?state=denied")
	page.click("Dora Denied")
	page.sees("The payer refuses a part and $1,295.00 is open", "(N130)", "Replace with a corrected claim")
	page.agrees("a denial")
	for _, as := range []string{"Bill the patient", "Write it off"} {
		page.click("Accept the open amount")
		dialog := page.within("dialog", "Accept the open amount of $1,295.00?")
		dialog.choose("How to close it", as)
		dialog.click("Accept and reconcile")
		page.sees("Reconciled", "No action is needed: the claim is settled.")
		page.agrees("what was accepted")
		page.click("More actions")
		page.click("Reopen")
		page.sees("The payer refuses a part and $1,295.00 is open")
	}
}

// era waits for a remittance whose claims are all in one state, other than the given
// ones, and returns its path.
func (p *practice) era(state string, but ...string) (path string) {
	p.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); path == ""; <-tick.C {
		for _, e := range p.get("/eras")["data"].([]any) {
			era := e.(map[string]any)
			at := "/test/remittances/" + era["id"].(string)
			if era["progress"].(map[string]any)[state] == era["counts"].(map[string]any)["claims"] && !slices.Contains(but, at) {
				path = at
			}
		}
		if time.Now().After(end) {
			p.t.Fatalf("no remittance is %s", state)
		}
	}
	return path
}

// What the payer states finds the claim without a search. A match to another patient,
// or to a claim that is paid, asks again.
func TestMatchToAnotherClaimAsksAgain(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.bills("Paul", "Paid", "-PAID-ERA")
	practice.era("applied")
	practice.bills("Cora", "Cutler", "-CUT-NUMBER")
	page := practice.signsIn("biller")
	page.open(practice.era("unmatched"))
	page.click("Find the claim")
	page.sees("Cora Cutler", "Same patient, member ID, control number")
	page.fill("Search claims", "paid, p")
	page.sees("Paul Paid", "Different patient (payer:", "$0.00 open")
	page.seesNo("Cora Cutler")
	page.screen("remittance-match-other")
	page.clickA("searchbox", "Search claims")
	page.press("Tab")
	page.press("Enter")
	page.click("Match and apply")
	dialog := page.within("dialog", "Is this the right claim?")
	dialog.sees("The claim is for Paul Paid.", "The payers have paid")
	page.screen("remittance-match-asks")
	dialog.click("Cancel")
	page.click("Choose another claim")
	page.fill("Search claims", "cutler")
	page.sees("Cora Cutler")
	page.clickA("searchbox", "Search claims")
	page.press("Tab")
	page.press("Enter")
	page.click("Match and apply")
	page.sees("Every claim is finished", "Applied, paid")
}

// A payment whose patient and charge differ shows both sides. Its warnings are in sight
// once it is applied, and what is applied says what the payer decided.
func TestBothSidesOfAPaymentAreShown(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.claims("Esther", "W7-ESTIMATE", map[string]any{"kind": "predetermination", "submit": true},
		map[string]any{"procedure_code": "D2740", "fee": "1250.00", "tooth": "14"})
	estimated := practice.era("applied")
	practice.bills("Dora", "Denied", "-DENIED")
	denied := practice.era("applied", estimated)
	practice.bills("Wanda", "Wrong", "-WRONG-PATIENT")
	page := practice.signsIn("biller")
	page.open(practice.era("needs_review"))
	page.sees("The patient and the charge both differ from the claim's.")
	page.within("table", "What differs").sees("Patient", "Wanda Wrong", "Member ID", "W55-WRONG-PATIENT", "Charge", "$1,295.00")
	page.screen("remittance-sides")
	page.click("Apply")
	page.within("dialog", "Apply the payment?").click("Apply")
	page.sees("Applied, paid", "The patient's name and member ID differ from those on the claim.")
	page.open(denied)
	page.sees("Applied, denied")
	page.open(estimated)
	page.sees("Applied, estimated")
}
