package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/eligibility"
)

// TestForeignKeysSeeNothing tries every route with a key of another
// organization and with one of the other mode, on what the first made. A route
// without a row here fails, so that none is forgotten.
func TestForeignKeysSeeNothing(t *testing.T) {
	t.Parallel()
	s := startService(t, eligibility.DefaultTimes())
	made := s.do(t, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	check := made.text(t, "id")
	event := s.walk(t, "/events?resource_id="+check)[0]
	const empty = `{"data":[],"next_cursor":null}`

	type want struct {
		call
		status int
		code   billing.Code // empty for an empty list
	}
	rows := map[string]func(key string) []want{
		"GET /eligibility/{id}": func(key string) []want {
			return []want{{call{path: "/eligibility/" + check, key: key}, 404, billing.CodeNotFound}}
		},
		"GET /events/{id}": func(key string) []want {
			return []want{{call{path: "/events/" + event, key: key}, 404, billing.CodeNotFound}}
		},
		"GET /eligibility": func(key string) []want {
			return []want{{call{path: "/eligibility", key: key}, 200, ""}, {call{path: "/eligibility?office_id=" + s.office.String(), key: key}, 200, ""}}
		},
		"GET /events": func(key string) []want {
			return []want{
				{call{path: "/events?resource_id=" + check, key: key}, 200, ""},
				{call{path: "/events?order=asc&after=" + event, key: key}, 404, billing.CodeNotFound},
			}
		},
		"POST /eligibility": func(key string) []want {
			if key == s.live { // live mode comes before what the body names
				return []want{{call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil), key: key}, 503, billing.CodeEligibilityUnavailable}}
			}
			return []want{{call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil), key: key}, 404, billing.CodeNotFound}}
		},
	}
	for _, r := range (&api{}).routes() {
		if r.permission == "" {
			continue
		}
		name := r.method + " " + strings.TrimPrefix(r.path, root)
		row, ok := rows[name]
		if !ok {
			t.Errorf("%s has no row", name)
			continue
		}
		for _, key := range []string{s.other, s.live} {
			for _, w := range row(key) {
				a := s.do(t, w.call)
				if w.code != "" {
					wantStatus(t, a, w.status, w.code)
				} else if a.StatusCode != http.StatusOK || strings.TrimSpace(a.body) != empty {
					t.Errorf("%s: %d %s, want an empty list", w.path, a.StatusCode, a.body)
				}
			}
		}
	}
}
