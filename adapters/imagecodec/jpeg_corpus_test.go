package imagecodec_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// corpusFile is a row of the corpus: a file and what is expected of it.
type corpusFile struct{ path, kind, verdict, reason string }

// corpus lists the images of the folder MOLAR_CORPUS_DIR; none when it is not
// set.
func corpus(t *testing.T) []corpusFile {
	t.Helper()
	dir := os.Getenv("MOLAR_CORPUS_DIR")
	if dir == "" {
		t.Log("MOLAR_CORPUS_DIR is unset: files from outside the project are not tried")
		return nil
	}
	index, err := os.ReadFile(filepath.Join(dir, "images", "expect.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(index))
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	var files []corpusFile
	for _, row := range rows[1:] {
		files = append(files, corpusFile{
			path: filepath.Join(dir, "images", row[column("path")]), kind: row[column("kind")],
			verdict: row[column("verdict")], reason: row[column("reason")],
		})
	}
	return files
}

// tally counts, for each verdict of the corpus, the results of its files.
type tally map[string]map[string]int

func (c tally) add(verdict, outcome string) {
	if c[verdict] == nil {
		c[verdict] = make(map[string]int)
	}
	c[verdict][outcome]++
}

func (c tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-10s %9s %8s %6s\n", "expected", "accepted", "refused", "wrong")
	for _, v := range []string{"accept", "refuse", "judgement"} {
		fmt.Fprintf(&b, "%-10s %9d %8d %6d\n", v, c[v]["accepted"], c[v]["refused"], c[v]["wrong"])
	}
	return b.String()
}

// TestSanitizeCorpus sanitizes files of cameras, of other projects' tests and
// of their fuzzers.
func TestSanitizeCorpus(t *testing.T) {
	t.Parallel()
	codec, counts := newCodec(t), tally{}
	clean := t.TempDir()
	for i, f := range corpus(t) {
		if f.kind == "png" {
			continue
		}
		before, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f.path)
		after, err := sanitize(t, codec, before)
		if err == nil {
			counts.add(f.verdict, "accepted")
			checkSame(t, codec, name, before, after)
			checkDjpeg(t, name, before, after)
			if err := os.WriteFile(filepath.Join(clean, fmt.Sprintf("%d.jpg", i)), after, 0o600); err != nil {
				t.Fatal(err)
			}
		} else {
			counts.add(f.verdict, "refused")
			if billing.CodeOf(err) != billing.CodeInvalidRequest {
				t.Errorf("%s: %v; want a refusal", name, err)
			}
		}
		if f.verdict == "accept" && err != nil || f.verdict == "refuse" && err == nil {
			counts.add(f.verdict, "wrong")
			t.Errorf("%s: %s, got %s (%s)", name, f.verdict, fault(err), f.reason)
		}
		if f.verdict == "judgement" {
			t.Logf("%s: %s (%s)", name, fault(err), f.reason)
		}
	}
	if len(counts) > 0 {
		t.Log(counts)
		checkMetadata(t, clean)
	}
}

// checkDjpeg compares libjpeg's pixels of a JPEG before and after, if djpeg is
// installed.
func checkDjpeg(tb testing.TB, name string, before, after []byte) {
	tb.Helper()
	program, err := exec.LookPath("djpeg")
	if err != nil {
		return
	}
	decode := func(b []byte) ([]byte, error) {
		c := exec.CommandContext(tb.Context(), program, "-pnm", "-maxscans", "200")
		c.Stdin = bytes.NewReader(b)
		out, err := c.Output()
		if e, ok := errors.AsType[*exec.ExitError](err); ok && e.ExitCode() == 2 {
			err = nil // a warning
		}
		return out, err
	}
	want, err := decode(before)
	if err != nil {
		tb.Errorf("%s: djpeg does not read what was accepted: %v", name, err)
		return
	}
	got, err := decode(after)
	if err != nil {
		tb.Errorf("%s: djpeg does not read what was written: %v", name, err)
	} else if !bytes.Equal(want, got) {
		tb.Errorf("%s: djpeg sees other pixels afterwards", name)
	}
}

// checkMetadata checks with exiftool, if it is installed, that the files of a
// folder have no metadata.
func checkMetadata(t *testing.T, dir string) {
	t.Helper()
	program, err := exec.LookPath("exiftool")
	if err != nil {
		t.Log("exiftool is not on PATH: it is not asked for metadata")
		return
	}
	out, err := exec.CommandContext(t.Context(), program, "-json", "-G1", "-a", "-U", "-ee", dir).Output()
	if err != nil {
		t.Fatalf("exiftool: %v", err)
	}
	var files []map[string]any
	if err := json.Unmarshal(out, &files); err != nil {
		t.Fatal(err)
	}
	known := []string{"SourceFile", "File", "System", "ExifTool", "JFIF", "Adobe", "Composite"}
	for _, f := range files {
		for tag, value := range f {
			if group, _, _ := strings.Cut(tag, ":"); !slices.Contains(known, group) || tag == "File:Comment" || tag == "ExifTool:Warning" {
				t.Errorf("%s: %s is %v", f["SourceFile"], tag, value)
			}
		}
	}
	t.Logf("exiftool looked at %d files", len(files))
}
