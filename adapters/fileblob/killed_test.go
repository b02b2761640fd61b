package fileblob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/fileblob"
)

const (
	// writerEnv names the folder that a test binary writes to until it is killed.
	writerEnv = "MOLAR_FILEBLOB_WRITER"
	names     = 5 // that the writer writes to, over and over
	kills     = 25
)

// sealed is content that shows by itself whether it is whole: its own sum, and
// then what was summed.
func sealed(size int) []byte {
	rest := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(rand.N(256))}).Read(rest)
	sum := sha256.Sum256(rest)
	return append(sum[:], rest...)
}

func whole(content []byte) bool {
	return len(content) >= sha256.Size && sha256.Sum256(content[sha256.Size:]) == [sha256.Size]byte(content)
}

// writeUntilKilled says a byte on standard output for each chunk it writes.
func writeUntilKilled(dir string) {
	s, err := fileblob.Open(dir)
	for i := 0; err == nil; i++ {
		content := sealed(rand.N(1 << 20))
		b := blob(content)
		b.Content = io.TeeReader(b.Content, tick{})
		err = s.Put(context.Background(), fmt.Sprintf("documents/%d", i%names), b)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

type tick struct{}

func (tick) Write(p []byte) (int, error) {
	_, err := os.Stdout.WriteString(".")
	return len(p), err
}

func TestKilledWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range kills {
		killWriter(t, dir)
		checkWhole(t, open(t, dir))
	}
	left := incoming(t, dir)
	if len(left) == 0 {
		t.Errorf("no kill of %d hit a put", kills)
	}
	t.Logf("%d kills, %d of them in a put", kills, len(left))

	// Another process may be writing a young file.
	open(t, dir)
	if now := incoming(t, dir); len(now) != len(left) {
		t.Errorf("%d young files of %d are left", len(now), len(left))
	}
	old := time.Now().Add(-61 * time.Minute)
	for _, name := range left {
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dir)
	if now := incoming(t, dir); len(now) != 0 {
		t.Errorf("%d old files are left", len(now))
	}
	checkWhole(t, s)
}

// killWriter starts a writer and kills it after some chunks.
func killWriter(t *testing.T, dir string) {
	t.Helper()
	writer := exec.CommandContext(t.Context(), os.Args[0])
	writer.Env = append(os.Environ(), writerEnv+"="+dir)
	var said bytes.Buffer
	writer.Stderr = &said
	out, err := writer.StdoutPipe()
	if err == nil {
		err = writer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.CopyN(io.Discard, out, 1+rand.Int64N(200))
	if kill := writer.Process.Kill(); err != nil || kill != nil {
		t.Errorf("the writer ended by itself: %v", errors.Join(err, kill))
	}
	_ = writer.Wait()
	if said.Len() > 0 {
		t.Errorf("the writer says: %s", said.String())
	}
}

// checkWhole checks that all blobs are whole, and that no other thing is
// listed.
func checkWhole(t *testing.T, s *fileblob.Store) {
	t.Helper()
	listed := 0
	for b, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		listed++
		content, size, err := s.Open(t.Context(), b.Name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(content)
		if err != nil || int64(len(got)) != size || size != b.Size || !whole(got) {
			t.Errorf("%s of %d bytes is not whole: %v", b.Name, len(got), err)
		}
		_ = content.Close()
	}
	if listed > names {
		t.Errorf("%d blobs of %d names", listed, names)
	}
}

// incoming answers what was being written.
func incoming(t *testing.T, dir string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "incoming~", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}
