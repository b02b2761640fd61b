package remittances_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// world is some claims, and a remittance about them: payments, a split claim, a
// reversal of one of its own payments, a denial, an estimate, a claim that does
// not add up, and one of another organization.
func (b *fixture) world(n int) (claims []billing.ClaimID, f clearing.IncomingFile, want []string) {
	name := func(s string) string { return fmt.Sprintf("%s-%d", s, n) }
	first := paid(name("B"), "P2", 0)
	p := b.payment(
		paid(name("A"), "P1", 0), first, paid(name("X"), "P9", 0), reversed(first), paid(name("B"), "P3", 5000), denied(name("C"), "P4"),
		estimated(name("D")), paid(name("E"), "P5", 0), paid(name("A"), "P1", 2500),
	)
	p.Claims[7].Paid++
	claims = []billing.ClaimID{
		b.claim(name("A")), b.claim(name("B")), b.claim(name("C")), b.claim(name("D"), predetermination), b.claim(name("E")),
	}
	want = []string{
		"paid paid 275.00: claim.paid claim.paid", "paid paid 100.00: claim.paid claim.payment_reversed claim.paid",
		"denied denied 0.00: claim.denied", "returned: predetermination.returned", "accepted_payer: ",
	}
	return claims, b.file(p), want
}

// audit checks that the remittance was applied, once.
func (b *fixture) audit(j jobs.Job, claims []billing.ClaimID, want []string) {
	b.t.Helper()
	r := b.era(j)
	if got := counts(r); got != "8/9 aa-aaaara done" {
		b.t.Errorf("the remittance is %s", got)
	}
	if got := b.events(r.ID); got != "era.received" {
		b.t.Errorf("events of the remittance: %s", got)
	}
	for i, id := range claims {
		if got := b.stands(id) + ": " + b.events(id); got != want[i] {
			b.t.Errorf("the claim %d is %s, want %s", i, got, want[i])
		}
	}
	if due := b.due(); len(due) > 0 {
		b.t.Errorf("%d jobs are left", len(due))
	}
}

// TestApplyDiesAnywhere ends the worker at each of its transactions. The next
// worker continues from there.
func TestApplyDiesAnywhere(t *testing.T) {
	t.Parallel()
	for _, pieces := range []int{2, 300} {
		t.Run(fmt.Sprintf("pieces of %d", pieces), func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			b.service.InPieces(pieces)
			n := 0
			porttest.EveryEnding(t, 2, func(t *testing.T, f *porttest.Fault) {
				t.Helper()
				n++
				claims, file, want := b.world(n)
				j := b.receiveFile(file)
				s := b.process(f).InPieces(pieces)
				porttest.Dies(func() { _ = s.Apply(t.Context(), j) })
				if e := b.eras(b.scope); !b.pending(j) && e[0].Stage != remit.Done {
					t.Errorf("the job is gone, the remittance is %s", e[0].Stage)
				}
				b.settle()
				b.audit(j, claims, want)
			})
		})
	}
}

// TestReceiveDiesAnywhere ends the importing process. The file is still there,
// and is imported again.
func TestReceiveDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	other := b.organization(billing.ModeTest, "1457898765", "")
	n := 0
	porttest.EveryEnding(t, 6, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		n++
		id := b.claim(fmt.Sprintf("A-%d", n))
		unknown := b.payment(paid("N", "", 0))
		unknown.Payee.ID = "9999999999"
		theirs := b.payment(paid("T", "", 0))
		theirs.Payee.ID = "1457898765"
		file := b.file(b.payment(paid(fmt.Sprintf("A-%d", n), "", 0)), unknown, theirs)
		have, had := len(b.quarantined()), len(b.eras(other))
		porttest.Dies(func() { _, _ = b.process(f).Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, file) })
		if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, file); err != nil {
			t.Fatal(err)
		}
		b.settle()
		if got := b.stands(id) + ": " + b.events(id); got != "paid paid 150.00: claim.paid" {
			t.Errorf("the claim is %s", got)
		}
		if q, e := len(b.quarantined())-have, len(b.eras(other))-had; q != 1 || e != 1 {
			t.Errorf("%d more files in quarantine, %d more remittances of the other organization", q, e)
		}
	})
}

// TestSameFileAtOnce imports a file a hundred times, in two processes at once,
// while workers apply it.
func TestSameFileAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	claims, file, want := b.world(1)
	processes := []*remittances.Service{b.process(nil).InPieces(2), b.process(nil).InPieces(2)}
	var all sync.WaitGroup
	for n := range 100 {
		s := processes[n%2]
		all.Go(func() {
			b.takes(s, file)
			if n%10 == 0 {
				for _, j := range b.due() {
					b.work(s, j)
				}
			}
		})
	}
	all.Wait()
	b.settle()
	found := b.eras(b.scope)
	if len(found) != 1 {
		t.Fatalf("%d remittances, want one", len(found))
	}
	b.audit(jobs.Job{Scope: b.scope, Subject: found[0].ID}, claims, want)
}

