package webhooks

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// post posts an event to the endpoint once. The attempt has the database's
// time; the message has the time of this machine, because a receiver compares
// that with its own. An error means that the secret could not be read and
// nothing was posted.
func post(
	ctx context.Context, sender ports.WebhookSender, e *webhook.Endpoint, ev *event.Event, at, dated time.Time,
	secret ports.CurrentSecret,
) (webhook.Attempt, error) {
	attempt, err := sender.Post(ctx, e.Message(ev, dated), secret)
	attempt.At, attempt.URL = at, e.URL
	if errors.Is(err, webhook.ErrMalformedSecret) { // it was encrypted with another key
		return webhook.Attempt{At: at, URL: e.URL, Error: "the endpoint's secret cannot be used; rotate it"}, nil
	}
	return attempt, err
}

// currentSecret returns a reader of the endpoint's current secret.
func currentSecret(store ports.Store, scope billing.Scope, id billing.WebhookEndpointID) ports.CurrentSecret {
	return func(ctx context.Context) (secret webhook.Secret, err error) {
		err = store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
			e, err := tx.Endpoints.Get(ctx, id)
			if err == nil {
				secret = e.Secret
			}
			return err
		})
		return secret, err
	}
}
