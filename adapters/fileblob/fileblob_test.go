package fileblob_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/fileblob"
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
