package pgstore

import (
	"context"
	"database/sql"
	"log/slog"
	"time"
)

// A newly filled table has no statistics until autovacuum runs, a minute later. Until
// then, to the planner every index that begins with the scope looks like the primary
// key, so it reads the whole scope. The store therefore creates the first
// statistics early, which invalidates all earlier plans. Checking whether a table
// needs them takes a millisecond, so one process of the fleet checks for all.
const (
	statisticsFirst = 2 * time.Second
	statisticsLast  = 4 * time.Second
	statisticsRows  = 200 // with fewer rows, no plan is slow

	statisticsLease   = 10 * time.Second // of the process that checks; after it was killed, autovacuum is still slower
	statisticsRenewal = time.Second      // less than any wait: each check renews the lease
)

// keepStatistics creates the first statistics of each table until ctx ends, if that is the
// duty of this process. It checks at increasing intervals.
func (s *Store) keepStatistics(ctx context.Context) {
	for wait := statisticsFirst; pause(ctx, wait); wait = min(2*wait, statisticsLast) {
		if s.statisticsOfOthers() {
			continue
		}
		if err := s.firstStatistics(ctx); err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "statistics failed", slog.Any("error", err))
		}
	}
}

// statisticsOfOthers reports whether the last look saw that another process checks.
func (s *Store) statisticsOfOthers() bool {
	s.checking.Lock()
	defer s.checking.Unlock()
	s.statistics.See(s.Seen().Turns)
	return s.statistics.Others() > 0
}

// firstStatistics analyzes the tables that have rows but no statistics, unless another
// process checks them. It calls a function with the rights of the tables' owner.
func (s *Store) firstStatistics(ctx context.Context) error {
	s.checking.Lock()
	defer s.checking.Unlock()
	return s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		if others, err := s.statistics.Take(ctx, taken{t}.Take); err != nil || others > 0 {
			return err
		}
		var nothing sql.NullString
		return t.get(ctx, &nothing, "SELECT first_statistics($1)", statisticsRows)
	})
}

// leaveStatistics lets another process check at once. A duty that cannot be left ends with
// its lease.
func (s *Store) leaveStatistics(ctx context.Context) {
	s.checking.Lock()
	defer s.checking.Unlock()
	if !s.statistics.Mine() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	_ = s.attempt(ctx, &tx{store: s}, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		return taken{t}.Leave(ctx, s.statistics.Name, s.statistics.Holder)
	})
}
