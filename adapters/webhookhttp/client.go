// Package webhookhttp is the HTTP client that posts webhooks to addresses that
// customers choose. It never posts into the operator's own network.
//
// Three checks prevent that. The rules for a URL allow only one reading of it.
// Before a post, the client looks up the host's addresses, and all of them must
// be public. Before each connection, it checks the address that it dials, so a
// later change in DNS has no effect.
//
// The client follows no redirects. It ignores the environment's proxy, because
// a proxy would hide the address.
package webhookhttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// Options configures a Client. Version and Log are required.
type Options struct {
	Version string // the last part of the User-Agent
	Log     *slog.Logger

	// AllowCIDRs are addresses that may be dialed although they are not public.
	// The operator lists them for receivers in a private network.
	AllowCIDRs []netip.Prefix

	// Resolve maps hosts to fixed addresses, for Check and Post. The client
	// does not look up such a host, or check its address and port. Use it to
	// test a receiver on the developer's own machine.
	Resolve map[string]netip.AddrPort

	// RootCAs sign the certificates that the client trusts; nil means the
	// system's. To add to the system's, start with x509.SystemCertPool.
	RootCAs *x509.CertPool

	// Resolver looks up hosts; nil means Go's own. Go's resolver does not read
	// a number such as 127.1 as an address.
	Resolver Resolver

	Timeouts Timeouts
}

// Resolver looks up the addresses of a host, like net.Resolver.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Timeouts are the limits on how long a receiver can keep the client waiting. A
// zero timeout has its default.
type Timeouts struct {
	Lookup  time.Duration // for the look-up of a host by Check; 3 s
	Attempt time.Duration // for a whole Post, from the look-up to the reply; 15 s
	Idle    time.Duration // for an idle connection; 30 s
}

func (t Timeouts) withDefaults() Timeouts {
	for _, each := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&t.Lookup, 3 * time.Second},
		{&t.Attempt, 15 * time.Second},
		{&t.Idle, 30 * time.Second},
	} {
		if *each.value == 0 {
			*each.value = each.usual
		}
	}
	return t
}

// The limits of what a receiver can make the client hold.
const (
	maxHeader      = 16 << 10
	maxBody        = 64 << 10
	maxIdlePerHost = 32  // more than the posts to one endpoint at once
	maxIdle        = 512 // of all hosts
	maxSessions    = 512 // TLS sessions; a resumed session saves most of a handshake
)

// Client posts webhooks. It is safe for concurrent use.
type Client struct {
	rules     *rules
	guard     *guard
	resolver  Resolver
	timeouts  Timeouts
	dialer    net.Dialer // checks each address
	direct    net.Dialer // only for Options.Resolve
	tls       *tls.Config
	transport *http.Transport
	starts    sync.Pool // *[webhook.MaxResponse]byte for the start of a reply
	userAgent string
	log       *slog.Logger
}

// New returns a Client. The error names the option that cannot be used.
func New(o Options) (*Client, error) {
	if o.Log == nil || o.Version == "" {
		return nil, errors.New("webhookhttp: Version and Log are required")
	}
	r, err := newRules(o.Resolve)
	if err != nil {
		return nil, err
	}
	g, err := newGuard(o.AllowCIDRs)
	if err != nil {
		return nil, err
	}
	c := &Client{
		rules: r, guard: g, resolver: o.Resolver, timeouts: o.Timeouts.withDefaults(),
		dialer: net.Dialer{ControlContext: g.control},
		tls: &tls.Config{
			MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs, ClientSessionCache: tls.NewLRUClientSessionCache(maxSessions),
		},
		starts:    sync.Pool{New: func() any { return new([webhook.MaxResponse]byte) }},
		userAgent: "Molar-Webhooks/" + o.Version,
		log:       o.Log,
	}
	if c.resolver == nil {
		c.resolver = &net.Resolver{PreferGo: true}
	}
	c.transport = c.newTransport()
	if len(o.AllowCIDRs) > 0 {
		o.Log.Warn("webhooks may be posted to addresses that are not public", "cidrs", o.AllowCIDRs)
	}
	for host, to := range o.Resolve {
		o.Log.Warn("webhooks to a host go to a fixed address, unguarded", "host", host, "address", to)
	}
	return c, nil
}

// newTransport returns a transport that speaks only HTTP/1.1. With HTTP/2, a
// post costs more processor time here (see BenchmarkPost). One stalled
// connection stalls every post to the host, and receivers have many more ways
// to keep a client busy.
func (c *Client) newTransport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // not even the environment's
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return nil, errPlain },
		DialTLSContext:         c.dialTLS,
		Protocols:              &protocols,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        c.timeouts.Idle,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
	}
}

// errPlain is returned for a connection without TLS, which this client never
// makes.
var errPlain = errors.New("webhookhttp: a connection without TLS")

// Close closes the idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Check checks whether a URL may be called: its form and the current addresses
// of its host, which must all be public.
//
// The error is CodeInvalidRequest about the field "url", CodeUnavailable if the
// look-up finds no address, or the error of ctx. A missing name counts as
// unavailable, because it may be published in a moment.
func (c *Client) Check(ctx context.Context, url string) error {
	to, faults := c.rules.read(url)
	if len(faults) > 0 {
		return faults.Err()
	}
	if _, fixed := c.rules.resolve[to.host]; fixed {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, c.timeouts.Lookup)
	defer cancel()
	_, err := c.lookup(bounded, to.host)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errNotResolved):
		return &billing.Error{
			Code: billing.CodeUnavailable, Cause: err,
			Message: "The URL's host could not be looked up in DNS now. Check that its name is right and published, and send the request again later.",
		}
	default:
		return fault(billing.FaultNotAllowed, "The host must have public addresses, and no others.").Err()
	}
}
