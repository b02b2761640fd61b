package pgstore_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	neturl "net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// counted counts round trips: a read after a write.
type counted struct {
	net.Conn
	trips *atomic.Int64
	sent  atomic.Bool
}

func (c *counted) Write(b []byte) (int, error) {
	c.sent.Store(true)
	return c.Conn.Write(b)
}

func (c *counted) Read(b []byte) (int, error) {
	if c.sent.CompareAndSwap(true, false) {
		c.trips.Add(1)
	}
	return c.Conn.Read(b)
}

// openWith opens a store over one kind of socket.
func openWith(tb testing.TB, url string, wrap func(net.Conn) net.Conn) *pgstore.Store {
	tb.Helper()
	var d net.Dialer
	s, err := pgstore.OpenDialing(tb.Context(), pgstore.Options{URL: url, MaxConns: 4, Keys: [][32]byte{{1, 2, 3}}, Begins: true}, func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func scope() billing.Scope {
	return billing.Scope{Org: billing.NewID[billing.OrgID](billing.RealAt(time.Now())), Mode: billing.ModeTest}
}

func job() jobs.Job {
	return jobs.Job{ID: billing.NewID[billing.JobID](billing.RealAt(time.Now())), Kind: jobs.KindEligibility, Subject: billing.NewID[billing.CheckID](billing.RealAt(time.Now()))}
}

func check(in billing.Scope) *coverage.Check {
	now := time.Now()
	return &coverage.Check{
		ID: billing.NewID[billing.CheckID](billing.RealAt(now)), Scope: in, OfficeID: billing.NewID[billing.OfficeID](billing.RealAt(now)),
		Payer: directory.PayerSummary{ID: billing.NewID[billing.PayerID](billing.RealAt(now))}, State: coverage.CheckPending,
		RequestID: billing.NewID[billing.RequestID](billing.RealAt(now)), IdempotencyKey: "k", CreatedAt: now,
	}
}

func newAttachment() *attachment.Attachment {
	now := time.Now()
	return &attachment.Attachment{
		ID: billing.NewID[billing.AttachmentID](billing.RealAt(now)), State: attachment.Open, Kind: attachment.Unsolicited,
		OfficeID: billing.NewID[billing.OfficeID](billing.RealAt(now)), Payer: directory.PayerSummary{ID: billing.NewID[billing.PayerID](billing.RealAt(now))},
		CreatedAt: now, UpdatedAt: now,
	}
}

func image() *attachment.Document {
	now := time.Now()
	id := billing.NewID[billing.DocumentID](billing.RealAt(now))
	return &attachment.Document{ID: id, Type: "7", Medium: attachment.MediumPaper, Size: 1, SHA256: sha256.Sum256(id[:]), CreatedAt: now}
}

func someEvent(resource [16]byte) event.Event {
	now := time.Now()
	return event.Event{
		ID: billing.NewID[billing.EventID](billing.RealAt(now)), Type: event.ClaimPaid, Resource: resource, CreatedAt: now, Data: []byte("{}"),
	}
}

// TestRoundTrips checks the number of round trips of each sort of transaction,
// once its statements are prepared.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	var trips atomic.Int64
	s := openWith(t, pgtest.URL(t), func(c net.Conn) net.Conn { return &counted{Conn: c, trips: &trips} })
	in := scope()
	done, target, hook, holder := check(in), newAttachment(), endpoint(in), job().ID
	var due []webhook.Shipment
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Checks.Insert(ctx, done), tx.Attachments.Insert(ctx, target), tx.Endpoints.Insert(ctx, hook))
	})
	view := func(fn func(ctx context.Context, tx ports.Tx) error) func() error {
		return func() error { return s.View(t.Context(), in, fn) }
	}
	write := func(fn func(ctx context.Context, tx ports.Tx) error) func() error {
		return func() error { return s.InTx(t.Context(), in, fn) }
	}
	const mostRuns = 20 // of a test on a busy machine
	var pending []*coverage.Check
	for range mostRuns {
		c := check(in)
		porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, c) })
		c.Outcome = coverage.OutcomeError
		pending = append(pending, c)
	}
	key := 0
	for _, test := range []struct {
		name string
		want int64
		run  func() error
	}{
		{"a read", 1, view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Checks.Get(ctx, done.ID)
			return err
		})},
		{"a page", 1, view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Checks.List(ctx, coverage.CheckFilter{}, billing.Page{Limit: 25})
			return err
		})},
		{"one write", 2, write(func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, check(in)) })},
		{"nothing", 0, write(func(context.Context, ports.Tx) error { return nil })},
		{"the time", 2, write(func(_ context.Context, tx ports.Tx) error {
			if tx.Clock.Now().IsZero() {
				return errors.New("a transaction has no time")
			}
			return nil
		})},
		{"a known key", 2, write(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Keys.Reserve(ctx, "k")
			return err
		})},
		{"a new check: key, patient, four writes with COMMIT", 3, write(func(ctx context.Context, tx ports.Tx) error {
			key++
			if _, err := tx.Keys.Reserve(ctx, fmt.Sprint("new", key)); err != nil {
				return err
			}
			born := billing.Date{Year: 1990, Month: 1, Day: 1}
			if _, err := tx.Patients.Find(ctx, []directory.Person{{Key: "a|b", Patient: directory.Patient{ID: billing.NewID[billing.PatientID](billing.RealAt(time.Now())), DateOfBirth: born, CreatedAt: time.Now()}}}); err != nil {
				return err
			}
			c := check(in)
			return errors.Join(
				tx.Checks.Insert(ctx, c), tx.Keys.Record(ctx, caller.KeyUse{Key: fmt.Sprint("new", key), CheckID: c.ID, CreatedAt: time.Now()}),
				tx.Events.Append(ctx, someEvent(c.ID)), tx.Outbox.Stage(ctx, job()))
		})},
		{"a new attachment: key, two writes with COMMIT", 2, write(func(ctx context.Context, tx ports.Tx) error {
			key++
			if _, err := tx.Keys.Reserve(ctx, fmt.Sprint("new", key)); err != nil {
				return err
			}
			return errors.Join(tx.Attachments.Insert(ctx, newAttachment()), tx.Keys.Record(ctx, caller.KeyUse{
				Key: fmt.Sprint("new", key), Reply: &caller.Reply{Status: 201, Body: []byte("{}")}, CreatedAt: time.Now(),
			}))
		})},
		{"a new image: lock, documents, two writes", 4, write(func(ctx context.Context, tx ports.Tx) error {
			a, err := tx.Attachments.Lock(ctx, target.ID)
			if err != nil {
				return err
			}
			return errors.Join(tx.Documents.Insert(ctx, a.ID, image()), tx.Attachments.Save(ctx, a))
		})},
		{"a page of attachments", 2, view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Attachments.List(ctx, attachment.Filter{}, billing.Page{Limit: 25})
			return err
		})},
		{"the step of a lane: results and health, what is due", 3, write(func(ctx context.Context, tx ports.Tx) (err error) {
			var tried []*webhook.Delivery
			for _, s := range due {
				s.Delivery.Tried(webhook.Attempt{At: time.Now(), Status: 500}, 0)
				tried = append(tried, s.Delivery)
			}
			if err := errors.Join(tx.Lanes.Record(ctx, tried), tx.Lanes.RecordHealth(ctx, hook)); err != nil {
				return err
			}
			_, due, _, err = tx.Lanes.Due(ctx, hook.ID, time.Now(), 1, nil)
			return err
		})},
		{"the lease of a lane", 2, write(func(ctx context.Context, tx ports.Tx) error {
			_, _, err := tx.Lanes.Take(ctx, hook.ID, holder, "here", time.Minute)
			return err
		})},
		{"the end of a check: patient; completion, event and job with COMMIT", 2, write(func(ctx context.Context, tx ports.Tx) error {
			born := billing.Date{Year: 1990, Month: 1, Day: 1}
			if _, err := tx.Patients.Find(ctx, []directory.Person{{Key: "a|b", Patient: directory.Patient{ID: billing.NewID[billing.PatientID](billing.RealAt(time.Now())), DateOfBirth: born, CreatedAt: time.Now()}}}); err != nil {
				return err
			}
			c := pending[0]
			pending = pending[1:]
			return errors.Join(tx.PendingChecks.Complete(ctx, []coverage.CheckCompletion{{Check: c}}), tx.Events.Append(ctx, someEvent(c.ID)), tx.Outbox.Done(ctx, job().ID))
		})},
	} {
		least := int64(math.MaxInt64)
		for run := 0; run < 3 || run < mostRuns && least > test.want; run++ { // the first ones prepare, and the store's upkeep may interfere
			trips.Store(0)
			if err := test.run(); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			least = min(least, trips.Load())
		}
		if least != test.want {
			t.Errorf("%s: %d round trips, want %d", test.name, least, test.want)
		}
	}
}

