package journeys_test

import (
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
	page.click("Save")
	page.row("Harbor").sees("Missing", "Incomplete")
	page.screen("settings-offices")
	page.click("Harbor")
	page.sees("This office is incomplete.")
	for _, field := range [][2]string{{"Tax ID", "123456789"}, {"Phone", "8085550100"}, {"Street", "1 Pier Road"}, {"City", "Honolulu"}, {"State", "HI"}, {"ZIP code", "96813"}} {
		page.fill(field[0], field[1])
	}
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
	kim.sees("kim@cedar.example")
	kim.mayBeRefused(401, "")
	kim.click("Settings")
	kim.fill("New password", "correct horse battery 9")
	kim.click("Save the password")
	kim.seesA("heading", "Sign in to Molar")
	kim.fill("Email", "kim@cedar.example")
	kim.fill("Password", "correct horse battery 9")
	kim.click("Sign in")
	kim.sees("Change your password")
	kim.click("Set up an authenticator")
	kim.sees("Enter this key in your authenticator")
	secret := regexp.MustCompile("[A-Z2-7]{32}").FindString(kim.text())
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	kim.fill("Code", code)
	kim.fill("Your password", "correct horse battery 9")
	kim.screen("settings-second-factor")
	kim.click("Turn it on")
	kim.sees("Keep these recovery codes.")
	recovery := kim.within("list", "Recovery codes").text()
	kim.click("I have kept them. Sign in again")
	kim.fill("Email", "kim@cedar.example")
	kim.fill("Password", "correct horse battery 9")
	kim.fill("Code (optional)", strings.Fields(recovery)[0])
	kim.click("Sign in")
	kim.click("Settings")
	kim.sees("Signing in needs a code of your authenticator.")

	owner.click("Audit")
	owner.sees("Changed users", "kim@cedar.example")
	owner.screen("settings-audit")
	owner.choose("What", "Changes only")
	owner.seesNo("Read users")
	owner.sees("Changed users")
	owner.choose("Who", "Operators of the service")
	owner.sees("molar users invite", "Operator of the service", "Command line")
	owner.click("Sessions")
	owner.screen("settings-sessions")
	owner.click("End the session of kim@cedar.example")
	kim.seesA("heading", "Sign in to Molar")
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
	owner.sees("through the operator Ben of support", "molar users link")
	owner.screen("settings-audit-operator")
}
