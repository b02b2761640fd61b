package connections

import (
	"context"
	"maps"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// Run follows the connections until ctx ends: it opens those that were added, closes
// those that were removed or disabled, and stores pauses. It reads them after the store has
// seen a change.
func (s *Service) Run(ctx context.Context) error {
	followed, lost := "", false
	for {
		seen := s.store.Seen()
		if lost || seen.Connections != followed || s.pausesWait() {
			err := s.Follow(ctx)
			if err != nil && !lost && ctx.Err() == nil {
				s.log.WarnContext(ctx, "connections not read; those in use stay", "error", err)
			}
			followed, lost = seen.Connections, err != nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-seen.Next:
		}
	}
}

// Follow stores the pauses that are not stored yet, and uses the connections as they
// are now.
func (s *Service) Follow(ctx context.Context) error {
	s.following.Lock()
	defer s.following.Unlock()
	if err := s.storePauses(ctx); err != nil {
		return err
	}
	var all []*network.Connection
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		all, err = tx.Connections.List(ctx)
		return err
	})
	revisions := map[billing.ConnectionID]int{}
	for _, c := range all {
		revisions[c.ID] = c.Revision
	}
	if err != nil || !s.changed(revisions) {
		return err
	}
	s.connector.Replace(all)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open, s.inUse = revisions, all
	maps.DeleteFunc(s.outages, func(id billing.ConnectionID, _ *outage) bool { _, ok := revisions[id]; return !ok })
	s.log.InfoContext(ctx, "connections in use", "connections", len(all))
	return nil
}

func (s *Service) changed(revisions map[billing.ConnectionID]int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !maps.Equal(revisions, s.open)
}

// Connections returns the connections as this process uses them.
func (s *Service) Connections() []*network.Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inUse
}
