package billing

// OutgoingClaim is a claim with the details of the parties that it names. The
// claim's PayerClaimNumber is sent with replacements and voids.
type OutgoingClaim struct {
	Claim       *Claim
	Office      *Office
	Payer       *Payer                   // nil when it has left the directory
	OtherPayers []*Payer                 // of the other coverages; nil for one that is not in the directory
	Provider    *Provider                // nil for none
	Providers   map[ProviderID]*Provider // by ID; those of the lines with one of their own are among them
	Attachments []*Attachment
}
