package pgstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
	"github.com/molar-billing/molar/ports/storetest"
)

// TestRoundTripsOfACheck counts the round trips of a lone fresh check: three of
// the transaction that creates it, one that reads it for the payer, two that
// complete it, and one that reads it for the caller. No other transaction is part
// of a check.
func TestRoundTripsOfACheck(t *testing.T) {
	t.Parallel()
	want := map[string]int64{"round trips": 7, "transactions that write": 2, "transactions that read": 2}
	if got := openCounted(t, pgtest.URL(t)).ofCheck(t); !maps.Equal(got, want) {
		t.Errorf("a fresh check takes %v, want %v", got, want)
	}
}

// TestRoundTripsOfACheckBesideClaims counts those of a check whose patient has claims. It takes no more, and stages a job
// only if one of the claims was sent to another payer.
func TestRoundTripsOfACheckBesideClaims(t *testing.T) {
	t.Parallel()
	s := openCounted(t, pgtest.URL(t))
	want := s.ofCheck(t)
	var last *coverage.Check
	f := newCheckFixture(t, s.Store)
	for _, c := range []struct {
		what   string
		change func(*claim.Claim)
		jobs   bool
	}{
		{"none", nil, false},
		{"of the same payer", func(*claim.Claim) {}, false},
		{"that was not sent", func(c *claim.Claim) { c.Payer.ID, c.State, c.SentAt = billing.PayerID{1}, claim.Validated, time.Time{} }, false},
		{"of another payer", func(c *claim.Claim) { c.Payer.ID = billing.PayerID{1} }, true},
	} {
		if c.change != nil {
			porttest.In(t, s.Store, f.scope, func(ctx context.Context, tx ports.Tx) error {
				of := storetest.Filled[claim.Claim](t)
				of.ID, of.Scope, of.Kind, of.Frequency, of.State = billing.NewID[billing.ClaimID](tx.Real.Now()), f.scope, claim.KindClaim, claim.FrequencyOriginal, claim.AcceptedPayer
				of.ParentID, of.ConvertedFrom, of.ConvertedTo, of.SecondaryTo, of.SecondaryID, of.Estimate = billing.ClaimID{}, billing.ClaimID{}, billing.ClaimID{}, billing.ClaimID{}, billing.ClaimID{}, nil
				of.PatientControlNumber, of.PatientID, of.Payer = claim.NewControlNumber(of.ID), last.PatientID, last.Payer
				c.change(&of)
				return tx.Claims.Insert(ctx, &of)
			})
		}
		before := len(s.stagedOf(jobs.KindSecondPlan))
		got := s.ofChecks(t, f, &last)
		if !maps.Equal(got, want) {
			t.Errorf("a check of a patient with a claim %s takes %v, want %v", c.what, got, want)
		}
		if n := len(s.stagedOf(jobs.KindSecondPlan)) - before; (n > 0) != c.jobs {
			t.Errorf("a claim %s: %d jobs", c.what, n)
		}
	}
}

// countedStore is a store with one connection for its scopes, whose round trips
// and transactions are counted.
type countedStore struct {
	*pgstore.Store

	counts map[string]*atomic.Int64
	mu     sync.Mutex
	staged []jobs.Job
}

