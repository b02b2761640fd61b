package sftpnet

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pkg/sftp"

	"github.com/molar-billing/molar/core/billing/clearing"
)

// look is what is known of a file in the inbox. Size and time identify its version.
type look struct {
	size int64
	time time.Time

	since time.Time // when this version was first seen
	again time.Time // when to try to remove it again, because the server refused it
}

func (l *look) same(info fs.FileInfo) bool { return same(info, l.size, l.time) }

func same(info fs.FileInfo, size int64, at time.Time) bool {
	return info.Size() == size && info.ModTime().Equal(at) && info.Mode().IsRegular()
}

// removeAgain is how long a file rests that the server does not let us remove.
const removeAgain = time.Hour

// maxName is the longest name that common file systems have.
const maxName = 255

// List looks at the inbox. A file rests when its size and time are those of an earlier
// look. List leaves out folders, links and other special files, and names that begin with
// a dot.
func (n *Clearinghouse) List(ctx context.Context) (files []clearing.RemoteFile, err error) {
	return files, n.do(ctx, func(s *session) error {
		entries, err := n.step(s).ReadDir(n.config.Inbox)
		if err != nil {
			return fmt.Errorf("list the inbox %s: %w", n.config.Inbox, err)
		}
		now := n.now()
		found := make(map[string]*look, len(entries))
		for _, e := range entries {
			name := e.Name()
			if !e.Mode().IsRegular() || strings.HasPrefix(name, ".") || name == "/" || len(name) > maxName || found[name] != nil {
				continue
			}
			l := n.looks[name]
			if l == nil || !l.same(e) {
				l = &look{size: e.Size(), time: e.ModTime(), since: now}
			}
			found[name] = l
			files = append(files, clearing.RemoteFile{
				Name: escaped(name), Size: l.size, Time: l.time.UTC(), Rests: now.Sub(l.since) >= n.config.Times.Settle,
			})
		}
		n.looks = found
		slices.SortFunc(files, func(a, b clearing.RemoteFile) int {
			return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Name, b.Name))
		})
		return nil
	})
}

func (n *Clearinghouse) inbox(name string) string { return path.Join(n.config.Inbox, name) }

// Read reads a file. Its handle shows whether it was changed in place meanwhile. One that
// was removed by then is whole.
func (n *Clearinghouse) Read(ctx context.Context, f clearing.RemoteFile, take func(part []byte) error) error {
	name, ok := unescaped(f.Name)
	switch {
	case !ok:
		return clearing.ErrFileGone
	case f.Size < 0 || f.Size > n.config.MaxFile:
		return &clearing.FileError{Err: fmt.Errorf("it has %d bytes, and at most %d are received", f.Size, n.config.MaxFile)}
	}
	return n.do(ctx, func(s *session) error {
		in, err := n.step(s).Open(n.inbox(name))
		if errors.Is(err, fs.ErrNotExist) {
			return clearing.ErrFileGone
		}
		if err == nil {
			defer func() {
				n.step(s)
				_ = in.Close() // it was only read
			}()
			err = n.download(ctx, s, in, name, f, take)
		}
		if replied(err) {
			return &clearing.FileError{Err: fmt.Errorf("the server refuses to send it: %w", cause(err))}
		}
		return err
	})
}

// part is the size of the parts of a download. Each has its time; the requests for it go
// out together.
const part = 1 << 20

// download passes on the bytes of an open file. If it is longer than it was when it was
// listed, the rest comes too: a server may remove what it has sent.
func (n *Clearinghouse) download(
	ctx context.Context, s *session, in *sftp.File, name string, f clearing.RemoteFile, take func(part []byte) error,
) error {
	buffer := make([]byte, min(part, max(f.Size, part/32)))
	t := n.transfer(ctx, s)
	for at, size := int64(0), f.Size; ; {
		for at < size {
			if err := t.next(); err != nil {
				return err
			}
			got, err := in.ReadAt(buffer[:min(int64(len(buffer)), size-at)], at)
			if at += int64(got); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			s.line.rest()
			if e := take(buffer[:got]); e != nil {
				return e
			}
			if err != nil {
				return clearing.ErrFileChanged // it is shorter
			}
		}
		now, err := n.changed(s, in, name, f)
		if err == nil || now <= size || now > n.config.MaxFile {
			return err
		}
		size = now
	}
}

// changed returns clearing.ErrFileChanged, and its size now, if an open file is not the one
// that was listed. Where the handle shows another one and the name does not, as at some
// servers, the name counts.
func (n *Clearinghouse) changed(s *session, in *sftp.File, name string, f clearing.RemoteFile) (size int64, err error) {
	n.step(s)
	open, unseen := in.Stat()
	if unseen == nil && same(open, f.Size, f.Time) {
		return f.Size, nil
	}
	there, gone := n.step(s).Lstat(n.inbox(name))
	switch {
	case unseen != nil && !replied(unseen):
		return 0, unseen
	case gone != nil && !replied(gone):
		return 0, gone
	case gone == nil && same(there, f.Size, f.Time), gone != nil && (unseen != nil || open.Size() == f.Size):
		return f.Size, nil //nolint:nilerr // nothing shows another version: all that was listed has come
	case unseen != nil:
		return f.Size, clearing.ErrFileChanged
	}
	return open.Size(), clearing.ErrFileChanged
}

// cause returns the reason of a refusal without the path, which may be hostile.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// Remove archives or deletes a file that was received, as the account says. A version
// that came since stays, and is received in its turn.
func (n *Clearinghouse) Remove(ctx context.Context, f clearing.RemoteFile, digest [32]byte) error {
	name, ok := unescaped(f.Name)
	if err := ctx.Err(); err != nil || !ok || n.config.After == AfterKeep {
		return err
	}
	return n.do(ctx, func(s *session) error {
		l := n.looks[name]
		if l != nil && n.now().Before(l.again) {
			return nil
		}
		info, err := n.step(s).Lstat(n.inbox(name))
		switch {
		case err != nil:
		case !same(info, f.Size, f.Time):
			return nil
		case n.config.After == AfterDelete:
			err = n.step(s).Remove(n.inbox(name))
		default:
			err = n.archive(s, name, f, hex.EncodeToString(digest[:16]))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if replied(err) {
			if l != nil {
				l.again = n.now().Add(removeAgain)
			}
			return &clearing.FileError{Err: fmt.Errorf("it was received and stays in the inbox: the server refuses to remove it: %w", cause(err))}
		}
		return err
	})
}

// archive moves a file to the archive. When the name is taken there, it gets one that its
// content determines. A version that came in between goes back.
func (n *Clearinghouse) archive(s *session, name string, f clearing.RemoteFile, mark string) error {
	to := path.Join(n.config.Archive, name)
	if _, err := n.step(s).Lstat(to); err == nil {
		to += "." + mark
		if _, err := n.step(s).Lstat(to); err == nil {
			return n.step(s).Remove(n.inbox(name)) // the same content is in the archive
		}
	}
	if err := n.step(s).Rename(n.inbox(name), to); err != nil {
		return err
	}
	if info, err := n.step(s).Lstat(to); err == nil && !same(info, f.Size, f.Time) {
		return n.step(s).Rename(to, n.inbox(name))
	}
	return nil
}
