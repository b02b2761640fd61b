package molar

import (
	"context"
	"encoding/json"
	"fmt"
)

// Retry sends a check again that was rejected or failed, with changes: fields of a request by their names, such as
// {"subscriber": {"member_id": "W123"}}. A field of an object changes alone, and nil removes it. The new check
// names the old one as its parent, and has a key of its own.
func (s EligibilityOperations) Retry(ctx context.Context, c *EligibilityCheck, changes map[string]any, options ...CallOption) (*EligibilityCheck, error) {
	b, err := json.Marshal(c.Request)
	if err != nil {
		return nil, err
	}
	body := map[string]any{}
	if err := json.Unmarshal(b, &body); err != nil {
		return nil, err
	}
	delete(body, "office_npi") // the office is named by its ID
	body["office_id"], body["payer_id"], body["parent_id"] = c.OfficeID, c.Payer.ID, c.ID
	if c.TenantReference != nil {
		body["tenant_reference"] = *c.TenantReference
	}
	merge(body, changes)
	for name, v := range body {
		if v == nil {
			delete(body, name)
		}
	}
	return read[EligibilityCheck](ctx, s.c, call{method: "POST", path: "/eligibility", body: body, keyed: true, answers: true}, options)
}

// merge puts changes into a body.
func merge(body, changes map[string]any) {
	for name, v := range changes {
		inner, changed := v.(map[string]any)
		have, had := body[name].(map[string]any)
		if changed && had {
			merge(have, inner)
			continue
		}
		body[name] = v
	}
}

// Suggested returns the changes that a rejection suggests, for Retry. It is empty if the payer suggested none.
func (c *EligibilityCheck) Suggested() map[string]any {
	changes := map[string]any{}
	if c.Rejection == nil {
		return changes
	}
	for _, r := range c.Rejection.Reasons {
		if r.Field != nil && r.SuggestedValue != nil {
			put(changes, *r.Field, *r.SuggestedValue)
		}
	}
	return changes
}

// put sets the value at a path such as subscriber.last_name.
func put(into map[string]any, path, value string) {
	var of, name string
	if n, _ := fmt.Sscanf(path, "subscriber.%s", &name); n == 1 {
		of = "subscriber"
	} else if n, _ := fmt.Sscanf(path, "patient.%s", &name); n == 1 {
		of = "patient"
	} else {
		into[path] = value
		return
	}
	inner, ok := into[of].(map[string]any)
	if !ok {
		inner = map[string]any{}
		into[of] = inner
	}
	inner[name] = value
}
