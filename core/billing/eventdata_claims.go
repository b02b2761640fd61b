package billing

import "time"

// ClaimStatus is a status that a payer or clearinghouse has reported (277, STC01).
type ClaimStatus struct {
	Category string // such as A2
	Code     string // such as 20
}

// String returns the status in its usual form, such as "A7:562".
func (s ClaimStatus) String() string {
	if s.Code == "" {
		return s.Category
	}
	return s.Category + ":" + s.Code
}

// ClaimCause is the cause of an event of a claim.
type ClaimCause struct {
	Previous ClaimState   // the claim's state before; empty for a new claim
	File     *FileRef     // the file that caused the event; nil if none
	Status   *ClaimStatus // the status that caused the event; nil if none
	At       time.Time
}

// An event of a claim starts with claimHead and ends with claimTimes. A few types
// have more fields between them.
type claimHead struct {
	ID            ClaimID          `json:"id"`
	Object        string           `json:"object"`
	OfficeID      OfficeID         `json:"office_id"`
	Payer         payerData        `json:"payer"`
	Kind          ClaimKind        `json:"kind"`
	State         ClaimState       `json:"state"`
	PreviousState *ClaimState      `json:"previous_state"`
	Frequency     ClaimFrequency   `json:"frequency"`
	ParentID      *ClaimID         `json:"parent_id"`
	RequestID     *RequestID       `json:"request_id"`
	File          *fileData        `json:"file"`
	Status        *claimStatusData `json:"status"`
}

type claimTimes struct {
	CreatedAt  string `json:"created_at"`
	OccurredAt string `json:"occurred_at"`
}

type fileData struct {
	Name string `json:"name"`
	controlNumbersData
}

type controlNumbersData struct {
	Interchange *string `json:"interchange_control_number"`
	Group       *string `json:"group_control_number"`
	Transaction *string `json:"transaction_control_number"`
}

type claimStatusData struct {
	Category *string `json:"category"`
	Code     *string `json:"code"`
}

type claimData struct {
	claimHead
	claimTimes
}

// Event returns an event of a claim whose state or status changed, other than by a
// remittance.
func (c *Claim) Event(t EventType, cause ClaimCause) Event {
	return newEvent(c.Scope, t, c.ID, cause.At, claimData{c.head(cause), c.times(cause)})
}

type claimPaidData struct {
	claimHead
	Payment  claimPaymentData   `json:"payment"`
	Standing *claimStandingData `json:"claim_payment"`
	claimTimes
}

type claimPaymentData struct {
	ERAID                 ERAID   `json:"era_id"`
	StatusCode            string  `json:"status_code"`
	Paid                  string  `json:"paid"`
	Allowed               *string `json:"allowed"`
	PatientResponsibility string  `json:"patient_responsibility"`
}

type claimStandingData struct {
	Outcome               PaymentOutcome `json:"outcome"`
	Paid                  string         `json:"paid"`
	Allowed               *string        `json:"allowed"`
	PatientResponsibility string         `json:"patient_responsibility"`
}

// PaymentEvent returns the claim.paid, claim.denied or claim.payment_reversed
// event of a claim to which a payment was applied. Standing is nil when no
// payment stands after it.
func (c *Claim) PaymentEvent(t EventType, cause ClaimCause, p ClaimPayment, standing *ClaimStanding) Event {
	d := claimPaidData{
		claimHead: c.head(cause), claimTimes: c.times(cause),
		Payment: claimPaymentData{
			ERAID: p.ERAID, StatusCode: p.StatusCode, Paid: p.Paid.String(), Allowed: moneyOrNull(p.Allowed),
			PatientResponsibility: p.PatientResponsibility.String(),
		},
	}
	if s := standing; s != nil {
		d.Standing = &claimStandingData{s.Outcome, s.Paid.String(), moneyOrNull(s.Allowed), s.PatientResponsibility.String()}
	}
	return newEvent(c.Scope, t, c.ID, cause.At, d)
}

type predeterminationReturnedData struct {
	claimHead
	Estimate claimEstimateData `json:"estimate"`
	claimTimes
}

type claimEstimateData struct {
	ERAID   ERAID   `json:"era_id"`
	Allowed *string `json:"allowed"`
	Pay     string  `json:"pay"`
	Patient string  `json:"patient"`
}

// ReturnedEvent returns the predetermination.returned event of a predetermination
// with an estimate.
func (c *Claim) ReturnedEvent(cause ClaimCause, e ClaimEstimate) Event {
	return newEvent(c.Scope, EventPredeterminationReturned, c.ID, cause.At, predeterminationReturnedData{
		claimHead: c.head(cause), claimTimes: c.times(cause),
		Estimate: claimEstimateData{e.ERAID, moneyOrNull(e.Allowed), e.Pay.String(), e.Patient.String()},
	})
}

func (c *Claim) head(cause ClaimCause) claimHead {
	h := claimHead{
		ID: c.ID, Object: "claim", OfficeID: c.OfficeID, Payer: payerData(c.Payer), Kind: c.Kind, State: c.State,
		Frequency: c.Frequency, ParentID: orNull(c.ParentID), RequestID: orNull(c.RequestID),
	}
	if cause.Previous != c.State {
		h.PreviousState = orNull(cause.Previous)
	}
	if f := cause.File; f != nil {
		h.File = &fileData{f.Name, f.ControlNumbers.data()}
	}
	if s := cause.Status; s != nil {
		h.Status = &claimStatusData{orNull(s.Category), orNull(s.Code)}
	}
	return h
}

func (c *Claim) times(cause ClaimCause) claimTimes {
	return claimTimes{CreatedAt: Timestamp(c.CreatedAt), OccurredAt: Timestamp(cause.At)}
}

func (n ControlNumbers) data() controlNumbersData {
	return controlNumbersData{orNull(n.Interchange), orNull(n.Group), orNull(n.Transaction)}
}

type batchAcknowledgedData struct {
	ID         FileID      `json:"id"`
	Object     string      `json:"object"`
	Name       string      `json:"name"`
	Result     BatchResult `json:"result"`
	ClaimCount int         `json:"claim_count"`
	controlNumbersData
	Acknowledgement acknowledgementData `json:"acknowledgement"`
	CreatedAt       string              `json:"created_at"`
	OccurredAt      string              `json:"occurred_at"`
}

type acknowledgementData struct {
	Name string `json:"name"`
}

// AcknowledgedEvent returns the batch.acknowledged event of a batch with the
// verdict of a 997.
func (b *Batch) AcknowledgedEvent() Event {
	return newEvent(b.Scope, EventBatchAcknowledged, b.ID, b.AcknowledgedAt, batchAcknowledgedData{
		ID: b.ID, Object: "batch", Name: b.File.Name, Result: b.Result, ClaimCount: b.ClaimCount,
		controlNumbersData: b.File.ControlNumbers.data(), Acknowledgement: acknowledgementData{b.Acknowledgement},
		CreatedAt: Timestamp(b.CreatedAt), OccurredAt: Timestamp(b.AcknowledgedAt),
	})
}

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

func moneyOrNull(m *Money) *string {
	if m == nil {
		return nil
	}
	return new(m.String())
}
