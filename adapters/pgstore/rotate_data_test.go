package pgstore_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports/porttest"
)

// rotateData replaces the data keys, and waits for no other process.
func rotateData(t *testing.T, s *pgstore.Store) (last pgstore.DataRotation) {
	t.Helper()
	if err := s.RotateData(t.Context(), time.Millisecond, func(at pgstore.DataRotation) { last = at }); err != nil {
		t.Fatal(err)
	}
	return last
}

// outdatedRows counts the exchanges that no present data key encrypted.
const outdatedRows = `
SELECT count(*)
FROM eligibility_checks
WHERE get_byte(exchanges, 0) <> 2 OR substring(exchanges from 2 for 8) NOT IN (SELECT id FROM data_keys WHERE replaced_at IS NULL)`

// TestRotateData replaces data keys while another process uses them: rows of the first form,
// rows with a data key, and those that the other process writes meanwhile.
func TestRotateData(t *testing.T) {
	t.Parallel()
	admins, url := ordinaryDatabase(t) // row-level security applies to this owner
	if err := pgstore.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	in := scope()
	in.Mode = billing.ModeLive
	mustOpen(t, url, "", 1)
	db := admin(t, admins)
	exec(t, db, "DELETE FROM data_keys")
	command, process := mustOpen(t, url, "", 1), mustOpen(t, url, "api", 1)
	if err := command.RotateData(t.Context(), 0, func(pgstore.DataRotation) {}); billing.CodeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), "secrets rotate") {
		t.Errorf("without data keys: %v", err)
	}
	readable := []func(*pgstore.Store) error{exchangedBy(t, process, in)}
	rotate(t, command)
	porttest.Await(t, "the process writes with data keys", func() bool { return process.Seal("files/2", nil)[0] == 2 })
	readable = append(readable, exchangedBy(t, process, in))
	if _, err := db.ExecContext(t.Context(), "INSERT INTO watches (org_id, mode, expires_at) VALUES ($1, $2, now() + interval '1 hour')", in.Org, in.Mode); err != nil {
		t.Fatal(err)
	}
	secret := command.Secret(pgstore.PurposePasswords)
	err := command.RotateData(t.Context(), time.Millisecond, func(at pgstore.DataRotation) {
		if !at.Last && at.Done == at.Blocks {
			readable = append(readable, exchangedBy(t, process, in)) // it may not have seen the new key
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, read := range readable {
		if err := errors.Join(read(process), read(command), read(mustOpen(t, url, "", 1))); err != nil {
			t.Error(err)
		}
	}
	if n := scan[int](t, db, outdatedRows); n != 0 {
		t.Errorf("%d rows of %d have a replaced data key", n, len(readable))
	}
	if n := scan[int](t, db, "SELECT count(*) FROM changes"); n > 2 {
		t.Errorf("%d changes were recorded, want only those of the row that was written meanwhile", n)
	}
	if command.Secret(pgstore.PurposePasswords) != secret {
		t.Error("the secret of passwords has changed")
	}
	for _, column := range []string{"idempotency_keys.body", "quarantine.content", "webhook_endpoints.secret"} {
		table, _, _ := strings.Cut(column, ".")
		if !scan[bool](t, db, "SELECT bool_or(polqual IS NOT NULL AND pg_get_expr(polqual, polrelid) = 'true') FROM pg_policy WHERE polrelid = '"+table+
			"'::regclass AND pg_get_userbyid(polroles[1]) = 'plain'") {
			t.Errorf("the owner sees no live rows of %s", table)
		}
	}
	rotateData(t, command) // and once more
	for _, read := range readable {
		if err := read(command); err != nil {
			t.Error(err)
		}
	}
}

// TestBackupOpensNewerCopies restores a backup from before a data key was made: the copies of
// live files that are newer open.
func TestBackupOpensNewerCopies(t *testing.T) {
	t.Parallel()
	running, restored := pgtest.URL(t), pgtest.URL(t)
	s := mustOpen(t, running, "", 1)
	before := mustOpen(t, restored, "", 1) // has other data keys
	rotateData(t, s)
	rotate(t, mustOpen(t, running, "", 2, 1))
	copied := map[string][]byte{"one": s.Seal("one", []byte("a live file")), "two": mustOpen(t, running, "", 2, 1).Seal("two", []byte("a live file"))}
	for name, b := range copied {
		if plain, err := mustOpen(t, restored, "", 2, 1).Open(name, b); err != nil || string(plain) != "a live file" {
			t.Errorf("%s: %q, %v", name, plain, err)
		}
	}
	if _, err := before.Open("two", copied["two"]); err == nil || !strings.Contains(err.Error(), "MOLAR_SECRET_KEY") {
		t.Errorf("without the newer key: %v", err)
	}
}

// dataRotatedByProcess names the variable of a process that TestDataRotationIsKilled starts.
const dataRotatedByProcess = "MOLAR_TEST_DATA_ROTATED_DATABASE"

// TestDataRotationProcess is that process: it rotates, and says how far it is.
func TestDataRotationProcess(t *testing.T) {
	t.Parallel()
	url := os.Getenv(dataRotatedByProcess)
	if url == "" {
		return
	}
	err := mustOpen(t, url, "", 1).RotateData(t.Context(), time.Millisecond, func(at pgstore.DataRotation) {
		if at.Rows > 0 {
			_, _ = fmt.Println("rows")
			select {} // until it is killed
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDataRotationIsKilled kills a rotation among the rows, and goes on with it.
func TestDataRotationIsKilled(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := mustOpen(t, url, "", 1)
	var readable []func(*pgstore.Store) error
	for range 300 {
		readable = append(readable, exchangedBy(t, s, scope()))
	}
	killedAt(t, "TestDataRotationProcess", dataRotatedByProcess+"="+url, "rows")
	db := admin(t, url)
	if n := scan[int](t, db, "SELECT count(*) FROM data_rotations WHERE ended_at IS NULL"); n != 1 {
		t.Fatalf("%d rotations are open after the kill", n)
	}
	if n := scan[int](t, db, outdatedRows); n == 0 {
		t.Fatal("the rotation was over before the kill")
	}
	if at := rotateData(t, s); at.Keys != 0 {
		t.Errorf("%d data keys were replaced twice", at.Keys)
	}
	for _, read := range readable {
		if err := read(s); err != nil {
			t.Fatal(err)
		}
	}
	if n := scan[int](t, db, outdatedRows); n != 0 {
		t.Errorf("%d rows have a replaced data key", n)
	}
}

// TestOneDataRotation runs a rotation while another one has the lock: it names that one, and what
// to do. It runs when the other has ended.
func TestOneDataRotation(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, other := mustOpen(t, url, "", 1), mustOpen(t, url, "", 1)
	var refused error
	asked := false
	err := s.RotateData(t.Context(), time.Millisecond, func(pgstore.DataRotation) {
		if asked {
			return
		}
		asked = true
		refused = other.RotateData(t.Context(), time.Millisecond, func(pgstore.DataRotation) { t.Error("the second rotation began") })
	})
	if err != nil || !asked {
		t.Fatalf("the first rotation: %v", err)
	}
	if billing.CodeOf(refused) != billing.CodeConflict || !strings.Contains(refused.Error(), "runs, which came from") || !strings.Contains(refused.Error(), "Wait until it ends.") {
		t.Errorf("the second rotation: %v", refused)
	}
	db := admin(t, url)
	held, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.ExecContext(t.Context(), "SELECT pg_advisory_lock(hashtextextended('molar data rotation', 0))"); err != nil {
		t.Fatal(err)
	}
	pid := 0
	if err := held.QueryRowContext(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	never := func(pgstore.DataRotation) { t.Error("the rotation began") }
	if err := other.RotateData(t.Context(), time.Millisecond, never); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d of", pid)) {
		t.Errorf("while process %d has the lock: %v", pid, err)
	}
	if _, err := held.ExecContext(t.Context(), "SELECT pg_advisory_unlock_all()"); err != nil {
		t.Fatal(err)
	}
	rotateData(t, other)
	// Other databases of the server have locks, too, and it ends a connection a little after its client.
	left := func() int {
		return scan[int](t, db, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); left() != 0; <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("%d locks are left", left())
		}
	}
}
