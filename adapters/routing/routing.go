// Package routing chooses the network that carries a message: by organization,
// mode, payer and transaction. A network of the organization's own comes before
// one of the deployment, one that lists its payers before one that reaches all,
// and a connection before the built-in sandbox.
package routing

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// Networks is the networks that are open: built-in ones, and connections, which
// come and go.
type Networks struct {
	builtin []*entry
	entries atomic.Pointer[[]*entry] // in the order of choice
	follow  func(context.Context) error
}

var _ ports.Networks = (*Networks)(nil)

// entry is a network, or a connection that is the route of its payers but carries
// nothing now.
type entry struct {
	*ports.Network
	carries []network.Transaction
	link    *link // of a connection; nil for a built-in network
}

// New opens built-in networks.
func New(builtin ...*ports.Network) *Networks {
	n := &Networks{}
	for _, one := range builtin {
		e := &entry{Network: one}
		for t, carried := range map[network.Transaction]bool{
			network.Eligibility: one.Eligibility != nil,
			network.Attachments: one.Attachments != nil,
			network.Claims:      one.Claims != nil,
			network.ClaimStatus: one.ClaimStatus != nil,
		} {
			if carried {
				e.carries = append(e.carries, t)
			}
		}
		n.builtin = append(n.builtin, e)
	}
	n.set(nil)
	return n
}

// FollowWith sets what reads the connections and opens them. It must be called before
// the networks are used.
func (n *Networks) FollowWith(follow func(context.Context) error) { n.follow = follow }

// Follow reads the connections as they are now.
func (n *Networks) Follow(ctx context.Context) error {
	if n.follow == nil {
		return nil
	}
	return n.follow(ctx)
}

// set makes these the open connections.
func (n *Networks) set(connections []*entry) {
	all := slices.Concat(connections, n.builtin)
	slices.SortStableFunc(all, func(a, b *entry) int { return a.rank() - b.rank() })
	n.entries.Store(&all)
}

func (e *entry) rank() (rank int) {
	if e.Route.Org.IsZero() {
		rank += 4
	}
	if e.link == nil {
		rank += 2
	}
	if e.Route.Payers == nil {
		rank++
	}
	return rank
}

// Available is nil when a network carries the transaction for the scope.
func (n *Networks) Available(scope billing.Scope, t network.Transaction) error {
	err := t.Unavailable()
	for _, e := range *n.entries.Load() {
		if !slices.Contains(e.carries, t) || !e.Route.Serves(scope, t) {
			continue
		}
		if e.open() {
			return nil
		}
		err = t.Interrupted()
	}
	return err
}

// For returns the network that carries the transaction to the payer. While the
// payer's connection is paused, no other network takes its place: the payer may not
// know the practice there.
func (n *Networks) For(scope billing.Scope, payer billing.PayerID, t network.Transaction) (*ports.Network, error) {
	for _, e := range *n.entries.Load() {
		switch {
		case !slices.Contains(e.carries, t) || !e.Route.Reaches(scope, payer, t):
		case e.open():
			return e.Network, nil
		default:
			return nil, t.Interrupted()
		}
	}
	return nil, t.Unavailable()
}

// Clearinghouses lists the networks that carry claims.
func (n *Networks) Clearinghouses() (all []*ports.Network) {
	for _, e := range *n.entries.Load() {
		if e.open() && slices.Contains(e.carries, network.Claims) {
			all = append(all, e.Network)
		}
	}
	return all
}

func (e *entry) open() bool { return e.link == nil || !e.link.closed.Load() }
