package billing

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Code is the code of an error for a caller. The HTTP adapter maps each to a
// status.
type Code string

// The codes of the API.
const (
	CodeUnauthorized            Code = "UNAUTHORIZED"
	CodePermissionDenied        Code = "PERMISSION_DENIED"
	CodeNotFound                Code = "NOT_FOUND"
	CodeMethodNotAllowed        Code = "METHOD_NOT_ALLOWED"
	CodeInvalidRequest          Code = "INVALID_REQUEST"
	CodeIdempotencyKeyRequired  Code = "IDEMPOTENCY_KEY_REQUIRED"
	CodeIdempotencyKeyReused    Code = "IDEMPOTENCY_KEY_REUSED"
	CodeIdempotencyKeyInUse     Code = "IDEMPOTENCY_KEY_IN_USE"
	CodePayloadTooLarge         Code = "PAYLOAD_TOO_LARGE"
	CodeUnsupportedEncoding     Code = "UNSUPPORTED_ENCODING"
	CodeTooManyRequests         Code = "TOO_MANY_REQUESTS"
	CodeRequestTimeout          Code = "REQUEST_TIMEOUT"
	CodeTimeout                 Code = "TIMEOUT"
	CodePayerRejected           Code = "PAYER_REJECTED"
	CodePayerUnavailable        Code = "PAYER_UNAVAILABLE"
	CodeNetworkError            Code = "NETWORK_ERROR"
	CodeEligibilityUnavailable  Code = "ELIGIBILITY_UNAVAILABLE"
	CodeAttachmentsUnavailable  Code = "ATTACHMENTS_UNAVAILABLE"
	CodeAttachmentsNetworkError Code = "ATTACHMENTS_NETWORK_ERROR"
	CodeUnavailable             Code = "UNAVAILABLE"
	CodeConflict                Code = "CONFLICT"
	CodeChooseOrganization      Code = "CHOOSE_ORGANIZATION"
	CodeTOTPRequired            Code = "TOTP_REQUIRED"
	CodeChangedMeanwhile        Code = "CHANGED_MEANWHILE"
	CodeTestModeOnly            Code = "TEST_MODE_ONLY"
	CodeClockAdvancing          Code = "CLOCK_ADVANCING"
	CodeEventExpired            Code = "EVENT_EXPIRED"
	CodeSandboxResetting        Code = "SANDBOX_RESETTING"
	CodeInternal                Code = "INTERNAL"
)

// Codes returns every code. Tests use it to check that a table has all of them.
func Codes() []Code {
	return []Code{
		CodeUnauthorized, CodePermissionDenied, CodeNotFound, CodeMethodNotAllowed, CodeInvalidRequest,
		CodeIdempotencyKeyRequired, CodeIdempotencyKeyReused, CodeIdempotencyKeyInUse, CodePayloadTooLarge,
		CodeUnsupportedEncoding, CodeTooManyRequests, CodeRequestTimeout, CodeTimeout, CodePayerRejected,
		CodePayerUnavailable, CodeNetworkError, CodeEligibilityUnavailable, CodeAttachmentsUnavailable,
		CodeAttachmentsNetworkError, CodeUnavailable, CodeConflict, CodeChooseOrganization, CodeTOTPRequired,
		CodeChangedMeanwhile, CodeTestModeOnly, CodeClockAdvancing, CodeEventExpired, CodeSandboxResetting, CodeInternal,
	}
}

// Retryable reports whether the same request, with the same key, may succeed later without
// any change.
func (c Code) Retryable() bool {
	switch c { //nolint:exhaustive // all others need a change
	case CodeIdempotencyKeyInUse, CodeTooManyRequests, CodeRequestTimeout, CodeTimeout, CodeUnavailable, CodeClockAdvancing, CodeSandboxResetting,
		CodeInternal:
		return true
	}
	return false
}

