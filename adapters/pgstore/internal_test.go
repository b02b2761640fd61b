package pgstore

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

func TestRenumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"VALUES ($1, $2, $10)": "VALUES ($8, $9, $17)",
		"no parameters":        "no parameters",
		"$1":                   "$8",
	} {
		var got strings.Builder
		renumber(&got, in, 7)
		if got.String() != want {
			t.Errorf("renumber(%q) = %q, want %q", in, got.String(), want)
		}
	}
}

func TestQueryNumbersItsArguments(t *testing.T) {
	t.Parallel()
	q := (&tx{scope: billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeTest}}).query("id", "t")
	q.where("a = %", 1)
	got := q.page(billing.Page{Limit: 2, After: &billing.Position{Time: time.Unix(0, 0), ID: [16]byte{2}}})
	want := `SELECT id
FROM t
WHERE org_id = $1 AND mode = $2
	AND a = $3
	AND (created_at, id) < ($4, $5)
ORDER BY created_at DESC, id DESC
LIMIT $6`
	if got != want || len(q.args) != 6 || q.args[5] != 3 {
		t.Errorf("got %s with %v", got, q.args)
	}
}

func TestSealer(t *testing.T) {
	t.Parallel()
	s, err := newDataKey([32]byte{1}, sealVersion)
	if err != nil {
		t.Fatal(err)
	}
	other, err := newDataKey([32]byte{2}, sealVersion)
	if err != nil {
		t.Fatal(err)
	}
	in := billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeTest}
	id := billing.CheckID{3}
	sealed := s.seal([]byte("plain"), sealedFor(in, id))
	if got, err := s.open(sealed, sealedFor(in, id)); err != nil || string(got) != "plain" {
		t.Errorf("opened %q, %v", got, err)
	}
	if bytes.Equal(sealed, s.seal([]byte("plain"), sealedFor(in, id))) {
		t.Error("two sealings are the same")
	}
	live := billing.Scope{Org: in.Org, Mode: billing.ModeLive}
	for name, open := range map[string]func() ([]byte, error){
		"another key":  func() ([]byte, error) { return other.open(sealed, sealedFor(in, id)) },
		"another row":  func() ([]byte, error) { return s.open(sealed, sealedFor(in, billing.CheckID{4})) },
		"another mode": func() ([]byte, error) { return s.open(sealed, sealedFor(live, id)) },
		"another org":  func() ([]byte, error) { return s.open(sealed, sealedFor(billing.Scope{Mode: in.Mode}, id)) },
		"a changed end": func() ([]byte, error) {
			return s.open(append(bytes.Clone(sealed[:len(sealed)-1]), sealed[len(sealed)-1]^1), sealedFor(in, id))
		},
		"nothing": func() ([]byte, error) { return s.open(nil, sealedFor(in, id)) },
		"a part":  func() ([]byte, error) { return s.open(sealed[:9], sealedFor(in, id)) },
	} {
		if got, err := open(); err == nil {
			t.Errorf("%s opened %q", name, got)
		}
	}
}

func FuzzUnframe(f *testing.F) {
	f.Add(frame([]coverage.Exchange{{MediaType: coverage.MediaX12, Request: []byte("a"), Reply: []byte("bc")}, {MediaType: coverage.MediaX12, Request: nil, Reply: bytes.Repeat([]byte("x"), 300)}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := unframe(b)
		if err != nil {
			return
		}
		again, err := unframe(frame(got))
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("unframe(frame(%v)) = %v, %v", got, again, err)
		}
	})
}

func TestURLErrorsHideThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"mysql://u:hunter2@h/d", "postgres://u:hunter2@h:x/d", "postgres://u:hunter2@h/d?sslmode=perhaps"} {
		_, err := connConfig(url)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

// TestDocumentArray compares the text with that of lib/pq.
func TestDocumentArray(t *testing.T) {
	t.Parallel()
	for _, all := range [][]string{
		{}, {""}, {`{"a":"b"}`}, {`\`, `"`, "", "x"}, {`{"say":"\"é, {}\\"}`, "", `["\u0000",null]`},
	} {
		documents := make(textsArray, len(all))
		for i, d := range all {
			documents[i] = []byte(d)
		}
		got, err := documents.Value()
		want, _ := pq.StringArray(all).Value()
		if text, _ := got.([]byte); err != nil || string(text) != want {
			t.Errorf("%q is %q, %v; want %q", all, got, err, want)
		}
	}
}
