package attachments_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
)

// at runs work that many times at once.
func at(once int, work func(n int)) {
	var all sync.WaitGroup
	for n := range once {
		all.Go(func() { work(n) })
	}
	all.Wait()
}

// TestConvertAtOnce runs a job in several workers, like a broker with unstable
// connections.
func TestConvertAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	key := keys()
	for range 10 {
		id, k, image := b.open(key()), key(), pngOf(t, pattern(1))
		j := b.begun(1, func(s *attachments.Service) { b.upload(s, k, id, image) })
		at(6, func(int) { _ = b.service.Convert(t.Context(), j) })
		if o := b.upload(b.service, k, id, image); o.err != nil || !o.replayed || len(o.Documents) != 1 {
			t.Errorf("the request: %+v", o)
		}
	}
	b.audit()
}

// TestConvertAfterAnother lets a worker reach its commit after another one has created
// the document and that was removed again.
func TestConvertAfterAnother(t *testing.T) {
	t.Parallel()
	for _, removed := range []bool{false, true} {
		b := newFixture(t)
		id, image := b.open("a"), pngOf(t, pattern(1))
		j := b.begun(1, func(s *attachments.Service) { b.upload(s, "k", id, image) })
		late := b.process(&porttest.Fault{Only: "Put", How: porttest.Passes, Then: func() {
			b.settle()
			if removed {
				if o := b.remove("r", id, b.get(id).Documents[0].ID); o.err != nil {
					t.Error(o.err)
				}
			}
		}})
		if err := late.Convert(t.Context(), j); err != nil {
			t.Errorf("the late worker: %v", err)
		}
		if n := len(b.get(id).Documents); (n == 0) != removed {
			t.Errorf("%d documents", n)
		}
		b.audit()
	}
}

func TestSendAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	key := keys()
	for range 10 {
		id, k := b.filled(key()), key()
		j := b.begun(0, func(s *attachments.Service) { b.close(s, k, id) })
		at(6, func(int) {
			if err := b.service.Send(t.Context(), j); err != nil {
				t.Errorf("send: %v", err)
			}
		})
		if o := b.close(b.service, k, id); o.err != nil || o.State != attachment.Closed {
			t.Errorf("the request: %+v", o)
		}
	}
	b.audit()
}

// TestSendTwice lets a second worker start the sending when the first one has
// sent every file to the network.
func TestSendTwice(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.filled("a")
	j := b.begun(0, func(s *attachments.Service) { b.close(s, "k", id) })
	begun, ended := make(chan struct{}), make(chan struct{})
	var second sync.WaitGroup
	first := b.process(&porttest.Fault{Only: "Commit", How: porttest.Passes, Then: func() {
		second.Go(func() {
			s := b.process(&porttest.Fault{Only: "Add", How: porttest.Passes, Then: func() { close(begun); <-ended }})
			if err := s.Send(t.Context(), j); err != nil {
				t.Errorf("the second worker: %v", err)
			}
		})
		<-begun
	}})
	err := first.Send(t.Context(), j)
	close(ended)
	second.Wait()
	if err != nil {
		t.Errorf("the first worker: %v", err)
	}
	if o := b.close(b.service, "k", id); o.err != nil || o.Error != "" || o.State != attachment.Closed {
		t.Errorf("the request: %+v", o)
	}
	b.audit()
}

// TestSentAfterAll makes a second worker fail at the network, and report that,
// while the first is about to commit there. The network has the attachment, so
// it is closed, without an edit or a second sending.
func TestSentAfterAll(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.filled("a")
	j := b.begun(0, func(s *attachments.Service) { b.close(s, "k", id) })
	first := b.process(&porttest.Fault{Only: "Commit", How: porttest.Passes, Then: func() {
		err := b.process(&porttest.Fault{Only: "Open", How: porttest.FailsBefore}).Send(t.Context(), j)
		if _, done := errors.AsType[*jobs.DoneError](err); !done || !b.get(id).Sending.IsZero() {
			t.Errorf("the second worker: %v", err)
		}
	}})
	if err := first.Send(t.Context(), j); err != nil {
		t.Errorf("the first worker: %v", err)
	}
	if a := b.get(id); a.State != attachment.Closed {
		t.Errorf("the attachment is %s, and the network has it", a.State)
	}
	b.audit()
}
