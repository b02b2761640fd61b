package journeys_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod"
)

// effort is what the tasks of a kind cost a biller.
type effort struct {
	tasks, keys, typed, clicks int
	first                      int // keys of the first task
}

// walk is a biller who goes through the tasks by keyboard.
type walk struct {
	*page

	m     *monday
	t     *testing.T
	spent map[string]*effort // by kind
	now   *effort
}

// press presses keys, one after the other, and counts them. Every key but Tab stands for a
// click of a hand with a mouse.
func (w *walk) press(all ...string) {
	w.t.Helper()
	for _, k := range all {
		w.now.keys++
		if k != "Tab" && k != "Control+A" {
			w.now.clicks++
		}
		w.page.press(k)
	}
}

// writes replaces the text of the field that has the focus.
func (w *walk) writes(text string) {
	w.t.Helper()
	w.press("Control+A")
	w.now.typed += len(text)
	w.types(text)
}

// tab presses Tab until what has the name has the focus, which costs a mouse one click.
func (w *walk) tab(name string) {
	w.t.Helper()
	for range 80 {
		w.press("Tab")
		if w.focused() == name {
			w.now.clicks++
			return
		}
	}
	w.t.Fatalf("Tab does not reach %q", name)
}

// act presses A once the page can do what the task asks for.
func (w *walk) act(operation string) {
	w.t.Helper()
	w.until("the act "+operation, func(r *rod.Page) error {
		there, err := w.eval(r, `() => document.querySelector("main .loading") ? "" : [...document.querySelectorAll("main [data-act]")].map((e) => e.dataset.act).join(" ")`)
		if err == nil && !slices.Contains(strings.Fields(there), operation) {
			err = fmt.Errorf("the page has %q", there)
		}
		return err
	})
	w.press("A")
}

// answers presses A, and sends the question that it opens.
func (w *walk) answers(operation string) {
	w.t.Helper()
	w.act(operation)
	w.until("the question", func(r *rod.Page) error { return w.hasDialog(r, true) })
	w.press("Control+Enter")
}

func (w *walk) hasDialog(r *rod.Page, want bool) error {
	open, err := w.eval(r, `() => document.querySelector(".dialog") ? "a dialog" : "no dialog"`)
	if err == nil && (open == "a dialog") != want {
		err = fmt.Errorf("there is %s", open)
	}
	return err
}

// sends sends the claim that was corrected, or made.
func (w *walk) sends() {
	w.t.Helper()
	w.sees("The claim is ready: send it with A, or go on.")
	w.act("submitClaim")
}

// putsOff snoozes a task that waits for others: until tomorrow, or until something changes.
func (w *walk) putsOff(change bool) {
	w.t.Helper()
	w.press("S")
	w.focuses("Tomorrow")
	if change {
		w.press("Tab", "Tab")
		w.focuses("Until something changes")
	}
	w.press("Enter")
}

// said waits until a task gives another reason.
func (w *walk) said(task map[string]any) {
	w.t.Helper()
	w.until("another reason", func(*rod.Page) error {
		if w.m.get("/tasks/" + task["id"].(string))["reason"] == task["reason"] {
			return errors.New("is not in the task")
		}
		return nil
	})
}

// decides ends a task with the first decision that it allows.
func (w *walk) decides(button string) {
	w.t.Helper()
	w.press("D")
	w.focuses(button)
	w.press("Enter")
}

// corrects goes from the task to the first fault in the form, and sends the corrected claim.
func (w *walk) corrects(field, text string) {
	w.t.Helper()
	w.press("A")
	w.until("the list of faults", func(r *rod.Page) error {
		at, err := w.eval(r, `() => document.activeElement.className`)
		if err == nil && at != "faulty" {
			err = fmt.Errorf("the focus is on %q", at)
		}
		return err
	})
	w.press("Tab", "Enter") // it leads to the field
	w.focuses(field)
	w.writes(text)
	w.press("Control+Enter")
	w.sends()
}

