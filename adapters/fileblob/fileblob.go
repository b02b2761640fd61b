// Package fileblob keeps images in a folder: a ports.Blobs for one machine.
//
// A blob is written to a file under incoming, forced to disk, and renamed to
// its name. A process that is killed at any moment leaves the old blob, the new
// one, or none. Several processes may use one folder.
package fileblob

import (
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

const (
	// incoming holds what is being written. No blob can have such a name.
	incoming = "incoming~"
	// abandoned is the age from which a file under incoming counts as left by a
	// killed process. Writing 15 MB takes seconds.
	abandoned = time.Hour

	folderMode, fileMode = 0o700, 0o600
)

// The errors of a wrong name, and of content that differs from its description.
var (
	ErrName    = errors.New("fileblob: no name for a blob")
	ErrContent = errors.New("fileblob: the content has another size or other sums than described")
)

// Store is a folder of blobs. It is safe for use by many goroutines.
type Store struct{ root *os.Root }

var _ ports.Blobs = (*Store)(nil)

// Open opens the folder, makes it when it is missing, and removes what killed
// processes left in it. Only the process's user can read the files.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, fmt.Errorf("fileblob: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("fileblob: %w", err)
	}
	s := &Store{root}
	if err := errors.Join(root.MkdirAll(incoming, folderMode), s.clean(time.Now().Add(-abandoned))); err != nil {
		_ = root.Close()
		return nil, fmt.Errorf("fileblob: %w", err)
	}
	return s, nil
}

// Close closes the folder.
func (s *Store) Close() error { return s.root.Close() }

// clean removes the unnamed files that were last written before a time.
func (s *Store) clean(before time.Time) error {
	entries, err := fs.ReadDir(s.root.FS(), incoming)
	for _, e := range entries {
		info, statErr := e.Info()
		if statErr == nil && info.ModTime().Before(before) {
			statErr = s.root.Remove(path.Join(incoming, e.Name()))
		}
		if !errors.Is(statErr, fs.ErrNotExist) { // another process was quicker
			err = errors.Join(err, statErr)
		}
	}
	return err
}

// Put keeps a blob. When it returns nil, the blob survives a loss of power.
func (s *Store) Put(ctx context.Context, name string, b ports.Blob) (err error) {
	if !billing.ValidBlobName(name) {
		return ErrName
	}
	temp := path.Join(incoming, rand.Text())
	f, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return failure("put", err)
	}
	err = errors.Join(write(ctx, f, b), f.Close())
	if err == nil {
		err = s.name(temp, name)
	}
	if err != nil {
		_ = s.root.Remove(temp)
		return failure("put", err)
	}
	return nil
}

// failure is the error of a call that failed. When the system refuses, because
// the disk is full or the folder is gone, it is StorageUnavailable. A blob in the
// place of a folder is the name's fault.
func failure(call string, err error) error {
	_, refused := errors.AsType[*fs.PathError](err)
	err = fmt.Errorf("fileblob: %s: %w", call, err)
	if refused && !errors.Is(err, fs.ErrExist) {
		return billing.StorageUnavailable(err)
	}
	return err
}

// write fills the file, and fails when the content differs from b's description.
func write(ctx context.Context, f *os.File, b ports.Blob) error {
	md5sum, sha := md5.New(), sha256.New()
	n, err := io.Copy(io.MultiWriter(f, md5sum, sha), io.LimitReader(reader{ctx, b.Content}, b.Size+1))
	if err != nil {
		return err
	}
	if n != b.Size || [md5.Size]byte(md5sum.Sum(nil)) != b.MD5 || [sha256.Size]byte(sha.Sum(nil)) != b.SHA256 {
		return ErrContent
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return ctx.Err()
}

// name renames the file to its name, and replaces an earlier blob.
func (s *Store) name(temp, name string) error {
	if err := s.root.MkdirAll(path.Dir(name), folderMode); err != nil {
		return err
	}
	if err := s.root.Rename(temp, name); err != nil {
		return err
	}
	// Another process may have made any of the folders a moment ago, so all are
	// forced to disk, not only the last.
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if err := s.syncFolder(dir); err != nil || dir == "." {
			return err
		}
	}
}

func (s *Store) syncFolder(dir string) error {
	f, err := s.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// reader stops when its context does.
type reader struct {
	ctx context.Context
	src io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.src.Read(p)
}

// Open reads a blob. The content stays whole and the same, even if the blob is
// replaced or deleted meanwhile.
func (s *Store) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if !billing.ValidBlobName(name) {
		return nil, 0, ErrName
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	f, err := s.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, billing.NotFound("image", "")
	}
	if err != nil {
		return nil, 0, failure("open", err)
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		return f, info.Size(), nil
	}
	_ = f.Close()
	if err != nil {
		return nil, 0, failure("open", err)
	}
	return nil, 0, billing.NotFound("image", "")
}

// Delete removes a blob.
func (s *Store) Delete(ctx context.Context, name string) error {
	if !billing.ValidBlobName(name) {
		return ErrName
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := s.root.Lstat(name)
	if err == nil && info.Mode().IsRegular() {
		err = s.root.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = s.syncFolder(path.Dir(name)) // or a loss of power brings it back
	}
	if err != nil {
		return failure("delete", err)
	}
	return nil
}

// List returns the blobs whose names begin with prefix.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[ports.BlobInfo, error] {
	return func(yield func(ports.BlobInfo, error) bool) {
		err := s.walk(ctx, prefix, func(b ports.BlobInfo) bool { return yield(b, nil) })
		if err != nil {
			yield(ports.BlobInfo{}, err)
		}
	}
}

// After lists the blobs whose names come after the given one.
func (s *Store) After(ctx context.Context, prefix, name string) iter.Seq2[ports.BlobInfo, error] {
	return func(yield func(ports.BlobInfo, error) bool) {
		var all []ports.BlobInfo
		err := s.walk(ctx, prefix, func(b ports.BlobInfo) bool {
			if b.Name > name {
				all = append(all, b)
			}
			return true
		})
		slices.SortFunc(all, func(a, b ports.BlobInfo) int { return strings.Compare(a.Name, b.Name) }) // a walk sorts folder by folder
		for _, b := range all {
			if err == nil && !yield(b, nil) {
				return
			}
		}
		if err != nil {
			yield(ports.BlobInfo{}, err)
		}
	}
}

// walk calls each for every blob, until it returns false.
func (s *Store) walk(ctx context.Context, prefix string, each func(ports.BlobInfo) bool) error {
	if !billing.ValidBlobPrefix(prefix) {
		return ErrName
	}
	// A folder that was deleted while it is open reads as an empty one.
	if _, err := s.root.Stat(incoming); err != nil {
		return failure("list", err)
	}
	err := fs.WalkDir(s.root.FS(), path.Dir(prefix+"x"), func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) { // the prefix's folder, or one that went away
			return nil
		}
		if err != nil || !strings.HasPrefix(name, prefix) || !billing.ValidBlobName(name) || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !each(ports.BlobInfo{Name: name, Size: info.Size(), WrittenAt: info.ModTime()}) {
			return fs.SkipAll
		}
		return err
	})
	if err != nil {
		return failure("list", err)
	}
	return nil
}

// Ready writes a file and removes it.
func (s *Store) Ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	temp := path.Join(incoming, rand.Text())
	f, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err == nil {
		_, err = f.WriteString("ready")
		err = errors.Join(err, f.Close(), s.root.Remove(temp))
	}
	if err != nil {
		return failure("ready", err)
	}
	return nil
}
