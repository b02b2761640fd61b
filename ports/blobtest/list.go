package blobtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// lastError returns the error of a list, which comes last.
func lastError(list iter.Seq2[ports.BlobInfo, error]) (last error) {
	for _, err := range list {
		if last != nil {
			return errors.New("a list goes on after an error")
		}
		last = err
	}
	return last
}

// fill puts about a hundred small blobs and returns their sizes.
func fill(t *testing.T, s ports.Blobs) map[string]int64 {
	t.Helper()
	sizes := make(map[string]int64)
	for i := range 300 {
		name := fmt.Sprintf("%s/%03d", []string{"a", "ab", "a/b"}[i%3], i)
		sizes[name] = int64(i)
		put(t, s, name, bytesOf(byte(i), i))
	}
	return sizes
}

func testList(t *testing.T, f Fixture) {
	sizes := fill(t, f.Blobs)
	for _, prefix := range []string{"", "a", "a/", "a/b", "a/b/", "a/b/2", "ab/", "ab/001", "c", "c/d/", "a/b/001/"} {
		want := maps.Clone(sizes)
		maps.DeleteFunc(want, func(name string, _ int64) bool { return !strings.HasPrefix(name, prefix) })
		for b, err := range f.Blobs.List(t.Context(), prefix) {
			if err != nil {
				t.Fatalf("list %q: %v", prefix, err)
			}
			if size, ok := want[b.Name]; !ok || size != b.Size {
				t.Errorf("list %q: %v comes twice, or has another size or prefix", prefix, b)
			}
			if age := time.Since(b.WrittenAt).Abs(); age > 10*time.Minute {
				t.Errorf("list %q: %s was written %v from now", prefix, b.Name, age)
			}
			delete(want, b.Name)
		}
		if len(want) != 0 {
			t.Errorf("list %q: %d are missing", prefix, len(want))
		}
	}
}

// testAfter lists the names after one that is there, and after others.
func testAfter(t *testing.T, f Fixture) {
	sizes := fill(t, f.Blobs)
	for _, list := range [][2]string{{"", ""}, {"", "a/b/200"}, {"a/", "a/003"}, {"a/", "a/b"}, {"a/b/", "a/b/101~"}, {"ab/", "ab/298"}, {"ab/", "b"}, {"c/", ""}} {
		prefix, name := list[0], list[1]
		var want, got []string
		for _, n := range slices.Sorted(maps.Keys(sizes)) {
			if strings.HasPrefix(n, prefix) && n > name {
				want = append(want, n)
			}
		}
		for b, err := range f.Blobs.After(t.Context(), prefix, name) {
			if err != nil {
				t.Fatalf("list %q after %q: %v", prefix, name, err)
			}
			got = append(got, b.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("list %q after %q: %v\nwant %v", prefix, name, got, want)
		}
	}
}

func testListLeft(t *testing.T, f Fixture) {
	fill(t, f.Blobs)
	n := 0
	for _, err := range f.Blobs.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 7 {
			break
		}
	}
	if n != 7 {
		t.Errorf("%d blobs, left after 7", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n = 0
	var last error
	for _, err := range f.Blobs.List(ctx, "") {
		n, last = n+1, err
		cancel()
	}
	if n < 300 && !errors.Is(last, context.Canceled) {
		t.Errorf("a cancelled list ends after %d without an error: %v", n, last)
	}
	for b, err := range f.Blobs.List(t.Context(), "") { // as a sweeper does
		if err := errors.Join(err, f.Blobs.Delete(t.Context(), b.Name)); err != nil {
			t.Fatal(err)
		}
	}
	testReady(t, f)
}

func testAway(t *testing.T, f Fixture) {
	if f.Away == nil {
		t.Log("the store is there as long as the process")
		return
	}
	old := bytesOf(1, small)
	put(t, f.Blobs, "one", old)
	back := f.Away()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	content, _, err := f.Blobs.Open(ctx, "one")
	if err == nil {
		_, _ = io.Copy(io.Discard, content)
		_ = content.Close()
	}
	for what, err := range map[string]error{
		"put":    f.Blobs.Put(ctx, "two", blob(old)),
		"put on": f.Blobs.Put(ctx, "one", blob(bytesOf(2, small))),
		"open":   err,
		"delete": f.Blobs.Delete(ctx, "one"),
		"list":   lastError(f.Blobs.List(ctx, "")),
		"ready":  f.Blobs.Ready(ctx),
	} {
		if err == nil || billing.CodeOf(err) != billing.CodeUnavailable {
			t.Errorf("%s: %v", what, err)
		}
	}
	back()
	if err := f.Blobs.Ready(t.Context()); err != nil {
		t.Errorf("ready again: %v", err)
	}
	holds(t, f.Blobs, "one", old)
	holds(t, f.Blobs, "two", nil)
	put(t, f.Blobs, "two", old)
	holds(t, f.Blobs, "two", old)
}
