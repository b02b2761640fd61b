package attachments_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestUploadDiesAnywhere ends the process of an upload at each of its calls.
// The same request again creates the document, once.
func TestUploadDiesAnywhere(t *testing.T) {
	t.Parallel()
	for name, image := range map[string][]byte{"JPEG": jpegOf(t, pattern(1)), "PNG": pngOf(t, pattern(1))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			b.work()
			key := keys()
			porttest.EveryEnding(t, 3, func(t *testing.T, f *porttest.Fault) {
				t.Helper()
				id, k := b.open(key()), key()
				porttest.Dies(func() { b.upload(b.process(f), k, id, image) })
				o := b.upload(b.service, k, id, image)
				for o.code() == billing.CodeIdempotencyKeyInUse {
					b.settle()
					o = b.upload(b.service, k, id, image)
				}
				if o.err != nil || len(o.Documents) != 1 {
					t.Errorf("the same request again: %+v", o)
				}
				if again := b.upload(b.service, k, id, image); !again.replayed || fmt.Sprint(again.shown) != fmt.Sprint(o.shown) {
					t.Errorf("and again: %+v, want %+v", again, o)
				}
				if a := b.get(id); len(a.Documents) != 1 {
					t.Errorf("%d documents", len(a.Documents))
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

// TestCloseDiesAnywhere ends the process of a request to close at each of its
// calls. The attachment is sent once, and the same request reports that.
func TestCloseDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	key := keys()
	porttest.EveryEnding(t, 2, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		id, k := b.filled(key()), key()
		porttest.Dies(func() { b.close(b.process(f), k, id) })
		o := b.close(b.service, k, id)
		for o.code() == billing.CodeIdempotencyKeyInUse {
			b.settle()
			o = b.close(b.service, k, id)
		}
		if o.err != nil || o.Error != "" || o.State != billing.AttachmentClosed {
			t.Errorf("the same request again: %+v", o)
		}
	})
	b.audit()
}

// TestAnswerDiesAnywhere does the same to a request that answers with a new
// attachment.
func TestAnswerDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	key := keys()
	porttest.EveryEnding(t, 2, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		id, k := b.asked(billing.ClaimID{}), key()
		in := intake.AnswerRequest{OfficeID: new(b.office.ID.String()), Narrative: new("It broke."), About: about()}
		porttest.Dies(func() { b.answer(b.process(f), k, id, in) })
		o := b.answer(b.service, k, id, in)
		for o.code() == billing.CodeIdempotencyKeyInUse {
			b.settle()
			o = b.answer(b.service, k, id, in)
		}
		if o.err != nil || o.Error != "" || o.State != billing.AttachmentClosed || o.Asked != billing.PayerRequestAnswered {
			t.Errorf("the same request again: %+v", o)
		}
		if r := b.request(id); r.AnsweringAttachment.String() != o.Attachment {
			t.Errorf("answered by %s, the reply has %s", r.AnsweringAttachment, o.Attachment)
		}
	})
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
			if o.code() != billing.CodeAttachmentsNetworkError || o.State != billing.AttachmentOpen {
				t.Errorf("the network failed, the request again: %+v", o)
			}
			k = key()
			b.begun(0, func(s *attachments.Service) { b.close(s, k, id) })
			b.settle()
			o = b.close(b.service, k, id)
		}
		if o.err != nil || o.Error != "" || o.State != billing.AttachmentClosed || o.Number != number {
			t.Errorf("closed as %+v, want %s", o, number)
		}
	})
	b.audit()
}

// TestRemoveDiesAnywhere ends the process that removes a document.
func TestRemoveDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	key := keys()
	porttest.EveryEnding(t, 2, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		id, k := b.filled(key()), key()
		document := b.get(id).Documents[0].ID
		porttest.Dies(func() {
			_, _ = b.process(f).RemoveDocument(t.Context(), write(b.scope, call(k), render), id, document)
		})
		if o := b.remove(k, id, document); o.err != nil || len(o.Documents) != 0 {
			t.Errorf("the same request again: %+v", o)
		}
		if o := b.upload(b.service, key(), id, jpegOf(t, pattern(1))); o.err != nil || len(o.Documents) != 1 {
			t.Errorf("the image once more: %+v", o)
		}
	})
	b.audit()
}
