package httpapi

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// aConnection returns a paused connection of an organization, or of the deployment.
func aConnection(name string, org billing.OrgID, at time.Time) *billing.Connection {
	return &billing.Connection{
		ID: billing.NewID[billing.ConnectionID](at), Name: name, Kind: billing.ConnectionSFTP, Mode: billing.ModeLive, Org: org,
		Carries: []billing.Transaction{billing.TransactionClaims}, Enabled: true, Revision: 1, CreatedAt: at,
		Pause: billing.ConnectionPause{At: at, Reason: billing.ReasonUnauthorized, Detail: "sign in as molar1: refused"},
		Settings: billing.ConnectionSettings{
			Envelope: billing.Envelope{
				Sender: billing.EnvelopeEnd{Qualifier: "ZZ", ID: "MOLAR1"}, Receiver: billing.EnvelopeEnd{Qualifier: "30", ID: "330897513"}, Usage: "P",
			},
			Options: billing.NetworkOptions{Notes: 2},
			Payers: []billing.ConnectionPayer{{
				Payer: billing.PayerID{1}, PayerID: "CHTEST", NetworkID: "N7", Transactions: []billing.Transaction{billing.TransactionClaims},
			}},
			SFTP: &billing.SFTPSettings{Addr: "sftp.example.com:22", User: "molar1", HostKey: "SHA256:x", Outbox: "/inbound", Inbox: "/outbound"},
		},
		Secrets: billing.ConnectionSecrets{Password: "hunter2"},
	}
}

// connection adds a connection of the organization, and one of the deployment.
func (s *service) connection(t *testing.T) {
	t.Helper()
	now := time.Now()
	porttest.System(t, s.store, func(ctx context.Context, tx ports.SystemTx) error {
		if err := tx.Connections.Insert(ctx, aConnection("Our clearinghouse", s.org, now)); err != nil {
			return err
		}
		return tx.Connections.Insert(ctx, aConnection("Shared clearinghouse", billing.OrgID{}, now.Add(-time.Second)))
	})
}

func connectionShapes() map[string]shown {
	sftp := aConnection("Main", billing.OrgID{2}, shapeTime)
	sftp.ID = idOf[billing.ConnectionID](1)
	core := *sftp
	core.Kind, core.Pause, core.Carries = billing.ConnectionCORE, billing.ConnectionPause{}, []billing.Transaction{billing.TransactionEligibility}
	core.Settings = billing.ConnectionSettings{Envelope: sftp.Settings.Envelope, CORE: &billing.CORESettings{URL: "https://core.example.com/soap"}}
	sandbox := core
	sandbox.Kind, sandbox.Settings = billing.ConnectionSandbox, billing.ConnectionSettings{Envelope: billing.Envelope{Usage: "P"}}
	return map[string]shown{
		"connection_sftp":       {"Connection", connectionShape(sftp, sftp.Org)},
		"connection_core":       {"Connection", connectionShape(&core, sftp.Org)},
		"connection_sandbox":    {"Connection", connectionShape(&sandbox, sftp.Org)},
		"connection_deployment": {"Connection", connectionShape(sftp.SeenBy(billing.OrgID{3}), billing.OrgID{3})},
	}
}

// TestConnectionsOfOwners shows an owner the connections of the organization in the mode.
func TestConnectionsOfOwners(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.connection(t)
	owner := s.visits(t, s.org, "owner@example.com", billing.RoleOwner)
	live := owner.with("Molar-Mode", "live")
	all := s.must(t, 200, live.call(call{path: "/connections"}))
	all.shows(t, "data.0.name", "Our clearinghouse", "data.0.own.state", "paused", "data.0.own.pause_reason", "unauthorized", "data.0.own.address", "sftp.example.com:22",
		"data.1.name", "Shared clearinghouse", "data.1.kind", "sftp", "data.1.own", nil)
	for _, hidden := range []string{"hunter2", "SHA256", "/inbound", "sign in as"} {
		if strings.Contains(all.body, hidden) {
			t.Errorf("the reply shows %s: %s", hidden, all.body)
		}
	}
	page := s.must(t, 200, live.call(call{path: "/connections?limit=1"}))
	s.must(t, 200, live.call(call{path: "/connections?limit=1&cursor=" + page.text(t, "next_cursor")})).shows(t, "data.0.name", "Shared clearinghouse", "next_cursor", nil)
	if test := s.must(t, 200, owner.call(call{path: "/connections"})); strings.Contains(test.body, "clearinghouse") {
		t.Errorf("test mode shows %s", test.body)
	}
	other, err := s.access.Authenticate(t.Context(), s.other, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	stranger := s.visits(t, other.Scope.Org, "owner@example.com", billing.RoleOwner).with("Molar-Mode", "live")
	if theirs := s.must(t, 200, stranger.call(call{path: "/connections"})); strings.Contains(theirs.body, "Our") || strings.Contains(theirs.body, "MOLAR1") || !strings.Contains(theirs.body, "Shared") {
		t.Errorf("another organization sees %s", theirs.body)
	}
}
