package pgstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// opened opens a store with the keys, newest first, and closes it when the test ends.
func opened(t *testing.T, url, process string, keys ...byte) (*pgstore.Store, error) {
	t.Helper()
	o := pgstore.Options{URL: url, MaxConns: 3, Process: process, Begins: true}
	for _, k := range keys {
		o.Keys = append(o.Keys, [32]byte{k})
	}
	s, err := pgstore.Open(t.Context(), o)
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

func mustOpen(t *testing.T, url, process string, keys ...byte) *pgstore.Store {
	t.Helper()
	s, err := opened(t, url, process, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// exchangedBy stores a check with an encrypted exchange, and returns how to read it.
func exchangedBy(t *testing.T, s *pgstore.Store, in billing.Scope) (readable func(*pgstore.Store) error) {
	t.Helper()
	c := check(in)
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Checks.Insert(ctx, c); err != nil {
			return err
		}
		c.State, c.Outcome, c.CompletedAt = coverage.CheckCompleted, coverage.OutcomeError, time.Now()
		return tx.PendingChecks.Complete(ctx, []coverage.CheckCompletion{{Check: c, Exchanges: []coverage.Exchange{{Request: []byte("ISA"), Reply: []byte("271")}}}})
	})
	return func(by *pgstore.Store) error {
		return by.View(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			sent, err := tx.Exchanges.Get(ctx, c.ID)
			if err == nil && (len(sent.Messages) != 1 || string(sent.Messages[0].Reply) != "271") {
				err = fmt.Errorf("read %q", sent.Messages)
			}
			return err
		})
	}
}

func rotate(t *testing.T, s *pgstore.Store) {
	t.Helper()
	if err := s.RotateKeys(t.Context(), func(int) {}); err != nil {
		t.Fatal(err)
	}
}

// TestFirstForm has rows that one key encrypted, as releases before data keys did. They stay
// readable, a process that runs meanwhile follows, and passwords and cursors keep their secrets.
func TestFirstForm(t *testing.T) {
	t.Parallel()
	url, in := pgtest.URL(t), scope()
	mustOpen(t, url, "", 1)
	db := admin(t, url)
	exec(t, db, "DELETE FROM data_keys")
	process := mustOpen(t, url, "api", 1)
	old := exchangedBy(t, process, in)
	if version := scan[[]byte](t, db, "SELECT exchanges FROM eligibility_checks")[0]; version != 1 {
		t.Errorf("before data keys, version %d is stored", version)
	}
	passwords, copied := process.Secret(pgstore.PurposePasswords), process.Seal("files/1", []byte("a live file"))
	command := mustOpen(t, url, "", 1)
	if k, err := command.KeyStatus(t.Context()); err != nil || !k.FirstForm || len(k.Processes) != 1 || k.Processes[0].Name != "api" {
		t.Errorf("status %+v, %v", k, err)
	}
	rotate(t, command)
	recent := exchangedBy(t, command, in)
	if err := errors.Join(recent(process), old(process), old(command)); err != nil {
		t.Error(err)
	}
	porttest.Await(t, "the process writes with data keys", func() bool { return process.Seal("files/2", nil)[0] == 2 })
	if err := exchangedBy(t, process, scope())(command); err != nil {
		t.Error(err)
	}
	if err := process.Close(); err != nil {
		t.Fatal(err)
	}
	rotate(t, mustOpen(t, url, "", 2, 1))
	after := mustOpen(t, url, "", 2)
	if err := errors.Join(old(after), recent(after)); err != nil {
		t.Error(err)
	}
	if plain, err := after.Open("files/1", copied); err != nil || string(plain) != "a live file" {
		t.Errorf("the copy of a live file is %q, %v", plain, err)
	}
	if after.Secret(pgstore.PurposePasswords) != passwords {
		t.Error("the secret of passwords has changed")
	}
}

