package httpserver

import (
	"bytes"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
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
		for _, file := range rawtest.Corpus(tb, pattern) {
			body := rawtest.ReadFile(tb, file)
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
	for name, body := range rawtest.CorpusSeeds(tb, "multipart/gofuzz_multipart.jsonl") {
		forms = append(forms, corpusForm{name, "dfhjksd23f43242f43fv4b4g2g2g23vf2", body})
	}
	for name, value := range rawtest.CorpusSeeds(tb, "multipart/gofuzz_mime.jsonl") {
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
	w := rawtest.Dial(t, p.addr)
	checked := 0
	for _, c := range forms {
		f := readTestForm(t, bytes.NewReader(c.body), c.boundary)
		if want, known := broken[c.name]; known {
			if checked++; f.broken != want {
				t.Errorf("%s: broken %v, %v", c.name, f.broken, f.faults)
			}
		}
		w.Send("%s\r\n%s", rawtest.Head("/upload", "Content-Type: multipart/form-data; boundary="+c.boundary, "Content-Length: "+strconv.Itoa(len(c.body))), c.body)
		if a := w.Reply(); a.StatusCode != http.StatusOK && a.Code() != string(billing.CodeInvalidRequest) || a.Close {
			t.Errorf("%s: status %d %s, close %v", c.name, a.StatusCode, a.Text, a.Close)
		}
	}
	if checked != len(broken) {
		t.Errorf("%d of %d known bodies are there", checked, len(broken))
	}
}
