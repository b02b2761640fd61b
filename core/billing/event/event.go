package billing

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// EventType names what happened.
type EventType string

// The event types of the API contract.
const (
	EventEligibilityCompleted     EventType = "eligibility.completed"
	EventAPIKeyCreated            EventType = "api_key.created"
	EventAPIKeyRevoked            EventType = "api_key.revoked"
	EventClaimValidated           EventType = "claim.validated"
	EventClaimNeedsAttention      EventType = "claim.needs_attention"
	EventClaimQueued              EventType = "claim.queued"
	EventClaimSubmitted           EventType = "claim.submitted"
	EventClaimAccepted            EventType = "claim.accepted"
	EventClaimRejected            EventType = "claim.rejected"
	EventClaimStatusUpdated       EventType = "claim.status_updated"
	EventClaimVoided              EventType = "claim.voided"
	EventBatchAcknowledged        EventType = "batch.acknowledged"
	EventAttachmentCompleted      EventType = "attachment.completed"
	EventPayerRequestReceived     EventType = "payer_request.received"
	EventERAReceived              EventType = "era.received"
	EventClaimPaid                EventType = "claim.paid"
	EventClaimDenied              EventType = "claim.denied"
	EventClaimPaymentReversed     EventType = "claim.payment_reversed"
	EventPredeterminationReturned EventType = "predetermination.returned"
)

// EventTypes returns every event type in the order of the API contract.
func EventTypes() []EventType {
	return []EventType{
		EventEligibilityCompleted, EventAPIKeyCreated, EventAPIKeyRevoked, EventClaimValidated,
		EventClaimNeedsAttention, EventClaimQueued, EventClaimSubmitted, EventClaimAccepted, EventClaimRejected,
		EventClaimStatusUpdated, EventClaimVoided, EventBatchAcknowledged, EventAttachmentCompleted,
		EventPayerRequestReceived, EventERAReceived, EventClaimPaid, EventClaimDenied, EventClaimPaymentReversed,
		EventPredeterminationReturned,
	}
}

// Event is one fact about a resource. It is written in the same commit as the
// change that it reports, and never changes.
type Event struct {
	ID        EventID
	Scope     Scope
	Type      EventType
	Resource  [16]byte // the resource's ID, of any kind
	Sequence  int      // position in the history of the resource, from 1; given by the store
	CreatedAt time.Time
	Data      []byte // a JSON object; its fields depend on Type
}

// Position returns the place in a list, by the time and the ID.
func (e *Event) Position() Position { return Position{Time: e.CreatedAt, ID: e.ID} }

// EventFilter narrows a list of events. Zero fields match all.
type EventFilter struct {
	Types         []EventType // one of them
	Resource      [16]byte
	CreatedAfter  time.Time // inclusive
	CreatedBefore time.Time // exclusive
}

type payerData struct {
	ID      PayerID `json:"id"`
	PayerID string  `json:"payer_id"`
	Name    string  `json:"name"`
}

func newEvent[R ~[16]byte](scope Scope, t EventType, resource R, at time.Time, data any) Event {
	return Event{ID: NewID[EventID](at), Scope: scope, Type: t, Resource: resource, CreatedAt: at, Data: spelled(data)}
}

// spelled returns data as JSON, which is stored, returned and posted unchanged.
func spelled(data any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		panic("billing: " + err.Error()) // the data types hold nothing that cannot be written
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// orNull returns nil for the zero value.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Timestamp returns a time as clients see it: UTC, with microseconds and an
// offset.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000-07:00") }

func moneyOrNull(m *Money) *string {
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
