package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/webhooks"
)

// createEndpoint handles POST /webhook_endpoints.
func (a *api) createEndpoint(x *exchange) (*reply, error) {
	in := readEndpointRequest(x)
	return kept(a.webhooks.Create(x.ctx, replying(x, http.StatusOK, revealedShape), in))
}

// readEndpointRequest reads a new endpoint, or the changes to one.
func readEndpointRequest(x *exchange) (in intake.EndpointRequest) {
	doc := x.document(&in.Faults)
	in.URL = doc.optionalText("url")
	in.Description = doc.optionalText("description")
	in.EveryType = doc.isNull("event_types")
	in.EventTypes = doc.optionalTexts("event_types")
	doc.end()
	return in
}

// getEndpoint handles GET /webhook_endpoints/{id}.
func (a *api) getEndpoint(x *exchange) (*reply, error) {
	return read(x, a.webhooks.Get, endpointID(x), endpointShape)
}

// listEndpoints handles GET /webhook_endpoints. It returns all of them, since
// there are few.
func (a *api) listEndpoints(x *exchange) (*reply, error) {
	if err := x.query().end().Err(); err != nil {
		return nil, err
	}
	all, err := a.webhooks.List(x.ctx, x.call.Scope)
	if err != nil {
		return nil, err
	}
	return page(all, endpointShape, nil), nil
}

// updateEndpoint handles PATCH /webhook_endpoints/{id}.
func (a *api) updateEndpoint(x *exchange) (*reply, error) {
	in := readEndpointRequest(x)
	return kept(a.webhooks.Change(x.ctx, replying(x, http.StatusOK, endpointShape), endpointID(x), in))
}

// deleteEndpoint handles DELETE /webhook_endpoints/{id}.
func (a *api) deleteEndpoint(x *exchange) (*reply, error) {
	if err := x.query().end().Err(); err != nil {
		return nil, err
	}
	return kept(a.webhooks.Delete(x.ctx, removing[*billing.WebhookEndpoint](x), endpointID(x)))
}

// rotateSecret handles POST /webhook_endpoints/{id}/rotate_secret.
func (a *api) rotateSecret(x *exchange) (*reply, error) {
	return kept(a.webhooks.RotateSecret(x.ctx, replying(x, http.StatusOK, revealedShape), endpointID(x)))
}

// enableEndpoint handles POST /webhook_endpoints/{id}/enable.
func (a *api) enableEndpoint(x *exchange) (*reply, error) {
	return a.setStatus(x, billing.EndpointEnabled)
}

// disableEndpoint handles POST /webhook_endpoints/{id}/disable.
func (a *api) disableEndpoint(x *exchange) (*reply, error) {
	return a.setStatus(x, billing.EndpointDisabled)
}

func (a *api) setStatus(x *exchange, status billing.EndpointStatus) (*reply, error) {
	return kept(a.webhooks.SetStatus(x.ctx, replying(x, http.StatusOK, endpointShape), endpointID(x), status))
}

// pingEndpoint handles POST /webhook_endpoints/{id}/ping.
func (a *api) pingEndpoint(x *exchange) (*reply, error) {
	return kept(a.webhooks.Ping(x.ctx, replying(x, http.StatusOK, pingShape), endpointID(x)))
}

// listDeliveries handles GET /webhook_endpoints/{id}/deliveries.
func (a *api) listDeliveries(x *exchange) (*reply, error) {
	id, q := endpointID(x), x.query()
	l := q.bind("deliveries of "+id.String(), x.call.Scope, "limit", "cursor")
	return listed(a, x, q, l, id, a.webhooks.Deliveries, deliveryShape)
}

// resendEvent handles POST /events/{id}/resend.
func (a *api) resendEvent(x *exchange) (*reply, error) {
	var in intake.ResendRequest
	doc := x.document(&in.Faults)
	in.EndpointID = doc.optionalText("endpoint_id")
	doc.end()
	var err error
	if in.EventID, err = billing.ParseID[billing.EventID](x.params.Params("id")); err != nil {
		in.EventID = billing.NewID[billing.EventID](x.started) // an ID that no event has; the zero ID would mean a range
	}
	return kept(a.webhooks.Resend(x.ctx, replying(x, http.StatusOK, queuedShape), in))
}