// NeedsNewKey reports whether the key of a request keeps a reply with this code, or that
// of another request, so that another attempt needs a new one.
func (c Code) NeedsNewKey() bool {
	switch c { //nolint:exhaustive // no other reply is kept
	case CodePayerRejected, CodePayerUnavailable, CodeNetworkError, CodeAttachmentsNetworkError, CodeIdempotencyKeyReused:
		return true
	}
	return false
}

// DocURL returns the path of the page about the code.
func (c Code) DocURL() string { return "/docs/errors/" + string(c) }

// Error is the only type of error that reaches a caller. Any other error is an
// internal fault, which goes to the log.
type Error struct {
	Code    Code
	Message string       // for the caller; never holds patient data
	Faults  []FieldFault // what to change, for CodeInvalidRequest and named resources
	Cause   error        // for the log
	Changed []FieldEdit  // what changed, for CodeChangedMeanwhile

	// Reason is why someone was not let in, for the log and the metrics; empty if that is
	// nothing to watch.
	Reason Refusal

	RetryAfter time.Duration // when to try again, for CodeTooManyRequests; zero for soon
}

// Refusal is why a sign-in or an API key was refused.
type Refusal string

// The refusals.
const (
	RefusedPassword   Refusal = "password" // or the code
	RefusedLink       Refusal = "link"
	RefusedSlowed     Refusal = "slowed" // after many attempts
	RefusedBusy       Refusal = "busy"   // too many sign in at once
	RefusedNoKey      Refusal = "no_key"
	RefusedKey        Refusal = "unknown_key" // or a revoked one
	RefusedExpiredKey Refusal = "expired_key"
	RefusedAddress    Refusal = "key_address" // a key works only from others
)

// Refusals returns every refusal.
func Refusals() []Refusal {
	return []Refusal{
		RefusedPassword, RefusedLink, RefusedSlowed, RefusedBusy, RefusedNoKey, RefusedKey, RefusedExpiredKey, RefusedAddress,
	}
}

// The errors of a transaction that no caller caused.
var (
	// ErrStoreAway means that the database cannot be reached, or that its schema does
	// not fit this release. The transaction changed nothing.
	ErrStoreAway = errors.New("the database is unavailable")

	// ErrCommitUnknown means that the reply to COMMIT was lost. The transaction may or
	// may not be committed.
	ErrCommitUnknown = errors.New("it is unknown whether the transaction was committed")
)

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the cause, for errors.Is and errors.AsType.
func (e *Error) Unwrap() error { return e.Cause }

// CodeOf returns the code of the first Error in err's chain, or CodeInternal.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// IsNotFound reports whether err says that a resource is absent.
func IsNotFound(err error) bool { return err != nil && CodeOf(err) == CodeNotFound }

// IsResetting reports whether err refuses a write because test mode is being reset.
func IsResetting(err error) bool { return err != nil && CodeOf(err) == CodeSandboxResetting }

// FaultCode is the kind of a fault in a field.
type FaultCode string

// The fault codes.
const (
	FaultRequired   FaultCode = "required"
	FaultUnknown    FaultCode = "unknown"
	FaultType       FaultCode = "type"
	FaultFormat     FaultCode = "format"
	FaultRange      FaultCode = "range"
	FaultTooLong    FaultCode = "too_long"
	FaultTooMany    FaultCode = "too_many"
	FaultTooFew     FaultCode = "too_few"
	FaultNotAllowed FaultCode = "not_allowed"
	FaultNotFound   FaultCode = "not_found"
	FaultConflict   FaultCode = "conflict"
)

// FieldFault is one thing to change in a request. Field is a dotted path
// (array items by index), a query parameter or a header.
type FieldFault struct {
	Field   string
	Code    FaultCode
	Message string
}

// Faults collects the faults of a request, up to maxFaults. It keeps the first
// fault of a field, so that a wrong type is not also a missing value. The fault
// of an object covers its fields. The empty field is the whole body and covers
// every field.
type Faults []FieldFault

// maxFaults bounds a reply, and the work of writing it.
const maxFaults = 100

