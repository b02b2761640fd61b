package httpapi

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/tasks"
	"github.com/molar-billing/molar/ports/porttest"
)

// checkTasks reads the tasks of items of batches by the practice's own IDs.
func (s *service) checkTasks(t *testing.T, query string) map[string]anObject {
	t.Helper()
	all := map[string]anObject{}
	for _, row := range s.must(t, 200, call{path: "/tasks?kind=check_needs_person" + query}).get(t, "data").([]any) {
		all[row.(anObject)["resource"].(anObject)["item_id"].(string)] = row.(anObject)
	}
	return all
}

// TestCheckTasks follows the tasks of a batch: they come with its outcomes, end when its items are
// asked again or somebody decides, and come again.
func TestCheckTasks(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)}) // the patient is known
	day := lately(-20)
	id := s.must(t, 201, call{path: "/eligibility/batches", body: checksBody([]anObject{
		s.item(t, "active", "ACTIVE-FULL"),
		s.item(t, "inactive", "INACTIVE", "appointment_at", day+"T16:00:00Z"),
		s.item(t, "rejected", "NOT-FOUND"),
		s.item(t, "invalid", "ACTIVE-FULL", "payer_id", "NOBODY"),
	})}).text(t, "id")
	s.settledBatch(t, id)
	all := s.checkTasks(t, "")
	if len(all) != 3 || all["active"] != nil {
		t.Fatalf("tasks %v", all)
	}
	s.must(t, 200, call{path: "/tasks/" + all["inactive"]["id"].(string)}).shows(t, "due_on", day, "due_from", "appointment", "office_id", s.office.String(), "payer.payer_id", "CHTEST",
		"amount", nil, "resource.object", "eligibility_batch_item", "resource.batch_id", id, "actions.0", "getEligibilityCheck", "settles", []any{"handled", "canceled"})
	s.must(t, 200, call{path: "/tasks/" + all["invalid"]["id"].(string)}).shows(t, "due_on", nil, "due_from", nil, "payer", nil, "office_id", s.office.String(), "actions.0", "retryEligibilityBatch")
	for name, row := range all {
		if who, ok := row["patient_name"].(string); !ok || who == "" {
			t.Errorf("the patient of %s is not known: %v", name, row)
		}
		of := row["resource"].(anObject)["id"].(string)
		s.must(t, 200, call{path: "/tasks?resource_id=" + of}).shows(t, "data.0.id", row["id"], "counts.kinds.check_needs_person.count", 3.0)
	}

	// A decision ends the task, and wake takes it back.
	visit := "/tasks/" + all["rejected"]["id"].(string)
	wantFields(t, s.do(t, call{path: visit + "/settle", body: `{"as":"accepted"}`, bad: true}), "as not_allowed")
	s.must(t, 200, call{path: visit + "/settle", body: `{"as":"canceled","note":"They moved away."}`}).shows(t, "state", "done", "settled.as", "canceled", "settled.note", "They moved away.")
	s.must(t, 200, call{method: "POST", path: visit + "/wake"}).shows(t, "state", "open", "settled", nil)
	s.must(t, 200, call{path: visit + "/settle", body: `{"as":"canceled"}`})
	s.must(t, 200, call{path: "/tasks/" + all["inactive"]["id"].(string) + "/settle", body: `{"as":"handled"}`}).shows(t, "state", "done")

	// Asked again, the invalid one is right, and the rejected one needs a person again.
	s.note(t, "/eligibility/batches/"+id+"/items/rejected", "The card says MR-1.")
	s.must(t, 200, call{path: "/eligibility/batches/" + id + "/retry", body: jsonOf(anObject{"item_ids": []string{"rejected"}, "items": []anObject{s.item(t, "invalid", "ACTIVE-FULL")}}, nil)})
	s.settledBatch(t, id)
	if all = s.checkTasks(t, ""); len(all) != 1 || "/tasks/"+all["rejected"]["id"].(string) != visit {
		t.Fatalf("after they were asked again: %v", all)
	}
	s.must(t, 200, call{path: visit}).shows(t, "state", "open", "settled.as", "canceled", "notes.0.text", "The card says MR-1.", "notes_count", 1.0)
	if item := s.items(t, id, "")["rejected"]; item["settled"].(anObject)["as"] != "canceled" || s.items(t, id, "")["active"]["settled"] != nil {
		t.Errorf("the item of a decision: %v", item)
	}
	if done := s.checkTasks(t, "&state=done"); len(done) != 2 || done["invalid"]["settled"] != nil || done["inactive"]["settled"] == nil {
		t.Errorf("done: %v", done)
	}
	sum, err := tasks.New(s.store, nil).Renew(t.Context(), s.test, func(task.Renewed) {})
	if err != nil || sum.Resources < 4 || sum.Differed > 0 {
		t.Errorf("computed again: %+v, %v", sum, err)
	}
}

