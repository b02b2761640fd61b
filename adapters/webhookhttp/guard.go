package webhookhttp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

// guard checks addresses. An address is public if no IANA registry reserves it
// for special use. In IPv6, only global unicast addresses are public. That
// excludes every IPv6 address that embeds an IPv4 address.
type guard struct {
	public *ssrf.Guardian
	allow  []netip.Prefix
	own    func() ([]net.Addr, error) // the addresses of the machine's interfaces
}

func newGuard(allow []netip.Prefix) (*guard, error) {
	for _, p := range allow {
		if !p.IsValid() || p.Addr().Is4In6() {
			return nil, fmt.Errorf("webhookhttp: %s cannot be allowed: use an IPv4 or IPv6 prefix that is not IPv4-mapped", p)
		}
	}
	g := &guard{
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

// judge returns nil if all of the addresses may be dialed. It refuses
// IPv4-mapped IPv6 addresses; the caller passes the IPv4 address instead.
func (g *guard) judge(addrs ...netip.Addr) error {
	own, err := g.interfaces()
	if err != nil {
		return fmt.Errorf("%w: %w", errNotAllowed, err)
	}
	for _, a := range addrs {
		if a.Zone() != "" || !a.IsValid() || a.Is4In6() {
			return fmt.Errorf("%w: %s", errNotAllowed, a)
		}
		if slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(a) }) {
			continue
		}
		if err := g.public.SafeAddr(a); err != nil {
			return fmt.Errorf("%w: %w", errNotAllowed, err)
		}
		// The machine's own public address would bypass the firewall.
		if slices.Contains(own, a) {
			return fmt.Errorf("%w: %s is the machine's own", errNotAllowed, a)
		}
	}
	return nil
}

// interfaces returns the current addresses of the machine.
func (g *guard) interfaces() (own []netip.Addr, err error) {
	addrs, err := g.own()
	if err != nil {
		return nil, fmt.Errorf("webhookhttp: the machine's own addresses: %w", err)
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

// control checks the address that a dialer is about to connect to.
func (g *guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errNotAllowed, err)
	case network != "tcp4" && network != "tcp6", !portAllowed(to.Port()):
		return fmt.Errorf("%w: %s %s", errNotAllowed, network, address)
	}
	return g.judge(to.Addr())
}
