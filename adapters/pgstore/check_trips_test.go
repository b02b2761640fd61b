package pgstore_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// TestRoundTripsOfACheck counts the round trips of a fresh check that is alone:
// four of the transaction that makes it, one that reads it for the payer, four
// that complete it, one that reads it for the caller.
func TestRoundTripsOfACheck(t *testing.T) {
	t.Parallel()
	var trips atomic.Int64
	var mu sync.Mutex
	var staged []jobs.Job
	var d net.Dialer
	s, err := pgstore.OpenDialing(t.Context(), pgstore.Options{
		URL: pgtest.URL(t), MaxConns: 1, EncryptionKey: [32]byte{1}, Begins: true,
		Staged: func(j []jobs.Job) { mu.Lock(); defer mu.Unlock(); staged = append(staged, j...) },
	}, func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		return &counted{Conn: c, trips: &trips}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	payers, err := billing.ShippedPayers()
	if err != nil {
		t.Fatal(err)
	}
	times := eligibility.DefaultTimes()
	times.Wait = 0 // the wait for the worker is over at once
	networks := map[billing.Mode]ports.EligibilityNetwork{billing.ModeTest: sandboxnet.NewEligibility(processClock{})}
	service := eligibility.New(s, memqueue.NewBroker().Open(), networks, edi.New(), payers, times)
	in := scope()
	office := &billing.Office{ID: billing.NewID[billing.OfficeID](time.Now()), Scope: in, Name: "Main", NPI: "1234567893", CreatedAt: time.Now()}
	if err := s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Orgs.Insert(ctx, &billing.Organization{ID: in.Org, Name: "Main", CreatedAt: time.Now()})
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, office) }); err != nil {
		t.Fatal(err)
	}
	least := int64(1000)
	for n := range 8 { // the first ones prepare, and the store's upkeep may come in between
		trips.Store(0)
		_, _, err := service.Check(t.Context(), in, billing.Request{ID: billing.NewID[billing.RequestID](time.Now()), Key: fmt.Sprint(n)}, billing.EligibilityRequest{
			OfficeID: office.ID.String(), PayerID: "CHTEST",
			Subscriber: billing.SubscriberInput{FirstName: "Ada", LastName: "Byron", DateOfBirth: "1985-12-10", MemberID: fmt.Sprint(n, "-ACTIVE-FULL")},
		})
		if billing.CodeOf(err) != billing.CodeTimeout || len(staged) != n+1 {
			t.Fatalf("check: %v, %d jobs", err, len(staged))
		}
		if err := service.Answer(t.Context(), staged[n]); err != nil {
			t.Fatal(err)
		}
		c, err := service.Get(t.Context(), in, billing.CheckID(staged[n].Subject))
		if err != nil || c.Outcome != billing.OutcomeAnswered {
			t.Fatalf("%+v, %v", c, err)
		}
		least = min(least, trips.Load())
	}
	if least != 10 {
		t.Errorf("a fresh check takes %d round trips, want 10", least)
	}
}

// processClock is the clock of the process.
type processClock struct{}

func (processClock) Now() time.Time { return time.Now() }
