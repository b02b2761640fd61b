package claim

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Cause is the cause of an event of a claim.
type Cause struct {
	Previous State                 // the claim's state before; empty for a new claim
	File     *clearing.FileRef     // the file that caused the event; nil if none
	Status   *clearing.ClaimStatus // the status that caused the event; nil if none
	At       time.Time
}

// An event of a claim starts with claimHead and ends with claimTimes. A few types
// have more fields between them.
type claimHead struct {
	ID            billing.ClaimID    `json:"id"`
	Object        string             `json:"object"`
	OfficeID      billing.OfficeID   `json:"office_id"`
	Payer         event.PayerData    `json:"payer"`
	Kind          Kind               `json:"kind"`
	State         State              `json:"state"`
	PreviousState *State             `json:"previous_state"`
	Frequency     Frequency          `json:"frequency"`
	ParentID      *billing.ClaimID   `json:"parent_id"`
	RequestID     *billing.RequestID `json:"request_id"`
	File          any                `json:"file"`
	Status        *claimStatusData   `json:"status"`
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
func (c *Claim) Event(t event.Type, cause Cause) event.Event {
	return event.New(c.Scope, t, c.ID, cause.At, claimData{c.head(cause), c.times(cause)})
}

type claimPaidData struct {
	claimHead
	Payment  claimPaymentData   `json:"payment"`
	Standing *claimStandingData `json:"claim_payment"`
	claimTimes
}

type claimPaymentData struct {
	ERAID                 billing.ERAID `json:"era_id"`
	StatusCode            string        `json:"status_code"`
	Paid                  string        `json:"paid"`
	Allowed               *string       `json:"allowed"`
	PatientResponsibility string        `json:"patient_responsibility"`
}

type claimStandingData struct {
	Outcome               remit.PaymentOutcome `json:"outcome"`
	Paid                  string               `json:"paid"`
	Allowed               *string              `json:"allowed"`
	PatientResponsibility string               `json:"patient_responsibility"`
}

// paymentEvent returns the claim.paid, claim.denied or claim.payment_reversed
// event of a claim to which a payment was applied. Standing is nil when no
// payment stands after it.
func (c *Claim) paymentEvent(t event.Type, cause Cause, p remit.ClaimPayment, standing *Standing) event.Event {
	d := claimPaidData{
		claimHead: c.head(cause), claimTimes: c.times(cause),
		Payment: claimPaymentData{
			ERAID: p.ERAID, StatusCode: p.StatusCode, Paid: p.Paid.String(), Allowed: event.MoneyOrNull(p.Allowed),
			PatientResponsibility: p.PatientResponsibility.String(),
		},
	}
	if s := standing; s != nil {
		d.Standing = &claimStandingData{s.Outcome, s.Paid.String(), event.MoneyOrNull(s.Allowed), s.PatientResponsibility.String()}
	}
	return event.New(c.Scope, t, c.ID, cause.At, d)
}

type predeterminationReturnedData struct {
	claimHead
	Estimate claimEstimateData `json:"estimate"`
	claimTimes
}

type claimEstimateData struct {
	ERAID   billing.ERAID `json:"era_id"`
	Allowed *string       `json:"allowed"`
	Pay     string        `json:"pay"`
	Patient string        `json:"patient"`
}

// returnedEvent returns the predetermination.returned event of a predetermination
// with an estimate.
func (c *Claim) returnedEvent(cause Cause, e remit.ClaimEstimate) event.Event {
	return event.New(c.Scope, event.PredeterminationReturned, c.ID, cause.At, predeterminationReturnedData{
		claimHead: c.head(cause), claimTimes: c.times(cause),
		Estimate: claimEstimateData{e.ERAID, event.MoneyOrNull(e.Allowed), e.Pay.String(), e.Patient.String()},
	})
}

func (c *Claim) head(cause Cause) claimHead {
	h := claimHead{
		ID: c.ID, Object: "claim", OfficeID: c.OfficeID, Payer: event.PayerData(c.Payer), Kind: c.Kind, State: c.State,
		Frequency: c.Frequency, ParentID: event.OrNull(c.ParentID), RequestID: event.OrNull(c.RequestID),
	}
	if cause.Previous != c.State {
		h.PreviousState = event.OrNull(cause.Previous)
	}
	if f := cause.File; f != nil {
		h.File = f.EventData()
	}
	if s := cause.Status; s != nil {
		h.Status = &claimStatusData{event.OrNull(s.Category), event.OrNull(s.Code)}
	}
	return h
}

func (c *Claim) times(cause Cause) claimTimes {
	return claimTimes{CreatedAt: event.Timestamp(c.CreatedAt), OccurredAt: event.Timestamp(cause.At)}
}
