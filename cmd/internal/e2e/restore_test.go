package e2e_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
)

// TestReadmeMove dumps the database and restores it into a new cluster with the
// commands of the guide. The number of the new cluster's next transaction is between
// those of two events. The service continues there: its login can read the checks, and a
// reader of events finds those that it has not read, in their order.
func TestReadmeMove(t *testing.T) {
	t.Parallel()
	s := startClustered(t, 1, 1)
	var checks []string
	for n := range 3 {
		r, err := check(t.Context(), http.DefaultClient, s.urls[0], s.key, fmt.Sprint(n), checkBody(s.office, "-ACTIVE-FULL", n))
		if err != nil || r.status != http.StatusOK {
			t.Fatalf("check: %v, %v", r, err)
		}
		checks = append(checks, idOf(r))
		skip(t, s.db, 400)
	}
	events := s.events(s.urls[0], "", len(checks))
	for _, p := range slices.Concat(s.apis, s.workers) {
		if code := p.stop(); code != 0 {
			t.Fatalf("a process ended with %d", code)
		}
	}

	to := testservers.StartPostgres(t)
	db, err := sql.Open("postgres", to.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var next, first int
	if err := db.QueryRow("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint").Scan(&next); err != nil {
		t.Fatal(err)
	}
	if first = s.count("SELECT min(xid::text::bigint) FROM events"); first+200 < next {
		t.Fatalf("the new cluster is at transaction %d, the first event is of %d", next, first)
	}
	skip(t, db, first+200-next)
	_, restoring, _ := strings.Cut(guide(t, "running"), "\n## Move to another server\n")
	restoring, _, _ = strings.Cut(restoring, "\n## ")
	commands := strings.Join(blocks(restoring, "sh"), "")
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", commands)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "FROM="+s.postgres.URL(), "TO="+to.URL(), "PATH="+clientsOfPostgres(t)+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the guide's commands: %v\n%s", err, out)
	}

	s.env = append(s.env, "MOLAR_MIGRATE_URL="+to.URL(), "MOLAR_DATABASE_URL="+pgtest.Service(t, to.URL()))
	addr := freeAddr(t)
	api := newProcessOf(t, s.dir, "api", append(s.env, "MOLAR_LISTEN="+addr, "MOLAR_OPS_LISTEN="+freeAddr(t)))
	api.start(io.Discard)
	s.spawn("payerworker", 1)
	base := "http://" + addr + "/api/v1"
	awaitURL(t, base+"/openapi.yaml")
	for n, id := range checks {
		if status, body := get(t, base+"/eligibility/"+id, s.key); status != http.StatusOK {
			t.Errorf("check %d after the restore: %d %s", n, status, body)
		}
	}
	r, err := check(t.Context(), http.DefaultClient, base, s.key, "later", checkBody(s.office, "-ACTIVE-FULL", 9))
	if err != nil || r.status != http.StatusOK {
		t.Fatalf("a check after the restore: %v, %v", r, err)
	}
	if got := s.events(base, "", 4); len(got) != 4 || !slices.Equal(got[:3], events) {
		t.Errorf("the events are %v, want %v and one more", got, events)
	}
	if got := s.events(base, "&after="+events[0], 3); len(got) != 3 || !slices.Equal(got[:2], events[1:]) {
		t.Errorf("the events after the first are %v, want %v and one more", got, events[1:])
	}
}

// skip uses up transactions of a cluster.
func skip(t *testing.T, db *sql.DB, transactions int) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), fmt.Sprintf("DO $$ BEGIN FOR i IN 1..%d LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$", transactions))
	if err != nil {
		t.Fatal(err)
	}
}

// events awaits n events, and returns the IDs of all.
func (s *system) events(base, filter string, n int) (ids []string) {
	s.tb.Helper()
	await(s.tb, fmt.Sprint(n, " events"), func() bool {
		ids = s.eventsNow(base, filter)
		return len(ids) >= n
	})
	return ids
}

func (s *system) eventsNow(base, filter string) (ids []string) {
	s.tb.Helper()
	status, body := get(s.tb, base+"/events?order=asc&type=eligibility.completed"+filter, s.key)
	var page struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
		s.tb.Fatalf("events: %d, %v: %s", status, err, body)
	}
	for _, e := range page.Data {
		ids = append(ids, e.ID)
	}
	return ids
}

// clientsOfPostgres returns the folder of pg_dump and psql: that of the newest version
// on the machine.
func clientsOfPostgres(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
	if path, err := exec.LookPath("pg_dump"); err == nil && len(found) == 0 {
		found = []string{path}
	}
	if len(found) == 0 {
		t.Fatal("install the clients of PostgreSQL (apt-get install postgresql-client)")
	}
	return filepath.Dir(found[len(found)-1])
}
