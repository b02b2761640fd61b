package minioblob_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/molar-billing/molar/adapters/minioblob"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// content is bytes that no other seed gives.
func content(seed uint64, size int) []byte {
	var key [32]byte
	binary.BigEndian.PutUint64(key[:], seed)
	b := make([]byte, size)
	_, _ = rand.NewChaCha8(key).Read(b)
	return b
}

func blob(content []byte) ports.Blob {
	return ports.Blob{
		Size: int64(len(content)), MD5: md5.Sum(content), SHA256: sha256.Sum256(content), Content: bytes.NewReader(content),
	}
}

// plain hides that a reader can do more than read.
type plain struct{ io.Reader }

func put(t *testing.T, s *minioblob.Store, name string, content []byte) {
	t.Helper()
	if err := s.Put(t.Context(), name, blob(content)); err != nil {
		t.Fatalf("put %s: %v", name, err)
	}
}

// read answers a blob, or nil when there is none.
func read(t *testing.T, s *minioblob.Store, name string) []byte {
	t.Helper()
	r, _, err := s.Open(t.Context(), name)
	if billing.CodeOf(err) == billing.CodeNotFound {
		return nil
	}
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	defer func() { _ = r.Close() }()
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	return got
}

func holds(t *testing.T, s *minioblob.Store, name string, want []byte) {
	t.Helper()
	if got := read(t, s, name); !bytes.Equal(got, want) {
		t.Errorf("%s has %d bytes, want %d others", name, len(got), len(want))
	}
}

// started waits for a server that was started: it answers before it can do
// anything.
func started(t *testing.T, s *minioblob.Store) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; <-time.After(10 * time.Millisecond) {
		err := s.Ready(t.Context())
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not become ready: %v", err)
		}
	}
}

// killing kills a server in the middle of the content.
type killing struct {
	io.Reader
	left int
	kill func()
}

func (k *killing) Read(p []byte) (int, error) {
	if k.left <= 0 && k.kill != nil {
		k.kill()
		k.kill = nil
	}
	n, err := k.Reader.Read(p)
	k.left -= n
	return n, err
}

func TestKilledInAPut(t *testing.T) {
	t.Parallel()
	srv := testservers.StartS3(t)
	s := openWith(t, minioblob.Options{URL: bucket(t, srv.URL()), Patience: impatient})
	started(t, s)
	old := content(1, large)
	put(t, s, "old", old)
	for _, name := range []string{"old", "none"} {
		next := content(2, large)
		b := blob(next)
		b.Content = &killing{bytes.NewReader(next), large / 2, srv.Kill}
		if err := s.Put(t.Context(), name, b); err == nil {
			t.Errorf("put %s to a server that was killed: no error", name)
		}
		srv.Restart()
		started(t, s)
		holds(t, s, "old", old)
		holds(t, s, "none", nil)
		put(t, s, "another", next) // over connections that are dead
		holds(t, s, "another", next)
	}
}

// TestKilledAtAnyTime kills the server while several writers write: what was
// confirmed as kept is there, and nothing is there in part.
func TestKilledAtAnyTime(t *testing.T) {
	t.Parallel()
	const writers, kills = 3, 5
	srv := testservers.StartS3(t)
	s := openWith(t, minioblob.Options{URL: bucket(t, srv.URL()), Patience: impatient})
	started(t, s)
	var kept, tried [writers]uint64 // versions; each is a seed
	for range kills {
		dead := make(chan struct{})
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() { write(t, s, w, &kept[w], &tried[w], dead) })
		}
		<-time.After(rand.N(300 * time.Millisecond))
		srv.Kill()
		close(dead)
		wg.Wait()
		srv.Restart()
		started(t, s)
		for w := range writers {
			got := read(t, s, strconv.Itoa(w))
			if len(got) == 0 && kept[w] == 0 {
				continue
			}
			if len(got) < 8 {
				t.Errorf("%d bytes of version %d", len(got), kept[w])
				continue
			}
			version := binary.BigEndian.Uint64(got)
			if version < kept[w] || version > tried[w] || !bytes.Equal(got, versioned(version)) {
				t.Errorf("%d bytes of version %d; %d was kept, %d tried", len(got), version, kept[w], tried[w])
			}
			kept[w] = version
		}
	}
	t.Logf("versions kept over %d kills: %v", kills, kept)
}

