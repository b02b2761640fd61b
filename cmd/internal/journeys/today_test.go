package journeys_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
)

// Today leads from a task to its resource, and follows what happens.
func TestTodayLeadsToTheWork(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	page := practice.signsIn("biller")
	page.sees("Nothing needs you now")
	page.screen("today-empty")
	practice.incomplete("Sam")
	page.row("Held claim").sees("Sam Rivers", "$1,250.00") // without a reload
	page.screen("today")
	page.click("Mine 0")
	page.sees("You have no tasks")
	page.click("Show everyone’s tasks")
	page.press("J")
	page.press("Enter")
	page.sees("Sam Rivers", "Task 1 of 1", "No notes.")

	// What the payer said is kept, shown on Today, and struck when it was about another patient.
	page.press("N")
	page.focuses("New note")
	page.types("Dana says that the claim is in process.")
	page.click("Add the note")
	page.sees("The note is added.", "Dana says that the claim is in process.")
	page.press("T")
	page.row("Held claim").sees("You: Dana says that the claim is in process.")
	page.press("Enter")
	page.click("Strike")
	page.seesA("dialog", "Strike the note?")
	page.fill("Why it is struck", "It is about another patient.")
	page.click("Strike the note")
	page.sees("The note is struck.", "Struck by You", "It is about another patient.", "Note, struck")
	page.screen("notes-struck")
	page.press("Control+K")
	page.focuses("Find a patient, claim or command")
	page.types("rivers")
	page.sees("Sam Rivers, $1,250.00")
	page.screen("search")
	page.press("Enter")

	// A denial that stays as it is is decided, and ends without an act.
	dora := practice.bills("Dora", "Denied", "-DENIED")
	page.open("/test?kind=denied")
	page.row("Denied").sees("Dora Denied", "$1,295.00")
	page.press("J")
	page.press("D")
	page.seesA("dialog", "What is decided?")
	page.screen("today-decide")
	page.fill("Note", "The plan has no crowns.")
	page.click("Accept it")
	page.sees("Decided. The task comes again if its amount changes.", "No task matches")

	// What was decided is on the page of the claim, which takes it back.
	page.open("/test/claims/" + dora)
	page.sees("Denied: accepted as it is, $1,295.00.", "The plan has no crowns.", "Task settled")
	page.screen("today-decided")
	page.click("Take it back")
	page.sees("The task is back on the list.", "Task open again: its decision was taken back")
	page.sees("The payer refuses a part and $1,295.00 is open")
	page.seesNo("Take it back")

	page.click("Claims")
	page.click("More actions")
	page.click("Download as CSV")
	page.sees("claims.csv has every row that the filters select.")
}

// incomplete enters a claim that the rules hold, because it lacks the tooth.
func (p *practice) incomplete(firstName string) (id string) {
	p.t.Helper()
	return p.claims(firstName, "W1", nil, map[string]any{"procedure_code": "D2740", "service_date": lastWeek, "fee": "1250.00"})
}

