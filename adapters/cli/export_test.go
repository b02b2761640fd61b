package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/httpapi"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/records"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// exporting returns a command with the use cases of records on the store.
func exporting(t *testing.T, store ports.Store) func(args ...string) (string, error) {
	t.Helper()
	blobs, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	payers := porttest.Payers(t)
	operated := audit.Operated{Store: store}
	s := records.New(operated, blobs, records.Outside{
		Claim: claims.New(operated, routing.New(), payers).Get, Remittance: remittances.New(operated, edi.New(), payers).Get, Render: httpapi.Render,
	})
	return func(args ...string) (string, error) {
		c := New(Backend{Records: func(context.Context) (*records.Service, func() error, error) {
			return s, func() error { return nil }, nil
		}})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&out)
		c.SetArgs(append(args, "--as", "ann"))
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
}

// TestExportOrg writes an organization into a folder and into a file that only its writer can
// read, overwrites none, and leaves an entry in the audit.
func TestExportOrg(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	run := exporting(t, store)
	org, dir := porttest.Organization(t, store, billing.ModeLive).Org.String(), t.TempDir()
	file := filepath.Join(dir, org+"-live.tar.gz")
	out, err := run("orgs", "export", org, "--out", dir)
	if err != nil || !strings.Contains(out, file+" has 0 patients, 0 checks, 0 claims") || !strings.Contains(out, "Writing the archive: 100 %") {
		t.Errorf("%v: %s", err, out)
	}
	if f, err := os.Stat(file); err != nil || f.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", f, err)
	}
	if text := readmeOf(t, file); !strings.Contains(text, org) || !strings.Contains(text, "claims/") {
		t.Errorf("README.txt is %s", text)
	}
	named := filepath.Join(dir, "test.tar.gz")
	if out, err := run("orgs", "export", org, "--mode", "test", "--out", named); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for _, wrong := range []struct {
		args []string
		says string
	}{
		{[]string{org, "--out", dir}, "is there already; name another file with --out"},
		{[]string{org, "--mode", "both"}, `--mode "both" is neither test nor live`},
		{[]string{"off_1"}, "is not an org_ ID"},
		{[]string{billing.OrgID{1}.String(), "--out", filepath.Join(dir, "none")}, "there is no organization"},
		{[]string{org, "--out", filepath.Join(dir, "absent", "x")}, "no such file or directory"},
	} {
		if out, err := run(append([]string{"orgs", "export"}, wrong.args...)...); err == nil || !strings.Contains(err.Error(), wrong.says) {
			t.Errorf("%v: %v, want %q; it printed %s", wrong.args, err, wrong.says, out)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	entries, _, err := audit.New(store, 0, nil).ListOperators(t.Context(), billing.OrgID{}, caller.AuditFilter{}, billing.Page{Limit: 10})
	if err != nil || len(entries) < 2 {
		t.Fatalf("%d entries in the audit, %v", len(entries), err)
	}
	for _, e := range entries {
		if e.Operator != "ann" || e.Operation != "molar orgs export" || e.Resource != org || e.Org.String() != org {
			t.Errorf("the audit has %+v", e)
		}
	}
}

func readmeOf(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for all := tar.NewReader(packed); ; {
		h, err := all.Next()
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "README.txt" {
			text, err := io.ReadAll(all)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
	}
}
