package httpapi

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/webhooks"
)

func anEndpoint() *webhook.Endpoint {
	return &webhook.Endpoint{
		ID: idOf[billing.WebhookEndpointID](1), Scope: billing.Scope{Org: idOf[billing.OrgID](2), Mode: billing.ModeLive},
		URL: "https://hooks.example.com/a?clinic=<7>&x=1", Description: "Front desk <1> & 2",
		EventTypes: []event.Type{event.EligibilityCompleted, "claim.paid"}, Status: webhook.EndpointEnabled,
		Secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", CreatedAt: shapeTime,
		Health: webhook.EndpointHealth{Failures: 1, FailingSince: shapeTime}, CreatedBy: idOf[billing.KeyID](5).String(),
	}
}

func webhookShapes() map[string]shown {
	every := anEndpoint()
	every.EventTypes, every.Description, every.Status, every.Scope.Mode, every.CreatedBy = nil, "", webhook.EndpointDisabled, billing.ModeTest, ""
	every.DisabledBy, every.DeliveredAt, every.Health.CircuitUntil = webhook.DisabledByFailures, shapeTime, shapeTime.Add(time.Minute)
	d := webhook.Delivery{
		ID: idOf[billing.DeliveryID](3), EndpointID: idOf[billing.WebhookEndpointID](1), EventID: idOf[billing.EventID](4),
		EventType: event.EligibilityCompleted, State: webhook.DeliveryPending, NextAttemptAt: shapeTime, CreatedAt: shapeTime,
	}
	queued := deliveryShape(&d)
	silence := webhook.Attempt{At: shapeTime, Duration: 15 * time.Second, Error: "no reply within 15 seconds"}
	refusal := webhook.Attempt{At: shapeTime.Add(time.Minute), Duration: 1999 * time.Microsecond, Status: 503, Response: "try <later> & \"again\" \ufffd"}
	refusal.URL, refusal.SignedAt = "https://hooks.example.com/a?clinic=<7>", shapeTime.Truncate(time.Second)
	refusal.Headers = []webhook.ReplyHeader{{Name: "Retry-After", Value: "5"}, {Name: "X-Trace", Value: "<1>"}}
	moved := webhook.Attempt{At: shapeTime.Add(2 * time.Minute), Status: 307, Location: "https://other.example/"}
	success := webhook.Attempt{At: shapeTime.Add(time.Hour), Status: 200}
	d.Tried(silence, 0.5)
	d.Tried(refusal, 0.5)
	d.Tried(moved, 0.5)
	pending, delivered := deliveryShape(&d), d
	delivered.Tried(success, 0.5)
	for d.State == webhook.DeliveryPending {
		d.Tried(silence, 0.5)
	}
	return map[string]shown{
		"webhook_endpoint":            {"WebhookEndpoint", endpointShape(anEndpoint())},
		"webhook_endpoint_every_type": {"WebhookEndpoint", endpointShape(every)},
		"webhook_endpoint_revealed":   {"WebhookEndpointRevealed", revealedShape(webhooks.Revealed{Endpoint: anEndpoint(), Secret: anEndpoint().Secret})},
		"webhook_endpoint_replayed":   {"WebhookEndpointRevealed", revealedShape(webhooks.Revealed{Endpoint: anEndpoint()})},
		"webhook_resend":              {"WebhookResend", queuedShape(2)},
		"webhook_delivery_queued":     {"WebhookDelivery", queued},
		"webhook_delivery_pending":    {"WebhookDelivery", pending},
		"webhook_delivery_delivered":  {"WebhookDelivery", deliveryShape(&delivered)},
		"webhook_delivery_failed":     {"WebhookDelivery", deliveryShape(&d)},
		"webhook_ping":                {"WebhookPing", pingShape(success)},
		"webhook_ping_refused":        {"WebhookPing", pingShape(refusal)},
		"webhook_ping_unanswered":     {"WebhookPing", pingShape(silence)},
	}
}

// The contract refuses a secret that is not there, and one that should not be.
func TestRevealedSchema(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	good := revealedShape(webhooks.Revealed{Endpoint: anEndpoint(), Secret: anEndpoint().Secret})
	silent, loud := good, good
	silent.Secret, loud.SecretAvailable = "", false
	for _, shape := range []any{silent, loud, endpointShape(anEndpoint())} {
		if refusal(doc.Components.Schemas["WebhookEndpointRevealed"], plainJSON(t, shape)) == nil {
			t.Errorf("%+v is accepted", shape)
		}
	}
	if refusal(doc.Components.Schemas["WebhookEndpoint"], plainJSON(t, good)) == nil {
		t.Error("an endpoint shows its secret")
	}
}
