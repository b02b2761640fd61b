package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// identifier finds the caller of a request: a program by its key, or a person by
// the session of a browser.
type identifier struct {
	key     func(ctx context.Context, secret string, from netip.Addr) (*caller.APIKey, error)
	session func(ctx context.Context, secret string, mode billing.Mode, background bool) (*caller.Caller, error)
	origin  origin
}

// The headers of a session's requests.
const (
	modeHeader       = "Molar-Mode"       // test or live
	backgroundHeader = "Molar-Background" // true for a request that a page makes by itself
)

// identify returns the caller of a request with the header section. A request
// with an Authorization header is a program's, even if it has a cookie. Remote is
// the address of the connection's other end, and client that of the client; zero if it is
// not known yet. A background request does not keep an idle session.
func (i identifier) identify(ctx context.Context, raw []byte, remote, client netip.Addr, background bool) (*caller.Caller, error) {
	cookies := i.origin.cookies(raw)
	if len(httpserver.Values(raw, "Authorization")) > 0 || cookies.session == "" {
		k, err := i.key(ctx, bearer(raw), client)
		if err != nil {
			return nil, err
		}
		return k.Caller(), nil
	}
	if err := i.origin.prove(raw, remote); err != nil {
		return nil, err
	}
	mode := httpserver.Values(raw, modeHeader)
	if len(mode) != 1 || mode[0] != string(billing.ModeTest) && mode[0] != string(billing.ModeLive) {
		return nil, &billing.Error{Code: billing.CodeUnauthorized, Message: "Send the header Molar-Mode with the session: test or live."}
	}
	return i.session(ctx, cookies.session, billing.Mode(mode[0]), background)
}

// origin is the origin of the pages whose requests are a person's own: public, or
// if it is empty, any loopback name of this machine over plain HTTP.
type origin struct{ public string }

// ValidOrigin reports whether sessions are safe at the origin: HTTPS, or HTTP
// within this machine.
func ValidOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || text != u.Scheme+"://"+u.Host {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// of returns the origin of a request; empty when the request cannot be a
// person's own. Without a public origin both ends must be this machine: a name
// that an attacker points to it (DNS rebinding) is none of its own.
func (o origin) of(raw []byte, remote netip.Addr) string {
	if o.public != "" {
		return o.public
	}
	lines := httpserver.Values(raw, "Host")
	if len(lines) != 1 || !remote.Unmap().IsLoopback() {
		return ""
	}
	u, err := url.Parse("http://" + lines[0])
	if err != nil || u.Host != lines[0] || !isLoopback(u.Hostname()) {
		return ""
	}
	return "http://" + lines[0]
}

// prove returns CodeUnauthorized unless a page of the origin, and no other site's,
// made the request. The browser says so. A program says it with Origin.
func (o origin) prove(raw []byte, remote netip.Addr) error {
	own, site, from := o.of(raw, remote), httpserver.Values(raw, "Sec-Fetch-Site"), httpserver.Values(raw, "Origin")
	same := slices.Equal(site, []string{"same-origin"}) || len(site) == 0 && slices.Equal(from, []string{own})
	if own != "" && same {
		return nil
	}
	return &billing.Error{
		Code:    billing.CodeUnauthorized,
		Message: "A session works only for pages of this service. A program sends Origin with the service's own origin, or an API key.",
	}
}

// cookies are those that the service sets.
type cookies struct {
	session string
	browser string // proves an earlier sign-in
}

// cookies reads the service's cookies. A cookie that comes twice is none.
func (o origin) cookies(raw []byte) cookies {
	session, browser := o.names(raw)
	have := map[string][]string{}
	for _, line := range httpserver.Values(raw, "Cookie") {
		parsed, err := http.ParseCookie(line)
		if err != nil {
			continue
		}
		for _, c := range parsed {
			have[c.Name] = append(have[c.Name], c.Value)
		}
	}
	one := func(name string) string {
		if v := have[name]; len(v) == 1 {
			return v[0]
		}
		return ""
	}
	return cookies{one(session), one(browser)}
}

// names returns the names of the cookies. With TLS only this host can set them,
// for itself. On plain loopback the name has the port, because a browser sends
// cookies to every port of a host.
func (o origin) names(raw []byte) (session, browser string) {
	if o.secure() {
		return "__Host-molar_session", "__Host-molar_browser"
	}
	host := strings.TrimPrefix(o.public, "http://")
	if lines := httpserver.Values(raw, "Host"); o.public == "" && len(lines) == 1 {
		host = lines[0]
	}
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		port = "80"
	}
	return "molar_session_" + port, "molar_browser_" + port
}

// background reports whether a page made the request by itself.
func (x *exchange) background() bool {
	return x.route.path == streamPath || slices.Equal(x.req.Values(backgroundHeader), []string{"true"})
}

func (o origin) secure() bool { return strings.HasPrefix(o.public, "https://") }

// client returns the address of the client. X-Forwarded-For counts as far as
// trusted proxies wrote it.
func (x *exchange) client() netip.Addr {
	at := remote(x)
	forwarded := strings.Split(strings.Join(x.req.Values("X-Forwarded-For"), ","), ",")
	for n := len(forwarded) - 1; n >= 0 && trusted(x.s.proxies, at); n-- {
		next, ok := forwardedAddr(strings.TrimSpace(forwarded[n]))
		if !ok {
			break
		}
		at = next.Unmap()
	}
	return at
}

// forwardedAddr reads an entry of X-Forwarded-For: an address, or an address in the
// brackets of IPv6 or with a port, as some proxies write it.
func forwardedAddr(text string) (netip.Addr, bool) {
	if p, err := netip.ParseAddrPort(text); err == nil {
		return p.Addr(), true
	}
	if inside, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inside, "]")
	}
	a, err := netip.ParseAddr(text)
	return a, err == nil
}

func trusted(proxies []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// clientsUnknown reports whether a proxy hides the addresses of clients. The service
// itself has no TLS, so a public origin with HTTPS means that there is a proxy.
func (s *Server) clientsUnknown() bool { return s.identifier.origin.secure() && len(s.proxies) == 0 }

// remote returns the address of the connection's other end.
func remote(x *exchange) netip.Addr {
	a, _ := netip.ParseAddrPort(x.req.RemoteAddr().String())
	return a.Addr().Unmap()
}
