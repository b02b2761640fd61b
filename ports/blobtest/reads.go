package blobtest

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func testReady(t *testing.T, f Fixture) {
	if err := f.Blobs.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	for b, err := range f.Blobs.List(t.Context(), "") {
		t.Errorf("an empty store lists %v, %v", b, err)
	}
}

func testKept(t *testing.T, f Fixture) {
	for _, size := range []int{0, 1, small, largest} {
		content := bytesOf(1, size)
		seekable, other := "kept/"+strconv.Itoa(size), "kept/plain/"+strconv.Itoa(size)
		put(t, f.Blobs, seekable, content)
		b := blob(content)
		b.Content = plain{b.Content}
		if err := f.Blobs.Put(t.Context(), other, b); err != nil {
			t.Errorf("put %d bytes of a plain reader: %v", size, err)
		}
		holds(t, f.Blobs, seekable, content)
		holds(t, f.Blobs, other, content)
	}
}

func testPosition(t *testing.T, f Fixture) {
	content := bytesOf(1, small)
	b := blob(content[100:])
	b.Content = bytes.NewReader(content)
	if _, err := b.Content.(io.Seeker).Seek(100, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if err := f.Blobs.Put(t.Context(), "rest", b); err != nil {
		t.Fatal(err)
	}
	holds(t, f.Blobs, "rest", content[100:])
}

func testReplaced(t *testing.T, f Fixture) {
	for i, size := range []int{small, largest, 0, 1} {
		content := bytesOf(byte(i), size)
		put(t, f.Blobs, "one", content)
		holds(t, f.Blobs, "one", content)
	}
}

func testAbsent(t *testing.T, f Fixture) {
	put(t, f.Blobs, "folder/one", bytesOf(1, 10))
	for _, name := range []string{"two", "folder", "folder/o", "folder/two", "none/one"} {
		if _, _, err := f.Blobs.Open(t.Context(), name); billing.CodeOf(err) != billing.CodeNotFound {
			t.Errorf("open %s: %v", name, err)
		}
		if err := f.Blobs.Delete(t.Context(), name); err != nil {
			t.Errorf("delete %s: %v", name, err)
		}
	}
	holds(t, f.Blobs, "folder/one", bytesOf(1, 10))
}

func testDeleted(t *testing.T, f Fixture) {
	one, two := bytesOf(1, small), bytesOf(2, small)
	put(t, f.Blobs, "folder/one", one)
	put(t, f.Blobs, "folder/two", two)
	for range 2 {
		if err := f.Blobs.Delete(t.Context(), "folder/one"); err != nil {
			t.Fatal(err)
		}
		holds(t, f.Blobs, "folder/one", nil)
	}
	holds(t, f.Blobs, "folder/two", two)
	put(t, f.Blobs, "folder/one", two)
	holds(t, f.Blobs, "folder/one", two)
}

// testOpenReader reads a blob while its name changes. The reader gets the whole
// blob or an error, never a mixture or a part.
func testOpenReader(t *testing.T, f Fixture) {
	old := bytesOf(1, largest)
	for name, change := range map[string]func(name string) error{
		"replaced": func(name string) error { return f.Blobs.Put(t.Context(), name, blob(bytesOf(2, largest))) },
		"deleted":  func(name string) error { return f.Blobs.Delete(t.Context(), name) },
	} {
		put(t, f.Blobs, name, old)
		content, size, err := f.Blobs.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		head := make([]byte, 1000)
		if _, err := io.ReadFull(content, head); err != nil {
			t.Fatal(err)
		}
		// A store may make the change wait for the reader.
		changed := make(chan error, 1)
		go func() { changed <- change(name) }()
		rest, err := io.ReadAll(content)
		if err == nil && (size != largest || !bytes.Equal(append(head, rest...), old)) {
			t.Errorf("%s: read other bytes than were there, and no error", name)
		}
		if err := content.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := <-changed; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func testReadersAndWriters(t *testing.T, f Fixture) {
	versions := [][]byte{bytesOf(1, small), bytesOf(2, 20*small), bytesOf(3, 1)}
	put(t, f.Blobs, "one", versions[0])
	ctx, cancel := context.WithCancel(t.Context())
	var readers, writers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				got, err := read(ctx, f.Blobs, "one")
				if err == nil && !oneOf(got, versions) {
					t.Errorf("read %d bytes that were never put", len(got))
				}
				if billing.IsNotFound(err) {
					t.Errorf("a name that always had a blob: %v", err)
				}
			}
		})
	}
	for _, content := range versions {
		writers.Go(func() {
			for range 10 {
				if err := f.Blobs.Put(t.Context(), "one", blob(content)); err != nil {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	writers.Wait()
	cancel()
	readers.Wait()
}

func oneOf(got []byte, versions [][]byte) bool {
	for _, v := range versions {
		if bytes.Equal(got, v) {
			return true
		}
	}
	return false
}

func testPutsAtOnce(t *testing.T, f Fixture) {
	versions := make([][]byte, 6)
	var wg sync.WaitGroup
	for i := range versions {
		versions[i] = bytesOf(byte(i), largest-i)
		wg.Go(func() {
			if err := f.Blobs.Put(t.Context(), "one", blob(versions[i])); err != nil {
				t.Errorf("put: %v", err)
			}
		})
	}
	wg.Wait()
	got, err := read(t.Context(), f.Blobs, "one")
	if err != nil || !oneOf(got, versions) {
		t.Errorf("%d bytes that were never put (%v)", len(got), err)
	}
	holds(t, f.Blobs, "one", got)
}
