package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// richClaim is the body of a claim with every field.
func (s *service) richClaim() anObject {
	home := anObject{"line1": "2 Oak St", "line2": "Apt 3", "city": "Albany", "state": "NY", "zip": "122071234"}
	return anObject{
		"kind": "claim", "estimate_id": nil, "office_id": s.office.String(), "payer_id": "CHTEST", "rendering_provider_id": s.dentist.String(),
		"subscriber": anObject{
			"first_name": "Sam", "middle_name": "Q", "last_name": "O'Example & Søn", "suffix": "SR", "date_of_birth": "1984-02-29",
			"member_id": "SANDBOX-PAID-ERA", "group_number": "1000", "group_name": "Søn & Co", "gender": "male", "address": home,
		},
		"patient": anObject{
			"first_name": "Kim", "middle_name": nil, "last_name": "Example", "suffix": "JR", "date_of_birth": "2015-06-01", "relationship": "child",
			"gender": "female", "address": home,
		},
		"coverage": "secondary", "other_coverage": []any{anObject{
			"sequence": "primary", "payer_id": "60054", "payer_name": nil, "relationship": "child", "group_number": nil, "group_name": "Other & Co",
			"filing_indicator": "12", "subscriber": anObject{
				"first_name": "Ann", "middle_name": "B", "last_name": "Example", "suffix": nil, "date_of_birth": nil, "member_id": "W-2",
				"gender": "unknown", "address": home,
			},
			"adjudication": anObject{
				"payment_date": lately(5), "payer_claim_number": "ICN-1", "paid": "100.00", "adjustments": []any{}, "lines": []any{
					anObject{
						"line_number": json.Number("1"), "procedure_code": "D2391", "paid": "100.00", "units": json.Number("2"), "adjustments": []any{
							anObject{"group": "CO", "reason": "45", "amount": "50.50", "quantity": "1.5"},
							anObject{"group": "PR", "reason": "2", "amount": "30.00", "quantity": nil},
						},
					},
					anObject{
						"line_number": json.Number("2"), "procedure_code": "D4341", "paid": "0.00", "units": json.Number("1"), "adjustments": []any{
							anObject{"group": "PR", "reason": "1", "amount": "0.01", "quantity": nil},
						},
					},
				},
			},
		}},
		"patient_control_number": "Visit-4711", "place_of_service": "22", "prior_authorization": "PA <1>",
		"predetermination_number": "PRE-1", "referral_number": "REF-1",
		"referring_provider": anObject{"first_name": "Bo", "last_name": "Lee", "npi": "1245319599"},
		"facility":           anObject{"name": "Oak Home", "npi": "1679576722", "address": home},
		"orthodontics":       anObject{"total_months": json.Number("24"), "months_remaining": json.Number("18"), "appliance_date": lately(180)},
		"missing_teeth":      []any{"1", "16"}, "teeth_to_extract": []any{"17"}, "diagnosis_codes": []any{"K0252", "K0253"}, "patient_paid": "20.00",
		"assignment_of_benefits": false, "accept_assignment": false, "release_of_information": "informed_consent",
		"accident": anObject{"type": "auto", "date": lately(20), "state": "NY"}, "note": "Fell off his vélo & hit a wall.",
		"lines": []any{
			anObject{
				"procedure_code": "D2391", "service_date": lately(9), "fee": "180.50", "quantity": json.Number("2"), "tooth": "3", "teeth": []any{"3"},
				"surfaces": []any{"M"}, "oral_cavity": []any{}, "modifiers": []any{"22"}, "diagnosis_pointers": []any{json.Number("2"), json.Number("1")},
				"prosthesis": "replacement", "prior_placement_date": "2020-05-06", "place_of_service": "31", "rendering_provider_id": s.dentist.String(),
			},
			anObject{
				"procedure_code": "D4341", "service_date": lately(8), "fee": "0.01", "quantity": json.Number("1"), "tooth": nil, "teeth": []any{},
				"surfaces": []any{}, "oral_cavity": []any{"10"}, "modifiers": []any{}, "diagnosis_pointers": []any{}, "prosthesis": nil,
				"prior_placement_date": nil, "place_of_service": nil, "rendering_provider_id": nil,
			},
		},
		"tenant_reference": "visit <4711> \U0001F6B2\u2028",
	}
}

