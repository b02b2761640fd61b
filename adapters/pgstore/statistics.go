package pgstore

import (
	"context"
	"database/sql"
	"log/slog"
	"time"
)

// A table that is filling up for the first time has no statistics, and until
// autovacuum comes by, a minute later, the planner takes any index that begins
// with the scope for as good as the primary key, and reads all of the scope.
// So the first statistics are made early. They end every plan made before. To
// look whether a table needs them takes a millisecond.
const (
	statisticsFirst = 2 * time.Second
	statisticsLast  = 8 * time.Second
	statisticsRows  = 200 // before that, no plan is slow
)

// keepStatistics makes the first statistics of each table, and looks ever more
// rarely for tables that need them, until ctx ends.
func (s *Store) keepStatistics(ctx context.Context) {
	for wait := statisticsFirst; pause(ctx, wait); wait = min(2*wait, statisticsLast) {
		if err := s.firstStatistics(ctx); err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "statistics not made", slog.Any("error", err))
		}
	}
}

// firstStatistics analyzes the tables that have rows and no statistics, which a
// function does that belongs to their owner.
func (s *Store) firstStatistics(ctx context.Context) error {
	return s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		var nothing sql.NullString
		return t.get(ctx, &nothing, "SELECT first_statistics($1)", statisticsRows)
	})
}
