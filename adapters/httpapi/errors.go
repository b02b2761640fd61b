package httpapi

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver"
	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
)

// status returns the HTTP status of a code. It is the only such table.
func status(code billing.Code) int {
	switch code {
	case billing.CodeIdempotencyKeyRequired:
		return http.StatusBadRequest
	case billing.CodeUnauthorized:
		return http.StatusUnauthorized
	case billing.CodePermissionDenied, billing.CodeTOTPRequired, billing.CodeTestModeOnly:
		return http.StatusForbidden
	case billing.CodeNotFound:
		return http.StatusNotFound
	case billing.CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case billing.CodeRequestTimeout:
		return http.StatusRequestTimeout
	case billing.CodeConflict, billing.CodeIdempotencyKeyInUse, billing.CodeChooseOrganization, billing.CodeClockAdvancing, billing.CodeSandboxResetting:
		return http.StatusConflict
	case billing.CodeEventExpired:
		return http.StatusGone
	case billing.CodeChangedMeanwhile:
		return http.StatusPreconditionFailed
	case billing.CodePayloadTooLarge:
		return http.StatusRequestEntityTooLarge
	case billing.CodeUnsupportedEncoding:
		return http.StatusUnsupportedMediaType
	case billing.CodeInvalidRequest, billing.CodeIdempotencyKeyReused, billing.CodePayerRejected:
		return http.StatusUnprocessableEntity
	case billing.CodeTooManyRequests:
		return http.StatusTooManyRequests
	case billing.CodeInternal:
		return http.StatusInternalServerError
	case billing.CodePayerUnavailable, billing.CodeNetworkError, billing.CodeAttachmentsNetworkError:
		return http.StatusBadGateway
	case billing.CodeEligibilityUnavailable, billing.CodeAttachmentsUnavailable, billing.CodeUnavailable:
		return http.StatusServiceUnavailable
	case billing.CodeTimeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

const (
	internalMessage = "Something went wrong inside the service. Quote the request ID when you report it."
	awayMessage     = "The service cannot reach its database now. Try again in a few seconds. Send a write again with the same Idempotency-Key."
	timeoutMessage  = "The request took too long. It may still take effect. Look for its result before you send it again with a new key."
)

// failedCheckError is the error of a check that completed without an answer.
// The reply shows the check.
type failedCheckError struct {
	error
	check    *coverage.Check
	replayed bool
}

func (f *failedCheckError) Unwrap() error { return f.error }

// body returns the reply with the check: out, unless the check's release kept its own. A
// replay of a reply that was not kept has the ID of the first request, if it is known.
func (f *failedCheckError) body(out errorJSON) []byte {
	if f.replayed && !f.check.RequestID.IsZero() {
		out.RequestID = f.check.RequestID.String()
	}
	failure := f.check.ShownFailure
	if failure == nil {
		failure = bytes.TrimSpace(encoded(out))
	}
	return slices.Concat(bytes.TrimSuffix(failure, []byte("}")), []byte(`,"check":`), f.check.Data(), []byte("}\n"))
}

type errorJSON struct {
	Error     billing.Code `json:"error"`
	Message   string       `json:"message"`
	Errors    []faultJSON  `json:"errors"`
	RequestID string       `json:"request_id"`
	DocURL    string       `json:"doc_url"`

	NeedsNewKey   bool             `json:"needs_new_key,omitempty"`
	Organizations []choiceJSON     `json:"organizations,omitempty"`
	Changed       []editJSON       `json:"changed,omitzero"`
	OldestEventID *billing.EventID `json:"oldest_event_id,omitempty"`
}

// editJSON is a change of a field since the version that the caller has seen.
type editJSON struct {
	Field string `json:"field"`
	By    string `json:"by"`
	At    string `json:"at"`
}

// choiceJSON is an organization to which a person may sign in.
type choiceJSON struct {
	ID   billing.OrgID `json:"id"`
	Name string        `json:"name"`
}

type faultJSON struct {
	Field   string            `json:"field"`
	Code    billing.FaultCode `json:"code"`
	Message string            `json:"message"`
}

// fail replies with an error. It logs the cause if the service is at fault.
func (x *exchange) fail(err error) {
	code, out := x.failure(err)
	f, failedCheck := errors.AsType[*failedCheckError](err)
	x.refused = !failedCheck
	if c, ok := errors.AsType[*access.ChooseError](err); ok {
		for _, o := range c.Organizations {
			out.Organizations = append(out.Organizations, choiceJSON{o.ID, o.Name})
		}
	}
	if e, ok := errors.AsType[*event.ExpiredError](err); ok {
		out.OldestEventID = &e.Oldest
	}
	x.advise(out.Error)
	switch out.Error { //nolint:exhaustive // other codes need no header
	case billing.CodeUnauthorized:
		x.set("WWW-Authenticate", "Bearer")
	case billing.CodeTooManyRequests, billing.CodeIdempotencyKeyInUse, billing.CodeClockAdvancing, billing.CodeSandboxResetting:
		x.set("Retry-After", strconv.Itoa(retryAfter(err)))
	case billing.CodeUnavailable:
		x.set("Retry-After", "5")
	}
	e, known := errors.AsType[*billing.Error](err)
	if known && e.Reason != "" {
		x.noteRefusal(e.Reason)
	}
	_, framing := errors.AsType[*httpserver.MessageError](err)
	if !framing && (!known || e.Code == billing.CodeInternal || e.Code == billing.CodeUnavailable) {
		x.logCause(err)
	}
	body := encoded(out)
	if failedCheck {
		x.markReplayed(f.replayed)
		body = f.body(out)
	}
	x.write(code, "application/json", body)
}

// retryAfter returns the number of seconds after which the request may succeed.
func retryAfter(err error) int {
	e, known := errors.AsType[*billing.Error](err)
	if !known {
		return 1
	}
	return max(1, int(math.Ceil(e.RetryAfter.Seconds())))
}

// failure returns the status and the body for an error. It keeps the code for
// the log.
func (x *exchange) failure(err error) (code int, out errorJSON) {
	out = errorJSON{Error: billing.CodeInternal, Message: internalMessage, Errors: []faultJSON{}, RequestID: x.id.String()}
	e, known := errors.AsType[*billing.Error](err)
	transport, framing := errors.AsType[*httpserver.MessageError](err)
	switch {
	case framing:
		out.Error, out.Message, code = billing.CodeInvalidRequest, transport.Message, transport.Status
	case known && e.Code != billing.CodeInternal:
		out.Error, out.Message = e.Code, e.Message
		for _, f := range e.Faults {
			out.Errors = append(out.Errors, faultJSON{fieldName(f.Field), f.Code, f.Message})
		}
		if e.Code == billing.CodeChangedMeanwhile {
			out.Changed = mapped(e.Changed, func(c billing.FieldEdit) editJSON { return editJSON{c.Field, c.By, event.Timestamp(c.At)} })
		}
	case errors.Is(err, billing.ErrStoreAway):
		out.Error, out.Message = billing.CodeUnavailable, awayMessage
	case errors.Is(err, billing.ErrCommitUnknown), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), x.ctx != nil && x.ctx.Err() != nil:
		out.Error, out.Message = billing.CodeTimeout, timeoutMessage
	}
	if code == 0 {
		code = status(out.Error)
	}
	x.code, out.NeedsNewKey, out.DocURL = out.Error, out.Error.NeedsNewKey(), out.Error.DocURL()
	return code, out
}

// advise says whether the request may be sent again as it is.
func (x *exchange) advise(code billing.Code) {
	x.set("X-Should-Retry", strconv.FormatBool(code.Retryable()))
}

// fieldName returns the name of a field in a reply. The whole body is "body".
func fieldName(field string) string {
	switch {
	case field == "":
		return "body"
	case len(field) > jsonbody.MaxName:
		return jsonbody.Start(field, jsonbody.MaxName) + "..."
	default:
		return field
	}
}
