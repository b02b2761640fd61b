package batches_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// mailbox is a clearinghouse that may lose the outcome of a delivery, or have picked up
// a file that it no longer shows.
type mailbox struct {
	ports.Clearinghouse

	has     map[string]int // the deliveries of each name
	loses   bool           // the outcome of the next delivery
	refuses bool           // the next delivery, after the mark
	hides   bool           // what it has
	tokens  []string       // of each call
}

var errCut = errors.New("the connection was cut")

func (m *mailbox) Send(ctx context.Context, f clearing.OutgoingFile, mark func(context.Context, string) error) error {
	m.tokens = append(m.tokens, f.Token)
	switch {
	case m.has[f.Name] > 0 && !m.hides:
		return nil
	case f.Token != "" && m.hides:
		return fmt.Errorf("%s is not there: %w", f.Name, network.ErrOutcomeUnknown)
	case f.Token == "":
		if err := mark(ctx, fmt.Sprint("step-", len(m.tokens))); err != nil {
			return err
		}
	}
	if m.refuses {
		return errCut
	}
	m.has[f.Name]++
	if m.loses {
		return errCut
	}
	return nil
}

// sendOnce runs the job of the one batch, and returns its error.
func (b *fixture) sendOnce(n ports.Clearinghouse) error {
	b.t.Helper()
	due := b.due()
	if len(due) != 1 {
		b.t.Fatalf("%d jobs", len(due))
	}
	return b.build(b.store, n).Send(b.t.Context(), due[0])
}

// only returns the one batch of the practice.
func (b *fixture) only() *clearing.Batch {
	b.t.Helper()
	all, _ := b.batches(b.practice)
	if len(all) != 1 {
		b.t.Fatalf("%d batches", len(all))
	}
	return all[0]
}

