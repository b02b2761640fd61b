package imagecodec_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/molar-billing/molar/adapters/imagecodec"
	"github.com/molar-billing/molar/core/billing"
)

// TestNew tries invalid options.
func TestNew(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]imagecodec.Options{
		"a folder that is not there": {TempDir: file + "s"},
		"a file":                     {TempDir: file},
		"a negative budget":          {MemoryBudget: -1},
	} {
		if _, err := imagecodec.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := imagecodec.New(imagecodec.Options{}); err != nil {
		t.Errorf("no options: %v", err)
	}
}

// TestPicture reads a picture twice, and checks that nothing is left of it.
func TestPicture(t *testing.T) {
	t.Parallel()
	dir, b := t.TempDir(), drawing(t, "baseline-420.jpg")
	codec, err := imagecodec.New(imagecodec.Options{TempDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	p, err := codec.Sanitize(t.Context(), bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	first, err := io.ReadAll(p.Content)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Content.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if second, err := io.ReadAll(p.Content); err != nil || !bytes.Equal(first, second) || int64(len(first)) != p.Size {
		t.Errorf("%d bytes of %d, then %d (%v)", len(first), p.Size, len(second), err)
	}
	if err := p.Content.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v (%v)", left, err)
	}
}

// A full temporary folder is a temporary fault of the service, not of the
// picture.
func TestFullTemporaryFolder(t *testing.T) { //nolint:paralleltest // it limits the files of the whole process
	picture := drawing(t, "baseline-420.jpg")
	codec, err := imagecodec.New(imagecodec.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	_, err = codec.Sanitize(t.Context(), bytes.NewReader(picture), int64(len(picture)))
	if lifted := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); lifted != nil {
		t.Fatal(lifted)
	}
	if billing.CodeOf(err) != billing.CodeUnavailable || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("%v", err)
	}
}
