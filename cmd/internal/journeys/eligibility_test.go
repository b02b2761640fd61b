package journeys_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// A payer rejects a check. The front desk corrects the date of birth in place, and
// reads the answer.
func TestARejectedCheckIsCorrected(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.click("Eligibility")
	page.sees("No checks yet")
	page.screen("eligibility-empty")
	page.click("New check")
	page.choose("Payer", "Molar Test Payer (CHTEST)")
	page.fill("First name", "Sam")
	page.fill("Last name", "Example")
	page.fill("Date of birth", "1984-02-28")
	page.fill("Member ID", "W77-DOB-MISMATCH")
	page.screen("eligibility-new")
	page.mayBeRefused(422, "POST /api/v1/eligibility")
	page.click("Check coverage")
	page.sees("Rejected by the payer", "The date of birth does not match the payer's records.")
	page.screen("eligibility-rejected")
	page.fill("Date of birth", "1984-02-29")
	page.fill("Member ID", "W77-ACTIVE-FULL")
	page.click("Send again")
	page.sees("Covered", "Maximums and deductibles", "Ask the payer by phone if you need it: when the coverage ends.", "The rejected check that this one corrects")
	page.seesNo("asked just now") // which is no time on paper
	sheets := page.printed()
	if len(sheets) > 2 {
		t.Errorf("the answer prints on %d pages, want at most 2; the last one has %s", len(sheets), sheets[len(sheets)-1])
	}
	for i, sheet := range sheets {
		for _, text := range []string{"Testmode", "MainStreet", "SamExample", "bornFeb29,1984", "MemberIDW77-ACTIVE-FULL", "checked" + time.Now().In(newYork).Format("Jan2,2006")} {
			if !strings.Contains(sheet, text) {
				t.Errorf("page %d lacks %q: %s", i+1, text, sheet)
			}
		}
	}
	if err := (proto.EmulationSetEmulatedMedia{Media: "print"}).Call(page.rod); err != nil {
		t.Fatal(err)
	}
	page.finds("on paper, ", `() => [...document.querySelectorAll(".card-flush")].map((c) => getComputedStyle(c))
		.some((s) => s.boxDecorationBreak !== "clone" || s.overflow !== "visible") ? "the end of a sheet cuts the frame of a card" : ""`)
	page.finds("on paper, ", `() => [...document.querySelectorAll(".card")]
		.some((c) => c.getBoundingClientRect().right >= document.documentElement.clientWidth) ? "the edge of the sheet cuts the border of a card" : ""`)
	if err := (proto.EmulationSetEmulatedMedia{}).Call(page.rod); err != nil {
		t.Fatal(err)
	}
	page.printsForThePatient()
	page.click("Show the 270 and 271")
	page.sees("ISA*00*", "1984")
	page.screen("eligibility-answer")
	page.within("navigation", "Screens").click("Eligibility")
	page.sees("1 earlier attempt")
	page.screen("eligibility-list")
}

// printsForThePatient prints the sheet for the patient, which has names of procedures in place
// of codes. The dialog of the browser would hold the page, so the text is what it would print.
func (p *page) printsForThePatient() {
	p.tb.Helper()
	if _, err := p.rod.Timeout(patience).Eval(`() => { window.print = () => { window.sheet = document.querySelector("main").innerText } }`); err != nil {
		p.tb.Fatal(err)
	}
	p.click("Print")
	p.click("For the patient, without codes")
	var sheet string
	p.until("the sheet for the patient", func(r *rod.Page) (err error) {
		if sheet, err = p.eval(r, "() => window.sheet ?? ''"); err == nil && sheet == "" {
			err = errors.New("was not printed")
		}
		return err
	})
	if code := regexp.MustCompile(`D\d{4}`).FindString(sheet[:strings.Index(sheet, "What was asked")]); code != "" || !strings.Contains(sheet, "Adult cleaning") || !strings.Contains(sheet, "It is no promise of payment") {
		p.tb.Errorf("the sheet for the patient has the code %q: %s", code, sheet)
	}
	p.sees("D1110 Adult cleaning") // the page is again for the office
}

// A filtered list is copied as the request of this list.
func TestTheCopiedRequestHasTheFilters(t *testing.T) {
	t.Parallel()
	page := newPractice(t).signsIn("viewer")
	page.open("/test/eligibility?outcome=rejected")
	page.sees("No check ended like this")
	page.click("More actions")
	page.click("Copy as curl")
	page.sees("Copied as curl", "Put a test key in MOLAR_API_KEY")
	want := "curl '" + page.browser.origin + `/api/v1/eligibility?outcome=rejected' -H "Authorization: Bearer $MOLAR_API_KEY"`
	if copied := page.copied(); copied != want {
		t.Errorf("copied %s, want %s", copied, want)
	}
}

