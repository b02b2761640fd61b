// Package x12test is what the tests of the codecs, and of who speaks X12 through
// them, have in common: golden files, and the public samples.
package x12test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
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
		if err := os.WriteFile(path, got, 0o600); err != nil { //nolint:gosec // G703: the test names the file
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

// EachOfCorpus runs a test for each public sample that matches. Kind is the
// folder that has the sample, such as 837d.
func EachOfCorpus(t *testing.T, pattern string, check func(t *testing.T, kind string, b []byte)) {
	t.Helper()
	for _, file := range Corpus(t, pattern) {
		kind := filepath.Base(filepath.Dir(file))
		t.Run(kind+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file) //nolint:gosec // G304: the test names the file
			if err != nil {
				t.Fatal(err)
			}
			check(t, kind, b)
		})
	}
}

// Samples returns the X12 files in testdata by name.
func Samples(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.edi")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no samples in testdata: %v", err)
	}
	all := make(map[string][]byte)
	for _, file := range files {
		b, err := os.ReadFile(file) //nolint:gosec // G304: the test names the file
		if err != nil {
			tb.Fatal(err)
		}
		all[filepath.Base(file)] = b
	}
	return all
}

// Seed adds the samples to a fuzz target.
func Seed(f *testing.F) {
	f.Helper()
	for _, b := range Samples(f) {
		f.Add(b)
	}
}

// Refused proves that the error of reading b says where it is.
func Refused(t *testing.T, b []byte, err error) {
	t.Helper()
	e, ok := errors.AsType[*x12.Error](err)
	if !ok {
		t.Fatalf("the error is a %T, want an *x12.Error", err)
	}
	if e.Segment < 0 || e.Offset < 0 || e.Offset > len(b) || e.Reason == "" {
		t.Fatalf("the position is off: %v, in %d bytes", err, len(b))
	}
}