// TestOutcomeFound sends a batch again after a cut connection: the clearinghouse shows
// whether it has the file.
func TestOutcomeFound(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*mailbox{
		"delivered": {has: map[string]int{}, loses: true}, "not delivered": {has: map[string]int{}, refuses: true},
	} {
		b := newFixture(t)
		c := b.queue(b.practice, "")[0]
		b.cut(1)
		err := b.sendOnce(m)
		if _, rests := errors.AsType[*jobs.DoneError](err); !rests || !errors.Is(err, errCut) || b.only().SendToken != "step-1" {
			t.Errorf("%s: %v, token %q", name, err, b.only().SendToken)
		}
		m.loses, m.refuses = false, false
		if err := b.sendOnce(m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		b.wantClaim(b.practice, c.ID, claim.Submitted, "queued submitted")
		if got := strings.Join(m.tokens, ","); got != ",step-1" || m.has[b.only().File.Name] != 1 {
			t.Errorf("%s: tokens %q, delivered %v", name, got, m.has)
		}
	}
}

// unknown has a batch of one claim whose outcome is unknown.
func (b *fixture) unknown(m *mailbox) (*claim.Claim, *clearing.Batch) {
	b.t.Helper()
	c := b.queue(b.practice, "")[0]
	b.cut(1)
	m.loses, m.hides = true, true
	if err := b.sendOnce(m); !errors.Is(err, errCut) {
		b.t.Fatalf("sending: %v", err)
	}
	err := b.sendOnce(m)
	batch := b.only()
	if _, ended := errors.AsType[*jobs.DoneError](err); !ended || !errors.Is(err, network.ErrOutcomeUnknown) {
		b.t.Fatalf("sending again: %v", err)
	}
	for _, want := range []string{batch.ID.String(), batch.File.Name, "molar batches"} {
		if !strings.Contains(err.Error(), want) {
			b.t.Errorf("the error does not name %s: %v", want, err)
		}
	}
	if left := b.due(); len(left) > 0 || batch.State != clearing.BatchPending || !batch.UnknownSince.Equal(b.clock.Now()) {
		b.t.Fatalf("%d jobs are left of the batch %+v", len(left), batch)
	}
	all, err := b.service.Undecided(b.t.Context())
	if err != nil || len(all) != 1 || all[0].ID != batch.ID {
		b.t.Fatalf("batches with an unknown outcome: %v, %v", all, err)
	}
	m.loses = false
	return c, batch
}

// TestUnknownIsAcknowledged settles a batch whose outcome is unknown with an
// acknowledgement.
func TestUnknownIsAcknowledged(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, batch := b.unknown(&mailbox{has: map[string]int{}})
	b.wantClaim(b.practice, c.ID, claim.Queued, "queued")
	b.cut(0)
	b.give(b.functional(batch, "A", 1))
	b.wantClaim(b.practice, c.ID, claim.Submitted, "queued submitted")
	if f := b.only(); f.State != clearing.BatchAcknowledged || !f.UnknownSince.IsZero() {
		t.Errorf("the batch is %+v", f)
	}
	for _, decide := range []func(context.Context, billing.FileID) (*clearing.Batch, error){b.service.Resend, b.service.MarkSent} {
		if _, err := decide(t.Context(), batch.ID); !billing.IsNotFound(err) {
			t.Errorf("a decision after the acknowledgement: %v", err)
		}
	}
}

// TestOperatorDecides sends a batch again whose outcome is unknown, or records that it
// was sent. A second decision is refused.
func TestOperatorDecides(t *testing.T) {
	t.Parallel()
	for name, resend := range map[string]bool{"resend": true, "sent": false} {
		b := newFixture(t)
		m := &mailbox{has: map[string]int{}}
		c, batch := b.unknown(m)
		decide := b.service.MarkSent
		if resend {
			decide = b.service.Resend
		}
		if got, err := decide(t.Context(), batch.ID); err != nil || got.ID != batch.ID {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if _, err := decide(t.Context(), batch.ID); !billing.IsNotFound(err) {
			t.Errorf("%s again: %v", name, err)
		}
		want := 1
		if resend {
			want = 2
			if err := b.sendOnce(m); err != nil {
				t.Errorf("sending: %v", err)
			}
		}
		if m.has[batch.File.Name] != want || len(b.due()) > 0 {
			t.Errorf("%s: delivered %d times, %d jobs are left", name, m.has[batch.File.Name], len(b.due()))
		}
		b.wantClaim(b.practice, c.ID, claim.Submitted, "queued submitted")
		if f := b.only(); f.State != clearing.BatchSent || !f.UnknownSince.IsZero() {
			t.Errorf("%s: the batch is %+v", name, f)
		}
	}
}

// TestOneSenderDelivers keeps a sender from delivering that another one has overtaken.
func TestOneSenderDelivers(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.queue(b.practice, "")
	b.cut(1)
	m := &mailbox{has: map[string]int{}}
	var first error
	err := b.sendOnce(senderBetween{m, func() { first = b.sendOnce(m) }})
	if _, rests := errors.AsType[*jobs.DoneError](err); first != nil || err == nil || rests && m.has[b.only().File.Name] != 1 {
		t.Errorf("the first sender: %v; the second: %v; delivered %v", first, err, m.has)
	}
	if f := b.only(); f.State != clearing.BatchSent || len(b.due()) > 0 {
		t.Errorf("the batch is %+v, with %d jobs", f, len(b.due()))
	}
}

// senderBetween lets another sender run after this one has read its batch.
type senderBetween struct {
	ports.Clearinghouse
	other func()
}

func (s senderBetween) Send(ctx context.Context, f clearing.OutgoingFile, mark func(context.Context, string) error) error {
	s.other()
	return mark(ctx, "late")
}

// TestMarkTakenBack takes a mark back, as a clearinghouse does that was refused. A sender
// that has read the batch before cannot mark it meanwhile.
func TestMarkTakenBack(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.queue(b.practice, "")
	b.cut(1)
	m := marks{make(chan func(string) error), make(chan error)}
	ended := make(chan error, 2)
	job := b.due()[0]
	for range 2 {
		go func() { ended <- b.build(b.store, m).Send(t.Context(), job) }()
	}
	first, late := <-m.given, <-m.given
	if err := first("first"); err != nil || b.only().SendToken != "first" {
		t.Errorf("the first mark: %v, token %q", err, b.only().SendToken)
	}
	overtaken := late("late")
	if err := first(""); err != nil || overtaken == nil || b.only().SendToken != "" {
		t.Errorf("taken back: %v, overtaken: %v, token %q", err, overtaken, b.only().SendToken)
	}
	for range 2 {
		m.results <- errCut
		if err := <-ended; !errors.Is(err, errCut) {
			t.Errorf("a sender: %v", err)
		}
	}
	if err := b.sendOnce(&mailbox{has: map[string]int{}}); err != nil || b.only().State != clearing.BatchSent {
		t.Errorf("sending again: %v, %+v", err, b.only())
	}
}

// marks is a clearinghouse that gives the marks of its senders to the test, and then waits
// for their results.
type marks struct {
	given   chan func(token string) error
	results chan error
}

func (marks) Receive(context.Context, int) ([]clearing.IncomingFile, error) { return nil, nil }
func (marks) Remove(context.Context, string) error                          { return nil }

func (m marks) Send(ctx context.Context, _ clearing.OutgoingFile, mark func(context.Context, string) error) error {
	m.given <- func(token string) error { return mark(ctx, token) }
	return <-m.results
}
