package fileblob_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// sizes are those of an image and of the largest that is taken.
func sizes() []int { return []int{1_000_000, 15_000_000} }

// BenchmarkPut keeps blobs, to the disk.
func BenchmarkPut(b *testing.B) {
	s := open(b, b.TempDir())
	for _, size := range sizes() {
		b.Run(fmt.Sprintf("%dMB", size/1_000_000), func(b *testing.B) {
			content := sealed(size)
			what := blob(content)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				what.Content = bytes.NewReader(content)
				if err := s.Put(b.Context(), "one", what); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen reads blobs to their end.
func BenchmarkOpen(b *testing.B) {
	s := open(b, b.TempDir())
	for _, size := range sizes() {
		if err := s.Put(b.Context(), "one", blob(sealed(size))); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%dMB", size/1_000_000), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			buffer := make([]byte, 64<<10)
			for b.Loop() {
				r, _, err := s.Open(b.Context(), "one")
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, buffer); err != nil {
					b.Fatal(err)
				}
				_ = r.Close()
			}
		})
	}
}
