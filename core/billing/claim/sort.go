package claim

import "github.com/molar-billing/molar/core/billing"

// Sort is what a list of claims is ordered by. Claims that are equal in it stand by creation.
type Sort string

// The orders of a list of claims.
const (
	SortCreated Sort = "created"
	SortService Sort = "service_date" // the first service; a draft without one is the oldest
	SortCharge  Sort = "charge"
	SortOpen    Sort = "open" // see Claim.Open
)

// PositionBy returns the place of the claim in a list of that order.
func (c *Claim) PositionBy(s Sort) billing.Position {
	p := c.Position()
	switch s {
	case SortCreated:
	case SortService:
		p.Order[0] = c.ServiceDates().From.Time().Unix()
	case SortCharge:
		p.Order[0] = int64(c.Charge())
	case SortOpen:
		p.Order[0] = int64(c.Open())
	}
	return p
}
