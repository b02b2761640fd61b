package httpserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

type corpusForm struct {
	name, boundary string
	body           []byte
}

// corpusForms reads the bodies of the public test data. Their boundary is what
// most of their boundary lines say.
func corpusForms(tb testing.TB) (forms []corpusForm) {
	tb.Helper()
	for _, pattern := range []string{"multipart/*/*.http", "multipart/go/*"} {
		for _, file := range corpus(tb, pattern) {
			body := readFile(tb, file)
			counts := map[string]int{}
			best := ""
			for line := range strings.Lines(string(body)) {
				if b, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "--"); ok {
					b = strings.TrimSuffix(b, "--")
					if counts[b]++; counts[b] > counts[best] {
						best = b
					}
				}
			}
			forms = append(forms, corpusForm{filepath.Base(file), best, body})
		}
	}
	for name, body := range corpusSeeds(tb, "multipart/gofuzz_multipart.jsonl") {
		forms = append(forms, corpusForm{name, "dfhjksd23f43242f43fv4b4g2g2g23vf2", body})
	}
	for name, value := range corpusSeeds(tb, "multipart/gofuzz_mime.jsonl") {
		forms = append(forms, corpusForm{
			"disposition " + name, "b",
			slices.Concat([]byte("--b\r\nContent-Disposition: "), value, []byte("\r\n\r\nx\r\n--b--\r\n")),
		})
	}
	return forms
}

// Bodies of browsers are read; those that were cut short are not, and nothing
// brings a 500.
func TestCorpusOfForms(t *testing.T) {
	t.Parallel()
	forms := corpusForms(t)
	if len(forms) == 0 {
		return
	}
	broken := map[string]bool{
		"02-Fields_only.http": false, "04-Fields_and_files_limits_.http": false, "002-test_ie6.http": false, "003-test_opera8.http": false,
		"044-test_names_from_hell.http": false, "mixed_case_headers.http": false,
		"multiple_files.http": false, "single_field.http": false, "single_field_longer.http": false, "single_field_single_file.http": false,
		"single_field_with_trailer.http": false, "crlf_dense_part_data.http": false, "17-Folded_header_value.http": false,
		"almost_match_boundary_without_CR.http": false,

		"14-Stopped_mid_file_1.http": true, "15-Stopped_mid_file_2.http": true, "052-test_no_terminator.http": true,
		"054-test_part_ends_in_header.http": true, "047-test_no_disposition_header.http": true, "CR_in_header.http": true,
		"056-test_reject_boundary_in_payload.http": true, "almost_match_boundary_without_LF.http": true,
		"041-test_invalid_header.http": true, "028-test_header_continuation_first.http": true,
	}
	p := startProbe(t, Config{})
	w := dial(t, p.addr)
	checked := 0
	for _, c := range forms {
		f := readTestForm(t, bytes.NewReader(c.body), c.boundary)
		if want, known := broken[c.name]; known {
			if checked++; f.broken != want {
				t.Errorf("%s: broken %v, %v", c.name, f.broken, f.faults)
			}
		}
		w.send("%s\r\n%s", head("/upload", "Content-Type: multipart/form-data; boundary="+c.boundary, "Content-Length: "+strconv.Itoa(len(c.body))), c.body)
		if a := w.reply(); a.StatusCode != http.StatusOK && a.code() != string(billing.CodeInvalidRequest) || a.Close {
			t.Errorf("%s: status %d %s, close %v", c.name, a.StatusCode, a.body, a.Close)
		}
	}
	if checked != len(broken) {
		t.Errorf("%d of %d known bodies are there", checked, len(broken))
	}
}

// corpus lists files of the public test data that MOLAR_CORPUS_DIR names.
func corpus(tb testing.TB, pattern string) []string {
	tb.Helper()
	dir := os.Getenv("MOLAR_CORPUS_DIR")
	if dir == "" {
		tb.Log("MOLAR_CORPUS_DIR is unset: nothing of the public test data was checked")
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "http", pattern))
	if err != nil || len(files) == 0 {
		tb.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files
}

func readFile(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// corpusSeeds reads lines with a name and bytes, of the files that match.
func corpusSeeds(tb testing.TB, pattern string) map[string][]byte {
	tb.Helper()
	seeds := map[string][]byte{}
	for _, file := range corpus(tb, pattern) {
		for line := range strings.Lines(string(readFile(tb, file))) {
			var seed struct {
				Name string `json:"name"`
				Raw  []byte `json:"raw_b64"`
			}
			if err := json.Unmarshal([]byte(line), &seed); err != nil {
				tb.Fatal(err)
			}
			seeds[seed.Name] = seed.Raw
		}
	}
	return seeds
}
