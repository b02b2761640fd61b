package webhookhttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// failure is why there was no reply, in words for the endpoint's owner. The
// network's own error is wrapped with it, for the operator's log.
type failure string

func (f failure) Error() string { return string(f) }

// What can go wrong before a request is sent. Faults of certificates have errors
// of their own, because the receiver can fix them.
const (
	errNotResolved  failure = "the name could not be resolved"
	errNotAllowed   failure = "the address is not allowed"
	errNotConnected failure = "the connection failed"
	errHandshake    failure = "the TLS handshake failed"
	errNotTLS       failure = "the TLS handshake failed: the receiver does not speak TLS"
	errWrongName    failure = "the TLS handshake failed: the certificate is for another name"
	errExpired      failure = "the TLS handshake failed: the certificate has expired, or is not valid yet"
	errUnknownCA    failure = "the TLS handshake failed: the certificate is not signed by a known authority"
	errInvalidCert  failure = "the TLS handshake failed: the certificate is not valid"
)

// lookup returns the addresses of a host if all of them may be dialed. It asks
// for the name as it is, without the search suffixes of the resolver.
func (c *Client) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	found, err := c.resolver.LookupNetIP(ctx, "ip", host+".")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotResolved, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: %w", errNotResolved, &net.DNSError{Err: "no address", Name: host, IsNotFound: true})
	}
	addrs := make([]netip.Addr, len(found))
	for i, a := range found {
		addrs[i] = a.Unmap() // net.Resolver writes IPv4 addresses as mapped ones
	}
	return addrs, c.guard.judge(addrs...)
}

// dial connects to a host: to its addresses in turn, each for its share of the
// time that ctx leaves. It does not leave the look-up to net.Dialer, so that the
// addresses that were checked are the ones that are dialed.
func (c *Client) dial(ctx context.Context, host, port string) (net.Conn, error) {
	if to, fixed := c.rules.resolve[host]; fixed {
		return c.connect(ctx, &c.direct, 1, to)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotAllowed, err)
	}
	addrs, err := c.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	for i, a := range addrs {
		var conn net.Conn
		if conn, err = c.connect(ctx, &c.dialer, len(addrs)-i, netip.AddrPortFrom(a, uint16(n))); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// connect connects to one of the addresses that are left to try.
func (c *Client) connect(ctx context.Context, d *net.Dialer, left int, to netip.AddrPort) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok && left > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}
	conn, err := d.DialContext(ctx, "tcp", to.String())
	if err != nil && !errors.Is(err, errNotAllowed) {
		err = fmt.Errorf("%w: %w", errNotConnected, err)
	}
	return conn, err
}

// dialTLS connects to a host and verifies its certificate. The context that
// net/http passes outlives the post and has no deadline.
func (c *Client) dialTLS(ctx context.Context, _, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeouts.Attempt)
	defer cancel()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotAllowed, err)
	}
	plain, err := c.dial(ctx, host, port)
	if err != nil {
		return nil, err
	}
	config := c.tls.Clone()
	config.ServerName = host
	conn := tls.Client(plain, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = plain.Close() // nothing was sent
		return nil, fmt.Errorf("%w: %w", handshakeFailure(err), err)
	}
	return conn, nil
}

func handshakeFailure(err error) failure {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return errNotTLS
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok {
		return errHandshake
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return errWrongName
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return errUnknownCA
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return errExpired
	}
	return errInvalidCert
}
