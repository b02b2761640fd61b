package journeys_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
)

// An owner completes an office and moves it to another time zone, in which the pages then
// show times. A viewer reads it.
func TestAnOfficeIsCompleted(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("owner")
	page.open("/test/settings/offices")
	page.row("Main Street").sees("In use")
	page.click("New office")
	page.fill("Name", "Harbor")
	page.fill("NPI", "1234567890")
	page.refused(422, "POST /api/v1/offices")
	page.click("Save")
	page.sees("NPI")
	page.screen("settings-office-refused")
	page.fill("NPI", "1234567893")
	page.seesNo("check digit")
	page.click("Save")
	page.row("Harbor").sees("Missing", "Incomplete")
	page.screen("settings-offices")
	page.click("Harbor")
	page.sees("This office is incomplete.")
	for _, field := range [][2]string{{"Tax ID", "123456789"}, {"Phone", "8085550100"}, {"Street", "1 Pier Road"}, {"City", "Honolulu"}, {"State", "HI"}, {"ZIP code", "96813"}} {
		page.fill(field[0], field[1])
	}
	page.sees("Claims need nine digits.")
	page.screen("settings-office-zip")
	page.click("Save")
	page.row("Harbor").sees("1 Pier Road, Honolulu, HI", "In use")

	page.click("Main Street")
	page.click("Retired: it takes no new claims")
	page.click("Save")
	page.row("Main Street").sees("Retired")
	page.click("Harbor")
	page.choose("Time zone", "Pacific/Honolulu")
	page.click("Save")
	page.click("Sessions")
	page.sees("HST") // the browser is in New York
	page.click("Providers")
	page.row("Ann Rivers").click("Edit Ann Rivers")
	page.screen("settings-provider")
	page.press("Escape")
	page.screen("settings-providers")

	viewer := practice.signsIn("viewer")
	viewer.open("/test/settings/offices")
	viewer.click("Harbor")
	viewer.sees("An owner can change the office.")
	viewer.screen("settings-office")
}

// An owner invites a biller, who chooses a password and a second factor, and signs
// in again with both.
func TestInviteAcceptAndSignInWithASecondFactor(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	owner := practice.signsIn("owner")
	owner.click("Settings")
	owner.screen("settings-account")
	owner.click("Users")
	owner.click("Invite a person")
	owner.fill("Email", "kim@cedar.example")
	owner.fill("Name (optional)", "Kim Lee")
	owner.click("Make the link")
	owner.sees("Send this link to the person.")
	owner.screen("settings-users")
	link := ""
	for word := range strings.FieldsSeq(owner.text()) {
		if strings.Contains(word, "/sign-in#") {
			link = word
		}
	}

	kim := visits(t, link)
	kim.sees("You sign in to Cedar Dental with kim@cedar.example and this password.")
	kim.has("Name (optional)", "Kim Lee")
	kim.fill("Name (optional)", "Kim Lee-Ortiz")
	kim.mayBeRefused(422, "")
	kim.fill("New password", "Welcome12345")
	kim.click("Save and go on")
	kim.sees("This password is easy to guess.")
	kim.fill("New password", "correct horse battery 9")
	kim.seesNo("This password is easy to guess.")
	kim.click("Save and go on")
	kim.seesA("heading", "Today") // without another sign-in
	kim.mayBeRefused(401, "")
	kim.click("Settings")
	kim.sees("Change your password")
	kim.fill("Name (optional)", "Kim Ortiz")
	kim.click("Save the name")
	kim.click("Set up an authenticator")
	kim.seesA("image", "QR code of the key")
	kim.fill("Code", kim.scans())
	kim.fill("Your password", "correct horse battery 9")
	kim.screen("settings-second-factor")
	kim.click("Turn it on")
	kim.sees("Keep these recovery codes.")
	kim.within("navigation", "Screens").click("Claims")
	kim.seesA("dialog", "Leave without saving?")
	kim.sees("Molar does not show these recovery codes again.")
	kim.click("Stay")
	recovery := kim.keepsCodes()
	kim.sees("Signing in needs a code from your authenticator.")
	kim.click("Account: Cedar Dental Kim Ortiz")
	kim.click("Sign out")
	kim.fill("Email", "kim@cedar.example")
	kim.fill("Password", "correct horse battery 9")
	kim.fill("Code (optional)", recovery)
	kim.click("Sign in")
	kim.click("Settings")
	kim.sees("Signing in needs a code from your authenticator.")

	owner.click("Audit")
	owner.sees("Changed users", "Kim Ortiz", "kim@cedar.example")
	owner.screen("settings-audit")
	owner.choose("What", "Changes only")
	owner.seesNo("Read users")
	owner.sees("Changed users")
	owner.choose("Who", "Operators of the service")
	owner.sees("molar users invite", "Operator of the service", "Command line")
	owner.click("Sessions")
	owner.screen("settings-sessions")
	owner.click("End the session of Kim Ortiz")
	kim.seesA("heading", "Sign in to Molar")

	// A role changes once it is saved. A forgotten password is reset with a link to send.
	owner.click("Users")
	owner.choose("Role of kim@cedar.example", "viewer")
	owner.click("Save the role of kim@cedar.example")
	owner.sees("Saved.")
	owner.seesNo("Save the role of kim@cedar.example")
	owner.click("Actions for kim@cedar.example")
	owner.click("Reset the password")
	owner.within("dialog", "Reset the password?").click("Reset it")
	owner.sees("It works once, within 10 minutes.")
	for word := range strings.FieldsSeq(owner.text()) {
		if strings.Contains(word, "/sign-in#") {
			link = word
		}
	}
	back := visits(t, link)
	back.fill("New password", "correct horse battery 10")
	back.click("Save and go on")
	back.seesA("heading", "Today")
	back.click("Settings")
	back.sees("Set up an authenticator")
}

