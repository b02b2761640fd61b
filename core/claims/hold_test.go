package claims_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/summary"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// files is a clearinghouse that these tests send nothing to.
type files struct{ ports.Clearinghouse }

// connect opens a live network for claims to the payers.
func (b *fixture) connect(payers ...billing.PayerID) {
	b.t.Helper()
	b.service = claims.New(b.store, liveNetwork(payers...), b.payers)
}

// liveNetwork returns a live network for claims to the payers.
func liveNetwork(payers ...billing.PayerID) ports.Networks {
	route := network.Route{Mode: billing.ModeLive, Payers: map[billing.PayerID][]network.Transaction{}}
	for _, p := range payers {
		route.Payers[p] = []network.Transaction{network.Claims}
	}
	return routing.New(&ports.Network{Name: "live", Route: route, Claims: files{}})
}

func (b *fixture) verify() {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		o, err := tx.Offices.Lock(ctx, b.office.ID)
		if err != nil {
			return err
		}
		return tx.Offices.Save(ctx, o.Verified(tx.Clock.Now()))
	})
}

// enroll records an enrollment of the office.
func (b *fixture) enroll(payer directory.PayerSummary, t network.Transaction, state directory.EnrollmentState) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		now := tx.Clock.Now()
		_, err := tx.Enrollments.Put(ctx, &network.Enrollment{
			ID: billing.NewID[billing.EnrollmentID](billing.RealAt(now)), OfficeID: b.office.ID, Payer: payer, Transaction: t, State: state,
			Date: billing.DateOf(now), CreatedAt: now, UpdatedAt: now,
		})
		return err
	})
}

// waits checks what a claim waits for, wherever it is read.
func (b *fixture) waits(id billing.ClaimID, want claim.Hold) {
	b.t.Helper()
	page, _, err := b.service.List(b.t.Context(), b.scope, claim.Filter{Kind: claim.KindClaim}, billing.Page{Limit: 10})
	if err != nil {
		b.t.Fatal(err)
	}
	one := b.get(id)
	found, _, _, err := b.service.Search(b.t.Context(), b.scope, billing.ParseSearch(one.PatientControlNumber), billing.Page{Limit: 10})
	if err != nil || len(found) != 1 {
		b.t.Fatal(len(found), err)
	}
	for _, c := range append(page, one, found[0]) {
		if c.ID == id && c.Hold != want {
			b.t.Errorf("the claim waits for %q, want %q", c.Hold, want)
		}
	}
}

// liveClaim returns a submitted claim of live mode, its payer, and another payer.
func liveClaim(t *testing.T) (b *fixture, c *claim.Record, payer, other *directory.Payer) {
	t.Helper()
	b = newFixture(t).of(billing.ModeLive)
	payer, _ = b.payers.Find("CHTEST")
	other, _ = b.payers.Find("60054")
	in := b.good()
	in.Submit = true
	return b, b.does(b.make(in)), payer, other
}

