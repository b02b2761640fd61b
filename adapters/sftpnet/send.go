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

	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
)

// lastPart is the size of the last part of a file. What comes before it has no end of an
// interchange, so no clearinghouse can process it.
const lastPart = 1 << 10

// tokenDirect begins the token of a direct upload. Any other token is a temporary name,
// which has no slash.
const tokenDirect = "direct/"

// Send uploads a file, under a temporary name that it then renames or directly, as the
// account says. A temporary file is marked before its last part, a direct one before its
// first. A later Send only ends what the mark began: it completes the file under its
// temporary name, and renames it. When the server does not show where the file is, the
// outcome is unknown. When the server itself refuses a part, the mark is taken back.
// ADR 61 has the table.
func (n *Clearinghouse) Send(ctx context.Context, f clearing.OutgoingFile, mark func(ctx context.Context, token string) error) error {
	if f.Name == "" || f.Name != path.Base(f.Name) || f.Name == "." || f.Name == ".." || strings.ContainsRune(f.Name, 0) {
		return fmt.Errorf("sftpnet: %q is no name for a file in the outbox", f.Name)
	}
	return n.do(ctx, func(s *session) error {
		u := &upload{n, s, f, mark}
		return u.send(ctx)
	})
}

// upload is one attempt to send a file.
type upload struct {
	*Clearinghouse

	s    *session
	file clearing.OutgoingFile
	mark func(ctx context.Context, token string) error
}

func (u *upload) final() string            { return path.Join(u.config.Outbox, u.file.Name) }
func (u *upload) temp(token string) string { return path.Join(u.config.TempFolder, path.Base(token)) }

// sight is what the server shows under a name.
type sight string

const (
	absent  sight = "is absent"
	shorter sight = "is incomplete"
	whole   sight = "is complete"
	other   sight = "is not that file"
	hidden  sight = "is not shown" // the server refuses to say
)

// see looks for the file under a path.
func (u *upload) see(at string) (sight, error) {
	info, err := u.step(u.s).Lstat(at)
	size := int64(len(u.file.Content))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err != nil && replied(err):
		return hidden, nil
	case err != nil:
		return hidden, fmt.Errorf("look for %s: %w", at, err)
	case !info.Mode().IsRegular() || info.Size() > size:
		return other, nil
	case info.Size() < size:
		return shorter, nil
	}
	return whole, nil
}

// unknown is the error when what the server shows does not settle the outcome.
func (u *upload) unknown(at string, shown sight) error {
	return fmt.Errorf("%s %s: %w", at, shown, network.ErrOutcomeUnknown)
}

// send decides by the token and by what is under the file's own name.
func (u *upload) send(ctx context.Context) error {
	token := u.file.Token
	shown, err := u.see(u.final())
	switch {
	case err != nil:
		return err
	case shown == whole:
		u.clear("")
		return nil
	case strings.HasPrefix(token, tokenDirect):
		return u.unknown(u.final(), shown)
	case token != "":
		return u.resume(ctx, token)
	case shown == hidden:
		return failure(network.ReasonRefused, fmt.Errorf("the server does not show whether %s is there", u.final()))
	case u.config.Direct && shown != other:
		return u.direct(ctx, shown)
	case shown == absent:
		return u.rename(ctx)
	}
	return fmt.Errorf("%s %s; remove it there", u.final(), shown)
}

// direct uploads the file under its own name. A server that acts at the end of an upload
// may act on a part, too, and reject it: so no part is ever followed by another upload,
// unless the server refused the part. The mark comes first, so no two senders write.
func (u *upload) direct(ctx context.Context, shown sight) error {
	id, err := random()
	if err != nil {
		return err
	}
	if err := u.mark(ctx, tokenDirect+id); err != nil {
		return err
	}
	if shown == shorter { // since a refusal, or the operator's decision
		_ = removeFile(u.step(u.s), u.final())
	}
	opened, err := u.put(ctx, u.s, u.final(), os.O_CREATE|os.O_EXCL, u.file.Content, nil)
	switch {
	case err != nil && !replied(err):
		return err
	case opened == closed:
		return u.refused(ctx, err)
	}
	acknowledged := err == nil // each byte, and the end of the upload
	switch shown, e := u.see(u.final()); {
	case shown == whole, acknowledged && shown != shorter && shown != other:
		return nil
	case e != nil:
		return e
	case shown == shorter && !acknowledged:
		_ = removeFile(u.step(u.s), u.final())
		return u.refused(ctx, err)
	default:
		return u.unknown(u.final(), shown)
	}
}

// rename uploads the file under a temporary name, which no other upload has, and
// renames it.
func (u *upload) rename(ctx context.Context) error {
	id, err := random()
	if err != nil {
		return err
	}
	token := u.config.TempPrefix + u.file.Name + "." + id
	var failed error
	reached, err := u.put(ctx, u.s, u.temp(token), os.O_CREATE|os.O_EXCL, u.file.Content, func() error {
		failed = u.mark(ctx, token)
		return failed
	})
	switch {
	case reached == ended:
		return u.finish(ctx, token, err)
	case failed != nil: // the mark may be stored, so the evidence stays
	case reached == begun:
		u.discard(u.s, u.temp(token))
	}
	return err
}