// write puts one version after the other until the server is dead.
func write(t *testing.T, s *minioblob.Store, writer int, kept, tried *uint64, dead <-chan struct{}) {
	t.Helper()
	for {
		select {
		case <-dead:
			return
		default:
		}
		*tried++
		if s.Put(t.Context(), strconv.Itoa(writer), blob(versioned(*tried))) == nil {
			*kept = *tried
		}
	}
}

// versioned is content that begins with its version; the sizes differ.
func versioned(version uint64) []byte {
	b := content(version, 1_000_000+int(version%5)*1_000_000)
	binary.BigEndian.PutUint64(b, version)
	return b
}

func TestBucketIsMade(t *testing.T) {
	t.Parallel()
	address := bucket(t, testservers.S3(t).URL())
	var wg sync.WaitGroup
	for i := range 8 { // processes that start at once
		wg.Go(func() {
			s, err := minioblob.Open(t.Context(), minioblob.Options{URL: address, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if err := s.Put(t.Context(), strconv.Itoa(i), blob([]byte("x"))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestServerThatComesLater(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*testing.T, *minioblob.Store){
		"put": func(t *testing.T, s *minioblob.Store) { t.Helper(); put(t, s, "one", []byte("x")) },
		"ready": func(t *testing.T, s *minioblob.Store) {
			t.Helper()
			if err := s.Ready(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, address := over(t, bucket(t, testservers.S3(t).URL()))
			back := l.away(t)
			s := open(t, address)
			if err := s.Ready(t.Context()); err == nil {
				t.Error("ready without a server")
			}
			back()
			begin(t, s)
			put(t, s, "two", []byte("y"))
			holds(t, s, "two", []byte("y"))
		})
	}
}

func TestServerThatLostItsData(t *testing.T) {
	t.Parallel()
	srv := testservers.StartS3(t)
	s := open(t, bucket(t, srv.URL()))
	started(t, s)
	put(t, s, "one", []byte("x"))
	srv.Wipe()
	for deadline := time.Now().Add(5 * time.Minute); ; {
		_, _, err := s.Open(t.Context(), "one")
		if err == nil || billing.CodeOf(err) != billing.CodeUnavailable {
			t.Fatalf("a bucket that is gone: %v", err)
		}
		if answer, ok := errors.AsType[minio.ErrorResponse](err); ok && answer.Code == minio.NoSuchBucket {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not become ready: %v", err)
		}
	}
	put(t, s, "two", []byte("y"))
	holds(t, s, "two", []byte("y"))
	holds(t, s, "one", nil)
}

// TestServerChecksTheSums changes a byte on the way, which only the server can
// notice.
func TestServerChecksTheSums(t *testing.T) {
	t.Parallel()
	server, err := url.Parse(testservers.S3(t).URL())
	if err != nil {
		t.Fatal(err)
	}
	server.User, server.Path = nil, ""
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	forger := httptest.NewServer(&httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			r.Out.Host = r.In.Host // which is signed
			if r.In.Method == http.MethodPut && strings.HasSuffix(r.In.URL.Path, "/one") {
				r.Out.Body = forged{r.In.Body}
			}
		},
	})
	defer forger.Close()
	u, err := url.Parse(bucket(t, testservers.S3(t).URL()))
	if err != nil {
		t.Fatal(err)
	}
	u.Host = forger.Listener.Addr().String()
	s := open(t, u.String())
	if err := s.Put(t.Context(), "one", blob(content(1, 1_000_000))); err == nil {
		t.Error("a changed byte was kept")
	} else {
		t.Log(err)
	}
	holds(t, s, "one", nil)
	put(t, s, "two", content(1, 1_000_000))
}

// forged changes the first byte of each read.
type forged struct{ io.ReadCloser }

func (f forged) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if n > 0 {
		p[0]++
	}
	return n, err
}
