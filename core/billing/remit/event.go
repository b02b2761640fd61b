package remit

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
)

type eraReceivedData struct {
	ID             billing.ERAID    `json:"id"`
	Object         string           `json:"object"`
	State          State            `json:"state"`
	Payer          *event.PayerData `json:"payer"`
	Payment        eraPaymentData   `json:"payment"`
	Balanced       bool             `json:"balanced"`
	ClaimCount     int              `json:"claim_count"`
	MatchedCount   int              `json:"matched_count"`
	UnmatchedCount int              `json:"unmatched_count"`
	ReceivedAt     string           `json:"received_at"`
	OccurredAt     string           `json:"occurred_at"`
}

type eraPaymentData struct {
	Method      string        `json:"method"`
	TraceNumber string        `json:"trace_number"`
	Date        *billing.Date `json:"date"`
	Total       string        `json:"total"`
}

// ReceivedEvent returns the era.received event of a new remittance.
func (e *ERA) ReceivedEvent() event.Event {
	p := e.Payment
	d := eraReceivedData{
		ID: e.ID, Object: "era", State: e.State,
		Payment:  eraPaymentData{p.Method, p.TraceNumber, event.OrNull(p.Date), p.Total.String()},
		Balanced: e.Balanced, ClaimCount: e.ClaimCount, MatchedCount: e.MatchedCount, UnmatchedCount: e.ClaimCount - e.MatchedCount,
		ReceivedAt: event.Timestamp(e.ReceivedAt), OccurredAt: event.Timestamp(e.ReceivedAt),
	}
	if e.Payer != (directory.PayerSummary{}) {
		d.Payer = new(event.PayerData(e.Payer))
	}
	return event.New(e.Scope, event.ERAReceived, e.ID, e.ReceivedAt, d)
}
