package batches_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestNetworkIsDown keeps a batch until the network accepts it.
func TestNetworkIsDown(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.queue(b.practice, "")[0]
	down := errors.New("no response")
	b.network.set(down)
	b.cut(1)
	for range 7 { // more often than a job is tried
		due := b.due()
		if len(due) != 1 {
			t.Fatalf("%d jobs", len(due))
		}
		err := b.service.Send(t.Context(), due[0])
		if _, ended := errors.AsType[*jobs.DoneError](err); !ended || !errors.Is(err, down) {
			t.Errorf("sending: %v, want that the job is done for now because the network is down", err)
		}
		if again := b.due()[0].NotBefore; !again.Equal(b.clock.Now().Add(10 * time.Second)) {
			t.Errorf("it is tried again at %s, now is %s", again, b.clock.Now())
		}
		b.clock.Advance(10 * time.Second)
	}
	if got, err := b.service.Receive(t.Context(), sandboxnet.Name); got.Files != 0 || !errors.Is(err, down) {
		t.Errorf("receiving: %d, %v", got.Files, err)
	}
	b.cut(0)
	b.wantClaim(b.practice, c.ID, claim.Queued, "queued")
	if f, _ := b.batches(b.practice); len(f) != 1 || f[0].State != clearing.BatchPending || !f[0].SentAt.IsZero() {
		t.Errorf("batches %+v", f)
	}
	late := b.queue(b.practice, "")[0] // does not wait for the first
	b.network.set(nil)
	b.turn(1)
	for _, c := range []*claim.Claim{c, late} {
		b.wantClaim(b.practice, c.ID, claim.AcceptedPayer, "queued submitted accepted accepted")
		if names := b.network.files(c); len(names) != 1 {
			t.Errorf("a claim is in the files %v", names)
		}
	}
}

// TestDelayed says that a batch is late: at once when the network refuses it, and after a
// while when the network is out of reach. It is no more once the network has the batch, or
// nothing shows whether it has.
func TestDelayed(t *testing.T) {
	t.Parallel()
	unreachable := &network.Error{Reason: network.ReasonUnreachable, Err: errCut}
	for name, x := range map[string]struct {
		refusal error
		after   time.Duration
		ends    error
	}{
		"a full disk":        {&network.Error{Reason: network.ReasonFull, Err: errCut}, 0, nil},
		"a refused sign-in":  {network.ErrUnauthorized, 0, nil},
		"a name that is not": {unreachable, billing.BatchLate, nil},
		"and then unknown":   {&network.Error{Reason: network.ReasonRefused, Err: errCut}, 0, network.ErrOutcomeUnknown},
	} {
		b := newFixture(t)
		b.queue(b.practice, "")
		b.cut(1)
		cut := b.clock.Now()
		b.network.set(x.refusal)
		for b.only().DelayedSince.IsZero() {
			if b.clock.Now().After(cut.Add(x.after)) {
				t.Fatalf("%s: the batch is not late %s after it was cut", name, b.clock.Now().Sub(cut))
			}
			_ = b.service.Send(t.Context(), b.due()[0])
			b.clock.Advance(billing.BatchRetry)
		}
		since := b.only().DelayedSince
		_ = b.service.Send(t.Context(), b.due()[0])
		if got := b.only(); since.Before(cut.Add(x.after)) || !got.DelayedSince.Equal(since) || !got.Delayed() {
			t.Errorf("%s: late since %s, and then since %s; it was cut at %s", name, since, got.DelayedSince, cut)
		}
		b.clock.Advance(billing.BatchRetry)
		b.network.set(x.ends)
		if err := b.service.Send(t.Context(), b.due()[0]); !errors.Is(err, x.ends) || b.only().Delayed() {
			t.Errorf("%s: %v, late since %s", name, err, b.only().DelayedSince)
		}
	}
}

// TestSlowNetworkIsGivenTime counts the rest of a batch, and its time of
// sending, from the end of the attempt.
func TestSlowNetworkIsGivenTime(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.queue(b.practice, "")[0]
	b.cut(1)
	slow := b.build(b.store, slowNetwork{b.network, b.clock, porttest.ErrLost})
	if err := slow.Send(t.Context(), b.due()[0]); !errors.Is(err, porttest.ErrLost) {
		t.Errorf("sending: %v", err)
	}
	if again := b.due()[0].NotBefore; !again.Equal(b.clock.Now().Add(10 * time.Second)) {
		t.Errorf("it is tried again at %s, now is %s", again, b.clock.Now())
	}
	slow = b.build(b.store, slowNetwork{b.network, b.clock, nil})
	if err := slow.Send(t.Context(), b.due()[0]); err != nil {
		t.Errorf("sending: %v", err)
	}
	if at := b.get(b.practice, c.ID).SentAt; !at.Equal(b.clock.Now()) {
		t.Errorf("it was sent at %s, now is %s", at, b.clock.Now())
	}
}

