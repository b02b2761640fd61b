package clearinghouse

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pkg/sftp"
)

// maxHandles is the maximum number of files and folders that a session has open.
const maxHandles = 64

var errManyHandles = errors.New("too many open files in this session")

// handlers serve one session. Paths are cleaned by the library, and the root keeps
// whatever they name inside the account.
type handlers struct {
	account *account
	faults  Faults
	cut     func()          // ends the connection
	gone    <-chan struct{} // closed when the client is gone
	open    atomic.Int32
}

var (
	_ sftp.FileReader           = (*handlers)(nil)
	_ sftp.OpenFileWriter       = (*handlers)(nil)
	_ sftp.PosixRenameFileCmder = (*handlers)(nil)
	_ sftp.LstatFileLister      = (*handlers)(nil)
)

// local returns a path below the account.
func local(p string) string { return cmp.Or(strings.TrimPrefix(path.Clean("/"+p), "/"), ".") }

// fixed reports whether a path is a folder that every client needs.
func fixed(name string) bool {
	return name == "." || filesFolder+"/"+name == inboundFolder || filesFolder+"/"+name == outboundFolder
}

// status returns an error as the protocol has it, without a path of this machine.
func status(err error) error {
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return sftp.ErrSSHFxNoSuchFile
	case errors.Is(err, fs.ErrPermission):
		return sftp.ErrSSHFxPermissionDenied
	case errors.Is(err, errAccountFull), errors.Is(err, errFileTooLarge), errors.Is(err, errManyHandles):
		return err
	default:
		return errors.New(withoutPath(err).Error()) // such as: file exists
	}
}

// acquire counts an open file or folder.
func (h *handlers) acquire() error {
	if h.open.Add(1) > maxHandles {
		h.open.Add(-1)
		return errManyHandles
	}
	return nil
}

// Fileread opens a file for a download.
func (h *handlers) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	if err := h.acquire(); err != nil {
		return nil, err
	}
	t, err := h.transfer(func() (*os.File, error) { return h.account.root.Open(local(r.Filepath)) })
	if err != nil {
		return nil, err
	}
	if info, err := t.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(t.Close(), sftp.ErrSSHFxFailure)
	}
	return t, nil
}

// Filewrite opens a file for an upload.
func (h *handlers) Filewrite(r *sftp.Request) (io.WriterAt, error) { return h.OpenFile(r) }

// OpenFile opens a file for writing, and for reading if the client wants that too.
func (h *handlers) OpenFile(r *sftp.Request) (sftp.WriterAtReaderAt, error) {
	name, asked := local(r.Filepath), r.Pflags()
	if h.faults.strikes(sftpFull) {
		return nil, errAccountFull
	}
	flags := os.O_RDWR
	if asked.Creat {
		flags |= os.O_CREATE
		if _, err := h.account.root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			if err := h.account.add(usage{entries: 1}); err != nil {
				return nil, err
			}
		}
	}
	if asked.Trunc {
		flags |= os.O_TRUNC
	}
	if asked.Excl {
		flags |= os.O_EXCL
	}
	if err := h.acquire(); err != nil {
		return nil, err
	}
	t, err := h.transfer(func() (*os.File, error) { return h.account.open(name, flags) })
	if err != nil {
		return nil, err
	}
	t.upload = true
	info, err := t.file.Stat()
	if err != nil {
		return nil, errors.Join(t.Close(), status(err))
	}
	t.size = info.Size()
	if asked.Append {
		t.base = t.size
	}
	return t, nil
}

// transfer wraps a file that open opens. It counts as open until it is closed.
func (h *handlers) transfer(open func() (*os.File, error)) (*transfer, error) {
	f, err := open()
	if err != nil {
		h.open.Add(-1)
		return nil, status(err)
	}
	t := &transfer{handlers: h, file: f, cutAfter: math.MaxInt64, hangAfter: math.MaxInt64}
	if h.faults.strikes(sftpCut) {
		t.cutAfter = someBytes()
	}
	if h.faults.strikes(sftpHang) {
		t.hangAfter = someBytes()
	}
	return t, nil
}

// transfer is an open file.
type transfer struct {
	*handlers

	file   *os.File
	upload bool
	base   int64 // the size before an append, which some clients count from 0

	mu                  sync.Mutex
	size, moved         int64
	cutAfter, hangAfter int64
}

// fails cuts or hangs the transfer once enough bytes have moved, and returns how
// many of n bytes may move.
func (t *transfer) fails(n int) (int, error) {
	t.mu.Lock()
	t.moved += int64(n)
	moved := t.moved
	t.mu.Unlock()
	switch {
	case moved > t.cutAfter:
		return max(0, n-int(moved-t.cutAfter)), sftp.ErrSSHFxConnectionLost
	case moved > t.hangAfter:
		<-t.gone
		return 0, sftp.ErrSSHFxConnectionLost
	default:
		return n, nil
	}
}

func (t *transfer) ReadAt(b []byte, at int64) (int, error) {
	n, err := t.file.ReadAt(b, at)
	if allowed, cut := t.fails(n); cut != nil {
		t.cut()
		return allowed, cut
	}
	return n, status(err)
}

