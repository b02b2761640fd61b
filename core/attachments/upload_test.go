package attachments_test

import (
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestNoWorkerConverts gives up a PNG that no worker converts in time: the key
// is as new, and a worker that gets the job later does nothing.
func TestNoWorkerConverts(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, image := b.open("a"), pngOf(t, pattern(1))
	o := b.upload(b.impatient(nil), "k", id, image)
	if o.code() != billing.CodeTooManyRequests {
		t.Fatalf("%+v, want too many requests", o)
	}
	if names := b.blobNames(); len(names) != 0 {
		t.Errorf("the blobs %v are left", names)
	}
	if due := b.due(); len(due) != 0 {
		t.Errorf("%d jobs are left", len(due))
	}
	o = b.uploadAs(t.Context(), b.service, other("k"), id, jpegOf(t, pattern(2)))
	if o.err != nil || o.replayed || len(o.Documents) != 1 {
		t.Errorf("another request with the key: %+v", o)
	}
	b.audit()
}

// TestCallerOfUploadIsGone leaves a PNG to the worker when its request has
// ended: the key returns the result.
func TestCallerOfUploadIsGone(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, image := b.open("a"), pngOf(t, pattern(1))
	b.begun(1, func(s *attachments.Service) { b.upload(s, "k", id, image) })
	if o := b.upload(b.service, "k", id, image); o.code() != billing.CodeIdempotencyKeyInUse {
		t.Errorf("while it waits: %+v", o)
	}
	if o := b.uploadAs(t.Context(), b.service, other("k"), id, image); o.code() != billing.CodeIdempotencyKeyReused {
		t.Errorf("another request with the key: %+v", o)
	}
	b.settle()
	for range 2 {
		if o := b.upload(b.service, "k", id, image); o.err != nil || !o.replayed || len(o.Documents) != 1 {
			t.Errorf("when it is converted: %+v", o)
		}
	}
	b.audit()
}

// leaving is a request to add a PNG whose time has ended. It gives up the
// upload when leave is closed.
type leaving struct {
	leave chan struct{}
	came  chan outcome
}

func (b *fixture) leaving(key string, id billing.AttachmentID, image []byte) leaving {
	l := leaving{make(chan struct{}), make(chan outcome, 1)}
	waits := make(chan struct{})
	s := b.impatient(&porttest.Fault{At: 2, Only: "InTx", How: porttest.Passes, Then: func() { close(waits); <-l.leave }})
	go func() { l.came <- b.upload(s, key, id, image) }()
	<-waits
	return l
}

// TestGivingUpAmidTheWork gives up an upload before each call of the worker
// that converts it. Either there is a document and the caller has it, or there
// is none.
func TestGivingUpAmidTheWork(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	key := keys()
	const calls = 6
	for n := range calls {
		id, k, image := b.open(key()), key(), pngOf(t, pattern(1))
		request := b.leaving(k, id, image)
		j := b.job()
		var o outcome
		worker := b.process(&porttest.Fault{At: n, How: porttest.Passes, Then: func() {
			close(request.leave)
			o = <-request.came
		}})
		if err := worker.Convert(t.Context(), j); err != nil && n > 1 { // the PNG itself is gone
			t.Errorf("given up before call %d: %v", n, err)
		}
		made := n > 3 // the call that commits
		if got := len(b.get(id).Documents) == 1; got != made || b.pending(j) {
			t.Errorf("given up before call %d: a document %t, the job is left %t", n, got, b.pending(j))
		}
		if made && (o.err != nil || o.replayed || len(o.Documents) != 1) || !made && o.code() != billing.CodeTooManyRequests {
			t.Errorf("given up before call %d: %+v", n, o)
		}
		r := call(k)
		if !made {
			r = other(k)
		}
		if o := b.uploadAs(t.Context(), b.service, r, id, jpegOf(t, pattern(2))); o.err != nil || o.replayed != made || len(o.Documents) != 1 {
			t.Errorf("given up before call %d: the key gives %+v", n, o)
		}
	}
	b.audit()
}

// TestGivingUpAtTheCommit gives up an upload during the worker's commit.
func TestGivingUpAtTheCommit(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	key := keys()
	const races = 20
	made := 0
	for n := range races {
		id := b.open(key())
		request := b.leaving(key(), id, pngOf(t, pattern(n+1)))
		j := b.job()
		worker := b.process(&porttest.Fault{At: 1, Only: "InTx", How: porttest.Passes, Then: func() { close(request.leave) }})
		if err := worker.Convert(t.Context(), j); err != nil {
			t.Errorf("convert: %v", err)
		}
		o, have := <-request.came, len(b.get(id).Documents)
		if o.err == nil && have == 1 && len(o.Documents) == 1 {
			made++
		} else if o.code() != billing.CodeTooManyRequests || have != 0 {
			t.Errorf("%d documents, and the caller got %+v", have, o)
		}
	}
	t.Logf("%d of %d were made", made, races)
	b.audit()
}

// TestUploadsAtOnce sends an image several times at once, under keys of their
// own and under one. It is added once; a request whose key is in use may be
// refused.
func TestUploadsAtOnce(t *testing.T) {
	t.Parallel()
	for name, image := range map[string][]byte{"JPEG": jpegOf(t, pattern(1)), "PNG": pngOf(t, pattern(1))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			b.work()
			id, other := b.open("a"), b.open("b")
			at(8, func(n int) {
				if o := b.upload(b.service, fmt.Sprint("k", n), id, image); o.err != nil || len(o.Documents) != 1 {
					t.Errorf("upload: %+v", o)
				}
				if o := b.upload(b.service, "k", other, image); o.code() != billing.CodeIdempotencyKeyInUse && (o.err != nil || len(o.Documents) != 1) {
					t.Errorf("upload with the same key: %+v", o)
				}
			})
			b.settle()
			if o := b.upload(b.service, "k", other, image); o.err != nil || len(o.Documents) != 1 {
				t.Errorf("afterwards: %+v", o)
			}
			first := b.get(id)
			if o := b.upload(b.service, "again", id, image); o.err != nil || len(o.Documents) != 1 || o.Documents[0] != first.Documents[0].ID.String() {
				t.Errorf("again: %+v", o)
			}
			if again := b.get(id); !again.UpdatedAt.Equal(first.UpdatedAt) {
				t.Error("the same image changed the attachment")
			}
			b.audit()
		})
	}
}

