package remit_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/billingtest"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

func TestBatchAndERAEventBodies(t *testing.T) {
	t.Parallel()
	scope := billing.Scope{Org: billing.OrgID{15: 1}, Mode: billing.ModeTest}
	payer := directory.PayerSummary{ID: billing.PayerID{15: 4}, PayerID: "CHTEST", Name: "Molar Test Payer"}
	batch := clearing.Batch{
		ID: billing.FileID{15: 15}, Scope: scope, ClaimCount: 3, Result: clearing.BatchAccepted, Acknowledgement: "20260320175959000.997",
		File:      clearing.FileRef{Name: "20260320120000000.837", ControlNumbers: clearing.ControlNumbers{Interchange: "000000042", Group: "42", Transaction: "0001"}},
		CreatedAt: noon, AcknowledgedAt: evening,
	}
	refused := batch
	refused.Result, refused.File.ControlNumbers = clearing.BatchRejected, clearing.ControlNumbers{Interchange: "000000042"}
	era := remit.ERA{
		ID: billing.ERAID{15: 14}, Scope: scope, State: remit.NeedsReview, Payer: payer, Balanced: true, ClaimCount: 3, MatchedCount: 2,
		Payment: remit.Payment{Method: "ACH", TraceNumber: "TRACE1", Date: billing.Date{Year: 2026, Month: 3, Day: 21}, Total: 1_234_50}, ReceivedAt: evening,
	}
	unknown := era
	unknown.Payer, unknown.Balanced, unknown.MatchedCount = directory.PayerSummary{}, false, 0
	unknown.Payment = remit.Payment{Method: "NON", Total: -1}
	for name, c := range map[string]struct {
		event    event.Event
		resource [16]byte
	}{
		"batch.acknowledged":          {batch.AcknowledgedEvent(), batch.ID},
		"batch.acknowledged.rejected": {refused.AcknowledgedEvent(), batch.ID},
		"era.received":                {era.ReceivedEvent(), era.ID},
		"era.received.unknown_payer":  {unknown.ReceivedEvent(), era.ID},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			billingtest.Event(t, name, c.event, c.resource, evening)
		})
	}
}
