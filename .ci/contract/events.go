// Package contract is what a program does with events: the type of an event
// selects its data.
package contract

import "github.com/molar-billing/molar/contract/client"

// Subject returns the name of the organization of an event about a key.
func Subject(e client.Event) (string, error) {
	v, err := e.ValueByDiscriminator()
	if err != nil {
		return "", err
	}
	if key, ok := v.(client.APIKeyEvent); ok {
		return key.Data.Organization.Name, nil
	}
	return "", nil
}

// Fixture returns an event about a key.
func Fixture() (client.Event, error) {
	var e client.Event
	err := e.FromAPIKeyEvent(client.APIKeyEvent{
		Id: "evt_01JGFJJZ00FC1R3ZY5N7Q8Z4VK", Object: client.APIKeyEventObjectEvent, Type: client.APIKeyEventTypeApiKeyRevoked, Sequence: 2,
		Data: client.APIKeyData{Name: "front desk"},
	})
	return e, err
}