// TestClockIsTheDatabases also uses a session in another time zone.
func TestClockIsTheDatabases(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Asia/Kathmandu"} {
		s := pgtest.Open(t, func(o *pgstore.Options) { o.URL += "&TimeZone=" + zone })
		clock, database, err := s.Times(t.Context(), scope())
		if err != nil || !clock.Equal(database) || clock.Location() != time.UTC {
			t.Errorf("%s: the clock shows %v, the database %v, %v", zone, clock, database, err)
		}
	}
}

// cutting breaks some of the connections on which COMMIT is sent: before it
// goes out, right after, or when its reply has arrived.
type cutting struct {
	net.Conn
	cuts  *cuts
	armed atomic.Int32
}

type cuts struct {
	mu   sync.Mutex
	rng  *rand.Rand
	made [4]int
}

func (c *cuts) next() int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.rng.Int32N(6)
	if n > 3 {
		n = 0
	}
	c.made[n]++
	return n
}

const (
	cutBefore int32 = iota + 1
	cutAfter
	cutReply
)

func (c *cutting) Write(b []byte) (int, error) {
	if !bytes.HasSuffix(b, []byte("Q\x00\x00\x00\x0bCOMMIT\x00")) { // alone, or behind the last statement
		return c.Conn.Write(b)
	}
	how := c.cuts.next()
	if how == cutBefore {
		_ = c.Close()
		return 0, syscall.EPIPE
	}
	n, err := c.Conn.Write(b)
	if how == cutAfter {
		_ = c.Close()
	}
	c.armed.Store(how)
	return n, err
}

