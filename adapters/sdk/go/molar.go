// Package molar is the client of Molar's API: eligibility checks, claims, attachments and remittances.
//
//	client, err := molar.New(molar.Options{}) // of MOLAR_API_KEY and MOLAR_BASE_URL
//	check, err := client.Eligibility.Create(ctx, molar.EligibilityRequest{...})
//
// Each write has an idempotency key, which its retries keep: nothing happens twice. To be safe from a crash of
// your own program too, derive the key from your own record, and give it with [Key].
//
// What a payer refuses is no error: Create returns the check with its rejection. Every other failure is an
// [*Error], or a [*ConnectionError] if no reply came.
package molar

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Options are the settings of a client. The zero value takes them from the environment.
type Options struct {
	// APIKey is a key of Molar. Without one, MOLAR_API_KEY is.
	APIKey string
	// BaseURL is the origin of the service, such as https://molar.example. Without one it is
	// MOLAR_BASE_URL, or else http://127.0.0.1:8080.
	BaseURL string
	// Timeout is how long an attempt may take: 45 s if it is zero. Uploads and downloads have 10 minutes.
	Timeout time.Duration
	// MaxRetries is how often a request is sent again: twice if it is zero, never if it is negative.
	MaxRetries int
	// HTTPClient sends the requests. It must not follow redirects with the key to other origins.
	HTTPClient *http.Client
}

// Client calls the API with a key. It is safe for use by several goroutines.
type Client struct {
	parts
	options Options
	base    string // with /api/v1
	agent   string
}

const (
	defaultTimeout = 45 * time.Second
	fileTimeout    = 10 * time.Minute // of an upload or a download
	wholeTimeout   = 2 * time.Minute  // with all retries
)

// New returns a client. It fails without a key, or if the URL is not an origin.
func New(o Options) (*Client, error) {
	if o.APIKey == "" {
		o.APIKey = os.Getenv("MOLAR_API_KEY")
	}
	if o.APIKey == "" {
		return nil, errors.New("molar: there is no API key: set MOLAR_API_KEY or Options.APIKey")
	}
	if o.BaseURL == "" {
		o.BaseURL = os.Getenv("MOLAR_BASE_URL")
	}
	if o.BaseURL == "" {
		o.BaseURL = "http://127.0.0.1:8080"
	}
	u, err := url.Parse(strings.TrimRight(o.BaseURL, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("molar: %q is not the origin of a service: give one such as https://molar.example, without a path", o.BaseURL)
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	switch {
	case o.MaxRetries == 0:
		o.MaxRetries = 2
	case o.MaxRetries < 0:
		o.MaxRetries = 0
	}
	if o.HTTPClient == nil {
		// The key is for this origin alone.
		o.HTTPClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	c := &Client{options: o, base: u.String() + "/api/v1", agent: "molar-go/" + Version + " (" + runtime.Version() + ")"}
	c.assemble()
	return c, nil
}

// String names the service. It does not show the key.
func (c *Client) String() string { return "molar client of " + c.options.BaseURL }

// GoString is String, so that no way of printing a client shows the key.
func (c *Client) GoString() string { return c.String() }

// CallOption changes one call.
type CallOption func(*call)

// Key gives the idempotency key of a write, in place of a random one. Derive it from your own record.
func Key(key string) CallOption { return func(c *call) { c.key = key } }

// IfVersion refuses the write with CHANGED_MEANWHILE if the resource has another version.
func IfVersion(version int) CallOption {
	return func(c *call) { c.set("If-Match", `"`+strconv.Itoa(version)+`"`) }
}

// Fresh makes a check ask the payer, even if a saved answer is not a day old.
func Fresh() CallOption { return func(c *call) { c.set("Cache-Control", "no-cache") } }

// Header sends a header.
func Header(name, value string) CallOption { return func(c *call) { c.set(name, value) } }

// Capture stores what is known of the last reply of the call, its headers too.
func Capture(into *Reply) CallOption { return func(c *call) { c.reply = into } }

// Reply is what came beside the value of a reply.
type Reply struct {
	Status    int
	Header    http.Header
	RequestID string
	Replayed  bool   // the reply is that of an earlier request with the same key
	Body      []byte // as it came, with fields that this version does not know
}
