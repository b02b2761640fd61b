// Package publicaddr decides which network addresses the service may dial. A
// name that a stranger chose must not lead into the operator's own network.
//
// An address is public if no IANA registry reserves it for special use. In IPv6,
// only global unicast addresses are public. That excludes every IPv6 address that
// embeds an IPv4 address.
package publicaddr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

// ErrNotPublic is the error for an address that may not be dialed.
var ErrNotPublic = errors.New("the address is not public")

// Guard checks addresses. It is safe for concurrent use.
type Guard struct {
	public *ssrf.Guardian
	allow  []netip.Prefix
	own    func() ([]net.Addr, error) // the addresses of the machine's interfaces
}

// New returns a Guard. It also accepts the addresses in allow, which the operator
// lists for peers in a private network.
func New(allow ...netip.Prefix) (*Guard, error) {
	for _, p := range allow {
		if !p.IsValid() || p.Addr().Is4In6() {
			return nil, fmt.Errorf("%s cannot be allowed: use an IPv4 or IPv6 prefix that is not IPv4-mapped", p)
		}
	}
	g := &Guard{
		public: ssrf.New(
			ssrf.WithAnyPort(),
			// Azure serves credentials to its machines at this public address.
			ssrf.WithDeniedV4Prefixes(netip.PrefixFrom(netip.AddrFrom4([4]byte{168, 63, 129, 16}), 32)),
		),
		allow: slices.Clone(allow),
		own:   net.InterfaceAddrs,
	}
	_, err := g.interfaces()
	return g, err
}

// Everywhere is all addresses, for a peer that the operator allows to be anywhere.
func Everywhere() []netip.Prefix {
	return []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0)}
}

// Judge returns nil if all of the addresses may be dialed, and otherwise an error
// that wraps ErrNotPublic. It refuses IPv4-mapped IPv6 addresses; the caller passes
// the IPv4 address instead.
func (g *Guard) Judge(addrs ...netip.Addr) error {
	own, err := g.interfaces()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotPublic, err)
	}
	for _, a := range addrs {
		if a.Zone() != "" || !a.IsValid() || a.Is4In6() {
			return fmt.Errorf("%w: %s", ErrNotPublic, a)
		}
		if slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(a) }) {
			continue
		}
		if err := g.public.SafeAddr(a); err != nil {
			return fmt.Errorf("%w: %w", ErrNotPublic, err)
		}
		// The machine's own public address would bypass the firewall.
		if slices.Contains(own, a) {
			return fmt.Errorf("%w: %s is the machine's own", ErrNotPublic, a)
		}
	}
	return nil
}

// interfaces returns the current addresses of the machine.
func (g *Guard) interfaces() (own []netip.Addr, err error) {
	addrs, err := g.own()
	if err != nil {
		return nil, fmt.Errorf("the machine's own addresses: %w", err)
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok {
				own = append(own, ip.Unmap())
			}
		}
	}
	return own, nil
}

// Control is a net.Dialer's ControlContext. It checks the address that the dialer is
// about to connect to, so a later change in DNS has no effect.
func (g *Guard) Control(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNotPublic, err)
	case network != "tcp4" && network != "tcp6":
		return fmt.Errorf("%w: %s %s", ErrNotPublic, network, address)
	}
	return g.Judge(to.Addr())
}
