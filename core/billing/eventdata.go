package billing

import (
	"bytes"
	"encoding/json"
	"time"
)

// The data of each event type, as the API contract lists it. It is fixed when
// the event happens, because clients read events for years.

type payerData struct {
	ID      PayerID `json:"id"`
	PayerID string  `json:"payer_id"`
	Name    string  `json:"name"`
}

type usageData struct {
	Charged bool        `json:"charged"`
	State   UsageState  `json:"state"`
	Reason  UsageReason `json:"reason"`
	Label   string      `json:"label"`
}

type cacheData struct {
	State    string   `json:"state"`
	SourceID *CheckID `json:"source_id"`
}

type eligibilityCompletedData struct {
	ID              CheckID         `json:"id"`
	Object          string          `json:"object"`
	OfficeID        OfficeID        `json:"office_id"`
	Payer           payerData       `json:"payer"`
	State           CheckState      `json:"state"`
	Outcome         Outcome         `json:"outcome"`
	Status          *CoverageStatus `json:"status"`
	Billing         *usageData      `json:"billing"`
	Cache           cacheData       `json:"cache"`
	ParentID        *CheckID        `json:"parent_id"`
	RequestID       *RequestID      `json:"request_id"`
	TenantReference *string         `json:"tenant_reference"`
	CreatedAt       string          `json:"created_at"`
	CompletedAt     string          `json:"completed_at"`
}

// CompletedEvent returns the eligibility.completed event of a completed check.
func (c *EligibilityCheck) CompletedEvent() Event {
	d := eligibilityCompletedData{
		ID:              c.ID,
		Object:          "eligibility_check",
		OfficeID:        c.OfficeID,
		Payer:           payerData(c.Payer),
		State:           c.State,
		Outcome:         c.Outcome,
		Status:          orNull(c.Status),
		Cache:           cacheData{State: c.CacheState(), SourceID: orNull(c.CacheSource)},
		ParentID:        orNull(c.ParentID),
		RequestID:       orNull(c.RequestID),
		TenantReference: c.TenantReference,
		CreatedAt:       Timestamp(c.CreatedAt),
		CompletedAt:     Timestamp(c.CompletedAt),
	}
	if u := c.Usage(); u != nil {
		d.Billing = (*usageData)(u)
	}
	return newEvent(c.Scope, EventEligibilityCompleted, c.ID, c.CompletedAt, d)
}

// CacheState returns "hit" when the result comes from a saved check, else
// "fresh".
func (c *EligibilityCheck) CacheState() string {
	if c.CacheSource.IsZero() {
		return "fresh"
	}
	return "hit"
}

type organizationData struct {
	ID     OrgID  `json:"id"`
	Object string `json:"object"`
	Name   string `json:"name"`
}

type apiKeyData struct {
	ID           KeyID            `json:"id"`
	Object       string           `json:"object"`
	Name         string           `json:"name"`
	Mode         Mode             `json:"mode"`
	Permissions  []Permission     `json:"permissions"`
	Organization organizationData `json:"organization"`
}

// CreatedEvent returns the api_key.created event of a new key.
func (k *APIKey) CreatedEvent(o *Organization) Event {
	return newEvent(k.Scope, EventAPIKeyCreated, k.ID, k.CreatedAt, k.data(o))
}

// RevokedEvent returns the api_key.revoked event of a revoked key.
func (k *APIKey) RevokedEvent(o *Organization) Event {
	return newEvent(k.Scope, EventAPIKeyRevoked, k.ID, k.RevokedAt, k.data(o))
}

func (k *APIKey) data(o *Organization) apiKeyData {
	return apiKeyData{
		ID: k.ID, Object: "api_key", Name: k.Name, Mode: k.Scope.Mode, Permissions: k.Permissions,
		Organization: organizationData{o.ID, "organization", o.Name},
	}
}

type attachmentCompletedData struct {
	ID               AttachmentID    `json:"id"`
	Object           string          `json:"object"`
	OfficeID         OfficeID        `json:"office_id"`
	ClaimID          *ClaimID        `json:"claim_id"`
	Payer            payerData       `json:"payer"`
	Kind             AttachmentKind  `json:"kind"`
	State            AttachmentState `json:"state"`
	AttachmentNumber string          `json:"attachment_number"`
	PayerRequestID   *PayerRequestID `json:"payer_request_id"`
	DocumentCount    int             `json:"document_count"`
	RequestID        *RequestID      `json:"request_id"`
	CreatedAt        string          `json:"created_at"`
	ClosedAt         string          `json:"closed_at"`
	OccurredAt       string          `json:"occurred_at"`
}

// CompletedEvent returns the attachment.completed event of a closed attachment.
func (a *Attachment) CompletedEvent() Event {
	return newEvent(a.Scope, EventAttachmentCompleted, a.ID, a.ClosedAt, attachmentCompletedData{
		ID: a.ID, Object: "attachment", OfficeID: a.OfficeID, ClaimID: orNull(a.ClaimID), Payer: payerData(a.Payer),
		Kind: a.Kind, State: a.State, AttachmentNumber: a.Number, PayerRequestID: orNull(a.PayerRequestID),
		DocumentCount: len(a.Documents), RequestID: orNull(a.RequestID),
		CreatedAt: Timestamp(a.CreatedAt), ClosedAt: Timestamp(a.ClosedAt), OccurredAt: Timestamp(a.ClosedAt),
	})
}

type payerRequestReceivedData struct {
	ID              PayerRequestID     `json:"id"`
	Object          string             `json:"object"`
	ClaimID         *ClaimID           `json:"claim_id"`
	Payer           payerData          `json:"payer"`
	ReferenceNumber string             `json:"reference_number"`
	State           PayerRequestState  `json:"state"`
	Source          PayerRequestSource `json:"source"`
	DueDate         *Date              `json:"due_date"`
	CreatedAt       string             `json:"created_at"`
	OccurredAt      string             `json:"occurred_at"`
}

// ReceivedEvent returns the payer_request.received event of a new payer request.
func (r *PayerRequest) ReceivedEvent() Event {
	return newEvent(r.Scope, EventPayerRequestReceived, r.ID, r.CreatedAt, payerRequestReceivedData{
		ID: r.ID, Object: "payer_request", ClaimID: orNull(r.ClaimID), Payer: payerData(r.Payer),
		ReferenceNumber: r.ReferenceNumber, State: r.State, Source: r.Source,
		DueDate: orNull(r.DueDate), CreatedAt: Timestamp(r.CreatedAt), OccurredAt: Timestamp(r.CreatedAt),
	})
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
