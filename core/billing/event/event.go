package event

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Type names what happened.
type Type string

// The event types of the API contract.
const (
	EligibilityCompleted     Type = "eligibility.completed"
	APIKeyCreated            Type = "api_key.created"
	APIKeyRevoked            Type = "api_key.revoked"
	ClaimValidated           Type = "claim.validated"
	ClaimNeedsAttention      Type = "claim.needs_attention"
	ClaimQueued              Type = "claim.queued"
	ClaimSubmitted           Type = "claim.submitted"
	ClaimAccepted            Type = "claim.accepted"
	ClaimRejected            Type = "claim.rejected"
	ClaimStatusUpdated       Type = "claim.status_updated"
	ClaimVoided              Type = "claim.voided"
	BatchAcknowledged        Type = "batch.acknowledged"
	AttachmentCompleted      Type = "attachment.completed"
	PayerRequestReceived     Type = "payer_request.received"
	ERAReceived              Type = "era.received"
	ClaimPaid                Type = "claim.paid"
	ClaimDenied              Type = "claim.denied"
	ClaimPaymentReversed     Type = "claim.payment_reversed"
	PredeterminationReturned Type = "predetermination.returned"
)

// Ping is the type of the event that a ping posts. Types lacks it,
// because it is never kept and no endpoint subscribes to it.
const Ping Type = "ping"

// Types returns every event type in the order of the API contract.
func Types() []Type {
	return []Type{
		EligibilityCompleted, APIKeyCreated, APIKeyRevoked, ClaimValidated,
		ClaimNeedsAttention, ClaimQueued, ClaimSubmitted, ClaimAccepted, ClaimRejected,
		ClaimStatusUpdated, ClaimVoided, BatchAcknowledged, AttachmentCompleted,
		PayerRequestReceived, ERAReceived, ClaimPaid, ClaimDenied, ClaimPaymentReversed,
		PredeterminationReturned,
	}
}

// Event is one fact about a resource. It is written in the same commit as the
// change that it reports, and never changes.
type Event struct {
	ID        billing.EventID
	Scope     billing.Scope
	Type      Type
	Resource  [16]byte // the resource's ID, of any kind
	Sequence  int      // position in the history of the resource, from 1; given by the store
	CreatedAt time.Time
	Data      []byte // a JSON object; its fields depend on Type
}

// Position returns the place in a list, by the time and the ID.
func (e *Event) Position() billing.Position { return billing.Position{Time: e.CreatedAt, ID: e.ID} }

// Filter narrows a list of events. Zero fields match all.
type Filter struct {
	Types         []Type // one of them
	Resource      [16]byte
	CreatedAfter  time.Time // inclusive
	CreatedBefore time.Time // exclusive
}

// PayerData names a payer in the data of an event.
type PayerData struct {
	ID      billing.PayerID `json:"id"`
	PayerID string          `json:"payer_id"`
	Name    string          `json:"name"`
}

// New returns an event about a resource that happened at the time. The store gives it its ID.
func New[R ~[16]byte](scope billing.Scope, t Type, resource R, at time.Time, data any) Event {
	return Event{Scope: scope, Type: t, Resource: resource, CreatedAt: at, Data: Encode(data)}
}

// Encode returns data as JSON, which is stored, returned and posted unchanged.
func Encode(data any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		panic("billing: " + err.Error()) // the data types hold nothing that cannot be written
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// OrNull returns nil for the zero value.
func OrNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Timestamp returns a time as clients see it: UTC, with microseconds and an
// offset.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000-07:00") }

// MoneyOrNull returns an amount as clients see it; nil for none.
func MoneyOrNull(m *billing.Money) *string {
	if m == nil {
		return nil
	}
	return new(m.String())
}

// JSON returns the event object of the API, for replies and for webhooks. It
// contains the data byte for byte.
func (e *Event) JSON() []byte {
	b := make([]byte, 0, 200+len(e.Data))
	b = append(b, `{"id":"`...)
	b = append(b, e.ID.String()...)
	b = append(b, `","object":"event","type":"`...)
	b = append(b, e.Type...)
	b = append(b, `","sequence":`...)
	b = strconv.AppendInt(b, int64(max(e.Sequence, 1)), 10)
	b = append(b, `,"created_at":"`...)
	b = append(b, Timestamp(e.CreatedAt)...)
	b = append(b, `","data":`...)
	b = append(b, e.Data...)
	return append(b, '}')
}

// ExpiredError is the error of a reader whose last event is older than all that are stored:
// it may have missed some. Its code is CodeEventExpired.
type ExpiredError struct {
	error
	Oldest billing.EventID // the first one that is stored
}

// Unwrap returns the billing.Error.
func (e *ExpiredError) Unwrap() error { return e.error }

// Expired returns the error of a reader who continues after an event that is gone.
func Expired(oldest billing.EventID) *ExpiredError {
	return &ExpiredError{&billing.Error{
		Code: billing.CodeEventExpired,
		Message: "The event is no longer kept, and events after it may be gone. Read the resources that you follow again. " +
			"Then continue without after, or after the event in oldest_event_id.",
	}, oldest}
}
