package attachments_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// sending is an attachment that is being sent, and its job.
func (b *fixture) sending(key string, narrative string) (billing.AttachmentID, jobs.Job) {
	b.t.Helper()
	id := b.filled(key + " made")
	if o := b.narrate(key+" narrative", id, narrative); o.err != nil {
		b.t.Fatal(o.err)
	}
	return id, b.begun(0, func(s *attachments.Service) { b.close(s, key, id) })
}

// failed checks that the attachment is open again, that the key returns the
// failure, and that closing with another key sends the attachment.
func (b *fixture) failed(key string, id billing.AttachmentID) {
	b.t.Helper()
	if o := b.close(b.service, key, id); !o.replayed || o.Error != billing.CodeAttachmentsNetworkError || o.State != attachment.Open {
		b.t.Errorf("the request again: %+v, want that the network failed", o)
	}
	if a := b.get(id); !a.Sending.IsZero() || a.State != attachment.Open {
		b.t.Errorf("%s is %s, sent by %s", id, a.State, a.Sending)
	}
}

func TestCallerDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.filled("a")
	if o := b.close(b.impatient(nil), "k", id); !errors.Is(o.err, context.DeadlineExceeded) {
		t.Fatalf("%+v, want a timeout", o)
	}
	if o := b.close(b.service, "k", id); o.code() != billing.CodeIdempotencyKeyInUse {
		t.Errorf("while it is being sent: %+v", o)
	}
	for what, o := range map[string]outcome{
		"close":     b.close(b.service, "k2", id),
		"upload":    b.upload(b.service, "k3", id, jpegOf(t, pattern(2))),
		"twin":      b.upload(b.service, "k4", id, jpegOf(t, pattern(1))),
		"PNG":       b.upload(b.service, "k5", id, pngOf(t, pattern(2))),
		"narrative": b.narrate("k6", id, "Else."),
		"removal":   b.remove("k7", id, b.get(id).Documents[0].ID),
	} {
		if o.code() != billing.CodeConflict {
			t.Errorf("%s while it is being sent: %+v, want a conflict", what, o)
		}
	}
	b.settle()
	o := b.close(b.service, "k", id)
	if o.err != nil || !o.replayed || o.State != attachment.Closed {
		t.Errorf("when it is sent: %+v", o)
	}
	if again := b.close(b.service, "k8", id); again.err != nil || again.replayed || again.Number != o.Number {
		t.Errorf("closing what is closed: %+v", again)
	}
	b.audit()
}

func TestSlowNetwork(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, j := b.sending("k", "SANDBOX-SLOW-5")
	for range 2 {
		if err := b.service.Send(t.Context(), j); err != nil || !b.pending(j) || b.get(id).Sending != j.ID {
			t.Fatalf("before the network's time: %v", err)
		}
	}
	if due := b.due(); len(due) != 0 {
		t.Errorf("%d jobs are due before the network's time", len(due))
	}
	b.clock.Advance(5 * time.Second)
	if err := b.service.Send(t.Context(), j); err != nil || b.get(id).State != attachment.Closed {
		t.Errorf("at its time: %v", err)
	}
	b.audit()
}

func TestSilentNetwork(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for key, narrative := range map[string]string{"k1": "SANDBOX-SLOW-60", "k2": "SANDBOX-SLOW-999"} {
		id, j := b.sending(key, narrative)
		if _, done := errors.AsType[*jobs.DoneError](b.service.Send(t.Context(), j)); !done || b.pending(j) {
			t.Errorf("%s: not done, though a minute of silence is certain", narrative)
		}
		b.failed(key, id)
	}
	id, j := b.sending("k3", "It never answers.")
	b.network.set(context.DeadlineExceeded)
	if _, done := errors.AsType[*jobs.DoneError](b.service.Send(t.Context(), j)); !done || b.pending(j) {
		t.Error("not done after silence")
	}
	b.failed("k3", id)
	b.network.set(nil)
	b.begun(0, func(s *attachments.Service) { b.close(s, "k4", id) })
	b.settle()
	if o := b.close(b.service, "k4", id); o.err != nil || o.State != attachment.Closed {
		t.Errorf("when the network is there again: %+v", o)
	}
	b.audit()
}

