package webhookhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// The failures after a request is sent.
const (
	errCutOff     failure = "the attempt was cut off"
	errClosed     failure = "the connection was closed"
	errUnreadable failure = "the reply is not HTTP/1.1, or its header breaks off or is larger than 16 KiB"
)

// Post posts a message once and returns the attempt. It checks the URL again,
// because the rules may be stricter than at registration.
//
// The status decides whether the attempt succeeded. Post reads the part of the
// body that is kept, and a little more so that the connection can be reused. A
// body that breaks off or is slow does not turn a 2xx into a failure.
//
// Post signs the request after connecting. The look-up, the connection and the
// handshake can take seconds, in which the secret may be rotated.
func (c *Client) Post(ctx context.Context, m webhook.Message, secret ports.CurrentSecret) (webhook.Attempt, error) {
	a := webhook.Attempt{At: m.At}
	to, faults := c.rules.read(m.URL)
	if len(faults) > 0 {
		a.Error = "the URL may not be called: " + faults[0].Message
		return a, nil
	}
	timed, cancel := context.WithTimeout(ctx, c.timeouts.Attempt)
	defer cancel()
	var unsigned error
	request := c.request(m, to)
	request = request.WithContext(httptrace.WithClientTrace(timed, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		var signature string
		if signature, unsigned = signed(timed, m, secret); unsigned != nil {
			cancel()
			_ = got.Conn.Close() // so that the request is not written
			return
		}
		request.Header["Webhook-Signature"] = []string{signature}
		a.SignedAt = m.At.UTC().Truncate(time.Second)
	}}))
	started := time.Now()
	reply, err := c.transport.RoundTrip(request) // a Client would follow redirects
	if err != nil {
		if unsigned != nil && !errors.Is(timed.Err(), context.DeadlineExceeded) {
			return a, unsigned
		}
		a.Duration = time.Since(started)
		late := a.Duration >= c.timeouts.Attempt || errors.Is(timed.Err(), context.DeadlineExceeded)
		a.Error = c.words(ctx, late, err)
		c.note(ctx, to.host, m.ID, err)
		return a, nil
	}
	defer func() { _ = reply.Body.Close() }() // the rest is not needed
	a.Response = c.start(reply)
	a.Duration = time.Since(started)
	if a.Status = reply.StatusCode; a.Status < http.StatusContinue {
		a.Status, a.Error = 0, errUnreadable.Error()
	}
	a.Headers = headers(reply.Header)
	if reply.StatusCode/100 == 3 {
		a.Location = bounded(reply.Header.Get("Location"), webhook.MaxWebhookURL)
	}
	if !a.Succeeded() {
		a.RetryAfter = retryAfter(reply.Header.Get("Retry-After"), a.At.Add(a.Duration))
	}
	return a, nil
}

// signed returns the message's signature with the current secret.
func signed(ctx context.Context, m webhook.Message, secret ports.CurrentSecret) (string, error) {
	current, err := secret(ctx)
	if err != nil {
		return "", err
	}
	return m.Signature(current)
}

// request returns the HTTP request for a message, without its signature.
func (c *Client) request(m webhook.Message, to *target) *http.Request {
	values := [...]string{"application/json", c.userAgent, m.ID, strconv.FormatInt(m.At.Unix(), 10)}
	r := &http.Request{
		Method: http.MethodPost, URL: to.url, Host: to.url.Host,
		Header: http.Header{
			"Content-Type":      values[0:1:1],
			"User-Agent":        values[1:2:2],
			"Webhook-Id":        values[2:3:3],
			"Webhook-Timestamp": values[3:4:4],
			// Not sent. With it, the transport posts again on another connection if an
			// idle one turns out to be closed. That is safe, because the receiver
			// recognizes a message by its ID.
			"Idempotency-Key": nil,
		},
		Body:          io.NopCloser(bytes.NewReader(m.Body)),
		GetBody:       func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(m.Body)), nil },
		ContentLength: int64(len(m.Body)),
	}
	if len(m.Body) == 0 {
		r.Body, r.GetBody = http.NoBody, nil
	}
	return r
}

// start returns the beginning of a reply, which is kept. It reads on to the end
// of the reply if the end is near.
func (c *Client) start(reply *http.Response) string {
	if reply.StatusCode == http.StatusSwitchingProtocols {
		return "" // the body would be a connection that no deadline ends
	}
	buffer := c.starts.Get().(*[webhook.MaxResponse]byte)
	defer c.starts.Put(buffer)
	n, err := io.ReadFull(reply.Body, buffer[:])
	if err == nil {
		_, _ = io.CopyN(io.Discard, reply.Body, maxBody-webhook.MaxResponse)
	}
	return bounded(string(buffer[:n]), webhook.MaxResponse)
}

// headers returns the headers of a reply that are kept, in the order of their
// names. Cookies are secrets, and are not kept.
func headers(h http.Header) (kept []webhook.ReplyHeader) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if name == "Set-Cookie" || name == "Set-Cookie2" {
			continue
		}
		if len(kept) == webhook.MaxReplyHeaders {
			break
		}
		kept = append(kept, webhook.ReplyHeader{
			Name:  bounded(name, webhook.MaxReplyHeader),
			Value: bounded(strings.Join(h[name], ", "), webhook.MaxReplyHeader),
		})
	}
	return kept
}

// bounded returns valid UTF-8 text of at most limit bytes, without the bytes
// that PostgreSQL cannot store. It replaces invalid bytes. The text ends with a
// whole character.
func bounded(s string, limit int) string {
	if len(s) >= limit {
		s = whole(s[:limit])
	}
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, string(utf8.RuneError)), "\x00", "")
	if len(s) > limit {
		s = whole(s[:limit])
	}
	return s
}

// whole drops an incomplete character at the end of s.
func whole(s string) string {
	for i := len(s) - 1; i >= max(0, len(s)-utf8.UTFMax); i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return s[:i]
			}
			break
		}
	}
	return s
}

// retryAfter reads the header Retry-After: seconds, or a date. It returns 0 for
// any other value, and for a date in the past.
func retryAfter(header string, now time.Time) time.Duration {
	if header == "" {
		return 0
	}
	seconds, err := strconv.ParseUint(header, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, math.MaxInt64/uint64(time.Second))) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(now))
}

// words returns the reason why there was no reply. caller is the context that
// Post received. Late means that the attempt's time was over.
func (c *Client) words(caller context.Context, late bool, err error) string {
	if caller.Err() != nil {
		return errCutOff.Error()
	}
	if late {
		return fmt.Sprintf("no reply within %g seconds", c.timeouts.Attempt.Seconds())
	}
	if f, ok := errors.AsType[failure](err); ok {
		return f.Error()
	}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return errClosed.Error()
		}
	}
	if strings.HasSuffix(err.Error(), "server closed idle connection") { // net/http does not export this error
		return errClosed.Error()
	}
	return errUnreadable.Error()
}

// note logs an error for the operator, because the endpoint's owner does not
// see it. A refused address may be an attempt to reach the private network, so
// it is a warning.
func (c *Client) note(ctx context.Context, host, id string, err error) {
	level := slog.LevelDebug
	if errors.Is(err, errNotAllowed) {
		level = slog.LevelWarn
	}
	c.log.LogAttrs(ctx, level, "webhook got no reply", slog.String("host", host), slog.String("event_id", id), slog.Any("error", err))
}
