package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// sameKeyAtOnce sends 200 equal requests with one key at once, to two
// instances. One check is created; every caller gets it or is asked to repeat.
func (s *system) sameKeyAtOnce(t *testing.T) {
	const callers = 200
	body := checkBody(s.office, "-ACTIVE-FULL", 1)
	replies := make([]reply, callers)
	errs := make([]error, callers)
	var all sync.WaitGroup
	gate := make(chan struct{})
	for i := range callers {
		all.Go(func() {
			<-gate
			replies[i], errs[i] = check(t.Context(), http.DefaultClient, s.urls[i%2], s.key, "one-key", body)
		})
	}
	close(gate)
	all.Wait()

	statuses := map[int]int{}
	ids := map[string]int{}
	for i, r := range replies {
		if errs[i] != nil {
			t.Fatalf("caller %d: %v", i, errs[i])
		}
		statuses[r.status]++
		if r.status == http.StatusOK {
			ids[idOf(r)]++
		}
	}
	if statuses[http.StatusOK]+statuses[http.StatusConflict] != callers || len(ids) != 1 {
		t.Errorf("statuses %v, checks %v; want 200 and 409 only, and one check", statuses, ids)
	}
	for range 3 {
		r, err := check(t.Context(), http.DefaultClient, s.urls[1], s.key, "one-key", body)
		if err != nil || r.status != http.StatusOK || !r.replayed || ids[idOf(r)] == 0 {
			t.Errorf("afterwards: %v %v, want a replay of the one check", r, err)
		}
	}
	if n := s.count("SELECT count(*) FROM eligibility_checks"); n != 1 {
		t.Errorf("%d checks in the database, want 1", n)
	}
	if n := s.count("SELECT count(*) FROM events WHERE type = 'eligibility.completed'"); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
	t.Logf("statuses %v", statuses)
	s.refuseHostileBodies(t)
}

// hostileMemory is the memory limit of an api process after ten hostile bodies
// of a megabyte at once.
const hostileMemory = 250 << 20

// refuseHostileBodies sends ten bodies at once on which a parser may spend much
// memory: a megabyte with a field name of half a megabyte, which every further
// fault would repeat.
func (s *system) refuseHostileBodies(t *testing.T) {
	t.Helper()
	const half = 500_000
	body := `{"` + strings.Repeat("n", half) + `":{` + strings.Repeat(`"a":1,`, half/6) + `"a":1}}`
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			r, err := check(t.Context(), http.DefaultClient, s.urls[0], s.key, fmt.Sprint("hostile-", i), body)
			if err != nil || r.status != http.StatusUnprocessableEntity {
				t.Errorf("hostile body %d: status %d, %v, want 422", i, r.status, err)
			}
		})
	}
	all.Wait()
	if n := resident(t, s.apis[0]); n > hostileMemory {
		t.Errorf("the api process has had %d MB after ten hostile bodies, want at most %d", n>>20, hostileMemory>>20)
	} else {
		t.Logf("the api process has had %d MB", n>>20)
	}
}
