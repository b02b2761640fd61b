package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
)

// client calls the HTTP API with a key.
type client struct {
	*molar.Client
	base string // with /api/v1
	key  string
}

const apiPath = "/api/v1"

func newClient(base, key string) (*client, error) {
	origin, err := originOf(base)
	if err != nil {
		return nil, err
	}
	c, err := molar.New(molar.Options{APIKey: key, BaseURL: origin})
	return &client{c, origin + apiPath, key}, err
}

// originOf returns the origin of the API with a URL.
func originOf(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%q is not the URL of an API: want one such as %s", base, defaultURL)
	}
	if path := strings.TrimRight(u.Path, "/"); path != "" && path != apiPath || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("the URL of the API has no user, query, fragment or other path; want one such as %s", defaultURL)
	}
	return u.Scheme + "://" + u.Host, nil
}

// apiError is an error reply of the API.
type apiError struct {
	Status    int           `json:"-"`
	Code      string        `json:"error"`
	Message   string        `json:"message"`
	RequestID string        `json:"request_id"`
	Faults    []molar.Fault `json:"errors"`
	Check     struct {
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
	return c.call(ctx, http.MethodGet, path, query, nil, into)
}

// post sends a value as JSON.
func (c *client) post(ctx context.Context, path string, body, into any) error {
	return c.call(ctx, http.MethodPost, path, nil, body, into)
}

// call sends a request. Its errors are in the words of the command line.
func (c *client) call(ctx context.Context, method, path string, query url.Values, body, into any) error {
	return c.inWords(ctx, c.Request(ctx, method, path, query, body, into))
}

func (c *client) inWords(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return cmp.Or(ctx.Err(), err)
	}
	if lost, ok := errors.AsType[*molar.ConnectionError](err); ok {
		err = lost.Cause
		if in, ok := errors.AsType[*url.Error](err); ok {
			err = in.Err // without the URL, which awayError names
		}
		return &awayError{c.base, err}
	}
	e, ok := errors.AsType[*molar.Error](err)
	if !ok {
		return err
	}
	said := &apiError{Status: e.Status, Code: e.Code, Message: e.Message, RequestID: e.RequestID, Faults: e.Faults}
	if check := e.Check(); check != nil {
		said.Check.ID = check.ID
	}
	return said
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
