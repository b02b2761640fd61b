package journeys_test

import (
	"net/http"
	"testing"
)

// A biller goes from the task of an enrollment to the office, and records where it is. A viewer
// reads the enrollments.
func TestEnrollmentsOfAnOffice(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	office := "/test/settings/offices/" + practice.office
	viewer := practice.signsIn("viewer")
	viewer.open(office)
	viewer.sees("No enrollments")
	practice.call(http.MethodPut, "/enrollments", map[string]any{"office_id": practice.office, "payer_id": "62308", "transaction": "eligibility", "state": "needed"})
	practice.call(http.MethodPut, "/enrollments", map[string]any{"office_id": practice.office, "payer_id": "62308", "transaction": "claims", "state": "active"})
	page := practice.signsIn("biller")
	page.row("Enrollment").sees("apply for it, then record that you did")
	page.press("J")
	page.press("A")
	page.at(office)
	page.sees("Record where it is A", "Needed", "Active")
	page.screen("office-enrollments")
	page.press("A")
	page.within("dialog", "Enrollment with Cigna Dental").sees("For eligibility checks of Main Street.")
	page.screen("office-enrollment")
	page.press("Control+Enter")
	page.sees("The enrollment is recorded.", "Nothing needs you now")

	page.open(office)
	page.sees("Applied for")
	page.click("Record an enrollment")
	form := page.within("dialog", "Record an enrollment")
	form.fill("Payer", "60054")
	page.clickA("option", "Aetna Dental (60054)")
	form.choose("State", "Refused")
	form.fill("What the network or the payer said (optional)", "The NPI is not the one that we know.")
	form.click("Record")
	page.row("The NPI is not the one that we know.").sees("Aetna Dental", "Refused")
	viewer.sees("Refused") // without a reload
	viewer.seesNo("Record")
}
