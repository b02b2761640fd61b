package sftpnet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// look is what is known of a file in the inbox. Size and time identify its version.
type look struct {
	size int64
	time time.Time

	since  time.Time // when this version was first seen
	taken  bool      // it was received and need not be read again
	digest string    // of the content that was received; empty for none
	again  time.Time // when to try it again, because it could not be received
}

func (l *look) same(info fs.FileInfo) bool {
	return l.size == info.Size() && l.time.Equal(info.ModTime()) && info.Mode().IsRegular()
}

// faultsEvery is how often a file that cannot be received is reported, and tried again.
// grown is how long an interchange without its end must rest before it is reported: its
// writer may pause.
const (
	faultsEvery = time.Hour
	grown       = time.Minute
)

// maxName is the longest name that common file systems have.
const maxName = 255

// Receive returns files that rest: their size and time did not change since an earlier
// call. A file that cannot be received stays in the inbox; the error reports it, once
// an hour. Receive reads no folders, links or other special files, and no names that
// begin with a dot.
func (n *Clearinghouse) Receive(ctx context.Context, limit int) (files []billing.IncomingFile, err error) {
	var faults []error
	err = n.do(ctx, func(s *session) error {
		resting, err := n.list(s)
		if err != nil {
			return err
		}
		total := int64(0)
		for _, name := range resting {
			l := n.looks[name]
			if len(files) >= limit || total > 0 && total+l.size > n.config.MaxFile {
				return nil
			}
			content, fault, err := n.read(ctx, s, name, l)
			if err != nil {
				return err
			}
			if fault != nil {
				l.again = n.now().Add(faultsEvery)
				faults = append(faults, fault)
				continue
			}
			if content == nil {
				continue // it changed, or is gone
			}
			sum := sha256.Sum256(content)
			l.digest = hex.EncodeToString(sum[:])
			total += l.size
			files = append(files, billing.IncomingFile{Name: escaped(name), Content: content})
		}
		return nil
	})
	if len(faults) > 0 && err == nil {
		err = failure(billing.ReasonRefused, errors.Join(faults...))
	}
	return files, err
}

// list looks at the inbox, and returns the names of the files to read, the oldest first.
func (n *Clearinghouse) list(s *session) (resting []string, err error) {
	entries, err := n.step(s).ReadDir(n.config.Inbox)
	if err != nil {
		return nil, fmt.Errorf("list the inbox %s: %w", n.config.Inbox, err)
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
		switch {
		case l.taken, l.size == 0, now.Before(l.again):
		case now.Sub(l.since) >= n.config.Times.Settle:
			resting = append(resting, name)
		}
	}
	n.looks = found
	slices.SortFunc(resting, func(a, b string) int {
		return cmp.Or(found[a].time.Compare(found[b].time), strings.Compare(a, b))
	})
	return resting, nil
}

func (n *Clearinghouse) inbox(name string) string { return path.Join(n.config.Inbox, name) }

// read reads a version of a file. It returns nil for a version that is gone. The fault
// concerns the file alone, the error the session.
func (n *Clearinghouse) read(ctx context.Context, s *session, name string, l *look) (content []byte, fault, err error) {
	if l.size > n.config.MaxFile {
		return nil, fmt.Errorf("%s stays in the inbox: it has %d bytes, and at most %d are received", escaped(name), l.size, n.config.MaxFile), nil
	}
	content, err = n.download(ctx, s, name, l.size)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errShorter):
		return nil, nil, nil
	case replied(err):
		return nil, fmt.Errorf("%s stays in the inbox: the server refuses to send it: %w", escaped(name), cause(err)), nil
	case err != nil:
		return nil, nil, err
	}
	// It may have changed meanwhile, and the name may stand for another file by now.
	info, err := n.step(s).Lstat(n.inbox(name))
	switch {
	case err != nil && !replied(err):
		return nil, nil, err
	case replied(err) || !l.same(info):
		return nil, nil, nil
	}
	if !complete(content) {
		if l.again = l.since.Add(grown); n.now().Before(l.again) {
			return nil, nil, nil
		}
		return nil, fmt.Errorf("%s stays in the inbox: its interchange does not end, so the file is incomplete", escaped(name)), nil
	}
	return content, nil, nil
}

