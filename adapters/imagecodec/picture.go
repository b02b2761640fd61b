package imagecodec

import (
	"bufio"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// pictureWriter writes a picture to a temporary file, and counts and hashes its
// bytes. Either finish or abandon ends the writer. abandon does nothing after
// finish, so a caller can defer it.
type pictureWriter struct {
	ctx    context.Context // each write checks it, because encoders accept no context
	file   *tempFile
	buf    *bufio.Writer
	size   int64
	md5    hash.Hash
	sha256 hash.Hash
}

// newPicture creates the temporary file of a picture. Writes fail once ctx is
// done.
func (c *Codec) newPicture(ctx context.Context) (*pictureWriter, error) {
	file, err := newTempFile(c.tempDir)
	if err != nil {
		return nil, err
	}
	w := &pictureWriter{ctx: ctx, file: file, md5: md5.New(), sha256: sha256.New()}
	w.buf = bufio.NewWriterSize(sink{w}, 64<<10)
	return w, nil
}

// Write appends to the picture.
func (w *pictureWriter) Write(p []byte) (int, error) { return w.buf.Write(p) }

// WriteByte appends a byte to the picture.
func (w *pictureWriter) WriteByte(b byte) error { return w.buf.WriteByte(b) }

// Flush writes the buffer to the file.
func (w *pictureWriter) Flush() error { return w.buf.Flush() }

// finish returns the picture, with its content at the first byte. The caller
// closes the content.
func (w *pictureWriter) finish() (*ports.Picture, error) {
	if err := w.buf.Flush(); err != nil {
		return nil, err
	}
	if _, err := w.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("rewind a temporary file: %w", err)
	}
	p := &ports.Picture{Size: w.size, Content: w.file}
	w.md5.Sum(p.MD5[:0])
	w.sha256.Sum(p.SHA256[:0])
	w.file = nil
	return p, nil
}

// abandon removes the file of an unfinished picture.
func (w *pictureWriter) abandon() {
	if w.file != nil {
		_ = w.file.Close() // the file is discarded
		w.file = nil
	}
}

// sink is the unbuffered side of a pictureWriter.
type sink struct{ w *pictureWriter }

func (s sink) Write(p []byte) (int, error) {
	w := s.w
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	n, err := w.file.Write(p)
	w.size += int64(n)
	w.md5.Write(p[:n])
	w.sha256.Write(p[:n])
	if err != nil {
		return n, billing.StorageUnavailable(fmt.Errorf("write a temporary file: %w", err))
	}
	return n, nil
}

// tempFile is a file that Close deletes. Where the system allows it,
// newTempFile already removes the name, so that a killed process leaves no
// file.
type tempFile struct {
	*os.File
	named bool
}

func newTempFile(dir string) (*tempFile, error) {
	f, err := os.CreateTemp(dir, "molar-picture-*.jpg")
	if err != nil {
		return nil, billing.StorageUnavailable(fmt.Errorf("make a temporary file: %w", err))
	}
	return &tempFile{File: f, named: os.Remove(f.Name()) != nil}, nil
}

func (f *tempFile) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
