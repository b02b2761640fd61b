package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports/porttest"
)

func (p *probe) sendContent(x *exchange) (*reply, error) {
	s, err := x.openStream(p.content)
	if err != nil {
		return nil, err
	}
	if x.params.Query("panic") != "" {
		panic("after the content was opened")
	}
	return &reply{status: http.StatusOK, stream: s, mime: "image/jpeg", fileName: "doc_1.jpg"}, nil
}

// content is what a blob store gives: it can be read for as long as the
// context lasts that it was opened with.
type content struct {
	io.Reader
	ctx  context.Context
	open *atomic.Int64
}

func (c *content) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Reader.Read(b)
}

func (c *content) Close() error {
	c.open.Add(-1)
	return nil
}

// startContent serves what read gives, and declares size.
func startContent(t *testing.T, o Options, size int64, read func() io.Reader) (p *probe, open *atomic.Int64) {
	t.Helper()
	open = &atomic.Int64{}
	p = startProbe(t, o)
	p.content = func(ctx context.Context) (io.ReadCloser, int64, error) {
		open.Add(1)
		return &content{read(), ctx, open}, size, nil
	}
	return p, open
}

func getDocumentContent(method string) string {
	return method + " /content HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer " + readSecret + "\r\n\r\n"
}

func wantClosed(t *testing.T, open *atomic.Int64) {
	t.Helper()
	porttest.Await(t, "the content is closed", func() bool { return open.Load() == 0 })
}

func TestStream(t *testing.T) {
	t.Parallel()
	image := strings.Repeat("image", 200_000)
	// The deadline of a request is over long before the reply is sent.
	p, open := startContent(t, Options{RequestTimeout: time.Second}, int64(len(image)), func() io.Reader {
		return io.MultiReader(strings.NewReader(image[:10]), &waiter{1100 * time.Millisecond}, strings.NewReader(image[10:]))
	})
	w := dial(t, p.addr)
	for range 3 {
		w.Send("%s", getDocumentContent(http.MethodGet))
		a := w.reply()
		if a.StatusCode != 200 || a.Close || a.body != image || a.ContentLength != int64(len(image)) {
			t.Errorf("status %d, close %v, %d bytes of %d", a.StatusCode, a.Close, len(a.body), a.ContentLength)
		}
		if a.Header.Get("Content-Type") != "image/jpeg" || a.Header.Get("Content-Disposition") != `attachment; filename="doc_1.jpg"` {
			t.Errorf("headers are %v", a.Header)
		}
	}
	wantClosed(t, open)
}

// waiter is a pause in a text.
type waiter struct{ left time.Duration }

func (w *waiter) Read([]byte) (int, error) {
	<-time.After(w.left)
	return 0, io.EOF
}

func TestStreamHead(t *testing.T) {
	t.Parallel()
	p, open := startContent(t, Options{}, 1000, func() io.Reader { return strings.NewReader("not sent") })
	w := dial(t, p.addr)
	w.Send("%s%s", getDocumentContent(http.MethodHead), smuggled)
	a, err := http.ReadResponse(w.Reader, &http.Request{Method: http.MethodHead})
	if err != nil {
		t.Fatal(err)
	}
	_ = a.Body.Close()
	if a.StatusCode != 200 || a.ContentLength != 1000 || a.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("status %d, %d bytes, %v", a.StatusCode, a.ContentLength, a.Header)
	}
	if next := w.reply(); next.body != "\"smuggled\"\n" {
		t.Errorf("after it: %q", next.body)
	}
	wantClosed(t, open)
}

