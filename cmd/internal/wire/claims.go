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
func (g *graph) openClaims(clock ports.Clock) {
	codec := edi.New()
	g.claims = claims.New(g.store, g.payers, clock)
	g.remittances = remittances.New(g.store, codec, g.payers, clock)
	g.batches = batches.New(g.store, batches.Outside{
		EDI: codec, Clock: clock, Remit: g.remittances.Receive,
		Networks: map[billing.Mode]ports.Clearinghouse{
			billing.ModeTest: sandboxnet.NewClearinghouse(clock, g.store.SandboxMail(), sandboxnet.Options{ERADelay: g.settings.ERADelay}),
			billing.ModeLive: unavailablenet.Clearinghouse{},
		},
	}, g.payers)
}
