// Package webhookhttp is the HTTP client that posts webhooks to addresses that
// customers choose, and never into the operator's own network.
//
// Three checks prevent that. The rules for a URL allow only one reading of it.
// The host's addresses are looked up here, and all of them must be public. Every
// connection is checked again when it is made, by the address that is dialed: a
// DNS reply that changes in between has no effect. No redirect is followed, and
// no proxy of the environment is used, because it would hide the address.
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
)

// Options says how to post. Version and Log are required.
type Options struct {
	Version string // the last part of the User-Agent
	Log     *slog.Logger

	// AllowCIDRs are addresses that may be dialed although they are not public:
	// the operator lists them for receivers in a private network.
	AllowCIDRs []netip.Prefix

	// Resolve replaces, for the hosts that it names, the look-up and the checks
	// of address and port, in Check and in Post. It is for testing a receiver on
	// the developer's own machine.
	Resolve map[string]netip.AddrPort

	// RootCAs sign the certificates that are trusted; nil for the system's. To
	// add to the system's, start with x509.SystemCertPool.
	RootCAs *x509.CertPool

	// Resolver looks hosts up; nil for Go's own, which does not read a number
	// such as 127.1 as an address.
	Resolver Resolver

	Timeouts Timeouts
}

// Resolver looks up the addresses of a host, like net.Resolver.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Timeouts bound how long a receiver can keep this side waiting. A zero one has
// its default.
type Timeouts struct {
	Lookup  time.Duration // of a host, by Check; 3 s
	Attempt time.Duration // all of a Post, from the look-up to the reply; 15 s
	Idle    time.Duration // how long a connection waits for its next use; 30 s
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

// The bounds of what a receiver can make this side hold.
const (
	maxHeader      = 16 << 10
	maxBody        = 64 << 10
	maxIdlePerHost = 32  // more than are posted to one endpoint at once
	maxIdle        = 512 // of all hosts
	maxSessions    = 512 // of TLS; a kept session saves most of a handshake
)

// Client posts webhooks. It is safe for concurrent use.
type Client struct {
	rules     *rules
	guard     *guard
	resolver  Resolver
	timeouts  Timeouts
	dialer    net.Dialer // guarded
	direct    net.Dialer // for Options.Resolve alone
	tls       *tls.Config
	transport *http.Transport
	starts    sync.Pool // *[billing.MaxResponse]byte for the start of a reply
	userAgent string
	log       *slog.Logger
}

// New makes a Client. The error says which option cannot be used.
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
		starts:    sync.Pool{New: func() any { return new([billing.MaxResponse]byte) }},
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

// newTransport makes the transport. It speaks only HTTP/1.1: with HTTP/2 a post
// costs more processor time here (see BenchmarkPost), one stalled connection
// stalls every post to the host, and there are many more ways to keep a client
// busy.
func (c *Client) newTransport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // even if the environment names one
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

// errPlain is the error of a connection without TLS, which this client never
// makes.
var errPlain = errors.New("webhookhttp: a connection without TLS")

// Close closes the idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Check checks whether a URL may be called: its form, and the addresses that its
// host has now, which must all be public. The error is CodeInvalidRequest about
// the field "url", CodeUnavailable when the look-up finds no address, or that of
// ctx. A name that does not exist yet may be published in a moment, so it counts
// as a name server that does not respond.
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
