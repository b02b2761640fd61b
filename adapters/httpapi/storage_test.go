package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/minioblob"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// unavailable checks that the call is refused for now, and that the log has one
// line that says why.
func (s *service) unavailable(t *testing.T, log *syncBuffer, c call) {
	t.Helper()
	a := s.do(t, c)
	wantStatus(t, a, 503, billing.CodeUnavailable)
	if a.Header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After is %q", a.Header.Get("Retry-After"))
	}
	lines := 0
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"level":"ERROR"`) && strings.Contains(line, a.Header.Get("X-Request-Id")) {
			lines++
		}
	}
	if lines != 1 {
		t.Errorf("%d lines in the log, want 1", lines)
	}
}

// atLast sends the call until it is no longer refused for now: a server that was
// started may still be unwell.
func (s *service) atLast(t *testing.T, status int, c call) response {
	t.Helper()
	for {
		if a := s.do(t, c); a.StatusCode != 503 || t.Context().Err() != nil {
			if wantStatus(t, a, status, ""); a.Header.Get("Idempotent-Replayed") != "" {
				t.Error("the refusal was kept")
			}
			return a
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// While the blob store is dead or hangs, uploads and downloads are refused for
// now. Nothing is lost, and the same keys work once it is back.
func TestBlobStoreIsAway(t *testing.T) {
	t.Parallel()
	log := &syncBuffer{}
	server := testservers.StartS3(t)
	blobs, err := minioblob.Open(t.Context(), minioblob.Options{
		URL: strings.Replace(server.URL(), "http://", "s3://", 1) + "images?tls=false", Log: slog.New(slog.DiscardHandler), Patience: 2 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(blobs.Close)
	s := startService(t, func(with *setup) { with.blobs, with.log = blobs, slog.New(slog.NewJSONHandler(log, nil)) })
	path := s.attachment(t, "")
	first := s.atLast(t, 201, upload(path, chart(jpegOf(1))))
	content := call{path: path + "/documents/" + first.documents(t)[0]["id"].(string) + "/content"}
	picture := s.must(t, 200, content).body

	seed := 2
	for what, away := range map[string]struct{ away, back func() }{
		"killed": {server.Kill, server.Restart},
		"hung":   {server.Pause, server.Resume},
	} {
		jpeg, png := upload(path, chart(jpegOf(seed))), upload(path, chart(pngOf(seed)))
		jpeg.idem, png.idem = what+"-jpeg", what+"-png"
		seed++
		away.away()
		s.unavailable(t, log, jpeg)
		s.unavailable(t, log, png)
		s.unavailable(t, log, content)
		if n := len(s.must(t, 200, call{path: path}).documents(t)); n != (seed-3)*2+1 {
			t.Errorf("%s: %d documents", what, n)
		}
		away.back()
		s.atLast(t, 201, jpeg)
		s.atLast(t, 201, png)
		if s.must(t, 200, content).body != picture {
			t.Errorf("%s: the image changed", what)
		}
	}
}

// unread is a blob store from which nothing can be read while it is away.
type unread struct {
	ports.Blobs
	away atomic.Bool
}

func (s *unread) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if s.away.Load() {
		return nil, 0, billing.StorageUnavailable(errors.New("away"))
	}
	return s.Blobs.Open(ctx, name)
}

// A worker that cannot read a PNG says so at once to the request that waits.
func TestBlobStoreIsAwayFromWorkers(t *testing.T) {
	t.Parallel()
	log := &syncBuffer{}
	folder, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	blobs := &unread{Blobs: folder}
	s := startService(t, func(with *setup) { with.blobs, with.log = blobs, slog.New(slog.NewJSONHandler(log, nil)) })
	path := s.attachment(t, "")
	png := upload(path, chart(pngOf(1)))
	png.idem = "png"
	blobs.away.Store(true)
	s.unavailable(t, log, png)
	blobs.away.Store(false)
	if a := s.must(t, 201, png); len(a.documents(t)) != 1 {
		t.Errorf("attachment %s", a.body)
	}
}

// What does not fit into the temporary folder is refused for now; the disk is
// as full as the kernel says.
func TestTemporaryFolderIsFull(t *testing.T) { //nolint:paralleltest // it limits the files of the whole process
	log := &syncBuffer{}
	s := startService(t, func(with *setup) { with.log = slog.New(slog.NewJSONHandler(log, nil)) })
	path := s.attachment(t, "")
	jpeg, png := upload(path, chart(noiseJPEG(512, 1))), upload(path, chart(pngHead(512, 512, chunk("IDAT", make([]byte, 200_000)), chunk("IEND", nil))))
	jpeg.idem, png.idem = "jpeg", "png"
	png.bad = true
	func() {
		defer limitFiles(t, 64<<10)()
		s.unavailable(t, log, jpeg)
		s.unavailable(t, log, png)
	}()
	s.must(t, 201, jpeg)
	wantStatus(t, s.do(t, png), 422, billing.CodeInvalidRequest)
	if n := len(s.must(t, 200, call{path: path}).documents(t)); n != 1 {
		t.Errorf("%d documents", n)
	}
}

// limitFiles keeps the process from writing beyond size bytes in any file, until
// the limit is lifted.
func limitFiles(t *testing.T, size uint64) (lift func()) {
	t.Helper()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Fatal(err)
		}
	}
}
