package batches_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// permutations returns every order of the numbers below n.
func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, p := range permutations(n - 1) {
		for at := range n {
			all = append(all, append(append(append([]int{}, p[:at]...), n-1), p[at:]...))
		}
	}
	return all
}

// expected is the table of states (997, clearinghouse's 277CA, payer's 277CA,
// payer's 277 request) of a submitted claim.
func expected(order []clearing.IncomingFile) (state claim.State, story string) {
	state, words := claim.Submitted, []string{"queued", "submitted"}
	for _, f := range order {
		switch {
		case strings.Contains(f.Name, "clearinghouse") && state == claim.Submitted:
			state, words = claim.AcceptedClearinghouse, append(words, "accepted")
		case strings.Contains(f.Name, "payer") && state != claim.AcceptedPayer:
			state, words = claim.AcceptedPayer, append(words, "accepted")
		case strings.Contains(f.Name, "request") && state == claim.AcceptedPayer:
			words = append(words, "status_updated")
		}
	}
	return state, strings.Join(words, " ")
}

// TestEveryOrder receives the responses to a batch in every order, each twice.
// Every other time they arrive before the batch is recorded as sent, because
// its sender died.
func TestEveryOrder(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for i, order := range permutations(4) {
		c := b.queue(b.practice, "-INFO-REQUEST")[0]
		b.cut(1)
		j := b.due()[0]
		late := i%2 == 1
		if late {
			f := &porttest.Fault{Only: "Send", How: porttest.DiesAfter}
			if !porttest.Dies(func() { _ = b.process(f).Send(t.Context(), j) }) {
				t.Fatal("the sender did not die")
			}
			b.wantClaim(b.practice, c.ID, claim.Queued, "queued")
		} else {
			b.send()
		}
		b.clock.Advance(untilAll)
		files := b.take()
		if len(files) != len(order) {
			t.Fatalf("%d files came back", len(files))
		}
		var given []clearing.IncomingFile
		for _, n := range order {
			given = append(given, files[n])
			b.give(files[n])
			b.give(given...) // each of them again
		}
		if late {
			b.send()
			b.clock.Advance(untilAll)
			if again := b.take(); len(again) > 0 {
				t.Errorf("%d files came for a batch that was sent again", len(again))
			}
		}
		state, story := expected(given)
		b.wantClaim(b.practice, c.ID, state, story)
		f := b.batch(b.practice, b.get(b.practice, c.ID).BatchID)
		if f.State != clearing.BatchAcknowledged || b.story(b.practice, f.ID) != "batch.acknowledged" {
			t.Errorf("the batch is %s with the events %q", f.State, b.story(b.practice, f.ID))
		}
		asked := b.requests(b.practice)
		if len(asked) != i+1 || asked[0].ClaimID != c.ID || asked[0].Source != attachment.SourceNetwork || asked[0].State != attachment.PayerRequestOpen ||
			asked[0].DueDate.IsZero() || asked[0].ReferenceNumber == "" || b.story(b.practice, asked[0].ID) != "payer_request.received" {
			t.Errorf("%d payer requests, the last is %+v", len(asked), asked[0])
		}
		if t.Failed() {
			t.Fatalf("in the order %v, late %t", order, late)
		}
	}
}

// TestSameFilesAtOnce imports the same files in two processes repeatedly.
func TestSameFilesAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	all := b.queue(b.practice, "-INFO-REQUEST", "-REJECTED", "", "", "")
	b.cut(1)
	porttest.Dies(func() {
		_ = b.process(&porttest.Fault{Only: "Send", How: porttest.DiesAfter}).Send(t.Context(), b.due()[0])
	})
	b.clock.Advance(untilAll)
	files := b.take()
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for range 50 {
				if got, err := b.build(b.store, inbox{b.network, files}).Receive(t.Context(), sandboxnet.Name); err != nil || got.Files != len(files) {
					t.Errorf("%d files were taken in, %v", got.Files, err)
				}
			}
		})
	}
	both.Wait()
	b.send()
	state := map[bool]claim.State{true: claim.Rejected, false: claim.AcceptedPayer}
	for i, c := range all {
		story := "queued submitted accepted accepted"
		switch i {
		case 0:
			story += " status_updated"
		case 1:
			story = "queued submitted accepted rejected"
		}
		b.wantClaim(b.practice, c.ID, state[i == 1], story)
	}
	if n := len(b.requests(b.practice)); n != 1 {
		t.Errorf("%d payer requests", n)
	}
}

