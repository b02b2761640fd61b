package sandboxnet

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
)

// edit is a check of the clearinghouse. A claim that fails it goes to no payer.
type edit struct {
	category string // STC01-1
	status   string // STC01-2
	text     string // STC12
	fails    func(c *claims.Claim) []place
}

// place is what a claim fails an edit for.
type place struct {
	entity string // STC01-3; empty for none
	line   int    // number of the line, from 1; zero for the claim
}

// The categories of rejections.
const (
	categoryMissing = "A6"
	categoryInvalid = "A7"
)

// The lengths of the billing provider's numbers, in digits.
const (
	digitsOfNPI   = 10
	digitsOfTaxID = 9
	digitsOfZIP   = 9
	digitsOfPhone = 10
)

// edits is the table of checks. The status codes are those of the standard list
// (code source 508).
//
//nolint:gochecknoglobals // a constant table
var edits = []edit{
	{categoryInvalid, "562", "The billing provider's NPI must have ten digits.", ofOffice(func(b *claims.BillingProvider) bool {
		return !hasDigits(b.NPI, digitsOfNPI)
	})},
	{categoryMissing, "126", "The billing provider's address is missing or incomplete.", ofOffice(func(b *claims.BillingProvider) bool {
		a := &b.Address
		return a.Line1 == "" || a.City == "" || a.State == "" || a.ZIP == ""
	})},
	{categoryInvalid, "503", "The billing provider's street must not be a P.O. box. Use the pay-to address for it.", ofOffice(func(b *claims.BillingProvider) bool {
		return postOfficeBox.MatchString(b.Address.Line1) || postOfficeBox.MatchString(b.Address.Line2)
	})},
	{categoryInvalid, "500", "The billing provider's ZIP code must have nine digits.", ofOffice(func(b *claims.BillingProvider) bool {
		return b.Address.ZIP != "" && !hasDigits(b.Address.ZIP, digitsOfZIP)
	})},
	{categoryMissing, "128", "The billing provider's tax ID is missing.", ofOffice(func(b *claims.BillingProvider) bool {
		return b.TaxID == ""
	})},
	{categoryInvalid, "128", "The billing provider's tax ID must have nine digits.", ofOffice(func(b *claims.BillingProvider) bool {
		return b.TaxID != "" && !hasDigits(b.TaxID, digitsOfTaxID)
	})},
	{categoryMissing, "127", "The billing provider's telephone number is missing.", ofOffice(func(b *claims.BillingProvider) bool {
		return b.Phone == ""
	})},
	{categoryInvalid, "127", "The billing provider's telephone number must have ten digits.", ofOffice(func(b *claims.BillingProvider) bool {
		return b.Phone != "" && !hasDigits(b.Phone, digitsOfPhone)
	})},
	{categoryInvalid, "171", "Two payers of the claim have the same rank.", sameRank},
	{categoryInvalid, "672", "What the other payer paid and adjusted does not add up to the charge.", outOfBalance},
	{categoryMissing, "243", "Orthodontic services need the months of treatment.", ofLines(func(c *claims.Claim, l *claims.Line) bool {
		return treatment.MatchString(l.Procedure) && c.Orthodontics == nil
	})},
	{categoryMissing, "203", "Orthodontic treatment needs the date when the appliance was placed.", ofLines(func(c *claims.Claim, l *claims.Line) bool {
		return treatment.MatchString(l.Procedure) && !c.Predetermination && (c.Orthodontics == nil || c.Orthodontics.ApplianceDate.IsZero())
	})},
	{categoryMissing, "201", "A replacement needs the date of the prior placement.", ofLines(func(_ *claims.Claim, l *claims.Line) bool {
		return l.Prosthesis == claims.ProsthesisReplacement && l.PriorPlacement.IsZero()
	})},
}

// postOfficeBox finds a P.O. box in the line of an address.
var postOfficeBox = regexp.MustCompile(`(?i)^\s*(P\.?\s*O\.?|POST\s+OFFICE)\s*BOX\b`)

// treatment finds the procedures of orthodontic treatment with an appliance.
var treatment = regexp.MustCompile(`^D80[1-9]0$|^D8670$`)

