package clearing_test

import (
	"os"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/clearing"
)

func TestStatusFile(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("statuses.tsv")
	if err != nil {
		t.Fatal(err)
	}
	count, last, seen := 0, "", map[string]bool{}
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		count++
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 3 {
			t.Fatalf("%q has %d columns, want 3", line, len(columns))
		}
		kind, code, label := columns[0], columns[1], columns[2]
		if key := kind + "\t" + code; key <= last {
			t.Errorf("%q does not come after %q", key, last)
		} else {
			last = key
		}
		if kind != "data" && kind != "fact" || strings.Trim(code, "0123456789") != "" || code == "" || seen[code] {
			t.Errorf("%q: unknown kind, or a code that is no number or stands twice", line)
		}
		seen[code] = true
		if label == "" || label != strings.TrimSpace(label) || len(label) > 70 || strings.HasSuffix(label, ".") {
			t.Errorf("%q: the label is empty, has spaces at its ends, is longer than 70 or ends with a full stop", line)
		}
	}
	if count < 300 {
		t.Errorf("%d labels, want 300 at least", count)
	}
}

// TestStatusWords has the words for what a biller reads beside a status. The category
// says what is wrong with the data that the code names.
func TestStatusWords(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"A7:164": "invalid member ID", "A6:128": "missing tax ID", "A8:249": "inconsistent place of service", "A3:187": "service date",
		"A7:33": "no subscriber with this member ID", "A3:116": "sent to the wrong payer", "A6:21": "missing or invalid information",
		"A7": "invalid information", "A6:9999": "missing information", "A8:": "inconsistent information",
		"A3": "", "A3:9999": "", "Z9:9999": "", "": "", "a7:164": "invalid member ID",
	} {
		category, code, _ := strings.Cut(status, ":")
		if got := (clearing.ClaimStatus{Category: category, Code: code}).Words(); got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
}
