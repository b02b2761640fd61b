package wire

import (
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/unavailablenet"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
)

// openClaims puts together what has to do with claims and what comes back for
// them.
func (g *graph) openClaims() {
	codec := edi.New()
	g.claims = claims.New(g.store, g.payers)
	g.remittances = remittances.New(g.store, codec, g.payers)
	g.batches = batches.New(g.store, batches.Outside{
		EDI: codec, Remit: g.remittances.Receive,
		Networks: map[billing.Mode]ports.Clearinghouse{
			billing.ModeTest: sandboxnet.NewClearinghouse(g.store.Clock(), g.store.SandboxMail(), sandboxnet.Options{ERADelay: g.settings.ERADelay}),
			billing.ModeLive: unavailablenet.Clearinghouse{},
		},
	}, g.payers)
}
