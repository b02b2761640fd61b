package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
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
	in.EveryType = doc.IsNull("event_types")
	doc.Fill(&in)
	return in
}

// updateEndpoint handles PATCH /webhook_endpoints/{id}.
func (a *api) updateEndpoint(x *exchange) (*reply, error) {
	in := readEndpointRequest(x)
	return kept(a.webhooks.Change(x.ctx, replying(x, http.StatusOK, endpointShape), endpointID(x), in))
}

// enableEndpoint handles POST /webhook_endpoints/{id}/enable.
func (a *api) enableEndpoint(x *exchange) (*reply, error) {
	return a.setStatus(x, webhook.EndpointEnabled)
}

// disableEndpoint handles POST /webhook_endpoints/{id}/disable.
func (a *api) disableEndpoint(x *exchange) (*reply, error) {
	return a.setStatus(x, webhook.EndpointDisabled)
}

func (a *api) setStatus(x *exchange, status webhook.EndpointStatus) (*reply, error) {
	return kept(a.webhooks.SetStatus(x.ctx, replying(x, http.StatusOK, endpointShape), endpointID(x), status))
}

type endpointJSON struct {
	ID          billing.WebhookEndpointID `json:"id"`
	Object      string                    `json:"object"`
	URL         string                    `json:"url"`
	Description string                    `json:"description"`
	EventTypes  []event.Type              `json:"event_types"`
	Status      webhook.EndpointStatus    `json:"status"`
	Health      healthJSON                `json:"health"`
	Mode        billing.Mode              `json:"mode"`
	CreatedAt   string                    `json:"created_at"`
	CreatedBy   *string                   `json:"created_by"`
}

// revealedJSON is an endpoint with its secret, which a replay does not show.
type revealedJSON struct {
	endpointJSON
	Secret          webhook.Secret `json:"secret,omitempty"`
	SecretAvailable bool           `json:"secret_available"`
}

func endpointShape(e *webhook.Endpoint) endpointJSON {
	return endpointJSON{
		ID: e.ID, Object: "webhook_endpoint", URL: e.URL, Description: e.Description, EventTypes: e.EventTypes, Status: e.Status,
		Health: healthShape(e), Mode: e.Scope.Mode, CreatedAt: event.Timestamp(e.CreatedAt), CreatedBy: orNull(e.CreatedBy),
	}
}

type healthJSON struct {
	FailingSince        *string                 `json:"failing_since"`
	ConsecutiveFailures int                     `json:"consecutive_failures"`
	CircuitOpenUntil    *string                 `json:"circuit_open_until"`
	LastSuccessAt       *string                 `json:"last_success_at"`
	DisabledReason      *webhook.DisabledReason `json:"disabled_reason"`
}

func healthShape(e *webhook.Endpoint) healthJSON {
	return healthJSON{
		timeOrNull(e.Health.FailingSince), e.Health.Failures, timeOrNull(e.Health.CircuitUntil), timeOrNull(e.DeliveredAt), orNull(e.DisabledBy),
	}
}

func revealedShape(r webhooks.Revealed) revealedJSON {
	return revealedJSON{endpointShape(r.Endpoint), r.Secret, r.Secret != ""}
}

type pingJSON struct {
	Object     string  `json:"object"`
	Status     *int    `json:"status"`
	DurationMS int64   `json:"duration_ms"`
	Error      *string `json:"error"`
}

func pingShape(a webhook.Attempt) pingJSON {
	return pingJSON{"webhook_ping", orNull(a.Status), a.Duration.Milliseconds(), orNull(a.Error)}
}