// TestKeyOfTwoRequests sends two requests with one key at once. One succeeds.
func TestKeyOfTwoRequests(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	for n := range 10 {
		id, key := b.open(fmt.Sprint("a", n)), fmt.Sprint("k", n)
		images := [][]byte{jpegOf(t, pattern(1)), pngOf(t, pattern(2))}
		requests := []caller.Request{call(key), other(key)}
		var o [2]outcome
		at(2, func(i int) { o[i] = b.uploadAs(t.Context(), b.service, requests[i], id, images[i]) })
		good := 0
		for _, o := range o {
			switch {
			case o.err == nil && len(o.Documents) == 1:
				good++
			case o.code() == billing.CodeIdempotencyKeyReused, o.code() == billing.CodeIdempotencyKeyInUse:
			default:
				t.Errorf("upload: %+v", o)
			}
		}
		if have := len(b.get(id).Documents); have != good || good > 1 {
			t.Errorf("%d documents of %d requests that went well", have, good)
		}
	}
	b.audit()
}

// TestPNGIsLost gives up the conversion when the PNG is gone for good. The key
// is as new.
func TestPNGIsLost(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, image := b.open("a"), pngOf(t, pattern(1))
	j := b.begun(1, func(s *attachments.Service) { b.upload(s, "k", id, image) })
	if err := b.blobs.Delete(t.Context(), attachment.StagingBlobs+billing.DocumentID(j.Subject).String()); err != nil {
		t.Fatal(err)
	}
	b.work()
	for b.pending(j) {
		b.hurry()
	}
	o := b.uploadAs(t.Context(), b.service, other("k"), id, image)
	if o.err != nil || o.replayed || len(o.Documents) != 1 {
		t.Errorf("another request with the key: %+v", o)
	}
	b.audit()
}

// countedFile counts the bytes that are read of a file.
type countedFile struct {
	io.ReaderAt
	bytes atomic.Int64
}

func (r *countedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	r.bytes.Add(int64(n))
	return n, err
}

// TestPNGIsHashedByItsReceiver counts what an upload reads of a PNG: its first bytes, which
// tell the format, all of it to check it, and all of it to store it. Its sums are known.
func TestPNGIsHashedByItsReceiver(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, file := b.open("a"), fileOf(pngOf(t, pattern(1)))
	counted := &countedFile{ReaderAt: file.Content}
	file.Content = counted
	b.begun(1, func(s *attachments.Service) {
		_, _ = s.Upload(t.Context(), write(b.scope, call("k"), render), id, intake.DocumentRequest{DocumentType: "2", FileName: "image"}, file)
	})
	if n := counted.bytes.Load(); n != 8+2*file.Size {
		t.Errorf("read %d bytes of a PNG of %d", n, file.Size)
	}
}

// TestUpdatedAt ends a request that began first last.
func TestUpdatedAt(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.open("a")
	var later *attachment.Attachment
	first := b.process(&porttest.Fault{Only: "Put", How: porttest.Passes, Then: func() {
		if o := b.upload(b.service, "k2", id, jpegOf(t, pattern(2))); o.err != nil {
			t.Error(o.err)
		}
		later = b.get(id)
	}})
	o := b.upload(first, "k1", id, jpegOf(t, pattern(1)))
	if a := b.get(id); o.err != nil || a.UpdatedAt.Before(later.UpdatedAt) || len(a.Documents) != 2 {
		t.Errorf("updated at %s, then at %s", later.UpdatedAt, a.UpdatedAt)
	}
	b.audit()
}
