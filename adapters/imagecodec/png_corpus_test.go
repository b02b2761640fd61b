package imagecodec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// pngCase is a PNG of the corpus with its expected result.
type pngCase struct {
	path, verdict, reason string
	content               []byte
}

// pngCorpus reads the files of the corpus that are PNGs, or begin like one.
func pngCorpus(t *testing.T, root string) (cases []pngCase) {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(root, "images", "expect.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(index)), "\n")
	columns := strings.Split(lines[0], "\t")
	column := func(row []string, name string) string { return row[slices.Index(columns, name)] }
	for _, line := range lines[1:] {
		row := strings.Split(line, "\t")
		content, err := os.ReadFile(filepath.Join(root, "images", column(row, "path")))
		if err != nil {
			t.Fatal(err)
		}
		if column(row, "kind") == "png" || bytes.HasPrefix(content, []byte("\x89PNG")) {
			cases = append(cases, pngCase{column(row, "path"), column(row, "verdict"), column(row, "reason"), content})
		}
	}
	return cases
}

// TestPNGCorpus checks every PNG of the corpus against its verdict, and the
// results for metadata with exiftool.
func TestPNGCorpus(t *testing.T) {
	t.Parallel()
	root := os.Getenv("MOLAR_CORPUS_DIR")
	if root == "" {
		t.Log("MOLAR_CORPUS_DIR is not set: no PNG of the corpus was tried")
		return
	}
	c, outputs := newPNGCodec(t), t.TempDir()
	type count struct{ accepted, refused, wrong int }
	counts := map[string]*count{"accept": {}, "refuse": {}, "judgement": {}}
	var accepted []string
	for _, test := range pngCorpus(t, root) {
		n := counts[test.verdict]
		out, err := corpusVerdict(t, c, test)
		switch {
		case err != nil:
			n.refused++
		default:
			n.accepted++
			name := strings.NewReplacer("/", "_").Replace(test.path) + ".jpg"
			accepted = append(accepted, name)
			if err := os.WriteFile(filepath.Join(outputs, name), out, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if test.verdict == "accept" && err != nil || test.verdict == "refuse" && err == nil {
			n.wrong++
			t.Errorf("%s: want %s (%s), got %v", test.path, test.verdict, test.reason, err)
		}
	}
	table := "expected   accepted refused wrong\n"
	for _, verdict := range []string{"accept", "refuse", "judgement"} {
		n := counts[verdict]
		table += fmt.Sprintf("%-10s %8d %7d %5d\n", verdict, n.accepted, n.refused, n.wrong)
	}
	t.Log("PNGs of the corpus\n" + table)
	noPNGMetadata(t, outputs, accepted)
}

// corpusVerdict checks a file twice: both verdicts must be the same.
func corpusVerdict(t *testing.T, c *Codec, test pngCase) ([]byte, error) {
	t.Helper()
	size := int64(len(test.content))
	checked := c.CheckPNG(t.Context(), bytes.NewReader(test.content), size)
	out, err := convertPNG(t.Context(), c, test.content)
	again, second := convertPNG(t.Context(), c, test.content)
	if !bytes.Equal(out, again) || billing.CodeOf(err) != billing.CodeOf(second) {
		t.Errorf("%s: %v and then %v", test.path, err, second)
	}
	if err != nil {
		pngRefusal(t, err)
		return nil, err
	}
	if checked != nil {
		t.Errorf("%s: converted after %v", test.path, checked)
	}
	m, err := jpeg.DecodeConfig(bytes.NewReader(out))
	if info, inspected := inspectPNG(t.Context(), bytes.NewReader(test.content), size); errors.Join(err, inspected) != nil ||
		m.Width != info.width || m.Height != info.height {
		t.Errorf("%s: %d x %d became %d x %d: %v", test.path, info.width, info.height, m.Width, m.Height, err)
	}
	return out, nil
}

// noPNGMetadata checks with exiftool that the JPEGs hold only the picture.
func noPNGMetadata(t *testing.T, folder string, names []string) {
	t.Helper()
	exiftool, err := exec.LookPath("exiftool")
	if err != nil {
		t.Log("exiftool is not on PATH: the JPEGs were not searched for metadata")
		return
	}
	list, err := exec.CommandContext(t.Context(), exiftool, "-json", "-G1", "-a", folder).Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []map[string]any
	if err := json.NewDecoder(bytes.NewReader(list)).Decode(&files); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if len(files) != len(names) {
		t.Errorf("exiftool saw %d of %d JPEGs", len(files), len(names))
	}
	known := []string{"File", "System", "ExifTool", "JFIF", "Composite"}
	for _, tags := range files {
		for tag := range tags {
			group, _, grouped := strings.Cut(tag, ":")
			if grouped && !slices.Contains(known, group) {
				t.Errorf("%v has %s", tags["SourceFile"], tag)
			}
		}
		if tags["ExifTool:Warning"] != nil {
			t.Errorf("%v: %v", tags["SourceFile"], tags["ExifTool:Warning"])
		}
	}
}
