package corenet_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	testMember := func(ending string) func(*testing.T, *corenet.Config) {
		return func(t *testing.T, c *corenet.Config) {
			t.Helper()
			c.Test = func(ctx context.Context, carry ports.Inquire) error {
				_, err := carry(ctx, request(t, quill(ending)))
				return err
			}
		}
	}
	for name, c := range map[string]struct {
		server func(*server)
		client func(*testing.T, *corenet.Config)
		want   string
	}{
		"all works":                  {client: testMember(""), want: "name ok, TLS ok, sign-in ok, 270 ok"},
		"without a test member":      {want: "name ok, TLS ok, sign-in ok, 270 skipped"},
		"the member is not found":    {client: testMember("-NOT-FOUND"), want: "name ok, TLS ok, sign-in ok, 270 ok"},
		"the network fails":          {client: testMember("-NETWORK-ERROR"), want: "name ok, TLS ok, sign-in refused"},
		"a response that is garbled": {client: testMember("-GARBLED"), want: "name ok, TLS ok, sign-in ok, 270 protocol"},
		"a wrong password": {
			client: func(_ *testing.T, c *corenet.Config) { c.Password = []byte("p<ss") }, want: "name ok, TLS ok, sign-in unauthorized",
		},
		"another authority": {client: func(t *testing.T, c *corenet.Config) {
			t.Helper()
			c.CA, _ = certificate(t, "x", time.Now().Add(time.Hour))
		}, want: "name ok, TLS tls"},
		"no such name":      {client: func(_ *testing.T, c *corenet.Config) { c.URL = "https://no.such.name.invalid" }, want: "name unreachable"},
		"a private address": {client: func(_ *testing.T, c *corenet.Config) { c.AllowPrivate = false }, want: "name unreachable"},
		"an unwritable 270": {client: func(_ *testing.T, c *corenet.Config) {
			c.Test = func(context.Context, ports.Inquire) error { return errors.New("no payer") }
		}, want: "name ok, TLS ok, sign-in skipped, 270 other"},
		"a page": {server: func(s *server) {
			s.instead = func(*received, string) reply { return reply{body: "<html>"} }
		}, client: testMember(""), want: "name ok, TLS ok, sign-in protocol"},
		"a fault about something else": {server: func(s *server) {
			s.instead = func(*received, string) reply {
				return reply{status: 500, body: soapFault("s:Sender", "c:PayloadIDIllegal")}
			}
		}, client: testMember(""), want: "name ok, TLS ok, sign-in ok, 270 refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(s *server) {
				if c.server != nil {
					c.server(s)
				}
			})
			var got []string
			for _, step := range s.client(corenet.SOAP220, func(config *corenet.Config) {
				if c.client != nil {
					c.client(t, config)
				}
			}).Probe(t.Context(), true) {
				first, _, _ := strings.Cut(strings.TrimPrefix(step.Name, "the "), " ")
				result := "ok"
				switch {
				case step.Err != nil:
					anonymous(t, step.Err)
					result = string(network.ReasonOf(step.Err))
				case step.Skipped != "":
					result = "skipped"
				}
				if step.Name == "TLS agrees" && step.Err == nil && !strings.Contains(step.Detail, "TLS 1.3, the server's certificate expires on 20") {
					t.Errorf("detail %q", step.Detail)
				}
				got = append(got, first+" "+result)
			}
			if all := strings.Join(got, ", "); all != c.want {
				t.Errorf("%s, want %s", all, c.want)
			}
			if len(s.seen()) > 1 {
				t.Errorf("%d requests", len(s.seen()))
			}
		})
	}
}

// TestProbeHangs probes a server that never speaks.
func TestProbeHangs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	steps := s.client(corenet.SOAP220, func(c *corenet.Config) {
		c.URL, c.Timeouts.Connect = "https://"+l.Addr().String(), time.Second
	}).Probe(t.Context(), true)
	if len(steps) != 2 || network.ReasonOf(steps[1].Err) != network.ReasonTLS || !strings.Contains(steps[1].Err.Error(), "the handshake did not end in time") {
		t.Errorf("%+v", steps)
	}
}
