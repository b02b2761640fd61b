package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// TestOpen settles where the API is and with which key, from the flags, the
// environment and molar dev.
func TestOpen(t *testing.T) {
	t.Parallel()
	demo, mine := caller.NewKeySecret(billing.ModeTest), caller.NewKeySecret(billing.ModeLive)
	kept := map[string]*Demo{
		"":     {Dir: "/default", Keys: map[string]string{"test": demo}},
		"/own": {Dir: "/own", URL: "http://127.0.0.1:9/api/v1", Keys: map[string]string{"test": demo}},
	}
	for name, c := range map[string]struct {
		flags       connection
		env         map[string]string
		never       bool // molar dev never ran
		url, key    string
		notice, err string
	}{
		"nothing said":      {url: defaultURL, key: demo, notice: "/default"},
		"own folder":        {flags: connection{data: "/own"}, url: "http://127.0.0.1:9/api/v1", key: demo, notice: "/own"},
		"no such folder":    {flags: connection{data: "/none"}, err: "/none"},
		"its API by name":   {env: map[string]string{"MOLAR_API_URL": "http://localhost:8080"}, url: defaultURL, key: demo, notice: "/default"},
		"environment":       {env: map[string]string{"MOLAR_API_URL": "https://molar.example/api/v1/", "MOLAR_API_KEY": mine}, url: "https://molar.example/api/v1", key: mine},
		"flags before it":   {flags: connection{url: "http://a:1", key: mine}, env: map[string]string{"MOLAR_API_URL": "http://b", "MOLAR_API_KEY": demo}, url: "http://a:1/api/v1", key: mine},
		"key alone":         {env: map[string]string{"MOLAR_API_KEY": mine}, url: defaultURL, key: mine},
		"another's API":     {flags: connection{url: "https://molar.example/api/v1"}, err: "no API key for https://molar.example/api/v1"},
		"own folder's API":  {flags: connection{url: defaultURL, data: "/own"}, err: "no API key for " + defaultURL},
		"no key":            {never: true, err: "molar keys create"},
		"half a key":        {flags: connection{key: demo[:20]}, err: "incomplete"},
		"no URL":            {flags: connection{url: "molar.example", key: mine}, err: "not the URL of an API"},
		"URL with password": {flags: connection{url: "https://a:b@molar.example", key: mine}, err: "no user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := Backend{
				Getenv: func(name string) string { return c.env[name] },
				Demo: func(dir string) (*Demo, error) {
					if d := kept[dir]; d != nil && !c.never {
						return d, nil
					}
					return nil, errors.New("nothing in " + dir)
				},
			}
			var printed bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetErr(&printed)
			api, err := c.flags.open(cmd, b)
			if c.err != "" {
				check(t, err, []string{c.err})
				return
			}
			if err != nil || api.base != c.url || api.key != c.key {
				t.Fatalf("%+v, %v", api, err)
			}
			if (printed.Len() > 0) != (c.notice != "") || !strings.Contains(printed.String(), c.notice) || strings.Contains(printed.String(), "molar_test_") {
				t.Errorf("notice %q, want %q", printed.String(), c.notice)
			}
		})
	}
}

func TestDemoOffice(t *testing.T) {
	t.Parallel()
	d := &Demo{
		Keys:    map[string]string{"test": "a", "test_read": "b", "test_submit": "c", "live": "d", "other_test": "e"},
		Offices: map[string]string{"test": "off_1", "live": "off_2", "other_test": "off_3"},
	}
	for key, want := range map[string]string{"a": "off_1", "b": "off_1", "c": "off_1", "d": "off_2", "e": "off_3", "f": ""} {
		if got := d.office(key); got != want {
			t.Errorf("key %s: office %q, want %q", key, got, want)
		}
	}
}

func TestParseWhen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Time{
		"": {}, "90m": now.Add(-90 * time.Minute), "2026-01-02T09:30:00-05:00": now.Add(-30 * time.Minute),
	} {
		if got, err := parseWhen("after", value, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", value, got, err)
		}
	}
	_, err := parseWhen("after", "noon", now)
	check(t, err, []string{"--after", "10m", "2026-01-02T15:04:05Z"})
	s := span{after: "1h", before: "2h"}
	_, _, err = s.parse(now)
	check(t, err, []string{"nothing between"})
}
