// Package networktest has the contracts of the ports that reach networks, as
// tests. Every adapter of such a port runs its contract.
package networktest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

// Fixture is a network that accepts attachments, with the values that a test
// needs.
type Fixture struct {
	Network ports.AttachmentNetwork

	// Another returns an instance like that of another process, or of the same
	// one after a restart. It may know the transmissions of the first, or none.
	Another func() ports.AttachmentNetwork

	// The network knows Payer and Office.
	Payer  directory.PayerSummary
	Office directory.Office
}

// Run runs the contract of ports.AttachmentNetwork. Open returns a fixture that
// ends with the test. Each test uses its own numbers, so tests may share the
// network behind the fixture.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Fixture){
		"a transmission with its files is accepted": testTaken,
		"a narrative alone is accepted":             testWords,
		"every step may be repeated":                testRepeated,
		"an interrupted sending starts again":       testAnew,
		"another process starts again":              testAnotherProcess,
		"other bytes are refused":                   testOtherBytes,
		"content that fails is refused":             testFailingContent,
		"too few files are refused":                 testTooFew,
		"too many files are refused":                testTooMany,
		"a document that is sent again is one file": testReplaced,
		"a number that is not open is refused":      testUnknown,
		"a committed transmission stays the same":   testCommittedStays,
		"a cancelled context ends every step":       testCancelled,
		"a context that ends amid a file ends Add":  testCancelledAdd,
		"transmissions at once do not mix":          testAtOnce,
		"two senders of one do not disturb":         testTwoSenders,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// sender sends one attachment step by step.
type sender struct {
	network ports.AttachmentNetwork
	sent    attachment.Transmission
	images  []image
}

// sending prepares an attachment with the number of images.
func (f Fixture) sending(t *testing.T, images int) *sender {
	t.Helper()
	s := &sender{network: f.Network, sent: f.transmission(images)}
	for range images {
		s.images = append(s.images, newImage(t))
	}
	return s
}

func (s *sender) open(t *testing.T) {
	t.Helper()
	if err := s.network.Open(t.Context(), s.sent); err != nil {
		t.Fatalf("open: %v", err)
	}
}

func (s *sender) add(t *testing.T, images ...image) {
	t.Helper()
	for _, i := range images {
		if err := s.network.Add(t.Context(), s.sent.Number, i.document, bytes.NewReader(i.content)); err != nil {
			t.Fatalf("add: %v", err)
		}
	}
}

