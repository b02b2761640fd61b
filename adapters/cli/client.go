package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// client calls the HTTP API with a key.
type client struct {
	base string // with /api/v1
	key  string
	http *http.Client
}

// replyWait is longer than the service lets a caller wait by default.
const replyWait = 45 * time.Second

func newClient(base, key string) (*client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is not the URL of an API: want one such as %s", base, defaultURL)
	}
	if u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("the URL of the API has no user, query or fragment; want one such as %s", defaultURL)
	}
	if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" {
		u.Path = "/api/v1"
	}
	return &client{base: u.String(), key: key, http: &http.Client{
		Timeout:       replyWait,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is only for this API
	}}, nil
}

// apiError is an error reply of the API.
type apiError struct {
	Status    int    `json:"-"`
	Code      string `json:"error"`
	Message   string `json:"message"`
	RequestID string `json:"request_id"`
	Faults    []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"errors"`
	Check struct {
		ID string `json:"id"`
	} `json:"check"` // of an eligibility check that the payer refused or did not respond to
}

// Error returns what is wrong and, if known, what to do.
func (e *apiError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the API returned %d", e.Status)
	switch {
	case e.Code == "INVALID_REQUEST" && len(e.Faults) > 0:
		b.WriteString(" INVALID_REQUEST:")
	case e.Code != "":
		fmt.Fprintf(&b, " %s: %s", e.Code, e.Message)
	}
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "\n  %s: %s", f.Field, f.Message)
	}
	switch {
	case e.Status == http.StatusUnauthorized:
		b.WriteString("\nSet a valid key with --api-key or MOLAR_API_KEY; molar keys create makes one.")
	case e.Code == "PERMISSION_DENIED":
		b.WriteString("\nmolar keys create --permissions read,submit makes a key that may do both.")
	case e.Code == "":
		b.WriteString("\nThat reply is not Molar's: check --api-url or MOLAR_API_URL.")
	case e.Status == http.StatusInternalServerError:
		b.WriteString("\nThe log of the service has the cause, under " + e.RequestID + ".")
	}
	return b.String()
}

// lasting reports whether a retry would fail in the same way.
func (e *apiError) lasting() bool {
	return e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests && e.Status != http.StatusRequestTimeout
}

// awayError is the error when the API sent no reply, or an unreadable one.
type awayError struct {
	base  string
	cause error
}

// Error names the URL that was tried.
func (e *awayError) Error() string {
	return fmt.Sprintf("the API at %s does not respond: %v\nStart it with molar dev, or set its URL with --api-url or MOLAR_API_URL.", e.base, e.cause)
}

// Unwrap returns the cause.
func (e *awayError) Unwrap() error { return e.cause }

// get reads a resource or a list.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.do(ctx, func() (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, c.base+path+"?"+query.Encode(), nil)
	}, into)
}

// post sends a value as JSON.
func (c *client) post(ctx context.Context, path string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.send(ctx, path, "application/json", b, into)
}

const (
	sendTries = 3
	sendPause = 500 * time.Millisecond
)

// send posts bytes.
func (c *client) send(ctx context.Context, path, contentType string, body []byte, into any) error {
	return c.write(ctx, http.MethodPost, path, contentType, body, into)
}

// write sends bytes with a new idempotency key. It retries when the connection
// breaks; the key prevents a second effect.
func (c *client) write(ctx context.Context, method, path, contentType string, body []byte, into any) (err error) {
	key := rand.Text()
	for range sendTries {
		err = c.do(ctx, func() (*http.Request, error) {
			r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
			if err == nil {
				r.Header.Set("Content-Type", contentType)
				r.Header.Set("Idempotency-Key", key)
			}
			return r, err
		}, into)
		if _, away := errors.AsType[*awayError](err); !away || errors.Is(err, syscall.ECONNREFUSED) {
			return err
		}
		if e := pause(ctx, sendPause); e != nil {
			return e
		}
	}
	return err
}

// maxAPIReply limits the size of a reply. A full page of events is far smaller.
const maxAPIReply = 32 << 20

func (c *client) do(ctx context.Context, request func() (*http.Request, error), into any) error {
	r, err := request()
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	resp, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the URL, which awayError names
		}
		return &awayError{c.base, err}
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAPIReply))
	if err != nil {
		return &awayError{c.base, err}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		e := &apiError{}
		_ = json.Unmarshal(b, e) // another server's error has another form, and Code stays empty
		e.Status = resp.StatusCode
		return e
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(b, into); err != nil {
		return &awayError{c.base, fmt.Errorf("its reply cannot be read: %w", err)}
	}
	return nil
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