// TestWorkersAtOnce runs the jobs of several remittances in several workers
// each, at once.
func TestWorkersAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A-1")
	first := paid("A-1", "P1", 0)
	var all []jobs.Job
	for n := range 9 {
		all = append(all, b.receive([]saying{first, reversed(first)}[n%2]))
	}
	slices.Reverse(all)
	var working sync.WaitGroup
	for range 3 {
		for _, j := range all {
			s := b.process(nil).InPieces(1)
			working.Go(func() { b.work(s, j) })
		}
	}
	working.Wait()
	if due := b.due(); len(due) > 0 {
		t.Errorf("%d jobs are left", len(due))
	}
	if l := b.ledger(id); len(l) != 9 || b.stands(id) != "paid paid 150.00" {
		t.Errorf("%d payments, %s", len(l), b.stands(id))
	}
	for _, j := range all {
		if r := b.era(j); counts(r) != "1/1 a done" {
			t.Errorf("the remittance is %s", counts(r))
		}
	}
}

// afterStore runs a function after a commit.
type afterStore struct {
	ports.Store
	commits int // until then
	then    func()
}

func (s *afterStore) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	err := s.Store.InTx(ctx, scope, fn)
	if s.commits--; s.commits == 0 {
		s.then()
	}
	return err
}

// TestTurns sends a process a second job of a scope at each moment of its first
// one. The second rests, and the first does its work.
func TestTurns(t *testing.T) {
	t.Parallel()
	for commits := 1; commits <= 3; commits++ { // it is read, it is applied, nothing is left
		b := newFixture(t)
		b.claim("A-1")
		store := &afterStore{Store: b.store, commits: commits}
		s := remittances.New(store, edi.New(), b.payers)
		var second jobs.Job
		store.then = func() {
			second = b.receive(paid("A-1", "P2", 10000))
			if err := s.Apply(t.Context(), second); err != nil || !b.pending(second) || b.isDue(second) {
				t.Errorf("the second job: %v; it is to rest", err)
			}
		}
		first := b.receive(paid("A-1", "P1", 0))
		if err := s.Apply(t.Context(), first); err != nil || b.pending(first) {
			t.Errorf("the first job: %v", err)
		}
		if r := b.era(second); counts(r) != "1/1 a done" {
			t.Errorf("the remittance of the second job is %s", counts(r))
		}
		if b.apply(second); b.pending(second) {
			t.Error("the second job is left")
		}
	}
}

// brokenEDI cannot read the claims of files while it is broken.
type brokenEDI struct {
	ports.ClaimsEDI
	from   int // the claim at which it fails
	broken bool
}

var errBroken = errors.New("broken")

