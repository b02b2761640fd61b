package minioblob_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/molar-billing/molar/adapters/testservers"
)

// sizes are those of an image and of the largest that is taken.
func sizes() []int { return []int{1_000_000, large} }

// BenchmarkPut keeps blobs. The bytes per operation show whether the content
// is held in memory: they do not grow with it.
func BenchmarkPut(b *testing.B) {
	s := open(b, bucket(b, testservers.S3(b).URL()))
	for _, size := range sizes() {
		b.Run(fmt.Sprintf("%dMB", size/1_000_000), func(b *testing.B) {
			bytesOf := content(1, size)
			what := blob(bytesOf)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				what.Content = bytes.NewReader(bytesOf)
				if err := s.Put(b.Context(), "one", what); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen reads blobs to their end.
func BenchmarkOpen(b *testing.B) {
	s := open(b, bucket(b, testservers.S3(b).URL()))
	for _, size := range sizes() {
		if err := s.Put(b.Context(), "one", blob(content(1, size))); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%dMB", size/1_000_000), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				r, _, err := s.Open(b.Context(), "one")
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, r); n != int64(size) || err != nil {
					b.Fatal(n, err)
				}
				_ = r.Close()
			}
		})
	}
}
