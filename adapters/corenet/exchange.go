package corenet

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/molar-billing/molar/adapters/publicaddr"
	"github.com/molar-billing/molar/core/billing/network"
)

// maxHeader is the most bytes of a reply's header.
const maxHeader = 64 << 10

// idle is how long a connection is kept for the next inquiry. Most servers close
// theirs after 5 seconds or more. A server that closed it first would cost the
// inquiry, because nothing is sent twice.
const idle = 4 * time.Second

// dialer connects to the network, and only to addresses that may be dialed.
type dialer struct {
	net.Dialer
	guard *publicaddr.Guard
}

func newDialer(c Config) (dialer, error) {
	d := dialer{Dialer: net.Dialer{Timeout: c.Timeouts.Connect, Resolver: &net.Resolver{PreferGo: true}}}
	var err error
	if c.AllowPrivate {
		d.guard, err = publicaddr.New(publicaddr.Everywhere()...)
	} else {
		d.guard, err = publicaddr.New()
	}
	if err == nil {
		d.ControlContext = d.guard.Control
	}
	return d, err
}

func newTransport(d dialer, config *tls.Config, t Timeouts) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // not even the environment's
		DialContext:            d.DialContext,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    t.Connect,
		ResponseHeaderTimeout:  t.FirstByte,
		Protocols:              &protocols,
		MaxIdleConnsPerHost:    256, // more than the inquiries at once
		IdleConnTimeout:        idle,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
	}
}

// fault returns a failure of the network.
func fault(reason network.Reason, format string, args ...any) error {
	return &network.Error{Reason: reason, Err: fmt.Errorf("corenet: "+format, args...)}
}

// unauthorized returns the failure that pauses the connection.
func unauthorized(by string) error {
	return fault(network.ReasonUnauthorized, "%w: %s", network.ErrUnauthorized, by)
}

// exchange posts a message and reads the reply. A redirect is a reply like any
// other: http.Transport follows none.
func (e *Eligibility) exchange(ctx context.Context, m message) (*reply, error) {
	begun := time.Now()
	limited, cancel := context.WithTimeout(ctx, e.config.Timeouts.Total)
	defer cancel()
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(limited, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	req, err := http.NewRequestWithContext(traced, http.MethodPost, e.url.String(), bytes.NewReader(m.body))
	if err != nil {
		return nil, errors.New("corenet: the URL cannot be posted to")
	}
	req.Header.Set("Content-Type", m.contentType)
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "Molar")
	if e.config.ActionHeader != "" {
		req.Header.Set(string(e.config.ActionHeader), action)
	}
	resp, err := e.transport.RoundTrip(req)
	if err != nil {
		return nil, e.failure(ctx, limited, begun, connected.Load(), err)
	}
	defer resp.Body.Close() //nolint:errcheck // it is only read
	body, err := readBody(resp)
	if err != nil {
		return nil, e.failure(ctx, limited, begun, true, err)
	}
	r, err := read(resp.Header.Get("Content-Type"), body)
	if err != nil && resp.StatusCode/100 != 2 {
		r, err = &reply{}, nil // the status matters more than the form of its page
	}
	if err != nil {
		return nil, err
	}
	r.status = resp.StatusCode
	return r, nil
}

// errTooLarge is the error of a reply that is larger than any 271.
var errTooLarge = fault(network.ReasonProtocol, "the reply has more than %d bytes", maxBody)

// readBody reads the body, and unpacks one that is compressed against our request.
func readBody(resp *http.Response) ([]byte, error) {
	in := io.LimitReader(resp.Body, maxBody+1)
	switch strings.ToLower(resp.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, notGzip(err)
		}
		in = io.LimitReader(unpacked, maxBody+1)
	default:
		return nil, fault(network.ReasonProtocol, "the reply is compressed in an unknown way")
	}
	body, err := io.ReadAll(in)
	switch {
	case err != nil:
		return nil, notGzip(err)
	case len(body) > maxBody:
		return nil, errTooLarge
	}
	return body, nil
}

// notGzip marks the faults of compressed data. Other errors are the connection's.
func notGzip(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	if corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return fault(network.ReasonProtocol, "the reply is not the gzip that it claims to be")
	}
	return err
}

// failure returns what a failed call means. Before the connection the error of the
// network goes into the log, with names and addresses. After it, an error may quote
// what the peer sent, and only its kind does.
func (e *Eligibility) failure(ctx, limited context.Context, begun time.Time, connected bool, err error) error {
	if _, known := errors.AsType[*network.Error](err); known {
		return err
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("corenet: %w", context.Canceled)
	case !connected && (errors.Is(err, publicaddr.ErrNotPublic)):
		return fault(network.ReasonUnreachable, "%w; set allow_private for a network with private addresses", err)
	case ctx.Err() != nil || connected && (limited.Err() != nil || isTimeout(err)):
		return fault(network.ReasonTimeout, "%w", silence(time.Since(begun)))
	case !connected && limited.Err() != nil:
		return fault(network.ReasonUnreachable, "no connection in time")
	}
	if tlsFault := ofTLS(err, connected); tlsFault != "" {
		return fault(network.ReasonTLS, "%s", tlsFault)
	}
	switch {
	case !connected:
		return fault(network.ReasonUnreachable, "%w", err)
	case isCut(err):
		return fault(network.ReasonInterrupted, "the connection ended before the reply did")
	default:
		return fault(network.ReasonProtocol, "the reply is no HTTP that can be read")
	}
}

// silence is the time for which there was no reply. Seen from the check, the payer was
// silent.
type silence time.Duration

func (s silence) Error() string {
	return "no reply after " + time.Duration(s).Round(time.Second).String()
}

// Is reports whether the target is the error of a deadline.
func (silence) Is(target error) bool { return target == context.DeadlineExceeded }

func isTimeout(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}

// isCut reports whether the peer ended the connection. The error of a connection that
// was closed while it was idle has no name.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "server closed idle connection")
}

// errHandshakeTimeout has the words of net/http, whose error has no name.
var errHandshakeTimeout = errors.New("TLS handshake timeout")

// ofTLS returns the fault of a handshake in words, or an empty string. A server that
// refuses a client certificate in TLS 1.3 does so after the handshake.
func ofTLS(err error, connected bool) string {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" { // an alert
		return "the server refused the handshake: " + e.Err.Error()
	}
	if connected {
		return ""
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the server's certificate is not accepted: " + e.Err.Error()
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return "the server does not speak TLS"
	}
	_, tlsFault, found := strings.Cut(err.Error(), "tls: ")
	switch {
	case found:
		return "the handshake failed: " + tlsFault
	case strings.Contains(err.Error(), errHandshakeTimeout.Error()):
		return "the handshake did not end in time"
	default:
		return ""
	}
}
