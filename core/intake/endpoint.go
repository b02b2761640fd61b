package intake

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// maxDescription bounds the description of an endpoint, in characters.
const maxDescription = 200

// EndpointRequest is a request for an endpoint, or for a change of one, as a
// caller wrote it; nothing is parsed yet. Nil is a value that was left out.
type EndpointRequest struct {
	URL         *string
	Description *string
	EventTypes  []string       // an empty array is not nil
	EveryType   bool           `body:"-"` // event_types was null
	Faults      billing.Faults // found when the body was decoded
}

// Apply validates the request and sets its values on the endpoint. It does not
// check whether the URL may be called.
func (r EndpointRequest) Apply(e *webhook.Endpoint) billing.Faults {
	f := slices.Clone(r.Faults)
	if r.URL != nil && f.Required("url", *r.URL, webhook.MaxWebhookURL) {
		e.URL = *r.URL
	}
	if r.Description != nil && f.Optional("description", r.Description, maxDescription) {
		e.Description = *r.Description
	}
	if r.EveryType {
		e.EventTypes = nil
	}
	if r.EventTypes == nil {
		return f
	}
	e.EventTypes = nil
	for i, t := range r.EventTypes {
		field := "event_types." + strconv.Itoa(i)
		switch known := event.Type(t); {
		case !f.Required(field, t, 0):
		case !slices.Contains(event.Types(), known):
			f.Add(field, billing.FaultNotAllowed, "Unknown event type.")
		case slices.Contains(e.EventTypes, known):
			f.Add(field, billing.FaultConflict, "Duplicate event type. Name each type once.")
		default:
			e.EventTypes = append(e.EventTypes, known)
		}
	}
	switch n := len(r.EventTypes); {
	case n == 0:
		f.Add("event_types", billing.FaultTooFew, "Name at least one event type, or leave out event_types for all types.")
	case n > len(event.Types()):
		f.Add("event_types", billing.FaultTooMany, fmt.Sprintf("An endpoint may name at most %d event types.", len(event.Types())))
	}
	return f
}
