package batches_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// account is a connection of the practice with one batch that was sent.
type account struct {
	*fixture

	network *ports.Network
	claims  []*claim.Claim
	batch   *clearing.Batch
}

// newAccount sends claims through a connection with the options.
func newAccount(t *testing.T, options string, claims int) *account {
	t.Helper()
	b := newFixture(t)
	o, faults := network.ReadOptions([]byte(options), nil, "")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	c := &network.Connection{
		ID: billing.NewID[billing.ConnectionID](billing.RealAt(b.clock.Now())), Name: "Claims", Kind: "sandbox", Mode: billing.ModeTest, Org: b.scope.Org,
		Carries: []network.Transaction{network.Claims}, Settings: network.Settings{Options: o}, Enabled: true, CreatedAt: b.clock.Now(),
	}
	porttest.System(t, b.store, func(ctx context.Context, tx ports.SystemTx) error { return tx.Connections.Insert(ctx, c) })
	a := &account{fixture: b, network: sandbox(b.network)}
	a.network.Name, a.network.Options = c.Network(), o
	b.service = b.buildOn(b.store, a.network)
	a.claims = b.queue(b.practice, make([]string, claims)...)
	b.cut(1)
	b.send()
	a.batch = b.only()
	return a
}

// review returns what became overdue, as words.
func (a *account) review() string {
	a.t.Helper()
	news, err := a.service.Review(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	var words []string
	for _, o := range news {
		if o.Batch.ID != a.batch.ID || o.Connection != "Claims" {
			a.t.Errorf("overdue: %+v", o)
		}
		words = append(words, string(o.Kind))
	}
	return strings.Join(words, " ")
}

// comes imports a file of the connection.
func (a *account) comes(f clearing.IncomingFile) {
	a.t.Helper()
	n := *a.network
	n.Replies = inbox{files: []clearing.IncomingFile{f}}
	if got, err := a.buildOn(a.store, &n).Receive(a.t.Context(), n.Name); got.Files != 1 || err != nil {
		a.t.Fatalf("%+v, %v", got, err)
	}
}

// reports imports a 277CA that accepts a claim.
func (a *account) reports(control, c int) {
	a.t.Helper()
	a.comes(a.report("PR", control, a.about(a.practice, a.batch, said{control: a.claims[c].PatientControlNumber, category: "A2"})))
}

// want checks which acknowledgements are overdue, and whether the batch is settled.
func (a *account) want(overdue string, settled bool) {
	a.t.Helper()
	b := a.only()
	if got := strings.Trim(fmt.Sprint(b.Overdue), "[]"); got != overdue || b.SettledAt.IsZero() == settled {
		a.t.Errorf("overdue %q, settled %v; want %q, %v", got, !b.SettledAt.IsZero(), overdue, settled)
	}
	all, err := a.service.Undecided(a.t.Context())
	if err != nil || (len(all) == 1) != (overdue != "") || len(all) == 1 && (all[0].ID != b.ID || all[0].Connection != "Claims") {
		a.t.Errorf("undecided: %+v, %v", all, err)
	}
}

// TestOverdue reports each acknowledgement that does not come once, and forgets it when
// it comes.
func TestOverdue(t *testing.T) {
	t.Parallel()
	a := newAccount(t, `{"acknowledgements": ["TA1", "999", "277CA", "text"]}`, 2)
	a.clock.Advance(23 * time.Hour)
	if got := a.review(); got != "" {
		t.Errorf("overdue after 23 hours: %s", got)
	}
	a.clock.Advance(2 * time.Hour)
	if got := a.review(); got != "TA1 999 277CA" {
		t.Errorf("overdue after 25 hours: %s", got)
	}
	a.want("TA1 999 277CA", false)
	if got := a.review(); got != "" {
		t.Errorf("overdue once more: %s", got)
	}
	a.reports(1, 0)
	a.want("TA1 999 277CA", false) // the other claim has no report
	a.comes(a.functional(a.batch, "A", 2))
	a.want("277CA", false)
	a.reports(3, 1)
	a.want("", true)
	if got := a.review(); got != "" {
		t.Errorf("overdue after all: %s", got)
	}
}

// TestInTime settles a batch as soon as all of its acknowledgements are there.
func TestInTime(t *testing.T) {
	t.Parallel()
	a := newAccount(t, `{"acknowledgement_after": "1h"}`, 1)
	a.reports(1, 0)
	a.want("", false)
	a.comes(a.functional(a.batch, "A", 2))
	a.want("", true)
	a.clock.Advance(2 * time.Hour)
	if got := a.review(); got != "" {
		t.Errorf("overdue: %s", got)
	}
}

// TestPaidWithoutAReport awaits no report on a claim that was paid.
func TestPaidWithoutAReport(t *testing.T) {
	t.Parallel()
	a := newAccount(t, `{}`, 1)
	a.comes(a.functional(a.batch, "A", 1))
	a.clock.Advance(25 * time.Hour)
	if got := a.review(); got != "277CA" {
		t.Errorf("overdue: %s", got)
	}
	a.in(a.practice, func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, a.claims[0].ID)
		if err != nil {
			return err
		}
		c.State = claim.Paid
		return tx.Claims.Save(ctx, c.Claim)
	})
	if got := a.review(); got != "" {
		t.Errorf("overdue: %s", got)
	}
	a.want("", true)
}

