package httpapi

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports/porttest"
)

// item returns an item of a batch about a member, with fields in place of its own.
func (s *service) item(t *testing.T, id, ending string, fields ...any) anObject {
	t.Helper()
	var o anObject
	if err := json.Unmarshal([]byte(s.question(ending, nil)), &o); err != nil {
		t.Fatal(err)
	}
	o["item_id"] = id
	with(fields...)(o)
	return o
}

func checksBody(items []anObject, fields ...any) string {
	return jsonOf(anObject{"name": "Tomorrow", "items": items}, with(fields...))
}

// checks is a batch of one.
func (s *service) checks(t *testing.T) string {
	t.Helper()
	return checksBody([]anObject{s.item(t, "one", "ACTIVE-FULL")})
}

// settledBatch waits until every item of a batch has an outcome.
func (s *service) settledBatch(t *testing.T, id string) {
	t.Helper()
	porttest.Await(t, "outcomes of a batch", func() bool {
		return fmt.Sprint(s.must(t, 200, call{path: "/eligibility/batches/" + id}).get(t, "pending")) == "0"
	})
}

// items reads the items of a batch by their IDs.
func (s *service) items(t *testing.T, id, query string) map[string]anObject {
	t.Helper()
	all := map[string]anObject{}
	for _, row := range s.must(t, 200, call{path: "/eligibility/batches/" + id + "/items" + query}).get(t, "data").([]any) {
		all[row.(anObject)["item_id"].(string)] = row.(anObject)
	}
	return all
}

// TestCheckBatches has a batch with an item of every outcome that comes at once.
func TestCheckBatches(t *testing.T) {
	t.Parallel()
	s := startService(t)
	create := call{path: "/eligibility/batches", idem: "batch", bad: true, body: checksBody([]anObject{
		s.item(t, "active", "ACTIVE-FULL", "appointment_at", "2030-01-02T09:00:00-06:00", "appointment_id", "A-1"),
		s.item(t, "inactive", "INACTIVE"),
		s.item(t, "different", "DIFFERENT"),
		s.item(t, "rejected", "NOT-FOUND"),
		s.item(t, "invalid", "ACTIVE-FULL", "payer_id", "NOBODY"),
		s.item(t, "unknown", "ACTIVE-FULL", "color", "red"),
		s.item(t, "down", "PAYER-DOWN"),
	})}
	made := s.must(t, 201, create)
	made.shows(t, "object", "eligibility_batch", "name", "Tomorrow", "items", 7.0, "pending", 5.0, "outcomes.invalid", 2.0, "state", "running")
	if again := s.must(t, 201, create); again.body != made.body {
		t.Errorf("the request again: %s", again.body)
	}
	id := made.text(t, "id")
	porttest.Await(t, "all but the payer that is down", func() bool {
		b := s.must(t, 200, call{path: "/eligibility/batches/" + id})
		return fmt.Sprint(b.get(t, "pending")) == "1" && s.asksAgain(t, id)
	})
	s.must(t, 200, call{path: "/eligibility/batches/" + id}).shows(t, "state", "running", "outcomes.answered", 3.0, "outcomes.rejected", 1.0, "needs_a_person", 5.0)
	all := s.items(t, id, "")
	for item, want := range map[string]string{
		"active":    "answered false active <nil>",
		"inactive":  "answered true inactive <nil>",
		"different": "answered true active <nil>",
		"rejected":  "rejected true <nil> <nil>",
		"invalid":   "invalid true <nil> <nil>",
		"unknown":   "invalid true <nil> <nil>",
	} {
		i := all[item]
		if got := fmt.Sprintln(i["outcome"], i["needs_a_person"], i["status"], i["next_attempt_at"]); got != want+"\n" {
			t.Errorf("%s: %s, want %s", item, got, want)
		}
	}
	s.wantItems(t, id, all)
	s.wantBatchFile(t, id)
}

