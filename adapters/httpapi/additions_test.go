package httpapi

import (
	"strings"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// additionBody returns what a payer said on the phone: paths, each with its value.
func additionBody(values ...any) string {
	var list []anObject
	for i := 0; i+1 < len(values); i += 2 {
		list = append(list, anObject{"path": values[i], "value": values[i+1]})
	}
	return jsonOf(anObject{"source": "phone", "person": "Dana", "reference": "4711", "on": lately(0), "values": list}, nil)
}

// TestAdditions adds to a check what the payer said on the phone, and strikes it.
func TestAdditions(t *testing.T) {
	t.Parallel()
	s := startService(t)
	ask := call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil), idem: "ask"}
	made := s.must(t, 200, ask)
	path := "/eligibility/" + made.text(t, "id")
	add := call{path: path + "/additions", body: additionBody("coverage_termination_date", "2026-12-31", "coverage.major.percent_paid", 60), idem: "add"}
	added := s.must(t, 201, add)
	added.shows(t, "id", made.text(t, "id"), "not_returned", []any{}, "additions.0.number", 1.0, "additions.0.path", "coverage_termination_date", "additions.0.value", "2026-12-31",
		"additions.0.source", "phone", "additions.0.person", "Dana", "additions.0.reference", "4711", "additions.0.on", lately(0), "additions.0.contradicts", false,
		"additions.0.eligibility_id", made.text(t, "id"), "additions.0.struck_at", nil, "additions.1.value", 60.0, "additions.1.contradicts", true)
	if by := added.text(t, "additions", "0", "created_by"); !strings.HasPrefix(by, "key_") {
		t.Error(by)
	}
	if again := s.must(t, 201, add); again.body != added.body {
		t.Errorf("the request again: %s", again.body)
	}
	if read := s.must(t, 200, call{path: path}); read.body != strings.TrimSuffix(added.body, "\n") && read.body != added.body {
		t.Errorf("read %s\nadded %s", read.body, added.body)
	}
	if again := s.must(t, 200, ask); again.body != made.body {
		t.Errorf("the check's replay changed: %s", again.body)
	}
	s.must(t, 200, call{path: "/eligibility"}).shows(t, "data.0.additions", nil, "data.0.not_returned.0", "coverage_termination_date")

	s.must(t, 200, call{path: "/estimates", body: estimateBody(made.text(t, "id"), "preview", true, "lines", []anObject{{"procedure_code": "D2750", "fee": "1250.00", "allowed": "900.00"}})}).shows(t,
		// Of the 900.00 that the plan allows, it pays 60 or 50 percent.
		"lines.0.patient_pays.least", "360.00", "lines.0.patient_pays.most", "450.00", "lines.0.percent.least", 60.0, "lines.0.percent.most", 50.0)

	strike := call{method: "DELETE", path: path + "/additions/1", idem: "strike"}
	struck := s.must(t, 200, strike)
	struck.shows(t, "not_returned.0", "coverage_termination_date", "additions.0.number", 1.0, "additions.1.struck_at", nil)
	if by := struck.text(t, "additions", "0", "struck_by"); !strings.HasPrefix(by, "key_") || struck.text(t, "additions", "0", "struck_at") == "" {
		t.Error(struck.body)
	}
	if again := s.must(t, 200, strike); again.body != struck.body {
		t.Errorf("the request again: %s", again.body)
	}
	strike.idem = "twice"
	wantStatus(t, s.do(t, strike), 409, billing.CodeConflict)
	for _, n := range []string{"0", "3", "01", "x"} {
		wantStatus(t, s.do(t, call{method: "DELETE", path: path + "/additions/" + n}), 404, billing.CodeNotFound)
	}

	later := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil), header: map[string]string{"Cache-Control": "no-cache"}})
	whole := s.must(t, 200, call{path: "/eligibility/" + later.text(t, "id")})
	whole.shows(t, "additions.0.path", "coverage.major.percent_paid", "additions.0.eligibility_id", made.text(t, "id"), "additions.0.number", 2.0)
	if n := strings.Count(whole.body, `"number":`); n != 1 {
		t.Errorf("%d additions of a later check", n)
	}
	wantStatus(t, s.do(t, call{method: "DELETE", path: "/eligibility/" + later.text(t, "id") + "/additions/2"}), 404, billing.CodeNotFound)
}

// TestAdditionsRefuse has what no check takes, with the field that is wrong.
func TestAdditionsRefuse(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := "/eligibility/" + s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)}).text(t, "id") + "/additions"
	for body, want := range map[string]string{
		`{}`: "source required,on required,values required",
		`{"source":"fax","on":"2026-1-1","values":[],"person":"a\u0001","note":"x"}`:      "note unknown,source not_allowed,on format,person format,values too_few",
		additionBody("coverage.major.percent_paid", 60, "coverage.teeth", 1, "status", 1): "values.1.path unknown,values.2.value type",
	} {
		wantFields(t, s.do(t, call{path: path, body: body, bad: true}), want)
	}
	rejected := s.do(t, call{path: "/eligibility", body: s.question("NOT-FOUND", nil)})
	wantStatus(t, s.do(t, call{path: "/eligibility/" + rejected.text(t, "check", "id") + "/additions", body: additionBody("status", "active")}), 409, billing.CodeConflict)
}

// TestAdditionsAtOnce adds many values at the same time, and each stays.
func TestAdditionsAtOnce(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := "/eligibility/" + s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)}).text(t, "id")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s.must(t, 201, call{path: path + "/additions", body: additionBody("coverage_termination_date", "2026-12-31", "status", "active")})
		})
	}
	all.Wait()
	whole := s.must(t, 200, call{path: path})
	whole.shows(t, "additions.15.number", 16.0)
	if n := strings.Count(whole.body, `"number":`); n != 16 {
		t.Errorf("%d additions", n)
	}
}
