package claim

import (
	"slices"
	"time"
)

// Asked is what became of asking the payer where the claim is.
type Asked struct {
	At     time.Time // when the payer was asked last, or answered last
	Missed bool      `json:",omitzero"` // it did not respond last time

	// What it said last; empty while it has said nothing.
	Outcome  string    `json:",omitzero"` // as claimstatus.Outcome
	Category string    `json:",omitzero"` // code source 507
	Status   string    `json:",omitzero"` // code source 508
	Entity   string    `json:",omitzero"`
	SaidAt   time.Time `json:",omitzero"` // when it said so first
	Repeated int       `json:",omitzero"` // how often it has said the same since
}

// LastSent returns when a file with the claim was last handed to the network; zero for never.
func (c *Claim) LastSent() time.Time {
	for _, m := range slices.Backward(c.History) {
		if m.State == Submitted && m.Cause == TriggerSend {
			return m.At
		}
	}
	return c.SentAt
}

// Heard returns what became of asking the payer about the claim as it was sent last; nil if
// the payer was not asked about it since.
func (c *Claim) Heard() *Asked {
	if c.Asked == nil || c.Asked.At.Before(c.LastSent()) {
		return nil
	}
	return c.Asked
}