// TestOverdueFound ends the wait when the operator knows that the clearinghouse has the
// file. A verdict that comes later still counts.
func TestOverdueFound(t *testing.T) {
	t.Parallel()
	a := newAccount(t, `{}`, 1)
	a.clock.Advance(25 * time.Hour)
	a.review()
	if _, err := a.service.MarkSent(t.Context(), a.batch.ID); err != nil {
		t.Fatal(err)
	}
	a.want("", true)
	if _, err := a.service.MarkSent(t.Context(), a.batch.ID); !billing.IsNotFound(err) {
		t.Errorf("again: %v", err)
	}
	if got := a.review(); got != "" {
		t.Errorf("overdue: %s", got)
	}
	a.comes(a.functional(a.batch, "R", 1))
	a.wantClaim(a.practice, a.claims[0].ID, claim.Queued, "queued submitted queued")
}

// TestOverdueLost sends a batch again when the operator knows that the clearinghouse does
// not have it, but not after a report on one of its claims.
func TestOverdueLost(t *testing.T) {
	t.Parallel()
	a := newAccount(t, `{}`, 2)
	a.clock.Advance(25 * time.Hour)
	a.review()
	box := &mailbox{has: map[string]int{}}
	a.network.Claims = box
	if _, err := a.service.Resend(t.Context(), a.batch.ID); err != nil {
		t.Fatal(err)
	}
	if b := a.only(); b.State != clearing.BatchPending || !b.SentAt.IsZero() || len(b.Overdue) > 0 {
		t.Errorf("%+v", b)
	}
	a.service = a.buildOn(a.store, a.network)
	a.send()
	if b := a.only(); b.State != clearing.BatchSent || !b.SentAt.Equal(a.clock.Now()) || box.has[b.File.Name] != 1 {
		t.Errorf("%+v, delivered %v", b, box.has)
	}
	a.wantClaim(a.practice, a.claims[0].ID, claim.Submitted, "queued submitted")
	if got := a.review(); got != "" {
		t.Errorf("overdue at once: %s", got)
	}
	a.clock.Advance(25 * time.Hour)
	if got := a.review(); got != "999 277CA" {
		t.Errorf("overdue: %s", got)
	}
	a.reports(1, 0)
	_, err := a.service.Resend(t.Context(), a.batch.ID)
	if fault, ok := errors.AsType[*billing.Error](err); !ok || fault.Code != billing.CodeConflict {
		t.Errorf("after a report: %v", err)
	}
}

// TestOverdueOnce lets several processes review at once: one of them reports.
func TestOverdueOnce(t *testing.T) {
	t.Parallel()
	a := newAccount(t, `{"acknowledgements": ["999"]}`, 1)
	a.clock.Advance(25 * time.Hour)
	const processes = 4
	found := make(chan []batches.Overdue, processes)
	for range processes {
		s := a.buildOn(a.store, a.network)
		go func() {
			news, err := s.Review(t.Context())
			if err != nil {
				t.Error(err)
			}
			found <- news
		}()
	}
	n := 0
	for range processes {
		n += len(<-found)
	}
	if n != 1 {
		t.Errorf("reported %d times", n)
	}
}
