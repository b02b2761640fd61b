package billing

import "time"

// LoggedRequest is an entry of the request log: a request with an API key, without
// its body and its query.
type LoggedRequest struct {
	ID        RequestID
	Scope     Scope
	KeyID     KeyID
	Operation string // the method and the route template, such as "POST /eligibility"
	Resource  string // the ID of the resource that the request named or made; empty for none
	Status    int    // zero if the service stopped before it recorded the reply
	Error     Code   // empty for none
	Duration  time.Duration
	CreatedAt time.Time
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
	KeyID         KeyID
	Operation     string
	Status        int
	Error         Code
	Resource      string
	CreatedAfter  time.Time // inclusive
	CreatedBefore time.Time // exclusive
}