// TestCheckBatchOfNextYear shows what is left for a visit after the turn of the year: the whole of 2000.00 and of
// 50.00, of which 1640.00 and nothing are left today.
func TestCheckBatchOfNextYear(t *testing.T) {
	t.Parallel()
	s := startService(t)
	next := fmt.Sprint(todayAt(directory.DefaultTimeZone).Year+1, "-01-01")
	id := s.must(t, 201, call{path: "/eligibility/batches", body: checksBody([]anObject{
		s.item(t, "today", "ACTIVE-FULL"), s.item(t, "next", "ACTIVE-FULL", "service_date", next),
	})}).text(t, "id")
	s.settledBatch(t, id)
	for item, want := range map[string]string{"today": "1640.00 0.00", "next": "2000.00 50.00"} {
		i := s.items(t, id, "")[item]
		if got := fmt.Sprint(i["maximum_remaining"], " ", i["deductible_remaining"]); got != want {
			t.Errorf("%s: %s, want %s; %v", item, got, want, i["verdict"])
		}
	}
	file := s.must(t, 200, call{path: "/eligibility/batches/" + id + "/items", header: map[string]string{"Accept": "text/csv"}})
	if !strings.Contains(file.body, ",2000.00,50.00,") || !strings.Contains(file.body, "The deductible begins anew on January 1, ") {
		t.Error(file.body)
	}
}

// asksAgain reports whether the first attempt of the item down has ended. While it is under way
// the item is not canceled, but completed by its answer.
func (s *service) asksAgain(t *testing.T, id string) bool {
	t.Helper()
	down := s.items(t, id, "?item_id=down")["down"]
	return down["attempts"] == json.Number("1") && down["next_attempt_at"] != nil
}

// wantItems compares items with their checks.
func (s *service) wantItems(t *testing.T, id string, all map[string]anObject) {
	t.Helper()
	if got := jsonOf(all["invalid"]["errors"].([]any)[0].(anObject), nil); !strings.Contains(got, `"field":"payer_id"`) {
		t.Errorf("faults of an item: %s", got)
	}
	down := s.must(t, 200, call{path: "/eligibility/" + all["down"]["eligibility_id"].(string)})
	down.shows(t, "state", "pending", "batch_id", id)
	if got := s.walk(t, "/events?resource_id="+down.text(t, "id")); len(got) > 0 {
		t.Errorf("a check that is asked again has events: %v", got)
	}
	active := s.must(t, 200, call{path: "/eligibility/" + all["active"]["eligibility_id"].(string)})
	active.shows(t, "batch_id", id, "verdict.text", all["active"]["verdict"].(anObject)["text"], "patient_id", all["active"]["patient_id"])
	if got := s.walk(t, "/eligibility?batch_id="+id); len(got) != 5 {
		t.Errorf("checks of the batch: %v", got)
	}
	if got := s.items(t, id, "?needs_a_person=false&outcome=answered"); len(got) != 1 || got["active"] == nil {
		t.Errorf("filtered: %v", got)
	}
}

// wantBatchFile reads the items as a file.
func (s *service) wantBatchFile(t *testing.T, id string) {
	t.Helper()
	file := s.must(t, 200, call{path: "/eligibility/batches/" + id + "/items", header: map[string]string{"Accept": "text/csv"}})
	text, last, _ := strings.Cut(file.body, "# ")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 8 || last != "7 rows\r\n" || rows[1][0] != "active" || rows[1][9] != "answered" {
		t.Errorf("the file: %v\n%s", err, file.body)
	}
}

