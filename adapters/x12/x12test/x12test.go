// Package x12test supports the tests of the X12 codecs and of the packages that use
// them. It provides golden files and the public samples.
package x12test

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
)

//nolint:gochecknoglobals // a flag of the test binary
var update = flag.Bool("update", false, "write the golden files")

// Lines returns a file with each segment on its own line, for people to read.
func Lines(file []byte) []byte { return bytes.ReplaceAll(file, []byte("~"), []byte("~\n")) }

// Golden compares got with the named file in testdata. With -update it writes the
// file instead.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", name, got)
	}
}

// Corpus returns the paths of the public samples that match a pattern in the x12
// folder of MOLAR_CORPUS_DIR. The samples are not part of the project. If the
// variable is not set, Corpus logs that and returns none.
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

// EachOfCorpus runs a test for each public sample that matches. Kind is the name of
// the sample's folder, such as 837d.
func EachOfCorpus(t *testing.T, pattern string, check func(t *testing.T, kind string, b []byte)) {
	t.Helper()
	for _, file := range Corpus(t, pattern) {
		kind := filepath.Base(filepath.Dir(file))
		t.Run(kind+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
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
		b, err := os.ReadFile(file)
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

// Mangle returns the segments with up to six changes: one is dropped, repeated,
// exchanged with another, or one of its elements becomes one of the values.
func Mangle(r *rand.Rand, segments, values []string) []string {
	segments = slices.Clone(segments)
	for range 1 + r.IntN(6) {
		i, j := r.IntN(len(segments)), r.IntN(len(segments))
		switch r.IntN(5) {
		case 0:
			segments = slices.Delete(segments, i, i+1)
		case 1:
			segments = slices.Insert(segments, i, segments[j])
		case 2:
			segments[i], segments[j] = segments[j], segments[i]
		default:
			elements := append(strings.Split(segments[i], "*"), "")
			elements[1+r.IntN(len(elements)-1)] = values[r.IntN(len(values))]
			segments[i] = strings.Join(elements, "*")
		}
	}
	return segments
}

// Refused checks that the error from reading b is an *x12.Error with a position
// inside b.
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
