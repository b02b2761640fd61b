package x12_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
)

// BenchmarkWhole measures the largest file that is received: 128 MB.
func BenchmarkWhole(b *testing.B) {
	file := []byte(isa + gs + st + strings.Repeat(body, (128<<20)/len(body)) + tail)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if err := x12.Whole(file); err != nil {
			b.Fatal(err)
		}
	}
}
