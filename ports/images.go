package ports

import (
	"context"
	"crypto/md5" //nolint:gosec // G501: networks and S3 compare MD5 sums; nothing trusts them
	"crypto/sha256"
	"io"
	"iter"
	"time"
)

// Images judges pictures and rewrites them, so that nothing is left but the
// picture. What is wrong with a picture is a *billing.Error with
// CodeInvalidRequest about the field "file", and says why. A temporary folder
// that takes no more is CodeUnavailable; any other error is the service's.
type Images interface {
	// Sanitize proves that src, of size bytes, is a whole JPEG, and writes it
	// anew: every pixel as it was, and no metadata.
	Sanitize(ctx context.Context, src io.ReaderAt, size int64) (*Picture, error)

	// CheckPNG judges a PNG of size bytes by its chunks, without decoding a
	// pixel.
	CheckPNG(ctx context.Context, src io.ReaderAt, size int64) error

	// Convert makes a JPEG of a PNG of size bytes, composited onto white and
	// converted to sRGB. The same PNG always gives the same bytes, and Sanitize
	// returns them unchanged.
	Convert(ctx context.Context, src io.ReaderAt, size int64) (*Picture, error)
}

// Picture is a JPEG in the form in which it is stored.
type Picture struct {
	Size    int64 // bytes
	MD5     [md5.Size]byte
	SHA256  [sha256.Size]byte
	Content io.ReadSeekCloser // Close removes what holds the bytes
}

// Blobs keeps images, each under a name of its own (billing.ValidBlobName) that
// is no folder of another. A blob is there whole or not at all. A store that
// does not respond, is full or refuses is CodeUnavailable, with its cause.
type Blobs interface {
	// Put keeps a blob, in place of what the name had, and returns nil when it
	// is safe. A Put that fails, is cancelled, or is given other bytes than b
	// says leaves the name as it was; one that lost the store after the last
	// byte may have kept it. It may read b.Content again (io.Seeker).
	Put(ctx context.Context, name string, b Blob) error

	// Open reads one blob to its end, or an error, while ctx lasts. An absent one
	// is CodeNotFound. The caller closes it.
	Open(ctx context.Context, name string) (content io.ReadCloser, size int64, err error)

	// Delete removes a blob; removing an absent one does nothing.
	Delete(ctx context.Context, name string) error

	// List gives every blob whose name begins with prefix, in any order.
	List(ctx context.Context, prefix string) iter.Seq2[BlobInfo, error]

	// Ready reports whether blobs can be written.
	Ready(ctx context.Context) error
}

// Blob is what is to be kept.
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
