package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// operated is the commands on a real database, whose audit records them.
type operated struct {
	*remitted
	t *testing.T
}

func newOperated(t *testing.T) *operated {
	t.Helper()
	r, log := newRemitted(t), slog.New(slog.DiscardHandler)
	closed := func() error { return nil }
	r.backend.Access = func(context.Context) (*access.Service, func() error, error) { return r.access, closed, nil }
	r.backend.Audit = func(context.Context) (*audit.Service, func() error, error) {
		return audit.New(r.store, audit.LeastRetention, log), closed, nil
	}
	s := connections.New(r.store, kinds(), porttest.Payers(t), func(string, network.Reason) {}, log)
	s.Use(routing.NewConnector(routing.New(), []ports.ConnectionKind{{
		Kind: network.Kind{Name: "sftp"}, Open: func(*network.Connection) (*ports.Network, error) { return &ports.Network{}, nil },
	}}, s.Observe, log))
	r.backend.Networks = func(context.Context) (*connections.Service, func() error, error) { return s, closed, nil }
	r.backend.Connections, r.backend.Kinds = r.backend.Networks, kinds()
	sent := batches.New(r.store, batches.Outside{}, porttest.Payers(t))
	r.backend.Batches = func(context.Context) (*batches.Service, func() error, error) { return sent, closed, nil }
	r.backend.Getenv = func(name string) string { return map[string]string{"MOLAR_OPERATOR": "ben"}[name] }
	return &operated{r, t}
}

func (o *operated) must(line string) string {
	o.t.Helper()
	out := o.run(o.t, nil, strings.Fields(line)...)
	if strings.Contains(out, "Error: ") {
		o.t.Fatalf("molar %s: %s", line, out)
	}
	return strings.TrimSpace(out)
}

// listed returns what molar audit list has, the first first: who, the command, whether it
// names an organization, and what kind of resource.
func (o *operated) listed(flags string) (all []string) {
	o.t.Helper()
	var rows []operationJSON
	if err := json.Unmarshal([]byte(o.must("audit list --json "+flags)), &rows); err != nil {
		o.t.Fatal(err)
	}
	for _, row := range slices.Backward(rows) {
		where, resource := "deployment", "-"
		if row.OrgID != nil {
			where = "organization"
		}
		if row.ResourceID != nil {
			resource = (*row.ResourceID)[:4]
		}
		all = append(all, fmt.Sprintf("%s: %s %s %s", row.Operator, strings.TrimPrefix(row.Command, "molar "), where, resource))
	}
	return all
}

// files stores a file that was lost, and one in quarantine.
func (o *operated) files() (lost, held billing.FileID) {
	o.t.Helper()
	now := time.Now()
	f := &clearing.ReceivedFile{
		ID: billing.NewID[billing.FileID](billing.RealAt(now)), Network: "con_1", Scope: billing.Scope{Mode: billing.ModeLive},
		RemoteFile: clearing.RemoteFile{Name: "lost.835", Size: 7, Time: now}, State: clearing.FileLost, Since: now, Holder: billing.JobID{1},
	}
	porttest.System(o.t, o.store, func(ctx context.Context, tx ports.SystemTx) (err error) {
		if err := tx.Received.Put(ctx, f); err != nil {
			return err
		}
		held, err = tx.Quarantine.Insert(ctx, quarantine.New(clearing.IncomingFile{Name: "held.835", Content: []byte("ISA")}, billing.ModeLive, quarantine.Unplaced, "", billing.RealAt(now), now))
		return err
	})
	return f.ID, held
}

