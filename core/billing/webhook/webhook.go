package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/fault"
)

// EndpointStatus is the status of an endpoint: enabled or disabled.
type EndpointStatus string

// The statuses of an endpoint. While it is disabled, its queued deliveries wait,
// and none are added.
const (
	EndpointEnabled  EndpointStatus = "enabled"
	EndpointDisabled EndpointStatus = "disabled"
)

// DisabledReason is the reason that an endpoint is disabled.
type DisabledReason string

// The reasons that an endpoint is disabled.
const (
	DisabledByUser     DisabledReason = "user"
	DisabledByGone     DisabledReason = "gone"     // it replied 410
	DisabledByFailures DisabledReason = "failures" // every attempt of 5 days failed
)

// The limits of webhook endpoints.
const (
	MaxEndpoints  = 10 // of an organization and mode
	MaxWebhookURL = 2048
)

// Endpoint is a caller's URL that events are posted to.
type Endpoint struct {
	ID          billing.WebhookEndpointID
	Scope       billing.Scope
	URL         string
	Description string
	EventTypes  []event.Type // nil stands for every type
	Status      EndpointStatus
	Secret      Secret
	Health      EndpointHealth
	DisabledBy  DisabledReason // empty while it is enabled, or when the reason is unknown
	DeliveredAt time.Time      // the last success, to the second; zero for none since the URL was set
	CreatedAt   time.Time
	CreatedBy   string // the ID of the user or the key; empty if it is not known
}

// SetStatus enables or disables the endpoint for a user. Enabling it clears its
// failures. Setting the status that it has changes nothing.
func (e *Endpoint) SetStatus(status EndpointStatus) {
	switch {
	case e.Status == status:
	case status == EndpointEnabled:
		e.Status, e.Health, e.DisabledBy = status, EndpointHealth{}, ""
	default:
		e.Status, e.DisabledBy = status, DisabledByUser
	}
}

// Tried records the effect of an attempt on the endpoint, and disables it if it
// is gone or failed for too long.
func (e *Endpoint) Tried(a Attempt) {
	var reason DisabledReason
	if e.Health, reason = e.Health.After(a); reason != "" && e.Status == EndpointEnabled {
		e.Status, e.DisabledBy = EndpointDisabled, reason
	}
}

// Secret signs messages to an endpoint. It is "whsec_" and the base64 of
// its bytes, and is shown once.
type Secret string

const secretPrefix = "whsec_"

// NewWebhookSecret returns a secret of 32 random bytes.
func NewWebhookSecret() Secret {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // crypto/rand.Read never fails since Go 1.24
	return Secret(secretPrefix + base64.StdEncoding.EncodeToString(b))
}

// LogValue keeps the secret out of logs.
func (Secret) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// ErrMalformedSecret is the error of a malformed secret.
var ErrMalformedSecret = errors.New(`a webhook secret is "whsec_" and base64`)

// Sign returns the signature of a message by Standard Webhooks 1.0.0: "v1," and
// the base64 of the HMAC-SHA256 of ID, Unix time and body, separated by points.
func (s Secret) Sign(id string, at time.Time, body []byte) (string, error) {
	encoded, ok := strings.CutPrefix(string(s), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !ok {
		return "", ErrMalformedSecret
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil)), nil
}

// EndpointHealth is the recent record of deliveries to an endpoint.
type EndpointHealth struct {
	Failures     int       // in a row, up to now
	FailingSince time.Time // the first of them; zero when the last attempt succeeded
	CircuitUntil time.Time // no attempt before; zero while the circuit is closed
}

// After returns the health after an attempt, and the reason to disable the
// endpoint, if there is one.
func (h EndpointHealth) After(a Attempt) (now EndpointHealth, disable DisabledReason) {
	if a.Succeeded() {
		return EndpointHealth{}, ""
	}
	h.Failures++
	if h.FailingSince.IsZero() {
		h.FailingSince = a.At
	}
	if h.Failures >= billing.CircuitFailures && !a.Standing {
		h.CircuitUntil = a.At.Add(a.Duration + billing.CircuitPause)
	}
	switch {
	case a.Status == statusGone:
		disable = DisabledByGone
	case a.At.Sub(h.FailingSince) >= billing.DisableAfter:
		disable = DisabledByFailures
	}
	return h, disable
}

