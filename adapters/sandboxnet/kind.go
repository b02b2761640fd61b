package sandboxnet

import (
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// Kind is the kind of connections to the sandbox's payers, each for one organization. Open
// returns the networks of a connection, with a mailbox of its own.
func Kind(open func(c *network.Connection) []*ports.Network) ports.ConnectionKind {
	return ports.ConnectionKind{Kind: network.Kind{
		Name: Name, Carries: []network.Transaction{network.Eligibility, network.Claims, network.ClaimStatus},
		OwnOrg: "A connection to the sandbox serves one organization. Name it: no payer sees what this organization then sends.",
		About: "A connection of the kind sandbox serves one organization: it rehearses live mode before there is a contract with a clearinghouse.\n" +
			"The sandbox responds, and no payer sees what the organization sends.",
		Added: "The sandbox responds to everything that this organization sends here. No payer sees it.",
	}, Open: func(c *network.Connection) (*ports.Network, error) {
		n := &ports.Network{}
		for _, part := range open(c) {
			if part.Eligibility != nil && c.Carried(network.Eligibility) {
				n.Envelope, n.Eligibility = part.Envelope, part.Eligibility
			}
			if part.ClaimStatus != nil && c.Carried(network.ClaimStatus) {
				n.ClaimStatus = part.ClaimStatus
				if n.Envelope == (network.Envelope{}) {
					n.Envelope = part.Envelope
				}
			}
			if part.Claims != nil && c.Carried(network.Claims) {
				n.Envelope, n.Claims, n.Replies, n.Poll = part.Envelope, part.Claims, part.Replies, part.Poll
			}
		}
		return n, nil
	}}
}
