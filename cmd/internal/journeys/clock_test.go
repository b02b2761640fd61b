package journeys_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// inTheBar is what the bar says of a clock of the practice.
func (p *practice) inTheBar(rest string) string {
	p.t.Helper()
	now, err := time.Parse(time.RFC3339, p.get("/sandbox/clock")["now"].(string))
	if err != nil {
		p.t.Fatal(err)
	}
	return "Test clock: " + now.In(newYork).Format("January 2, 2006 at 3:04 PM") + rest
}

// newYork is where the browser and the offices of the practices are.
var newYork = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err)
	}
	return zone
}()

// An owner stops the clock, advances it until a claim is paid, and sees what happens. A
// viewer sees the time, and every date on the screens follows it.
func TestAdvanceTheClock(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	owner, viewer := practice.signsIn("owner"), practice.signsIn("viewer")
	bar := owner.within("region", "Mode")
	bar.sees("Test mode.")
	bar.seesNo("Test clock")
	owner.click("Developers")
	owner.click("Test clock")
	clock := owner.within("dialog", "Test clock")
	clock.sees("Running", "Nothing is due.")
	owner.screen("clock")
	clock.click("Stop the clock")
	clock.sees("Stopped")
	stopped := practice.inTheBar(", stopped")
	viewer.within("region", "Mode").sees(stopped) // without a reload
	viewer.press("Control+K")
	viewer.focuses("Find a patient, claim or command")
	viewer.types("test clock")
	viewer.sees("Nothing found.")
	viewer.press("Escape")
	viewer.click("Developers")
	viewer.sees("Endpoints, and what failed in the last day.")
	viewer.within("main", "").seesNo("Test clock")

	claim := practice.claims("Rosa", "W81-PAID-ERA", map[string]any{"submit": true}, aFilling())
	clock.sees("queued claims leave for the clearinghouse", "Nothing else is due.")
	clock.click("To what is due next")
	clock.sees("Claim submitted", "an acknowledgement of a claim file arrives")
	clock.click("Until nothing is due")
	clock.sees("events happened.", "Claim paid $115.20 from Molar Test Payer", "Remittance received", "Nothing is due.")
	owner.screen("clock-advanced")
	clock.click("Claim paid")
	owner.at("/test/claims/" + claim)
	owner.seesNo("What happened")
	bar.click(practice.inTheBar(", stopped"))
	clock.sees("Claim paid $115.20", "Claim accepted At payer") // what happened is still there
	clock.click("By two weeks")
	clock.sees("Nothing happened.")
	viewer.within("region", "Mode").sees(practice.inTheBar(", stopped"))
	clock.click("Until nothing is due")
	clock.sees("Nothing is due, so the clock did not move.")
	owner.press("Escape")
	viewer.open("/test/claims")
	viewer.row("Rosa Rivers").sees(time.Now().In(newYork).Format("Jan 2, 2006")) // more than a week ago
	practice.claims("Dora", "W82", nil, aFilling())
	viewer.row("Dora Rivers").sees("just now") // by the clock, which is two weeks ahead
	viewer.open("/live")
	viewer.seesA("navigation", "Screens")
	viewer.seesNo("Test clock")

	owner.press("Control+K")
	owner.focuses("Find a patient, claim or command")
	owner.types("clock")
	owner.sees("Commands")
	owner.press("Enter")
	clock.sees("Stopped")
	clock.click("Let it run")
	clock.sees("Running")
	owner.press("Escape")
	bar.sees(practice.inTheBar(""))
	bar.seesNo("stopped")
	owner.screen("clock-bar")
}

// An advance that waits says for what, goes on while it is not looked at, and can be ended.
func TestAnAdvanceThatWaits(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("owner")
	org, err := billing.ParseID[billing.OrgID](practice.org)
	if err != nil {
		t.Fatal(err)
	}
	practice.s.sql(t, `
INSERT INTO jobs (id, kind, org_id, mode, subject, reply_to, not_before, lease_until)
VALUES (gen_random_uuid(), 'thumbnail', $1, 'test', gen_random_uuid(), '', now(), now() + interval '1 day')`, org)
	page.click("Developers")
	page.click("Test clock")
	clock := page.within("dialog", "Test clock")
	clock.fill("To the beginning of a day", time.Now().AddDate(0, 0, 30).Format(time.DateOnly))
	clock.click("To this day")
	clock.sees("Advancing to ", "at 12:00 AM…")
	page.reload()
	page.click(practice.inTheBar(", advancing"))
	practice.s.sql(t, "UPDATE sandbox_clocks SET progressed_at = now() - interval '2 minutes' WHERE org_id = $1", org)
	clock.sees("Nothing has happened for a minute.", "An image waits to be converted or sent.")
	page.screen("clock-blocked")
	clock.click("Stop here")
	clock.sees("Running", "Nothing happened.")
}
