package remittance_test

import (
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
)

// claims is a file with one payment of n claims that is never in memory, and
// that counts what the heap holds while it is read.
type claims struct {
	n    int
	rest string
	heap uint64 // the largest that was seen
	read int
}

func newClaims(n int) *claims {
	return &claims{n: n, rest: isa + gs + st + "BPR*I*1*C*ACH************20260304~" + head}
}

func (c *claims) Read(b []byte) (int, error) {
	for c.rest == "" {
		switch {
		case c.n > 0:
			if c.n%5_000 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				c.heap = max(c.heap, m.HeapAlloc)
			}
			c.rest = claim
		case c.n == 0:
			c.rest = tail
		default:
			return 0, io.EOF
		}
		c.n--
	}
	n := copy(b, c.rest)
	c.rest, c.read = c.rest[n:], c.read+n
	return n, nil
}

// TestMemory reads 100,000 claims and proves that the heap stays as it is with
// 5,000. It is not parallel: the heap is shared.
//
//nolint:paralleltest // see above
func TestMemory(t *testing.T) {
	heap := func(n int) (heap uint64, read int) {
		in := newClaims(n)
		got, balanced, err := drain(in)
		if !errors.Is(err, io.EOF) || got != n || balanced != n {
			t.Fatalf("%d claims, %d balanced, error %v", got, balanced, err)
		}
		return in.heap, in.read
	}
	few, _ := heap(5_000)
	many, read := heap(100_000)
	t.Logf("%d KiB of heap with 5,000 claims, %d KiB with 100,000 (%d MiB)", few>>10, many>>10, read>>20)
	if many > few+(1<<20) {
		t.Errorf("the heap grew from %d to %d bytes", few, many)
	}
}

// TestEncodeInParts writes many claims without holding what is written.
func TestEncodeInParts(t *testing.T) {
	t.Parallel()
	r := full()
	for range 12 {
		r.Claims = append(r.Claims, r.Claims...)
	}
	r.Settle()
	var w widest
	if err := remittance.Encode(&w, x12.Interchange{}, x12.Group{}, []remittance.Remittance{r}); err != nil {
		t.Fatal(err)
	}
	if w.all < 2_000_000 || w.max > 4<<10 {
		t.Errorf("%d bytes, at most %d at once", w.all, w.max)
	}
	for n := range 2 {
		if err := remittance.Encode(&limited{room: n}, x12.Interchange{}, x12.Group{}, []remittance.Remittance{full()}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("error %v, want the one of what is written to", err)
		}
	}
}

// widest knows how much was written, and the most at once.
type widest struct{ all, max int }

func (w *widest) Write(b []byte) (int, error) {
	w.all += len(b)
	w.max = max(w.max, len(b))
	return len(b), nil
}