// does one task by the keys of its kind.
func (w *walk) does(task map[string]any) {
	w.t.Helper()
	kind, actions := task["kind"].(string), task["actions"].([]any)
	switch first := actions[0]; kind {
	case "filing_limit":
		w.act("submitClaim")
		w.said(task) // that its batch must go out
		w.putsOff(true)
	case "claim_rejected":
		w.corrects("Member ID", "W900")
	case "claim_held":
		if first == "releaseClaim" {
			w.act("releaseClaim")
			w.sends()
			return
		}
		w.corrects("Tooth", "14")
	case "draft_old":
		w.press("A")
		w.sees("Save as draft")
		w.press("Control+Enter")
		w.sends()
	case "unacknowledged":
		w.putsOff(false)
	case "no_decision":
		w.act("createStatusInquiry")
		w.said(task) // what the payer said
		w.putsOff(true)
	case "denied":
		w.denied(first.(string))
	case "appeal_due":
		if !strings.Contains(w.address(), "/appeals/") {
			w.act(first.(string)) // leads to the letter
		}
		w.seesA("button", map[any]string{"recordAppealSent": "Record as sent", "recordAppealDecided": "Record the decision"}[first])
		w.answers(first.(string))
	case "underpaid":
		w.decides("Accept it")
	case "overpaid":
		w.act("reconcileClaim")
		w.tab("Note")
		w.writes("Refunded by check.")
		w.press("Control+Enter")
	case "changed_after_reconcile":
		if open := w.m.get("/claims/" + task["resource"].(map[string]any)["id"].(string))["open"]; open == "0.00" {
			w.act("reconcileClaim") // and asks nothing
			return
		}
		w.answers("reconcileClaim")
	case "secondary_to_bill":
		w.press("A")
		w.sees("Make the secondary claim")
		w.press("Control+Enter")
		w.sends()
	case "secondary_outdated":
		w.press("A")
		w.sees("Send the replacement")
		w.press("Control+Enter")
	case "request_due":
		w.act("answerPayerRequest")
		w.focuses("Narrative")
		w.writes("The film shows the fracture.")
		w.tab("Send to the payer")
		w.press("Enter")
		w.seesA("dialog", "Send the answer?")
		w.press("Control+Enter")
	case "remittance_unbalanced":
		w.act("acknowledgeERA")
		w.tab("Why it is right, or what the payer said")
		w.writes("The payer corrects it with the next payment.")
		w.press("Control+Enter")
	case "remittance_unmatched":
		before := w.m.unfinished(task)
		w.finishes(task["resource"].(map[string]any)["id"].(string))
		w.until("the finished claim", func(*rod.Page) error {
			if n := w.m.unfinished(task); n >= before {
				return fmt.Errorf("%d are left", n)
			}
			return nil
		})
	case "remittance_correction":
		w.sees("Keep the other one") // which is posted, so it would have to be unposted first
		w.tab("Keep the other one")
		w.press("Enter")
		w.seesA("dialog", "Keep the other remittance?")
		w.press("Control+Enter")
	case "remittance_to_post":
		w.act("postERA")
	case "deposit_missing":
		w.decides("Received elsewhere")
	case "deposit_unmatched":
		w.deposits()
	case "images_unsent":
		w.answers("closeAttachment")
	case "enrollment_waiting":
		w.answers("putEnrollment")
	default:
		w.t.Fatalf("no keys for %s", kind)
	}
}

// denied does what the act of a refusal asks for.
func (w *walk) denied(first string) {
	w.t.Helper()
	switch first {
	case "replaceClaim":
		w.press("A")
		w.sees("Send the replacement")
		w.press("Control+Enter")
	case "createAttachment":
		w.act("createAttachment")
		w.sees("Continue to the images")
		w.tab("Narrative")
		w.writes("Tooth 14 is fractured below the gum line.")
		w.tab("Continue to the images")
		w.press("Enter")
		w.sees("Choose images")
		w.tab("Choose images")
		w.upload("Choose images", film(w.t, "records.png", 640, 480)) // in the window of the system, whose keys are not counted
		row := w.row("records.png")
		row.sees("What it shows")
		w.tab("What it shows")
		row.choose("What it shows", "Periapical")
		row.fill("Taken on", w.m.day(12))
		w.now.keys, w.now.typed, w.now.clicks = w.now.keys+2, w.now.typed+9, w.now.clicks+2 // Enter, a letter of the list, Tab, and the day
		w.tab("Upload 1 image")
		w.press("Enter")
		w.sees("Ready to send.")
		w.tab("Send to the payer")
		w.press("Enter")
		w.seesA("dialog", "Send to the payer?")
		w.press("Control+Enter")
		w.sees("Sent to the payer as")
		w.putsOff(true) // until the payer decides with the documents
	case "createAppeal":
		w.act("createAppeal")
		w.tab("Why the payer should pay")
		w.writes("The film shows decay below the old filling.")
		w.press("Control+Enter")
		w.until("the letter", func(*rod.Page) error { return w.on("/appeals/") })
	default: // it is written off
		w.answers("reconcileClaim")
	}
}