// What has another size than it should is cut off, and never read as the
// beginning of the next reply.
func TestStreamOfAnotherSize(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content io.Reader
		whole   bool
	}{
		"too long":  {strings.NewReader(strings.Repeat("x", 100_001)), true},
		"too short": {strings.NewReader(strings.Repeat("x", 99_999)), false},
		"fails":     {io.MultiReader(strings.NewReader(strings.Repeat("x", 50_000)), &failing{}), false},
		"empty":     {strings.NewReader(""), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, open := startContent(t, Options{}, 100_000, func() io.Reader { return c.content })
			w := dial(t, p.addr)
			w.Send("%s", getDocumentContent(http.MethodGet))
			a, err := w.tryReply()
			if c.whole && (err != nil || len(a.body) != 100_000) || !c.whole && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d bytes, %v", len(a.body), err)
			}
			if c.whole {
				w.Send("%s", smuggled)
				if next := w.reply(); next.body != "\"smuggled\"\n" {
					t.Errorf("after it: %q", next.body)
				}
			} else if w.Closed(); !strings.Contains(p.log.String(), "read the content of the reply") {
				t.Error("the log has no cause")
			}
			wantClosed(t, open)
		})
	}
}

type failing struct{}

func (*failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestStreamThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	p, open := startContent(t, Options{RequestTimeout: time.Second}, 5, func() io.Reader { return strings.NewReader("image") })
	works := p.content
	w := dial(t, p.addr)
	for _, c := range []struct {
		open   func(context.Context) (io.ReadCloser, int64, error)
		target string
		status int
		code   billing.Code
	}{
		{func(context.Context) (io.ReadCloser, int64, error) { return nil, 0, billing.NotFound("document", "") }, "/content", 404, billing.CodeNotFound},
		{func(ctx context.Context) (io.ReadCloser, int64, error) {
			<-ctx.Done()
			return nil, 0, ctx.Err()
		}, "/content", 504, billing.CodeTimeout},
		{func(ctx context.Context) (io.ReadCloser, int64, error) {
			<-ctx.Done() // and it opens all the same
			return works(ctx)
		}, "/content", 504, billing.CodeTimeout},
		{works, "/content?panic=1", 500, billing.CodeInternal},
	} {
		p.content = c.open
		w.Send("%s", strings.Replace(getDocumentContent(http.MethodGet), "/content", c.target, 1))
		a := w.reply()
		wantStatus(t, a, c.status, c.code)
		if a.Header.Get("Content-Disposition") != "" || a.Close {
			t.Errorf("close %v, headers are %v", a.Close, a.Header)
		}
	}
	wantClosed(t, open)
}

// A client that reads slowly gets all of it; one that reads nothing is cut off.
func TestStreamToSlowClients(t *testing.T) {
	t.Parallel()
	const size = 32 << 20 // more than sockets hold
	p, open := startContent(t, Options{Limits: Limits{Write: time.Second}}, size, func() io.Reader {
		return io.LimitReader(endless{}, size)
	})
	gone, stuck, slow := dial(t, p.addr), dial(t, p.addr), dial(t, p.addr)
	for _, w := range []*rawConn{gone, stuck, slow} {
		w.Send("%s", getDocumentContent(http.MethodGet))
	}
	_ = gone.Close()
	a, err := http.ReadResponse(slow.Reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }()
	var read int64
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 16 { // longer than the time for a reply that is not streamed
		<-tick.C
		n, err := io.CopyN(io.Discard, a.Body, size/16)
		if read += n; err != nil {
			t.Fatalf("after %d bytes: %v", read, err)
		}
	}
	wantClosed(t, open)
	if n, _ := io.Copy(io.Discard, stuck.Reader); n >= size {
		t.Error("a client that read nothing got it all")
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// Shutdown cuts what is still being sent.
func TestShutdownEndsStreams(t *testing.T) {
	t.Parallel()
	p, open := startContent(t, Options{DrainTimeout: 50 * time.Millisecond}, 1<<40, func() io.Reader { return endless{} })
	w := dial(t, p.addr)
	w.Send("%s", getDocumentContent(http.MethodGet))
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, w.Reader)
		read <- err
	}()
	porttest.Await(t, "the content is sent", func() bool { return open.Load() > 0 })
	shutDown(t, p.server)
	if err := <-read; err != nil {
		t.Error(err)
	}
	wantClosed(t, open)
}
