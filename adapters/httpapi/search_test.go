package httpapi

import (
	"slices"
	"strings"
	"testing"
)

// found walks a search, two items a page, and returns the IDs.
func (s *service) found(t *testing.T, path, query string) (ids []string) {
	t.Helper()
	var cursor any
	for {
		a := s.must(t, 200, call{path: path, key: s.read, body: jsonOf(anObject{"query": query, "limit": 2, "cursor": cursor}, nil), header: map[string]string{idempotencyKey: ""}})
		a.shows(t, "truncated", false)
		for _, row := range a.get(t, "data").([]any) {
			ids = append(ids, row.(anObject)["id"].(string))
		}
		if cursor = a.get(t, "next_cursor"); cursor == nil {
			return ids
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var claims, patients []string
	var number string
	for _, name := range []string{"Søren", "Zoë", "Zoe Ann"} {
		a := s.must(t, 201, call{path: "/claims", body: s.crown("SEARCH", func(o anObject) {
			o["subscriber"].(anObject)["first_name"], o["subscriber"].(anObject)["last_name"] = name, "O'Brien"
		})})
		claims = append([]string{a.text(t, "id")}, claims...)
		patients, number = append([]string{a.text(t, "patient_id")}, patients...), a.text(t, "patient_control_number")
	}
	for query, want := range map[string][]int{
		"obrien": {0, 1, 2}, "zoe": {0, 1}, "O'Brien, zoe a": {0}, "zoë o": {0, 1}, "1984-02-29": {0, 1, 2}, "søren 2/29/1984": {2},
		"a obr": {0}, "rien": nil, "2/29/84 zoe": {0, 1}, "2/29/85": nil,
		"sandbox-search": {0, 1, 2}, "absent": nil, "sandbox-s": {0, 1, 2}, "sa": nil, "søren 1984-03-01": nil,
	} {
		var wantClaims, wantPatients []string
		for _, n := range want {
			wantClaims, wantPatients = append(wantClaims, claims[n]), append(wantPatients, patients[n])
		}
		if got := s.found(t, "/claims/search", query); !slices.Equal(got, wantClaims) {
			t.Errorf("claims of %s: %v, want %v", query, got, wantClaims)
		}
		if got := s.found(t, "/patients/search", query); !slices.Equal(got, wantPatients) {
			t.Errorf("patients of %s: %v, want %v", query, got, wantPatients)
		}
	}
	if got := s.found(t, "/claims/search", strings.ToLower(number)); !slices.Equal(got, claims[:1]) {
		t.Errorf("number: %v", got)
	}
	if got := s.walk(t, "/patients?limit=1"); !slices.Equal(got, patients) {
		t.Errorf("patients %v, want %v", got, patients)
	}
}

func TestRefusedSearches(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 201, call{path: "/claims", body: s.crown("1", nil)})
	s.must(t, 201, call{path: "/claims", body: s.crown("1", nil)})
	cursor := s.must(t, 200, call{path: "/claims/search", body: `{"query":"sam","limit":1}`}).text(t, "next_cursor")
	for body, fields := range map[string]string{
		`{}`:                      "query required",
		`{"query":" "}`:           "query required",
		`{"query":1,"limit":"2"}`: "query type,limit type",
		`{"query":"a","limit":0}`: "limit range",
		`{"query":"a","limit":101,"cursor":"x","more":1}`:         "more unknown,limit range,cursor format",
		`{"query":"` + strings.Repeat("ä", 101) + `"}`:            "query too_long",
		`{"query":"samuel","limit":1,"cursor":"` + cursor + `"}`:  "cursor format",
		`{"query":"sam","limit":1,"cursor":"` + cursor[1:] + `"}`: "cursor format",
	} {
		for _, path := range []string{"/claims/search", "/patients/search"} {
			a := s.do(t, call{path: path, body: body, bad: true})
			if got := strings.Join(a.fields(t), ","); a.StatusCode != 422 || got != fields {
				t.Errorf("%s: %d %s, want %s", body, a.StatusCode, got, fields)
			}
		}
	}
}