// TestRotateKeys replaces the deployment's key while processes run.
func TestRotateKeys(t *testing.T) {
	t.Parallel()
	url, in, later := pgtest.URL(t), scope(), scope()
	lacking := mustOpen(t, url, "lacking", 1)
	row := exchangedBy(t, lacking, in)
	both := mustOpen(t, url, "both", 2, 1)
	made := exchangedBy(t, both, later) // before the rotation, a new data key is for everyone
	if err := errors.Join(row(both), made(lacking)); err != nil {
		t.Error(err)
	}
	err := both.RotateKeys(t.Context(), func(int) {})
	if billing.CodeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), ": lacking. Start") {
		t.Fatalf("with a process that lacks the newest key: %v", err)
	}
	if _, err := opened(t, url, "", 2); !errors.Is(err, pgstore.ErrOtherKey) {
		t.Errorf("without the key that wraps: %v", err)
	}
	if err := lacking.Close(); err != nil {
		t.Fatal(err)
	}
	rotate(t, both)
	k, err := both.KeyStatus(t.Context())
	if err != nil || len(k.Keys) != 2 || k.Keys[0].Wraps != 6 || !k.Keys[0].Newest || k.Keys[1].Wraps != 0 || len(k.Processes) != 1 || len(k.Processes[0].Holds) != 2 {
		t.Errorf("status %+v, %v", k, err)
	}
	if _, err := opened(t, url, "", 1); !errors.Is(err, pgstore.ErrOtherKey) {
		t.Errorf("with the old key alone: %v", err)
	}
	after := mustOpen(t, url, "", 2)
	if err := errors.Join(row(after), made(after), row(both)); err != nil {
		t.Error(err)
	}
	rotate(t, after) // wraps nothing again
}

// TestDataKeyOfATransactionThatFails makes a data key in a transaction that does not commit. The
// next one makes another.
func TestDataKeyOfATransactionThatFails(t *testing.T) {
	t.Parallel()
	url, in := pgtest.URL(t), scope()
	s := mustOpen(t, url, "", 1)
	failed := errors.New("fails")
	if err := s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
		c := check(in)
		err := tx.Checks.Insert(ctx, c)
		c.State, c.Outcome, c.CompletedAt = coverage.CheckCompleted, coverage.OutcomeError, time.Now()
		err2 := tx.PendingChecks.Complete(ctx, []coverage.CheckCompletion{{Check: c, Exchanges: []coverage.Exchange{{Request: []byte("ISA"), Reply: []byte("271")}}}})
		return errors.Join(err, err2, failed)
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if err := exchangedBy(t, s, in)(mustOpen(t, url, "", 1)); err != nil {
		t.Error(err)
	}
}

// TestDataKeyOfARemovedOrganization removes an organization: its data key goes with it.
func TestDataKeyOfARemovedOrganization(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := mustOpen(t, url, "", 1)
	in := porttest.Organization(t, s, billing.ModeTest)
	readable := exchangedBy(t, s, in)
	exec(t, admin(t, url), "DELETE FROM organizations")
	if err := readable(mustOpen(t, url, "", 1)); err == nil {
		t.Error("an exchange of an organization without data key was read")
	}
}

// rotatedByProcess names the variables of a process that TestRotationIsKilled starts.
const rotatedByProcess = "MOLAR_TEST_ROTATED_DATABASE"

// TestRotationProcess is that process: it rotates, and says how far it is.
func TestRotationProcess(t *testing.T) {
	t.Parallel()
	url := os.Getenv(rotatedByProcess)
	if url == "" {
		return
	}
	if err := mustOpen(t, url, "", 2, 1).RotateKeys(t.Context(), func(done int) { _, _ = fmt.Println("wrapped", done) }); err != nil {
		t.Fatal(err)
	}
}

// killedAt runs a test as a process of its own, and kills it when it prints the line.
func killedAt(t *testing.T, test, env, line string) {
	t.Helper()
	c := osexec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$")
	c.Env = append(os.Environ(), env)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != line; {
	}
	_ = c.Process.Kill()
	_ = c.Wait()
}

// TestRotationIsKilled kills a rotation of 10,000 data keys, and goes on with it.
func TestRotationIsKilled(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := mustOpen(t, url, "", 1)
	const organizations = 10_000
	if err := s.MakeDataKeys(t.Context(), organizations); err != nil {
		t.Fatal(err)
	}
	killedAt(t, "TestRotationProcess", rotatedByProcess+"="+url, "wrapped 1000")
	both := mustOpen(t, url, "", 2, 1)
	k, err := both.KeyStatus(t.Context())
	if err != nil || len(k.Keys) != 2 || k.Keys[0].Wraps < 1000 || k.Keys[1].Wraps == 0 || k.Keys[0].Wraps+k.Keys[1].Wraps != organizations+4 {
		t.Fatalf("after the kill: %+v, %v", k, err)
	}
	began := time.Now()
	rotate(t, both)
	t.Logf("the rest took %s", time.Since(began))
	if k, err := both.KeyStatus(t.Context()); err != nil || k.Keys[0].Wraps != organizations+4 || k.Keys[1].Wraps != 0 {
		t.Errorf("at the end: %+v, %v", k, err)
	}
}
