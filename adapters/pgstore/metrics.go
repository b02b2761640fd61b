package pgstore

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics returns the collectors for connections in use and waiting transactions. They
// count transactions of a scope separately from all others.
func (s *Store) Metrics() []prometheus.Collector {
	return []prometheus.Collector{
		collectors.NewDBStatsCollector(s.scoped.DB, "molar"),
		collectors.NewDBStatsCollector(s.system.DB, "molar_system"),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "molar_database_waiting", Help: "Transactions that wait for their turn at the database.",
		}, func() float64 { return float64(s.turns.length()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "molar_events_held_back_seconds", Help: "How long the oldest transaction of the cluster has been seen, for which GET /events?order=asc waits.",
		}, func() float64 {
			if seen := s.seen.Load(); seen != nil {
				return seen.oldest.held().Seconds()
			}
			return 0
		}),
	}
}
