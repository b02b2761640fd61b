package wire

import (
	"os"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
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
	connection := func() *billing.Connection {
		return &billing.Connection{
			Kind: billing.ConnectionCORE, Mode: billing.ModeLive, Carries: []billing.Transaction{billing.TransactionEligibility},
			Secrets: billing.ConnectionSecrets{Password: account.COREPassword},
			Settings: billing.ConnectionSettings{
				AllowPrivate: true,
				Envelope: billing.Envelope{
					Sender: billing.EnvelopeEnd{Qualifier: "ZZ", ID: account.SenderID}, Receiver: billing.EnvelopeEnd{Qualifier: "ZZ", ID: account.ReceiverID},
					Usage: billing.UsageProduction,
				},
				CORE: &billing.CORESettings{
					URL: account.CORESOAPURL, Envelope: billing.CORESOAP220, User: account.COREUser, CA: ca,
					TestMember: &billing.TestMember{
						Payer: billing.PayerSummary{PayerID: "CHTEST", Name: "Molar Test Payer"}, MemberID: "SANDBOX-ACTIVE-FULL", FirstName: "Test", LastName: "Member",
						DateOfBirth: billing.Date{Year: 1970, Month: 1, Day: 1}, NPI: "1234567893", Practice: "Molar Test",
					},
				},
			},
		}
	}
	for name, c := range map[string]struct {
		change func(*billing.Connection)
		failed string // the step, and a part of its error
	}{
		"the account":      {func(*billing.Connection) {}, ""},
		"a wrong password": {func(c *billing.Connection) { c.Secrets.Password = "wrong" }, "sign-in: the network refuses the sign-in"},
		"a test usage":     {func(c *billing.Connection) { c.Settings.Envelope.Usage = billing.UsageTest }, "270 for the test member: TA1 R note 020"},
		"another receiver": {func(c *billing.Connection) { c.Settings.Envelope.Receiver.ID = "OTHER" }, "270 for the test member:"},
		"no test member":   {func(c *billing.Connection) { c.Settings.CORE.TestMember = nil }, ""},
	} {
		of := connection()
		c.change(of)
		n, err := openCORE(of)
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
	if _, err := openCORE(&billing.Connection{Settings: billing.ConnectionSettings{CORE: &billing.CORESettings{URL: "http://net.example.com"}}}); err == nil {
		t.Error("a connection without TLS opens")
	}
	of := connection()
	one, err1 := testInquiry(of)
	two, err2 := testInquiry(of)
	if err1 != nil || err2 != nil || string(one) == string(two) {
		t.Errorf("two test inquiries are the same, or %v, %v", err1, err2)
	}
}
