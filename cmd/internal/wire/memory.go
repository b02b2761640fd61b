package wire

import (
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// gcPercent trades memory for time: the heap is a few megabytes, and with Go's
// default a tenth of the CPU time went to garbage collection. GOGC overrides it.
//
// Beyond the memory limit the collector works harder, rather than let the heap of a large
// file grow to five times that. It is four fifths of what the process may have: the rest
// is for what is not Go's, such as files in a tmpfs. GOMEMLIMIT overrides it.
const (
	gcPercent    = 400
	memoryShare  = 5 // all but a fifth
	defaultLimit = 768 << 20
)

// boundMemory sets how the process uses memory.
func boundMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit(memlimit.FromCgroup()))
	}
}

// memoryLimit returns the limit for a process that may have the bytes. An error means
// that it may have any number.
func memoryLimit(bytes uint64, err error) int64 {
	if err != nil || bytes > 1<<60 {
		return defaultLimit
	}
	return int64(bytes - bytes/memoryShare)
}