// An operator signs in as an owner. The owner's pages say so, and the audit says through whom
// each request came.
func TestAnOperatorSignsInAsSomeone(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	owner := practice.signsIn("owner")
	owner.seesNo("An operator signed in as you")
	operator := visits(t, practice.s.molar(t, "users", "link", practice.email("owner"), "--as", "Ben of support"))
	operator.sees("An operator signed in as you on", "Ben of support")
	operator.screen("operator-signed-in")
	owner.click("Settings")
	owner.click("Audit")
	owner.sees("signed in with a link of the operator Ben of support", "molar users link")
	owner.screen("settings-audit-operator")
}

// scans returns the code of the key that the page shows, as an authenticator does.
func (p *page) scans() string {
	p.tb.Helper()
	p.sees("Scan this with an authenticator app")
	code, err := totp.GenerateCode(regexp.MustCompile("[A-Z2-7]{32}").FindString(p.text()), time.Now())
	if err != nil {
		p.tb.Fatal(err)
	}
	return code
}

// keepsCodes keeps the recovery codes that the page shows, and returns one of them.
func (p *page) keepsCodes() string {
	p.tb.Helper()
	p.sees("Keep these recovery codes.")
	p.finds("over the recovery codes stands ", `() => document.querySelector(".away, .failure, .toast-bad, .tone-bad")?.innerText ?? ""`)
	codes := strings.Fields(p.within("list", "Recovery codes").text())
	p.click("Copy the recovery codes")
	if copied := p.copied(); copied != strings.Join(codes, "\n") {
		p.tb.Errorf("copied %q, want the codes %q", copied, codes)
	}
	p.click("I have kept them")
	return codes[0]
}

// An owner sets up a second factor and requires one of everyone. A biller at work is led
// to it, and goes on. A person who comes by a link can first only sign out.
func TestOrganizationRequiresASecondFactor(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	owner, biller := practice.signsIn("owner"), practice.signsIn("biller")
	biller.mayBeRefused(403, "")
	biller.open("/test/claims")
	biller.seesA("heading", "Claims")
	owner.open("/test/settings/users")
	owner.sees("First set up your own.")
	owner.click("set up your own")
	owner.click("Set up an authenticator")
	owner.fill("Code", owner.scans())
	owner.fill("Your password", firstPassword)
	owner.click("Turn it on")
	owner.keepsCodes()
	owner.click("Users")
	owner.screen("settings-second-factor-of-everyone")
	owner.click("Require a second factor")
	owner.click("Require it")
	owner.sees("Everyone needs a second factor to work here.")
	owner.screen("settings-second-factor-required")

	biller.seesA("heading", "Set up a second factor") // by itself: its stream has ended
	biller.seesNo("Claims")
	biller.reload()
	biller.seesA("heading", "Set up a second factor")
	biller.screen("second-factor-required")
	biller.mayBeRefused(422, "")
	biller.fill("Code", "000000")
	biller.fill("Your password", firstPassword)
	biller.click("Turn it on")
	biller.sees("This is not the code that the secret has now.")
	biller.fill("Code", biller.scans())
	biller.click("Turn it on")
	biller.sees("Keep these recovery codes.")
	biller.screen("second-factor-recovery")
	biller.click("Sign out")
	biller.within("dialog", "Leave without saving?").sees("Molar does not show these recovery codes again.")
	biller.click("Stay")
	recovery := biller.keepsCodes()
	biller.at("/test/claims")
	biller.seesA("heading", "Claims")

	led := visits(t, practice.links("biller"))
	led.sees("If you have your authenticator, sign out, and sign in with its code.", "molar users reset "+practice.email("biller"))
	led.screen("second-factor-link")
	led.click("Sign out")
	led.fill("Email", practice.email("biller"))
	led.fill("Password", "correct horse battery 9")
	led.fill("Code (optional)", recovery)
	led.click("Sign in")
	led.seesA("navigation", "Screens")
	led.click("Settings")
	led.sees("Cedar Dental requires one.")
	led.seesNo("Turn it off")
}

