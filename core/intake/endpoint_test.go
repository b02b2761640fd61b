package intake_test

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/intake"
)

func TestEndpointRequests(t *testing.T) {
	t.Parallel()
	types := func(known ...event.Type) []event.Type { return known }
	var all []string
	for _, known := range event.Types() {
		all = append(all, string(known))
	}
	before := webhook.Endpoint{URL: "https://a.com", Description: "old", EventTypes: types(event.ClaimPaid)}
	with := func(change func(*webhook.Endpoint)) webhook.Endpoint {
		e := before
		change(&e)
		return e
	}
	tooMany := append(slices.Clone(all), all[0])
	for name, test := range map[string]struct {
		request intake.EndpointRequest
		want    webhook.Endpoint
		faults  string // in order
	}{
		"nothing": {intake.EndpointRequest{}, before, ""},
		"a URL": {
			intake.EndpointRequest{URL: new("https://b.com")}, with(func(e *webhook.Endpoint) { e.URL = "https://b.com" }), "",
		},
		"a URL of 2048 characters": {
			intake.EndpointRequest{URL: new(strings.Repeat("ä", 2048))},
			with(func(e *webhook.Endpoint) { e.URL = strings.Repeat("ä", 2048) }), "",
		},
		"a URL of 2049": {intake.EndpointRequest{URL: new(strings.Repeat("a", 2049))}, before, "url too_long"},
		"an empty URL":  {intake.EndpointRequest{URL: new("")}, before, "url required"},
		"a blank URL":   {intake.EndpointRequest{URL: new(" ")}, before, "url required"},
		"a description": {
			intake.EndpointRequest{Description: new("new")}, with(func(e *webhook.Endpoint) { e.Description = "new" }), "",
		},
		"no description": {intake.EndpointRequest{Description: new("")}, with(func(e *webhook.Endpoint) { e.Description = "" }), ""},
		"a long description": {
			intake.EndpointRequest{Description: new(strings.Repeat("a", 201))}, before, "description too_long",
		},
		"every type": {intake.EndpointRequest{EveryType: true}, with(func(e *webhook.Endpoint) { e.EventTypes = nil }), ""},
		"two types": {
			intake.EndpointRequest{EventTypes: []string{"claim.denied", "era.received"}},
			with(func(e *webhook.Endpoint) {
				e.EventTypes = types(event.ClaimDenied, event.ERAReceived)
			}), "",
		},
		"all types by name": {
			intake.EndpointRequest{EventTypes: all}, with(func(e *webhook.Endpoint) { e.EventTypes = event.Types() }), "",
		},
		"no types": {
			intake.EndpointRequest{EventTypes: []string{}}, with(func(e *webhook.Endpoint) { e.EventTypes = nil }), "event_types too_few",
		},
		"an unknown type, and one twice": {
			intake.EndpointRequest{EventTypes: []string{"claim.paid", "ping", "claim.paid"}},
			before,
			"event_types.1 not_allowed, event_types.2 conflict",
		},
		"too many types": {
			intake.EndpointRequest{EventTypes: tooMany},
			with(func(e *webhook.Endpoint) { e.EventTypes = event.Types() }),
			"event_types." + strconv.Itoa(len(all)) + " conflict, event_types too_many",
		},
		"what was wrong with the form": {
			intake.EndpointRequest{Faults: billing.Faults{{Field: "url", Code: billing.FaultType}}, URL: new("")}, before, "url type",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := before
			if got := strings.Join(found(test.request.Apply(&e)), ", "); got != test.faults {
				t.Errorf("faults %q, not %q", got, test.faults)
			}
			if !reflect.DeepEqual(e, test.want) {
				t.Errorf("%+v\nwant\n%+v", e, test.want)
			}
		})
	}
}
