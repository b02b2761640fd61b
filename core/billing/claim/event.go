package billing

import "time"

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
	File          any              `json:"file"`
	Status        *claimStatusData `json:"status"`
}

type claimTimes struct {
	CreatedAt  string `json:"created_at"`
	OccurredAt string `json:"occurred_at"`
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
		h.File = f.EventData()
	}
	if s := cause.Status; s != nil {
		h.Status = &claimStatusData{orNull(s.Category), orNull(s.Code)}
	}
	return h
}

func (c *Claim) times(cause ClaimCause) claimTimes {
	return claimTimes{CreatedAt: Timestamp(c.CreatedAt), OccurredAt: Timestamp(cause.At)}
}
