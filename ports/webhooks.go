package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// WebhookSender posts to public addresses, never into the operator's network.
type WebhookSender interface {
	// Check checks whether a URL may be called: its form, and the addresses that
	// its host has now. CodeInvalidRequest for the field "url" states the fault.
	// CodeUnavailable means that the host could not be looked up now; another try
	// may succeed.
	Check(ctx context.Context, url string) error

	// Post posts a message once. It reads the secret once the connection is
	// ready, and again for each further connection, so that it signs with the
	// current one. It returns the error of secret or webhook.ErrMalformedSecret
	// without posting. Any other failure is part of the attempt, in words that
	// reveal nothing of the operator's network. The attempt has the time of the
	// message.
	Post(ctx context.Context, m webhook.Message, secret CurrentSecret) (webhook.Attempt, error)
}

// CurrentSecret reads the current secret of an endpoint.
type CurrentSecret func(ctx context.Context) (webhook.Secret, error)

// WebhookEndpoints stores webhook endpoints, their secrets encrypted.
type WebhookEndpoints interface {
	// Insert stores a new endpoint. It returns CodeConflict when the scope has
	// webhook.MaxEndpoints, even when several are created at once.
	Insert(ctx context.Context, e *webhook.Endpoint) error

	// Get reads an endpoint. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.WebhookEndpointID) (*webhook.Endpoint, error)

	// Lock reads like Get, and no other transaction writes the endpoint until
	// this one ends. Events are still queued for it.
	Lock(ctx context.Context, id billing.WebhookEndpointID) (*webhook.Endpoint, error)

	// Save stores the fields of an endpoint that can change. Saving an enabled
	// one calls its lane, so that waiting deliveries go out.
	Save(ctx context.Context, e *webhook.Endpoint) error

	// Delete removes an endpoint with its deliveries.
	Delete(ctx context.Context, id billing.WebhookEndpointID) error

	// List reads every endpoint of the scope, newest first.
	List(ctx context.Context) ([]*webhook.Endpoint, error)
}

// Deliveries stores events on their way to endpoints. Events.Append queues one
// for each enabled endpoint that subscribes to the event, in the same commit,
// and calls the endpoints' lanes after it.
type Deliveries interface {
	// Resend queues events again and returns the number of deliveries. It calls
	// the lanes. It returns CodeInvalidRequest for more than limit deliveries.
	Resend(ctx context.Context, f webhook.ResendFilter, now time.Time, limit int) (int, error)

	// ResendListed queues the events of deliveries again, each event once for an
	// endpoint. It is like Resend otherwise, and limits the deliveries that the
	// filter selects.
	ResendListed(ctx context.Context, f webhook.DeliveryFilter, now time.Time, limit int) (int, error)

	// Get reads a delivery. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.DeliveryID) (*webhook.Delivery, error)

	// List reads a page of deliveries, newest first, and one row more than asked
	// for when there is a next page.
	List(ctx context.Context, f webhook.DeliveryFilter, p billing.Page) ([]*webhook.Delivery, error)
}

// Lanes are the deliveries of endpoints as a dispatcher sees them. Each
// endpoint has a lane. A lane has one holder at a time, for as long as the
// holder renews its lease. A call of a lane is a job of KindWebhook for the
// endpoint; it has no row, because the deliveries show what is due.
type Lanes interface {
	// Take acquires the lane for the holder and the lease, or renews it. When
	// another process holds the lane, it returns false and that holder's address.
	Take(ctx context.Context, id billing.WebhookEndpointID, holder billing.JobID, address string, lease time.Duration) (taken bool, other string, err error)

	// Due reads up to limit pending deliveries of the lane that are due now,
	// without those in flight, the oldest first. It also returns the current
	// endpoint, and the time at which the next delivery after those is due, or
	// zero. It returns no delivery for a disabled endpoint or an open circuit,
	// and only one for a probe.
	Due(ctx context.Context, id billing.WebhookEndpointID, now time.Time, limit int, inFlight []billing.DeliveryID) (*webhook.Endpoint, []webhook.Shipment, time.Time, error)

	// Record stores the result of attempts: the state, the next attempt and the
	// last attempt of each delivery. It changes no delivery that is no longer
	// pending or that has the attempt already. It also stores the time of the last
	// success of the endpoint, unless its URL is no longer that of the attempt.
	Record(ctx context.Context, tried []*webhook.Delivery) error

	// RecordHealth stores the health of the endpoint, and its status with the
	// reason if it is disabled.
	RecordHealth(ctx context.Context, e *webhook.Endpoint) error

	// Postpone makes a pending delivery without attempts due at the time.
	Postpone(ctx context.Context, id billing.DeliveryID, until time.Time) error

	// Leave releases the lane if the holder has it.
	Leave(ctx context.Context, id billing.WebhookEndpointID, holder billing.JobID) error
}
