package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// acts are what people do about tasks: the path after the resource, and the body.
var acts = map[string][2]string{
	"updateClaim": {"", `{"draft":true}`}, "voidClaim": {"/void", "{}"}, "reconcileClaim": {"/reconcile", "{}"}, "reopenClaim": {"/reopen", "{}"},
	"releaseClaim": {"/release", "{}"}, "replaceClaim": {"/replace", "{}"}, "postERA": {"/post", `{"accept_unfinished":true}`},
	"acknowledgeERA": {"/acknowledge", `{"note":"The payer was asked."}`}, "replaceERA": {"/replace", "{}"}, "keepERA": {"/keep", "{}"},
	"matchERAClaim": {"/claims/1/ignore", "{}"}, "applyERAClaim": {"/claims/1/apply", "{}"}, "ignoreERAClaim": {"/claims/1/ignore", "{}"},
	"closeAttachment": {"/close", "{}"}, "holdClaim": {"/hold", `{"reason":"A letter is missing."}`}, "unpostERA": {"/unpost", `{"note":"Once more."}`},
}

var pathsOfResources = map[string]string{"claim": "/claims/", "era": "/eras/", "payer_request": "/payer_requests/", "attachment": "/attachments/", "enrollment": "/enrollments/"}

// atAnyTime are acts that no task has to name.
var atAnyTime = map[string][]string{
	"claim": {"holdClaim", "releaseClaim", "updateClaim", "voidClaim", "reconcileClaim", "reopenClaim", "replaceClaim"}, "era": {"postERA", "unpostERA"},
}

// workThrough lets people do random things about the tasks and the claims of the organization,
// while its clock moves, and returns how many were done. Whatever was done, each task is as the
// rules say.
func (s *system) workThrough(seed uint64) (done int) {
	s.tb.Helper()
	r := rand.New(rand.NewPCG(seed, 31))
	for n := range 100 {
		list := []string{"/tasks?limit=100", "/tasks?limit=100&state=done", "/claims?limit=100"}[r.IntN(3)]
		found := s.act(http.MethodGet, list, "").body["data"].([]any)
		if len(found) == 0 || n%8 == 7 {
			s.clock(http.MethodPost, "/advance", fmt.Sprintf(`{"by":"PT%dH"}`, 1+r.IntN(200)))
			continue
		}
		of := found[r.IntN(len(found))].(map[string]any)
		kind, id, can := of["object"].(string), of["id"].(string), []string(nil)
		if kind == "task" {
			task, on := "/tasks/"+id, of["resource"].(map[string]any)
			kind, id, can = on["object"].(string), on["id"].(string), texts(of["actions"])
			switch settles := of["settles"].([]any); {
			case len(settles) > 0 && r.IntN(2) == 0:
				done += s.act(http.MethodPost, task+"/settle", fmt.Sprintf(`{"as":%q,"note":"Decided."}`, settles[r.IntN(len(settles))])).done()
				continue
			case r.IntN(4) == 0:
				done += s.act(http.MethodPost, task+"/snooze", "{}").done()
				continue
			}
		}
		if kind == "claim" && r.IntN(3) == 0 {
			done += s.otherPlan(r, id)
			continue
		}
		can = append(can, atAnyTime[kind]...)
		if len(can) == 0 {
			continue
		}
		act, known := acts[can[r.IntN(len(can))]]
		switch {
		case !known:
		case act[0] == "":
			done += s.act(http.MethodPatch, pathsOfResources[kind]+id, act[1]).done()
		default:
			done += s.act(http.MethodPost, pathsOfResources[kind]+id+act[0], act[1]).done()
		}
	}
	s.clock(http.MethodPost, "/advance", `{"by":"PT1H"}`) // after the jobs under way
	said := s.molar("tasks", "rebuild", "--org", s.organizationID(), "--mode", "test")
	if !strings.Contains(said, "Those of 0 were not") {
		s.tb.Errorf("seed %d: %s", seed, said)
	}
	return done
}

// otherPlan asks another payer about the patient of a claim, or bills one, and returns how many things were done.
func (s *system) otherPlan(r *rand.Rand, claim string) int {
	s.tb.Helper()
	c := s.act(http.MethodGet, "/claims/"+claim, "").body
	who, ok := c["subscriber"].(map[string]any)
	if !ok || who["date_of_birth"] == nil {
		return 0
	}
	payer := []string{"60054", "84105"}[r.IntN(2)]
	if r.IntN(4) == 0 {
		body, _ := json.Marshal(map[string]any{"payer_id": payer, "relationship": "self", "subscriber": map[string]any{
			"first_name": who["first_name"], "last_name": who["last_name"], "date_of_birth": who["date_of_birth"], "gender": "unknown", "member_id": unique("W"), "address": who["address"],
		}})
		return s.act(http.MethodPost, "/claims/"+claim+"/bill_secondary", string(body)).done()
	}
	if p, is := c["patient"].(map[string]any); is {
		who = p // with a plan of their own
	}
	body, _ := json.Marshal(map[string]any{"office_id": s.office, "payer_id": payer, "service_date": c["service_dates"].(map[string]any)["first"], "subscriber": map[string]any{
		"first_name": who["first_name"], "last_name": who["last_name"], "date_of_birth": who["date_of_birth"],
		"member_id": unique("W") + []string{"-ACTIVE-FULL", "-ACTIVE-BASIC", "-INACTIVE"}[r.IntN(3)],
	}})
	return s.act(http.MethodPost, "/eligibility", string(body)).done()
}

// done is 1 for a reply of success.
func (a reply) done() int {
	if a.status/100 == 2 {
		return 1
	}
	return 0
}

// texts returns a list of texts.
func texts(list any) (all []string) {
	for _, v := range list.([]any) {
		all = append(all, v.(string))
	}
	return all
}

// act calls an operation, which may refuse. It fails the test if the service does.
func (s *system) act(method, path, body string) (a reply) {
	s.tb.Helper()
	await(s.tb, method+" "+path, func() bool {
		var err error
		client := &http.Client{Timeout: 40 * time.Second}
		defer client.CloseIdleConnections()
		a, err = send(s.tb.Context(), client, method, s.urls[rand.IntN(len(s.urls))]+path, s.key, unique("act"), "application/json", []byte(body))
		return err == nil && a.status != http.StatusServiceUnavailable && a.status != http.StatusTooManyRequests
	})
	if a.status >= 500 {
		s.tb.Errorf("%s %s %s: %d %s", method, path, body, a.status, a.text)
	}
	return a
}
