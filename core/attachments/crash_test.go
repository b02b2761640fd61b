package attachments_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestRequestDiesAnywhere ends the process of a request at each of its calls.
// The same request again has the effect, once.
func TestRequestDiesAnywhere(t *testing.T) {
	t.Parallel()
	type request func(s *attachments.Service, key string) outcome
	uploading := func(image []byte) func(*fixture, func() string) (request, func(outcome) bool) {
		return func(b *fixture, key func() string) (request, func(outcome) bool) {
			id := b.open(key())
			return func(s *attachments.Service, key string) outcome { return b.upload(s, key, id, image) },
				func(o outcome) bool { return len(o.Documents) == 1 && len(b.get(id).Documents) == 1 }
		}
	}
	for name, c := range map[string]struct {
		least int // calls
		begin func(b *fixture, key func() string) (request, func(outcome) bool)
	}{
		"JPEG": {3, uploading(jpegOf(t, pattern(1)))},
		"PNG":  {3, uploading(pngOf(t, pattern(1)))},
		"close": {2, func(b *fixture, key func() string) (request, func(outcome) bool) {
			id := b.filled(key())
			return func(s *attachments.Service, key string) outcome { return b.close(s, key, id) },
				func(o outcome) bool { return o.State == attachment.Closed }
		}},
		"answer": {2, func(b *fixture, _ func() string) (request, func(outcome) bool) {
			id := b.asked(billing.ClaimID{})
			return func(s *attachments.Service, key string) outcome { return b.answer(s, key, id, b.words("It broke.")) },
				func(o outcome) bool {
					return o.State == attachment.Closed && o.Asked == attachment.PayerRequestAnswered &&
						b.request(id).AnsweringAttachment.String() == o.Attachment
				}
		}},
		"removal": {2, func(b *fixture, key func() string) (request, func(outcome) bool) {
			id := b.filled(key())
			document := b.get(id).Documents[0].ID
			return func(s *attachments.Service, key string) outcome {
					return came(s.RemoveDocument(b.t.Context(), write(b.scope, call(key), render), id, document))
				}, func(o outcome) bool { // the image may come once more
					again := b.upload(b.service, key(), id, jpegOf(t, pattern(1)))
					return len(o.Documents) == 0 && again.err == nil && len(again.Documents) == 1
				}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			b.work()
			key := keys()
			porttest.EveryEnding(t, c.least, func(t *testing.T, f *porttest.Fault) {
				t.Helper()
				does, good := c.begin(b, key)
				k := key()
				porttest.Dies(func() { does(b.process(f), k) })
				o := does(b.service, k)
				for o.code() == billing.CodeIdempotencyKeyInUse {
					b.settle()
					o = does(b.service, k)
				}
				if again := does(b.service, k); !again.replayed || fmt.Sprint(again.shown) != fmt.Sprint(o.shown) {
					t.Errorf("and again: %+v, want %+v", again, o)
				}
				if o.err != nil || o.Error != "" || !good(o) {
					t.Errorf("the same request again: %+v", o)
				}
			})
			b.audit()
		})
	}
}

// begun starts work that waits for a worker, in a process that dies after its
// commit of that number.
func (b *fixture) begun(commit int, work func(*attachments.Service)) jobs.Job {
	b.t.Helper()
	f := &porttest.Fault{At: commit, Only: "InTx", How: porttest.DiesAfter}
	if !porttest.Dies(func() { work(b.process(f)) }) {
		b.t.Fatal("the work did not begin")
	}
	return b.job()
}

// TestConvertDiesAnywhere ends the worker that converts a PNG at each of its
// calls. The next worker creates the document, once.
func TestConvertDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	key := keys()
	image, twin := pngOf(t, pattern(1)), pngOf(t, pattern(2))
	for _, twins := range []bool{false, true} {
		porttest.EveryEnding(t, 6, func(t *testing.T, f *porttest.Fault) {
			t.Helper()
			id, k := b.open(key()), key()
			want := 1
			upload := func(s *attachments.Service) { b.upload(s, k, id, image) }
			if twins { // the attachment has the image, and another one
				b.begun(1, func(s *attachments.Service) { b.upload(s, key(), id, twin) })
				b.settle()
				b.begun(1, func(s *attachments.Service) { b.upload(s, key(), id, image) })
				b.settle()
				want = 2
			}
			j := b.begun(1, upload)
			porttest.Dies(func() { _ = b.process(f).Convert(t.Context(), j) })
			b.settle()
			o := b.upload(b.service, k, id, image)
			if o.err != nil || !o.replayed || len(o.Documents) != want {
				t.Errorf("the request again: %+v", o)
			}
		})
	}
	b.audit()
}

// TestSendDiesAnywhere ends the sending worker at each of its calls. The next
// worker sends the attachment, once. When the network's step failed, the caller
// gets the error and closes again. When the reply to a commit is lost, the
// commit is repeated.
func TestSendDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	key := keys()
	porttest.EveryEnding(t, 7, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		id, k := b.filled(key()), key()
		if o := b.upload(b.service, key(), id, jpegOf(t, pattern(2))); o.err != nil {
			t.Fatal(o.err)
		}
		j := b.begun(0, func(s *attachments.Service) { b.close(s, k, id) })
		number := b.get(id).Number
		var err error
		died := porttest.Dies(func() { err = b.process(f).Send(t.Context(), j) })
		_, ended := errors.AsType[*jobs.DoneError](err)
		if networks := f.Met() == "Open" || f.Met() == "Add"; ended != (networks && !died) {
			t.Errorf("sending: %v", err)
		}
		b.settle()
		o := b.close(b.service, k, id)
		if ended {
			if o.code() != billing.CodeAttachmentsNetworkError || o.State != attachment.Open {
				t.Errorf("the network failed, the request again: %+v", o)
			}
			k = key()
			b.begun(0, func(s *attachments.Service) { b.close(s, k, id) })
			b.settle()
			o = b.close(b.service, k, id)
		}
		if o.err != nil || o.Error != "" || o.State != attachment.Closed || o.Number != number {
			t.Errorf("closed as %+v, want %s", o, number)
		}
	})
	b.audit()
}