func (s *sender) commit(t *testing.T) {
	t.Helper()
	if err := s.network.Commit(t.Context(), s.sent.Number); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// all runs every step, as a restarted sending does.
func (s *sender) all(t *testing.T) {
	t.Helper()
	s.open(t)
	s.add(t, s.images...)
	s.commit(t)
}

func testTaken(t *testing.T, f Fixture) {
	s := f.sending(t, 3)
	s.images[1].paper()
	s.all(t)
}

func testWords(t *testing.T, f Fixture) {
	s := f.sending(t, 0)
	s.sent.Kind, s.sent.PayerReference = attachment.Solicited, "R-4711"
	s.all(t)
}

func testRepeated(t *testing.T, f Fixture) {
	s := f.sending(t, 2)
	s.open(t)
	s.open(t)
	for _, i := range s.images {
		s.add(t, i, i)
	}
	s.commit(t)
	s.commit(t)
	s.add(t, s.images...) // a sender that missed the reply to the commit
	s.all(t)
	s.sent.SendingSince = s.sent.SendingSince.AddDate(0, 0, 1)
	s.sent.EarlierNumber = newNumber() // of an attachment that was sent in between
	s.all(t)
}

func testAnew(t *testing.T, f Fixture) {
	s := f.sending(t, 3)
	s.open(t)
	s.all(t)

	s = f.sending(t, 3)
	s.open(t)
	s.add(t, s.images[:2]...)
	s.all(t)

	s = f.sending(t, 3)
	s.open(t)
	s.add(t, s.images...)
	s.all(t)
}

func testAnotherProcess(t *testing.T, f Fixture) {
	s := f.sending(t, 2)
	s.open(t)
	s.add(t, s.images[0])
	s.network = f.Another()
	s.all(t)
	s.network = f.Another()
	s.all(t)
}

func testOtherBytes(t *testing.T, f Fixture) {
	s := f.sending(t, 1)
	right := s.images[0].content
	flipped := bytes.Clone(right)
	flipped[len(flipped)/2] ^= 1
	text := image{document: s.images[0].copy(), content: []byte("%PDF-1.7 no image")}
	text.sum()
	s.open(t)
	for what, i := range map[string]image{
		"nothing":         {s.images[0].document, nil},
		"one byte less":   {s.images[0].document, right[:len(right)-1]},
		"one byte more":   {s.images[0].document, append(bytes.Clone(right), 0)},
		"one other bit":   {s.images[0].document, flipped},
		"another image":   {s.images[0].document, newImage(t).content},
		"a file of words": text,
	} {
		err := s.network.Add(t.Context(), s.sent.Number, i.document, bytes.NewReader(i.content))
		s.refused(t, err, what)
	}
	s.refused(t, s.network.Commit(t.Context(), s.sent.Number), "committing without the file")
	s.all(t) // the transmission still works
}

func testFailingContent(t *testing.T, f Fixture) {
	s := f.sending(t, 1)
	s.open(t)
	gone := errors.New("the image is gone")
	content := io.MultiReader(bytes.NewReader(s.images[0].content[:99]), failing{gone})
	if err := s.network.Add(t.Context(), s.sent.Number, s.images[0].document, content); !errors.Is(err, gone) {
		t.Errorf("add: %v, want the content's error", err)
	}
	s.refused(t, s.network.Commit(t.Context(), s.sent.Number), "committing without the file")
	s.all(t)
}

func testTooFew(t *testing.T, f Fixture) {
	for _, files := range []int{0, 2} {
		s := f.sending(t, 3)
		s.open(t)
		s.add(t, s.images[:files]...)
		s.refused(t, s.network.Commit(t.Context(), s.sent.Number), "too few files")
		s.all(t)
	}
}

func testTooMany(t *testing.T, f Fixture) {
	s := f.sending(t, 2)
	one := newImage(t)
	s.open(t)
	s.add(t, s.images...)
	err := s.network.Add(t.Context(), s.sent.Number, one.document, bytes.NewReader(one.content))
	if err == nil { // a network may count at the commit
		err = s.network.Commit(t.Context(), s.sent.Number)
	}
	s.refused(t, err, "too many files")
	s.all(t)
}

func testReplaced(t *testing.T, f Fixture) {
	s := f.sending(t, 2)
	other := newImage(t)
	other.document.ID = s.images[0].document.ID
	s.open(t)
	s.add(t, other)
	s.add(t, s.images...)
	s.commit(t)
}

func testUnknown(t *testing.T, f Fixture) {
	s := f.sending(t, 1)
	i := s.images[0]
	s.refused(t, s.network.Add(t.Context(), s.sent.Number, i.document, bytes.NewReader(i.content)), "a file for no transmission")
	s.refused(t, s.network.Commit(t.Context(), s.sent.Number), "committing no transmission")
	s.all(t)
}

func testCommittedStays(t *testing.T, f Fixture) {
	s := f.sending(t, 2)
	s.all(t)
	more := newImage(t)
	again := newImage(t)
	again.document.ID = s.images[0].document.ID
	for what, i := range map[string]image{"one more file": more, "another file for a document": again} {
		s.refused(t, s.network.Add(t.Context(), s.sent.Number, i.document, bytes.NewReader(i.content)), what)
	}
	for what, change := range map[string]func(*attachment.Transmission){
		"another narrative":    func(c *attachment.Transmission) { c.Narrative += " and more" },
		"another patient":      func(c *attachment.Transmission) { c.About.Patient.FirstName = "Zoe" },
		"another count":        func(c *attachment.Transmission) { c.Documents++ },
		"another subscriber":   func(c *attachment.Transmission) { c.About.Subscriber.MemberID += "9" },
		"another service date": func(c *attachment.Transmission) { c.About.ServiceDates.To = c.About.ServiceDates.To.AddDays(1) },
	} {
		other := s.sent
		change(&other)
		s.refused(t, s.network.Open(t.Context(), other), what)
	}
	s.all(t)
}

func testCancelled(t *testing.T, f Fixture) {
	s := f.sending(t, 1)
	i := s.images[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cancelled := func(step string, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s after the caller gave up: %v", step, err)
		}
	}
	cancelled("open", s.network.Open(ctx, s.sent))
	s.open(t)
	cancelled("add", s.network.Add(ctx, s.sent.Number, i.document, bytes.NewReader(i.content)))
	s.add(t, i)
	cancelled("commit", s.network.Commit(ctx, s.sent.Number))
	s.commit(t)
	s.all(t)
}

func testCancelledAdd(t *testing.T, f Fixture) {
	s := f.sending(t, 1)
	i := s.images[0]
	s.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	content := io.MultiReader(bytes.NewReader(i.content[:99]), doing(cancel), bytes.NewReader(i.content[99:]))
	if err := s.network.Add(ctx, s.sent.Number, i.document, content); !errors.Is(err, context.Canceled) {
		t.Errorf("add: %v, want the context's error", err)
	}
	s.all(t)
}

func testAtOnce(t *testing.T, f Fixture) {
	const transmissions, images = 24, 3
	senders := make([]*sender, transmissions)
	for n := range senders {
		senders[n] = f.sending(t, images)
	}
	shared := newImage(t) // a document's ID is unique only within its transmission
	var wg sync.WaitGroup
	for n, s := range senders {
		s.images[0] = shared
		wg.Go(func() {
			files := s.images
			if n%3 == 0 {
				files = files[1:] // too few
			}
			err := s.network.Open(t.Context(), s.sent)
			var adding sync.WaitGroup
			for _, i := range files {
				adding.Go(func() {
					if err := s.network.Add(t.Context(), s.sent.Number, i.document, bytes.NewReader(i.content)); err != nil {
						t.Errorf("add: %v", err)
					}
				})
			}
			adding.Wait()
			if err != nil {
				t.Errorf("open: %v", err)
			}
			if err = s.network.Commit(t.Context(), s.sent.Number); (err != nil) != (n%3 == 0) {
				t.Errorf("commit %d of %d files: %v", len(files), images, err)
			}
		})
	}
	wg.Wait()
}

// testTwoSenders starts a second sender of the same attachment after each step
// of the first.
func testTwoSenders(t *testing.T, f Fixture) {
	for step := range 4 {
		first := f.sending(t, 2)
		second := *first
		for n, take := range []func(){
			func() { first.open(t) },
			func() { first.add(t, first.images[0]) },
			func() { first.add(t, first.images[1]) },
			func() { first.commit(t) },
		} {
			if take(); n == step {
				second.open(t)
			}
		}
		second.add(t, second.images...)
		second.commit(t)
	}
}