// TestGivenUpIsNotForgotten lets a batch rest whose job was given up.
func TestGivenUpIsNotForgotten(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c := b.queue(b.practice, "")[0]
	b.cut(1)
	j := b.due()[0]
	if err := b.service.FailSend(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if again := b.due()[0].NotBefore; !again.Equal(b.clock.Now().Add(time.Minute)) {
		t.Errorf("it is tried again at %s, now is %s", again, b.clock.Now())
	}
	if !b.only().Delayed() {
		t.Error("the batch is not late")
	}
	b.turn(0)
	b.wantClaim(b.practice, c.ID, claim.AcceptedPayer, "queued submitted accepted accepted")
}

// TestBatchRejectedOnce has the clearinghouse reject a file: all its claims go
// out again in another one. A second rejection, even in other words, changes
// nothing.
func TestBatchRejectedOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	both := b.queue(b.practice, "-BATCH-REJECTED", "")
	first := b.clock.Now()
	b.cut(1)
	b.send()
	rejected := b.batch(b.practice, b.get(b.practice, both[0].ID).BatchID)
	b.clock.Advance(untilAll)
	answer := b.take()
	b.give(answer...)
	for _, c := range both {
		b.wantClaim(b.practice, c.ID, claim.Queued, "queued submitted queued")
		if c := b.get(b.practice, c.ID); !c.BatchID.IsZero() || !c.SentAt.Equal(first) {
			t.Errorf("the claim is in batch %s and was first sent at %s", c.BatchID, c.SentAt)
		}
	}
	again := b.batch(b.practice, rejected.ID)
	if again.State != clearing.BatchAcknowledged || again.Result != clearing.BatchRejected || b.story(b.practice, again.ID) != "batch.acknowledged" {
		t.Errorf("the batch is %+v with the events %q", again, b.story(b.practice, again.ID))
	}
	b.cut(1)
	b.give(answer...)
	b.give(b.functional(rejected, "R", 77))
	b.send()
	b.give(answer...)
	b.give(b.functional(rejected, "R", 78), b.functional(rejected, "A", 79))
	b.clock.Advance(untilAll)
	b.receive()
	for _, c := range both {
		b.wantClaim(b.practice, c.ID, claim.AcceptedPayer, "queued submitted queued submitted accepted accepted")
		if c := b.get(b.practice, c.ID); !c.SentAt.Equal(first) {
			t.Errorf("the claim was first sent at %s, want %s", c.SentAt, first)
		}
		if names := b.network.files(c); len(names) != 2 {
			t.Errorf("the claim is in the files %v", names)
		}
	}
	if files, _ := b.batches(b.practice); len(files) != 2 || files[0].Result != clearing.BatchAccepted || files[0].File.ControlNumbers == files[1].File.ControlNumbers {
		t.Errorf("batches %+v", files)
	}
	if got := b.story(b.practice, rejected.ID); got != "batch.acknowledged" {
		t.Errorf("the rejected batch has the events %q", got)
	}
}

// TestSecondRejectionOfALiveFile has a live clearinghouse reject every file. The claims
// go out twice. Then they need attention, with the errors of the last file.
func TestSecondRejectionOfALiveFile(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	live := b.newPracticeIn(billing.ModeLive, "1234567893")
	voided, void := b.claim(live, ""), b.claim(live, "")
	voided.State = claim.AcceptedPayer
	void.Frequency, void.ParentID = claim.FrequencyVoid, voided.ID
	b.keep(live, voided, void)
	both := append(b.queue(live, ""), void)
	nw := func(files ...clearing.IncomingFile) *ports.Network {
		n := sandbox(inbox{newHouse(accepts{}), files})
		n.Name, n.Route.Mode = "live", billing.ModeLive
		return n
	}
	reject := func(control int) {
		t.Helper()
		b.service = b.buildOn(b.store, nw())
		b.cut(1)
		b.send()
		f := b.functional(b.batch(live, b.get(live, both[0].ID).BatchID), "R", control)
		got, err := b.buildOn(b.store, nw(f)).Receive(t.Context(), "live")
		if err != nil || len(got.Rejected) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	reject(1)
	for _, c := range both {
		b.wantClaim(live, c.ID, claim.Queued, "queued submitted queued")
	}
	reject(2)
	b.wantClaim(live, both[0].ID, claim.NeedsAttention, "queued submitted queued submitted needs_attention")
	b.wantClaim(live, void.ID, claim.Rejected, "queued submitted queued submitted rejected")
	if c := b.get(live, both[0].ID); len(c.Findings) != 1 || c.Findings[0].Code != "file_rejected" || c.BatchID.IsZero() {
		t.Errorf("%+v of %s", c.Findings, c.BatchID)
	}
	b.cut(0)
}

// accepts is a clearinghouse that takes every file and returns none.
type accepts struct{ ports.Clearinghouse }

func (accepts) Send(context.Context, clearing.OutgoingFile, func(context.Context, string) error) error {
	return nil
}
