package records

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestTarballStreams writes 50,000 files and the lines of a large part. What stays in memory is a
// page of lines, and the archive has all.
func TestTarballStreams(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	from, to := io.Pipe()
	type counted struct {
		files, pages, lines int
		err                 error
	}
	read := make(chan counted, 1)
	go func() {
		var n counted
		n.files, n.pages, n.lines, n.err = count(from)
		from.CloseWithError(n.err)
		read <- n
	}()
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	at := newTarball(to, time.Now())
	before := used()
	for n := range 50_000 {
		if err := at.write(fmt.Sprintf("images/%06d.jpg", n), []byte{1}); err != nil {
			t.Fatal(err)
		}
		if err := at.line("events", strings.Repeat("x", 100)); err != nil {
			t.Fatal(err)
		}
	}
	if after := used(); after > before+8*linesSize {
		t.Errorf("memory grew from %d to %d bytes", before, after)
	}
	if err := errors.Join(at.end("events"), at.end("events"), at.close(), to.Close()); err != nil {
		t.Fatal(err)
	}
	if n := <-read; n.err != nil || n.files != 50_000 || n.lines != 50_000 || n.pages != 5 {
		t.Errorf("the archive has %d files, and %d lines in %d pages: %v", n.files, n.lines, n.pages, n.err)
	}
}

// count reads an archive.
func count(from io.Reader) (files, pages, lines int, err error) {
	packed, err := gzip.NewReader(from)
	if err != nil {
		return 0, 0, 0, err
	}
	for all := tar.NewReader(packed); ; {
		h, err := all.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, from)
			return files, pages, lines, err
		}
		if err != nil {
			return 0, 0, 0, err
		}
		content, err := io.ReadAll(all)
		if err != nil {
			return 0, 0, 0, err
		}
		if strings.HasPrefix(h.Name, "events/") {
			pages++
			lines += bytes.Count(content, []byte("\n"))
		} else {
			files++
		}
	}
}
