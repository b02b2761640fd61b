package journeys_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
)

// Today leads from the work to the list that shows it, and follows what happens.
func TestTodayLeadsToTheWork(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.sees("Nothing to do now")
	page.screen("today-empty")
	practice.post("/claims", map[string]any{
		"office_id": practice.office, "payer_id": "CHTEST",
		"subscriber": map[string]any{
			"first_name": "Sam", "last_name": "Nolan", "date_of_birth": "1985-04-12", "member_id": "W1", "gender": "male",
			"address": map[string]any{"line1": "2 Oak Street", "city": "Albany", "state": "NY", "zip": "12207"},
		},
		"lines": []any{map[string]any{"procedure_code": "D2740", "service_date": "2026-11-01", "fee": "1250.00"}},
	})
	page.sees("claim has findings") // without a reload
	page.screen("today")
	page.tabTo("1 claim has findings Correct the marked fields.")
	page.press("Enter")
	page.sees("Sam Nolan", "Needs attention")
	page.press("Control+K")
	page.focuses("Find a patient, claim or command")
	page.types("nolan")
	page.sees("Sam Nolan, $1,250.00")
	page.screen("search")
	page.press("Enter")
}

// An age of the outstanding money opens the claims that owe it. The days of the list are
// those of the office.
func TestAgesOpenWhatIsOutstanding(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.claims("Rosa", "W71-PAID-ERA", map[string]any{"submit": true}, aFilling())
	practice.era("applied")
	practice.bills("Dora", "Denied", "-DENIED")
	page := practice.signsIn("biller")
	page.click("0 to 30 days")
	page.sees("With an open amount", "Dora Denied")
	page.seesNo("Rosa Rivers")
	page.has("Sent from", time.Now().UTC().AddDate(0, 0, -31).Format(time.DateOnly)) // midnight in UTC is on the day before

	// A typed day ends at midnight of the office, which is in New York.
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	today := time.Now().In(zone)
	yesterday := today.AddDate(0, 0, -1)
	page.open("/test/claims")
	page.click("Filters")
	page.tabTo("Sent to")
	page.digits(today)
	page.sees("Dora Denied", "Rosa Rivers")
	page.has("Sent to", today.Format(time.DateOnly))
	page.open("/test/claims")
	page.click("Filters")
	page.tabTo("Sent to")
	page.digits(yesterday)
	page.seesNo("Dora Denied", "Rosa Rivers")
	page.has("Sent to", yesterday.Format(time.DateOnly))
	end := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, zone).UTC().Format("2006-01-02T15:04:05.000Z")
	if at, err := url.QueryUnescape(page.address()); err != nil || !strings.Contains(at, end) {
		t.Errorf("the address is %s, want the end %s", at, end)
	}
}

// A list can be used after three requests, and the page reads nothing again because its
// stream begins: the stream goes on where the last one of this browser ended.
func TestAListNeedsThreeRequests(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.until("the first stream", func(r *rod.Page) error {
		mark, err := page.eval(r, "() => localStorage.getItem('molar-live-test') ?? ''")
		if err == nil && mark == "" {
			err = errors.New("has said nothing")
		}
		return err
	})
	page.open("/test/claims")
	page.sees("No claims yet")
	if read := page.read(); len(read) > 3 {
		t.Errorf("the page read %q, want at most 3 requests", read)
	}
	practice.claims("Rosa", "W81", nil, aFilling())
	page.sees("Rosa Rivers") // by the stream, which has begun
	if read := strings.Join(page.read(), " "); strings.Count(read, "/me") != 1 {
		t.Errorf("the page read %q, want /me once", read)
	}
}

// read returns the paths in the API that the page has read since it loaded.
func (p *page) read() []string {
	p.tb.Helper()
	paths, err := p.eval(p.rod.Timeout(patience), `() => performance.getEntriesByType("resource").map((e) => new URL(e.name).pathname)
		.filter((path) => path.startsWith("/api/")).join(" ")`)
	if err != nil {
		p.tb.Fatal(err)
	}
	return strings.Fields(paths)
}