// accepted returns a claim that the payer has, with its batch.
func (b *fixture) accepted() (*claim.Claim, *clearing.Batch) {
	b.t.Helper()
	c := b.queue(b.practice, "")[0]
	b.turn(1)
	c = b.get(b.practice, c.ID)
	if c.State != claim.AcceptedPayer {
		b.t.Fatalf("the claim is %s", c.State)
	}
	return c, b.batch(b.practice, c.BatchID)
}

// TestNothingGoesBack applies reports to claims that come too late or
// contradict earlier ones.
func TestNothingGoesBack(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, sent := b.accepted()
	base := "queued submitted accepted accepted"
	about := func(category string, days int) said {
		return said{control: strings.ToLower(c.PatientControlNumber), category: category, days: days, number: "N-" + category}
	}
	at := 100
	for _, step := range []struct {
		what  string
		file  func(control int) clearing.IncomingFile
		state claim.State
		more  string
	}{
		{"a rejection of the file", func(n int) clearing.IncomingFile { return b.functional(sent, "R", n) }, claim.AcceptedPayer, ""},
		{"the clearinghouse", func(n int) clearing.IncomingFile { return b.report("AY", n, b.about(b.practice, sent, about("A1", 0))) }, claim.AcceptedPayer, ""},
		{"the payer again", func(n int) clearing.IncomingFile { return b.report("PR", n, b.about(b.practice, sent, about("A2", 0))) }, claim.AcceptedPayer, " status_updated"},
		{"a status", func(n int) clearing.IncomingFile { return b.report("PR", n, b.about(b.practice, sent, about("P1", 0))) }, claim.AcceptedPayer, " status_updated"},
		{"first the newer", func(n int) clearing.IncomingFile {
			return b.report("PR", n, b.about(b.practice, sent, about("A7", 2), about("P1", 1)))
		}, claim.Rejected, " status_updated rejected"},
		{"an acceptance", func(n int) clearing.IncomingFile { return b.report("PR", n, b.about(b.practice, sent, about("A2", 3))) }, claim.Rejected, ""},
		{"a status of a rejected one", func(n int) clearing.IncomingFile { return b.report("PR", n, b.about(b.practice, sent, about("F1", 3))) }, claim.Rejected, ""},
		{"not found", func(n int) clearing.IncomingFile { return b.report("PR", n, b.about(b.practice, sent, about("A4", 3))) }, claim.Rejected, ""},
	} {
		at++
		f := step.file(at)
		b.give(f, f)
		base += step.more
		if b.wantClaim(b.practice, c.ID, step.state, base); t.Failed() {
			t.Fatal(step.what)
		}
	}
	if c := b.get(b.practice, c.ID); c.PayerClaimNumber != "N-A7" && c.PayerClaimNumber != "N-P1" {
		t.Errorf("the payer's number is %q", c.PayerClaimNumber)
	}
	if got := b.story(b.practice, sent.ID); got != "batch.acknowledged" {
		t.Errorf("the batch's events are %q", got)
	}
}

// TestNotFound makes the payer deny that it has the claim: it needs attention.
func TestNotFound(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, sent := b.accepted()
	b.give(b.report("PR", 1, b.about(b.practice, sent, said{control: c.PatientControlNumber, category: "A4"})))
	b.wantClaim(b.practice, c.ID, claim.NeedsAttention, "queued submitted accepted accepted needs_attention")
	if c := b.get(b.practice, c.ID); len(c.Findings) != 1 {
		t.Errorf("findings %+v", c.Findings)
	}
}

// change changes a claim as a user does, and stores the result.
func (b *fixture) change(id billing.ClaimID, do func(c *claim.Record) (*claim.Record, event.Event, error)) (made *claim.Record) {
	b.t.Helper()
	b.in(b.practice, func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		var e event.Event
		if made, e, err = do(c); err != nil {
			return err
		}
		if made == c {
			err = tx.Claims.Save(ctx, c.Claim)
		} else {
			err = tx.Claims.Insert(ctx, made.Claim)
		}
		if err != nil {
			return err
		}
		return tx.Events.Append(ctx, e)
	})
	return made
}

func (b *fixture) void(c *claim.Claim) *claim.Claim {
	b.t.Helper()
	b.made++
	return b.change(c.ID, func(c *claim.Record) (*claim.Record, event.Event, error) {
		return c.Void(billing.NewID[billing.ClaimID](billing.RealAt(b.clock.Now())), fmt.Sprintf("PCN-%06d", b.made), billing.RequestID{}, b.clock.Now())
	}).Claim
}