// TestWhatALiveClaimWaitsFor queues a claim before there is a network. Then everything
// that it needs comes, one after the other.
func TestWhatALiveClaimWaitsFor(t *testing.T) {
	t.Parallel()
	b, c, payer, other := liveClaim(t)
	if c.State != claim.Queued || c.Hold != claim.HoldNoClearinghouse {
		t.Errorf("%s waits for %q", c.State, c.Hold)
	}
	b.waits(c.ID, claim.HoldNoClearinghouse)
	counted := func(want claim.Hold, payers ...billing.PayerID) {
		t.Helper()
		sum, err := summary.New(b.store, liveNetwork(payers...)).Read(t.Context(), b.scope)
		if err != nil {
			t.Fatal(err)
		}
		if w := sum.Unrouted; want == "" && len(w) > 0 || want != "" && (len(w) != 1 || w[0].Hold != want || w[0].PayerID != payer.ID || w[0].Count.Count != 1) {
			t.Errorf("the summary has %+v, want %q", w, want)
		}
	}
	counted(claim.HoldNoRoute, other.ID)
	counted(claim.HoldOffice, payer.ID)
	b.connect(other.ID)
	b.waits(c.ID, claim.HoldNoRoute)
	b.connect(other.ID, payer.ID)
	b.waits(c.ID, claim.HoldOffice)
	_, err := b.submit(c.ID)(render)
	if billing.CodeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), "verify the office") {
		t.Errorf("submitted again: %v", err)
	}
	b.verify()
	b.waits(c.ID, "")
	counted("", payer.ID)
	b.enroll(other.PayerSummary, network.Claims, directory.EnrollmentRejected)
	b.enroll(payer.PayerSummary, network.Eligibility, directory.EnrollmentRejected)
	b.waits(c.ID, "")
	for _, state := range directory.EnrollmentStates() {
		b.enroll(payer.PayerSummary, network.Claims, state)
		b.waits(c.ID, map[bool]claim.Hold{true: claim.HoldEnrollment}[state.Blocks()])
	}
	restored := &restore.Restore{BegunAt: b.clock.Now()}
	porttest.System(t, b.store, func(ctx context.Context, tx ports.SystemTx) error { return tx.Restores.Insert(ctx, restored) })
	b.waits(c.ID, claim.HoldRestore)
	counted(claim.HoldRestore, payer.ID)
	porttest.System(t, b.store, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Restores.Resume(ctx, restored, b.clock.Now())
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Claims.Lock(ctx, c.ID)
		if err != nil {
			return err
		}
		r.BatchID = billing.FileID{1}
		return tx.Claims.Save(ctx, r.Claim)
	})
	b.waits(c.ID, "") // it is in a batch
}

// TestClaimOfAPausedConnectionWaits pauses the only connection to a payer. Another one,
// which does not reach the payer, does not hide it.
func TestClaimOfAPausedConnectionWaits(t *testing.T) {
	t.Parallel()
	b, c, payer, other := liveClaim(t)
	open := routing.New()
	connector := routing.NewConnector(open, []ports.ConnectionKind{{
		Kind: network.Kind{Name: "sftp"}, Open: func(*network.Connection) (*ports.Network, error) { return &ports.Network{Claims: files{}}, nil },
	}}, nil, slog.New(slog.DiscardHandler))
	t.Cleanup(connector.Close)
	b.service = claims.New(b.store, open, b.payers)
	to := func(name string, p billing.PayerID) *network.Connection {
		return &network.Connection{
			ID: billing.NewID[billing.ConnectionID](billing.RealAt(time.Now())), Name: name, Mode: billing.ModeLive, Kind: "sftp",
			Carries: []network.Transaction{network.Claims}, Enabled: true, Revision: 1,
			Settings: network.Settings{Payers: []network.Payer{{Payer: p, Transactions: []network.Transaction{network.Claims}}}},
		}
	}
	paused := to("paused", payer.ID)
	paused.Pause.At = time.Now()
	connector.Replace([]*network.Connection{paused})
	b.waits(c.ID, claim.HoldPaused)
	connector.Replace([]*network.Connection{paused, to("other", other.ID)})
	b.waits(c.ID, claim.HoldPaused)
	connector.Replace([]*network.Connection{to("other", other.ID)})
	b.waits(c.ID, claim.HoldNoRoute)
	connector.Replace(nil)
	b.waits(c.ID, claim.HoldNoClearinghouse)
}

// TestVoidOfALiveClaimWaits voids a claim whose office is no longer verified.
func TestVoidOfALiveClaimWaits(t *testing.T) {
	t.Parallel()
	b := newFixture(t).of(billing.ModeLive)
	payer, _ := b.payers.Find("CHTEST")
	b.connect(payer.ID)
	b.verify()
	c := b.does(b.make(b.good()))
	b.in(func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Claims.Lock(ctx, c.ID)
		if err != nil {
			return err
		}
		r.State, r.SentAt = claim.AcceptedPayer, tx.Clock.Now()
		o, err := tx.Offices.Lock(ctx, b.office.ID)
		if err != nil {
			return err
		}
		next := *o
		next.NPI = "1111111112"
		if err := tx.Offices.Save(ctx, o.Changed(next, "", tx.Clock.Now())); err != nil {
			return err
		}
		return tx.Claims.Save(ctx, r.Claim)
	})
	if v := b.does(b.plain(b.service.Void, c.ID)); v.State != claim.Queued || v.Hold != claim.HoldOffice {
		t.Errorf("%s waits for %q", v.State, v.Hold)
	}
}

