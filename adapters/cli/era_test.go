package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/credentials"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m).Run()) }

// noon is a clock that starts at noon, and goes on a second with each look.
type noon struct{ looks atomic.Int64 }

func (n *noon) Now() time.Time {
	return time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC).Add(time.Duration(n.looks.Add(1)) * time.Second)
}

// remitted is the commands on a real database, with an organization.
type remitted struct {
	backend Backend
	service *remittances.Service
	store   ports.Store
	access  *access.Service
	org     billing.OrgID
	file    string // of two payments
	content []byte
}

func newRemitted(t *testing.T) *remitted {
	t.Helper()
	store := audit.Operated{Store: pgtest.Clocked{Store: pgtest.Open(t), Clock: &noon{}}}
	payers := porttest.Payers(t)
	r := &remitted{service: remittances.New(store, edi.New(), payers), store: store, access: access.New(store, payers, &noon{}, credentials.New([32]byte{1})), file: filepath.Join(t.TempDir(), "payment.835")}
	r.backend.Remittances = func(context.Context) (*remittances.Service, func() error, error) {
		return r.service, func() error { return nil }, nil
	}
	org, err := r.access.CreateOrganization(t.Context(), "Demo")
	if err != nil {
		t.Fatal(err)
	}
	r.org = org.ID
	r.content = fileOf(t, remitting("EFT-1", "MOLAR TEST PAYER", 12000), remitting("CHK-2", "OTHER INSURER", 950))
	if err := os.WriteFile(r.file, r.content, 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// fileOf is an 835 with the payments.
func fileOf(t *testing.T, payments ...remittance.Remittance) []byte {
	t.Helper()
	var out bytes.Buffer
	err := remittance.Encode(&out,
		x12.Interchange{SenderQualifier: "ZZ", Sender: "CLEARING", ReceiverQualifier: "ZZ", Receiver: "MOLAR", Created: new(noon).Now(), Version: "00501", Control: 1, Test: true},
		x12.Group{Sender: "CLEARING", Receiver: "MOLAR", Created: new(noon).Now(), Control: 1}, payments)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// remitting is a payment of one claim to an NPI that no office has.
func remitting(trace, payer string, total billing.Money) remittance.Remittance {
	r := remittance.Remittance{
		Payment: remittance.Payment{
			Handling: "I", CreditDebit: "C", Method: "ACH", Date: billing.Date{Year: 2026, Month: 2, Day: 3}, Trace: remittance.Trace{Number: trace},
			Payer: remittance.Party{Name: payer}, Payee: remittance.Party{Name: "MAIN", IDQualifier: "XX", ID: "1999999992"},
		},
		Claims: []remittance.Claim{{ControlNumber: "A-1", Status: "1", Charge: total}},
	}
	r.Settle()
	return r
}

// run runs a command and gives what it prints, an error at the end.
func (r *remitted) run(t *testing.T, stdin io.Reader, args ...string) string {
	t.Helper()
	c := New(r.backend)
	var out bytes.Buffer
	c.SetIn(stdin)
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(args)
	if err := c.ExecuteContext(t.Context()); err != nil {
		out.WriteString("Error: " + err.Error() + "\n")
	}
	return out.String()
}

// same takes out of a text what differs from run to run.
func (r *remitted) same(said string) string {
	said = regexp.MustCompile(`\b(org|era|fil|clm)_[0-9A-Z]{26}`).ReplaceAllString(said, "${1}_"+strings.Repeat("0", 26))
	said = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(said, "")
	return strings.ReplaceAll(said, filepath.Dir(r.file), "DIR")
}

// TestERACommands says in a golden file what the commands print.
func TestERACommands(t *testing.T) {
	t.Parallel()
	r := newRemitted(t)
	broken := filepath.Join(filepath.Dir(r.file), "broken.835")
	if err := os.WriteFile(broken, r.content[:len(r.content)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	run := func(args ...string) {
		t.Helper()
		all.WriteString("$ molar " + strings.Join(args, " ") + "\n")
		all.WriteString(r.run(t, bytes.NewReader(r.content), args...) + "\n")
	}
	org, unknown := r.org.String(), billing.OrgID{1}.String()
	for _, help := range []string{"import", "quarantine", "quarantine show", "quarantine remove", "retry"} {
		run(append(append([]string{"era"}, strings.Fields(help)...), "--help")...)
	}
	run("era", "quarantine")
	run("era", "import", "--org", org, "--mode", "test", r.file)
	run("era", "import", "--org", org, "--mode", "test", "-")
	for _, f := range []clearing.IncomingFile{{Name: "payment.835", Content: r.content}, {Name: "hello.txt", Content: []byte("hello")}} {
		if _, err := r.service.Receive(t.Context(), &network.Route{Mode: billing.ModeLive}, f); err != nil {
			t.Fatal(err)
		}
	}
	run("era", "quarantine")
	run("era", "quarantine", "--oldest")
	files, err := r.service.Quarantined(t.Context())
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files in quarantine, %v", len(files), err)
	}
	for _, q := range files {
		if q.Name == "hello.txt" {
			run("era", "quarantine", "show", q.ID.String())
			run("era", "quarantine", "remove", q.ID.String())
			run("era", "quarantine", "remove", q.ID.String())
			run("era", "quarantine", "show", q.ID.String())
		}
		if !strings.Contains(q.Reason, "EFT-1") {
			continue
		}
		run("era", "import", "--org", org, "--mode", "test", "--quarantined", q.ID.String())
		run("era", "import", "--org", unknown, "--mode", "live", "--quarantined", q.ID.String())
		run("era", "import", "--org", org, "--mode", "live", "--quarantined", q.ID.String())
		run("era", "import", "--org", org, "--mode", "live", "--quarantined", q.ID.String())
	}
	run("era", "quarantine")
	for _, ask := range []string{"show", "remove"} {
		run("era", "quarantine", ask)
		run("era", "quarantine", ask, "era_1")
	}
	run("era", "quarantine", "clear")
	run("era", "import", "--org", unknown, "--mode", "test", r.file)
	run("era", "import", "--org", org, "--mode", "test", broken)
	run("era", "import", "--org", org, "--mode", "test", filepath.Join(filepath.Dir(r.file), "none.835"))
	run("era", "import", "--org", org, "--mode", "test")
	run("era", "import", "--org", org, "--mode", "test", "--quarantined", "fil_1", r.file)
	run("era", "import", "--org", org, "--mode", "test", "--quarantined", "fil_1")
	run("era", "import", "--org", "org_1", r.file)
	run("era", "import", "--org", org, "--mode", "prod", r.file)
	run("era", "import", r.file)
	run("era", "import", "--org", org, r.file, broken)
	run("era", "retry", "--org", org)
	run("era", "retry", "--org", org, "era_1")
	run("era", "retry", "--org", org, billing.ERAID{1}.String())
	golden(t, "era.txt", []byte(r.same(all.String())))
}

// TestShowQuarantined gives a file of the quarantine byte for byte: what is
// printed can be mended and imported.
func TestShowQuarantined(t *testing.T) {
	t.Parallel()
	r := newRemitted(t)
	broken := append(bytes.Clone(r.content[:len(r.content)/2]), 0, 0xff, '\r')
	if _, err := r.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, clearing.IncomingFile{Name: "broken.835", Content: broken}); err != nil {
		t.Fatal(err)
	}
	files, err := r.service.Quarantined(t.Context())
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files in quarantine, %v", len(files), err)
	}
	if said := r.run(t, nil, "era", "quarantine", "show", files[0].ID.String()); said != string(broken) {
		t.Errorf("%d bytes, want the %d that came:\n%q", len(said), len(broken), said)
	}
}

// TestTooLargeERA refuses a file that is too large without reading it, and
// standard input once it is.
func TestTooLargeERA(t *testing.T) {
	t.Parallel()
	r := newRemitted(t)
	f, err := os.Create(filepath.Join(filepath.Dir(r.file), "large.835"))
	if err == nil {
		err = errors.Join(f.Truncate(10*remittances.MaxFile), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{f.Name(), "-"} {
		said := r.run(t, endless{}, "era", "import", "--org", r.org.String(), from)
		if !strings.Contains(said, "has more than 128 MB") || !strings.Contains(said, "Ask the sender") {
			t.Error(said)
		}
	}
}

// endless is input without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestRetryERA takes up what is done, and what is not.
func TestRetryERA(t *testing.T) {
	t.Parallel()
	r := newRemitted(t)
	scope := billing.Scope{Org: r.org, Mode: billing.ModeTest}
	report, err := r.service.Import(t.Context(), scope, "f", r.content)
	if err != nil {
		t.Fatal(err)
	}
	said := r.run(t, nil, "era", "retry", "--org", r.org.String(), report[0].ERA.ID.String())
	if !strings.Contains(said, "has nothing left to apply, or is being worked on") {
		t.Error(said)
	}
}
