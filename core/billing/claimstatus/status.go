package claimstatus

import (
	_ "embed" // the words that ship with the service
	"slices"
	"strings"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// Status is what a payer says about a claim, or about one of its lines (STC).
type Status struct {
	Line        int            `json:",omitzero"` // the line's number, from 1; zero for the whole claim
	Procedure   string         `json:",omitzero"` // of the line
	Codes       []Code         // at least one
	Effective   billing.Date   `json:",omitzero"`
	Charge      *billing.Money `json:",omitzero"`
	Paid        *billing.Money `json:",omitzero"` // decided, and perhaps not paid yet
	Decided     billing.Date   `json:",omitzero"`
	PaymentDate billing.Date   `json:",omitzero"`
	Payment     string         `json:",omitzero"` // the number of the check or the transfer
}

// Code is a status of the code lists of X12: how far the claim is, why, and whom it concerns.
type Code struct {
	Category string // code source 507, such as F1
	Status   string `json:",omitzero"` // code source 508, such as 65
	Entity   string `json:",omitzero"` // such as 85 for the billing provider
}

// String returns the code in its usual form, such as "F2:88:QC".
func (c Code) String() string {
	s := clearing.ClaimStatus{Category: c.Category, Code: c.Status}.String()
	if c.Entity != "" {
		s += ":" + c.Entity
	}
	return s
}

//go:embed words.tsv
var shippedWords string

// words holds the entries of the file by list and code: the categories of statuses (code
// source 507), the entities that they concern, and statuses that only answers to inquiries
// have, in words of our own.
//
//nolint:gochecknoglobals // a constant table, read at first use
var words = sync.OnceValue(func() map[[2]string]string {
	table := map[[2]string]string{}
	for line := range strings.Lines(shippedWords) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		table[[2]string{columns[0], columns[1]}] = columns[2]
	}
	return table
})

// Words describes the code, such as "Decided and paid: paid" or "The search failed: no
// eligibility found for the patient (patient)". It states the code alone if nothing is known
// of it.
func (c Code) Words() string {
	said := words()[[2]string{"category", strings.ToUpper(c.Category)}]
	if said == "" && c.Category != "" {
		said = words()[[2]string{"group", strings.ToUpper(c.Category[:1])}]
	}
	if said == "" {
		return "Status " + c.String()
	}
	why := words()[[2]string{"status", c.Status}]
	if why == "" {
		why = clearing.ClaimStatus{Category: c.Category, Code: c.Status}.Words()
	}
	if why != "" && c.Status != "0" {
		said += ": " + why
	} else if c.Status != "" && c.Status != "0" {
		said += ": status " + c.Status
	}
	if who := words()[[2]string{"entity", strings.ToUpper(c.Entity)}]; who != "" {
		said += " (" + who + ")"
	}
	return said
}

// First returns the first code of an answer; false if it has none.
func (c *Content) First() (Code, bool) {
	for i := range c.Statuses {
		if len(c.Statuses[i].Codes) > 0 {
			return c.Statuses[i].Codes[0], true
		}
	}
	return Code{}, false
}

// Same reports whether two answers say the same about a claim.
func (c *Content) Same(o *Content) bool {
	return c.PayerClaimNumber == o.PayerClaimNumber && slices.EqualFunc(c.Statuses, o.Statuses, func(a, b Status) bool {
		return a.Line == b.Line && a.Procedure == b.Procedure && slices.Equal(a.Codes, b.Codes) && equal(a.Charge, b.Charge) && equal(a.Paid, b.Paid) &&
			a.Decided == b.Decided && a.PaymentDate == b.PaymentDate && a.Payment == b.Payment
	})
}

func equal(a, b *billing.Money) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// Message says in a sentence or two what came of the inquiry, and what to do. It is empty
// while the inquiry is pending.
func (i *Inquiry) Message() string {
	code, said := i.First()
	switch i.Outcome {
	case Found:
		if i.Matches == "" {
			return "The payer returned claims, and nothing tells which of them is this one. Read them in the exchange, or call the payer."
		}
		m := "The payer's status has no code that is known."
		if said {
			m = code.Words() + "."
		}
		for k := range i.Statuses {
			if s := &i.Statuses[k]; s.Line == 0 && s.Paid != nil && *s.Paid > 0 {
				return m + " The payer announces " + s.Paid.Dollars() + ". Its remittance has the payment: wait for it if it has not come yet."
			}
		}
		return m
	case NotFound:
		return "The payer found no claim. A claim that was sent less than a week ago may not be loaded yet: ask again later. If it is older, call the payer."
	case Refused:
		m := "The payer did not search."
		if said {
			m = code.Words() + "."
		}
		return m + " Check the payer, the office's NPI and the member ID."
	case Unavailable:
		return "The payer did not respond. Ask again later."
	case Failed:
		return "The network to the payer failed, or its response cannot be read. Ask again later."
	}
	return ""
}
