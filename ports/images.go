package ports

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"io"
	"iter"
	"time"
)

// Images checks images and rewrites them, so that only the picture is left. A
// fault of the image is a *billing.Error with CodeInvalidRequest for the field
// "file" and states the reason. CodeUnavailable means that the temporary folder
// is full; any other error is internal.
type Images interface {
	// Sanitize checks that src, of size bytes, is a complete JPEG, and rewrites
	// it: with every pixel and without metadata.
	Sanitize(ctx context.Context, src io.ReaderAt, size int64) (*Picture, error)

	// CheckPNG checks a PNG of size bytes by its chunks, without decoding a
	// pixel.
	CheckPNG(ctx context.Context, src io.ReaderAt, size int64) error

	// Convert converts a PNG of size bytes to a JPEG, composited onto white and
	// in sRGB. The same PNG always returns the same bytes, and Sanitize returns
	// those unchanged.
	Convert(ctx context.Context, src io.ReaderAt, size int64) (*Picture, error)

	// Thumbnail reduces a JPEG that Sanitize or Convert wrote: its longest side
	// has at most 320 pixels.
	Thumbnail(ctx context.Context, src io.Reader) (*Picture, error)
}

// Picture is a JPEG in its stored form.
type Picture struct {
	Size    int64 // bytes
	MD5     [md5.Size]byte
	SHA256  [sha256.Size]byte
	Content io.ReadSeekCloser // Close releases the bytes
}

// Blobs stores images, each under its own name (billing.ValidBlobName); no name
// is a folder of another. A blob is stored whole or not at all. Errors:
// CodeUnavailable, with the cause, when the store does not respond, is full or
// refuses.
type Blobs interface {
	// Put stores a blob, replaces what the name had, and returns nil once the
	// blob is safe. A Put that fails, is cancelled, or finds other bytes than b
	// describes leaves the name unchanged. If the connection is lost after the
	// last byte, the blob may be stored. Put may read b.Content again
	// (io.Seeker).
	Put(ctx context.Context, name string, b Blob) error

	// Open returns one blob to read to its end, or an error, while ctx lasts. It
	// returns CodeNotFound if there is none. The caller closes it.
	Open(ctx context.Context, name string) (content io.ReadCloser, size int64, err error)

	// Delete removes a blob; removing an absent one does nothing.
	Delete(ctx context.Context, name string) error

	// List returns every blob whose name begins with prefix, in any order.
	List(ctx context.Context, prefix string) iter.Seq2[BlobInfo, error]

	// After is List for the names after the given one only, in the order of their bytes.
	After(ctx context.Context, prefix, name string) iter.Seq2[BlobInfo, error]

	// Ready reports whether blobs can be written.
	Ready(ctx context.Context) error
}

// Blob is content to store.
type Blob struct {
	Size    int64 // bytes
	MD5     [md5.Size]byte
	SHA256  [sha256.Size]byte
	Content io.Reader
}

// BlobInfo is a blob in a list.
type BlobInfo struct {
	Name      string
	Size      int64
	WrittenAt time.Time // by the clock of the blob store
}
