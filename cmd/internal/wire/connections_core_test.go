package wire

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// TestCOREConnection opens connections to the simulator, which accepts only the
// identifiers and the usage of its account.
func TestCOREConnection(t *testing.T) {
	t.Parallel()
	account, _ := simulate(t)
	ca, err := os.ReadFile(account.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	connection := func() *network.Connection {
		return &network.Connection{
			Kind: "core", Mode: billing.ModeLive, Carries: []network.Transaction{network.Eligibility},
			Secrets: encoded(t, map[string]any{"Password": account.COREPassword}),
			Settings: network.Settings{
				AllowPrivate: true,
				Envelope: network.Envelope{
					Sender: network.End{Qualifier: "ZZ", ID: account.SenderID}, Receiver: network.End{Qualifier: "ZZ", ID: account.ReceiverID},
					Usage: network.UsageProduction,
				},
				Own: map[string]json.RawMessage{"CORE": encoded(t, map[string]any{
					"URL": account.CORESOAPURL, "Envelope": "soap-2.2.0", "User": account.COREUser, "CA": ca,
					"TestMember": map[string]any{
						"Payer": directory.PayerSummary{PayerID: "CHTEST", Name: "Molar Test Payer"}, "MemberID": "SANDBOX-ACTIVE-FULL", "FirstName": "Test", "LastName": "Member",
						"DateOfBirth": billing.Date{Year: 1970, Month: 1, Day: 1}, "NPI": "1234567893", "Practice": "Molar Test",
					},
				})},
			},
		}
	}
	kind := corenet.Kind(edi.New().Over, edi.New().StatusOver)
	for name, c := range map[string]struct {
		change func(*network.Connection)
		failed string // the step, and a part of its error
	}{
		"the account":      {func(*network.Connection) {}, ""},
		"a wrong password": {func(c *network.Connection) { c.Secrets = network.Secrets(`{"Password":"wrong"}`) }, "sign-in: the network refuses the sign-in"},
		"a test usage":     {func(c *network.Connection) { c.Settings.Envelope.Usage = network.UsageTest }, "270 for the test member: TA1 R note 020"},
		"another receiver": {func(c *network.Connection) { c.Settings.Envelope.Receiver.ID = "OTHER" }, "270 for the test member:"},
		"no test member": {func(c *network.Connection) {
			c.Settings.Own["CORE"] = encoded(t, map[string]any{"URL": account.CORESOAPURL, "Envelope": "soap-2.2.0", "User": account.COREUser, "CA": ca})
		}, ""},
	} {
		of := connection()
		c.change(of)
		n, err := kind.Open(of)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		step, part, _ := strings.Cut(c.failed, ": ")
		failed := ""
		for _, s := range n.Peer.Probe(t.Context(), true) {
			if s.Err == nil {
				continue
			}
			if failed = s.Name; !strings.Contains(s.Err.Error(), part) {
				t.Errorf("%s: %s: %v", name, s.Name, s.Err)
			}
		}
		if strings.TrimSuffix(step, ":") != failed {
			t.Errorf("%s: failed at %q, want %q", name, failed, step)
		}
		_ = n.Peer.Close()
	}
	if _, err := kind.Open(&network.Connection{Kind: "core", Settings: network.Settings{Own: map[string]json.RawMessage{"CORE": []byte(`{"URL":"http://net.example.com"}`)}}}); err == nil {
		t.Error("a connection without TLS opens")
	}
}