func (c *cutting) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.armed.Load() == cutReply {
		_ = c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// dying carries nothing once it is dead, like a network with a pulled cable:
// bytes that are sent vanish, and none arrive.
type dying struct {
	net.Conn
	dead *atomic.Bool
}

func (c *dying) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// TestDeadNetworkEndsWithTheDeadline cuts the network within transactions,
// before a statement and before COMMIT.
func TestDeadNetworkEndsWithTheDeadline(t *testing.T) {
	t.Parallel()
	var dead atomic.Bool
	url := pgtest.URL(t)
	s := openWith(t, url, func(c net.Conn) net.Conn { return &dying{c, &dead} })
	in, j := scope(), job()
	ctx, cancel := context.WithCancel(t.Context())
	err := s.InTx(ctx, in, func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Outbox.Stage(ctx, j); err != nil {
			return err
		}
		if _, err := tx.Outbox.Pending(ctx, j.ID); err != nil {
			return err
		}
		dead.Store(true)
		cancel()
		_, err := tx.Outbox.Pending(context.WithoutCancel(ctx), j.ID)
		return err
	})
	if err == nil {
		t.Error("a transaction on a dead network succeeded")
	}
	dead.Store(false)
	if err := s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Stage(ctx, job()) }); err != nil {
		t.Errorf("when the network is back: %v", err)
	}
	if n := scan[int](t, admin(t, url), "SELECT count(*) FROM jobs"); n != 1 {
		t.Errorf("%d jobs, want 1", n)
	}
}