// An owner imports the fees of the practice's software, corrects the lines of the file that are
// wrong, finds what counts for a procedure and why, and replaces the fees. A viewer reads them.
func TestFeesAreImported(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	folder := t.TempDir()
	file := func(name, content string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	page := practice.signsIn("owner")
	page.open("/test/settings/fees")
	page.sees("No fee schedules yet")
	page.screen("settings-fees-none")
	page.click("Import a fee schedule")
	page.fill("Name", "Office fees")
	page.fill("First service date", "2026-01-01")
	page.upload("Choose a CSV file", file("broken.csv", "ADA Code,Description,Fee\nD0120,Exam,58.00\nD274,Crown,1250\nD1110,Cleaning,104.005\n"))
	page.sees("broken.csv")
	page.refused(422, "POST /api/v1/fee_schedules")
	page.click("Import")
	page.row("D274,Crown,1250").sees("3", "A procedure code must be D and four digits.")
	page.row("D1110,Cleaning,104.005").sees("4", "The amount must be dollars and cents")
	page.screen("settings-fees-refused")
	page.upload("Choose another file", file("fees.csv", "ADA Code;Description;Fee\nD0120;Exam;58.00\nD2740;Crown;$1,250\nD1110;Pr\xfcfung;104.00\n"))
	page.sees("fees.csv")
	page.click("Import")
	page.sees("The fee schedule is imported.")
	page.click("Office fees")
	page.seesA("heading", "Office fees")
	page.row("D2740").sees("$1,250.00")
	page.fill("Find a procedure", "d11")
	page.row("D1110").sees("$104.00")
	page.seesNo("$1,250.00")
	page.screen("settings-fee-schedule")

	page.click("Replace")
	page.fill("Name", "Office fees, later")
	page.fill("First service date", "2026-02-01")
	page.upload("Choose a CSV file", file("later.csv", "procedure_code,amount\nD0120,61.50\n"))
	page.sees("later.csv")
	page.click("Import")
	page.sees("Another fee schedule replaces it from Feb 1, 2026 on.")
	page.click("Show that one")
	page.seesA("heading", "Office fees, later")
	page.click("Back to Fee schedules")
	page.row("Office fees, later").sees("All payers, All offices", "Has begun")
	page.fill("Procedure", "d0120")
	page.fill("Service date", "2026-01-31")
	page.sees("The office charges $58.00", "It does not count before 2026-02-01.")
	page.fill("Service date", "2026-02-01")
	page.sees("The office charges $61.50", "Office fees, later has replaced it since 2026-02-01.")
	page.screen("settings-fees")
	page.choose("Show", "Those in force today")
	page.within("table", "Fee schedules").row("Office fees, later").sees("In force")

	viewer := practice.signsIn("viewer")
	viewer.open("/test/settings/fees")
	viewer.sees("Office fees, later")
	viewer.seesNo("Import a fee schedule")
}

// An owner imports a contract with its deadlines, which its replacement begins with.
func TestContractHasDeadlines(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	file := filepath.Join(t.TempDir(), "contract.csv")
	if err := os.WriteFile(file, []byte("procedure_code,amount\nD0120,41.50\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	page := practice.signsIn("owner")
	page.open("/test/settings/fees")
	page.click("Import a fee schedule")
	page.fill("Name", "Contract")
	page.fill("First service date", "2026-01-01")
	page.seesNo("Deadlines of the contract")
	page.choose("Kind", "What a payer allows")
	page.fill("Claim: days from the first service (optional)", "4000")
	page.fill("Where you read it (optional)", "Manual, page 3")
	page.upload("Choose a CSV file", file)
	page.sees("contract.csv")
	page.refused(422, "POST /api/v1/fee_schedules")
	page.click("Import")
	page.sees("1095")
	page.screen("settings-contract-refused")
	page.fill("Claim: days from the first service (optional)", "365")
	page.fill("Appeal: days from the decision (optional)", "90")
	page.click("Import")
	page.sees("The fee schedule is imported.")
	page.click("Contract")
	page.sees("365 (Manual, page 3)", "90")
	page.screen("settings-contract")
	page.click("Replace")
	page.has("Claim: days from the first service (optional)", "365")
	page.has("Appeal: days from the decision (optional)", "90")
}

// An owner lets Molar post what needs no person. The remittance and the audit say that a rule did it, and a
// biller does not find the setting.
func TestTheAutomationPosts(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("owner")
	page.click("Settings")
	page.within("navigation", "Settings").click("Automation")
	page.sees("A person posts every remittance.")
	page.choose("All payers", "Exceptions")
	page.click("Add a payer with a level of its own")
	page.refused(http.StatusUnprocessableEntity, "PUT /api/v1/automation")
	page.click("Save")
	page.sees("required")
	page.fill("Payer 1", "molar test")
	page.sees("Molar Test Payer (CHTEST)")
	page.press("Enter")
	page.choose("Level of payer 1", "Automatic")
	page.click("Save")
	page.sees("The automation is saved.", "You changed it")
	page.screen("automation")

	practice.bills("Paul", "Paid", "-PAID-ERA")
	path := practice.era("applied")
	page.open(path)
	page.sees("by the automation (Automatic)", "The settled claims are reconciled once the money is in the bank.")
	page.screen("remittance-posted-by-a-rule")
	page.open("/test/settings/audit?actor=rule")
	page.sees("Posted a remittance", "Automation: Automatic", "Molar itself")

	biller := practice.signsIn("biller")
	biller.click("Settings")
	biller.sees("Offices")
	biller.seesNo("Automation")
}