func (b *fixture) replace(c *claim.Claim) {
	b.t.Helper()
	b.change(c.ID, func(c *claim.Record) (*claim.Record, event.Event, error) {
		e, err := c.Replace(c.Content, b.clock.Now())
		return c, e, err
	})
}

// TestLateForAReplacement applies a report that comes after its claim was
// replaced: it is about the earlier submission.
func TestLateForAReplacement(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, sent := b.accepted()
	late := b.report("PR", 1, b.about(b.practice, sent, said{control: c.PatientControlNumber, category: "A7"}))
	story := "queued submitted accepted accepted queued"
	b.replace(c)
	b.give(late, b.report("PR", 2, b.about(b.practice, sent, said{control: c.PatientControlNumber, category: "A2"})))
	b.wantClaim(b.practice, c.ID, claim.Queued, story)
	b.cut(1)
	b.send()
	b.give(b.report("PR", 3, b.about(b.practice, sent, said{control: c.PatientControlNumber, category: "A7"})), b.functional(sent, "R", 4))
	b.wantClaim(b.practice, c.ID, claim.Submitted, story+" submitted")
	b.clock.Advance(untilAll)
	b.receive()
	b.wantClaim(b.practice, c.ID, claim.AcceptedPayer, story+" submitted accepted accepted")
	sentAs := b.network.sent[b.network.files(c)[1]]
	if !strings.Contains(sentAs, "REF*F8*"+c.PayerClaimNumber+"~") || !strings.Contains(sentAs, ":B:7*") {
		t.Errorf("the replacement was sent as %s", sentAs)
	}
}

// TestVoid voids a claim once the payer has accepted the void.
func TestVoid(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, _ := b.accepted()
	v := b.void(c)
	b.cut(1)
	b.send()
	b.wantClaim(b.practice, c.ID, claim.AcceptedPayer, "queued submitted accepted accepted")
	b.clock.Advance(untilAll)
	files := b.take()
	b.give(files...)
	b.give(files...)
	b.wantClaim(b.practice, v.ID, claim.AcceptedPayer, "queued submitted accepted accepted")
	b.wantClaim(b.practice, c.ID, claim.Voided, "queued submitted accepted accepted voided")
	events := b.events(b.practice, c.ID)
	if data := string(events[4].Data); !strings.Contains(data, "payer") || !strings.Contains(data, `"previous_state":"accepted_payer"`) || !strings.Contains(data, `"category":"A2"`) {
		t.Errorf("claim.voided has %s", data)
	}
	if sentAs := b.network.sent[b.network.files(v)[0]]; !strings.Contains(sentAs, "REF*F8*"+c.PayerClaimNumber+"~") || !strings.Contains(sentAs, ":B:8*") {
		t.Errorf("the void was sent as %s", sentAs)
	}
	// The payer still reports on the claim that it has voided.
	b.give(b.report("PR", 1, b.about(b.practice, nil, said{control: c.PatientControlNumber, category: "A2"})))
	b.wantClaim(b.practice, c.ID, claim.Voided, "queued submitted accepted accepted voided")
}

// TestVoidAndClaimInOneFile has a payer's file accept a void and report on the
// claim, in either order: the claim stays voided.
func TestVoidAndClaimInOneFile(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][2]int{"the void first": {0, 1}, "the claim first": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			c, _ := b.accepted()
			v := b.void(c)
			b.cut(1)
			b.send()
			both := []said{{control: v.PatientControlNumber, category: "A2"}, {control: c.PatientControlNumber, category: "A2"}}
			b.give(b.report("PR", 1, b.about(b.practice, nil, both[order[0]], both[order[1]])))
			story := "queued submitted accepted accepted"
			if order[0] == 1 {
				story += " status_updated"
			}
			b.wantClaim(b.practice, v.ID, claim.AcceptedPayer, "queued submitted accepted")
			b.wantClaim(b.practice, c.ID, claim.Voided, story+" voided")
		})
	}
}

// TestRejectedVoid leaves the claim as it is.
func TestRejectedVoid(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, _ := b.accepted()
	v := b.void(c)
	b.cut(1)
	b.send()
	b.give(b.report("PR", 1, b.about(b.practice, nil, said{control: v.PatientControlNumber, category: "A3"})))
	b.wantClaim(b.practice, v.ID, claim.Rejected, "queued submitted rejected")
	b.wantClaim(b.practice, c.ID, claim.AcceptedPayer, "queued submitted accepted accepted")
}