// finishes finishes the first claim of a remittance that needs a person: it is ignored if it
// belongs to nobody or to another patient, and else applied to the claim that it names or that
// the payer's statement finds.
func (w *walk) finishes(era string) {
	w.t.Helper()
	var c map[string]any
	for _, row := range w.m.list("/eras/" + era + "/claims") {
		if c == nil && (row["status"] == "needs_review" || row["status"] == "unmatched") {
			c = row
		}
	}
	review, _ := c["review"].(map[string]any)
	switch stranger := strings.HasPrefix(c["patient_control_number"].(string), "STRANGER"); {
	case stranger, review["code"] == "patient_and_charge_differ":
		w.sees("Ignore")
		w.press("i")
		w.seesA("dialog", "Ignore this remittance claim?")
		w.press("Control+Enter")
	case c["claim_id"] == nil:
		w.act("matchERAClaim")
		w.seesA("dialog", "Find the claim")
		w.sees("Same patient")
		w.focuses("Search claims")
		w.press("Tab", "Enter")
		w.sees("Choose another claim")
		w.tab("Match and apply")
		left := w.toFind("")
		w.press("Enter")
		w.toFind(left) // A would begin with the same claim
	default:
		w.answers("matchERAClaim")
	}
}

// toFind waits until the page has another number of claims of the remittance to find than before, and
// returns the number.
func (w *walk) toFind(before string) (n string) {
	w.t.Helper()
	w.until("the claims to find", func(r *rod.Page) (err error) {
		n, err = w.eval(r, `() => String(document.querySelectorAll("main [data-act=matchERAClaim]").length)`)
		if err == nil && n == before {
			err = fmt.Errorf("the page has %s", n)
		}
		return err
	})
	return n
}

// deposits matches the deposit with the remittance that it may pay, or says that it is not of a payer.
func (w *walk) deposits() {
	w.t.Helper()
	w.until("what the deposit may pay", func(r *rod.Page) error {
		shown, err := w.shown(r)
		if err == nil && !strings.Contains(shown, "May pay") && !strings.Contains(shown, "No remittance fits") {
			err = fmt.Errorf("nothing in %s", shown)
		}
		return err
	})
	if strings.Contains(w.text(), "May pay") {
		w.act("matchDeposit")
		return
	}
	w.decides("Not insurance")
}

// unfinished counts the claims of a task's remittance that need a person.
func (m *monday) unfinished(task map[string]any) int {
	m.t.Helper()
	progress := m.get("/eras/" + task["resource"].(map[string]any)["id"].(string))["progress"].(map[string]any)
	return int(progress["needs_review"].(float64) + progress["unmatched"].(float64))
}

// on reports an error unless the address of the page has a part.
func (w *walk) on(part string) error {
	if at := w.address(); !strings.Contains(at, part) {
		return fmt.Errorf("the page is %s", at)
	}
	return nil
}

// task returns the ID of the task that the bar is at; empty on Today.
func (w *walk) task(r *rod.Page) (id string, err error) {
	stored, err := w.eval(r, `() => /^\/test\/?$/.test(location.pathname) ? "" : sessionStorage.getItem("molar-queue-test") ?? "{}"`)
	if err != nil || stored == "" {
		return "", err
	}
	var queue struct {
		Task string `json:"task"`
	}
	err = json.Unmarshal([]byte(stored), &queue)
	return queue.Task, err
}

// all goes through the tasks until Today has none.
func (w *walk) all() {
	w.t.Helper()
	for n := 0; ; n++ {
		if n > 100 {
			w.t.Fatal("the tasks do not end")
		}
		id := ""
		w.until("a task", func(r *rod.Page) (err error) {
			id, err = w.task(r)
			return err
		})
		if id == "" {
			return
		}
		task := w.m.get("/tasks/" + id)
		kind := task["kind"].(string)
		if w.spent[kind] == nil {
			w.spent[kind] = &effort{}
		}
		w.now = w.spent[kind]
		before := w.now.keys
		w.within("region", "Task").sees(task["reason"].(string))
		switch patient, is := task["patient_name"].(string); {
		case !is, strings.Contains(w.address(), "/appeals/"):
		case strings.Contains(w.address(), "/payer-requests/"): // its heading has the payer
			w.sees(patient)
		default:
			w.seesA("heading", patient) // not the page of the task before
		}
		w.does(task)
		if kind == "remittance_unmatched" && w.m.unfinished(task) > 0 {
			continue // with its next claim
		}
		w.until(fmt.Sprintf("the end of %s %s", kind, task["resource"].(map[string]any)["id"]), func(r *rod.Page) error {
			next, err := w.task(r)
			if err == nil && next == id {
				err = fmt.Errorf("the bar is still at it: %v", w.m.get("/tasks/" + id)["state"])
			}
			return err
		})
		if w.now.tasks++; w.now.first == 0 {
			w.now.first = w.now.keys - before
		}
	}
}
