package publicaddr

import (
	"errors"
	"net"
	"net/netip"
	"testing"
)

// The tests of webhookhttp hold the guard against samples of every special prefix and
// against the public corpus. These are the parts that the package alone can reach.

const somePublic, somePublic6 = "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"

func newGuard(t *testing.T, allow ...netip.Prefix) *Guard {
	t.Helper()
	g, err := New(allow...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func judge(t *testing.T, g *Guard, allowed map[string]bool) {
	t.Helper()
	for a, want := range allowed {
		if err := g.Judge(netip.MustParseAddr(a)); (err == nil) != want || err != nil && !errors.Is(err, ErrNotPublic) {
			t.Errorf("%s: %v", a, err)
		}
	}
}

func TestOwnAddresses(t *testing.T) {
	t.Parallel()
	g := newGuard(t)
	g.own = func() ([]net.Addr, error) {
		return []net.Addr{
			&net.IPNet{IP: net.ParseIP(somePublic), Mask: net.CIDRMask(24, 32)}, &net.IPNet{IP: net.ParseIP(somePublic6), Mask: net.CIDRMask(64, 128)},
		}, nil
	}
	judge(t, g, map[string]bool{somePublic: false, somePublic6: false, "93.184.215.15": true})
	g.allow = []netip.Prefix{netip.MustParsePrefix(somePublic + "/32")}
	judge(t, g, map[string]bool{somePublic: true})
	g.own = func() ([]net.Addr, error) { return nil, errors.New("no netlink") }
	judge(t, g, map[string]bool{"93.184.215.15": false})
}

func TestEverywhere(t *testing.T) {
	t.Parallel()
	judge(t, newGuard(t, Everywhere()...), map[string]bool{
		"127.0.0.1": true, "::1": true, "10.0.0.1": true, "169.254.169.254": true, "fd00::1": true, somePublic: true, somePublic6: true,
		"fe80::1%eth0": false, "::ffff:127.0.0.1": false,
	})
}

func TestControl(t *testing.T) {
	t.Parallel()
	g := newGuard(t)
	for _, c := range []struct {
		network, address string
		allowed          bool
	}{
		{"tcp4", somePublic + ":22", true},
		{"tcp6", "[" + somePublic6 + "]:443", true},
		{"tcp4", "127.0.0.1:443", false},
		{"tcp", somePublic + ":443", false},
		{"udp4", somePublic + ":443", false},
		{"tcp4", "payer.example.com:443", false},
		{"tcp4", "", false},
	} {
		if err := g.Control(t.Context(), c.network, c.address, nil); (err == nil) != c.allowed || err != nil && !errors.Is(err, ErrNotPublic) {
			t.Errorf("%s %s: %v", c.network, c.address, err)
		}
	}
}

func TestPrefixesThatCannotBeAllowed(t *testing.T) {
	t.Parallel()
	for _, p := range []netip.Prefix{{}, netip.MustParsePrefix("::ffff:10.0.0.0/104")} {
		if _, err := New(p); err == nil {
			t.Errorf("%s is allowed", p)
		}
	}
}
