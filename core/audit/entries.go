package audit

import (
	"context"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// storeTime bounds how long the writes of a transaction of the audit take.
const storeTime = 10 * time.Second

// Store stores an entry of the audit, and returns when the database has it. Entries
// that arrive while others are written share the next transaction. The entry of a
// write may be in the database already, stored in the commit of the write.
func (s *Service) Store(e *caller.AuditEntry) error { return <-s.audit.add(e) }

// Note stores an entry like Store, and waits for nothing.
func (s *Service) Note(e *caller.AuditEntry) { s.audit.add(e) }

func (s *Service) insertEntries(entries []*caller.AuditEntry) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTime) //nolint:forbidigo // the entries belong to many requests
	defer cancel()
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.AuditLog.Insert(ctx, entries) })
	if err != nil {
		s.log.ErrorContext(ctx, "the audit was not written", "entries", len(entries), "error", err)
	}
	return err
}

// group writes entries together: those that arrive during a write are the next one.
type group struct {
	write func([]*caller.AuditEntry) error

	mu      sync.Mutex
	entries []*caller.AuditEntry
	results []chan error  // of the entries
	done    chan struct{} // closed when the current run of writes ends; nil without one
}

// add adds an entry to the next write, whose result the channel gets.
func (g *group) add(e *caller.AuditEntry) <-chan error {
	result := make(chan error, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.entries, g.results = append(g.entries, e), append(g.results, result)
	if g.done == nil {
		g.done = make(chan struct{})
		go g.run()
	}
	return result
}

// run writes until there is no entry.
func (g *group) run() {
	for {
		g.mu.Lock()
		n := min(len(g.entries), batch)
		entries, results := g.entries[:n:n], g.results[:n:n]
		g.entries, g.results = g.entries[n:], g.results[n:]
		if n == 0 {
			close(g.done)
			g.done = nil
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		err := g.write(entries)
		for _, r := range results {
			r <- err
		}
	}
}

// wait waits for the entries that were added.
func (g *group) wait() {
	g.mu.Lock()
	done := g.done
	g.mu.Unlock()
	if done != nil {
		<-done
	}
}

// ForgetEntries deletes old entries of the audit, a limited number in one transaction,
// and returns how many.
func (s *Service) ForgetEntries(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.AuditLog.Forget(ctx, tx.Real.Now().Add(-s.keep))
	})
}

// ListOperators reads a page of what operators did, newest first, in one organization or,
// for the zero ID, in all and in none, and the start of the next page: nil after the last.
func (s *Service) ListOperators(
	ctx context.Context, org billing.OrgID, f caller.AuditFilter, p billing.Page,
) (page []*caller.AuditEntry, next *billing.Position, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		page, err = tx.AuditLog.Operators(ctx, org, f, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, (*caller.AuditEntry).Position)
	return page, next, err
}

// ListEntries reads a page of the organization's audit, newest first, and the start of
// the next page: nil after the last.
func (s *Service) ListEntries(
	ctx context.Context, scope billing.Scope, f caller.AuditFilter, p billing.Page,
) ([]*caller.AuditEntry, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*caller.AuditEntry, error) {
		return tx.Audit.List(ctx, f, p)
	})
}