// TestCheckBatchRetry corrects an item, and asks for another again.
func TestCheckBatchRetry(t *testing.T) {
	t.Parallel()
	s := startService(t)
	id := s.must(t, 201, call{path: "/eligibility/batches", body: checksBody([]anObject{
		s.item(t, "rejected", "NOT-FOUND"), s.item(t, "active", "ACTIVE-FULL"), s.item(t, "down", "PAYER-DOWN"),
	})}).text(t, "id")
	porttest.Await(t, "an outcome", func() bool {
		return s.asksAgain(t, id) && s.items(t, id, "?outcome=rejected")["rejected"] != nil && s.items(t, id, "?outcome=answered")["active"] != nil
	})
	before := s.items(t, id, "")
	path := "/eligibility/batches/" + id
	unknown := jsonOf(anObject{"item_ids": []string{"down", "nobody"}, "items": []anObject{s.item(t, "rejected", "ACTIVE-BASIC"), s.item(t, "neither", "ACTIVE-BASIC")}}, nil)
	wantFields(t, s.do(t, call{path: path + "/retry", body: unknown}), "items.1.item_id not_found,item_ids.0 conflict,item_ids.1 not_found")
	s.must(t, 200, call{path: path + "/retry", body: jsonOf(anObject{"item_ids": []string{"active"}, "items": []anObject{s.item(t, "rejected", "ACTIVE-BASIC")}}, nil)})
	porttest.Await(t, "outcomes again", func() bool { return fmt.Sprint(s.must(t, 200, call{path: path}).get(t, "pending")) == "1" })
	after := s.items(t, id, "")
	s.must(t, 200, call{path: "/eligibility/" + after["rejected"]["eligibility_id"].(string)}).shows(t, "outcome", "answered", "parent_id", before["rejected"]["eligibility_id"])
	if after["active"]["eligibility_id"] == before["active"]["eligibility_id"] {
		t.Error("the item asked again has the same check")
	}
	check := after["down"]["eligibility_id"].(string)
	s.must(t, 200, call{path: path + "/items/down/cancel", body: "{}"}).shows(t, "state", "done", "outcomes.canceled", 1.0)
	s.must(t, 200, call{path: "/eligibility/" + check}).shows(t, "state", "completed", "outcome", "payer_unavailable")
	wantStatus(t, s.do(t, call{path: path + "/items/nobody/cancel", body: "{}"}), 404, billing.CodeNotFound)
	s.must(t, 200, call{path: path + "/cancel", body: "{}"}).shows(t, "state", "done", "canceled_at", nil, "outcomes.answered", 2.0)
	s.must(t, 200, call{path: path + "/retry", body: `{"item_ids":["down"]}`}).shows(t, "state", "running")
	porttest.Await(t, "the end of the attempt", func() bool { return s.asksAgain(t, id) })
	s.must(t, 200, call{path: path + "/cancel", body: "{}"}).shows(t, "state", "canceled", "outcomes.canceled", 1.0)
	s.must(t, 200, call{path: path + "/cancel", body: "{}"}).shows(t, "state", "canceled")
	wantStatus(t, s.do(t, call{path: path + "/retry", body: `{"item_ids":["down"]}`}), 409, billing.CodeConflict)
}

// TestCheckBatchRefuses has batches that are refused as a whole.
func TestCheckBatchRefuses(t *testing.T) {
	t.Parallel()
	s := startService(t)
	one := s.item(t, "one", "ACTIVE-FULL")
	for body, fields := range map[string]string{
		checksBody(nil):                                                               "items",
		checksBody([]anObject{one, one}):                                              "items.1.item_id",
		checksBody([]anObject{s.item(t, "", "ACTIVE-FULL")}):                          "items.0.item_id",
		checksBody([]anObject{one}, "name", " "):                                      "name",
		checksBody([]anObject{one}, "not_after", "2020-01-01T00:00:00Z"):              "not_after",
		checksBody([]anObject{one}, "recheck", "P1M"):                                 "recheck",
		checksBody([]anObject{s.item(t, "one", "ACTIVE-FULL", "payer_id", "NOBODY")}): "items.0.payer_id",
	} {
		a := s.do(t, call{path: "/eligibility/batches", body: body, bad: true})
		wantStatus(t, a, 422, billing.CodeInvalidRequest)
		if !strings.Contains(a.body, `"field":"`+fields+`"`) {
			t.Errorf("%s: %s", fields, a.body)
		}
	}
}

