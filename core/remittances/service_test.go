package remittances_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func call(key string) caller.Request {
	return caller.Request{ID: billing.NewID[billing.RequestID](billing.RealAt(time.Now())), Key: key, Fingerprint: [32]byte{1}}
}

// write is a call whose reply is rendered by render.
func write[T any](scope billing.Scope, req caller.Request, render func(T, error) caller.Reply) idempotency.Write[T] {
	return idempotency.Write[T]{Call: caller.Call{Scope: scope, Request: req}, Render: render}
}

// render replies with the state and the claims.
func render(r *remit.Record, _ error) caller.Reply {
	return caller.Reply{Status: 200, Body: fmt.Appendf(nil, "%s %d %t %s", r.State, len(r.Claims), r.More, event.Timestamp(r.PostedAt))}
}

func TestPost(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var says []saying
	for n := range 30 {
		b.claim(fmt.Sprint("A-", n))
		says = append(says, paid(fmt.Sprint("A-", n), "", 0))
	}
	j := b.receive(says...)
	id := billing.ERAID(j.Subject)
	if _, err := b.service.Post(t.Context(), write(b.scope, call("k"), render), id, intake.PostRequest{}); codeOf(err) != billing.CodeNotFound {
		t.Errorf("before it is read: %v", err)
	}
	b.apply(j)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := b.service.Post(t.Context(), write(b.scope, call("k"), render), id, intake.PostRequest{}); err != nil && codeOf(err) != billing.CodeIdempotencyKeyInUse {
				t.Error(err)
			}
		})
	}
	all.Wait()
	first, err := b.service.Post(t.Context(), write(b.scope, call("k"), render), id, intake.PostRequest{})
	r := b.era(j)
	want := fmt.Sprintf("posted 25 true %s", event.Timestamp(r.PostedAt))
	if err != nil || !first.Replayed || string(first.Body) != want || r.PostedAt.IsZero() {
		t.Errorf("%q, replayed %t, %v, want %q", first.Body, first.Replayed, err, want)
	}
	again, err := b.service.Post(t.Context(), write(b.scope, call("k2"), render), id, intake.PostRequest{})
	if err != nil || again.Replayed || string(again.Body) != want {
		t.Errorf("posted again: %q, replayed %t, %v", again.Body, again.Replayed, err)
	}
	if b.events(id) != "era.received" {
		t.Errorf("events %s", b.events(id))
	}
	posted, _, err := b.service.List(t.Context(), b.scope, remit.Filter{State: remit.Posted}, billing.Page{Limit: 5})
	if err != nil || len(posted) != 1 {
		t.Errorf("%d posted, %v", len(posted), err)
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.service.InPieces(7)
	var says []saying
	for n := range 60 {
		says = append(says, paid(fmt.Sprint("A-", n), "", 0))
	}
	r := b.remit(says...)
	var got []int
	for after, more := 0, true; more; after = got[len(got)-1] {
		page, next, err := b.service.Claims(t.Context(), b.scope, r.ID, after, 25)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page {
			got = append(got, c.Ordinal)
		}
		more = next
	}
	if len(got) != 60 || !slices.IsSorted(got) || got[0] != 1 || got[59] != 60 || len(r.Claims) != 25 || !r.More || r.ClaimCount != 60 {
		t.Errorf("%v; the first page has %d, more %t", got, len(r.Claims), r.More)
	}
	var ids []billing.ERAID
	for range 4 {
		ids = append(ids, b.remit(paid("X", "", 0)).ID)
	}
	page, next, err := b.service.List(t.Context(), b.scope, remit.Filter{}, billing.Page{Limit: 3})
	if err != nil || len(page) != 3 || next == nil || page[0].ID != ids[3] {
		t.Fatalf("%d remittances, %v, %v", len(page), next, err)
	}
	page, next, err = b.service.List(t.Context(), b.scope, remit.Filter{}, billing.Page{Limit: 3, After: next})
	if err != nil || len(page) != 2 || next != nil || page[0].ID != ids[0] || page[1].ID != r.ID {
		t.Fatalf("%d remittances, %v, %v", len(page), next, err)
	}

	live := billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}
	_, errGet := b.service.Get(t.Context(), live, r.ID)
	_, _, errClaims := b.service.Claims(t.Context(), live, r.ID, 0, 5)
	_, _, errFile := b.service.File(t.Context(), live, r.ID)
	_, errPost := b.service.Post(t.Context(), write(live, call("k"), render), r.ID, intake.PostRequest{})
	_, errRetry := b.service.Retry(t.Context(), live, r.ID)
	for i, err := range []error{errGet, errClaims, errFile, errPost, errRetry} {
		if codeOf(err) != billing.CodeNotFound {
			t.Errorf("%d in the other mode: %v", i, err)
		}
	}
	if err := b.service.Apply(t.Context(), jobs.Job{ID: billing.NewID[billing.JobID](billing.RealAt(time.Now())), Scope: live, Subject: r.ID}); err != nil {
		t.Errorf("a job about nothing: %v", err)
	}
}

