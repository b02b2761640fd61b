package coverage

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

type usageData struct {
	Charged bool        `json:"charged"`
	State   UsageState  `json:"state"`
	Reason  UsageReason `json:"reason"`
	Label   string      `json:"label"`
}

type cacheData struct {
	State    string           `json:"state"`
	SourceID *billing.CheckID `json:"source_id"`
}

type eligibilityCompletedData struct {
	ID              billing.CheckID    `json:"id"`
	Object          string             `json:"object"`
	OfficeID        billing.OfficeID   `json:"office_id"`
	Payer           event.PayerData    `json:"payer"`
	State           CheckState         `json:"state"`
	Outcome         Outcome            `json:"outcome"`
	Status          *Status            `json:"status"`
	Billing         *usageData         `json:"billing"`
	Cache           cacheData          `json:"cache"`
	ParentID        *billing.CheckID   `json:"parent_id"`
	RequestID       *billing.RequestID `json:"request_id"`
	TenantReference *string            `json:"tenant_reference"`
	CreatedAt       string             `json:"created_at"`
	CompletedAt     string             `json:"completed_at"`
}

// CompletedEvent returns the eligibility.completed event of a completed check.
func (c *Check) CompletedEvent() event.Event {
	d := eligibilityCompletedData{
		ID:              c.ID,
		Object:          "eligibility_check",
		OfficeID:        c.OfficeID,
		Payer:           event.PayerData(c.Payer),
		State:           c.State,
		Outcome:         c.Outcome,
		Status:          event.OrNull(c.Status),
		Cache:           cacheData{State: c.CacheState(), SourceID: event.OrNull(c.CacheSource)},
		ParentID:        event.OrNull(c.ParentID),
		RequestID:       event.OrNull(c.RequestID),
		TenantReference: c.TenantReference,
		CreatedAt:       event.Timestamp(c.CreatedAt),
		CompletedAt:     event.Timestamp(c.CompletedAt),
	}
	if u := c.Usage(); u != nil {
		d.Billing = (*usageData)(u)
	}
	return event.New(c.Scope, event.EligibilityCompleted, c.ID, c.CompletedAt, d)
}

// CacheState returns "hit" when the result comes from a saved check, else
// "fresh".
func (c *Check) CacheState() string {
	if c.CacheSource.IsZero() {
		return "fresh"
	}
	return "hit"
}