func openCounted(t *testing.T, url string) *countedStore {
	t.Helper()
	var trips, writing, reading atomic.Int64
	s := &countedStore{counts: map[string]*atomic.Int64{"round trips": &trips, "transactions that write": &writing, "transactions that read": &reading}}
	var d net.Dialer
	var err error
	s.Store, err = pgstore.OpenDialing(t.Context(), pgstore.Options{
		URL: url, MaxConns: 1, Keys: [][32]byte{{1}}, Begins: true,
		Staged: func(j []jobs.Job) { s.mu.Lock(); defer s.mu.Unlock(); s.staged = append(s.staged, j...) },
	}, func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		return &begun{&counted{Conn: c, trips: &trips}, &writing, &reading}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// stagedOf returns the jobs of a kind that were staged.
func (s *countedStore) stagedOf(k jobs.Kind) (all []jobs.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.staged {
		if j.Kind == k {
			all = append(all, j)
		}
	}
	return all
}

// ofCheck makes fresh checks and returns the least counts of one.
func (s *countedStore) ofCheck(t *testing.T) map[string]int64 {
	t.Helper()
	var last *coverage.Check
	return s.ofChecks(t, newCheckFixture(t, s.Store), &last)
}

// ofChecks is ofCheck in a fixture. It keeps the last check.
func (s *countedStore) ofChecks(t *testing.T, f *checkFixture, last **coverage.Check) map[string]int64 {
	t.Helper()
	least := map[string]int64{}
	before := len(s.stagedOf(jobs.KindEligibility))
	for n := range 8 { // the first ones prepare, and the store's upkeep may interfere
		for _, count := range s.counts {
			count.Store(0)
		}
		named := fmt.Sprint(before + n)
		err := f.check(named, named)
		asking := s.stagedOf(jobs.KindEligibility)[before:]
		if billing.CodeOf(err) != billing.CodeTimeout || len(asking) != n+1 {
			t.Fatalf("check: %v, %d jobs", err, len(asking))
		}
		if err := f.service.Answer(t.Context(), asking[n]); err != nil {
			t.Fatal(err)
		}
		c, err := lists.Read(t.Context(), s.Store, f.scope, func(ctx context.Context, tx ports.Tx) (*coverage.Check, error) { // as the call that waits
			return tx.Checks.Get(ctx, billing.CheckID(asking[n].Subject))
		})
		*last = c
		if err != nil || c.Outcome != coverage.OutcomeAnswered {
			t.Fatalf("%+v, %v", c, err)
		}
		for what, count := range s.counts {
			if now := count.Load(); n == 0 || now < least[what] {
				least[what] = now
			}
		}
	}
	return least
}

// begun counts the transactions that begin on a socket.
type begun struct {
	net.Conn
	writing, reading *atomic.Int64
}

func (c *begun) Write(b []byte) (int, error) {
	c.writing.Add(int64(bytes.Count(b, []byte("begin_write"))))
	c.reading.Add(int64(bytes.Count(b, []byte("begin_read"))))
	return c.Conn.Write(b)
}

// openStaging opens a store. It returns the database for an administrator, and the jobs that
// the store staged.
func openStaging(t *testing.T) (*pgstore.Store, *sql.DB, func() []jobs.Job) {
	t.Helper()
	var mu sync.Mutex
	var all []jobs.Job
	var url string
	s := pgtest.Open(t, func(o *pgstore.Options) {
		url = o.URL
		o.Staged = func(j []jobs.Job) { mu.Lock(); defer mu.Unlock(); all = append(all, j...) }
	})
	return s, admin(t, url), func() []jobs.Job { mu.Lock(); defer mu.Unlock(); return slices.Clone(all) }
}

// TestCommitsOfACheck records, for each transaction that writes a check, whether
// its COMMIT waits for the disk. The commit of a pending check with its key and
// its job does not. The commit of a completed check does, and so does that of a
// pending check with any other write.
func TestCommitsOfACheck(t *testing.T) {
	t.Parallel()
	s, db, staged := openStaging(t)
	exec(t, db, `
CREATE TABLE commits (id bigserial, state text, waits text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO public.commits (state, waits) VALUES (new.state, current_setting('synchronous_commit'));
	RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note AFTER INSERT OR UPDATE ON eligibility_checks
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()`)
	f := newCheckFixture(t, s)
	want := func(what, state, waits string) {
		t.Helper()
		var got, did string
		if err := db.QueryRow("DELETE FROM commits WHERE id = (SELECT max(id) FROM commits) RETURNING state, waits").Scan(&got, &did); err != nil {
			t.Fatal(err)
		}
		if got != state || did != waits {
			t.Errorf("%s: a %s check, synchronous_commit %s; want %s, %s", what, got, did, state, waits)
		}
	}
	if err := f.check("fresh", "1"); billing.CodeOf(err) != billing.CodeTimeout {
		t.Fatal(err)
	}
	want("fresh check", "pending", "off")
	if err := f.service.Answer(t.Context(), staged()[0]); err != nil {
		t.Fatal(err)
	}
	want("its answer", "completed", "on")
	if err := f.check("hit", "1"); err != nil {
		t.Fatal(err)
	}
	want("cache hit", "completed", "on")

	for what, other := range map[string]func(context.Context, ports.Tx) error{
		"with an event": func(ctx context.Context, tx ports.Tx) error {
			return tx.Events.Append(ctx, event.Event{
				ID: billing.NewID[billing.EventID](billing.RealAt(time.Now())), Type: event.EligibilityCompleted, Resource: billing.NewID[billing.CheckID](billing.RealAt(time.Now())),
				CreatedAt: time.Now(), Data: []byte("{}"),
			})
		},
		"with another's job": func(ctx context.Context, tx ports.Tx) error {
			return tx.Outbox.Stage(ctx, jobs.Job{ID: billing.NewID[billing.JobID](billing.RealAt(time.Now())), Kind: jobs.KindERA, Subject: billing.NewID[billing.CheckID](billing.RealAt(time.Now()))})
		},
		"with a patient": func(ctx context.Context, tx ports.Tx) error {
			p, _ := directory.NewPerson(f.scope, "Ada", "Byron", billing.Date{Year: 1985, Month: 12, Day: 11}, billing.RealAt(time.Now()), time.Now())
			_, err := tx.Patients.Find(ctx, []directory.Person{p})
			return err
		},
	} {
		c := check(f.scope)
		porttest.In(t, s, f.scope, func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Checks.Insert(ctx, c), other(ctx, tx))
		})
		want("pending "+what, "pending", "on")
	}

	exec(t, db, `
CREATE FUNCTION note_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO public.commits (state, waits) VALUES ('postponed', current_setting('synchronous_commit'));
	RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note AFTER UPDATE ON jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_job()`)
	newJob := func() jobs.Job {
		return jobs.Job{ID: billing.NewID[billing.JobID](billing.RealAt(time.Now())), Kind: jobs.KindERA, Subject: billing.NewID[billing.CheckID](billing.RealAt(time.Now()))}
	}
	job := newJob()
	stage := func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Stage(ctx, job) }
	postpone := func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, job.ID, time.Now().Add(time.Hour))
	}
	both := func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(postpone(ctx, tx), tx.Outbox.Stage(ctx, newJob()))
	}
	porttest.In(t, s, f.scope, stage)
	for _, tc := range []struct {
		what, waits string
		do          func(context.Context, ports.Tx) error
	}{{"a job is postponed", "off", postpone}, {"a job is postponed, another one staged", "on", both}} {
		porttest.In(t, s, f.scope, tc.do)
		want(tc.what, "postponed", tc.waits)
	}
}

