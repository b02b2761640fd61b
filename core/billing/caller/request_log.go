package caller

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// LoggedRequest is an entry of the request log and of the audit: a request with an API
// key, without its body and its query.
type LoggedRequest struct {
	ID        billing.RequestID
	Scope     billing.Scope
	KeyID     billing.KeyID
	Operation string       // the method and the route template, such as "POST /eligibility"
	Resource  string       // the ID of the resource that the request named or made; empty for none
	Status    int          // zero if the service stopped before it recorded the reply
	Error     billing.Code // empty for none
	Duration  time.Duration
	CreatedAt time.Time

	// Only for the audit.
	Address string // of the client
	Agent   string // the client's User-Agent
	Shown   []string
}

// Position returns the place in a list, by the time and the ID.
func (e *LoggedRequest) Position() billing.Position {
	return billing.Position{Time: e.CreatedAt, ID: e.ID}
}

// Audited returns the entry of the audit.
func (e *LoggedRequest) Audited() *AuditEntry {
	return &AuditEntry{
		ID: billing.AuditEntryID(e.ID), Org: e.Scope.Org, Mode: e.Scope.Mode, Key: e.KeyID, Address: e.Address, Agent: e.Agent,
		Operation: e.Operation, Resource: e.Resource, Shown: e.Shown, Status: e.Status, CreatedAt: e.CreatedAt,
	}
}

// about returns the entry with the resource that the request made. A resource that
// the path names comes first.
func (e *LoggedRequest) about(resource string) *LoggedRequest {
	if e == nil || e.Resource != "" || resource == "" {
		return e
	}
	made := *e
	made.Resource = resource
	return &made
}

// RequestFilter selects entries of the request log. Zero fields select all.
type RequestFilter struct {
	KeyID         billing.KeyID
	Operation     string
	Status        int
	Error         billing.Code
	Resource      string
	CreatedAfter  time.Time // inclusive
	CreatedBefore time.Time // exclusive
}