// resendEvents handles POST /events/resend.
func (a *api) resendEvents(x *exchange) (*reply, error) {
	var in intake.ResendRequest
	doc := x.document(&in.Faults)
	in.EndpointID = doc.optionalText("endpoint_id")
	in.CreatedAfter = doc.instant("created_after")
	in.CreatedBefore = doc.instant("created_before")
	in.EventTypes = doc.optionalTexts("event_types")
	doc.end()
	return kept(a.webhooks.Resend(x.ctx, replying(x, http.StatusOK, queuedShape), in))
}

type endpointJSON struct {
	ID              billing.WebhookEndpointID `json:"id"`
	Object          string                    `json:"object"`
	URL             string                    `json:"url"`
	Description     string                    `json:"description"`
	EventTypes      []billing.EventType       `json:"event_types"`
	Status          billing.EndpointStatus    `json:"status"`
	Mode            billing.Mode              `json:"mode"`
	CreatedAt       string                    `json:"created_at"`
	Secret          billing.WebhookSecret     `json:"secret,omitempty"`
	SecretAvailable *bool                     `json:"secret_available,omitempty"`
}

func endpointShape(e *billing.WebhookEndpoint) endpointJSON {
	return endpointJSON{
		ID: e.ID, Object: "webhook_endpoint", URL: e.URL, Description: e.Description, EventTypes: e.EventTypes, Status: e.Status,
		Mode: e.Scope.Mode, CreatedAt: billing.Timestamp(e.CreatedAt),
	}
}

func revealedShape(r webhooks.Revealed) endpointJSON {
	out := endpointShape(r.Endpoint)
	out.Secret, out.SecretAvailable = r.Secret, new(r.Secret != "")
	return out
}

type pingJSON struct {
	Object     string  `json:"object"`
	Status     *int    `json:"status"`
	DurationMS int64   `json:"duration_ms"`
	Error      *string `json:"error"`
}

func pingShape(a billing.Attempt) pingJSON {
	return pingJSON{"webhook_ping", orNull(a.Status), a.Duration.Milliseconds(), orNull(a.Error)}
}

type deliveryJSON struct {
	ID            billing.DeliveryID    `json:"id"`
	Object        string                `json:"object"`
	EventID       billing.EventID       `json:"event_id"`
	EventType     billing.EventType     `json:"event_type"`
	State         billing.DeliveryState `json:"state"`
	NextAttemptAt *string               `json:"next_attempt_at"`
	Attempts      []attemptJSON         `json:"attempts"`
	CreatedAt     string                `json:"created_at"`
}

type attemptJSON struct {
	At         string  `json:"at"`
	Status     *int    `json:"status"`
	DurationMS int64   `json:"duration_ms"`
	Error      *string `json:"error"`
	Response   *string `json:"response"`
}

func deliveryShape(d *billing.Delivery) deliveryJSON {
	out := deliveryJSON{
		ID: d.ID, Object: "webhook_delivery", EventID: d.EventID, EventType: d.EventType, State: d.State,
		CreatedAt: billing.Timestamp(d.CreatedAt),
		Attempts: mapped(d.Attempts, func(a billing.Attempt) attemptJSON {
			return attemptJSON{billing.Timestamp(a.At), orNull(a.Status), a.Duration.Milliseconds(), orNull(a.Error), orNull(a.Response)}
		}),
	}
	if !d.NextAttemptAt.IsZero() {
		out.NextAttemptAt = new(billing.Timestamp(d.NextAttemptAt))
	}
	return out
}

type queuedJSON struct {
	Object string `json:"object"`
	Queued int    `json:"queued"`
}

func queuedShape(n int) queuedJSON { return queuedJSON{"webhook_resend", n} }