// contentOf is what a claim has of a body.
func contentOf(t *testing.T, a response) anObject {
	t.Helper()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	o := maps.Clone(a.get(t).(anObject))
	maps.DeleteFunc(o, func(name string, _ any) bool {
		return doc.Components.Schemas["ClaimContent"].Value.Properties[name] == nil
	})
	lines, _ := o["lines"].([]any)
	o["lines"] = mapped(lines, func(l any) any { return without(l.(anObject), "open") })
	return o
}

func without(o anObject, names ...string) anObject {
	o = maps.Clone(o)
	maps.DeleteFunc(o, func(name string, _ any) bool { return slices.Contains(names, name) })
	return o
}

// A claim reads as it was made, and can be sent back as it reads.
func TestClaimIsReadAsItWasMade(t *testing.T) {
	t.Parallel()
	s := startService(t)
	sent := s.richClaim()
	c := call{path: "/claims", body: jsonOf(sent, nil), idem: "one"}
	made := s.must(t, 201, c)
	want := without(sent, "office_id", "payer_id", "rendering_provider_id")
	if got := contentOf(t, made); !reflect.DeepEqual(got, want) {
		t.Errorf("made\n%v\nwant\n%v", got, want)
	}
	made.shows(t, "state", "validated", "office.id", s.office.String(), "payer.payer_id", "CHTEST",
		"rendering_provider.id", s.dentist.String(), "patient_name.first_name", "Kim", "totals.charge", "180.51",
		"request_id", made.Header.Get("X-Request-Id"), "service_dates.first", lately(9), "service_dates.last", lately(8))
	again := s.must(t, 201, c)
	if again.body != made.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again %s", again.body)
	}
	path := "/claims/" + made.text(t, "id")
	for _, key := range []string{s.key, s.read} {
		if a := s.must(t, 200, call{path: path, key: key}); a.body != made.body {
			t.Errorf("read %s, made %s", a.body, made.body)
		}
	}
	patient := s.must(t, 200, call{path: "/patients/" + made.text(t, "patient_id")})
	patient.shows(t, "first_name", "Kim", "object", "patient")
	taken := s.do(t, call{path: "/claims", body: s.crown("1", with("patient_control_number", "VISIT-4711"))})
	wantStatus(t, taken, 409, billing.CodeConflict)

	draft := s.must(t, 201, call{path: "/claims", body: jsonOf(anObject{"office_id": s.office.String(), "payer_id": "chtest", "draft": true}, nil)})
	draft.shows(t, "state", "draft", "subscriber", nil)
	path = "/claims/" + draft.text(t, "id")
	full := with("draft", true)
	back := without(want, "patient_control_number")
	changed := s.must(t, 200, call{method: "PATCH", path: path, body: jsonOf(maps.Clone(back), full)})
	if got := without(contentOf(t, changed), "patient_control_number"); !reflect.DeepEqual(got, back) {
		t.Errorf("changed\n%v\nwant\n%v", got, back)
	}
	same := s.must(t, 200, call{method: "PATCH", path: path, body: jsonOf(contentOf(t, changed), full)})
	if got := contentOf(t, same); !reflect.DeepEqual(got, contentOf(t, changed)) {
		t.Errorf("sent back\n%v\nwas\n%v", got, contentOf(t, changed))
	}
	cleared := s.must(t, 200, call{method: "PATCH", path: path, body: `{"note":null,"patient":null,"accident":null,"draft":true}`})
	cleared.shows(t, "note", nil, "patient", nil, "accident", nil, "subscriber", some{})
}

