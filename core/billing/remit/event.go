package billing

type eraReceivedData struct {
	ID             ERAID          `json:"id"`
	Object         string         `json:"object"`
	State          ERAState       `json:"state"`
	Payer          *payerData     `json:"payer"`
	Payment        eraPaymentData `json:"payment"`
	Balanced       bool           `json:"balanced"`
	ClaimCount     int            `json:"claim_count"`
	MatchedCount   int            `json:"matched_count"`
	UnmatchedCount int            `json:"unmatched_count"`
	ReceivedAt     string         `json:"received_at"`
	OccurredAt     string         `json:"occurred_at"`
}

type eraPaymentData struct {
	Method      string `json:"method"`
	TraceNumber string `json:"trace_number"`
	Date        *Date  `json:"date"`
	Total       string `json:"total"`
}

// ReceivedEvent returns the era.received event of a new remittance.
func (e *ERA) ReceivedEvent() Event {
	p := e.Payment
	d := eraReceivedData{
		ID: e.ID, Object: "era", State: e.State,
		Payment:  eraPaymentData{p.Method, p.TraceNumber, orNull(p.Date), p.Total.String()},
		Balanced: e.Balanced, ClaimCount: e.ClaimCount, MatchedCount: e.MatchedCount, UnmatchedCount: e.ClaimCount - e.MatchedCount,
		ReceivedAt: Timestamp(e.ReceivedAt), OccurredAt: Timestamp(e.ReceivedAt),
	}
	if e.Payer != (PayerSummary{}) {
		d.Payer = new(payerData(e.Payer))
	}
	return newEvent(e.Scope, EventERAReceived, e.ID, e.ReceivedAt, d)
}