// resume ends what the sender of the token began. A file without its last part is written
// once more: the bytes and the name are the same, so it stays one file.
func (u *upload) resume(ctx context.Context, token string) error {
	shown, err := u.see(u.temp(token))
	if err == nil && shown == shorter {
		var reached stage
		if reached, err = u.put(ctx, u.s, u.temp(token), 0, u.file.Content, nil); reached == ended {
			return u.finish(ctx, token, err)
		}
	}
	switch {
	case err != nil && !replied(err):
		return err
	case shown == whole:
		return u.deliver(token)
	}
	return u.unknown(u.temp(token), shown)
}

// finish renames the file whose upload has ended.
func (u *upload) finish(ctx context.Context, token string, err error) error {
	if err != nil && !replied(err) {
		return err
	}
	shown, e := u.see(u.temp(token))
	switch {
	case e != nil:
		return e
	case shown == whole:
		return u.deliver(token)
	case shown == shorter && err != nil:
		_ = removeFile(u.step(u.s), u.temp(token)) // or clear does
		return u.refused(ctx, err)
	case shown == absent && err == nil:
		if final, e := u.see(u.final()); e != nil || final == whole {
			return e // another sender has renamed it
		}
		return fmt.Errorf("the server took %s at the end of its upload: if it takes each file then, set the option upload to direct: %w",
			u.temp(token), network.ErrOutcomeUnknown)
	}
	return u.unknown(u.temp(token), shown)
}

// refused takes the mark back, because the server refused a part. The next Send begins
// again.
func (u *upload) refused(ctx context.Context, err error) error {
	if e := u.mark(ctx, ""); e != nil {
		return e
	}
	return err
}

// deliver renames the complete file. The server never replaces a file by this rename.
func (u *upload) deliver(token string) error {
	u.clear(path.Base(token))
	err := u.step(u.s).Rename(u.temp(token), u.final())
	if err == nil {
		return nil
	}
	if !replied(err) {
		return fmt.Errorf("rename %s: %w", u.file.Name, err)
	}
	final, e := u.see(u.final())
	if e != nil || final == whole {
		return e
	}
	shown, e := u.see(u.temp(token))
	switch {
	case e != nil:
		return e
	case shown == whole && u.file.Token == "":
		return fmt.Errorf("rename %s to %s: %w", u.temp(token), u.final(), err) // the next Send tries once more
	}
	return fmt.Errorf("%s %s, %s %s, and the server refuses to rename it (%s); if it never allows that, set the option upload to direct: %w",
		u.final(), final, u.temp(token), shown, err.Error(), network.ErrOutcomeUnknown)
}

// stage is how far an upload came.
type stage int

const (
	closed stage = iota // no file was opened
	begun               // the last part was not written
	ended               // the last part may have been written
)

// put writes a file, and calls mark before the last part. The error of mark is returned
// as it is.
func (n *Clearinghouse) put(ctx context.Context, s *session, name string, flags int, content []byte, mark func() error) (stage, error) {
	out, err := n.step(s).OpenFile(name, os.O_WRONLY|flags)
	if err != nil {
		return closed, fmt.Errorf("upload %s: %w", name, err)
	}
	t, reached := n.transfer(ctx, s), begun
	first := content[:max(0, len(content)-lastPart)]
	_, err = out.ReadFrom(&source{bytes.NewReader(first), t})
	if err == nil && mark != nil {
		s.line.rest() // the mark may take longer than a step
		if err := mark(); err != nil {
			n.step(s)
			_ = out.Close()
			return begun, err
		}
	}
	if err == nil {
		reached = ended
		_, err = out.ReadFrom(&source{bytes.NewReader(content[len(first):]), t})
	}
	if _, can := s.sftp.HasExtension("fsync@openssh.com"); can && err == nil {
		n.step(s)
		err = out.Sync()
	}
	n.step(s)
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		err = fmt.Errorf("upload %s: %w", name, err)
	}
	return reached, err
}

func random() (string, error) {
	b := make([]byte, 8)
	_, err := rand.Read(b)
	return hex.EncodeToString(b), err
}

// transfer gives each part of a transfer its time.
type transfer struct {
	n   *Clearinghouse
	s   *session
	ctx context.Context // the parts are read by a library
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
		return failure(network.ReasonTimeout, errSlow)
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

// clear removes the other temporary files of a file that is marked or delivered. They
// are of uploads that did not end, or were overtaken: nothing can deliver them. What
// cannot be removed stays.
func (u *upload) clear(except string) {
	entries, err := u.step(u.s).ReadDir(u.config.TempFolder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Name() != except && strings.HasPrefix(e.Name(), u.config.TempPrefix+u.file.Name+".") && e.Mode().IsRegular() {
			u.discard(u.s, u.temp(e.Name()))
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
