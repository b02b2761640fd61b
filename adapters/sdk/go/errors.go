package molar

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Kind is a kind of errors, by what a program does about them. errors.Is compares an [*Error] with it.
type Kind string

// The kinds of errors.
const (
	ErrInvalidRequest   Kind = "invalid request"   // change the fields that Faults names
	ErrAuthentication   Kind = "authentication"    // the key does not work
	ErrPermissionDenied Kind = "permission denied" // the key may not do this
	ErrNotFound         Kind = "not found"         // nothing with this ID, for this key
	ErrConflict         Kind = "conflict"          // the resource is in another state, or has changed
	ErrRateLimit        Kind = "rate limit"        // too many requests
	ErrPayer            Kind = "payer"             // the payer or its network refused, or did not respond
	ErrService          Kind = "service"           // Molar failed, or is not ready
)

// Error makes a kind a target of errors.Is.
func (k Kind) Error() string { return "molar: " + string(k) }

// Fault is a fault of one field of a request.
type Fault struct {
	Field   string `json:"field"` // a path, such as lines.0.procedure_code
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error is an error reply of the API. errors.Is(err, molar.ErrNotFound) tells its kind.
type Error struct {
	Status    int
	Code      string // such as INVALID_REQUEST
	Message   string // what is wrong and what to do, for people
	Faults    []Fault
	RequestID string // quote it when you ask the people who run the service
	DocURL    string // the page about the code
	// Retryable says that the same request may succeed later. The client has tried already.
	Retryable bool
	// NeedsNewKey says that the idempotency key keeps this reply: to try again, send a new one.
	NeedsNewKey bool
	// OldestEventID is the oldest event that is kept, of EVENT_EXPIRED.
	OldestEventID string
	Header        http.Header

	check json.RawMessage
}

// Error returns what is wrong, with the fields.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "molar: %d %s: %s", e.Status, e.Code, e.Message)
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "; %s: %s", f.Field, f.Message)
	}
	if e.RequestID != "" {
		b.WriteString(" (" + e.RequestID + ")")
	}
	return b.String()
}

// Kind returns the kind of the error.
func (e *Error) Kind() Kind {
	switch {
	case strings.HasPrefix(e.Code, "PAYER_") || strings.HasSuffix(e.Code, "NETWORK_ERROR"):
		return ErrPayer
	case e.Status == http.StatusUnauthorized:
		return ErrAuthentication
	case e.Status == http.StatusForbidden:
		return ErrPermissionDenied
	case e.Status == http.StatusNotFound || e.Status == http.StatusGone:
		return ErrNotFound
	case e.Status == http.StatusConflict || e.Status == http.StatusPreconditionFailed:
		return ErrConflict
	case e.Status == http.StatusTooManyRequests:
		return ErrRateLimit
	case e.Status >= http.StatusInternalServerError:
		return ErrService
	}
	return ErrInvalidRequest
}

// Is reports whether the error is of the kind.
func (e *Error) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == e.Kind()
}

// Check returns the eligibility check that failed, if the error is of one.
func (e *Error) Check() *EligibilityCheck {
	c := new(EligibilityCheck)
	if e.check == nil || json.Unmarshal(e.check, c) != nil {
		return nil
	}
	return c
}

// ConnectionError is the error of a request without a reply.
type ConnectionError struct {
	BaseURL string
	Cause   error
	// MaybeReceived says that the service may have the request. Send a write again with the same key, and it
	// happens once.
	MaybeReceived bool

	ended bool // the caller's context, or the time of the call
}

// Error says what was tried, and what is known.
func (e *ConnectionError) Error() string {
	known := "the service did not receive the request"
	if e.MaybeReceived {
		known = "the service may have received the request"
	}
	return fmt.Sprintf("molar: %s did not reply: %v; %s", e.BaseURL, e.Cause, known)
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Cause }

// refused reads an error reply.
func (c *Client) refused(r *Reply) error {
	var body struct {
		Error         string          `json:"error"`
		Message       string          `json:"message"`
		Errors        []Fault         `json:"errors"`
		DocURL        string          `json:"doc_url"`
		NeedsNewKey   bool            `json:"needs_new_key"`
		OldestEventID string          `json:"oldest_event_id"`
		Check         json.RawMessage `json:"check"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil || body.Error == "" {
		body.Message = "The reply is not one of Molar. Check the base URL, and what stands before the service."
	}
	e := &Error{
		Status: r.Status, Code: body.Error, Message: body.Message, Faults: body.Errors, RequestID: r.RequestID,
		Retryable: r.Header.Get("X-Should-Retry") == "true", NeedsNewKey: body.NeedsNewKey, OldestEventID: body.OldestEventID,
		Header: r.Header, check: body.Check,
	}
	if body.DocURL != "" {
		e.DocURL = strings.TrimSuffix(c.base, "/api/v1") + body.DocURL
	}
	if body.Error == "" { // a proxy does not set the header
		e.Retryable = r.Status == http.StatusBadGateway || r.Status == http.StatusServiceUnavailable || r.Status == http.StatusGatewayTimeout
	}
	return e
}

// IsCode reports whether an error is an error reply with the code.
func IsCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
