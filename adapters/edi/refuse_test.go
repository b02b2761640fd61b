package edi // no file is known on which a reader fails

import (
	"strings"
	"testing"
)

// TestReaderThatFails has a reader fail on a file: the file is refused, with the
// kind of the failure and nothing of the file.
func TestReaderThatFails(t *testing.T) {
	t.Parallel()
	read := func(segments []string) (id string, err error) {
		defer refuse(&err)
		return segments[len(segments)], nil
	}
	id, err := read([]string{"NM1*QC*1*DOE*JANE"})
	if err == nil || id != "" || !strings.Contains(err.Error(), "runtime.boundsError") || strings.Contains(err.Error(), "DOE") {
		t.Errorf("%q, %v", id, err)
	}
}