// Open reports whether the circuit is open. While it is open, only a probe that
// is due may be sent.
func (h EndpointHealth) Open() bool { return !h.CircuitUntil.IsZero() }

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed" // given up
)

// Delivery is an event on its way to an endpoint.
type Delivery struct {
	ID            billing.DeliveryID
	Scope         billing.Scope
	EndpointID    billing.WebhookEndpointID
	EventID       billing.EventID
	EventType     event.Type
	State         DeliveryState
	NextAttemptAt time.Time // zero when there is none
	Attempts      []Attempt // oldest first
	CreatedAt     time.Time
}

// Position returns the place in a list, by the time and the ID.
func (d *Delivery) Position() billing.Position { return billing.Position{Time: d.CreatedAt, ID: d.ID} }

// Fresh reports whether the delivery waits for its first attempt and was not postponed.
func (d *Delivery) Fresh() bool {
	return len(d.Attempts) == 0 && d.NextAttemptAt.Sub(d.CreatedAt) < fault.MinDelivery
}

// Attempt is the record of one attempt to deliver.
type Attempt struct {
	At         time.Time     `json:"at"`
	Status     int           `json:"status,omitempty"` // HTTP; 0 when there was no reply
	Duration   time.Duration `json:"duration"`
	Error      string        `json:"error,omitempty"`    // the reason that there was no reply; empty for a reply
	Response   string        `json:"response,omitempty"` // the start of the reply's body
	URL        string        `json:"url"`
	SignedAt   time.Time     `json:"signed_at,omitzero"` // webhook-timestamp; zero when nothing was posted
	Headers    []ReplyHeader `json:"headers,omitempty"`  // in the order of their names; some of them
	Location   string        `json:"location,omitempty"` // of a redirect, which is not followed
	RetryAfter time.Duration `json:"-"`                  // the delay that the reply asked for; zero if none
	Standing   bool          `json:"-"`                  // whether the organization's clock stood: the attempt is part of a simulation
}

// ReplyHeader is a header of a reply to an attempt.
type ReplyHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// The limits of what is kept of a reply.
const (
	MaxResponse     = 1024 // bytes of its body
	MaxReplyHeaders = 20
	MaxReplyHeader  = 256 // bytes of a header's value, and of its name
)

const statusGone = 410

// Succeeded reports whether the receiver accepted the event with any 2xx.
func (a Attempt) Succeeded() bool { return a.Status >= 200 && a.Status <= 299 }

// Tried records an attempt: the delivery is delivered, pending again, or failed.
// Jitter, from 0 to 1, varies the delays by up to 10 % either way, unless the organization's
// clock stood.
func (d *Delivery) Tried(a Attempt, jitter float64) {
	d.Attempts = append(slices.Clone(d.Attempts), a)
	d.NextAttemptAt = time.Time{}
	delays := billing.DeliveryRetries()
	switch n := len(d.Attempts); {
	case a.Succeeded():
		d.State = DeliveryDelivered
	case n > len(delays):
		d.State = DeliveryFailed
	default:
		delay := delays[n-1]
		if !a.Standing {
			delay = time.Duration(float64(delay) * (0.9 + 0.2*jitter))
		}
		d.NextAttemptAt = a.At.Add(a.Duration + max(delay, min(a.RetryAfter, billing.MaxRetryAfter)))
	}
}

// Shipment is a delivery that is due, with its event.
type Shipment struct {
	Delivery *Delivery
	Event    *event.Event
}

// Message is a message for an endpoint.
type Message struct {
	URL  string
	ID   string // webhook-id
	At   time.Time
	Body []byte
}

