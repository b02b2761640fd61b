package httpapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/caller"
)

// ruleBody asks for an X-ray and a narrative with crowns for CHTEST.
func ruleBody(fields ...any) string {
	return jsonOf(anObject{"payer_id": "CHTEST", "procedure_codes": []string{"D2740"}, "needs": []string{"xray", "narrative"}, "note": "Denied in May."}, with(fields...))
}

// advised returns the codes of a claim's advice.
func (a response) advised(t *testing.T) string {
	t.Helper()
	all, _ := a.get(t, "advice").([]any)
	codes := make([]string, len(all))
	for i, one := range all {
		codes[i], _ = one.(anObject)["code"].(string)
	}
	return strings.Join(codes, " ")
}

// TestAttachmentRules makes, changes, lists and deletes rules, each of one mode.
func TestAttachmentRules(t *testing.T) {
	t.Parallel()
	s := startService(t)
	first := s.must(t, 201, call{path: "/attachment_rules", body: ruleBody()})
	first.shows(t, "object", "attachment_rule", "version", 1, "payer.payer_id", "CHTEST", "procedure_codes.0", "D2740", "needs.1", "narrative", "when", "initial", "note", "Denied in May.")
	all := s.must(t, 201, call{path: "/attachment_rules", body: `{"needs":[],"when":"always","procedure_codes":["d2710 - d2794","dXX99"]}`})
	all.shows(t, "payer", nil, "procedure_codes.0", "D2710-D2794", "procedure_codes.1", "Dxx99", "needs", []any{}, "note", nil)
	path := "/attachment_rules/" + first.text(t, "id")
	for query, want := range map[string][]string{
		"":                 {all.text(t, "id"), first.text(t, "id")},
		"?payer_id=CHTEST": {first.text(t, "id")},
		"?payer_id=60054":  {},
	} {
		if got := s.walk(t, "/attachment_rules"+query); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	change := func(seen, body string) call {
		return call{method: "PATCH", path: path, body: body, header: map[string]string{ifMatch: seen}}
	}
	s.must(t, 200, change(`"1"`, `{"needs":["photo"]}`)).shows(t, "version", 2, "needs.0", "photo", "payer.payer_id", "CHTEST", "note", "Denied in May.", "procedure_codes.0", "D2740")
	if got := s.do(t, change(`"1"`, `{"note":"Mine."}`)); got.StatusCode != 412 || len(got.changed(t)) != 1 {
		t.Errorf("a change meanwhile: %d %s", got.StatusCode, got.body)
	}
	s.must(t, 200, change(`*`, `{"payer_id":null,"procedure_codes":null,"when":null,"note":null}`)).
		shows(t, "version", 3, "payer", nil, "procedure_codes", []any{}, "when", "initial", "note", nil, "needs.0", "photo")
	if got := s.must(t, 200, call{path: path}); got.text(t, "needs", "0") != "photo" {
		t.Errorf("read %s", got.body)
	}

	for body, want := range map[string]string{
		`{}`:                        "needs required",
		ruleBody("needs", nil):      "needs required",
		ruleBody("payer_id", ""):    "payer_id not_found",
		ruleBody("payer_id", "no"):  "payer_id not_found",
		ruleBody("when", "never"):   "when not_allowed",
		ruleBody("office_id", "x"):  "office_id unknown",
		ruleBody("needs", []int{1}): "needs.0 type",
		ruleBody("procedure_codes", []string{"2740"}, "needs", []string{"tooth", "xray"}): "procedure_codes.0 format,needs.0 not_allowed",
	} {
		a := s.do(t, call{path: "/attachment_rules", body: body, bad: true})
		if strings.HasSuffix(want, "not_found") {
			wantStatus(t, a, 404, billing.CodeNotFound)
			continue
		}
		wantFields(t, a, want)
	}
	s.must(t, 200, call{path: "/attachment_rules", key: s.live}).shows(t, "data", []any{})
	for role, status := range map[caller.Role]int{caller.RoleViewer: 403, caller.RoleBiller: 201} {
		v := s.visits(t, s.org, string(role)+"@example.com", role)
		if a := s.do(t, v.call(call{path: "/attachment_rules", body: ruleBody()})); a.StatusCode != status {
			t.Errorf("%s: %d %s", role, a.StatusCode, a.body)
		}
	}
	for range advice.MaxRules - 3 {
		s.must(t, 201, call{path: "/attachment_rules", body: ruleBody()})
	}
	wantStatus(t, s.do(t, call{path: "/attachment_rules", body: ruleBody()}), 409, billing.CodeConflict)
	s.must(t, 204, call{method: "DELETE", path: path})
	wantStatus(t, s.do(t, call{method: "DELETE", path: path}), 404, billing.CodeNotFound)
	s.must(t, 201, call{path: "/attachment_rules", body: ruleBody()})
}

// TestAdvice advises about claims by rules and by what payers publish, until an X-ray fits, and
// keeps why a claim goes without.
func TestAdvice(t *testing.T) {
	t.Parallel()
	s := startService(t)
	crown := func(payer string, more func(o anObject)) string {
		return s.crown("WAITS", func(o anObject) {
			o["payer_id"] = payer
			if more != nil {
				more(o)
			}
		})
	}
	published := s.must(t, 201, call{path: "/claims", body: crown("77777", func(o anObject) { o["draft"] = true })})
	published.shows(t, "state", "draft", "findings", []any{}, "advice.0.code", "xray_missing", "advice.0.rule.origin", "payer", "advice.0.rule.id", nil, "advice.0.rule.read_on", "2026-11-28")
	path := "/claims/" + published.text(t, "id")
	s.must(t, 200, call{path: path}).shows(t, "advice.0.code", "xray_missing")

	none := s.must(t, 201, call{path: "/claims", body: crown("CHTEST", nil)})
	if got := none.advised(t); got != "" {
		t.Errorf("no rule fits, and the advice is %q", got)
	}
	ours := s.must(t, 201, call{path: "/attachment_rules", body: ruleBody()}).text(t, "id")
	// A rule counts for claims that were made before, and follows a change of the payer.
	other := "/claims/" + none.text(t, "id")
	s.must(t, 200, call{path: other}).shows(t, "advice.0.code", "xray_missing", "advice.0.rule.id", ours, "advice.0.rule.origin", "organization", "advice.1.code", "narrative_missing")
	changed := s.must(t, 200, call{method: "PATCH", path: path, body: `{"payer_id":"CHTEST"}`})
	if got := changed.advised(t); got != "xray_missing narrative_missing" {
		t.Errorf("after a change of the payer: %q", got)
	}
	if got := s.must(t, 200, call{path: other, key: s.read}).advised(t); got != "xray_missing narrative_missing" {
		t.Errorf("for a reader: %q", got)
	}
	made := s.must(t, 201, call{path: "/claims", body: crown("CHTEST", func(o anObject) { o["note"] = "Tooth 14 is fractured." })})
	if got := made.advised(t); got != "xray_missing" {
		t.Errorf("a claim with a note: %q", got)
	}

	// A document that fits ends its advice.
	att := s.must(t, 201, call{path: "/attachments", body: jsonOf(anObject{"claim_id": none.text(t, "id")}, nil)}).text(t, "id")
	s.must(t, 201, upload("/attachments/"+att, chart(pngOf(2))))
	if got := s.must(t, 200, call{path: other}).advised(t); got != "xray_missing narrative_missing" {
		t.Errorf("with a chart: %q", got)
	}
	s.must(t, 201, upload("/attachments/"+att, film(jpegOf(1))))
	if got := s.must(t, 200, call{path: other}).advised(t); got != "narrative_missing" {
		t.Errorf("with an X-ray: %q", got)
	}

	// Nothing keeps the claim from being sent. The reasons of what it lacks are kept.
	submit := func(body string) call { return call{method: "POST", path: other + "/submit", body: body} }
	for body, want := range map[string]string{
		`{"advice_ignored":{"tooth_missing":"x"}}`:                               "advice_ignored.tooth_missing unknown",
		`{"advice_ignored":{"xray_missing":" "}}`:                                "advice_ignored.xray_missing required",
		`{"advice_ignored":{"xray_missing":1}}`:                                  "advice_ignored.xray_missing type",
		`{"advice_ignored":["xray_missing"]}`:                                    "advice_ignored type",
		`{"advice_ignored":{},"ignored":true}`:                                   "ignored unknown",
		`{"advice_ignored":{"xray_missing":"` + strings.Repeat("x", 401) + `"}}`: "advice_ignored.xray_missing too_long",
	} {
		c := submit(body)
		c.bad = true
		wantFields(t, s.do(t, c), want)
	}
	sent := s.must(t, 200, submit(`{"advice_ignored":{"narrative_missing":" The X-ray says it all. ","xray_missing":"Not needed."}}`))
	sent.shows(t, "state", "queued", "advice_ignored.0.code", "narrative_missing", "advice_ignored.0.reason", "The X-ray says it all.", "advice.0.code", "narrative_missing")
	if all := sent.get(t, "advice_ignored").([]any); len(all) != 1 || !strings.HasPrefix(all[0].(anObject)["by"].(string), "key_") {
		t.Errorf("ignored %v", all)
	}
	steps := sent.get(t, "history").([]any)
	step, last := steps[len(steps)-2].(anObject), steps[len(steps)-1].(anObject)
	if step["cause"] != "advice_ignored" || step["note"] != "The X-ray says it all." || step["state"] != "validated" || last["cause"] != "submit" {
		t.Errorf("the history ends with %v, %v", step, last)
	}
	s.must(t, 200, call{method: "POST", path: "/claims/" + made.text(t, "id") + "/submit"}) // without a reason, and a body
	s.must(t, 204, call{method: "DELETE", path: "/attachment_rules/" + ours})
	if got := s.must(t, 200, call{path: path}).advised(t); got != "" {
		t.Errorf("after the rule is deleted: %q", got)
	}
}
