// Package limit has the days within which payers accept claims and appeals.
package limit

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Source says where a deadline comes from.
type Source string

// The sources.
const (
	Contract Source = "contract" // a fee schedule of the kind allowed
	Payer    Source = "payer"    // what the practice recorded of the payer
	Proposed Source = "proposed" // usual, and to be confirmed by a person
	Person   Source = "person"   // a person named the day
	Unknown  Source = "unknown"
)

// MostDays is the longest limit.
const MostDays = 1_095

// Term is a limit. It is zero if it is unknown.
type Term struct {
	Days   int
	Stated string `json:",omitempty"` // where the practice read it, such as a page of the payer's manual
}

// Terms are what a contract or a payer says.
type Terms struct {
	Filing    Term `json:",omitzero"` // of a claim to the primary payer, from the first service
	Secondary Term `json:",omitzero"` // of a claim to a later payer, from the decision of the primary one
	Appeal    Term `json:",omitzero"` // from the decision
}

// IsZero reports whether nothing is known.
func (t Terms) IsZero() bool { return t == Terms{} }

// maxStated bounds the words about where a limit was read, in characters.
const maxStated = 200

// Judge adds the faults of the terms, whose fields are filing_days and so on.
func (t Terms) Judge(f *billing.Faults) {
	for _, of := range []struct {
		name string
		Term
	}{{"filing", t.Filing}, {"secondary_filing", t.Secondary}, {"appeal", t.Appeal}} {
		if of.Days < 0 || of.Days > MostDays {
			f.Add(of.name+"_days", billing.FaultRange, "The limit must be from 1 to 1095 days. Leave it out if it is unknown.")
		}
		if of.Stated != "" && f.Required(of.name+"_source", of.Stated, maxStated) && of.Days == 0 {
			f.Add(of.name+"_source", billing.FaultNotAllowed, "Send "+of.name+"_days, too, or leave the source out.")
		}
	}
}

// OfPayer are the limits of a payer, which count where no contract has one.
type OfPayer struct {
	ID        billing.JobID // of the row
	Scope     billing.Scope
	Payer     directory.PayerSummary
	Terms     Terms
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Position returns the place in a list, by the time and the ID.
func (p *OfPayer) Position() billing.Position {
	return billing.Position{Time: p.CreatedAt, ID: p.ID}
}

// Known is a limit with its source. It is zero if the limit is unknown.
type Known struct {
	Term

	Of Source
}

// Set is what a claim keeps of its limits.
type Set struct {
	Filing    Known `json:",omitzero"`
	Secondary Known `json:",omitzero"`
	Appeal    Known `json:",omitzero"`
	Zone      Zone  `json:",omitempty"` // of the claim's office
}

// Over returns the limits of a contract, and where it has none those of the payer.
func Over(contract, payer Terms) Set {
	return Set{
		Filing: first(contract.Filing, payer.Filing), Secondary: first(contract.Secondary, payer.Secondary), Appeal: first(contract.Appeal, payer.Appeal),
	}
}

func first(contract, payer Term) Known {
	switch {
	case contract.Days > 0:
		return Known{contract, Contract}
	case payer.Days > 0:
		return Known{payer, Payer}
	default:
		return Known{}
	}
}

// Deadline is the last day on which something is accepted.
type Deadline struct {
	On     billing.Date // zero while the day from which it counts is unknown
	Days   int          // 0 if a person named the day, or nothing is known
	Source Source
	Stated string `json:",omitempty"`
}

// From returns the deadline that counts from a day, which may be zero.
func (k Known) From(day billing.Date) Deadline {
	if k.Days == 0 {
		return Deadline{Source: Unknown}
	}
	d := Deadline{Days: k.Days, Source: k.Of, Stated: k.Stated}
	if !day.IsZero() {
		d.On = day.AddDays(k.Days)
	}
	return d
}

// Deadlines are until when a payer accepts a claim, and an appeal of its decision.
type Deadlines struct{ Filing, Appeal Deadline }