// A biller walks by keyboard from Today with tasks of several kinds to Today with none:
// each act opens the next task.
func TestTasksByKeyboard(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	rosa := practice.claims("Rosa", "W71-PAID-ERA", map[string]any{"submit": true}, aFilling())
	practice.era("applied")
	practice.bills("Dora", "Denied", "-DENIED")
	sam := practice.incomplete("Sam")
	request := practice.post("/payer_requests", map[string]any{
		"claim_id": rosa, "reference_number": "REF-17", "requested": "Why the filling was needed.", "due_date": lastWeek,
	})["id"].(string)
	page := practice.signsIn("biller")
	page.until("the tasks", func(*rod.Page) error {
		if n := len(practice.get("/tasks")["data"].([]any)); n != 5 {
			return fmt.Errorf("there are %d", n)
		}
		return nil
	})
	practice.call(http.MethodPatch, "/sandbox/clock", map[string]any{"running": false}) // so that no payment of Sam's claim comes meanwhile
	keys := 0
	press := func(all ...string) {
		for _, k := range all {
			keys++
			page.press(k)
		}
	}
	tab := func(name string) {
		for range 60 {
			if press("Tab"); page.focused() == name {
				return
			}
		}
		t.Fatalf("Tab does not reach %q", name)
	}
	page.sees("Everyone’s 5", "Payer request 1", "Remittance to post 2", "Denied 1", "Held claim 1", "7 days overdue", "payer’s day")
	page.screen("today-tasks")

	// Put off, taken and given back, from the list.
	press("J")
	page.focuses("Payer request The payer asks for more: answer it with an attachment, or note how you answered.")
	press("M")
	page.row("7 days overdue").sees("You")
	page.sees("Mine 1")
	press("S")
	page.seesA("dialog", "Until when?")
	page.screen("today-snooze")
	page.focuses("Tomorrow")
	press("Enter")
	page.sees("Snoozed until", "Everyone’s 4")
	page.focuses("Denied The payer refuses a part and $1,295.00 is open: the plan does not pay it, so accept it as a write-off, or appeal.")
	page.click("Snoozed")
	page.sees("bring back")
	press("J", "S")
	page.sees("The task is back on the list.", "Nothing is snoozed")
	page.click("Show everyone’s tasks")
	page.sees("Everyone’s 5")

	// Each act opens the next task. From here on, keys are counted.
	page.focuses("Payer request The payer asks for more: answer it with an attachment, or note how you answered.")
	keys = 0
	press("A")
	page.at("/test/payer-requests/" + request)
	page.sees("Task 1 of 5", "Answer A", "Open the claim", "No notes.")
	page.screen("task-bar")
	press("A")
	page.focuses("Narrative")
	page.types("The old filling was broken.")
	tab("Send to the payer")
	press("Enter")
	page.seesA("dialog", "Send the answer?")
	tab("Send the answer")
	press("Enter")

	page.sees("Task 1 of 4", "Dora Denied")
	tab("Accept the open amount")
	press("Enter")
	page.seesA("dialog", "Accept the open amount of $1,295.00?")
	tab("Accept and reconcile")
	press("Enter")

	page.sees("Task 1 of 3", "Sam Rivers", "Correct the claim A")
	press("A")
	page.at("/test/claims/" + sam + "/edit")
	page.sees("Task 1 of 3")
	page.seesA("textbox", "Tooth")
	tab("Tooth")
	page.types("14")
	press("Control+Enter")
	page.sees("The claim is ready: send it with A, or go on.")
	page.screen("task-bar-ready")
	tab("Send to the payer")
	press("Enter")

	page.sees("Task 1 of 2", "Remittance to post", "$115.20")
	press("J", "K")
	page.sees("Task 1 of 2", "$115.20")
	page.seesA("button", "Post")
	press("A")
	page.sees("Task 1 of 1", "Remittance to post")
	page.seesNo("$115.20") // the page before has gone
	page.seesA("button", "Post")
	press("A")
	page.at("/test")
	page.sees("Nothing needs you now")
	if keys > 60 {
		t.Errorf("%d keys for 5 tasks, want at most 60", keys)
	}
	t.Logf("%d keys for 5 tasks", keys)
}

// The bar of a task, and its keys, are only where the task is done: a person who goes to
// another patient meanwhile decides nothing there.
func TestTasksByKeyboardStayWithTheirClaim(t *testing.T) {
	t.Parallel()
	practice := newPractice(t)
	dora := practice.bills("Dora", "Denied", "-DENIED")
	sam := practice.incomplete("Sam")
	page := practice.signsIn("biller")
	page.open("/test?kind=denied")
	page.row("Denied").sees("Dora Denied", "$1,295.00")
	page.press("J")
	page.press("Enter")
	page.at("/test/claims/" + dora)
	page.sees("Task 1 of 1", "Decide D")
	page.within("region", "Task").seesNo("Back to task")

	const back = "Back to task 1 of 1: Denied, Dora Denied"
	elsewhere := func(heading string) {
		t.Helper()
		page.seesA("heading", heading)
		page.sees(back)
		page.seesNo("Decide D", "Next J", "Back to Today T")
		page.press("D")
		page.clickA("link", back) // which a dialog would cover
		page.at("/test/claims/" + dora)
		page.sees("Task 1 of 1", "Decide D")
		page.seesNo(back)
	}
	page.press("Control+K")
	page.focuses("Find a patient, claim or command")
	page.types("rivers")
	page.sees("Sam Rivers, $1,250.00")
	page.press("Down") // from the patient to the claim
	page.press("Enter")
	page.at("/test/claims/" + sam)
	page.sees("Sam Rivers")
	page.seesNo("Decide D")
	page.sees(back)
	page.screen("task-bar-elsewhere")
	elsewhere("Sam Rivers")
	page.open("/test/claims/" + sam)
	elsewhere("Sam Rivers")
	page.open("/test/claims/" + sam + "/edit")
	elsewhere("Correct the claim")
	page.open("/test/patients/" + practice.get("/claims/" + sam)["patient_id"].(string))
	elsewhere("Sam Rivers")

	page.press("D")
	page.within("dialog", "What is decided?").sees("Dora Denied, $1,295.00")
	page.screen("task-decide")
	page.focuses("Accept it")
	page.press("Enter")
	page.sees("Decided. The task comes again if its amount changes.", "No task matches")
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
	today := time.Now().In(newYork)
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
	end := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, newYork).UTC().Format("2006-01-02T15:04:05.000Z")
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
