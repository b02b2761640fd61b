package journeys_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// TestReports lets an owner read the four reports of three claims, follow their sums to the claims,
// and take a file with them. One crown of 1250.00 is paid, one is denied, and one is not sent.
func TestReports(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("owner")
	page.within("navigation", "Screens").click("Reports")
	page.sees("Nothing to report")
	page.screen("reports-none")
	for _, c := range []struct {
		ending string
		submit bool
		until  string
	}{{"-PAID-ERA", true, "paid"}, {"-DENIED", true, "denied"}, {"-PAID-ERA", false, "validated"}} {
		made := practice.post("/claims", map[string]any{
			"office_id": practice.office, "payer_id": "CHTEST", "submit": c.submit,
			"subscriber": map[string]any{
				"first_name": "Sam", "last_name": "Example", "date_of_birth": "1984-02-29", "member_id": fmt.Sprint("W", time.Now().UnixNano()%1e6, c.ending),
				"address": map[string]any{"line1": "2 Oak St", "city": "Albany", "state": "NY", "zip": "12207"},
			},
			"lines": []map[string]any{{"procedure_code": "D2740", "fee": "1250.00", "tooth": "14", "service_date": billing.DateOf(time.Now().AddDate(0, 0, -40)).String()}},
		})
		tick := time.NewTicker(100 * time.Millisecond)
		for end := time.Now().Add(patience); practice.get("/claims/" + made["id"].(string))["state"] != c.until; <-tick.C {
			if time.Now().After(end) {
				t.Fatal("the claim does not become ", c.until)
			}
		}
		tick.Stop()
	}
	// Nothing is open of the claim that is paid but the patient's 200.00; the denied one is open as a whole.
	page.open("/test/reports")
	page.sees("Insurance", "Patient", "Molar Test Payer", "$1,250.00 and $200.00")
	page.screen("reports-aging")
	page.choose("Age from", "Service")
	page.sees("31–60 days")
	page.click("Insurance, Total, 31–60 days: $1,250.00, 1 claim")
	page.sees("With an open amount", "To the last payer", "Sam Example", "Denied")
	page.screen("reports-claims")
	page.open("/test/reports")
	page.click("Patient, Total, total: $200.00, 1 claim")
	page.sees("With an amount that the patient owes", "Paid")

	page.open("/test/reports/collections")
	page.sees("Contracts", "$800.00", "$250.00", "$200.00")
	page.screen("reports-collections")
	page.within("navigation", "Reports").click("Denials")
	page.sees("$1,250.00", "is refused, of 1 claim.")
	page.screen("reports-denials")
	page.click("Refused in all: 1 claim")
	page.sees("With an amount that a payer refuses", "Denied")
	page.open("/test/reports/denials")
	page.within("navigation", "Reports").click("Payers")
	page.sees("First-pass rate", "50%", "Days to decide")
	page.screen("reports-payers")
	page.click("More actions")
	page.click("Download as CSV")
	page.sees("Downloaded")
}
