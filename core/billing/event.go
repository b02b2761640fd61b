package billing

import "time"

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
