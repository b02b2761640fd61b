package pgstore

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics collects the figures of the connection pool: how many connections
// are in use, and how long transactions waited for one.
func (s *Store) Metrics() prometheus.Collector {
	return collectors.NewDBStatsCollector(s.db.DB, "molar")
}