func TestRefusedClaims(t *testing.T) {
	t.Parallel()
	s := startService(t)
	line := func(fields ...any) string {
		l := anObject{"procedure_code": "D2740", "service_date": lately(9), "fee": "1.00", "tooth": "14"}
		with(fields...)(l)
		return s.crown("1", with("lines", []anObject{l}))
	}
	unknown := billing.NewID[billing.OfficeID](billing.RealAt(time.Now())).String()
	s.refuses(t, "/claims", map[string]refused{
		"texts":              {s.crown("1", with("note", 1, "kind", true, "subscriber", "Sam", "lines", anObject{}, "draft", "yes", "submit", 1, "patient", []int{}, "accident", "x")), 422, "kind type,subscriber type,patient type,accident type,note type,lines type,draft type,submit type"},
		"lines of no object": {s.crown("1", with("lines", []any{1, nil, anObject{"fee": 2, "quantity": "2"}})), 422, "lines.0 type,lines.1 type,lines.2.fee type,lines.2.quantity type,lines.2.procedure_code required,lines.2.service_date required"},
		"unknown in a line":  {line("line_number", 1), 422, "lines.0.line_number unknown"},
		"half a quantity":    {line("quantity", 1.5), 422, "lines.0.quantity type"},
		"huge quantity":      {line("quantity", json.Number("1e999")), 422, "lines.0.quantity range"},
		"surfaces":           {line("surfaces", []any{"M", 1}), 422, "lines.0.surfaces.1 type"},
		"nul":                {s.crown("1", with("note", "a\x00b")), 422, "note format"},
		"unknown office":     {s.crown("1", with("office_id", unknown)), 404, "office_id not_found"},
		"unknown payer":      {s.crown("1", with("payer_id", "UNKNOWN")), 404, "payer_id not_found"},
		"unknown provider":   {s.crown("1", with("rendering_provider_id", "prv_"+unknown[4:])), 404, "rendering_provider_id not_found"},
		"nothing that exists": {
			s.crown("1", with("office_id", unknown, "payer_id", "UNKNOWN", "rendering_provider_id", "prv_"+unknown[4:])), 404,
			"office_id not_found,payer_id not_found,rendering_provider_id not_found",
		},
	})
	t.Run("taken", func(t *testing.T) {
		t.Parallel()
		for _, body := range []string{
			line("quantity", json.Number("2.0")), line("quantity", json.Number("1e1")), line("quantity", nil), s.crown("1", asked),
			s.crown("1", with("draft", nil, "submit", nil, "patient", nil, "kind", nil, "place_of_service", nil)),
		} {
			s.must(t, 201, call{path: "/claims", body: body})
		}
		odd := s.must(t, 201, call{path: "/claims", body: line("tooth", "99")})
		if odd.text(t, "state") != "needs_attention" || !strings.Contains(odd.body, `"code":"tooth_unknown","field":"lines.0.tooth"`) {
			t.Errorf("findings %s", odd.body)
		}
	})
}

// A paid claim is billed to the secondary payer once, with what the primary decided.
func TestBillSecondary(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	made := s.must(t, 201, call{path: "/claims", body: s.crown("BILL-1-PAID-ERA", with("submit", true))})
	first := "/claims/" + made.text(t, "id")
	s.until(t, first, "paid")
	plan := jsonOf(anObject{"payer_id": "84105", "relationship": "self", "group_number": "G-2", "subscriber": anObject{
		"first_name": "Jane", "last_name": "Roe", "date_of_birth": "1980-02-29", "member_id": "SECOND-1",
		"address": anObject{"line1": "1 Main St", "city": "Austin", "state": "TX", "zip": "787010001"},
	}}, nil)
	second := s.must(t, 201, call{path: first + "/bill_secondary", body: plan})
	second.shows(t, "state", "validated", "subscriber.group_number", "G-2")
	wantStatus(t, s.do(t, call{path: first + "/bill_secondary", body: plan}), 409, billing.CodeConflict)
	a := s.do(t, call{path: first + "/bill_secondary", body: "{}", bad: true})
	if want := "[payer_id required subscriber required relationship required]"; a.StatusCode != 422 || fmt.Sprint(a.fields(t)) != want {
		t.Errorf("%d %v, want %s", a.StatusCode, a.fields(t), want)
	}
}

