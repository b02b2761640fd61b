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

// failure is the reason why there was no reply, in words for the endpoint's
// owner. The network error is wrapped with it, for the operator's log.
type failure string

func (f failure) Error() string { return string(f) }

// The failures before a request is sent. Certificate faults have separate errors,
// because the receiver can fix them.
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

// lookup returns the addresses of a host if all of them may be dialed. It looks
// up the name without the resolver's search suffixes.
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
		addrs[i] = a.Unmap() // net.Resolver returns IPv4 addresses in IPv6-mapped form
	}
	return addrs, c.guard.judge(addrs...)
}

// dial connects to a host. It tries the addresses in turn, each with an equal
// share of the time that is left. The look-up is separate from net.Dialer, so
// that the client dials the addresses that it checked.
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

// connect connects to one address. left is the number of addresses to try,
// including this one.
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

// dialTLS connects to a host and verifies its certificate. It adds a deadline,
// because the context from net/http outlives the post and has none.
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