// TestOperatorsAreAudited runs commands that change something or print patient data, and
// others. The first are in the audit of their organization, or of the deployment.
func TestOperatorsAreAudited(t *testing.T) {
	t.Parallel()
	o := newOperated(t)
	era, _ := o.unfinished(t)
	org := o.must("orgs create Practice")
	if err := o.access.RecordOrigin(t.Context(), "http://127.0.0.1:8080"); err != nil {
		t.Fatal(err)
	}
	o.must("users invite ann@example.com --role owner --org " + org)
	o.must("users link ann@example.com --as ann")
	o.must("users reset ann@example.com")
	key, _, _ := strings.Cut(o.must("keys create --name desk --mode live --org "+org), "\n")
	o.must("keys revoke " + strings.ToLower(key[:4]) + strings.ToLower(key[4:]))
	office := o.must("offices create --name Main --npi 1234567893 --mode live --org " + org)
	o.must("offices verify " + office)
	o.must("connections add " + write(t, folder(t), sftpDocument))
	o.must("connections disable Main")
	demo := " --org " + o.org.String() + " --mode test "
	o.must("era show" + demo + era.String())
	aside := strings.Fields(o.must("era import" + demo + o.file))
	if len(aside) == 0 {
		t.Fatal("nothing was imported")
	}
	lost, held := o.files()
	o.must("files dismiss " + lost.String())
	o.must("era quarantine show " + held.String())
	o.must("era quarantine remove " + held.String())
	for _, silent := range []string{
		"files list", "era quarantine",
		"orgs list", "users list --org " + org, "keys list --org " + org, "offices list --mode live --org " + org, "connections list", "era list" + demo, "audit list",
	} {
		o.must(silent)
	}
	o.run(t, nil, "era", "show", "--org", org, "--mode", "test", era.String()) // is refused
	o.run(t, nil, "users", "reset", "nobody@example.com")
	want := []string{
		"ben: orgs create organization org_", "ben: users invite organization usr_", "ann: users link organization usr_", "ben: users reset organization usr_",
		"ben: keys create organization key_", "ben: keys revoke organization key_", "ben: offices create organization off_",
		"ben: offices verify organization off_", "ben: connections add deployment con_", "ben: connections disable deployment con_",
		"ben: era show organization era_", "ben: era import organization -",
		"ben: files dismiss deployment fil_", "ben: era quarantine show deployment fil_", "ben: era quarantine remove deployment fil_",
	}
	if got := o.listed(""); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := o.listed("--changes --org " + o.org.String()); !slices.Equal(got, want[11:12]) {
		t.Errorf("changes of one organization: %v", got)
	}
	if got := o.listed("--org " + org); !slices.Equal(got, want[:8]) {
		t.Errorf("of the other: %v", got)
	}
	if got := o.run(t, nil, "audit", "list", "--since", "yesterday"); !strings.Contains(got, "--since") {
		t.Errorf("a wrong time: %s", got)
	}
	id, err := billing.ParseID[billing.OrgID](org)
	if err != nil {
		t.Fatal(err)
	}
	own := porttest.Read(t, o.store, billing.Scope{Org: id, Mode: billing.ModeLive}, func(ctx context.Context, tx ports.Tx) ([]*caller.AuditEntry, error) {
		return tx.Audit.List(ctx, caller.AuditFilter{Actor: caller.ActorOperator, Resource: key}, billing.Page{Limit: 10})
	})
	if len(own) != 2 || own[0].Operator != "ben" || own[0].Operation != "molar keys revoke" || own[0].Mode != billing.ModeLive {
		t.Errorf("the organization's audit has %v", own)
	}
}

// TestUnrecordedIsNotPrinted lets no entry be stored. No command prints patient data then,
// and none changes anything.
func TestUnrecordedIsNotPrinted(t *testing.T) {
	t.Parallel()
	o := newOperated(t)
	era, _ := o.unfinished(t)
	full := porttest.Store{Store: o.store.(audit.Operated).Store, Fault: &porttest.Fault{At: 1, How: porttest.FailsBefore}}
	ctx := audit.Operating(t.Context(), &audit.Operation{Operator: "ben", Command: "molar era show", Shows: true})
	read := 0
	err := audit.Operated{Store: full}.View(ctx, billing.Scope{Org: o.org, Mode: billing.ModeTest}, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.ERAs.Get(ctx, era)
		read++
		return err
	})
	if err == nil || read != 1 || len(o.listed("")) > 0 {
		t.Errorf("%v after %d reads", err, read)
	}
}