// TestManyStatements uses more statements than a connection keeps.
func TestManyStatements(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t, func(o *pgstore.Options) { o.MaxConns = 1 })
	in, c := scope(), check(scope())
	for n := range 2 * 300 {
		bit := func(i int) bool { return n>>i&1 == 1 }
		var f coverage.CheckFilter
		for i, set := range []func(){
			func() { f.RequestID = c.RequestID }, func() { f.OfficeID = c.OfficeID }, func() { f.PayerID = c.Payer.ID },
			func() { f.Outcome = coverage.OutcomeAnswered }, func() { f.CreatedAfter = c.CreatedAt },
			func() { f.CreatedBefore = c.CreatedAt }, func() { f.TenantReference = "r" },
		} {
			if bit(i) {
				set()
			}
		}
		p := billing.Page{Limit: 1}
		if bit(7) {
			p.After = &billing.Position{Time: c.CreatedAt, ID: c.ID}
		}
		if err := s.View(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Checks.List(ctx, f, p)
			if err == nil && bit(8) {
				_, err = tx.Events.List(ctx, event.Filter{CreatedAfter: f.CreatedAfter}, p)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// untilThere runs a transaction, and again when the store gave up because so many connections
// in a row were cut. It then had no effect.
func untilThere(ctx context.Context, s *pgstore.Store, in billing.Scope, fn func(context.Context, ports.Tx) error) error {
	for {
		if err := s.InTx(ctx, in, fn); !errors.Is(err, billing.ErrStoreAway) {
			return err
		}
	}
}

// TestLostCommitIsResolved cuts connections around COMMIT repeatedly, and then
// counts: every transaction that was reported committed is there, once.
func TestLostCommitIsResolved(t *testing.T) {
	t.Parallel()
	const writers, each = 4, 75
	url := pgtest.URL(t)
	made := &cuts{rng: rand.New(rand.NewPCG(7, 11))}
	s := openWith(t, url, func(c net.Conn) net.Conn { return &cutting{Conn: c, cuts: made} })
	var group sync.WaitGroup
	in := scope()
	for w := range writers {
		resource := [16]byte{1, byte(w)}
		group.Go(func() {
			for n := range each {
				if err := untilThere(t.Context(), s, in, func(ctx context.Context, tx ports.Tx) error {
					if n%2 == 0 { // COMMIT goes with the last statement
						key := fmt.Sprint(w, "-", n)
						if use, err := tx.Keys.Reserve(ctx, key); err != nil || use != nil {
							return fmt.Errorf("key %s has the use %v, %w", key, use, err)
						}
						if err := tx.Keys.Record(ctx, caller.KeyUse{Key: key, Reply: &caller.Reply{Status: 200}, CreatedAt: time.Now()}); err != nil {
							return err
						}
					}
					return errors.Join(tx.Events.Append(ctx, someEvent(resource)), tx.Outbox.Stage(ctx, job()))
				}); err != nil {
					t.Errorf("a transaction failed: %v", err)
				}
			}
		})
	}
	group.Wait()
	db := admin(t, url)
	for _, table := range []string{"events", "jobs"} {
		if n := scan[int](t, db, "SELECT count(*) FROM "+table); n != writers*each {
			t.Errorf("%d %s, want %d", n, table, writers*each)
		}
	}
	if n := scan[int](t, db, "SELECT max(sequence) FROM events"); n != each {
		t.Errorf("last sequence %d, want %d", n, each)
	}
	for how, n := range made.made {
		if n < 10 {
			t.Errorf("only %d cuts of sort %d: the test proves little", n, how)
		}
	}
}

// TestBeginIsRefused uses a connection again after the server rejected the
// statement that sets the role, which was already prepared.
func TestBeginIsRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	admin, login := admin(t, url), "login_"+strings.ReplaceAll(billing.NewID[billing.JobID](billing.RealAt(time.Now())).UUID(), "-", "")
	run := func(statement string) {
		t.Helper()
		if _, err := admin.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	run("CREATE ROLE " + login + " LOGIN PASSWORD 'x' NOINHERIT; GRANT molar_system TO " + login)
	t.Cleanup(func() { run("DROP ROLE " + login) })
	u, err := neturl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	u.User = neturl.UserPassword(login, "x")
	var dialled atomic.Int64
	s := openWith(t, u.String(), func(c net.Conn) net.Conn { dialled.Add(1); return c })
	look := func() error {
		return s.View(t.Context(), scope(), func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Outbox.Pending(ctx, billing.NewID[billing.JobID](billing.RealAt(time.Now())))
			return err
		})
	}
	if err := look(); err == nil {
		t.Fatal("the login became molar_app without a grant")
	}
	before := dialled.Load()
	run("GRANT molar_app TO " + login)
	if err := look(); err != nil || dialled.Load() != before {
		t.Errorf("after the grant: %v, over %d new connections", err, dialled.Load()-before)
	}
}