// Message returns the message that posts the event to the endpoint at the given
// time. It is signed when it is sent.
func (e *Endpoint) Message(ev *event.Event, at time.Time) Message {
	return Message{URL: e.URL, ID: ev.ID.String(), At: at, Body: ev.JSON()}
}

// Signature returns the message's signature with the secret.
func (m Message) Signature(s Secret) (string, error) { return s.Sign(m.ID, m.At, m.Body) }

// Ping returns an event that tests an endpoint. It is not stored, so it gets its ID here.
func (e *Endpoint) Ping(stamp billing.Real, now time.Time) event.Event {
	ping := event.New(e.Scope, event.Ping, e.ID, now, pingData{ID: e.ID, Object: "webhook_endpoint"})
	ping.ID = billing.NewID[billing.EventID](stamp)
	return ping
}

type pingData struct {
	ID     billing.WebhookEndpointID `json:"id"`
	Object string                    `json:"object"`
}

// Takes reports whether the endpoint subscribes to events of the type.
func (e *Endpoint) Takes(t event.Type) bool {
	return e.EventTypes == nil || slices.Contains(e.EventTypes, t)
}

// DeliveryFilter narrows a list of deliveries. Zero fields match all.
type DeliveryFilter struct {
	EndpointID    billing.WebhookEndpointID
	EventID       billing.EventID
	EventType     event.Type
	State         DeliveryState
	CreatedAfter  time.Time // inclusive
	CreatedBefore time.Time // exclusive
}

// DeliveryStates returns every state of a delivery.
func DeliveryStates() []DeliveryState {
	return []DeliveryState{DeliveryPending, DeliveryDelivered, DeliveryFailed}
}

// Judge adds the faults of a filter that selects deliveries to resend. It needs
// a start.
func (d DeliveryFilter) Judge(f *billing.Faults) {
	if d.CreatedAfter.IsZero() {
		f.Add("created_after", billing.FaultRequired, "Send the time from which deliveries are resent.")
	}
	if !d.CreatedBefore.IsZero() && !d.CreatedAfter.Before(d.CreatedBefore) {
		f.Add("created_before", billing.FaultRange, "created_before must be after created_after.")
	}
	if d.EventType != "" && !slices.Contains(event.Types(), d.EventType) {
		f.Add("event_type", billing.FaultNotAllowed, "Unknown event type.")
	}
	if d.State != "" && !slices.Contains(DeliveryStates(), d.State) {
		f.Add("state", billing.FaultNotAllowed, "The state must be pending, delivered or failed.")
	}
}

// ResendFilter selects events to send again, and their endpoints. Zero fields
// match all.
type ResendFilter struct {
	EventID       billing.EventID
	EndpointID    billing.WebhookEndpointID // zero for every enabled endpoint that takes the event
	CreatedAfter  time.Time                 // inclusive
	CreatedBefore time.Time                 // exclusive
	EventTypes    []event.Type              // nil for every type
}

// Judge adds the faults of a filter for a range of events. It needs a start, an
// end and known types.
func (r ResendFilter) Judge(f *billing.Faults) {
	if r.CreatedAfter.IsZero() {
		f.Add("created_after", billing.FaultRequired, "Send the time from which events are sent again.")
	}
	if r.CreatedBefore.IsZero() {
		f.Add("created_before", billing.FaultRequired, "Send the time until which events are sent again.")
	}
	if !r.CreatedAfter.IsZero() && !r.CreatedBefore.IsZero() && !r.CreatedAfter.Before(r.CreatedBefore) {
		f.Add("created_before", billing.FaultRange, "created_before must be after created_after.")
	}
	if r.EventTypes != nil && len(r.EventTypes) == 0 {
		f.Add("event_types", billing.FaultTooFew, "Name at least one event type, or leave out event_types for all types.")
	}
	for i, t := range r.EventTypes {
		if !slices.Contains(event.Types(), t) {
			f.Add("event_types."+strconv.Itoa(i), billing.FaultNotAllowed, "Unknown event type.")
		}
	}
}
