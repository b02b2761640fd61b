package pgstore

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics returns the collectors of the connections: how many are in use, by
// transactions of a scope and by others, and how many transactions wait.
func (s *Store) Metrics() []prometheus.Collector {
	return []prometheus.Collector{
		collectors.NewDBStatsCollector(s.scoped.DB, "molar"),
		collectors.NewDBStatsCollector(s.system.DB, "molar_system"),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "molar_database_waiting", Help: "Transactions that wait for their turn at the database.",
		}, func() float64 { return float64(s.turns.length()) }),
	}
}
