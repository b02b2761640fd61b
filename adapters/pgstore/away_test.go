package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// listOffices is a statement.
func listOffices(ctx context.Context, tx ports.Tx) error {
	_, err := tx.Offices.List(ctx, billing.Page{Limit: 1})
	return err
}

// TestPoolOfDeadConnections ends every pooled connection at the server, as a
// restart does. No request fails.
func TestPoolOfDeadConnections(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	poolOfDeadConnections(t, url)
}

// poolOfDeadConnections does so. The first lost connection is found by a request, and the others with it.
func poolOfDeadConnections(t *testing.T, url string) {
	t.Helper()
	const all, conns = 16, 12 // a quarter is reserved for transactions without a scope
	var log bytes.Buffer
	s, err := pgstore.Open(t.Context(), pgstore.Options{
		URL: pgtest.Service(t, url) + "&application_name=dead", MaxConns: all, Keys: [][32]byte{{1}}, Begins: true,
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	in, list := scope(), listOffices
	open, release, done := make(chan struct{}), make(chan struct{}), make(chan error, conns)
	for range conns {
		go func() {
			done <- s.View(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
				err := list(ctx, tx)
				open <- struct{}{}
				<-release
				return err
			})
		}()
	}
	for range conns {
		<-open
	}
	close(release)
	for range conns {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	exec(t, admin(t, url), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dead' AND datname = current_database()")
	for range conns {
		if err := s.View(t.Context(), in, list); err != nil {
			t.Errorf("a request failed: %v", err)
		}
	}
	if err := s.Close(); err != nil { // ends the upkeep, which writes to the log, too
		t.Log("connections that the server ended: ", err)
	}
	if n := strings.Count(log.String(), "transaction runs again"); n > 2 { // one may be of the upkeep
		t.Errorf("transactions ran %d times again", n)
	}
}

// TestServerRestarts sends requests while the server is away for a moment. They
// wait for it.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	server := testservers.StartPostgres(t)
	if err := pgstore.Migrate(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	s := pgtest.OpenAt(t, server.URL())
	s.Await()
	in := scope()
	stop, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		var errs []error
		for {
			select {
			case <-stop:
				failed <- errors.Join(errs...)
				return
			default:
				errs = append(errs, s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, check(in)) }))
			}
		}
	}()
	for range 3 {
		server.Restart()
	}
	close(stop)
	if err := <-failed; err != nil {
		t.Errorf("requests failed: %v", err)
	}
}

// TestStatementTextHoldsNoPatient checks the statements as the server sees
// them: it logs the text of a failed one.
func TestStatementTextHoldsNoPatient(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := pgtest.OpenAt(t, url)
	in := scope()
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Patients.Find(ctx, []directory.Person{{Key: "SENTINELNAME|X", Patient: directory.Patient{
			ID: billing.NewID[billing.PatientID](billing.RealAt(time.Now())), Scope: in, FirstName: "Sentinelname", LastName: "X",
			DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}, CreatedAt: time.Now(),
		}}})
		text := scan[string](t, admin(t, url), "SELECT coalesce(string_agg(query, E'\n'), '') FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()") //nolint:contextcheck // the server is asked beside the transaction
		if !strings.Contains(text, "patients") || strings.Contains(strings.ToUpper(text), "SENTINEL") || strings.Contains(text, "1985") {
			t.Errorf("the server sees: %s", text)
		}
		return err
	})
}

// TestSilentServer gives up on a server that takes connections and never replies.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(t.Context())
	silent := func(context.Context, string, string) (net.Conn, error) {
		defer giveUp()
		c, _ := net.Pipe()
		return c, nil
	}
	_, err := pgstore.OpenDialing(ctx, pgstore.Options{URL: "postgres://molar@database/molar?sslmode=disable", Waits: true}, silent)
	if err == nil {
		t.Error("a store whose server never replied is open")
	}
}

// cutAt cuts the connection at one of its writes, counted over all connections.
type cutAt struct {
	net.Conn

	writes *atomic.Int64
}

func (c *cutAt) Write(b []byte) (int, error) {
	if c.writes.Add(-1) == 0 {
		_ = c.Close()
	}
	return c.Conn.Write(b)
}

// TestOpensWhileTheDatabaseGoes loses the database at each step of opening a store that waits
// for it. The store opens, and works when the database is back.
func TestOpensWhileTheDatabaseGoes(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	openWith(t, url, func(c net.Conn) net.Conn { return c }) // sets the key
	var d net.Dialer
	for n := int64(1); ; n++ {
		var writes atomic.Int64
		writes.Store(n)
		o := pgstore.Options{URL: url, MaxConns: 3, Waits: true, Process: "api", Keys: [][32]byte{{1, 2, 3}}}
		s, err := pgstore.OpenDialing(t.Context(), o, func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := d.DialContext(ctx, network, address)
			return &cutAt{c, &writes}, err
		})
		if err != nil {
			t.Fatalf("cut at write %d: %v", n, err)
		}
		porttest.Await(t, "it works", func() bool { return s.Ready(t.Context()) == nil })
		_ = s.Close() // it may be what is cut
		if writes.Load() > 0 {
			break // it opened before
		}
	}
}
