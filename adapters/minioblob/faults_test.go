package minioblob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/minioblob"
	"github.com/molar-billing/molar/adapters/testservers"
)

const (
	large = 15_000_000
	// impatient gives a connection up soon, and is still patient enough for a
	// busy machine.
	impatient = 2 * time.Second
)

// TestServerThatIsSilent: a call without a deadline fails after a while, and a call
// with one fails then.
func TestServerThatIsSilent(t *testing.T) {
	t.Parallel()
	address := bucket(t, testservers.S3(t).URL())
	put(t, open(t, address), "one", content(1, 1000))
	for name, f := range map[string]faults{
		"nothing comes": {down: fault{stall: 1}},
		"nothing goes":  {up: fault{stall: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, address := over(t, address)
			hasty := openWith(t, minioblob.Options{URL: address, Patience: impatient / 10})
			patient := openWith(t, minioblob.Options{URL: address, Patience: time.Hour})
			l.disturb(f)
			for what, err := range calls(t.Context(), hasty) {
				if err == nil {
					t.Errorf("%s at a silent server: no error", what)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), impatient/10)
			defer cancel()
			for what, err := range calls(ctx, patient) {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s until the deadline: %v", what, err)
				}
			}
		})
	}
}

// calls calls everything and answers the errors.
func calls(ctx context.Context, s *minioblob.Store) map[string]error {
	_, _, openErr := s.Open(ctx, "one")
	var listErr error
	for _, listErr = range s.List(ctx, "") {
		break
	}
	return map[string]error{
		"put": s.Put(ctx, "two", blob(content(2, large))), "open": openErr, "list": listErr,
		"delete": s.Delete(ctx, "three"), "ready": s.Ready(ctx),
	}
}

func TestCutUpload(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fault{
		"cut": {cut: large / 2}, "cut at the end": {cut: large - 1}, "stalled": {stall: large / 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := bucket(t, testservers.S3(t).URL())
			direct := open(t, address)
			l, address := over(t, address)
			s := openWith(t, minioblob.Options{URL: address, Patience: impatient})
			old, next := content(1, 1000), content(2, large)
			put(t, direct, "old", old)
			l.disturb(faults{up: f})
			for _, name := range []string{"old", "none"} {
				b := blob(next)
				if err := s.Put(t.Context(), name, b); err == nil {
					t.Error("content that can be read again: no error")
				}
				b.Content = plain{bytes.NewReader(next)}
				if err := s.Put(t.Context(), name, b); err == nil {
					t.Error("content that cannot be read again: no error")
				}
			}
			l.disturb(faults{})
			holds(t, direct, "old", old)
			holds(t, direct, "none", nil)
			put(t, s, "none", next)
			holds(t, direct, "none", next)
		})
	}
}

// healing is content whose second reading finds the line healed.
type healing struct {
	*bytes.Reader
	line  *line
	again int
}

func (h *healing) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		h.again++
		h.line.disturb(faults{})
	}
	return h.Reader.Seek(offset, whence)
}

func TestUploadIsSentAgain(t *testing.T) {
	t.Parallel()
	address := bucket(t, testservers.S3(t).URL())
	for name, f := range map[string]faults{
		"cut":     {up: fault{cut: large / 2}},
		"stalled": {up: fault{stall: large / 2}},
		"silent":  {down: fault{stall: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, address := over(t, address)
			s := openWith(t, minioblob.Options{URL: address, Patience: impatient})
			want := content(1, large)
			b := blob(want)
			reader := &healing{bytes.NewReader(want), l, 0}
			b.Content = reader
			l.disturb(f)
			if err := s.Put(t.Context(), name, b); err != nil {
				t.Fatal(err)
			}
			if reader.again == 0 {
				t.Error("nothing befell the upload")
			}
			holds(t, s, name, want)
		})
	}
}

// TestLostReply: a Put that fails because its answer was lost leaves one of
// the two blobs whole, and the next one works.
func TestLostReply(t *testing.T) {
	t.Parallel()
	address := bucket(t, testservers.S3(t).URL())
	l, through := over(t, address)
	direct, deaf := open(t, address), openWith(t, minioblob.Options{URL: through, Patience: impatient})
	old, next := content(1, large), content(2, large)
	put(t, direct, "one", old)
	l.disturb(faults{down: fault{cut: 1}})
	if err := deaf.Put(t.Context(), "one", blob(next)); err == nil {
		t.Error("no answer, and no error")
	}
	if got := read(t, direct, "one"); !bytes.Equal(got, old) && !bytes.Equal(got, next) {
		t.Errorf("%d bytes that were never put", len(got))
	}
	l.disturb(faults{})
	put(t, deaf, "one", old)
	holds(t, direct, "one", old)
}

// TestCutDownload: reading less than all is an error.
func TestCutDownload(t *testing.T) {
	t.Parallel()
	address := bucket(t, testservers.S3(t).URL())
	put(t, open(t, address), "one", content(1, large))
	for name, f := range map[string]fault{
		"cut": {cut: large / 2}, "cut at the end": {cut: large}, "stalled": {stall: large / 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, address := over(t, address)
			s := openWith(t, minioblob.Options{URL: address, Patience: impatient})
			l.disturb(faults{down: f})
			r, size, err := s.Open(t.Context(), "one")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			n, err := io.Copy(io.Discard, r)
			if err == nil || n >= size || size != large {
				t.Errorf("read %d bytes of %d: %v", n, size, err)
			}
			l.disturb(faults{})
			holds(t, s, "one", content(1, large))
		})
	}
}

func TestDownloadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := open(t, bucket(t, testservers.S3(t).URL()))
	put(t, s, "one", content(1, large))
	ctx, cancel := context.WithCancel(t.Context())
	r, _, err := s.Open(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if n, err := io.Copy(io.Discard, r); !errors.Is(err, context.Canceled) {
		t.Errorf("read %d bytes after the end of the context: %v", n, err)
	}
	_ = r.Close()
}

// TestSlowLine: a line on which bytes move is no dead one, however long a blob
// takes.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	l, address := over(t, bucket(t, testservers.S3(t).URL()))
	s := openWith(t, minioblob.Options{URL: address, Patience: impatient})
	slow := fault{rate: 2_000_000}
	l.disturb(faults{up: slow, down: slow})
	want := content(1, 4_000_000) // two seconds each way
	put(t, s, "one", want)
	holds(t, s, "one", want)
}
