package fee

import (
	"cmp"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/limit"
)

// Limits returns what the contracts in force on a day say of limits. Of several, the narrowest that
// has the limit counts.
func (q Question) Limits(among []*Schedule, on billing.Date) (t limit.Terms) {
	latest := map[aim]*Schedule{}
	for _, s := range among {
		if s.Kind == Allowed && q.concerns(s) && s.begun(on) && later(s, latest[s.aims()]) {
			latest[s.aims()] = s
		}
	}
	inForce := make([]*Schedule, 0, len(latest))
	for _, s := range latest {
		inForce = append(inForce, s)
	}
	slices.SortFunc(inForce, func(a, b *Schedule) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, s := range inForce {
		t.Filing = cmp.Or(t.Filing, s.Limits.Filing)
		t.Secondary = cmp.Or(t.Secondary, s.Limits.Secondary)
		t.Appeal = cmp.Or(t.Appeal, s.Limits.Appeal)
	}
	return t
}

// concerns reports whether the schedule is for the office, the payer and the network.
func (q Question) concerns(s *Schedule) bool {
	return (s.OfficeID.IsZero() || s.OfficeID == q.OfficeID) && (s.Payer.ID.IsZero() || s.Payer.ID == q.PayerID) && (s.Network == "" || s.Network == q.Network)
}
