package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// WebhookSender posts to the outside, and never into the operator's network.
type WebhookSender interface {
	// Check judges whether a URL may be called: its form, and the addresses
	// that its host has now. The error, with CodeInvalidRequest about the field
	// "url", says what is wrong. CodeUnavailable: the host could not be looked up
	// now, and another try may succeed.
	Check(ctx context.Context, url string) error

	// Post posts a message once. It asks for the secret when the connection is
	// ready, and again for each further connection, so that a post goes out with
	// the secret that is current at that moment. The error is that of secret, or
	// billing.ErrMalformedSecret; nothing was posted then. Whatever else goes
	// wrong is part of the attempt, in words that reveal nothing of the
	// operator's network; At is the message's.
	Post(ctx context.Context, m billing.WebhookMessage, secret CurrentSecret) (billing.Attempt, error)
}

// CurrentSecret reads the secret that an endpoint has now.
type CurrentSecret func(ctx context.Context) (billing.WebhookSecret, error)

// WebhookEndpoints keeps webhook endpoints, their secrets encrypted.
type WebhookEndpoints interface {
	// Insert keeps a new endpoint. One more than billing.MaxEndpoints in the
	// scope is CodeConflict, however many are made at once.
	Insert(ctx context.Context, e *billing.WebhookEndpoint) error

	// Get reads an endpoint. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.WebhookEndpointID) (*billing.WebhookEndpoint, error)

	// Lock reads like Get, and nobody else writes the endpoint until the
	// transaction ends. It does not keep events from being queued for it.
	Lock(ctx context.Context, id billing.WebhookEndpointID) (*billing.WebhookEndpoint, error)

	// Save keeps what can change of an endpoint. After an enabled one was saved
	// its lane is called, so that what waited goes out.
	Save(ctx context.Context, e *billing.WebhookEndpoint) error

	// Delete removes an endpoint with its deliveries.
	Delete(ctx context.Context, id billing.WebhookEndpointID) error

	// List reads every endpoint of the scope, newest first.
	List(ctx context.Context) ([]*billing.WebhookEndpoint, error)
}

// Deliveries keeps events on their way to endpoints. Events.Append queues one
// for each enabled endpoint that takes the event, in the same commit, and calls
// the endpoints' lanes after it.
type Deliveries interface {
	// Resend queues events again, and answers how many deliveries that makes.
	// It calls the lanes. More than limit is CodeInvalidRequest.
	Resend(ctx context.Context, f billing.ResendFilter, now time.Time, limit int) (int, error)

	// List reads a page of an endpoint's deliveries, newest first, and one row
	// more than asked for when there is a next page.
	List(ctx context.Context, endpoint billing.WebhookEndpointID, p billing.Page) ([]*billing.Delivery, error)
}

// Lanes is the deliveries of endpoints as those see them who deliver. Each
// endpoint has a lane, and a lane has one holder at a time, as long as the
// holder renews its lease. A call of a lane is a job of KindWebhook about the
// endpoint, without a row of its own: what is due is in the deliveries.
type Lanes interface {
	// Take gives the lane to the holder for the lease, or renews it. When
	// another holds it, it reports false and where to reach the other.
	Take(ctx context.Context, id billing.WebhookEndpointID, holder billing.JobID, address string, lease time.Duration) (taken bool, other string, err error)

	// Due reads up to limit pending deliveries of the lane whose time has come,
	// but for those that are in flight, oldest time first, with the endpoint as
	// it is now; and when the next one after those is due, zero for none. A
	// disabled endpoint and an open circuit have none; a probe is due alone.
	Due(ctx context.Context, id billing.WebhookEndpointID, now time.Time, limit int, inFlight []billing.DeliveryID) (*billing.WebhookEndpoint, []billing.Shipment, time.Time, error)

	// Record keeps what came of attempts: state, next attempt and the last of
	// the attempts of each delivery. One that is pending no more stays as it is,
	// and so does one whose attempt is on record already.
	Record(ctx context.Context, tried []*billing.Delivery) error

	// RecordHealth stores the health of the endpoint, and its status.
	RecordHealth(ctx context.Context, e *billing.WebhookEndpoint) error

	// Leave gives the lane back, if the holder has it.
	Leave(ctx context.Context, id billing.WebhookEndpointID, holder billing.JobID) error
}
