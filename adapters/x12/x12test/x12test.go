// Package x12test is what the tests of the codecs, and of who speaks X12 through
// them, have in common: golden files, and the public samples.
package x12test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

//nolint:gochecknoglobals // a flag of the test binary
var update = flag.Bool("update", false, "write the golden files")

// Lines is a file with each segment on a line of its own, for people to read.
func Lines(file []byte) []byte { return bytes.ReplaceAll(file, []byte("~"), []byte("~\n")) }

// Golden compares with the file of the name in testdata, or writes it with
// -update.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path) //nolint:gosec // G304: the test names the file
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", name, got)
	}
}

// Corpus gives the public samples that match, which are not part of the
// project: a pattern of paths within the x12 folder of MOLAR_CORPUS_DIR. Without
// that it says so, and gives none.
func Corpus(t *testing.T, pattern string) []string {
	t.Helper()
	dir := os.Getenv("MOLAR_CORPUS_DIR") //nolint:forbidigo // a setting of tests, not of the service
	if dir == "" {
		t.Log("MOLAR_CORPUS_DIR is not set: nothing was checked")
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "x12", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("the corpus has nothing that is %s: %v", pattern, err)
	}
	return files
}
