package access

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
)

// used remembers when and from where keys were used last, until Run stores it.
type used struct {
	mu     sync.Mutex
	latest map[billing.KeyID]caller.KeyUsed // by the clock of this process
	stored map[billing.KeyID]caller.KeyUsed
}

func newUsed() *used {
	return &used{latest: map[billing.KeyID]caller.KeyUsed{}, stored: map[billing.KeyID]caller.KeyUsed{}}
}

// storeUsed is how often uses are stored. UsedPrecision bounds how often the row of one
// key is written.
const storeUsed = 5 * time.Second

func (u *used) note(id billing.KeyID, from netip.Addr, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.latest[id] = caller.KeyUsed{Key: id, At: now, From: from.String()}
}

// take returns the uses that are to be stored.
func (u *used) take() (all []caller.KeyUsed) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, now := range u.latest {
		before, ok := u.stored[id]
		if !ok || before.From != now.From || now.At.Sub(before.At) >= caller.UsedPrecision {
			all = append(all, now)
		}
	}
	return all
}

// done forgets uses that were stored, except for what came after them.
func (u *used) done(all []caller.KeyUsed) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.stored) > maxRemembered {
		clear(u.stored)
	}
	for _, one := range all {
		u.stored[one.Key] = one
		if u.latest[one.Key] == one {
			delete(u.latest, one.Key)
		}
	}
}

// Run stores when keys were used, until ctx ends, and then what remains.
func (s *Service) Run(ctx context.Context, log *slog.Logger) error {
	tick := time.NewTicker(storeUsed)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			ended = true
		}
		if err := s.StoreUses(context.WithoutCancel(ctx)); err != nil { // the end of ctx interrupts no transaction
			log.WarnContext(ctx, "the last uses of API keys were not stored", "error", err)
		}
	}
	return nil
}

// StoreUses stores when keys were used last, in one statement for all of them.
func (s *Service) StoreUses(ctx context.Context) error {
	all := s.used.take()
	if len(all) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeUsed)
	defer cancel()
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		ahead := s.clock.Now().Sub(tx.Real.Now().Time)
		at := make([]caller.KeyUsed, len(all))
		for n, one := range all {
			at[n] = caller.KeyUsed{Key: one.Key, At: one.At.Add(-ahead), From: one.From}
		}
		return tx.KeyFinder.Used(ctx, at)
	})
	if err == nil {
		s.used.done(all)
	}
	return err
}