// Wrong procedure codes say so at their field, each by its code, in words that are on the screen.
func TestAWrongProcedureSaysSoAtItsField(t *testing.T) {
	t.Parallel()
	page := newPractice(t).signsIn("biller")
	page.open("/test/eligibility/new")
	page.entersPayer()
	for label, value := range map[string]string{"First name": "Sam", "Last name": "Rivers", "Date of birth": "1984-02-29", "Member ID": "W1", "Procedures (optional)": "D1110, crown, D12"} {
		page.fill(label, value)
	}
	page.refused(http.StatusUnprocessableEntity, "POST /api/v1/eligibility")
	page.click("Check coverage")
	page.sees("2 things to correct", "CROWN: ", "D12: ")
	page.seesNo("errors lists", "The request is invalid.")
	page.until("the fault at its field", func(r *rod.Page) error { _, err := r.Element(`[data-path="procedure_codes"] .fault`); return err })
	page.screen("eligibility-refused")
	page.fill("Procedures (optional)", "D1110")
	page.seesNo("1 thing to correct")
	page.press("Control+A")
	page.types("D1110, crown") // the refused ones again, on the way to others that begin with them
	page.sees("1 thing to correct")
	page.types("s")
	page.has("Procedures (optional)", "D1110, crowns")
	page.seesNo("1 thing to correct")
}

// A covered check begins the claim: nothing that the check has is entered again.
func TestACoveredCheckBeginsAClaim(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	second := practice.s.molar(t, "offices", "create", "--org", practice.org, "--name", "Second Street", "--npi", "1234567893", "--tax-id", "123456789",
		"--phone", "5185550100", "--line1", "2 Second Street", "--city", "Albany", "--state", "NY", "--zip", "122070001")
	check := practice.post("/eligibility", map[string]any{
		"office_id": second, "payer_id": "CHTEST",
		"subscriber": map[string]string{"first_name": "Nora", "last_name": "Rivers", "date_of_birth": "1984-02-29", "member_id": "W81-ACTIVE-FULL", "group_number": "G-7"},
		"patient":    map[string]string{"first_name": "Finn", "last_name": "Rivers", "date_of_birth": "2016-02-29", "relationship": "child"}, "procedure_codes": []string{"D1110"},
	})["id"]
	page := practice.signsIn("biller")
	page.open(fmt.Sprint("/test/eligibility/", check))
	page.click("New claim")
	page.has("Office", second)
	page.has("Procedure", "D1110")
	page.has("Coverage", "primary")
	page.has("Payer", "Molar Test Payer (CHTEST)")
	subscriber, patient := page.within("group", "Subscriber"), page.within("group", "Patient")
	for label, value := range map[string]string{"First name": "Nora", "Last name": "Rivers", "Date of birth": "1984-02-29", "Member ID": "W81-ACTIVE-FULL", "Group number (optional)": "G-7"} {
		subscriber.has(label, value)
	}
	for label, value := range map[string]string{"First name": "Finn", "Last name": "Rivers", "Date of birth": "2016-02-29", "Relationship to subscriber": "child"} {
		patient.has(label, value)
	}
}

// A check by keyboard alone.
func TestACheckByKeyboard(t *testing.T) {
	t.Parallel()
	page := newPractice(t).signsIn("biller")
	page.press("Control+K")
	page.focuses("Find a patient, claim or command")
	page.types("new elig")
	page.press("Enter")
	page.seesA("heading", "New check")
	page.tabTo("Payer")
	page.types("CHTEST")
	page.press("Enter") // before it is found
	page.tabTo("First name")
	page.types("Kim")
	page.press("Tab")
	page.types("Example")
	page.press("Tab")
	for _, digit := range "02292016" {
		page.press(string(digit))
	}
	page.tabTo("Member ID")
	page.types("W78-INACTIVE")
	page.has("Payer", "Molar Test Payer (CHTEST)") // on a busy machine it is found late
	page.press("Enter")
	page.sees("Not covered")
	page.focuses("Kim Example") // the result
}

// A patient whose maximum is used is covered, and the plan pays nothing more.
func TestAMaximumThatIsUsed(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	used, full := practice.checks("W79-ACTIVE-USED-UP"), practice.checks("W79-ACTIVE-FULL")
	page := practice.signsIn("biller")
	page.open("/test/eligibility/" + used)
	page.sees("Covered. The year's maximum is used up until January 1.", "The deductible is met.", "Used up", "$1,500.00 used", "Met", "$50.00 paid", "D1110 Adult cleaning")
	page.screen("eligibility-used-up")
	page.open("/test/eligibility/" + full)
	page.sees("Covered. $1,640.00 of the year's maximum is left.", "$360.00 used", "Individual maximum")
	page.seesNo("Used up")
}

// A payer's notes try to be markup and to turn the text around. They are shown as they
// are, and run nothing. The sandbox's payers write none, so the stored answer is changed.
func TestHostileNotesOfAPayer(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	check := practice.post("/eligibility", map[string]any{
		"office_id": practice.office, "payer_id": "CHTEST",
		"subscriber": map[string]string{"first_name": "Nora", "last_name": "Rivers", "date_of_birth": "1984-02-29", "member_id": "W80-ACTIVE-FULL"},
	})["id"]
	page := practice.signsIn("biller")
	practice.s.sql(t, `UPDATE eligibility_checks SET benefits = jsonb_set(jsonb_set(benefits::jsonb,
		'{payer_notes}', '["<script>alert(1)</script>", "\"><img src=x onerror=alert(2)>", "ends\u202ehere\u001b[2J\u0007"]'),
		'{coverage,0,notes}', '["<svg onload=alert(3)>\u2066"]')
		WHERE org_id = (SELECT org_id FROM users WHERE email = $1)`, practice.email("biller"))
	page.open(fmt.Sprint("/test/eligibility/", check))
	page.sees("The payer's notes", "<script>alert(1)</script>", `"><img src=x onerror=alert(2)>`, "<svg onload=alert(3)>", "ends\ufffdhere␛[2J␇")
	if shown := page.text(); strings.ContainsAny(shown, "\x07\x1b\u202e\u2066") {
		t.Errorf("the page shows %q", shown)
	}
	page.screen("eligibility-hostile")
}

