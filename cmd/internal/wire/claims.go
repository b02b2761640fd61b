package wire

import (
	"github.com/molar-billing/molar/adapters/bankfile"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/additions"
	"github.com/molar-billing/molar/core/appeals"
	"github.com/molar-billing/molar/core/attachmentrules"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/deposits"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/estimates"
	"github.com/molar-billing/molar/core/fees"
	"github.com/molar-billing/molar/core/notes"
	"github.com/molar-billing/molar/core/recovery"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/core/sandbox"
	"github.com/molar-billing/molar/core/schedules"
	"github.com/molar-billing/molar/core/tasks"
)

// openClaims opens the parts for claims, batches and remittances.
func (g *graph) openClaims() {
	codec := edi.NewLogging(g.log)
	g.claims = claims.New(g.store, g.networks, g.payers)
	g.enrollments = enrollments.New(g.store, g.payers)
	g.fees = fees.New(g.store, g.payers)
	g.rules = attachmentrules.New(g.store, g.payers)
	g.schedules = schedules.New(g.store, g.payers)
	g.estimates = estimates.New(g.store)
	g.tasks = tasks.New(g.store, g.claimStatus.CanAsk)
	g.notes = notes.New(g.store)
	g.appeals = appeals.New(g.store)
	g.deposits = deposits.New(g.store, bankfile.Reader{}.Read)
	g.additions = additions.New(g.store)
	g.remittances = remittances.New(g.store, codec, g.payers)
	g.recovery = recovery.New(g.store, g.blobs, g.store, recovery.Replay{})
	g.batches = batches.New(g.store, batches.Outside{
		EDI: codec, Networks: g.networks, Remit: g.remittances.Receive, Keep: g.recovery.Keep, Interval: g.settings.BatchInterval,
	}, g.payers)
	g.sandboxes = sandbox.New(g.store, g.queue, g.blobs, sandbox.Clearinghouses{Names: g.batches.Sandbox, Leaves: g.batches.Leaves, Settle: g.batches.Settle}, g.log)
}
