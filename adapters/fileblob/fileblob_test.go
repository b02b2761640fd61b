package fileblob_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/blobtest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerEnv); dir != "" {
		writeUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}

func open(tb testing.TB, dir string) *fileblob.Store {
	tb.Helper()
	s, err := fileblob.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func TestContract(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blobtest.Fixture {
		t.Helper()
		return blobtest.Fixture{Blobs: open(t, filepath.Join(t.TempDir(), "blobs"))}
	})
}

func blob(content []byte) ports.Blob {
	return ports.Blob{
		Size: int64(len(content)), MD5: md5.Sum(content), SHA256: sha256.Sum256(content), Content: bytes.NewReader(content),
	}
}

// TestModes: no other user of the machine reads an image.
func TestModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "blobs")
	if err := open(t, dir).Put(t.Context(), "documents/one", blob([]byte("x"))); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(name)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestFailedPutsLeaveNothing looks where a list does not.
func TestFailedPutsLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	b := blob([]byte("x"))
	b.Size = 2
	if err := s.Put(t.Context(), "documents/one", b); !errors.Is(err, fileblob.ErrContent) {
		t.Errorf("put: %v", err)
	}
	if err := s.Put(t.Context(), "folder/one", blob([]byte("x"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"folder", "folder/one/two"} { // a blob is no folder, and a folder no blob
		if err := s.Put(t.Context(), name, blob([]byte("x"))); err == nil || billing.CodeOf(err) != billing.CodeInternal {
			t.Errorf("put %s: %v", name, err)
		}
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if left := incoming(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// TestLinksDoNotLeaveTheFolder: a person who can make a link in the folder reaches
// nothing outside of it.
func TestLinksDoNotLeaveTheFolder(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	for name, target := range map[string]string{"folder": outside, "file": secret} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"folder/secret", "file"} {
		if _, _, err := s.Open(t.Context(), name); err == nil {
			t.Errorf("%s was read", name)
		}
		_ = s.Delete(t.Context(), name)
	}
	if err := s.Put(t.Context(), "folder/new", blob([]byte("x"))); err == nil {
		t.Error("written outside of the folder")
	}
	for b, err := range s.List(t.Context(), "") {
		t.Errorf("listed: %v, %v", b, err)
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside are %v, %v", left, err)
	}
	if got, err := os.ReadFile(secret); err != nil || string(got) != "secret" {
		t.Errorf("the file outside: %q, %v", got, err)
	}
}

// TestFolderIsGone: a folder that went away is no empty one.
func TestFolderIsGone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "blobs")
	s := open(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "one", blob([]byte("x"))); err == nil {
		t.Error("put: no error")
	}
	if err := s.Ready(t.Context()); err == nil {
		t.Error("ready: no error")
	}
	var last error
	for _, last = range s.List(t.Context(), "") {
		continue
	}
	if last == nil {
		t.Error("list: no error")
	}
}

func TestWrongFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "blobs"), ""} {
		if _, err := fileblob.Open(dir); err == nil {
			t.Errorf("%q was opened", dir)
		}
	}
}

// A disk that takes no more makes the store unavailable, and leaves the name as
// it was.
func TestFullDisk(t *testing.T) { //nolint:paralleltest // it limits the files of the whole process
	dir := t.TempDir()
	s := open(t, dir)
	if err := s.Put(t.Context(), "documents/one", blob([]byte("x"))); err != nil {
		t.Fatal(err)
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 10_000, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	err := s.Put(t.Context(), "documents/one", blob(make([]byte, 20_000)))
	if lifted := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); lifted != nil {
		t.Fatal(lifted)
	}
	if billing.CodeOf(err) != billing.CodeUnavailable || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("put: %v", err)
	}
	if left := incoming(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	content, size, err := s.Open(t.Context(), "documents/one")
	if err != nil || size != 1 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	_ = content.Close()
}
