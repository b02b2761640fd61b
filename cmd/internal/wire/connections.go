package wire

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/ports"
)

// openConnections opens the networks: the sandbox, and the operator's connections.
func (g *graph) openConnections() {
	g.networks = routing.New(sandboxnet.Networks(g.over(), g.store.Clock(), g.store.SandboxMail(), g.sandbox())...)
	g.connections = connections.New(audit.Operated{Store: g.store}, g.payers, connectionMetrics(g), g.log)
	connector := routing.NewConnector(g.networks, g.openers(), g.connections.Observe, g.log)
	g.connections.Use(connector)
	g.networks.FollowWith(g.connections.Follow)
	g.closers = append(g.closers, func(context.Context) error {
		connector.Close()
		return nil
	})
}

// openers open each kind of connection.
func (g *graph) openers() map[string]routing.Opener {
	return map[string]routing.Opener{
		"sandbox": g.openSandbox,
		"sftp":    openSFTP,
		"core":    func(c *network.Connection) (*ports.Network, error) { return openCORE(c, g.over()) },
	}
}

// over asks payers in X12.
func (g *graph) over() func(ports.Inquire) ports.Eligibility { return edi.NewLogging(g.log).Over }

func (g *graph) sandbox() sandboxnet.Options {
	return sandboxnet.Options{ERADelay: g.settings.ERADelay}
}

// openSandbox opens the sandbox's payers for the organization of a connection.
func (g *graph) openSandbox(c *network.Connection) (*ports.Network, error) {
	n := &ports.Network{}
	for _, part := range sandboxnet.Networks(g.over(), g.store.Clock(), g.store.SandboxMailOf(c.Network()), g.sandbox()) {
		if part.Eligibility != nil && c.Carried(network.Eligibility) {
			n.Envelope, n.Eligibility = part.Envelope, part.Eligibility
		}
		if part.Claims != nil && c.Carried(network.Claims) {
			n.Envelope, n.Claims, n.Replies, n.Poll = part.Envelope, part.Claims, part.Replies, part.Poll
		}
	}
	return n, nil
}

// openSFTP opens a connection over SFTP.
func openSFTP(c *network.Connection) (*ports.Network, error) {
	s, o := c.Settings.SFTP, &c.Settings.Options
	test := billing.NewBatch(billing.Scope{Mode: c.Mode}, c.Network(), 0, 0, time.Now())
	house, err := sftpnet.New(sftpnet.Config{
		Addr: s.Addr, User: s.User, Password: []byte(c.Secrets.Password), Key: c.Secrets.Key, HostKey: s.HostKey,
		AllowPrivate: c.Settings.AllowPrivate, Outbox: s.Outbox, Inbox: s.Inbox, Archive: s.Archive,
		After: sftpnet.After(o.AfterReceipt), Direct: o.DirectUpload, TempPrefix: o.TempPrefix, TempFolder: o.TempFolder,
		TestName: o.FileName(test, &c.Settings.Envelope, test.CreatedAt),
	})
	if err != nil {
		return nil, err
	}
	return &ports.Network{Claims: house, Inbox: house, Peer: house}, nil
}

// openCORE opens a connection over CAQH CORE.
func openCORE(c *network.Connection, over func(ports.Inquire) ports.Eligibility) (*ports.Network, error) {
	s, o := c.Settings.CORE, c.Settings.Options
	config := corenet.Config{
		URL: s.URL, Envelope: s.Envelope, SenderID: c.Settings.Envelope.Sender.ID, ReceiverID: c.Settings.Envelope.Receiver.ID,
		User: s.User, Password: []byte(c.Secrets.Password), Cert: s.Cert, CertKey: c.Secrets.CertKey, CA: s.CA,
		AllowPrivate: c.Settings.AllowPrivate,
		PayloadType:  o.PayloadType, TextXML: o.TextXML, ActionHeader: o.ActionHeader,
		PayloadIDByExchange: o.PayloadIDByExchange, ReferenceByExchange: o.ReferenceByExchange, TraceByExchange: o.TraceByExchange,
	}
	if s.TestMember != nil {
		config.Test = func(ctx context.Context, carry ports.Inquire) error {
			_, _, err := over(carry).Ask(ctx, testInquiry(c))
			return err
		}
	}
	e, err := corenet.New(config)
	if err != nil {
		return nil, err
	}
	return &ports.Network{Eligibility: over(e.Inquire), Peer: e}, nil
}

// testInquiry returns a new question about the test member of a connection, of one 270.
func testInquiry(c *network.Connection) network.Inquiry {
	m, now, route, o := c.Settings.CORE.TestMember, time.Now(), c.Route(), c.Settings.Options
	if len(o.ServiceTypes) > 1 && !o.TypesTogether {
		o.ServiceTypes = o.ServiceTypes[:1]
	}
	payer := m.Payer
	payer.PayerID = route.PayerID(payer, network.Eligibility)
	return network.Inquiry{
		Scope: billing.Scope{Org: c.Org, Mode: c.Mode}, CheckID: billing.NewID[billing.CheckID](now), Attempt: network.NewAttempt(), CreatedAt: now,
		Clock: network.ClockAt(now), Envelope: c.Settings.Envelope, Options: o, Payer: payer,
		Inquiry: billing.Inquiry{
			Subscriber:  billing.Subscriber{FirstName: m.FirstName, LastName: m.LastName, DateOfBirth: m.DateOfBirth, MemberID: m.MemberID},
			ServiceDate: billing.DateOf(now), DetailLevel: billing.DetailStandard,
			Office: billing.InquiringOffice{Name: m.Practice, NPI: m.NPI},
		},
	}
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

// openNetworks opens connections for administration.
func openNetworks(needed ...string) func(ctx context.Context) (*connections.Service, func() error, error) {
	return func(ctx context.Context) (*connections.Service, func() error, error) {
		g, err := administration(needed...)
		if err != nil {
			return nil, nil, err
		}
		if err := openExisting(ctx, g); err != nil {
			return nil, nil, errors.Join(err, g.close(context.WithoutCancel(ctx)))
		}
		g.metrics = prometheus.NewRegistry()
		g.openConnections()
		return g.connections, func() error { return g.close(context.WithoutCancel(ctx)) }, nil
	}
}
