package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/intake"
)

// listDeliveries handles GET /webhook_deliveries.
func (a *api) listDeliveries(x *exchange) (*reply, error) {
	q := x.query()
	f := webhook.DeliveryFilter{
		EndpointID:    id[billing.WebhookEndpointID](q, "endpoint_id"),
		EventID:       id[billing.EventID](q, "event_id"),
		EventType:     oneOf(q, "event_type", event.Types()...),
		State:         oneOf(q, "state", webhook.DeliveryStates()...),
		CreatedAfter:  q.instant("created_after"),
		CreatedBefore: q.instant("created_before"),
	}
	l := q.bind("deliveries", x.call.Scope, "limit", "cursor")
	return listed(a, x, q, l, f, a.webhooks.Deliveries, deliveryShape)
}

// listEndpointDeliveries handles GET /webhook_endpoints/{id}/deliveries.
func (a *api) listEndpointDeliveries(x *exchange) (*reply, error) {
	id, q := endpointID(x), x.query()
	l := q.bind("deliveries of "+id.String(), x.call.Scope, "limit", "cursor")
	return listed(a, x, q, l, id, a.webhooks.DeliveriesTo, deliveryShape)
}

// listEventDeliveries handles GET /events/{id}/deliveries.
func (a *api) listEventDeliveries(x *exchange) (*reply, error) {
	id, q := pathID[billing.EventID](x, "id"), x.query()
	l := q.bind("deliveries of "+id.String(), x.call.Scope, "limit", "cursor")
	return listed(a, x, q, l, id, a.webhooks.DeliveriesOf, deliveryShape)
}

// resendEvent handles POST /events/{id}/resend.
func (a *api) resendEvent(x *exchange) (*reply, error) {
	in := readBody[intake.ResendRequest](x, "created_after", "created_before", "event_types")
	var err error
	if in.EventID, err = billing.ParseID[billing.EventID](x.params.Params("id")); err != nil {
		in.EventID = billing.NewID[billing.EventID](billing.RealAt(x.started)) // an ID that no event has; the zero ID would mean a range
	}
	return kept(a.webhooks.Resend(x.ctx, replying(x, http.StatusOK, queuedShape), in))
}

type deliveryJSON struct {
	ID            billing.DeliveryID        `json:"id"`
	Object        string                    `json:"object"`
	EndpointID    billing.WebhookEndpointID `json:"endpoint_id"`
	EventID       billing.EventID           `json:"event_id"`
	EventType     event.Type                `json:"event_type"`
	State         webhook.DeliveryState     `json:"state"`
	NextAttemptAt *string                   `json:"next_attempt_at"`
	Attempts      []attemptJSON             `json:"attempts"`
	CreatedAt     string                    `json:"created_at"`
}

type attemptJSON struct {
	At               string       `json:"at"`
	URL              *string      `json:"url"`
	SignedAt         *string      `json:"signed_at"`
	Status           *int         `json:"status"`
	DurationMS       int64        `json:"duration_ms"`
	Error            *string      `json:"error"`
	Headers          []headerJSON `json:"headers"`
	Response         *string      `json:"response"`
	RedirectLocation *string      `json:"redirect_location"`
}

type headerJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func deliveryShape(d *webhook.Delivery) deliveryJSON {
	return deliveryJSON{
		ID: d.ID, Object: "webhook_delivery", EndpointID: d.EndpointID, EventID: d.EventID, EventType: d.EventType, State: d.State,
		NextAttemptAt: timeOrNull(d.NextAttemptAt), CreatedAt: event.Timestamp(d.CreatedAt),
		Attempts: mapped(d.Attempts, func(a webhook.Attempt) attemptJSON {
			return attemptJSON{
				event.Timestamp(a.At), orNull(a.URL), timeOrNull(a.SignedAt), orNull(a.Status), a.Duration.Milliseconds(), orNull(a.Error),
				mapped(a.Headers, func(h webhook.ReplyHeader) headerJSON { return headerJSON(h) }), orNull(a.Response), orNull(a.Location),
			}
		}),
	}
}

type queuedJSON struct {
	Object string `json:"object"`
	Queued int    `json:"queued"`
}

func queuedShape(n int) queuedJSON { return queuedJSON{"webhook_resend", n} }