func (t *transfer) WriteAt(b []byte, at int64) (int, error) {
	at += t.base
	end := at + int64(len(b))
	if at < 0 || end > t.account.limits.file {
		return 0, errFileTooLarge
	}
	allowed, cut := t.fails(len(b))
	t.mu.Lock()
	grows := max(0, end-t.size)
	t.size += grows
	t.mu.Unlock()
	if grows > 0 {
		if err := t.account.add(usage{bytes: grows}); err != nil {
			return 0, err
		}
	}
	n, err := t.file.WriteAt(b[:allowed], at)
	if cut != nil {
		t.cut()
		return n, cut
	}
	return n, status(err)
}

// Close ends the transfer.
func (t *transfer) Close() error {
	t.open.Add(-1)
	if t.upload {
		return status(t.account.closed(t.file))
	}
	return status(t.file.Close())
}

// Filecmd changes files and folders.
func (h *handlers) Filecmd(r *sftp.Request) error {
	name := local(r.Filepath)
	switch r.Method {
	case "Setstat":
		return h.setstat(name, r)
	case "Rename":
		target := local(r.Target)
		if _, err := h.account.root.Lstat(target); err == nil {
			return errors.New("file exists")
		}
		return h.rename(name, target)
	case "Remove":
		info, err := h.account.root.Lstat(name)
		if err == nil && info.IsDir() {
			return errors.New("this is a folder")
		}
		return status(h.account.root.Remove(name))
	case "Rmdir":
		if fixed(name) {
			return sftp.ErrSSHFxPermissionDenied
		}
		info, err := h.account.root.Lstat(name)
		if err == nil && !info.IsDir() {
			return errors.New("this is not a folder")
		}
		return status(h.account.root.Remove(name))
	case "Mkdir":
		if err := h.account.add(usage{entries: 1}); err != nil {
			return err
		}
		return status(h.account.root.Mkdir(name, privateFolder))
	default: // links
		return sftp.ErrSSHFxOpUnsupported
	}
}

// PosixRename renames a file over another.
func (h *handlers) PosixRename(r *sftp.Request) error {
	return h.rename(local(r.Filepath), local(r.Target))
}

func (h *handlers) rename(from, to string) error {
	if fixed(from) || fixed(to) || h.faults.strikes(sftpRename) {
		return sftp.ErrSSHFxPermissionDenied
	}
	return status(h.account.root.Rename(from, to))
}

// setstat sets the size and the times. Modes and owners do not change, and no client
// depends on them.
func (h *handlers) setstat(name string, r *sftp.Request) error {
	flags, attributes := r.AttrFlags(), r.Attributes()
	if flags.Size {
		size := attributes.Size
		if size > uint64(h.account.limits.file) { //nolint:gosec // G115: the limit is positive
			return errFileTooLarge
		}
		f, err := h.account.open(name, os.O_RDWR)
		if err != nil {
			return status(err)
		}
		info, err := f.Stat()
		if err == nil {
			err = h.account.add(usage{bytes: max(0, int64(size)-info.Size())}) //nolint:gosec // G115: below the limit
		}
		if err == nil {
			err = f.Truncate(int64(size)) //nolint:gosec // G115: below the limit
		}
		if err := errors.Join(err, h.account.closed(f)); err != nil {
			return status(err)
		}
	}
	if flags.Acmodtime {
		return status(h.account.root.Chtimes(name, time.Unix(int64(attributes.Atime), 0), time.Unix(int64(attributes.Mtime), 0)))
	}
	_, err := h.account.root.Lstat(name)
	return status(err)
}

// Filelist lists a folder, or returns one file.
func (h *handlers) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	name := local(r.Filepath)
	switch r.Method {
	case "Stat":
		info, err := h.account.root.Stat(name)
		return listing{info}, status(err)
	case "List":
		dir, err := h.account.root.Open(name)
		if err != nil {
			return nil, status(err)
		}
		defer func() { _ = dir.Close() }()
		all, err := dir.Readdir(-1)
		if err != nil {
			return nil, status(err)
		}
		if err := h.acquire(); err != nil {
			return nil, err
		}
		slices.SortFunc(all, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
		return &openListing{all, h}, nil
	default:
		return nil, sftp.ErrSSHFxOpUnsupported
	}
}

// Lstat returns one file.
func (h *handlers) Lstat(r *sftp.Request) (sftp.ListerAt, error) {
	info, err := h.account.root.Lstat(local(r.Filepath))
	return listing{info}, status(err)
}

// listing is a list of files.
type listing []fs.FileInfo

func (l listing) ListAt(to []fs.FileInfo, at int64) (int, error) {
	if at >= int64(len(l)) {
		return 0, io.EOF
	}
	n := copy(to, l[at:])
	if int(at)+n == len(l) {
		return n, io.EOF
	}
	return n, nil
}

// openListing is a folder that is open until it is closed.
type openListing struct {
	listing

	handlers *handlers
}

// Close ends the listing.
func (l *openListing) Close() error {
	l.handlers.open.Add(-1)
	return nil
}
