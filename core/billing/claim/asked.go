package claim

import "time"

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
	LastAt   time.Time `json:",omitzero"` // when it said so last; zero if it said so once
}

// LastSaid returns when the payer said last what it says.
func (a *Asked) LastSaid() time.Time {
	if a.LastAt.IsZero() {
		return a.SaidAt
	}
	return a.LastAt
}
