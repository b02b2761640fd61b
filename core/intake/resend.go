package intake

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// ResendRequest is a request to send events again as a caller wrote it, apart
// from its times. Nil is a value that was left out or null.
type ResendRequest struct {
	EventID       billing.EventID `body:"-"` // of the path; zero for a range of events
	EndpointID    *string
	CreatedAfter  time.Time // zero for one that was left out
	CreatedBefore time.Time // zero for one that was left out
	EventTypes    []string
	Faults        billing.Faults // found when the body was decoded
}

// Filter validates the request and returns the requested filter.
func (r ResendRequest) Filter() (webhook.ResendFilter, billing.Faults) {
	f := slices.Clone(r.Faults)
	out := webhook.ResendFilter{
		EventID: r.EventID, CreatedAfter: r.CreatedAfter, CreatedBefore: r.CreatedBefore,
		EndpointID: optionalID[billing.WebhookEndpointID](&f, "endpoint_id", r.EndpointID, "webhook endpoint"),
	}
	if r.EventTypes != nil {
		out.EventTypes = make([]event.Type, len(r.EventTypes))
		for i, t := range r.EventTypes {
			out.EventTypes[i] = event.Type(t)
		}
	}
	if r.EventID.IsZero() {
		out.Judge(&f)
	}
	return out, f
}

// DeliveriesResendRequest is a request to resend deliveries as a caller wrote
// it, apart from its times. Nil is a value that was left out or null.
type DeliveriesResendRequest struct {
	EndpointID    *string
	EventID       *string
	EventType     *string
	State         *string
	CreatedAfter  time.Time // zero for one that was left out
	CreatedBefore time.Time // zero for one that was left out
	Faults        billing.Faults
}

// Filter validates the request and returns the requested filter.
func (r DeliveriesResendRequest) Filter() (webhook.DeliveryFilter, billing.Faults) {
	f := slices.Clone(r.Faults)
	out := webhook.DeliveryFilter{
		EndpointID:   optionalID[billing.WebhookEndpointID](&f, "endpoint_id", r.EndpointID, "webhook endpoint"),
		EventID:      optionalID[billing.EventID](&f, "event_id", r.EventID, "event"),
		CreatedAfter: r.CreatedAfter, CreatedBefore: r.CreatedBefore,
	}
	if r.EventType != nil && f.Required("event_type", *r.EventType, 0) {
		out.EventType = event.Type(*r.EventType)
	}
	if r.State != nil && f.Required("state", *r.State, 0) {
		out.State = webhook.DeliveryState(*r.State)
	}
	out.Judge(&f)
	return out, f
}