// TestCheckBatchFaultsOfItems has items whose own fields are wrong. They are invalid, and the others are asked.
func TestCheckBatchFaultsOfItems(t *testing.T) {
	t.Parallel()
	s := startService(t)
	late := s.item(t, "late", "ACTIVE-FULL", "appointment_at", "tomorrow")
	long := s.item(t, "long", "ACTIVE-FULL", "appointment_id", strings.Repeat("é", 101))
	typed := s.item(t, "typed", "ACTIVE-FULL", "appointment_id", 7)
	made := s.must(t, 201, call{path: "/eligibility/batches", bad: true, body: checksBody([]anObject{s.item(t, "good", "ACTIVE-FULL"), late, long, typed})})
	made.shows(t, "items", 4.0, "outcomes.invalid", 3.0)
	id := made.text(t, "id")
	s.settledBatch(t, id)
	items := s.items(t, id, "")
	for name, want := range map[string]string{"good": "", "late": "appointment_at format", "long": "appointment_id too_long", "typed": "appointment_id type"} {
		got := errorsOf(items[name])
		if got != want || (items[name]["outcome"] == "invalid") != (want != "") || want != "" && items[name]["needs_a_person"] != true {
			t.Errorf("%s: %s %v, want %s", name, items[name]["outcome"], got, want)
		}
	}
	if items["long"]["appointment_id"] != nil || items["late"]["appointment_at"] != nil {
		t.Errorf("what is wrong is stored: %v", items)
	}
	// Corrected, the item is asked about like any other.
	right := s.item(t, "late", "ACTIVE-FULL", "appointment_at", "2030-01-02T09:00:00-06:00")
	s.must(t, 200, call{path: "/eligibility/batches/" + id + "/retry", body: jsonOf(anObject{"items": []anObject{right}}, nil)})
	s.settledBatch(t, id)
	if late := s.items(t, id, "")["late"]; late["outcome"] != "answered" || late["appointment_at"] == nil {
		t.Errorf("corrected: %v", late)
	}
	all := s.do(t, call{path: "/eligibility/batches", bad: true, body: checksBody([]anObject{late, long})})
	wantFields(t, all, "items.0.appointment_at format,items.1.appointment_id too_long")
}

// TestCheckBatchManyFaults has more faults than a reply names. Each is of its item, and the good item is asked.
func TestCheckBatchManyFaults(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var wrong []anObject
	for i := range 150 {
		wrong = append(wrong, s.item(t, "bad"+strconv.Itoa(i), "ACTIVE-FULL", "service_date", 7, "detail_level", true))
	}
	types := checksBody(append(slices.Clone(wrong), s.item(t, "good", "ACTIVE-FULL")))
	names := strings.ReplaceAll(types, `"service_date":7`, `"payer_id":"X"`) // a second one
	for want, body := range map[string]string{"service_date type, detail_level type": types, "payer_id conflict, detail_level type": names} {
		made := s.must(t, 201, call{path: "/eligibility/batches", bad: true, body: body})
		made.shows(t, "items", 151.0, "outcomes.invalid", 150.0)
		id := made.text(t, "id")
		s.settledBatch(t, id)
		if got := errorsOf(s.items(t, id, "?item_id=bad149")["bad149"]); got != want {
			t.Errorf("the last item has %s, want %s", got, want)
		}
		if good := s.items(t, id, "?item_id=good")["good"]; good["outcome"] != "answered" {
			t.Errorf("the good item is %v", good)
		}
	}
	all := s.do(t, call{path: "/eligibility/batches", bad: true, body: checksBody(wrong)})
	wantStatus(t, all, 422, billing.CodeInvalidRequest)
	if n := strings.Count(all.body, `"field":`); n != 100 {
		t.Errorf("a batch of invalid items has %d errors, want 100", n)
	}
	// Faults of the batch itself refuse it, however many its items have.
	for want, more := range map[string]string{"name conflict": `,"name":"again"`, "extra unknown": `,"extra":1`, "recheck type": `,"recheck":1`} {
		wantFields(t, s.do(t, call{path: "/eligibility/batches", bad: true, body: strings.TrimSuffix(names, "}") + more + "}"}), want)
	}
}

// errorsOf returns the faults of an item, as it shows them.
func errorsOf(item anObject) string {
	var all []string
	for _, e := range item["errors"].([]any) {
		all = append(all, e.(anObject)["field"].(string)+" "+e.(anObject)["code"].(string))
	}
	return strings.Join(all, ", ")
}