// TestFindingsOfALiveClaim makes claims that a network could carry. They have findings
// until the office is verified and enrolled; an empty change checks them again.
func TestFindingsOfALiveClaim(t *testing.T) {
	t.Parallel()
	b := newFixture(t).of(billing.ModeLive)
	payer, _ := b.payers.Find("CHTEST")
	b.connect(payer.ID)
	b.enroll(payer.PayerSummary, network.Claims, directory.EnrollmentSubmitted)
	in := b.good()
	in.Submit = true
	c := b.does(b.make(in))
	again := func(want string) {
		t.Helper()
		if got := found(b.does(b.change(c.ID, intake.ClaimRequest{}))); got != want {
			t.Errorf("findings %q, want %q", got, want)
		}
	}
	if got := found(c); c.State != claim.NeedsAttention || got != "office_id office_not_verified, payer_id enrollment_not_active" {
		t.Errorf("%s with %q", c.State, got)
	}
	b.verify()
	again("payer_id enrollment_not_active")
	b.enroll(payer.PayerSummary, network.Claims, directory.EnrollmentActive)
	again("")
	if c = b.does(b.submit(c.ID)); c.State != claim.Queued || c.Hold != "" {
		t.Errorf("%s waits for %q", c.State, c.Hold)
	}
}

// TestAClaimThatTheClearinghouseMayNotHave says so in its next step, wherever it is read,
// as long as its batch waits for the operator.
func TestAClaimThatTheClearinghouseMayNotHave(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := b.good()
	in.Submit = true
	c := b.does(b.make(in))
	var sent time.Time
	change := func(state claim.State, change func(m *clearing.Batch, now time.Time)) {
		t.Helper()
		b.in(func(ctx context.Context, tx ports.Tx) error {
			now := tx.Clock.Now()
			r, err := tx.Claims.Lock(ctx, c.ID)
			if err != nil {
				return err
			}
			if r.BatchID.IsZero() {
				m := clearing.NewBatch(b.scope, "con_1", 1, 1, billing.RealAt(now), now)
				r.BatchID = m.ID
				if _, err := tx.Batches.Insert(ctx, m, []byte("ISA")); err != nil {
					return err
				}
			}
			r.State = state
			m, err := tx.Batches.Lock(ctx, r.BatchID)
			if err != nil {
				return err
			}
			change(m, now)
			sent = m.SentAt
			return errors.Join(tx.Claims.Save(ctx, r.Claim), tx.Batches.Save(ctx, m))
		})
	}
	says := func(want string) {
		t.Helper()
		page, _, err := b.service.List(t.Context(), b.scope, claim.Filter{Kind: claim.KindClaim}, billing.Page{Limit: 10})
		if err != nil || len(page) != 1 {
			t.Fatal(len(page), err)
		}
		for _, r := range append(page, b.get(c.ID)) {
			if !strings.Contains(r.NextStep(), want) {
				t.Errorf("%q, want %q", r.NextStep(), want)
			}
		}
	}
	change(claim.Queued, func(*clearing.Batch, time.Time) {})
	says("on its way to the clearinghouse")
	change(claim.Queued, func(m *clearing.Batch, now time.Time) { m.Delay(false, now) })
	says("has not taken the claim's file since")
	change(claim.Queued, func(m *clearing.Batch, now time.Time) { m.Unknown(now) })
	says("unknown since")
	change(claim.Submitted, func(m *clearing.Batch, now time.Time) { m.Sent(now.Add(-48 * time.Hour)) })
	says("will report whether it accepts")
	change(claim.Submitted, func(m *clearing.Batch, now time.Time) {
		m.Review((&network.Options{}).Expected(), billing.AcknowledgementsAfter, now)
	})
	says("has not acknowledged the claim since it was sent on " + limit.Zone("").Day(sent).Time().Format("January 2, 2006"))
	change(claim.Submitted, func(m *clearing.Batch, now time.Time) { m.Settle(now) })
	says("will report whether it accepts")
}
