package minioblob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"sync"

	"github.com/molar-billing/molar/ports"
)

// ErrContent is returned by Put when the content differs from its description.
var ErrContent = errors.New("minioblob: the content has another size or other sums than described")

var errOver = errors.New("minioblob: the upload is over")

// content is a reader that checks a blob while the client uploads it. It
// returns the last bytes only if the size and the checksum are right. A server
// that never receives them stores nothing.
//
// The client may read the body of a request in the background after it has
// returned. stop ends the upload, and no Read of the source outlives stop.
type content struct {
	ctx context.Context

	mu   sync.Mutex
	src  io.Reader
	left int64 // bytes that are not read yet
	sha  hash.Hash
	want [sha256.Size]byte
	err  error // the result of every further Read; io.EOF if the content was right
}

func newContent(ctx context.Context, b ports.Blob) *content {
	return &content{ctx: ctx, src: b.Content, left: b.Size, sha: sha256.New(), want: b.SHA256}
}

func (c *content) Read(p []byte) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		n, c.err = c.read(p)
	}
	if n > 0 {
		return n, nil
	}
	return 0, c.err
}

func (c *content) read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n := 0
	if c.left > 0 {
		var err error
		n, err = c.src.Read(p[:min(int64(len(p)), c.left)])
		_, _ = c.sha.Write(p[:n]) // a hash never fails
		c.left -= int64(n)
		if c.left > 0 {
			if errors.Is(err, io.EOF) {
				err = ErrContent
			}
			return n, err
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	more, err := io.ReadFull(c.src, make([]byte, 1))
	switch {
	case more > 0 || !bytes.Equal(c.sha.Sum(nil), c.want[:]):
		return 0, ErrContent
	case !errors.Is(err, io.EOF):
		return 0, err
	}
	return n, io.EOF
}

// stop waits for a Read that is under way, and ends reading. It returns the
// fault of the content, or nil.
func (c *content) stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.err
	c.err = errOver
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
