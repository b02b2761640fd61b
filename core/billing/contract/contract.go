// Package contract compares what payers allow with the contracts of the practice: its fee schedules of the kind allowed.
package contract

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/limit"
)

// Contract is what the fee schedules of the practice say of a claim, and what its payer counts. A claim keeps it.
type Contract struct {
	Terms   []Term    `json:",omitempty"` // by line of the claim
	Counted []Counted `json:",omitempty"` // of the lines that the primary payer decided
	Limits  limit.Set `json:",omitzero"`  // until when the payer accepts claims and appeals
}

// Term is what a fee schedule says of a line. It is zero if none does.
type Term struct {
	Each         billing.Money // for one unit
	ScheduleID   billing.FeeScheduleID
	ScheduleName string
}

// Counted is what the standing decision of the primary payer counts for a line.
type Counted struct {
	Number  int // of the claim's line, from 1
	Allowed billing.Money
	Apart   Apart `json:",omitempty"` // why the contract does not bind the amount; empty if it does
}

// Apart is why a line is not compared with the contract.
type Apart string

// The reasons.
const (
	Undecided  Apart = "undecided"
	NoContract Apart = "no_contract" // no fee schedule has the procedure on the service date
	Denied     Apart = "denied"      // the payer pays nothing, and no deductible, coinsurance or copay explains it
	Code       Apart = "changed_code"
	Maximum    Apart = "maximum"
	Frequency  Apart = "frequency"
	Units      Apart = "units" // the payer counts fewer units than were billed
	OtherPayer Apart = "other_payer"
	Network    Apart = "out_of_network"
	Discount   Apart = "other_discount" // capitation, or a discount that is not the fee schedule's
	ClaimLevel Apart = "claim_level"    // the payer states its discount for the whole claim
)

// underpaidFrom is the sum that a payer may stay below the contract before it is work for a person.
const underpaidFrom billing.Money = 1_00

// Service is a line of a claim, as far as a contract binds it.
type Service struct {
	ProcedureCode string       // in capitals
	On            billing.Date // zero on a draft without one
	Fee           billing.Money
	Quantity      int
}

// Case is a claim as its contract sees it.
type Case struct {
	Of       *Contract    // of the claim, which the methods change
	Question fee.Question // to the fee schedules
	Services []Service    // none of a predetermination, and of a void transaction
	Asks     bool         // the claim asks for a payment: it is not voided
	Primary  bool         // the claim is to the primary payer
	Decided  bool         // the payer's decision stands
}

// Lines returns what the fee schedules are asked about.
func (c Case) Lines() (all []fee.Line) {
	for _, s := range c.Services {
		if !s.On.IsZero() {
			all = append(all, fee.Line{ProcedureCode: s.ProcedureCode, On: s.On})
		}
	}
	return all
}

// SetTerms sets what the schedules say of the services. They are all that can count for the question. It reports
// whether that changed.
func (c Case) SetTerms(among []*fee.Schedule) bool {
	var terms []Term
	lines := make([]fee.Line, len(c.Services))
	for i, s := range c.Services {
		lines[i] = fee.Line{ProcedureCode: s.ProcedureCode, On: s.On}
	}
	for i, p := range c.Question.Prices(among, lines) {
		if a := p.Allowed; a != nil {
			terms = append(terms, make([]Term, i-len(terms))...)
			terms = append(terms, Term{a.Amount, a.ScheduleID, a.ScheduleName})
		}
	}
	changed := !slices.Equal(terms, c.Of.Terms)
	c.Of.Terms = terms
	return changed
}

// SetLimits sets what the schedules and the payer say of limits, whose days begin in the zone. The version of a contract
// is that of the first service. It reports whether that changed.
func (c Case) SetLimits(among []*fee.Schedule, payer limit.Terms, zone limit.Zone) bool {
	var set limit.Set
	var days billing.DateSpan
	for _, s := range c.Services {
		days = days.Including(s.On)
	}
	if len(c.Services) > 0 {
		var own limit.Terms
		if !days.From.IsZero() {
			own = c.Question.Limits(among, days.From)
		}
		set = limit.Over(own, payer)
	}
	set.Zone = zone
	changed := set != c.Of.Limits
	c.Of.Limits = set
	return changed
}

// SetCounted sets what the primary payer's decision counts, if the claim is to that payer. It reports whether that
// changed.
func (c Case) SetCounted(counted []Counted) bool {
	if !c.Primary || len(c.Services) == 0 {
		counted = nil
	}
	changed := !slices.Equal(counted, c.Of.Counted)
	c.Of.Counted = counted
	return changed
}

// Comparison is a claim beside its contract.
type Comparison struct {
	Lines     []Line        // by line of the claim
	Underpaid billing.Money // the sum by which the payer stays below the contract
}

// Line is a line of a claim beside its contract.
type Line struct {
	Term

	Expected *billing.Money // the lesser of the charge and the contract; nil without a contract
	Allowed  *billing.Money // by the primary payer; nil if it has not decided the line, or not by line
	Apart    Apart          // why the difference does not count; empty if it does
}

// Difference returns what the payer allows less what the contract does; nil if one is unknown.
func (l *Line) Difference() *billing.Money {
	if l.Expected == nil || l.Allowed == nil {
		return nil
	}
	return new(*l.Allowed - *l.Expected)
}

// Compare compares what the primary payer allows with the contract; nil for a claim that no fee schedule is about. What
// the payer allows beyond the contract on one line makes up for nothing on another.
func (c Case) Compare() *Comparison {
	if len(c.Of.Terms) == 0 || len(c.Services) == 0 || !c.Asks {
		return nil
	}
	out := &Comparison{Lines: make([]Line, len(c.Services))}
	for i := range c.Services {
		l := c.line(i + 1)
		if d := l.Difference(); d != nil && l.Apart == "" {
			out.Underpaid += max(0, -*d)
		}
		out.Lines[i] = l
	}
	return out
}

func (c Case) line(number int) (out Line) {
	s := c.Services[number-1]
	if number <= len(c.Of.Terms) {
		out.Term = c.Of.Terms[number-1]
	}
	contracted := !out.ScheduleID.IsZero()
	if contracted {
		out.Expected = new(min(s.Fee, out.Each*billing.Money(max(1, s.Quantity))))
	}
	i := slices.IndexFunc(c.Of.Counted, func(d Counted) bool { return d.Number == number })
	switch {
	case !c.Primary:
		out.Apart = OtherPayer
	case i < 0 || !c.Decided:
		out.Apart = Undecided
	default:
		if out.Apart = c.Of.Counted[i].Apart; out.Apart != ClaimLevel {
			out.Allowed = new(c.Of.Counted[i].Allowed)
		}
	}
	if !contracted {
		out.Apart = NoContract
	}
	return out
}

// Underpaid returns the sum by which the payer stays below the contract; 0 if that is too little to matter.
func (c Case) Underpaid() billing.Money {
	if k := c.Compare(); k != nil && k.Underpaid > underpaidFrom {
		return k.Underpaid
	}
	return 0
}
