// Package imagecodec checks and rewrites images, in pure Go. It decodes the
// entropy-coded data of a JPEG to check that they are complete. It copies the
// JPEG with every pixel and no metadata. It converts a PNG to a JPEG.
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

// maxSide is the largest width or height of an image, in pixels.
const maxSide = 20_000

// defaultBudget is the memory budget for progressive JPEGs if Options sets
// none.
const defaultBudget = 64 << 20

// Codec is a ports.Images that needs no other program or library.
type Codec struct {
	tempDir string
	budget  int64               // total bytes of memory
	memory  *semaphore.Weighted // bytes that progressive JPEGs may hold at once
	turns   *semaphore.Weighted // JPEGs that may be decoded at once
}

var _ ports.Images = (*Codec)(nil)

// Options holds the settings of a Codec. The zero value is valid.
type Options struct {
	// TempDir holds pictures until they are closed. If it is empty, they are in
	// the system's folder for temporary files.
	TempDir string

	// MemoryBudget limits the working memory, in bytes, of all progressive
	// JPEGs that this process checks at once. 0 means 64 MiB. A JPEG waits
	// until its memory is free. One that needs more than the budget acquires
	// all of it.
	MemoryBudget int64

	// Parallel is the number of JPEGs that this process checks at once. 0
	// leaves one processor to the rest of the process. Decoding keeps a
	// processor busy: six uploads at once delayed requests of a millisecond by
	// a quarter of a second. The six were no faster either.
	Parallel int
}

// New returns a Codec. It returns an error for a missing folder or a negative
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

// refuse returns an error that describes a fault of an image.
func refuse(code billing.FaultCode, message string) error {
	var faults billing.Faults
	faults.Add("file", code, message)
	return faults.Err()
}
