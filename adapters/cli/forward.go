package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// forwarder posts events to a receiver on this machine, in the form for webhook
// endpoints.
type forwarder struct {
	url     *url.URL
	secret  webhook.Secret
	version string
	http    *http.Client
}

// The limits of a delivery.
const (
	receiverWait = 15 * time.Second
	maxReply     = 64 << 10
)

func newForwarder(target *url.URL, secret webhook.Secret, version string) *forwarder {
	dialer := &net.Dialer{Control: onlyLoopback}
	return &forwarder{target, secret, version, &http.Client{
		// A connection of its own for each event: a receiver that is restarted leaves no dead one behind.
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       receiverWait,
	}}
}

var errNotLoopback = errors.New("the address is not on this machine")

// onlyLoopback looks at the address itself, whatever the name said.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !a.Addr().Unmap().IsLoopback() {
		return errNotLoopback
	}
	return nil
}

// parseTarget reads the URL of a receiver, which must be on this machine: molar
// listen is for development, and a typing error must not send events elsewhere.
func parseTarget(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("--forward-to %q: want a URL such as http://localhost:3000/hooks", raw)
	}
	host := u.Hostname()
	addr, err := netip.ParseAddr(host)
	loopback := err == nil && addr.Unmap().IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
	if !loopback {
		return nil, fmt.Errorf("--forward-to %q: the receiver must be on this machine (localhost, 127.0.0.1 or [::1]);\n"+
			"for any other, create a webhook endpoint with POST /webhook_endpoints", raw)
	}
	u.Fragment = ""
	return u, nil
}

// outcome is the result of posting an event once.
type outcome struct {
	status int // 0 for no reply
	took   time.Duration
	err    error
}

func (o outcome) taken() bool { return o.status >= 200 && o.status <= 299 }

// absent reports whether the receiver did not get the event: nothing listens, or
// a proxy in front of it returns such a status while it restarts.
func (o outcome) absent() bool {
	switch o.status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	e, ok := errors.AsType[*net.OpError](o.err)
	return ok && e.Op == "dial"
}

// String returns the status, or why there was no reply.
func (o outcome) String() string {
	switch {
	case o.err == nil:
		return strconv.Itoa(o.status)
	case isTimeout(o.err):
		return "no reply within " + receiverWait.String()
	case errors.Is(o.err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(o.err, io.EOF), errors.Is(o.err, syscall.ECONNRESET):
		return "connection closed without a reply"
	}
	return o.err.Error()
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// post posts the event once, signed at this moment.
func (f *forwarder) post(ctx context.Context, e listedEvent) outcome {
	began, body := time.Now(), e.body()
	signature, err := f.secret.Sign(e.ID.String(), began, body)
	if err != nil {
		return outcome{err: err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url.String(), bytes.NewReader(body))
	if err != nil {
		return outcome{err: err}
	}
	r.Header = http.Header{ // spelled as for webhook endpoints
		"Content-Type": {"application/json"}, "User-Agent": {"Molar-Webhooks/" + f.version},
		"Webhook-Id": {e.ID.String()}, "Webhook-Timestamp": {strconv.FormatInt(began.Unix(), 10)}, "Webhook-Signature": {signature},
	}
	resp, err := f.http.Do(r)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return outcome{took: time.Since(began), err: err}
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply))
	_ = resp.Body.Close()
	return outcome{status: resp.StatusCode, took: time.Since(began)}
}
