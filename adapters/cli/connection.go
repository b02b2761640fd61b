package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing/caller"
)

const defaultURL = "http://127.0.0.1:8080/api/v1"

// Demo is what molar dev stores in its data folder for other commands.
type Demo struct {
	Dir     string            // the data folder
	URL     string            // of the API in the last run; empty if unknown
	Keys    map[string]string // secrets of API keys, by purpose
	Offices map[string]string // IDs of offices, likewise
}

// office returns the demo office of a key, or an empty string.
func (d *Demo) office(key string) string {
	for name, secret := range d.Keys {
		if secret == key {
			return d.Offices[strings.TrimSuffix(strings.TrimSuffix(name, "_read"), "_submit")]
		}
	}
	return ""
}

// connection has the flags for the URL of the API and the key. Without them, the
// environment applies, or else the data folder of molar dev.
type connection struct{ url, key, data string }

func (f *connection) on(c *cobra.Command) {
	c.Flags().StringVar(&f.url, "api-url", "", "the API (default $MOLAR_API_URL, else "+defaultURL+")")
	c.Flags().StringVar(&f.key, "api-key", "", "an API key (default $MOLAR_API_KEY, else the test key of molar dev)")
	c.Flags().StringVar(&f.data, "data", "", "data folder of molar dev, if not the default")
}

var errNoKey = errors.New("no API key: set one with MOLAR_API_KEY or --api-key (molar keys create creates one),\n" +
	"or run molar dev on this machine, whose test key this command finds (with --data DIR, if molar dev uses another folder)")

// open returns a client of the API. It sends a key of molar dev to no other API.
func (f *connection) open(c *cobra.Command, b Backend) (*client, error) {
	base, key := cmp.Or(f.url, b.Getenv("MOLAR_API_URL")), cmp.Or(f.key, b.Getenv("MOLAR_API_KEY"))
	if key == "" {
		d, err := f.demo(b)
		switch {
		case err != nil:
			return nil, err
		case d == nil || d.Keys["test"] == "":
			return nil, errNoKey
		case base != "" && !sameURL(base, cmp.Or(d.URL, defaultURL)):
			return nil, fmt.Errorf("no API key for %s: set one with MOLAR_API_KEY or --api-key.\nThe one in %s is for %s", base, d.Dir, cmp.Or(d.URL, defaultURL))
		}
		base, key = cmp.Or(d.URL, defaultURL), d.Keys["test"]
		_, _ = fmt.Fprintf(c.ErrOrStderr(), "Using the test key of molar dev, from %s.\n", d.Dir)
	}
	if !caller.WellFormedKeySecret(key) {
		return nil, errors.New("the API key is incomplete: a key is molar_test_ or molar_live_ and 38 characters")
	}
	return newClient(cmp.Or(base, defaultURL), key)
}

// demo reads the data folder of molar dev, or returns nil if there is none.
func (f *connection) demo(b Backend) (*Demo, error) {
	d, err := b.Demo(f.data)
	if f.data == "" && err != nil {
		return nil, nil //nolint:nilerr // a default folder that is missing, or another user's, does not count
	}
	return d, err
}

func sameURL(a, b string) bool {
	x, errX := originOf(a)
	y, errY := originOf(b)
	if errX != nil || errY != nil {
		return false
	}
	local := strings.NewReplacer("//localhost:", "//127.0.0.1:")
	return local.Replace(x) == local.Replace(y)
}

// parseWhen reads an instant, or how long ago it was.
func parseWhen(flag, value string, now time.Time) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(value); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return time.Time{}, fmt.Errorf("--%s %q: want how long ago, such as 10m or 24h, or an instant with its offset, such as 2026-01-02T15:04:05Z", flag, value)
	}
	return t, nil
}