// TestWaitsForBatch has a remittance with a claim whose batch is pending: its
// sender died after sending it.
func TestWaitsForBatch(t *testing.T) {
	t.Parallel()
	for name, noted := range map[string]bool{"the sending is noted": true, "it never is": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			batch := clearing.NewBatch(b.scope, "sandbox", 1, 2, billing.RealAt(b.clock.Now()), b.clock.Now())
			b.in(func(ctx context.Context, tx ports.Tx) error {
				_, err := tx.Batches.Insert(ctx, batch, []byte("837"))
				return err
			})
			in := func(c *claim.Claim) { c.State, c.BatchID, c.SentAt = claim.Queued, batch.ID, time.Time{} }
			id, other := b.claim("A-1", in), b.claim("B-1")
			j := b.receive(paid("B-1", "", 0), paid("A-1", "", 0))
			next := b.receive(paid("B-1", "", 0))
			for _, j := range []jobs.Job{j, next, j} {
				if err := b.service.Apply(t.Context(), j); err != nil {
					t.Fatal(err)
				}
				if !b.pending(j) || b.isDue(j) || b.stands(other) != "accepted_payer" {
					t.Fatalf("the job waits: %t; the other claim is %s", b.pending(j), b.stands(other))
				}
			}
			want := "paid paid 150.00"
			if noted {
				b.change(id, func(c *claim.Claim) { c.State, c.SentAt = claim.Submitted, b.clock.Now() })
			} else {
				b.clock.Advance(11 * time.Minute)
				want = "queued"
			}
			b.apply(j)
			b.apply(next)
			if b.stands(id) != want || b.stands(other) != "paid paid 150.00" || counts(b.era(next)) != "1/1 r done" { // paid before, under another trace
				t.Errorf("claims %s, %s", b.stands(id), b.stands(other))
			}
		})
	}
}

// TestFigures applies payments, denials, reversals and corrections at random,
// in remittances of any size. It compares a claim's figures with the sum of
// what was applied.
func TestFigures(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			b.service.InPieces(1 + int(seed)*2)
			roll := rand.New(rand.NewPCG(seed, 1))
			var ids []billing.ClaimID
			said := map[int][]saying{}
			for n := range 4 {
				ids = append(ids, b.claim(fmt.Sprint("A-", n)))
			}
			for range 15 {
				var says []saying
				for range 1 + roll.IntN(6) {
					n := roll.IntN(4)
					number, payers := fmt.Sprint("a-", n), fmt.Sprint("P", n, roll.IntN(2))
					next := paid(number, payers, billing.Money(roll.IntN(4))*2500)
					switch roll.IntN(4) {
					case 0:
						next = denied(number, payers)
					case 1:
						if len(said[n]) > 0 {
							next = reversed(said[n][roll.IntN(len(said[n]))])
						}
					}
					if next.Status != "22" {
						said[n] = append(said[n], next)
					}
					says = append(says, next)
				}
				b.receive(says...)
			}
			due := b.due()
			roll.Shuffle(len(due), func(i, k int) { due[i], due[k] = due[k], due[i] })
			for _, j := range due {
				b.apply(j)
			}
			b.agree(ids)
		})
	}
}

// agree checks that the figures of claims are the sums of what remittances
// applied to them, and that each has one event.
func (b *fixture) agree(ids []billing.ClaimID) {
	b.t.Helper()
	sums, many := map[billing.ClaimID]billing.Money{}, map[billing.ClaimID]int{}
	for _, e := range b.eras(b.scope) {
		claims, more, err := b.service.Claims(b.t.Context(), b.scope, e.ID, 0, 1000)
		if err != nil || more {
			b.t.Fatal(errors.Join(err, errors.New("a page of claims")))
		}
		matched := 0
		for _, c := range claims {
			if c.Status == remit.StatusApplied {
				sums[c.ClaimID] += c.Paid
				many[c.ClaimID]++
			}
			if !c.ClaimID.IsZero() {
				matched++
			}
			if c.Status != remit.StatusApplied && c.Review == "" {
				b.t.Errorf("claim %d is %s without a reason", c.Ordinal, c.Status)
			}
		}
		if matched != e.MatchedCount || len(claims) != e.ClaimCount {
			b.t.Errorf("%d of %d matched, the remittance has %d of %d", matched, len(claims), e.MatchedCount, e.ClaimCount)
		}
	}
	for _, id := range ids {
		c := b.get(id)
		l := b.ledger(id)
		if len(l) != many[id] {
			b.t.Errorf("the ledger has %d entries, %d were applied", len(l), many[id])
		}
		if c.Kind == claim.KindClaim && !reflect.DeepEqual(c.Standing, c.Ledger(l).Standing()) || c.Standing != nil && c.Standing.Paid != sums[id] {
			b.t.Errorf("the claim stands at %+v, its ledger at %+v; remittances applied %s", c.Standing, c.Ledger(l).Standing(), sums[id])
		}
		if n := len(porttest.Events(b.t, b.store, b.scope, id)); n != many[id] {
			b.t.Errorf("%d events of %d applied", n, many[id])
		}
	}
}