// TestTasksOfVisits has the tasks of two visits that are checked again before: the visit of one is off, so
// the payer is not asked again, and a day after the visit the task of the other is done.
func TestTasksOfVisits(t *testing.T) {
	t.Parallel()
	s := startService(t)
	visit := time.Now().UTC().AddDate(0, 0, 20).Truncate(time.Second)
	at := visit.Format(time.RFC3339)
	id := s.must(t, 201, call{path: "/eligibility/batches", body: checksBody([]anObject{
		s.item(t, "off", "NOT-FOUND", "appointment_at", at), s.item(t, "on", "INACTIVE", "appointment_at", at),
	}, "recheck", "P2D")}).text(t, "id")
	s.settledBatch(t, id)
	all := s.checkTasks(t, "")
	off, on := "/tasks/"+all["off"]["id"].(string), "/tasks/"+all["on"]["id"].(string)
	s.must(t, 200, call{path: on + "/settle", body: `{"as":"handled"}`})
	s.must(t, 200, call{method: "POST", path: on + "/wake"})
	s.must(t, 200, call{path: off + "/settle", body: `{"as":"canceled"}`}).shows(t, "state", "done")
	items := s.items(t, id, "")
	if was := items["off"]; was["state"] != "completed" || was["outcome"] != "rejected" || was["next_attempt_at"] != nil || was["needs_a_person"] != true {
		t.Errorf("the visit is off: %v", was)
	}
	if was := items["on"]; was["state"] != "waiting" || was["next_attempt_at"] == nil {
		t.Errorf("the visit was handled, and woken: %v", was)
	}
	s.must(t, 200, call{method: "POST", path: off + "/wake"}).shows(t, "state", "open", "actions", []any{"retryEligibilityBatch", "getEligibilityCheck", "settleTask"})
	s.must(t, 200, call{path: off + "/settle", body: `{"as":"canceled"}`})

	s.standsAt(t, visit.AddDate(0, 0, 1))
	s.must(t, 200, call{path: "/tasks"}).shows(t, "data", []any{}, "counts.kinds.check_needs_person.count", 0.0)
	s.must(t, 200, call{path: on}).shows(t, "state", "done", "ended_at", event.Timestamp(visit.AddDate(0, 0, 1)))
	for _, act := range []call{{path: on + "/settle", body: `{"as":"handled"}`}, {path: on + "/snooze", body: "{}"}, {path: on + "/wake", method: "POST"}, {path: on + "/assign", body: `{"user_id":null}`}} {
		act.bad = true
		wantStatus(t, s.do(t, act), 409, billing.CodeConflict)
	}
	if done := s.checkTasks(t, "&state=done"); len(done) != 2 {
		t.Errorf("done: %v", done)
	}
	if asked := s.items(t, id, "")["off"]; asked["state"] != "completed" || asked["eligibility_id"] != items["off"]["eligibility_id"] {
		t.Errorf("it was asked again: %v", asked)
	}
	sum, err := tasks.New(s.store, nil).Renew(t.Context(), s.test, func(task.Renewed) {})
	if err != nil || sum.Differed > 0 {
		t.Errorf("computed again: %+v, %v", sum, err)
	}
}

// TestTasksOfCanceledChecks cancels a batch of which one item needs a person: nothing is asked again,
// and the others need nobody.
func TestTasksOfCanceledChecks(t *testing.T) {
	t.Parallel()
	s := startService(t)
	id := s.must(t, 201, call{path: "/eligibility/batches", bad: true, body: checksBody([]anObject{
		s.item(t, "down", "PAYER-DOWN"), s.item(t, "gone", "PAYER-DOWN"), s.item(t, "invalid", "ACTIVE-FULL", "color", "red"),
	})}).text(t, "id")
	porttest.Await(t, "the first attempts", func() bool {
		all := s.items(t, id, "")
		return s.asksAgain(t, id) && all["gone"]["next_attempt_at"] != nil && fmt.Sprint(all["gone"]["attempts"]) == "1"
	})
	path := "/eligibility/batches/" + id
	s.must(t, 200, call{path: path + "/items/gone/cancel", body: "{}"})
	s.must(t, 200, call{path: path + "/cancel", body: "{}"}).shows(t, "state", "canceled")
	all := s.checkTasks(t, "")
	if len(all) != 1 || fmt.Sprint(all["invalid"]["actions"]) != "[settleTask]" || strings.Contains(all["invalid"]["reason"].(string), "ask again") {
		t.Errorf("tasks %v", all)
	}
	wantStatus(t, s.do(t, call{path: path + "/items/nobody/notes", body: noteBody}), 404, billing.CodeNotFound)
	wantStatus(t, s.do(t, call{path: strings.Replace(path, id, "bat_x", 1) + "/items/invalid/notes"}), 404, billing.CodeNotFound)
}

// TestItemsOfAnyName reaches items by IDs that stand otherwise in a path.
func TestItemsOfAnyName(t *testing.T) {
	t.Parallel()
	s := startService(t)
	names := []string{"Zoë, chair 4/b", `4711"; filename="x`, "a%20b", "100 %"}
	items := make([]anObject, len(names))
	for i, name := range names {
		items[i] = s.item(t, name, "ACTIVE-FULL")
	}
	id := s.must(t, 201, call{path: "/eligibility/batches", body: checksBody(items)}).text(t, "id")
	s.settledBatch(t, id)
	for _, name := range names {
		item := "/eligibility/batches/" + id + "/items/" + url.PathEscape(name)
		s.must(t, 201, call{path: item + "/notes", body: noteBody})
		if _, rows := s.table(t, call{path: item + "/notes"}); len(rows) != 1 {
			t.Errorf("notes of %s: %q", name, rows)
		}
		s.must(t, 200, call{method: "POST", path: item + "/cancel"})
	}
}
