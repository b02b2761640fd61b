package blobtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// refuses checks that a put fails and leaves the name unchanged, with and
// without an existing blob. Prepare returns a new context and blob for each put.
func refuses(t *testing.T, f Fixture, what string, prepare func(ctx context.Context) (context.Context, ports.Blob)) {
	t.Helper()
	name := "refused/" + strings.ReplaceAll(what, " ", "-")
	old := bytesOf(99, small)
	for _, before := range [][]byte{nil, old} {
		if before != nil {
			put(t, f.Blobs, name, before)
		}
		ctx, b := prepare(t.Context())
		if err := f.Blobs.Put(ctx, name, b); err == nil {
			t.Errorf("%s: no error", what)
		} else if billing.CodeOf(err) != billing.CodeInternal {
			t.Errorf("%s: the caller would get %v", what, err)
		}
		holds(t, f.Blobs, name, before)
	}
}

func testOtherBytes(t *testing.T, f Fixture) {
	for what, corrupt := range map[string]func(b *ports.Blob, content []byte){
		"short":       func(b *ports.Blob, content []byte) { b.Content = bytes.NewReader(content[:len(content)-1]) },
		"long":        func(b *ports.Blob, content []byte) { b.Content = bytes.NewReader(append(content, 'x')) },
		"empty":       func(b *ports.Blob, _ []byte) { b.Content = strings.NewReader("") },
		"wrong MD5":   func(b *ports.Blob, _ []byte) { b.MD5[15]++ },
		"wrong SHA":   func(b *ports.Blob, _ []byte) { b.SHA256[31]++ },
		"no sums":     func(b *ports.Blob, _ []byte) { b.MD5, b.SHA256 = [16]byte{}, [32]byte{} },
		"no size":     func(b *ports.Blob, _ []byte) { b.Size = -1 },
		"size zero":   func(b *ports.Blob, _ []byte) { b.Size = 0 },
		"one changed": func(_ *ports.Blob, content []byte) { content[len(content)/2]++ },
	} {
		for of, size := range map[string]int{"one byte": 1, "small": small, "large": 3_000_000} {
			refuses(t, f, what+" "+of, func(ctx context.Context) (context.Context, ports.Blob) {
				content := bytesOf(1, size)
				b := blob(content)
				corrupt(&b, content)
				return ctx, b
			})
		}
	}
	// For empty content, only the size and the sums can be wrong.
	refuses(t, f, "size of nothing", func(ctx context.Context) (context.Context, ports.Blob) {
		b := blob(nil)
		b.Size = 1
		return ctx, b
	})
	refuses(t, f, "sums of nothing", func(ctx context.Context) (context.Context, ports.Blob) {
		b := blob(nil)
		b.SHA256, b.MD5 = blob([]byte("x")).SHA256, blob([]byte("x")).MD5
		return ctx, b
	})
}

// halfway calls its function once, after half of the content.
type halfway struct {
	io.Reader
	left int
	then func() error
}

func (h *halfway) Read(p []byte) (int, error) {
	if h.left <= 0 && h.then != nil {
		then := h.then
		h.then = nil
		if err := then(); err != nil {
			return 0, err
		}
	}
	n, err := h.Reader.Read(p[:min(len(p), max(h.left, 4096))])
	h.left -= n
	return n, err
}

func testFailingContent(t *testing.T, f Fixture) {
	broken := errors.New("the disk is gone")
	for what, size := range map[string]int{"small": small, "large": largest} {
		refuses(t, f, what, func(ctx context.Context) (context.Context, ports.Blob) {
			content := bytesOf(1, size)
			b := blob(content)
			b.Content = &halfway{bytes.NewReader(content), size / 2, func() error { return broken }}
			return ctx, b
		})
	}
	content := bytesOf(1, small)
	b := blob(content)
	b.Content = &halfway{bytes.NewReader(content), small / 2, func() error { return broken }}
	if err := f.Blobs.Put(t.Context(), "why", b); !errors.Is(err, broken) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func testCancelledPut(t *testing.T, f Fixture) {
	for what, size := range map[string]int{"small": small, "large": largest} {
		refuses(t, f, what, func(ctx context.Context) (context.Context, ports.Blob) {
			ctx, cancel := context.WithCancel(ctx)
			t.Cleanup(cancel)
			content := bytesOf(1, size)
			b := blob(content)
			b.Content = &halfway{bytes.NewReader(content), size / 2, func() error {
				cancel()
				return nil
			}}
			return ctx, b
		})
	}
	refuses(t, f, "before it began", func(ctx context.Context) (context.Context, ports.Blob) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, blob(bytesOf(1, small))
	})
	// The caller may reuse the content after Put has returned.
	ctx, cancel := context.WithCancel(t.Context())
	content := bytesOf(1, largest)
	b := blob(content)
	b.Content = &halfway{bytes.NewReader(content), largest / 2, func() error { cancel(); return nil }}
	if err := f.Blobs.Put(ctx, "returned", b); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled put: %v", err)
	}
	clear(content) // the race detector reports a reader that is still active
	holds(t, f.Blobs, "returned", nil)
}

func testCancelled(t *testing.T, f Fixture) {
	put(t, f.Blobs, "one", bytesOf(1, small))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := f.Blobs.Open(ctx, "one"); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
	if err := f.Blobs.Delete(ctx, "one"); !errors.Is(err, context.Canceled) {
		t.Errorf("delete: %v", err)
	}
	if err := f.Blobs.Ready(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ready: %v", err)
	}
	if err := lastError(f.Blobs.List(ctx, "")); !errors.Is(err, context.Canceled) {
		t.Errorf("list: %v", err)
	}
	holds(t, f.Blobs, "one", bytesOf(1, small))
}

func testNames(t *testing.T, f Fixture) {
	long := strings.Repeat("n", 200)
	for _, name := range []string{
		"a", "A.b-c_d/0", ".hidden", "a..b", "..a", "documents/doc_01J9ZK.jpg", "p/" + long, strings.Repeat("d/", 100) + "e",
	} {
		put(t, f.Blobs, name, []byte(name))
		holds(t, f.Blobs, name, []byte(name))
	}
	put(t, f.Blobs, "victim", bytesOf(1, 10))
	for _, name := range []string{
		"", "/", ".", "..", "../victim", "/victim", "/etc/passwd", "a//b", "x/../victim", "x/./victim", "./victim",
		"victim/", "victim/..", "a b", "a\\b", "a\x00b", "a\nb", "a?b", "a%2e", "é", "a~", "a:b", "\xff", long + long,
	} {
		if err := f.Blobs.Put(t.Context(), name, blob([]byte("other"))); err == nil || billing.CodeOf(err) != billing.CodeInternal {
			t.Errorf("put %q: %v", name, err)
		}
		if _, _, err := f.Blobs.Open(t.Context(), name); err == nil || billing.CodeOf(err) != billing.CodeInternal {
			t.Errorf("open %q: %v", name, err)
		}
		if err := f.Blobs.Delete(t.Context(), name); err == nil || billing.CodeOf(err) != billing.CodeInternal {
			t.Errorf("delete %q: %v", name, err)
		}
	}
	for _, prefix := range []string{"/", "../", "a//", "a b", "./x", "\xff"} {
		if err := lastError(f.Blobs.List(t.Context(), prefix)); err == nil {
			t.Errorf("list %q: no error", prefix)
		}
	}
	holds(t, f.Blobs, "victim", bytesOf(1, 10))
}
