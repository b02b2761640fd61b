package billing

// PayerSummary names a payer inside another resource.
type PayerSummary struct {
	ID      PayerID
	PayerID string // the payer's own payer ID
	Name    string
}