// TestLateSending sends even when the job waited long: the network's time
// begins with the request.
func TestLateSending(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, j := b.sending("k", "Late.")
	b.clock.Advance(10 * time.Minute)
	if err := b.service.Send(t.Context(), j); err != nil || b.get(id).State != attachment.Closed {
		t.Errorf("%v, %+v", err, b.get(id))
	}
	b.audit()
}

// away is a blob store that cannot be read while it is away. A read that has
// begun breaks off.
type away struct {
	ports.Blobs
	away   atomic.Bool
	breaks bool
}

func (b *away) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if b.away.Load() && !b.breaks {
		return nil, 0, billing.StorageUnavailable(porttest.ErrLost)
	}
	content, size, err := b.Blobs.Open(ctx, name)
	if err != nil || !b.away.Load() {
		return content, size, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(content, 9), iotest.ErrReader(porttest.ErrLost)), content}, size, nil
}

// waitsForImages checks that the attachment waits for the blob store: the
// caller may repeat the request, and nothing changes the attachment.
func (b *fixture) waitsForImages(o outcome, id billing.AttachmentID) {
	b.t.Helper()
	if o.code() != billing.CodeUnavailable || o.err == nil {
		b.t.Errorf("%+v, want that the service is unavailable", o)
	}
	if o := b.narrate(billing.NewID[billing.JobID](billing.RealAt(time.Now())).String(), id, "Else."); o.code() != billing.CodeConflict {
		b.t.Errorf("a change while it waits: %+v", o)
	}
}

// atLast repeats a request until the blob store is back for its job.
func (b *fixture) atLast(repeat func() outcome) outcome {
	o := repeat()
	for o.code() == billing.CodeUnavailable || o.code() == billing.CodeIdempotencyKeyInUse {
		b.clock.Advance(time.Second)
		<-time.After(pause)
		o = repeat()
	}
	return o
}

// TestBlobStoreIsAway keeps the job while images cannot be read, after any
// number of attempts. Callers get 503 meanwhile; once the store is back, the
// same key closes the attachment.
func TestBlobStoreIsAway(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]bool{"away": false, "breaking off": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			blobs := &away{Blobs: b.blobs, breaks: breaks}
			blobs.away.Store(true)
			s := b.processOn(blobs)
			id, request := b.filled("a"), b.asked(b.claim().ID)
			asked := b.make("m", solicited(request))
			b.upload(b.service, "i", asked, jpegOf(t, pattern(2)))
			b.workWith(s)
			closing := func() outcome { return b.close(s, "close", id) }
			answering := func() outcome { return b.answer(s, "answer", request, intake.AnswerRequest{}) }
			b.waitsForImages(closing(), id)
			b.waitsForImages(answering(), asked)
			for range 10 { // more often than a failing job is tried
				b.clock.Advance(time.Minute)
				<-time.After(pause)
				b.waitsForImages(closing(), id)
				b.waitsForImages(answering(), asked)
			}
			blobs.away.Store(false)
			if o := b.atLast(closing); o.err != nil || !o.replayed || o.State != attachment.Closed {
				t.Errorf("close: %+v", o)
			}
			if o := b.atLast(answering); o.err != nil || !o.replayed || o.Asked != attachment.PayerRequestAnswered {
				t.Errorf("answer: %+v", o)
			}
			b.audit()
		})
	}
}

// TestBlobStoreIsAwayTooLong fails at the blob store as often as a job may
// fail. The job stays.
func TestBlobStoreIsAwayTooLong(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, j := b.sending("k", "")
	blobs := &away{Blobs: b.blobs}
	blobs.away.Store(true)
	s := b.processOn(blobs)
	for range 10 {
		err := s.Send(t.Context(), j)
		if _, noted := errors.AsType[*jobs.DoneError](err); !noted || !errors.Is(err, porttest.ErrLost) || !b.pending(j) || b.get(id).Sending != j.ID {
			t.Fatalf("%v, want a job that rests", err)
		}
		if n := len(b.due()); n != 0 {
			t.Errorf("%d jobs are due at once", n)
		}
		b.clock.Advance(time.Minute)
	}
	b.waitsForImages(b.close(b.service, "k", id), id)
	b.settle()
	if o := b.close(b.service, "k", id); o.err != nil || !o.replayed || o.State != attachment.Closed {
		t.Errorf("%+v", o)
	}
	b.audit()
}

