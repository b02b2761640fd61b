// Package webhook is the endpoints that events are posted to, the deliveries, and when one
// is tried again.
package webhook