var errShorter = errors.New("the file is shorter than it was")

// part is the size of the parts of a download. Each has its time; the requests for it go
// out together.
const part = 1 << 20

// download reads the first bytes of a file.
func (n *Clearinghouse) download(ctx context.Context, s *session, name string, size int64) ([]byte, error) {
	in, err := n.step(s).Open(n.inbox(name))
	if err != nil {
		return nil, err
	}
	defer func() {
		n.step(s)
		_ = in.Close() // it was only read
	}()
	content := make([]byte, size)
	t := n.transfer(ctx, s)
	for at := int64(0); at < size; at += part {
		if err := t.next(); err != nil {
			return nil, err
		}
		_, err := in.ReadAt(content[at:min(at+part, size)], at)
		if errors.Is(err, io.EOF) {
			return nil, errShorter
		}
		if err != nil {
			return nil, err
		}
	}
	return content, nil
}

// cause returns the reason of a refusal without the path, which may be hostile.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// The positions in the fixed first segment of an interchange (ISA).
const (
	separatorAt  = 3
	terminatorAt = 105
)

// complete reports whether the last segment of an interchange is its end (IEA). Any
// other file is complete.
func complete(content []byte) bool {
	content = bytes.TrimLeft(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), " \t\r\n")
	if !bytes.HasPrefix(content, []byte("ISA")) {
		return true
	}
	if len(content) <= terminatorAt {
		return false
	}
	separator, terminator := content[separatorAt], content[terminatorAt]
	content = bytes.TrimRight(content, " \t\r\n\x00\x1a")
	if terminator == '\r' || terminator == '\n' {
		content = append(slices.Clip(content), terminator) // it was trimmed
	}
	if content[len(content)-1] != terminator {
		return false
	}
	last := content[:len(content)-1]
	last = bytes.TrimLeft(last[bytes.LastIndexByte(last, terminator)+1:], " \t\r\n")
	return bytes.HasPrefix(last, []byte{'I', 'E', 'A', separator})
}

// Remove archives or deletes a file that was received, as the account says. A version
// that came since stays, and is received in its turn.
func (n *Clearinghouse) Remove(ctx context.Context, name string) error {
	name, ok := unescaped(name)
	if err := ctx.Err(); err != nil || !ok {
		return err
	}
	if n.config.After == AfterKeep {
		return n.remember(ctx, name)
	}
	return n.do(ctx, func(s *session) error {
		info, err := n.step(s).Lstat(n.inbox(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		l := n.looks[name]
		if err == nil && (info.IsDir() || l != nil && l.digest != "" && !l.same(info)) {
			return nil
		}
		if err == nil && n.config.After == AfterDelete {
			err = n.step(s).Remove(n.inbox(name))
		} else if err == nil {
			err = n.archive(s, name, l)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case replied(err) && l != nil:
			l.taken = true // it would come at each poll
			return fmt.Errorf("%s was received and stays in the inbox: the server refuses to remove it: %w", escaped(name), cause(err))
		}
		return err
	})
}

// remember keeps a file from being read again.
func (n *Clearinghouse) remember(ctx context.Context, name string) error {
	if err := n.take(ctx); err != nil {
		return err
	}
	defer n.leave()
	if l := n.looks[name]; l != nil && l.digest != "" {
		l.taken = true
	}
	return nil
}

// archive moves a file to the archive. When the name is taken there, it gets one that
// its content determines. A version that came in between goes back.
func (n *Clearinghouse) archive(s *session, name string, l *look) error {
	known := l != nil && l.digest != ""
	to := path.Join(n.config.Archive, name)
	if _, err := n.step(s).Lstat(to); err == nil {
		mark := strconv.FormatInt(n.now().UnixNano(), 10)
		if known {
			mark = l.digest[:32]
		}
		to += "." + mark
		if _, err := n.step(s).Lstat(to); err == nil && known {
			return n.step(s).Remove(n.inbox(name)) // the same content is in the archive
		}
	}
	if err := n.step(s).Rename(n.inbox(name), to); err != nil || !known {
		return err
	}
	if info, err := n.step(s).Lstat(to); err == nil && !l.same(info) {
		return n.step(s).Rename(to, n.inbox(name))
	}
	return nil
}
