package contract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Counting adds up what a payer decided of a service, which it may have split.
type Counting struct {
	Service Service

	level   bool // a discount is on the claim, not on its lines
	lines   []*remit.Line
	paid    billing.Money
	allowed billing.Money
	units   int
	stated  bool // the units
}

// Add adds a line of the payer's decision.
func (n *Counting) Add(l *remit.Line) {
	n.lines = append(n.lines, l)
	n.paid, n.allowed = n.paid+l.Paid, n.allowed+l.AllowedAmount()
	if units, err := strconv.ParseFloat(strings.TrimSpace(l.Units), 64); err == nil {
		n.units, n.stated = n.units+int(units), true
	}
}

// AddLevel adds a decision that has amounts of the service on the claim.
func (n *Counting) AddLevel() { n.level = true }

// Found reports whether the payer decided the service.
func (n *Counting) Found() bool { return n.level || len(n.lines) > 0 }

// Counted returns what the decision of the primary payer counts for the line with the number.
func (n *Counting) Counted(number int) Counted { return Counted{number, n.allowed, n.apart()} }

// ByAnother returns what the decision of a later payer counts.
func (n *Counting) ByAnother(number int) Counted { return Counted{number, n.allowed, OtherPayer} }

// apart returns why the contract does not bind what was counted; empty if it does.
func (n *Counting) apart() Apart {
	for _, is := range []struct {
		why Apart
		of  func(*remit.Line) bool
	}{
		{Code, func(l *remit.Line) bool {
			return !strings.EqualFold(l.ProcedureCode, n.Service.ProcedureCode) || l.Substituted()
		}},
		{OtherPayer, (*remit.Line).SettledBefore},
		{Network, (*remit.Line).OutOfNetwork},
		{Maximum, (*remit.Line).MaximumReached},
		{Frequency, (*remit.Line).TooFrequent},
		{Discount, (*remit.Line).OtherDiscount},
	} {
		if slices.ContainsFunc(n.lines, is.of) {
			return is.why
		}
	}
	switch {
	case n.level:
		return ClaimLevel
	case n.paid == 0 && n.allowed == 0:
		return Denied
	case n.stated && n.units > 0 && n.units < n.Service.Quantity:
		return Units
	}
	return ""
}
