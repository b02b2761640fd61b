package httpapi

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// aConnection returns a paused connection of an organization, or of the deployment.
func aConnection(name string, org billing.OrgID, at time.Time) *network.Connection {
	return &network.Connection{
		ID: billing.NewID[billing.ConnectionID](billing.RealAt(at)), Name: name, Kind: "sftp", Mode: billing.ModeLive, Org: org,
		Carries: []network.Transaction{network.Claims}, Enabled: true, Revision: 1, CreatedAt: at,
		Pause: network.Pause{At: at, Reason: network.ReasonUnauthorized, Detail: "sign in as molar1: refused"},
		Settings: network.Settings{
			Envelope: network.Envelope{
				Sender: network.End{Qualifier: "ZZ", ID: "MOLAR1"}, Receiver: network.End{Qualifier: "30", ID: "330897513"}, Usage: "P",
			},
			Options: network.Options{Notes: 2},
			Payers: []network.Payer{{
				Payer: billing.PayerID{1}, PayerID: "CHTEST", NetworkID: "N7", Transactions: []network.Transaction{network.Claims},
			}},
			Own: map[string]json.RawMessage{
				"SFTP": json.RawMessage(`{"Addr":"sftp.example.com:22","User":"molar1","HostKey":"SHA256:x","Outbox":"/inbound","Inbox":"/outbound"}`),
			},
		},
		Secrets: network.Secrets(`{"Password":"hunter2"}`),
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

// pausedConnection adds a connection of the organization in test mode, whose sign-in the network
// refused.
func (s *service) pausedConnection(t *testing.T) *network.Connection {
	t.Helper()
	c := aConnection("Clearinghouse of "+s.test.Org.String(), s.test.Org, time.Now())
	c.Mode, c.Settings.Envelope.Usage = billing.ModeTest, network.UsageTest
	porttest.System(t, s.store, func(ctx context.Context, tx ports.SystemTx) error { return tx.Connections.Insert(ctx, c) })
	return c
}

func connectionShapes() map[string]shown {
	sftp := aConnection("Main", billing.OrgID{2}, shapeTime)
	sftp.ID = idOf[billing.ConnectionID](1)
	core := *sftp
	core.Kind, core.Pause, core.Carries = "core", network.Pause{}, []network.Transaction{network.Eligibility}
	core.Settings = network.Settings{Envelope: sftp.Settings.Envelope, Own: map[string]json.RawMessage{"CORE": json.RawMessage(`{"URL":"https://core.example.com/soap","Envelope":"soap-2.2.0"}`)}}
	sandbox := core
	sandbox.Kind, sandbox.Settings = "sandbox", network.Settings{Envelope: network.Envelope{Usage: "P"}}
	kinds := network.Kinds{sftpnet.Kind().Kind, corenet.Kind(nil, nil).Kind, sandboxnet.Kind(nil).Kind}
	return map[string]shown{
		"connection_sftp":       {"Connection", connectionShape(sftp, sftp.Org, kinds.Show(sftp))},
		"connection_core":       {"Connection", connectionShape(&core, sftp.Org, kinds.Show(&core))},
		"connection_sandbox":    {"Connection", connectionShape(&sandbox, sftp.Org, kinds.Show(&sandbox))},
		"connection_deployment": {"Connection", connectionShape(sftp.SeenBy(billing.OrgID{3}), billing.OrgID{3}, kinds.Show(sftp.SeenBy(billing.OrgID{3})))},
	}
}

// TestConnectionsOfOwners shows an owner the connections of the organization in the mode.
func TestConnectionsOfOwners(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.connection(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
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
	stranger := s.visits(t, other.Scope.Org, "owner@example.com", caller.RoleOwner).with("Molar-Mode", "live")
	if theirs := s.must(t, 200, stranger.call(call{path: "/connections"})); strings.Contains(theirs.body, "Our") || strings.Contains(theirs.body, "MOLAR1") || !strings.Contains(theirs.body, "Shared") {
		t.Errorf("another organization sees %s", theirs.body)
	}
}
