// Package blobtest is the contract of ports.Blobs as tests. Every adapter of
// the port runs it, against a real server if it has one.
package blobtest

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Fixture is an empty store, with controls for a test.
type Fixture struct {
	Blobs ports.Blobs

	// Away makes the store unreachable until back is called. It is nil when the
	// store lives and dies with the process.
	Away func() (back func())
}

// The sizes of blobs: one of a few packets, and the largest that is accepted.
const (
	small   = 64 << 10
	largest = 15_000_000
)

// Run runs the contract. Open returns a fixture that no other test uses and
// that ends with the test.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Fixture){
		"ready":                               testReady,
		"a blob is kept":                      testKept,
		"content is read from its position":   testPosition,
		"a blob replaces another":             testReplaced,
		"an absent blob is not found":         testAbsent,
		"a deleted blob is gone":              testDeleted,
		"other bytes are refused":             testOtherBytes,
		"content that fails is refused":       testFailingContent,
		"a cancelled put leaves nothing":      testCancelledPut,
		"a cancelled context ends everything": testCancelled,
		"puts at once leave one whole":        testPutsAtOnce,
		"an open reader reads one blob":       testOpenReader,
		"readers and writers at once":         testReadersAndWriters,
		"blobs are listed by prefix":          testList,
		"a list may be left":                  testListLeft,
		"a list after a name":                 testAfter,
		"names":                               testNames,
		"a store that is away":                testAway,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// bytesOf returns content that no other seed returns.
func bytesOf(seed byte, size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// blob returns a blob with the size and sums of the content.
func blob(content []byte) ports.Blob {
	return ports.Blob{
		Size:    int64(len(content)),
		MD5:     md5.Sum(content),
		SHA256:  sha256.Sum256(content),
		Content: bytes.NewReader(content),
	}
}

// plain hides every method of a reader except Read.
type plain struct{ io.Reader }

func put(t *testing.T, s ports.Blobs, name string, content []byte) {
	t.Helper()
	if err := s.Put(t.Context(), name, blob(content)); err != nil {
		t.Fatalf("put %s: %v", name, err)
	}
}

// read returns the whole of a blob.
func read(ctx context.Context, s ports.Blobs, name string) ([]byte, error) {
	content, size, err := s.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	got, err := io.ReadAll(content)
	if err == nil && int64(len(got)) != size {
		err = errors.New("another size than was said")
	}
	return got, errors.Join(err, content.Close())
}

// holds checks that a name has the content, or no blob when the content is nil.
func holds(t *testing.T, s ports.Blobs, name string, want []byte) {
	t.Helper()
	got, err := read(t.Context(), s, name)
	switch {
	case want == nil && billing.CodeOf(err) != billing.CodeNotFound:
		t.Errorf("%s has %d bytes, want none (%v)", name, len(got), err)
	case want != nil && err != nil:
		t.Errorf("%s: %v", name, err)
	case !bytes.Equal(got, want):
		t.Errorf("%s has %d bytes, want %d others", name, len(got), len(want))
	}
	var listed []ports.BlobInfo
	for b, err := range s.List(t.Context(), name) {
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		listed = append(listed, b)
	}
	switch {
	case want == nil && len(listed) != 0:
		t.Errorf("%s is listed: %v", name, listed)
	case want != nil && (len(listed) != 1 || listed[0].Name != name || listed[0].Size != int64(len(want))):
		t.Errorf("%s of %d bytes is listed as %v", name, len(want), listed)
	}
}
