package claimstatus

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
)

// match returns the payer's claim that is ours, and how it is recognized: by our control
// number, else by the payer's number of our claim, else by the charge and the service dates.
// Two that fit are nobody's, unless one of them also has the other number. A claim that
// states another control number is another claim, whatever its charge.
func match(all []PayerClaim, c *claim.Claim) (*PayerClaim, Match) {
	rules := []struct {
		by   Match
		fits func(*PayerClaim) bool
	}{
		{ByControlNumber, func(p *PayerClaim) bool { return p.controlled(c) }},
		{ByPayerClaimNumber, func(p *PayerClaim) bool { return p.numbered(c) }},
		{ByChargeAndDate, func(p *PayerClaim) bool { return p.ControlNumber == "" && p.charged(c) }},
	}
	for n, rule := range rules {
		var found []*PayerClaim
		for i := range all {
			if rule.fits(&all[i]) {
				found = append(found, &all[i])
			}
		}
		if len(found) > 1 && n == 0 {
			if narrowed := slices.DeleteFunc(slices.Clone(found), func(p *PayerClaim) bool { return !p.numbered(c) }); len(narrowed) == 1 {
				found = narrowed
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], rule.by
		default:
			return nil, ""
		}
	}
	return nil, ""
}

// controlled reports whether the payer's claim has a control number of ours.
func (p *PayerClaim) controlled(c *claim.Claim) bool {
	return slices.ContainsFunc(c.Numbers(), func(n string) bool { return n != "" && strings.EqualFold(n, p.ControlNumber) })
}

// numbered reports whether the payer's claim has the number that the payer gave ours.
func (p *PayerClaim) numbered(c *claim.Claim) bool {
	return c.PayerClaimNumber != "" && strings.EqualFold(c.PayerClaimNumber, p.PayerClaimNumber)
}

// charged reports whether the payer's claim has the charge of ours and its service dates, or
// its first one: some payers state one day.
func (p *PayerClaim) charged(c *claim.Claim) bool {
	span := c.ServiceDates()
	return p.Charge == c.Charge() && p.Charge != 0 && !span.From.IsZero() && p.Service.From == span.From &&
		(p.Service.To == span.To || p.Service.To == p.Service.From || p.Service.To == (billing.Date{}))
}
