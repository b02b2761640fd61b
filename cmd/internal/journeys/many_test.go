package journeys_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// Many rows are done at once: each has a request of its own and its result in words, and what was not done stays
// selected.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	practice.bills("Una", "Balanced", "-UNBALANCED")
	practice.bills("Paul", "Paid", "-PAID-ERA")
	first := practice.era("applied")
	practice.bills("Pia", "Paid", "-PAID-ERA")
	practice.era("applied", first)
	page := practice.signsIn("biller")
	practice.call(http.MethodPatch, "/sandbox/clock", map[string]any{"running": false}) // so that nothing else comes meanwhile

	// Remittances are posted, except the one that a person has to look at.
	page.open("/test/remittances?state=any")
	page.sees("Total of 3")
	page.click("Select all 3 rows")
	page.sees("3 selected")
	page.screen("many-selected")
	page.click("Post 2 of 3")
	page.sees("2 of 3 posted, 1 left as it is.", "1 claim needs a decision first.", "1 selected")
	page.click("What came of each")
	page.sees("Posted. 1 claim is reconciled.")
	page.screen("many-results")
	if n := len(practice.get("/eras?state=posted")["data"].([]any)); n != 2 {
		t.Errorf("%d remittances are posted", n)
	}

	// What the bank has of others is decided.
	practice.imports("Date,Description,Amount\n2026-01-02,HCCLAIMPMT SOMEBODY ELSE,12.00\n2026-01-03,HCCLAIMPMT ANOTHER,7.50\n")
	page.open("/test/deposits")
	page.sees("Total of 2", "$19.50")
	page.click("Select all 2 rows")
	page.click("Not insurance")
	page.within("dialog", "Are 2 deposits no payments of payers?").click("Not insurance")
	page.sees("2 of 2 decided.", "Nothing to match")

	// Tasks are taken and put off by keys, which are for all that are selected.
	practice.incomplete("Sam")
	practice.incomplete("Sue")
	page.open("/test")
	page.sees("Sam Rivers", "Sue Rivers")
	page.click("Held claim 2")
	page.sees("Total of 2")
	for range 2 {
		page.press("J")
		page.press("X")
	}
	page.sees("2 selected, $2,500.00")
	page.press("M")
	page.sees("2 of 2 yours.")
	page.click("Mine 2")
	page.click("Select all 2 rows")
	page.screen("many-tasks")
	page.press("S")
	page.seesA("dialog", "Until when are 2 tasks put off?")
	page.press("Enter")
	page.sees("2 of 2 snoozed.")
	page.screen("many-tasks-done")
	if n := len(practice.get("/tasks?state=snoozed")["data"].([]any)); n != 2 {
		t.Errorf("%d tasks are snoozed", n)
	}
}

// A claim leads back to its list, with the filters, what was searched for and the row. Its page has its tasks, which
// are put off there, too.
func TestBackToTheList(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	for _, name := range []string{"Ann", "Bea", "Cleo"} {
		practice.incomplete(name)
	}
	sent := practice.claims("Dan", "W72-PAID-ERA", nil, aFilling())
	page := practice.signsIn("biller")
	page.open("/test/claims?state=needs_attention&sort=charge")
	page.sees("Total of 3", "$3,750.00")
	page.low(800)
	page.headStays()
	page.low(desktop)
	page.headStays()
	page.press("J")
	page.press("J")
	at, place := page.focused(), page.scrolled()
	page.press("Enter")
	page.sees("Held claim", at)
	page.clickA("link", "Back to Claims")
	page.at("/test/claims?state=needs_attention&sort=charge")
	page.focuses(at)
	if now := page.scrolled(); now != place || now == "0" {
		t.Errorf("the list is scrolled by %s, want %s", now, place)
	}
	page.shows(desktop, false)
	page.press("Enter")
	page.sees("Held claim", at)
	page.still("the page of a claim with a task")
	page.screen("claim-task")
	page.within("navigation", "Screens").click("Remittances")
	page.back()
	page.within("table", "Open tasks").click("What to do about Held claim, " + at)
	page.click("Snooze")
	page.seesA("dialog", "Until when?")
	page.press("Enter")
	page.sees("Snoozed until")
	page.seesNo("Held claim")
	page.clickA("link", "Back to Claims")
	page.at("/test/claims?state=needs_attention&sort=charge")
	page.focuses(at)

	page.open("/test/claims?state=needs_attention")
	page.click("Select all 3 rows")
	page.click("Check again")
	page.sees("3 of 3 checked.")
	page.click("What came of each")
	page.sees("Bea Rivers, " + inWords(lastWeek) + ": 1 finding to correct.")

	page.open("/test/claims")
	page.fill("Search claims", "dan")
	page.sees("Dan Rivers")
	page.seesNo("Ann Rivers")
	page.click("Dan Rivers")
	page.at("/test/claims/" + sent)
	page.clickA("link", "Back to Claims")
	page.has("Search claims", "dan")
	page.click("Select Dan Rivers, " + inWords(lastWeek))
	page.click("Send to the payer")
	page.within("dialog", "Send 1 claim?").click("Send 1 claim")
	page.sees("1 of 1 queued.")
	if strings.Contains(page.address(), "dan") {
		t.Errorf("the address is %s", page.address())
	}
}

// low gives the page a window of a few lines.
func (p *page) low(width int) {
	p.tb.Helper()
	if err := (proto.EmulationSetDeviceMetricsOverride{Width: width, Height: 170, DeviceScaleFactor: 1}).Call(p.rod); err != nil {
		p.tb.Fatal(err)
	}
}

// headStays fails the journey if the head of the list goes out of sight while its rows are scrolled, or is below the
// bars of the page.
func (p *page) headStays() {
	p.tb.Helper()
	p.finds("the head of the list ", `() => {
		document.querySelector("tbody tr:last-child").scrollIntoView({ block: "start" })
		const bars = [...document.querySelectorAll(".mode-bar, .top")].map((bar) => bar.getBoundingClientRect().bottom)
		const { top } = document.querySelector(".table th").getBoundingClientRect()
		return scrollY > 0 && Math.abs(top - Math.max(...bars)) < 1.5 ? "" : "is at " + top + ", the bars end at " + bars + ", scrolled by " + scrollY
	}`)
}

// scrolled returns by how much the page is scrolled.
func (p *page) scrolled() string {
	p.tb.Helper()
	by, err := p.eval(p.rod.Timeout(patience), "() => String(Math.round(scrollY))")
	if err != nil {
		p.tb.Fatal(err)
	}
	return by
}

// inWords returns a day as a page shows it.
func inWords(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return at.Format("Jan 2, 2006")
}
