// Package imagecodec judges pictures and rewrites them, in Go alone. A JPEG is
// proved whole by decoding its entropy-coded data, and written anew with every
// pixel as it was and no metadata. A PNG is made a JPEG.
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

// maxSide is the most pixels that a picture has in a row or a column.
const maxSide = 20_000

// defaultBudget is the memory for progressive JPEGs when Options names none.
const defaultBudget = 64 << 20

// Codec is ports.Images without any other program or library.
type Codec struct {
	tempDir string
	budget  int64               // what memory holds in all
	memory  *semaphore.Weighted // bytes that progressive JPEGs hold at once
	turns   *semaphore.Weighted // JPEGs that are decoded at once
}

var _ ports.Images = (*Codec)(nil)

// Options says where a Codec works, and within what. The zero value is fine.
type Options struct {
	// TempDir holds pictures until they are closed; the system's folder for
	// temporary files when empty.
	TempDir string

	// MemoryBudget is how many bytes of working memory the progressive JPEGs
	// checked at once in this process may take together; 0 is 64 MiB. A JPEG
	// waits for its share; one that needs more than there is takes all of it.
	MemoryBudget int64

	// Parallel is how many JPEGs are checked at once in this process; 0 leaves
	// one processor to whoever else is in it. It is pure computing: six uploads
	// at once made requests of a millisecond wait for a quarter of a second, and
	// were no faster for it.
	Parallel int
}

// New makes a Codec. Its error is a folder that is not there, or a budget that
// is negative.
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
		return nil, fmt.Errorf("imagecodec: %s is no folder", o.TempDir)
	}
	if o.MemoryBudget == 0 {
		o.MemoryBudget = defaultBudget
	}
	if o.Parallel == 0 {
		o.Parallel = max(1, runtime.GOMAXPROCS(0)-1)
	}
	return &Codec{tempDir: o.TempDir, budget: o.MemoryBudget, memory: semaphore.NewWeighted(o.MemoryBudget), turns: semaphore.NewWeighted(int64(o.Parallel))}, nil
}

// refuse is the error that says what is wrong with a picture.
func refuse(code billing.FaultCode, message string) error {
	var faults billing.Faults
	faults.Add("file", code, message)
	return faults.Err()
}
