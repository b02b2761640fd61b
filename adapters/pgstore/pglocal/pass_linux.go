package pglocal

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// capReadSearch is CAP_DAC_READ_SEARCH, which allows passing folders and
// reading files without a permission check.
const capReadSearch = 2

// letPass lets a child process that is not root enter folders closed to its user.
func letPass(attr *syscall.SysProcAttr) { attr.AmbientCaps = []uintptr{capReadSearch} }

// canLetPass reports whether this process has that capability. Root in a
// container may not.
func canLetPass() bool {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(status), "CapPrm:")
	line, _, _ := strings.Cut(after, "\n")
	permitted, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	return err == nil && permitted&(1<<capReadSearch) != 0
}
