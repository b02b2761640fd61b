package batches_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
)

// ended checks that the queued claims went out once, twice if the file was
// rejected, and that each event came once. A story is the list of a claim's
// events.
func (b *fixture) ended(all []*claim.Claim, stories ...string) {
	b.t.Helper()
	for i, c := range all {
		state := claim.AcceptedPayer
		if strings.HasSuffix(stories[i], "rejected") {
			state = claim.Rejected
		}
		b.wantClaim(b.practice, c.ID, state, stories[i])
		files := b.network.files(c)
		if want := strings.Count(stories[i], "submitted"); len(files) != want {
			b.t.Errorf("the claim is in the files %v, want %d", files, want)
		}
	}
	if len(b.network.changed) > 0 {
		b.t.Errorf("sent again with other content: %v", b.network.changed)
	}
	files, content := b.batches(b.practice)
	if len(files) != len(b.network.sent) {
		b.t.Errorf("%d batches, the network has %d", len(files), len(b.network.sent))
	}
	for _, f := range files {
		if f.State != clearing.BatchAcknowledged || b.story(b.practice, f.ID) != "batch.acknowledged" || content[f.File.Name] != b.network.sent[f.File.Name] {
			b.t.Errorf("batch %s is %s, with the events %q", f.File.Name, f.State, b.story(b.practice, f.ID))
		}
	}
}

// TestCutDiesAnywhere ends a cutting process at each of its calls.
func TestCutDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	porttest.EveryEnding(t, 2, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		all := b.queue(b.practice, "", "-REJECTED")
		porttest.Dies(func() { _, _ = b.process(f).Cut(t.Context()) })
		if _, err := b.service.Cut(t.Context()); err != nil {
			t.Error(err)
		}
		b.turn(0)
		b.ended(all, "queued submitted accepted accepted", "queued submitted accepted rejected")
	})
}

// TestSendDiesAnywhere ends a sending process at each of its calls.
func TestSendDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	porttest.EveryEnding(t, 3, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		all := b.queue(b.practice, "", "-REJECTED")
		b.cut(1)
		var err error
		died := porttest.Dies(func() { err = b.process(f).Send(t.Context(), b.due()[0]) })
		_, rests := errors.AsType[*jobs.DoneError](err)
		if want := f.Met() == "Send" && !died; rests != want || err == nil && f.Met() != "" && !died {
			t.Errorf("sending: %v", err)
		}
		b.turn(0)
		b.ended(all, "queued submitted accepted accepted", "queued submitted accepted rejected")
	})
}

// TestReceiveDiesAnywhere ends a receiving process at each of its calls.
func TestReceiveDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	porttest.EveryEnding(t, 10, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		all := b.queue(b.practice, "-BATCH-REJECTED", "-INFO-REQUEST", "-REJECTED")
		asked := len(b.requests(b.practice))
		b.turn(1)
		b.cut(1)
		b.send()
		b.clock.Advance(untilAll)
		porttest.Dies(func() { _, _ = b.process(f).Receive(t.Context(), sandboxnet.Name) })
		b.clock.Advance(untilAll)
		b.receive()
		// A file that could not be imported comes after those that follow it.
		twice := "queued submitted queued submitted "
		stories := []string{twice + "accepted accepted", twice + "accepted accepted status_updated", twice + "accepted rejected"}
		if late := twice + "accepted"; b.story(b.practice, all[0].ID) == late { // the payer's report before the clearinghouse's
			stories = []string{late, late + " status_updated", twice + "rejected"}
		} else if b.story(b.practice, all[1].ID) == stories[0] { // the request before the payer's report
			stories[1] = stories[0]
		}
		b.ended(all, stories...)
		if n := len(b.requests(b.practice)) - asked; n != 1 {
			t.Errorf("%d payer requests", n)
		}
	})
}

// TestImportedOnceThoughNotRemoved does not remove files: they come again and
// change nothing.
func TestImportedOnceThoughNotRemoved(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	all := b.queue(b.practice, "")
	b.cut(1)
	b.send()
	b.clock.Advance(untilAll)
	f := &porttest.Fault{Only: "Remove", How: porttest.FailsBefore}
	if got, err := b.process(f).Receive(t.Context(), sandboxnet.Name); got.Files != 2 || !errors.Is(err, porttest.ErrLost) {
		t.Fatalf("%d files were taken in of three, of which one stays: %v", got.Files, err)
	}
	b.clock.Advance(time.Minute)
	b.receive()
	b.ended(all, "queued submitted accepted accepted")
}