// hasDigits reports whether s is n digits.
func hasDigits(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789") == ""
}

// ofOffice returns a check of the billing provider.
func ofOffice(fails func(b *claims.BillingProvider) bool) func(*claims.Claim) []place {
	return func(c *claims.Claim) []place {
		if fails(&c.Billing) {
			return []place{{entity: entityBilling}}
		}
		return nil
	}
}

// ofLines returns a check of every line.
func ofLines(fails func(c *claims.Claim, l *claims.Line) bool) func(*claims.Claim) []place {
	return func(c *claims.Claim) (all []place) {
		for i := range c.Lines {
			if fails(c, &c.Lines[i]) {
				all = append(all, place{line: i + 1})
			}
		}
		return all
	}
}

// sameRank returns the other payers whose rank the claim's payer has, or one before
// them.
func sameRank(c *claims.Claim) (all []place) {
	taken := []int{rank(c.Coverage)}
	for i := range c.OtherPayers {
		n := rank(c.OtherPayers[i].Coverage)
		if p := (place{entity: rankedPayers[n]}); slices.Contains(taken, n) && !slices.Contains(all, p) {
			all = append(all, p)
		}
		taken = append(taken, n)
	}
	return all
}

// outOfBalance returns the other payers whose decision does not add up: on a line to
// its charge, or for the claim to its charge or to the payments for its lines.
func outOfBalance(c *claims.Claim) (all []place) {
	for i := range c.OtherPayers {
		o := &c.OtherPayers[i]
		entity := rankedPayers[rank(o.Coverage)]
		lines, paid := false, billing.Money(0)
		for n := range c.Lines {
			l := &c.Lines[n]
			decided, stated := decisionsOf(o, l), billing.Money(0)
			for _, a := range decided {
				lines, paid, stated = true, paid+a.Paid, stated+a.Paid+adjusted(a.Adjustments)
			}
			if len(decided) > 0 && stated != l.Fee {
				all = append(all, place{entity, n + 1})
			}
		}
		if !lines {
			paid = c.Charge()
		}
		if o.Paid != nil && *o.Paid != paid-adjusted(o.Adjustments) {
			all = append(all, place{entity: entity})
		}
	}
	return all
}

func adjusted(all []claims.Adjustment) (total billing.Money) {
	for _, a := range all {
		total += a.Amount
	}
	return total
}

// fault is an edit that a claim fails, with its place.
type fault struct {
	*edit
	place
}

func (f fault) code() acknowledgements.Code {
	return acknowledgements.Code{Category: f.category, Status: f.status, Entity: f.entity}
}

// faultsOf applies every edit to a claim.
func faultsOf(c *claims.Claim) (all []fault) {
	for i := range edits {
		for _, p := range edits[i].fails(c) {
			all = append(all, fault{&edits[i], p})
		}
	}
	return all
}

// codesOfStatus is the number of codes in a status (STC01, STC10 and STC11).
const codesOfStatus = 3

// refuse adds the statuses of a claim that goes to no payer. Each is on the claim with
// its text. A line that it concerns repeats the code in its only status, which by the
// guide has no text.
func refuse(r *received, day billing.Date, c *acknowledgements.Claim) {
	var stated []acknowledgements.Code
	for _, f := range r.faults {
		if code := f.code(); !slices.Contains(stated, code) {
			s := status(day, actionReject, r.Charge(), code)
			s.Text, stated = f.text, append(stated, code)
			c.Statuses = append(c.Statuses, s)
		}
	}
	for i := range r.Lines {
		l := acknowledgements.Line{
			Qualifier: "AD", Procedure: r.Lines[i].Procedure, Charge: r.Lines[i].Fee, Number: strconv.Itoa(i + 1),
		}
		s := acknowledgements.Status{Effective: day, Action: actionReject}
		for _, f := range r.faults {
			if f.line == i+1 && len(s.Codes) < codesOfStatus {
				s.Codes = append(s.Codes, f.code())
			}
		}
		if len(s.Codes) > 0 {
			l.Statuses = []acknowledgements.Status{s}
			c.Lines = append(c.Lines, l)
		}
	}
}