// What a claim's state does not allow is 409.
func TestClaimActionsAreRefused(t *testing.T) {
	t.Parallel()
	s := startService(t)
	queued := "/claims/" + s.must(t, 201, call{path: "/claims", body: s.crown("1", with("submit", true))}).text(t, "id")
	days := jsonOf(anObject{"lines": []anObject{{"line_number": 1, "service_date": lately(1)}}}, nil)
	for path, body := range map[string]string{
		"/submit": "", "/reconcile": "", "/convert": days, "/replace": s.crown("1", nil), "": `{"note":"x"}`,
	} {
		method := "POST"
		if path == "" {
			method = "PATCH"
		}
		wantStatus(t, s.do(t, call{method: method, path: queued + path, body: body}), 409, billing.CodeConflict)
	}
	for body, fields := range map[string]string{
		"{}": "[lines required]", `{"lines":[{}]}`: "[lines.0.line_number required lines.0.service_date required]",
		`{"lines":[{"line_number":"1","service_date":1}]}`:           "[lines.0.line_number type lines.0.service_date type]",
		`{"lines":[{"line_number":0,"service_date":"2026-01-02"}]}`:  "[lines.0.line_number range]",
		`{"lines":[{"line_number":-9,"service_date":"2026-01-02"}]}`: "[lines.0.line_number range]",
	} {
		a := s.do(t, call{path: queued + "/convert", body: body, bad: true})
		if a.StatusCode != 422 || fmt.Sprint(a.fields(t)) != fields {
			t.Errorf("%s: %d %v, want %s", body, a.StatusCode, a.fields(t), fields)
		}
	}
}

// A claim that was never sent is voided at once: the reply is the claim.
func TestVoidBeforeItIsSent(t *testing.T) {
	t.Parallel()
	s := startService(t)
	claim := "/claims/" + s.must(t, 201, call{path: "/claims", body: s.crown("1", with("submit", true))}).text(t, "id")
	s.must(t, 200, call{method: "POST", path: claim + "/void", idem: "void"}).shows(t, "state", "voided", "frequency", "original", "history.2.cause", "void_unsent",
		"next_step", "The claim was voided before it was sent; create a new claim if the services must still be billed.")
	s.must(t, 200, call{method: "POST", path: claim + "/void", idem: "void"}).shows(t, "state", "voided")
	wantStatus(t, s.do(t, call{method: "POST", path: claim + "/void"}), 409, billing.CodeConflict)
}

