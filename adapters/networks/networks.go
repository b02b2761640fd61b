// Package networks chooses the network that carries a message: by organization,
// mode, payer and transaction. A network of the organization's own comes before
// one of the deployment.
package networks

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Networks is the networks that are open.
type Networks struct {
	open []*ports.Network // those of one organization first
}

var _ ports.Networks = (*Networks)(nil)

// New opens networks. Of several that reach a payer the first one counts,
// unless a later one is the organization's own.
func New(open ...*ports.Network) *Networks {
	open = slices.Clone(open)
	slices.SortStableFunc(open, func(a, b *ports.Network) int { return rank(a) - rank(b) })
	return &Networks{open}
}

func rank(n *ports.Network) int {
	if n.Route.Org.IsZero() {
		return 1
	}
	return 0
}

// Available is nil when a network carries the transaction for the scope.
func (n *Networks) Available(scope billing.Scope, t billing.Transaction) error {
	for _, one := range n.open {
		if carries(one, t) && one.Route.Serves(scope, t) {
			return nil
		}
	}
	return t.Unavailable()
}

// For returns the network that carries the transaction to the payer.
func (n *Networks) For(scope billing.Scope, payer billing.PayerID, t billing.Transaction) (*ports.Network, error) {
	for _, one := range n.open {
		if carries(one, t) && one.Route.Reaches(scope, payer, t) {
			return one, nil
		}
	}
	return nil, t.Unavailable()
}

// Clearinghouses lists the networks that carry claims.
func (n *Networks) Clearinghouses() (all []*ports.Network) {
	for _, one := range n.open {
		if carries(one, billing.TransactionClaims) {
			all = append(all, one)
		}
	}
	return all
}

func carries(n *ports.Network, t billing.Transaction) bool {
	switch t {
	case billing.TransactionEligibility:
		return n.Eligibility != nil
	case billing.TransactionAttachments:
		return n.Attachments != nil
	case billing.TransactionClaims:
		return n.Claims != nil
	default:
		return false
	}
}
