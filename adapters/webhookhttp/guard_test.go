package webhookhttp

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"slices"
	"syscall"
	"testing"

	"code.dny.dev/ssrf"
)

// special are the addresses that may not be dialled, as IANA's registries for
// special purposes and for IPv6 address space had them in 2026.
func special() (prefixes []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
		"::/3", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "4000::/2", "8000::/1",
	} {
		prefixes = append(prefixes, netip.MustParsePrefix(p))
	}
	return prefixes
}

func isPublic(a netip.Addr) bool {
	return a.Zone() == "" && !slices.ContainsFunc(special(), func(p netip.Prefix) bool { return p.Contains(a) })
}

// last is the last address of a prefix.
func last(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// samples are the edges of every special prefix, what lies beside them, the
// ways in which an IPv6 address can hide an IPv4 one, and any addresses.
func samples() (all []netip.Addr) {
	for _, p := range special() {
		for _, a := range []netip.Addr{p.Addr(), p.Addr().Prev(), last(p), last(p).Next()} {
			if a.IsValid() {
				all = append(all, a)
			}
		}
	}
	for _, a := range []string{
		"::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b::808:808",
		"64:ff9b:1:7f00:0:100::", "100::1", "100:0:0:1::1", "2001::1", "2001:20::1", "2002:7f00:1::", "5f00::1", "fc00::1", "fd00:ec2::254",
		"fe80::1", "fe80::1%lo", "fe80::5efe:7f00:1", "fec0::1", "ff02::1", "2606:4700:4700::1111%eth0", "100.100.100.200", "192.0.0.192",
		"169.254.169.254", "169.254.170.2", "8.8.8.8", "1.1.1.1", "168.63.129.15", "168.63.129.17", "2606:4700:4700::1111",
	} {
		all = append(all, netip.MustParseAddr(a))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var v4 [4]byte
		var v6 [16]byte
		for i := range v6 {
			v6[i] = byte(random.Uint32())
		}
		copy(v4[:], v6[12:])
		all = append(all, netip.AddrFrom4(v4), netip.AddrFrom16(v6))
		v6[0] = 0x20 | v6[0]&0x1f
		all = append(all, netip.AddrFrom16(v6))
	}
	return all
}

var errReached = errors.New("the dialler would connect now")

// reach is what comes of an address on each of the ways to it: looked up by
// Check, looked up for a connection, and dialled without a look-up. Nothing is
// connected to.
func reach(t *testing.T, c *Client, a netip.Addr) (check, looked, dialled error) {
	t.Helper()
	c.resolver = resolverFunc(func(string) ([]netip.Addr, error) { return []netip.Addr{a}, nil })
	check = c.Check(t.Context(), "https://hooks.example.com/")
	_, looked = c.dialTLS(t.Context(), "tcp", "hooks.example.com:443")
	_, dialled = c.connect(t.Context(), &c.dialer, 1, netip.AddrPortFrom(a, 443))
	return check, looked, dialled
}

// stopping makes a Client whose dialler stops where it would connect.
func stopping(t *testing.T, o Options) *Client {
	t.Helper()
	c := newClient(t, o)
	c.dialer.ControlContext = func(ctx context.Context, network, address string, raw syscall.RawConn) error {
		if err := c.guard.control(ctx, network, address, raw); err != nil {
			return err
		}
		return errReached
	}
	return c
}

// judgeAddress holds the ways to an address against what is to come of it.
func judgeAddress(t *testing.T, c *Client, a netip.Addr, allowed bool) {
	t.Helper()
	check, looked, dialled := reach(t, c, a)
	if direct := c.guard.judge(a); errors.Is(direct, errNotAllowed) == allowed && !a.Is4In6() {
		t.Errorf("%s: judged %v", a, direct)
	}
	if (check == nil) != allowed {
		t.Errorf("%s: Check: %v", a, check)
	}
	for way, err := range map[string]error{"looked up": looked, "dialled": dialled} {
		// A machine without IPv6 has no socket to ask for.
		if reached := errors.Is(err, errReached) || errors.Is(err, syscall.EAFNOSUPPORT); reached != allowed || errors.Is(err, errNotAllowed) == allowed {
			t.Errorf("%s, %s: %v", a, way, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	c := stopping(t, Options{})
	library := ssrf.New(ssrf.WithPorts(443))
	for _, a := range samples() {
		allowed := isPublic(a.Unmap()) // who says ::ffff:8.8.8.8 is asked about, and dials, 8.8.8.8
		judgeAddress(t, c, a, allowed)
		network := "tcp6"
		if a.Is4() {
			network = "tcp4"
		}
		theirs := library.Safe(network, netip.AddrPortFrom(a, 443).String(), nil) == nil
		ours := c.guard.control(t.Context(), network, netip.AddrPortFrom(a, 443).String(), nil) == nil
		if azure := a == netip.MustParseAddr("168.63.129.16"); ours != theirs && !azure && a.Zone() == "" || ours && !theirs {
			t.Errorf("%s: %t, and %t by the library alone", a, ours, theirs)
		}
	}
}

func TestAddressCorpus(t *testing.T) {
	t.Parallel()
	c := stopping(t, Options{})
	for _, row := range corpus(t, "addresses.tsv") {
		a, err := netip.ParseAddr(row.column(0))
		if err != nil {
			t.Fatal(err)
		}
		// What others disagree about, and what is unassigned outside of global
		// unicast, is as the table in this file has it.
		allowed := isPublic(a.Unmap())
		if verdict := row.column(1); verdict == "refuse" && allowed || verdict == "allow" && !allowed && (a.Is4() || a.As16()[0]>>5 == 1) {
			t.Errorf("%s: %s (%s)", a, verdict, row.column(6))
		}
		judgeAddress(t, c, a, allowed)
	}
}

func TestControl(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, test := range []struct {
		network, address string
		allowed          bool
	}{
		{"tcp4", somePublic + ":443", true},
		{"tcp6", "[" + somePublic6 + "]:443", true},
		{"tcp4", somePublic + ":1024", true},
		{"tcp4", somePublic + ":65535", true},
		{"tcp4", somePublic + ":1023", false},
		{"tcp4", somePublic + ":80", false},
		{"tcp4", somePublic + ":0", false},
		{"tcp", somePublic + ":443", false},
		{"udp4", somePublic + ":443", false},
		{"unix", "/run/docker.sock", false},
		{"tcp6", "[::ffff:" + somePublic + "]:443", false},
		{"tcp6", "[" + somePublic6 + "%eth0]:443", false},
		{"tcp4", "hooks.example.com:443", false},
		{"tcp4", somePublic, false},
		{"tcp4", "", false},
	} {
		err := c.guard.control(t.Context(), test.network, test.address, nil)
		if (err == nil) != test.allowed || err != nil && !errors.Is(err, errNotAllowed) {
			t.Errorf("%s %s: %v", test.network, test.address, err)
		}
	}
}

func TestAllowedCIDRs(t *testing.T) {
	t.Parallel()
	c := stopping(t, Options{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32")}})
	for a, allowed := range map[string]bool{
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "fd00:1::5": true, somePublic: true,
		"10.2.0.1": false, "10.0.255.255": false, "fd00:2::5": false, "127.0.0.1": false, "fd00:1::5%eth0": false,
	} {
		judgeAddress(t, c, netip.MustParseAddr(a), allowed)
	}
	// The ports are those of everybody.
	if err := c.guard.control(t.Context(), "tcp4", "10.1.2.3:22", nil); !errors.Is(err, errNotAllowed) {
		t.Errorf("port 22: %v", err)
	}
}
