package clearinghouse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// limits bound what clients may store. What exceeds them is refused; nothing that
// was accepted is dropped.
type limits struct {
	file    int64 // bytes of one file
	bytes   int64 // of all files in the account
	entries int   // files and folders in the account
	waiting int   // messages that are not delivered yet; beyond them, files stay in inbound
}

// usualLimits are those of the program.
func usualLimits() limits {
	return limits{file: 128 << 20, bytes: 4 << 30, entries: 10_000, waiting: 50_000}
}

// The errors for a client.
var (
	errFileTooLarge = errors.New("the file is larger than the limit of 128 MB")
	errAccountFull  = errors.New("the account is full: remove files, or wait until those in inbound are read")
)

// account is the folder of the SFTP account, which all sessions share.
type account struct {
	root   *os.Root
	limits limits

	mu      sync.Mutex
	writing map[*os.File]bool // files that a session may write to
	counted usage             // at the last survey
	grown   usage             // since its begin, at most
}

// usage is what an account stores.
type usage struct {
	bytes   int64
	entries int
}

func openAccount(f *folder, l limits) (*account, error) {
	root, err := f.OpenRoot(filesFolder)
	if err != nil {
		return nil, err
	}
	a := &account{root: root, limits: l, writing: map[*os.File]bool{}}
	return a, a.survey()
}

// survey counts what the account stores. What is added meanwhile may count twice,
// until the next survey.
func (a *account) survey() error {
	a.mu.Lock()
	before := a.grown
	a.mu.Unlock()
	var u usage
	err := fs.WalkDir(a.root.FS(), ".", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				u.bytes += info.Size()
			}
		}
		u.entries++
		if errors.Is(err, fs.ErrNotExist) { // it was removed or taken meanwhile
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("count the files of the account: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.counted, a.grown = u, usage{a.grown.bytes - before.bytes, a.grown.entries - before.entries}
	return nil
}

// add reserves room, or returns errAccountFull.
func (a *account) add(more usage) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	after := usage{a.grown.bytes + more.bytes, a.grown.entries + more.entries}
	if a.counted.bytes+after.bytes > a.limits.bytes || a.counted.entries+after.entries > a.limits.entries {
		return errAccountFull
	}
	a.grown = after
	return nil
}

// note counts what the reader adds, without a limit.
func (a *account) note(more usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.grown = usage{a.grown.bytes + more.bytes, a.grown.entries + more.entries}
}

// full reports whether there is no room for another file.
func (a *account) full() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counted.bytes+a.grown.bytes >= a.limits.bytes || a.counted.entries+a.grown.entries >= a.limits.entries
}

// open opens a file for writing. From then on until closed, the file is not taken.
func (a *account) open(name string, flags int) (*os.File, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, err := a.root.OpenFile(name, flags, privateFile)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, f.Close(), fs.ErrPermission)
	}
	a.writing[f] = true
	return f, nil
}

func (a *account) closed(f *os.File) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.writing, f)
	return f.Close()
}

// take calls move unless a session may still write to the file.
func (a *account) take(file fs.FileInfo, move func() error) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for f := range a.writing {
		if open, err := f.Stat(); err == nil && os.SameFile(open, file) {
			return false, nil
		}
	}
	return true, move()
}
