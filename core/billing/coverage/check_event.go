package billing

type usageData struct {
	Charged bool        `json:"charged"`
	State   UsageState  `json:"state"`
	Reason  UsageReason `json:"reason"`
	Label   string      `json:"label"`
}

type cacheData struct {
	State    string   `json:"state"`
	SourceID *CheckID `json:"source_id"`
}

type eligibilityCompletedData struct {
	ID              CheckID         `json:"id"`
	Object          string          `json:"object"`
	OfficeID        OfficeID        `json:"office_id"`
	Payer           payerData       `json:"payer"`
	State           CheckState      `json:"state"`
	Outcome         Outcome         `json:"outcome"`
	Status          *CoverageStatus `json:"status"`
	Billing         *usageData      `json:"billing"`
	Cache           cacheData       `json:"cache"`
	ParentID        *CheckID        `json:"parent_id"`
	RequestID       *RequestID      `json:"request_id"`
	TenantReference *string         `json:"tenant_reference"`
	CreatedAt       string          `json:"created_at"`
	CompletedAt     string          `json:"completed_at"`
}

// CompletedEvent returns the eligibility.completed event of a completed check.
func (c *EligibilityCheck) CompletedEvent() Event {
	d := eligibilityCompletedData{
		ID:              c.ID,
		Object:          "eligibility_check",
		OfficeID:        c.OfficeID,
		Payer:           payerData(c.Payer),
		State:           c.State,
		Outcome:         c.Outcome,
		Status:          orNull(c.Status),
		Cache:           cacheData{State: c.CacheState(), SourceID: orNull(c.CacheSource)},
		ParentID:        orNull(c.ParentID),
		RequestID:       orNull(c.RequestID),
		TenantReference: c.TenantReference,
		CreatedAt:       Timestamp(c.CreatedAt),
		CompletedAt:     Timestamp(c.CompletedAt),
	}
	if u := c.Usage(); u != nil {
		d.Billing = (*usageData)(u)
	}
	return newEvent(c.Scope, EventEligibilityCompleted, c.ID, c.CompletedAt, d)
}

// CacheState returns "hit" when the result comes from a saved check, else
// "fresh".
func (c *EligibilityCheck) CacheState() string {
	if c.CacheSource.IsZero() {
		return "fresh"
	}
	return "hit"
}