// TestImageIsLost gives up the sending when an image is gone for good. That is
// no failure of the network, so the key is as new. After the image is uploaded
// again, closing succeeds.
func TestImageIsLost(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.filled("a")
	d := b.get(id).Documents[0]
	if err := b.blobs.Delete(t.Context(), d.Blob()); err != nil {
		t.Fatal(err)
	}
	if o := b.close(b.impatient(nil), "k", id); !errors.Is(o.err, context.DeadlineExceeded) {
		t.Fatalf("%+v", o)
	}
	b.work()
	for !b.get(id).Sending.IsZero() {
		b.hurry()
	}
	if a := b.get(id); a.State != attachment.Open {
		t.Errorf("%s is %s", id, a.State)
	}
	porttest.Await(t, "the message is a dead letter", func() bool { // which it becomes after the attachment is open again
		_, dead, _, err := b.queue.Depth(t.Context(), jobs.KindAttachmentSend)
		return err == nil && dead > 0
	})
	waits := make(chan outcome)
	go func() { waits <- b.close(b.service, "k", id) }()
	for waiting := true; waiting; {
		select {
		case o := <-waits:
			if waiting = false; o.code() != billing.CodeInternal {
				t.Errorf("the same key again: %+v, want an internal error", o)
			}
		case <-time.After(pause):
			b.hurry()
		}
	}
	if o := b.remove("r", id, d.ID); o.err != nil {
		t.Errorf("remove: %+v", o)
	}
	if o := b.upload(b.service, "u", id, jpegOf(t, pattern(1))); o.err != nil {
		t.Errorf("upload: %+v", o)
	}
	if o := b.close(b.service, "k", id); o.err != nil || o.replayed || o.State != attachment.Closed {
		t.Errorf("close: %+v", o)
	}
	b.audit()
}

// TestNumbers checks that no number is used twice, and that the answer about a
// claim refers to what was sent with the claim.
func TestNumbers(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	claim := b.claim()
	b.clock.Advance(time.Second)
	first := b.make("a", intake.AttachmentRequest{ClaimID: new(claim.ID.String())})
	b.upload(b.service, "i", first, jpegOf(t, pattern(1)))
	earlier := b.close(b.service, "c", first)
	if earlier.err != nil || !strings.HasPrefix(earlier.Number, "MLR") {
		t.Fatalf("close: %+v", earlier)
	}
	if s, _ := b.network.has(earlier.Number); s.EarlierNumber != "" || s.ControlNumber != "PCN-1" || s.PayerReference != "" {
		t.Errorf("the first one is sent as %+v", s)
	}
	seen := map[string]bool{earlier.Number: true}
	for n, want := range []struct {
		request          billing.PayerRequestID
		earlier, control string
	}{
		{b.asked(claim.ID), earlier.Number, "PCN-1"},
		{b.asked(billing.ClaimID{}), "", ""},
	} {
		in := intake.AnswerRequest{Narrative: new("It broke.")}
		if want.control == "" {
			in.OfficeID, in.About = new(b.office.ID.String()), about()
		}
		o := b.answer(b.service, "answer"+string(rune('0'+n)), want.request, in)
		s, ok := b.network.has(o.Number)
		if !ok || s.EarlierNumber != want.earlier || s.ControlNumber != want.control || s.PayerReference != "REF-1" || s.Kind != attachment.Solicited {
			t.Errorf("answer %+v is sent as %+v", o, s.Transmission)
		}
		if seen[o.Number] {
			t.Errorf("number %s is given twice", o.Number)
		}
		seen[o.Number] = true
	}
	b.audit()
}
