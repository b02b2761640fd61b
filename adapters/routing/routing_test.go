package routing_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// The networks of the tests carry what they carry by name only.
type (
	inquiries struct{ ports.EligibilityNetwork }
	files     struct{ ports.Clearinghouse }
	images    struct{ ports.AttachmentNetwork }
)

func TestFor(t *testing.T) {
	t.Parallel()
	mine, other := billing.OrgID{1}, billing.OrgID{2}
	aetna, delta := billing.PayerID{1}, billing.PayerID{2}
	only := map[billing.PayerID][]billing.Transaction{aetna: {billing.TransactionEligibility, billing.TransactionClaims}, delta: {billing.TransactionClaims}}
	open := routing.New(
		&ports.Network{Name: "sandbox", Route: billing.Route{Mode: billing.ModeTest}, Eligibility: inquiries{}, Claims: files{}, Attachments: images{}},
		&ports.Network{Name: "deployment", Route: billing.Route{Mode: billing.ModeLive, Payers: only}, Eligibility: inquiries{}, Claims: files{}},
		&ports.Network{Name: "spare", Route: billing.Route{Mode: billing.ModeLive}, Claims: files{}},
		&ports.Network{Name: "own", Route: billing.Route{Mode: billing.ModeLive, Org: mine, Payers: map[billing.PayerID][]billing.Transaction{
			delta: {billing.TransactionClaims, billing.TransactionAttachments}, // it carries no attachments
		}}, Claims: files{}},
	)
	test, live, elsewhere := billing.Scope{Org: mine, Mode: billing.ModeTest}, billing.Scope{Org: mine, Mode: billing.ModeLive}, billing.Scope{Org: other, Mode: billing.ModeLive}
	for what, c := range map[string]struct {
		scope billing.Scope
		payer billing.PayerID
		t     billing.Transaction
		want  string
		code  billing.Code
		some  bool // another payer is reached
	}{
		"the sandbox for every payer":              {scope: test, payer: delta, t: billing.TransactionEligibility, want: "sandbox"},
		"its attachments":                          {scope: test, payer: aetna, t: billing.TransactionAttachments, want: "sandbox"},
		"the deployment's":                         {scope: elsewhere, payer: delta, t: billing.TransactionClaims, want: "deployment"},
		"the organization's own first":             {scope: live, payer: delta, t: billing.TransactionClaims, want: "own"},
		"the deployment's where its own ends":      {scope: live, payer: aetna, t: billing.TransactionClaims, want: "deployment"},
		"the next one for other payers":            {scope: live, payer: billing.PayerID{3}, t: billing.TransactionClaims, want: "spare"},
		"the payer takes inquiries":                {scope: elsewhere, payer: aetna, t: billing.TransactionEligibility, want: "deployment"},
		"the payer takes none":                     {scope: elsewhere, payer: delta, t: billing.TransactionEligibility, code: billing.CodeEligibilityUnavailable, some: true},
		"nothing carries attachments in live mode": {scope: live, payer: delta, t: billing.TransactionAttachments, code: billing.CodeAttachmentsUnavailable},
		"an unknown mode":                          {scope: billing.Scope{Org: mine}, payer: delta, t: billing.TransactionClaims, code: billing.CodeUnavailable},
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
	for transaction, want := range map[billing.Transaction]string{
		billing.TransactionEligibility: "ELIGIBILITY_UNAVAILABLE: No connection carries this eligibility check in live mode. Ask the operator of this service to add one, or use a test key.",
		billing.TransactionAttachments: "ATTACHMENTS_UNAVAILABLE: Attachments are not available in live mode yet. Use a test key.",
		billing.TransactionClaims:      "UNAVAILABLE: No clearinghouse is configured for live mode.",
	} {
		_, err := open.For(billing.Scope{Mode: billing.ModeLive}, billing.PayerID{1}, transaction)
		if available := open.Available(billing.Scope{Mode: billing.ModeLive}, transaction); err == nil || err.Error() != want || available == nil || available.Error() != want {
			t.Errorf("%s: %v, available %v, want %s", transaction, err, available, want)
		}
	}
}
