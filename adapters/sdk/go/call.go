package molar

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// call is a request of the API.
type call struct {
	method, path string
	query        url.Values
	body         any     // sent as JSON; nil for none
	file         *Upload // nil for none
	form         any     // the fields beside the file
	keyed        bool    // it needs an idempotency key
	answers      bool    // 422 PAYER_REJECTED has the value in check
	streams      bool    // the body of the reply is the caller's to read

	key    string
	header http.Header
	reply  *Reply
}

func (c *call) set(name, value string) {
	if c.header == nil {
		c.header = http.Header{}
	}
	c.header.Set(name, value)
}

// read returns the value of the reply.
func read[T any](ctx context.Context, c *Client, of call, options []CallOption) (*T, error) {
	value := new(T)
	return value, c.do(ctx, of, options, value)
}

// done sends a request whose reply has no value.
func (c *Client) done(ctx context.Context, of call, options []CallOption) error {
	return c.do(ctx, of, options, nil)
}

// Request sends any request, such as one that this version does not know. The path follows
// /api/v1. The body is sent as JSON, and the reply decoded into the value, unless they are nil.
func (c *Client) Request(ctx context.Context, method, path string, query url.Values, body, into any, options ...CallOption) error {
	return c.do(ctx, call{method: method, path: path, query: query, body: body, keyed: method != http.MethodGet && method != http.MethodHead}, options, into)
}

// do sends a request, and decodes its reply.
func (c *Client) do(ctx context.Context, of call, options []CallOption, into any) error {
	r, err := c.send(ctx, of, options)
	if err != nil {
		var e *Error
		if of.answers && errors.As(err, &e) && e.Code == "PAYER_REJECTED" && e.check != nil {
			return json.Unmarshal(e.check, into)
		}
		return err
	}
	if into == nil || len(r.Body) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("molar: the reply of %s is not what this version reads: %w", r.RequestID, err)
	}
	return nil
}

// send sends a request until it has a reply that counts.
func (c *Client) send(ctx context.Context, of call, options []CallOption) (*Reply, error) {
	r, body, cancel, err := c.open(ctx, of, options)
	if err != nil {
		return nil, err
	}
	defer cancel()
	_ = body.Close() // read already
	return r, nil
}

// open is send for a reply whose body the caller reads, if the call streams it. The function ends
// the call.
func (c *Client) open(ctx context.Context, of call, options []CallOption) (_ *Reply, _ io.ReadCloser, _ context.CancelFunc, err error) {
	for _, o := range options {
		o(&of)
	}
	if of.keyed && of.key == "" {
		of.key = newKey()
	}
	payload, err := payloadOf(of)
	if err != nil {
		return nil, nil, nil, err
	}
	timeout, whole := c.options.Timeout, wholeTimeout
	if of.file != nil || of.streams {
		timeout, whole = max(timeout, fileTimeout), fileTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, max(whole, timeout))
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	for retries := 0; ; {
		reply, body, err := c.attempt(ctx, of, payload, timeout)
		if err == nil {
			return reply, body, cancel, nil
		}
		wait, again := c.again(of, payload, err, retries)
		if !again {
			return nil, nil, cancel, err
		}
		var e *Error
		if !errors.As(err, &e) || e.Code != "IDEMPOTENCY_KEY_IN_USE" {
			retries++ // waiting for one's own key is none
		}
		select {
		case <-ctx.Done():
			return nil, nil, cancel, err
		case <-time.After(wait):
		}
	}
}

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 60 * time.Second // that a service may ask for
)

// again returns whether a request is sent again, and after what time.
func (c *Client) again(of call, payload *payload, err error, retries int) (time.Duration, bool) {
	pause := time.Duration(float64(firstPause) * math.Pow(2, float64(retries)) * (1 - mathrand.Float64()/4))
	if payload.once {
		return 0, false
	}
	var e *Error
	if errors.As(err, &e) {
		if asked, err := strconv.Atoi(e.Header.Get("Retry-After")); err == nil {
			pause = max(pause, time.Duration(asked)*time.Second)
		}
		counts := e.Code == "IDEMPOTENCY_KEY_IN_USE" || retries < c.options.MaxRetries
		return pause, e.Retryable && counts && pause <= longestPause
	}
	var lost *ConnectionError
	safe := of.key != "" || of.method == http.MethodGet || of.method == http.MethodHead || !of.keyed
	return pause, errors.As(err, &lost) && !lost.ended && safe && retries < c.options.MaxRetries
}

// attempt sends a request once.
func (c *Client) attempt(ctx context.Context, of call, payload *payload, timeout time.Duration) (_ *Reply, _ io.ReadCloser, err error) {
	one, cancel := context.WithTimeout(ctx, timeout)
	streams := false
	defer func() {
		if !streams {
			cancel()
		}
	}()
	content, err := payload.open()
	if err != nil {
		return nil, nil, err
	}
	at := c.base + of.path
	if len(of.query) > 0 {
		at += "?" + of.query.Encode()
	}
	r, err := http.NewRequestWithContext(one, of.method, at, content)
	if err != nil {
		return nil, nil, err
	}
	if content != nil {
		r.ContentLength = payload.length
		r.Header.Set("Content-Type", payload.kind)
	}
	r.Header.Set("Authorization", "Bearer "+c.options.APIKey)
	r.Header.Set("User-Agent", c.agent)
	if of.key != "" {
		r.Header.Set("Idempotency-Key", of.key)
	}
	for name, values := range of.header {
		r.Header[name] = values
	}
	resp, err := c.options.HTTPClient.Do(r)
	if err != nil {
		return nil, nil, c.lost(ctx, err)
	}
	reply := &Reply{
		Status: resp.StatusCode, Header: resp.Header, RequestID: resp.Header.Get("X-Request-Id"),
		Replayed: resp.Header.Get("Idempotent-Replayed") == "true",
	}
	if of.reply != nil {
		defer func() { *of.reply = *reply }()
	}
	if of.streams && resp.StatusCode < http.StatusMultipleChoices {
		streams = true
		return reply, closing{resp.Body, cancel}, nil
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or lost
	if reply.Body, err = io.ReadAll(resp.Body); err != nil {
		return nil, nil, c.lost(ctx, err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return nil, nil, c.refused(reply)
	}
	return reply, http.NoBody, nil
}

// closing ends its request when it is closed.
type closing struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close closes the body.
func (c closing) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

// lost is the error of a request without a reply.
func (c *Client) lost(ctx context.Context, err error) error {
	var unreadable *unreadableError
	if errors.As(err, &unreadable) {
		return unreadable
	}
	var dial *net.OpError
	return &ConnectionError{
		BaseURL: c.options.BaseURL, Cause: err, ended: ctx.Err() != nil,
		MaybeReceived: !(errors.As(err, &dial) && dial.Op == "dial"),
	}
}

// payload is the body of a request, which can be sent several times unless it is once.
type payload struct {
	open   func() (io.Reader, error)
	kind   string
	length int64 // -1 if it is not known
	once   bool
}

func payloadOf(of call) (*payload, error) {
	if of.file != nil {
		return formOf(of.file, of.form)
	}
	if of.body == nil {
		return &payload{open: func() (io.Reader, error) { return nil, nil }}, nil
	}
	b, err := json.Marshal(of.body)
	return &payload{open: func() (io.Reader, error) { return bytes.NewReader(b), nil }, kind: "application/json", length: int64(len(b))}, err
}

// newKey returns a random idempotency key.
func newKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it does not fail
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
