package pgstore

import (
	"context"
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

const tablesWithoutStatistics = `
SELECT format('%I.%I', schemaname, relname)
FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND n_live_tup >= $1 AND last_analyze IS NULL AND last_autoanalyze IS NULL`

// keepStatistics makes the first statistics of each table, and looks ever more
// rarely for tables that need them, until ctx ends.
func (s *Store) keepStatistics(ctx context.Context) {
	for wait := statisticsFirst; pause(ctx, wait); wait = min(2*wait, statisticsLast) {
		if err := s.firstStatistics(ctx); err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "statistics not made", slog.Any("error", err))
		}
	}
}

// firstStatistics analyzes the tables that have rows and no statistics. It
// works as the login role, which owns the tables; where it may not, autovacuum
// does it in its time.
func (s *Store) firstStatistics(ctx context.Context) error {
	return s.transact(ctx, session{role: roleLogin}, false, func(ctx context.Context, t *tx) error {
		var tables []string
		if err := t.list(ctx, &tables, tablesWithoutStatistics, statisticsRows); err != nil {
			return err
		}
		for _, table := range tables {
			if _, err := t.sql.ExecContext(ctx, "ANALYZE "+table); err != nil {
				return ofStatement(ctx, err)
			}
		}
		return nil
	})
}
