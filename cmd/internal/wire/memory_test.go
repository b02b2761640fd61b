package wire

import (
	"errors"
	"testing"
)

// TestMemoryLimit leaves a fifth of what a container may have.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bytes uint64
		err   error
		want  int64
	}{{1000 << 20, nil, 800 << 20}, {1 << 63, nil, 768 << 20}, {0, errors.New("no cgroup"), 768 << 20}} {
		if got := memoryLimit(c.bytes, c.err); got != c.want {
			t.Errorf("of %d, %v: %d, want %d", c.bytes, c.err, got, c.want)
		}
	}
}
