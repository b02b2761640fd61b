package billing

// ClaimRecord is a claim with values from other rows at the time of reading.
type ClaimRecord struct {
	*Claim

	OfficeName  string
	Provider    ProviderSummary // the rendering provider; zero on a draft without one
	ReviewERA   ERAID           // the first remittance with a claim that needs review for this one; zero for none
	ForwardedTo string          // the payer that the claim's payer sent it on to, before anyone decided it; lists have it
	HasVoid     bool            // it has a void that is not rejected; lists leave it out
	Hold        Hold            // why a queued claim of live mode is in no batch; stores leave it out
	Batch       *Batch          // of a claim that the clearinghouse may not have; stores leave it out
	Attachments []*Attachment   // of the claim, newest first, at most a hundred; stores leave them out
	Ledger      *Ledger         // nil where it is not read; stores leave it out
}

// ProviderSummary names a provider inside another resource.
type ProviderSummary struct {
	ID        ProviderID
	FirstName string
	LastName  string
	NPI       string
}

// OpenLines returns what is open of each line; see Ledger.OpenLines.
func (r *ClaimRecord) OpenLines() []Money {
	if r.Ledger == nil {
		return r.Claim.Ledger(nil).OpenLines()
	}
	return r.Ledger.OpenLines()
}
