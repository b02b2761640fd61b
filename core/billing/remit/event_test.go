package billing_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/billingtest"
)

func TestBatchAndERAEventBodies(t *testing.T) {
	t.Parallel()
	scope := billing.Scope{Org: billing.OrgID{15: 1}, Mode: billing.ModeTest}
	payer := billing.PayerSummary{ID: billing.PayerID{15: 4}, PayerID: "CHTEST", Name: "Molar Test Payer"}
	batch := billing.Batch{
		ID: billing.FileID{15: 15}, Scope: scope, ClaimCount: 3, Result: billing.BatchAccepted, Acknowledgement: "20260320175959000.997",
		File:      billing.FileRef{Name: "20260320120000000.837", ControlNumbers: billing.ControlNumbers{Interchange: "000000042", Group: "42", Transaction: "0001"}},
		CreatedAt: noon, AcknowledgedAt: evening,
	}
	refused := batch
	refused.Result, refused.File.ControlNumbers = billing.BatchRejected, billing.ControlNumbers{Interchange: "000000042"}
	era := billing.ERA{
		ID: billing.ERAID{15: 14}, Scope: scope, State: billing.ERANeedsReview, Payer: payer, Balanced: true, ClaimCount: 3, MatchedCount: 2,
		Payment: billing.ERAPayment{Method: "ACH", TraceNumber: "TRACE1", Date: billing.Date{Year: 2026, Month: 3, Day: 21}, Total: 1_234_50}, ReceivedAt: evening,
	}
	unknown := era
	unknown.Payer, unknown.Balanced, unknown.MatchedCount = billing.PayerSummary{}, false, 0
	unknown.Payment = billing.ERAPayment{Method: "NON", Total: -1}
	for name, c := range map[string]struct {
		event    billing.Event
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
