// Package imagecodec checks images and rewrites them, in Go alone. It decodes
// the entropy-coded data of a JPEG to check that it is complete, and rewrites
// it with every pixel and no metadata. It converts a PNG to a JPEG.
package imagecodec

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sync/semaphore"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// maxSide is the most pixels that an image has in a row or a column.
const maxSide = 20_000

// defaultBudget is the memory for progressive JPEGs when Options names none.
const defaultBudget = 64 << 20

// Codec is ports.Images without any other program or library.
type Codec struct {
	tempDir string
	budget  int64               // the bytes of memory in all
	memory  *semaphore.Weighted // bytes that progressive JPEGs hold at once
	turns   *semaphore.Weighted // JPEGs that are decoded at once
}

var _ ports.Images = (*Codec)(nil)

// Options limits a Codec. The zero value is fine.
type Options struct {
	// TempDir holds pictures until they are closed; the system's folder for
	// temporary files when empty.
	TempDir string

	// MemoryBudget limits the working memory, in bytes, of the progressive JPEGs
	// that this process checks at once; 0 is 64 MiB. A JPEG waits for its part;
	// one that needs more than the budget takes all of it.
	MemoryBudget int64

	// Parallel is the number of JPEGs that this process checks at once; 0 leaves
	// one processor to the rest of the process. The work is pure computing: six
	// uploads at once delayed requests of a millisecond by a quarter of a second,
	// and were no faster.
	Parallel int
}

// New creates a Codec. It returns an error for an absent folder or a negative
// limit.
func New(o Options) (*Codec, error) {
	if o.MemoryBudget < 0 || o.Parallel < 0 {
		return nil, errors.New("imagecodec: the memory budget or the number of JPEGs at once is negative")
	}
	if o.TempDir == "" {
		o.TempDir = os.TempDir()
	}
	if info, err := os.Stat(o.TempDir); err != nil {
		return nil, fmt.Errorf("imagecodec: folder for temporary files: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("imagecodec: %s is not a folder", o.TempDir)
	}
	if o.MemoryBudget == 0 {
		o.MemoryBudget = defaultBudget
	}
	if o.Parallel == 0 {
		o.Parallel = max(1, runtime.GOMAXPROCS(0)-1)
	}
	return &Codec{tempDir: o.TempDir, budget: o.MemoryBudget, memory: semaphore.NewWeighted(o.MemoryBudget), turns: semaphore.NewWeighted(int64(o.Parallel))}, nil
}

// refuse returns the error that states a fault of an image.
func refuse(code billing.FaultCode, message string) error {
	var faults billing.Faults
	faults.Add("file", code, message)
	return faults.Err()
}