// A used key is reported before the faults of the body, even where a body has no fields.
func TestKeysComeBeforeEmptyBodies(t *testing.T) {
	t.Parallel()
	s := startService(t)
	claim := "/claims/" + s.must(t, 201, call{path: "/claims", body: s.crown("1", nil)}).text(t, "id")
	s.must(t, 200, call{path: claim + "/submit", body: "{}", idem: "used"})
	absent := billing.NewID[billing.ERAID](billing.RealAt(time.Now())).String()
	for _, path := range []string{claim + "/submit", claim + "/void", claim + "/reconcile", "/eras/" + absent + "/post"} {
		for _, body := range []string{`{"colour":1}`, "{", "[]"} {
			a := s.do(t, call{path: path, body: body, idem: "used", bad: true})
			if a.StatusCode != 422 || a.text(t, "error") != string(billing.CodeIdempotencyKeyReused) {
				t.Errorf("%s %s: %d %s", path, body, a.StatusCode, a.body)
			}
		}
		if a := s.do(t, call{path: path, body: "{}", idem: "used", bad: true}); path != claim+"/submit" && a.text(t, "error") != string(billing.CodeIdempotencyKeyReused) {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	again := s.must(t, 200, call{path: claim + "/submit", body: "{}", idem: "used"})
	if again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again %s", again.body)
	}
}

func TestClaimLists(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var claims, questions []string
	var numbers, requests []string
	for i := range 6 {
		change := with("draft", i%3 == 0)
		if i%2 == 1 {
			change = func(o anObject) { asked(o); with("draft", i%3 == 0)(o) }
		}
		a := s.must(t, 201, call{path: "/claims", body: s.crown("1", change)})
		numbers, requests = append(numbers, a.text(t, "patient_control_number")), append(requests, a.text(t, "request_id"))
		into := &claims
		if i%2 == 1 {
			into = &questions
		}
		*into = append([]string{a.text(t, "id")}, *into...)
	}
	patient := s.must(t, 200, call{path: "/claims/" + claims[2]}).text(t, "patient_id")
	for query, want := range map[string][]string{
		"":                                   claims,
		"&kind=claim":                        claims,
		"&kind=predetermination":             questions,
		"&state=draft":                       {claims[2]},
		"&kind=predetermination&state=draft": {questions[1]},
		"&office_id=" + s.office.String():    claims,
		"&office_id=" + billing.NewID[billing.OfficeID](billing.RealAt(time.Now())).String(): nil,
		"&request_id=" + requests[0]:                                                      {claims[2]},
		"&request_id=" + requests[1]:                                                      {questions[2]},
		"&request_id=" + requests[1] + "&kind=claim":                                      nil,
		"&patient_control_number=" + strings.ToLower(numbers[5]):                          {questions[0]},
		"&patient_control_number=" + numbers[4]:                                           {claims[0]},
		"&patient_control_number=absent":                                                  nil,
		"&created_after=9999-01-01T00:00:00Z":                                             nil,
		"&sent_from=2020-01-01T00:00:00Z":                                                 nil,
		"&sent_to=2999-01-01T00:00:00Z":                                                   nil,
		"&state=paid&state=draft":                                                         {claims[2]},
		"&state=draft&state=validated":                                                    claims,
		"&service_from=" + lately(9) + "&service_to=" + lately(9):                         claims,
		"&service_from=" + lately(8):                                                      nil,
		"&service_to=" + lately(10):                                                       nil,
		"&patient_id=" + patient:                                                          {claims[2]},
		"&patient_id=" + patient + "&kind=predetermination":                               nil,
		"&batch_id=" + billing.NewID[billing.FileID](billing.RealAt(time.Now())).String(): nil,
	} {
		if got := s.walk(t, "/claims?limit=2"+query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	counts := s.must(t, 200, call{path: "/claims/counts"})
	counts.shows(t, "object", "claim_counts", "counts.draft.count", json.Number("1"), "counts.draft.more", false, "counts.validated.count", json.Number("2"))
	some := s.must(t, 200, call{path: "/claims/counts?state=draft&state=paid&patient_id=" + patient})
	if want := `{"object":"claim_counts","counts":{"draft":{"count":1,"more":false},"paid":{"count":0,"more":false}}}` + "\n"; some.body != want {
		t.Errorf("counts %s, want %s", some.body, want)
	}
	page := s.must(t, 200, call{path: "/claims?limit=1"})
	cursor := page.text(t, "next_cursor")
	wantFields(t, s.do(t, call{path: "/claims?kind=claim&cursor=" + cursor}), "cursor format")
	wantFields(t, s.do(t, call{path: "/claims?cursor=" + cursor, key: s.other}), "cursor format")
	rows, _ := page.get(t, "data").([]any)
	whole := s.must(t, 200, call{path: "/claims/" + claims[0]}).get(t).(anObject)
	for name, v := range rows[0].(anObject) {
		if !reflect.DeepEqual(v, whole[name]) {
			t.Errorf("%s is %v in the list, %v alone", name, v, whole[name])
		}
	}
	if len(rows[0].(anObject)) != 29 {
		t.Errorf("summary %v", rows[0])
	}
}
