package sftpnet

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/pkg/sftp"

	"github.com/molar-billing/molar/core/billing"
)

// Send uploads a file under a temporary name, and renames it after the mark, whose
// token is that name. A file that is there with its name and size is delivered. A later
// Send renames the file of the token: exactly one rename of it can succeed. When
// neither name is there, the clearinghouse has picked the file up, or somebody removed
// it: the outcome is unknown.
func (n *Clearinghouse) Send(ctx context.Context, f billing.OutgoingFile, mark func(ctx context.Context, token string) error) error {
	if f.Name == "" || f.Name != path.Base(f.Name) || f.Name == "." || f.Name == ".." || strings.ContainsRune(f.Name, 0) {
		return fmt.Errorf("sftpnet: %q is no name for a file in the outbox", f.Name)
	}
	return n.do(ctx, func(s *session) error {
		there, err := n.delivered(s, f)
		if there {
			n.clear(s, f.Name, "")
		}
		if err != nil || there {
			return err
		}
		temp := path.Base(f.Token)
		if f.Token == "" {
			if temp, err = n.upload(ctx, s, f); err != nil {
				// A sender that delivers the file clears the uploads of others.
				if there, e := n.delivered(s, f); replied(err) && e == nil && there {
					return nil
				}
				return err
			}
			if err := mark(ctx, temp); err != nil {
				return err // the mark may be stored, so the evidence stays
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n.clear(s, f.Name, temp)
		return n.deliver(s, f, temp)
	})
}

func (n *Clearinghouse) outbox(name string) string { return path.Join(n.config.Outbox, name) }

// delivered reports whether the file is in the outbox under its own name.
func (n *Clearinghouse) delivered(s *session, f billing.OutgoingFile) (bool, error) {
	info, err := n.step(s).Lstat(n.outbox(f.Name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for %s in the outbox: %w", f.Name, err)
	case !info.Mode().IsRegular() || info.Size() != int64(len(f.Content)):
		return false, fmt.Errorf("the outbox has another %s, with %d bytes instead of %d; remove it there", f.Name, info.Size(), len(f.Content))
	}
	return true, nil
}

// upload writes the file under a temporary name, which no other upload has.
func (n *Clearinghouse) upload(ctx context.Context, s *session, f billing.OutgoingFile) (temp string, err error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	temp = n.config.TempPrefix + f.Name + "." + hex.EncodeToString(random)
	if err := n.write(ctx, s, n.outbox(temp), f.Content); err != nil {
		n.discard(s, n.outbox(temp))
		return "", fmt.Errorf("upload %s to %s: %w", f.Name, n.config.Outbox, err)
	}
	return temp, nil
}

// write writes a new file, and checks that all of it is there.
func (n *Clearinghouse) write(ctx context.Context, s *session, name string, content []byte) error {
	out, err := n.step(s).OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(&source{bytes.NewReader(content), n.transfer(ctx, s)})
	if _, can := s.sftp.HasExtension("fsync@openssh.com"); can && err == nil {
		n.step(s)
		err = out.Sync()
	}
	n.step(s)
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	info, err := n.step(s).Lstat(name)
	if err == nil && info.Size() != int64(len(content)) {
		err = fmt.Errorf("the server has %d bytes of %d", info.Size(), len(content))
	}
	return err
}

// transfer gives each part of a transfer its time.
type transfer struct {
	n   *Clearinghouse
	s   *session
	ctx context.Context //nolint:containedctx // the parts are read by a library
	end time.Time
}

var errSlow = errors.New("the transfer takes too long")

func (n *Clearinghouse) transfer(ctx context.Context, s *session) *transfer {
	return &transfer{n, s, ctx, n.now().Add(n.config.Times.Transfer)}
}

// next starts the next part.
func (t *transfer) next() error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	left := t.end.Sub(t.n.now())
	if left <= 0 {
		return failure(billing.ReasonTimeout, errSlow)
	}
	t.s.line.within(min(left, t.n.config.Times.Step))
	return nil
}

// source is the content of an upload.
type source struct {
	io.Reader
	transfer *transfer
}

func (s *source) Read(b []byte) (int, error) {
	if err := s.transfer.next(); err != nil {
		return 0, err
	}
	return s.Reader.Read(b)
}

// deliver renames the complete file. The server never replaces a file by this rename.
func (n *Clearinghouse) deliver(s *session, f billing.OutgoingFile, temp string) error {
	err := n.step(s).Rename(n.outbox(temp), n.outbox(f.Name))
	if err == nil {
		return nil
	}
	if !replied(err) {
		return fmt.Errorf("rename %s: %w", f.Name, err)
	}
	there, e := n.delivered(s, f)
	if e != nil || there {
		return e
	}
	switch _, e := n.step(s).Lstat(n.outbox(temp)); {
	case e == nil:
		return fmt.Errorf("rename %s to %s in the outbox: %w", temp, f.Name, err)
	case !errors.Is(e, fs.ErrNotExist):
		return fmt.Errorf("look for %s in the outbox: %w", temp, e)
	}
	return fmt.Errorf("the outbox has neither %s nor %s: %w", f.Name, temp, billing.ErrOutcomeUnknown)
}

// clear removes the other temporary files of a file that is marked or delivered. They
// are of uploads that did not end, or were overtaken: nothing can deliver them. What
// cannot be removed stays.
func (n *Clearinghouse) clear(s *session, name, except string) {
	entries, err := n.step(s).ReadDir(n.config.Outbox)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Name() != except && strings.HasPrefix(e.Name(), n.config.TempPrefix+name+".") && e.Mode().IsRegular() {
			n.discard(s, n.outbox(e.Name()))
		}
	}
}

// discard removes a temporary file of ours, now or with the next session.
func (n *Clearinghouse) discard(s *session, name string) {
	if err := removeFile(n.step(s), name); err != nil && !replied(err) && len(n.leftover) < 100 {
		n.leftover = append(n.leftover, name)
	}
}

// sweep removes what earlier sessions could not.
func (n *Clearinghouse) sweep(s *session) {
	all := n.leftover
	n.leftover = nil
	for _, name := range all {
		n.discard(s, name)
	}
}

// removeFile removes a file, never a folder.
func removeFile(c *sftp.Client, name string) error {
	info, err := c.Lstat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fs.ErrPermission
	}
	return c.Remove(name)
}