func (e *brokenEDI) Claims(content []byte) iter.Seq2[*remit.Claim, error] {
	return func(yield func(*remit.Claim, error) bool) {
		n := 0
		for c, err := range e.ClaimsEDI.Claims(content) {
			if n++; e.broken && n > e.from {
				yield(nil, errBroken)
				return
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// TestGivenUp fails on a remittance repeatedly. It does not hold up the next
// one without end, and a retry applies it.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	for _, from := range []int{0, 3, 5} {
		t.Run(fmt.Sprintf("at claim %d", from+1), func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			claims, file, want := b.world(1)
			later := b.claim("L-1")
			bad, good := b.receiveFile(file), b.receive(paid("L-1", "P1", 0))
			codec := &brokenEDI{edi.New(), from, true}
			s := remittances.New(b.store, codec, b.payers).InPieces(2)
			if err := s.Apply(t.Context(), bad); !errors.Is(err, errBroken) {
				t.Fatalf("the remittance that cannot be read: %v", err)
			}
			if err := s.Apply(t.Context(), good); err != nil || !b.pending(good) || b.isDue(good) {
				t.Fatalf("the one after it: %v; it is to rest", err)
			}
			if err := s.FailApply(t.Context(), good); err == nil || !b.pending(good) {
				t.Fatalf("the one after it is given up: %v", err)
			}
			if err := s.FailApply(t.Context(), bad); err != nil || b.pending(bad) {
				t.Fatalf("giving up: %v", err)
			}
			r := b.era(bad)
			if got, wanted := counts(r), map[int]string{0: "0/9  done", 3: "2/9 pp done", 5: "3/9 pp-p done"}[from]; got != wanted {
				t.Errorf("what is given up is %s, want %s", got, wanted)
			}
			codec.broken = false
			if err := s.Apply(t.Context(), good); err != nil || b.stands(later) != "paid paid 150.00" {
				t.Fatalf("the one after it: %v, %s", err, b.stands(later))
			}
			if err := s.FailApply(t.Context(), bad); err != nil { // a redelivered message
				t.Error(err)
			}
			again, err := s.Retry(t.Context(), b.scope, r.ID)
			if err != nil || !again {
				t.Fatalf("retry: %t, %v", again, err)
			}
			if again, err := s.Retry(t.Context(), b.scope, r.ID); err != nil || again {
				t.Errorf("retry twice: %t, %v", again, err)
			}
			b.settle()
			b.audit(bad, claims, want)
			if now := b.era(bad); !now.ReceivedAt.Equal(r.ReceivedAt) {
				t.Errorf("received at %s, was %s", now.ReceivedAt, r.ReceivedAt)
			}
			if again, err := s.Retry(t.Context(), b.scope, r.ID); err != nil || !again { // one claim is unmatched
				t.Errorf("retry when all is done: %t, %v", again, err)
			}
			b.settle()
			b.audit(bad, claims, want)
		})
	}
}

// TestImportOwnDiesAnywhere ends the process at each transaction of an import, and of an
// assignment. The client repeats its request with the same key: every payment is stored
// once, and the reply is the same.
func TestImportOwnDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	office := b.office(b.scope, sharedNPI, "")
	n := 0
	porttest.EveryEnding(t, 2, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		n++
		claim, other := b.claim(fmt.Sprintf("A-%d", n)), b.claim(fmt.Sprintf("B-%d", n))
		unknown := b.payment(paid(fmt.Sprintf("B-%d", n), "", 0))
		unknown.Payee.ID = unknownNPI
		file := b.file(b.payment(paid(fmt.Sprintf("A-%d", n), "", 0)), unknown)
		had := len(b.eras(b.scope))
		request := caller.Request{Key: fmt.Sprintf("import-%d", n), Fingerprint: [32]byte{1}}
		var first, again caller.Reply
		var err error
		died := porttest.Dies(func() { first, err = b.importOwn(b.process(f), request, file) })
		repeated, err2 := b.importOwn(b.service, request, file)
		if err2 != nil || !died && err == nil && string(repeated.Body) != string(first.Body) {
			t.Fatalf("import: %s, %v, then %s, %v", first.Body, err, repeated.Body, err2)
		}
		held := b.held()
		if len(held) != 1 || string(repeated.Body) != "imported quarantined" {
			t.Fatalf("%s, %d files in quarantine", repeated.Body, len(held))
		}
		request.Key = fmt.Sprintf("assign-%d", n)
		died = porttest.Dies(func() { first, err = b.assign(b.process(f), request, held[0].ID, office) })
		again, err2 = b.assign(b.service, request, held[0].ID, office)
		if err2 != nil || string(again.Body) != "imported" || !died && err == nil && string(first.Body) != "imported" {
			t.Fatalf("assign: %s, %v, then %s, %v", first.Body, err, again.Body, err2)
		}
		b.settle()
		for _, id := range []billing.ClaimID{claim, other} {
			if got := b.stands(id) + ": " + b.events(id); got != "paid paid 150.00: claim.paid" {
				t.Errorf("the claim is %s", got)
			}
		}
		if more := len(b.eras(b.scope)) - had; more != 2 || len(b.held()) != 0 {
			t.Errorf("%d more remittances, %d files in quarantine", more, len(b.held()))
		}
	})
}

// TestImportOwnAtOnce imports a file many times at once, while it also comes from the
// network.
func TestImportOwnAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	claims, file, want := b.world(1)
	unknown := b.payment(paid("Z", "", 0))
	unknown.Payee.ID = unknownNPI
	held := b.file(unknown)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := b.importOwn(b.service, caller.Request{}, file); err != nil {
				t.Errorf("import: %v", err)
			}
			if _, err := b.importOwn(b.service, caller.Request{}, held); err != nil {
				t.Errorf("import: %v", err)
			}
			b.takes(b.service, file)
		})
	}
	all.Wait()
	b.settle()
	found := b.eras(b.scope)
	if len(found) != 1 || len(b.held()) != 1 {
		t.Fatalf("%d remittances, %d files in quarantine", len(found), len(b.held()))
	}
	b.audit(jobs.Job{Scope: b.scope, Subject: found[0].ID}, claims, want)
}