// Add records a fault unless an earlier one covers it.
func (f *Faults) Add(field string, code FaultCode, message string) {
	if f.Full() {
		return
	}
	for _, have := range *f {
		rest, covered := strings.CutPrefix(field, have.Field)
		if have.Field == "" || covered && (rest == "" || rest[0] == '.') {
			return
		}
	}
	*f = append(*f, FieldFault{field, code, message})
}

// Full reports whether Add records no more faults. Call it before building the
// name of a field.
func (f *Faults) Full() bool { return len(*f) >= maxFaults }

// Required adds a fault when the value is blank or has more than limit
// characters. It reports whether it added none. A limit of 0 is no limit.
func (f *Faults) Required(field, value string, limit int) bool {
	if Blank(value) {
		f.Add(field, FaultRequired, "A value is required.")
		return false
	}
	return f.Optional(field, &value, limit)
}

// Optional is Required for a value that may be left out.
func (f *Faults) Optional(field string, value *string, limit int) bool {
	if value != nil && limit > 0 && utf8.RuneCountInString(*value) > limit {
		f.Add(field, FaultTooLong, fmt.Sprintf("The value may have at most %d characters.", limit))
		return false
	}
	return true
}

// Err returns nil without faults, else an Error with CodeInvalidRequest.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Code: CodeInvalidRequest, Message: "The request is invalid. errors lists what to change.", Faults: f}
}

// NotFound returns the error for a resource that does not exist in the scope.
// Field is the field of the body that named it, or empty when the path did.
func NotFound(what, field string) error { return notFound(what, field) }

func notFound(what, field string) *Error {
	e := &Error{Code: CodeNotFound, Message: "No " + what + " has this ID."}
	if field != "" {
		e.Faults = []FieldFault{{field, FaultNotFound, "No " + what + " has this ID in the key's organization and mode."}}
	}
	return e
}

// Absent collects the resources that a body names and the scope lacks, for one
// error that lists them all.
type Absent []*Error

// Add records that the resource in the field is absent.
func (a *Absent) Add(what, field string) { *a = append(*a, notFound(what, field)) }

// Note calls Add when err is CodeNotFound, and returns any other error.
func (a *Absent) Note(err error, what, field string) error {
	if !IsNotFound(err) {
		return err
	}
	a.Add(what, field)
	return nil
}

// Err returns nil when nothing is absent, else an Error with CodeNotFound and a
// fault for each field.
func (a Absent) Err() error {
	switch len(a) {
	case 0:
		return nil
	case 1:
		return a[0]
	}
	all := &Error{Code: CodeNotFound, Message: "The request names resources that do not exist. errors lists them."}
	for _, e := range a {
		all.Faults = append(all.Faults, e.Faults...)
	}
	return all
}

// StorageUnavailable returns the error for images that cannot be stored or read
// now: the blob store does not respond, or the temporary folder is full. Cause
// is for the log.
func StorageUnavailable(cause error) error {
	return &Error{
		Code:    CodeUnavailable,
		Message: "Files cannot be stored or read now. Nothing was changed. After the number of seconds in Retry-After, send the request again with the same key.",
		Cause:   cause,
	}
}

// LaterError is the error of a network whose response has not arrived. Ask again at
// Until.
type LaterError struct {
	Until time.Time
}

func (l *LaterError) Error() string { return "no answer before " + l.Until.Format(time.RFC3339) }

// Name adds the faults of a name that is required.
func (f *Faults) Name(field, value string) {
	if Blank(value) {
		f.Add(field, FaultRequired, "A value is required.")
	}
	f.Shown(field, value)
}

// Shown adds the faults of a text for people.
func (f *Faults) Shown(field, value string) {
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		f.Add(field, FaultFormat, "The value must be UTF-8 text without control characters.")
	case utf8.RuneCountInString(value) > maxShown:
		f.Add(field, FaultTooLong, "The value may have at most 200 characters.")
	}
}

// maxShown bounds names that operators and callers choose, in characters.
const maxShown = 200
