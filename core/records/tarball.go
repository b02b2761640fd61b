package records

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// linesSize is the size from which the lines of a part go into the archive.
const linesSize = 1 << 20

// tarball writes an archive whose size does not matter: unlike a ZIP file, it ends with no list
// of its files, and each part keeps at most linesSize in memory.
type tarball struct {
	gzip  *gzip.Writer
	tar   *tar.Writer
	at    time.Time // of each file
	parts map[string]*lines
}

// lines are resources of a part that are not in the archive yet, each on a line.
type lines struct {
	text  bytes.Buffer
	files int
}

func newTarball(to io.Writer, at time.Time) *tarball {
	packed, _ := gzip.NewWriterLevel(to, gzip.BestSpeed) // images and encrypted files do not get smaller
	return &tarball{packed, tar.NewWriter(packed), at, map[string]*lines{}}
}

// copy writes a file of so many bytes.
func (t *tarball) copy(name string, content io.Reader, size int64) error {
	err := t.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: t.at, Format: tar.FormatPAX})
	if err == nil {
		_, err = io.Copy(t.tar, content)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (t *tarball) write(name string, content []byte) error {
	return t.copy(name, bytes.NewReader(content), int64(len(content)))
}

// line adds a resource to a part.
func (t *tarball) line(part string, resource any) error {
	text, err := json.Marshal(resource)
	if err != nil {
		return fmt.Errorf("write %s: %w", part, err)
	}
	l := t.parts[part]
	if l == nil {
		l = &lines{}
		t.parts[part] = l
	}
	l.text.Write(text)
	l.text.WriteByte('\n')
	if l.text.Len() < linesSize {
		return nil
	}
	return t.flush(part, l)
}

func (t *tarball) flush(part string, l *lines) error {
	l.files++
	err := t.write(fmt.Sprintf("%s/%06d.jsonl", part, l.files), l.text.Bytes())
	l.text.Reset()
	return err
}

// end writes the lines that are left of a part.
func (t *tarball) end(part string) error {
	l := t.parts[part]
	delete(t.parts, part)
	if l == nil || l.text.Len() == 0 {
		return nil
	}
	return t.flush(part, l)
}

func (t *tarball) close() error {
	if err := errors.Join(t.tar.Close(), t.gzip.Close()); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}
