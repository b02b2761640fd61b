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
// needs them takes a millisecond.
const (
	statisticsFirst = 2 * time.Second
	statisticsLast  = 8 * time.Second
	statisticsRows  = 200 // with fewer rows, no plan is slow
)

// keepStatistics creates the first statistics of each table until ctx ends. It checks
// at increasing intervals.
func (s *Store) keepStatistics(ctx context.Context) {
	for wait := statisticsFirst; pause(ctx, wait); wait = min(2*wait, statisticsLast) {
		if err := s.firstStatistics(ctx); err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "statistics failed", slog.Any("error", err))
		}
	}
}

// firstStatistics analyzes the tables that have rows but no statistics. It calls a
// function with the rights of the tables' owner.
func (s *Store) firstStatistics(ctx context.Context) error {
	return s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		var nothing sql.NullString
		return t.get(ctx, &nothing, "SELECT first_statistics($1)", statisticsRows)
	})
}
