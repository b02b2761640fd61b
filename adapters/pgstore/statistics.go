package pgstore

import (
	"context"
	"database/sql"
	"log/slog"
	"time"
)

// A table that is filled for the first time has no statistics until autovacuum
// runs, a minute later. Until then the planner treats any index that begins
// with the scope like the primary key, and reads the whole scope. So the store
// creates the first statistics early. They end every earlier plan. Checking
// whether a table needs them takes a millisecond.
const (
	statisticsFirst = 2 * time.Second
	statisticsLast  = 8 * time.Second
	statisticsRows  = 200 // with fewer rows, no plan is slow
)

// keepStatistics creates the first statistics of each table. It checks ever
// more rarely for tables that need them, until ctx ends.
func (s *Store) keepStatistics(ctx context.Context) {
	for wait := statisticsFirst; pause(ctx, wait); wait = min(2*wait, statisticsLast) {
		if err := s.firstStatistics(ctx); err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "statistics failed", slog.Any("error", err))
		}
	}
}

// firstStatistics analyzes the tables that have rows and no statistics. It
// calls a function that belongs to their owner.
func (s *Store) firstStatistics(ctx context.Context) error {
	return s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		var nothing sql.NullString
		return t.get(ctx, &nothing, "SELECT first_statistics($1)", statisticsRows)
	})
}
