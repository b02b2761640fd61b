package webhookhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

var _ ports.WebhookSender = (*Client)(nil)

func TestMain(m *testing.M) {
	if dir := os.Getenv(receiverDir); dir != "" {
		if err := runReceiver(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// resolverFunc answers look-ups. The names that it is asked for are absolute.
type resolverFunc func(name string) ([]netip.Addr, error)

func (f resolverFunc) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) {
	return f(name)
}

// always answers the same addresses for every name.
func always(addrs ...string) resolverFunc {
	return func(string) (answer []netip.Addr, _ error) {
		for _, a := range addrs {
			answer = append(answer, netip.MustParseAddr(a))
		}
		return answer, nil
	}
}

const somePublic, somePublic6 = "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"

// logged is a log that can be read while it is written.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// newClient makes a Client that resolves every name to a public address unless
// the options say otherwise.
func newClient(tb testing.TB, o Options) *Client {
	tb.Helper()
	if o.Version == "" {
		o.Version = "test"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Resolver == nil {
		o.Resolver = always(somePublic)
	}
	c, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

// faultOf is the message of the one fault of err, which must be about the URL.
func faultOf(t *testing.T, err error) billing.FieldFault {
	t.Helper()
	e, ok := errors.AsType[*billing.Error](err)
	if !ok || e.Code != billing.CodeInvalidRequest || len(e.Faults) != 1 || e.Faults[0].Field != "url" {
		t.Fatalf("not a fault of the field url: %v", err)
	}
	return e.Faults[0]
}

func TestCheckLooksUp(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resolver Resolver
		message  string // a part of it; empty when the URL may be called
	}{
		"public":              {always(somePublic), ""},
		"public, both kinds":  {always(somePublic, somePublic6), ""},
		"as Go's own writes":  {always("::ffff:93.184.215.14"), ""},
		"inside":              {always("10.0.0.7"), "public addresses"},
		"inside, mapped":      {always("::ffff:10.0.0.7"), "public addresses"},
		"mixed":               {always(somePublic, "127.0.0.1"), "public addresses"},
		"mixed the other way": {always("fd00::1", somePublic), "public addresses"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := newClient(t, Options{Resolver: test.resolver}).Check(t.Context(), "https://hooks.example.com/x")
			if test.message == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			fault := faultOf(t, err)
			if !strings.Contains(fault.Message, test.message) {
				t.Errorf("%q does not say %q", fault.Message, test.message)
			}
			if strings.Contains(err.Error(), "10.0.0") {
				t.Errorf("%q names an address", err)
			}
		})
	}
}

// TestCheckWithoutAReply has look-ups that give no address.
func TestCheckWithoutAReply(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]Resolver{
		"a resolver in trouble": failing(&net.DNSError{Err: "server misbehaving", Server: "10.0.0.53", IsTemporary: true}),
		"no such name":          failing(&net.DNSError{Err: "no such host", Server: "10.0.0.53", IsNotFound: true}),
		"a name of no address":  always(),
		"another error":         failing(errors.New("read udp 10.0.0.9->10.0.0.53: refused")),
		"no answer":             hanging{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := newClient(t, Options{Resolver: r, Timeouts: Timeouts{Lookup: time.Millisecond}}).Check(t.Context(), "https://hooks.example.com/x")
			e, ok := errors.AsType[*billing.Error](err)
			if !ok || e.Code != billing.CodeUnavailable || strings.Contains(e.Message, "10.0.0") {
				t.Errorf("%v", err)
			}
		})
	}
}

func failing(err error) resolverFunc {
	return func(string) ([]netip.Addr, error) { return nil, err }
}

// hanging sends no reply before it has to stop.
type hanging struct{}

func (hanging) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestCheckGivesUp(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	c := newClient(t, Options{Resolver: hanging{}})
	if err := c.Check(stopped, "https://hooks.example.com"); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller went away: %v", err)
	}
}

func TestCheckAsksForTheWholeName(t *testing.T) {
	t.Parallel()
	asked := ""
	c := newClient(t, Options{Resolver: resolverFunc(func(name string) ([]netip.Addr, error) {
		asked = name
		return always(somePublic)(name)
	})})
	for url, want := range map[string]string{
		"https://Hooks.Example.com/":  "hooks.example.com.",
		"https://hooks.example.com./": "hooks.example.com.",
		"https://BÜCHER.example.com/": "xn--bcher-kva.example.com.",
	} {
		if err := c.Check(t.Context(), url); err != nil || asked != want {
			t.Errorf("%s: asked for %s, %v", url, asked, err)
		}
	}
}

func TestFixedHost(t *testing.T) {
	t.Parallel()
	var log logged
	c := newClient(t, Options{
		Log: log.logger(), Resolver: failing(errors.New("not to be asked")),
		Resolve: map[string]netip.AddrPort{"Receiver.Test.": netip.MustParseAddrPort("127.0.0.1:7443")},
	})
	for _, url := range []string{"https://receiver.test/hook", "https://receiver.test:444/hook", "https://RECEIVER.test."} {
		if err := c.Check(t.Context(), url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{"http://receiver.test/hook", "https://a@receiver.test/", "https://other.test/", "https://receiver.test:0/"} {
		faultOf(t, c.Check(t.Context(), url))
	}
	if !strings.Contains(log.String(), "unguarded") {
		t.Error("the log does not report it")
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	for name, o := range map[string]Options{
		"no version":                {Log: log},
		"no log":                    {Version: "1"},
		"a prefix of nothing":       {Version: "1", Log: log, AllowCIDRs: []netip.Prefix{{}}},
		"a prefix of mapped ones":   {Version: "1", Log: log, AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}},
		"a host that is an address": {Version: "1", Log: log, Resolve: map[string]netip.AddrPort{"10.1": netip.MustParseAddrPort("127.0.0.1:1")}},
		"a host at no address":      {Version: "1", Log: log, Resolve: map[string]netip.AddrPort{"a.test": {}}},
		"a host at no port":         {Version: "1", Log: log, Resolve: map[string]netip.AddrPort{"a.test": netip.MustParseAddrPort("127.0.0.1:0")}},
	} {
		if c, err := New(o); err == nil {
			c.Close()
			t.Errorf("%s: no error", name)
		}
	}
	var printed logged
	newClient(t, Options{Log: printed.logger(), AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	if !strings.Contains(printed.String(), "10.0.0.0/8") {
		t.Error("the log has no allowed addresses")
	}
	c, err := New(Options{Version: "1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if r, ok := c.resolver.(*net.Resolver); !ok || !r.PreferGo {
		t.Error("names are not looked up by Go itself")
	}
	if c.transport.Proxy != nil {
		t.Error("proxies of the environment are used")
	}
}
