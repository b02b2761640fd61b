package recovery_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/recovery"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestBeginWithoutAReplacedKey begins with copies of erasures and deletions whose key was replaced
// years ago. They stop the begin only while the database has what they are about, and nothing goes
// out meanwhile.
func TestBeginWithoutAReplacedKey(t *testing.T) {
	t.Parallel()
	f, stamp := newFixture(t), billing.RealAt(time.Now())
	earlier := recovery.New(f.store, f.blobs, pgtest.Open(t, func(o *pgstore.Options) { o.Keys = [][32]byte{{9}} }), recovery.Replay{})
	keep := func(name string, what any) {
		t.Helper()
		if err := earlier.Keep(t.Context(), name, what); err != nil {
			t.Fatal(err)
		}
	}
	erased := func(id billing.PatientID) {
		t.Helper()
		keep(restore.Erasures+id.String(), &directory.Erasure{Scope: f.scope, Patient: id, Reason: "request 7", By: "ann", BegunAt: time.Now()})
	}
	deleted := func(id billing.OrgID) {
		t.Helper()
		keep(restore.Deletions+id.String(), &caller.Deletion{Org: id, Name: "Gone", AskedAt: time.Now(), AskedBy: "ann"})
	}
	refused := func(what string, err error, part string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", what, err)
		}
	}
	erased(billing.NewID[billing.PatientID](stamp))
	deleted(billing.NewID[billing.OrgID](stamp))
	if _, err := f.Begin(t.Context(), true); err != nil {
		t.Errorf("of what is gone: %v", err)
	}
	if _, err := f.Resume(t.Context()); err != nil {
		t.Error(err)
	}

	p, _ := directory.NewPerson(f.scope, "Sam", "Example", billing.Date{Year: 1984, Month: 2, Day: 29}, stamp, time.Now())
	porttest.In(t, f.store, f.scope, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Patients.Find(ctx, []directory.Person{p})
		return err
	})
	erased(p.ID)
	_, err := f.Begin(t.Context(), true)
	refused("of a patient who is there", err, "read the copy "+restore.Erasures+p.ID.String())
	_, err = f.Resume(t.Context())
	refused("the end of a begin that failed", err, "Run it again")
	deleted(f.scope.Org)
	_, err = f.Begin(t.Context(), true)
	refused("of an organization that is there", err, "read the copy "+restore.Deletions+f.scope.Org.String())

	// What the database does by itself needs no copy.
	system := func(fn func(context.Context, ports.SystemTx) error) {
		t.Helper()
		if err := f.store.System(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	system(func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Deletions.Again(ctx, &caller.Deletion{Org: f.scope.Org, Name: "Gone", AskedAt: time.Now(), AskedBy: "ann"})
	})
	_, err = f.Begin(t.Context(), true)
	refused("of the patient alone", err, "read the copy "+restore.Erasures+p.ID.String())
	system(func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Erasures.Again(ctx, &directory.Erasure{Scope: f.scope, Patient: p.ID, Reason: "request 7", By: "ann", BegunAt: time.Now()})
	})
	if _, err := f.Begin(t.Context(), true); err != nil {
		t.Errorf("of what is under way: %v", err)
	}
}