// checkFixture creates checks that do not wait for a worker.
type checkFixture struct {
	t       testing.TB
	service *eligibility.Service
	scope   billing.Scope
	office  *directory.Office
}

func newCheckFixture(tb testing.TB, s *pgstore.Store) *checkFixture {
	tb.Helper()
	times := eligibility.DefaultTimes()
	times.Wait = 0 // the wait for the worker ends at once
	sandbox := sandboxnet.Networks(edi.New().Over, processClock{}, s.SandboxMail(), sandboxnet.Options{})
	service := eligibility.New(s, memqueue.NewBroker().Open(), routing.New(sandbox...), edi.New(), porttest.Payers(tb), times)
	in := porttest.Organization(tb, s, billing.ModeTest)
	return &checkFixture{tb, service, in, porttest.Office(tb, s, in)}
}

// check creates a check of the member.
func (f *checkFixture) check(key, member string) error {
	call := caller.Call{Scope: f.scope, Request: caller.Request{ID: billing.NewID[billing.RequestID](billing.RealAt(time.Now())), Key: key}}
	_, _, err := f.service.Check(f.t.Context(), call, intake.EligibilityRequest{
		OfficeID: f.office.ID.String(), PayerID: "CHTEST",
		Subscriber: intake.SubscriberInput{FirstName: "Ada", LastName: "Byron", DateOfBirth: "1985-12-10", MemberID: member + "-ACTIVE-FULL"},
	})
	return err
}

// processClock is the clock of the process.
type processClock struct{}

func (processClock) Now() time.Time { return time.Now() }

// TestMembersOfChecks finds the member ID of a check that this release completed, and of one
// that the release before did, which leaves it to the trigger.
func TestMembersOfChecks(t *testing.T) {
	t.Parallel()
	s, db, staged := openStaging(t)
	f := newCheckFixture(t, s)
	if err := f.check("fresh", "m1"); billing.CodeOf(err) != billing.CodeTimeout {
		t.Fatal(err)
	}
	if err := f.service.Answer(t.Context(), staged()[0]); err != nil {
		t.Fatal(err)
	}
	kept := func() int {
		return scan[int](t, db, `
SELECT count(*)
FROM check_members m JOIN eligibility_checks c USING (org_id, mode, patient_id)
WHERE member_key = 'M1-ACTIVE-FULL'`)
	}
	if n := kept(); n != 1 {
		t.Errorf("%d members of the completed check, want 1", n)
	}
	exec(t, db, "DELETE FROM check_members")
	exec(t, db, "UPDATE eligibility_checks SET patient_id = patient_id")
	if n := kept(); n != 1 {
		t.Errorf("%d members by the trigger, want 1", n)
	}
}
