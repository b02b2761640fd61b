package httpapi

import (
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/webhooks"
)

func anEndpoint() *billing.WebhookEndpoint {
	return &billing.WebhookEndpoint{
		ID: idOf[billing.WebhookEndpointID](1), Scope: billing.Scope{Org: idOf[billing.OrgID](2), Mode: billing.ModeLive},
		URL: "https://hooks.example.com/a?clinic=<7>&x=1", Description: "Front desk <1> & 2",
		EventTypes: []billing.EventType{billing.EventEligibilityCompleted, "claim.paid"}, Status: billing.EndpointEnabled,
		Secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", CreatedAt: shapeTime,
		Health: billing.EndpointHealth{Failures: 1, FailingSince: shapeTime},
	}
}

func TestWebhookEndpointShapes(t *testing.T) {
	t.Parallel()
	every := anEndpoint()
	every.EventTypes, every.Description, every.Status, every.Scope.Mode = nil, "", billing.EndpointDisabled, billing.ModeTest
	for name, e := range map[string]*billing.WebhookEndpoint{"webhook_endpoint": anEndpoint(), "webhook_endpoint_every_type": every} {
		golden(t, name, endpointShape(e))
		inSchema(t, "WebhookEndpoint", endpointShape(e))
	}
	for name, r := range map[string]webhooks.Revealed{
		"webhook_endpoint_revealed": {Endpoint: anEndpoint(), Secret: anEndpoint().Secret}, "webhook_endpoint_replayed": {Endpoint: anEndpoint()},
	} {
		golden(t, name, revealedShape(r))
		inSchema(t, "WebhookEndpointRevealed", revealedShape(r))
	}
	golden(t, "webhook_resend", queuedShape(2))
	inSchema(t, "WebhookResend", queuedShape(0))
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
	silent.Secret, loud.SecretAvailable = "", new(false)
	for _, shape := range []endpointJSON{silent, loud, endpointShape(anEndpoint())} {
		if err := doc.Components.Schemas["WebhookEndpointRevealed"].Value.VisitJSON(plainJSON(t, shape), openapi3.EnableJSONSchema2020()); err == nil {
			t.Errorf("%+v is accepted", shape)
		}
	}
	if err := doc.Components.Schemas["WebhookEndpoint"].Value.VisitJSON(plainJSON(t, good), openapi3.EnableJSONSchema2020()); err == nil {
		t.Error("an endpoint shows its secret")
	}
}

func TestDeliveryShapes(t *testing.T) {
	t.Parallel()
	d := billing.Delivery{
		ID: idOf[billing.DeliveryID](3), EndpointID: idOf[billing.WebhookEndpointID](1), EventID: idOf[billing.EventID](4),
		EventType: billing.EventEligibilityCompleted, State: billing.DeliveryPending, NextAttemptAt: shapeTime, CreatedAt: shapeTime,
	}
	golden(t, "webhook_delivery_queued", deliveryShape(&d))
	inSchema(t, "WebhookDelivery", deliveryShape(&d))
	silence := billing.Attempt{At: shapeTime, Duration: 15 * time.Second, Error: "no reply within 15 seconds"}
	refusal := billing.Attempt{At: shapeTime.Add(time.Minute), Duration: 1999 * time.Microsecond, Status: 503, Response: "try <later> & \"again\" \ufffd"}
	success := billing.Attempt{At: shapeTime.Add(time.Hour), Status: 200}
	d.Tried(silence, 0.5)
	d.Tried(refusal, 0.5)
	golden(t, "webhook_delivery_pending", deliveryShape(&d))
	inSchema(t, "WebhookDelivery", deliveryShape(&d))
	delivered := d
	delivered.Tried(success, 0.5)
	golden(t, "webhook_delivery_delivered", deliveryShape(&delivered))
	inSchema(t, "WebhookDelivery", deliveryShape(&delivered))
	for d.State == billing.DeliveryPending {
		d.Tried(silence, 0.5)
	}
	golden(t, "webhook_delivery_failed", deliveryShape(&d))
	inSchema(t, "WebhookDelivery", deliveryShape(&d))
	for name, a := range map[string]billing.Attempt{"webhook_ping": success, "webhook_ping_refused": refusal, "webhook_ping_unanswered": silence} {
		golden(t, name, pingShape(a))
		inSchema(t, "WebhookPing", pingShape(a))
	}
}