// knownPatientKeys is the number of keys in which a person checks a patient whom the practice
// knows, from any screen: the command, a part of the name, and Enter.
const knownPatientKeys = 30

// A known patient is checked with few keys: all that was asked last is filled in.
func TestAKnownPatientInFewKeys(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.post("/eligibility", map[string]any{
		"office_id": practice.office, "payer_id": "CHTEST",
		"subscriber": map[string]string{"first_name": "Nora", "last_name": "Rivers", "date_of_birth": "1984-02-29", "member_id": "W82-ACTIVE-FULL"},
	})
	page := practice.signsIn("biller")
	keys := 0
	press := func(key string, times int) {
		for range times {
			page.press(key)
			keys += strings.Count(key, "+") + 1
		}
	}
	typed := func(text string) { page.types(text); keys += len(text) }
	press("Control+K", 1)
	page.focuses("Find a patient, claim or command")
	typed("new c")
	press("Enter", 1)
	page.focuses("New check")
	for page.focused() != "Find a patient" {
		press("Tab", 1)
	}
	typed("rive")
	page.sees("Nora Rivers")
	press("Enter", 1)
	page.focuses("Check coverage")
	press("Enter", 1)
	page.sees("Covered. $1,640.00 of the year's maximum is left.")
	t.Logf("a check of a known patient takes %d keys", keys)
	if keys > knownPatientKeys {
		t.Errorf("%d keys, want at most %d", keys, knownPatientKeys)
	}
	page.within("navigation", "Screens").click("Eligibility")
	page.click("New check")
	page.choose("Payer", "Molar Test Payer (CHTEST)") // it was used last, and is first
}

// What is missing is said at each field, and stays there; procedures are found by name.
func TestFaultsStandAtTheirFields(t *testing.T) {
	t.Parallel()
	page := newPractice(t).signsIn("biller")
	page.open("/test/eligibility/new")
	page.refused(http.StatusUnprocessableEntity, "POST /api/v1/eligibility")
	page.click("Check coverage")
	for _, path := range []string{"payer_id", "subscriber.first_name", "subscriber.last_name", "subscriber.date_of_birth", "subscriber.member_id"} {
		page.until("the fault of "+path, func(r *rod.Page) error { _, err := r.Element(`[data-path="` + path + `"] .fault`); return err })
	}
	page.fill("First name", "Nora")
	page.sees("4 things to correct")
	page.fill("Find a procedure", "adult cl")
	page.sees("Adult cleaning")
	page.press("Enter")
	page.has("Procedures (optional)", "D1110")
	page.screen("eligibility-faults")
	page.within("navigation", "Screens").click("Claims")
	page.sees("Leave without saving?")
	page.click("Stay")
	page.has("First name", "Nora")
}

// The front desk calls the payer, adds what it says to the check, and strikes a mistake. The sheet has
// both.
func TestWhatThePayerSaidIsAdded(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	check := practice.checks("W86-ACTIVE-FULL")
	page := practice.signsIn("biller")
	page.open("/test/eligibility/" + check)
	page.click("Add what the payer said by phone")
	page.fill("The payer said", "2099-12-31")
	page.fill("Who said it (optional)", "Dana")
	page.click("Another value")
	page.choose("What, 2", "Major: percent that the plan pays")
	page.fill("The payer said, 2", "most of it")
	page.refused(422, "POST /api/v1/eligibility/"+check+"/additions")
	page.click("Add")
	page.sees("At this path, the value must be a number from 0 to 100.")
	page.fill("The payer said, 2", "60")
	page.screen("eligibility-add")
	page.click("Add")
	page.sees("What the payer also said", "Major: percent that the plan pays", "Its answer differs", "By phone on", "Dana")
	page.seesNo("Ask the payer by phone if you need it")
	page.click("Strike Major: percent that the plan pays")
	page.within("dialog", "Strike this?").click("Strike")
	page.sees("Struck", "by You")
	page.screen("eligibility-added")
	if sheets := strings.Join(page.printed(), ""); !strings.Contains(sheets, "Whatthepayeralsosaid") || !strings.Contains(sheets, "Byphoneon") {
		t.Errorf("the sheet does not mark what was added: %s", sheets)
	}
	viewer := practice.signsIn("viewer")
	viewer.open("/test/eligibility/" + check)
	viewer.sees("What the payer also said")
	viewer.seesNo("Add what the payer said by phone")
}
