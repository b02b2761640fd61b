package wire

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/ports"
)

// openConnections opens the networks: the sandbox, and the operator's connections.
func (g *graph) openConnections() {
	kinds := g.kinds()
	g.networks = routing.New(sandboxnet.Networks(g.over(), g.store.Clock(), g.store.SandboxMail(), g.sandbox())...)
	g.connections = connections.New(audit.Operated{Store: g.store}, described(kinds), g.payers, connectionMetrics(g), g.log)
	connector := routing.NewConnector(g.networks, kinds, g.connections.Observe, g.log)
	g.connections.Use(connector)
	g.networks.FollowWith(g.connections.Follow)
	g.closers = append(g.closers, func(context.Context) error {
		connector.Close()
		return nil
	})
}

// kinds are the kinds of connections.
func (g *graph) kinds() []ports.ConnectionKind {
	return append([]ports.ConnectionKind{
		sandboxnet.Kind(g.sandboxOf),
		sftpnet.Kind(),
		corenet.Kind(g.over(), g.about()),
	}, g.settings.kinds...)
}

// sandboxOf opens the sandbox's payers for a connection.
func (g *graph) sandboxOf(c *network.Connection) []*ports.Network {
	return sandboxnet.Networks(g.over(), g.store.Clock(), g.store.SandboxMailOf(c.Network()), g.sandbox())
}

// described are the kinds without what opens connections.
func described(kinds []ports.ConnectionKind) (all network.Kinds) {
	for _, k := range kinds {
		all = append(all, k.Kind)
	}
	return all
}

// over asks payers in X12.
func (g *graph) over() func(ports.Inquire) ports.Eligibility { return edi.NewLogging(g.log).Over }

// about asks payers about claims in X12.
func (g *graph) about() func(ports.Inquire) ports.ClaimStatus {
	return edi.NewLogging(g.log).StatusOver
}

func (g *graph) sandbox() sandboxnet.Options {
	return sandboxnet.Options{ERADelay: g.settings.ERADelay, Own: g.store.OwnScenario, Sent: g.store.SentClaim, StatusOver: g.about()}
}

// connectionMetrics counts the failures of connections, and shows which are paused.
func connectionMetrics(g *graph) func(string, network.Reason) {
	failures := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "molar_connection_failures_total", Help: "Failed calls of connections to networks of payers, by reason.",
	}, []string{"connection", "reason"})
	g.metrics.MustRegister(failures, &connectionCollector{
		graph: g,
		state: prometheus.NewDesc("molar_connection_state", "1 for the state of each connection: enabled, disabled or paused.", []string{"connection", "state"}, nil),
	})
	return func(name string, reason network.Reason) { failures.WithLabelValues(name, string(reason)).Inc() }
}

// connectionCollector shows the connections as this process uses them.
type connectionCollector struct {
	graph *graph
	state *prometheus.Desc
}

// Describe sends the description of the metric.
func (c *connectionCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.state }

// Collect sends the state of each connection.
func (c *connectionCollector) Collect(ch chan<- prometheus.Metric) {
	for _, one := range c.graph.connections.Connections() {
		ch <- prometheus.MustNewConstMetric(c.state, prometheus.GaugeValue, 1, one.Name, string(one.State()))
	}
}

// administeredConnections returns the connections for administration.
func (g *graph) administeredConnections() *connections.Service {
	g.metrics = prometheus.NewRegistry()
	g.openConnections()
	return g.connections
}
