package wire

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/cli"
)

func TestRates(t *testing.T) {
	load := func(requests, checks string) (Settings, error) {
		return LoadSettings(func(name string) string {
			return map[string]string{"MOLAR_RATE_REQUESTS": requests, "MOLAR_RATE_CHECKS": checks}[name]
		})
	}
	for _, c := range []struct {
		requests, checks         string
		wantRequests, wantChecks int
	}{{"", "", 200, 50}, {"0", "0", 0, 0}, {"1", "1000000", 1, 1_000_000}} {
		s, err := load(c.requests, c.checks)
		if err != nil || s.RateRequests != c.wantRequests || s.RateChecks != c.wantChecks {
			t.Errorf("%q and %q: %d and %d, %v", c.requests, c.checks, s.RateRequests, s.RateChecks, err)
		}
	}
	for _, bad := range []string{"-1", "1000001", "1.5", "many", "10/s"} {
		_, err := load(bad, bad)
		if err == nil || !strings.Contains(err.Error(), "MOLAR_RATE_REQUESTS: want a number from 0") || !strings.Contains(err.Error(), "MOLAR_RATE_CHECKS: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}

	// molar dev sets none, unless it is asked to.
	d, err := loadDemo(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dev := func() Settings {
		s, err := devSettings(cli.DevOptions{Addr: "127.0.0.1:0"}, filepath.Join(t.TempDir(), "data"), d)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Setenv("MOLAR_RATE_REQUESTS", "")
	t.Setenv("MOLAR_RATE_CHECKS", "")
	if s := dev(); s.RateRequests != 0 || s.RateChecks != 0 {
		t.Errorf("molar dev: %d and %d", s.RateRequests, s.RateChecks)
	}
	t.Setenv("MOLAR_RATE_CHECKS", "7")
	if s := dev(); s.RateRequests != 0 || s.RateChecks != 7 {
		t.Errorf("molar dev with a limit of checks: %d and %d", s.RateRequests, s.RateChecks)
	}
}

func TestLoggedDurations(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("", "settings", Settings{RequestTimeout: 30 * time.Second, IdempotencyTTL: 24 * time.Hour})
	for _, want := range []string{`"request_timeout":"30s"`, `"idempotency_ttl":"24h0m0s"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in %s", want, log.String())
		}
	}
}
