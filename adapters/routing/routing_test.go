package routing_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// The networks of the tests carry what they carry by name only.
type (
	inquiries struct{ ports.Eligibility }
	files     struct{ ports.Clearinghouse }
	images    struct{ ports.AttachmentNetwork }
)

func TestFor(t *testing.T) {
	t.Parallel()
	mine, other := billing.OrgID{1}, billing.OrgID{2}
	aetna, delta := billing.PayerID{1}, billing.PayerID{2}
	only := map[billing.PayerID][]network.Transaction{aetna: {network.Eligibility, network.Claims}, delta: {network.Claims}}
	open := routing.New(
		&ports.Network{Name: "sandbox", Route: network.Route{Mode: billing.ModeTest}, Eligibility: inquiries{}, Claims: files{}, Attachments: images{}},
		&ports.Network{Name: "deployment", Route: network.Route{Mode: billing.ModeLive, Payers: only}, Eligibility: inquiries{}, Claims: files{}},
		&ports.Network{Name: "spare", Route: network.Route{Mode: billing.ModeLive}, Claims: files{}},
		&ports.Network{Name: "own", Route: network.Route{Mode: billing.ModeLive, Org: mine, Payers: map[billing.PayerID][]network.Transaction{
			delta: {network.Claims, network.Attachments}, // it carries no attachments
		}}, Claims: files{}},
	)
	test, live, elsewhere := billing.Scope{Org: mine, Mode: billing.ModeTest}, billing.Scope{Org: mine, Mode: billing.ModeLive}, billing.Scope{Org: other, Mode: billing.ModeLive}
	for what, c := range map[string]struct {
		scope billing.Scope
		payer billing.PayerID
		t     network.Transaction
		want  string
		code  billing.Code
		some  bool // another payer is reached
	}{
		"the sandbox for every payer":              {scope: test, payer: delta, t: network.Eligibility, want: "sandbox"},
		"its attachments":                          {scope: test, payer: aetna, t: network.Attachments, want: "sandbox"},
		"the deployment's":                         {scope: elsewhere, payer: delta, t: network.Claims, want: "deployment"},
		"the organization's own first":             {scope: live, payer: delta, t: network.Claims, want: "own"},
		"the deployment's where its own ends":      {scope: live, payer: aetna, t: network.Claims, want: "deployment"},
		"the next one for other payers":            {scope: live, payer: billing.PayerID{3}, t: network.Claims, want: "spare"},
		"the payer takes inquiries":                {scope: elsewhere, payer: aetna, t: network.Eligibility, want: "deployment"},
		"the payer takes none":                     {scope: elsewhere, payer: delta, t: network.Eligibility, code: billing.CodeEligibilityUnavailable, some: true},
		"nothing carries attachments in live mode": {scope: live, payer: delta, t: network.Attachments, code: billing.CodeAttachmentsUnavailable},
		"an unknown mode":                          {scope: billing.Scope{Org: mine}, payer: delta, t: network.Claims, code: billing.CodeUnavailable},
		"an unknown transaction":                   {scope: test, payer: delta, t: "276", code: billing.CodeUnavailable},
	} {
		n, err := open.For(c.scope, c.payer, c.t)
		available := open.Available(c.scope, c.t)
		switch {
		case c.want != "" && (err != nil || available != nil || n.Name != c.want):
			t.Errorf("%s: %+v, %v, available %v, want %s", what, n, err, available, c.want)
		case c.want == "" && (n != nil || billing.CodeOf(err) != c.code):
			t.Errorf("%s: %+v, %v, want %s", what, n, err, c.code)
		case c.want == "" && !c.some && billing.CodeOf(available) != c.code, c.some && available != nil:
			t.Errorf("%s: available %v", what, available)
		}
	}
	var names []string
	for _, n := range open.Clearinghouses() {
		names = append(names, n.Name)
	}
	if len(names) != 4 || names[0] != "own" {
		t.Errorf("the clearinghouses are %v", names)
	}
}

// TestNoNetwork is live mode as it ships: the caller reads why nothing is sent.
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	open := routing.New()
	for transaction, want := range map[network.Transaction]string{
		network.Eligibility: "ELIGIBILITY_UNAVAILABLE: No connection carries this eligibility check in live mode. Ask the operator of this service to add one, or use a test key.",
		network.Attachments: "ATTACHMENTS_UNAVAILABLE: Attachments are not available in live mode yet. Use a test key.",
		network.Claims:      "UNAVAILABLE: No clearinghouse is configured for live mode.",
	} {
		_, err := open.For(billing.Scope{Mode: billing.ModeLive}, billing.PayerID{1}, transaction)
		if available := open.Available(billing.Scope{Mode: billing.ModeLive}, transaction); err == nil || err.Error() != want || available == nil || available.Error() != want {
			t.Errorf("%s: %v, available %v, want %s", transaction, err, available, want)
		}
	}
}
