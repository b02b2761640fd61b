package clearinghouse

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// The folders in the data folder.
const (
	filesFolder    = "files"
	inboundFolder  = "files/inbound"
	outboundFolder = "files/outbound"
	spoolFolder    = "state/spool"
	mailFolder     = "state/mail"
	readyFolder    = "state/ready"
	sentFolder     = "state/sent"
	tmpFolder      = "state/tmp"
)

const (
	privateFile   = 0o600
	privateFolder = 0o700
)

// folder is the data folder, which one process uses at a time.
type folder struct {
	*os.Root

	path string
	lock *os.File
}

func openFolder(path string) (_ *folder, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, privateFolder); err != nil {
		return nil, err
	}
	f := &folder{path: path}
	if f.Root, err = os.OpenRoot(path); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if f.lock, err = f.OpenFile("lock", os.O_CREATE|os.O_RDWR, privateFile); err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, fmt.Errorf("another clearinghouse uses %s: stop it, or give this one a folder of its own with --data DIR", path)
	}
	if err := f.RemoveAll(tmpFolder); err != nil { // what a killed process was writing
		return nil, err
	}
	for _, dir := range []string{inboundFolder, outboundFolder, spoolFolder, mailFolder, readyFolder, sentFolder, tmpFolder} {
		if err := f.MkdirAll(dir, privateFolder); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *folder) close() error {
	var err error
	if f.lock != nil {
		err = f.lock.Close()
	}
	return errors.Join(err, f.Close())
}

// join returns the path of a file, for people and other programs.
func (f *folder) join(name string) string { return filepath.Join(f.path, name) }

// replace writes a file in one step.
func (f *folder) replace(name string, content []byte) error {
	tmp := tmpFolder + "/" + rand.Text()
	if err := f.WriteFile(tmp, content, privateFile); err != nil {
		return errors.Join(err, f.forget(tmp))
	}
	return f.Rename(tmp, name)
}

// sentFor is how long the payers know a file of claims.
const sentFor = 90 * 24 * time.Hour

// sent returns the files of claims that the payers know, and forgets old ones.
func (f *folder) sent(now time.Time) (all []clearing.OutgoingFile, err error) {
	entries, err := fs.ReadDir(f.FS(), sentFolder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := sentFolder + "/" + e.Name()
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		if now.Sub(info.ModTime()) > sentFor {
			if err := f.forget(name); err != nil {
				return nil, err
			}
			continue
		}
		content, err := f.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, clearing.OutgoingFile{Scope: billing.Scope{Mode: billing.ModeTest}, Name: e.Name(), Content: content, At: info.ModTime()})
	}
	return all, nil
}

// forget removes a file, which may be absent.
func (f *folder) forget(name string) error {
	if err := f.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// secret reads a file, or makes it at the first start.
func (f *folder) secret(name string, generate func() ([]byte, error)) ([]byte, error) {
	content, err := f.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return content, err
	}
	if content, err = generate(); err != nil {
		return nil, err
	}
	return content, f.replace(name, content)
}

// password makes a random password of 32 hexadecimal digits.
func password() ([]byte, error) {
	b := make([]byte, 16)
	_, err := rand.Read(b)
	return []byte(hex.EncodeToString(b)), err
}
