package wire

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"os"
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

// TestSecretsFromFiles reads secrets from files, and several keys, newest first.
func TestSecretsFromFiles(t *testing.T) {
	t.Parallel()
	key := func(b byte) string { return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32)) }
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	load := func(values map[string]string) (Settings, error) {
		return LoadSettings(func(name string) string { return values[name] }, "MOLAR_SECRET_KEY")
	}
	s, err := load(map[string]string{
		"MOLAR_SECRET_KEY_FILE": file("key", key(2)+", "+key(1)+"\n"), "MOLAR_DATABASE_URL_FILE": file("database", "postgres://u:p@h/d\n"),
	})
	if err != nil || len(s.SecretKeys) != 2 || s.SecretKeys[0][0] != 2 || s.SecretKeys[1][0] != 1 || s.DatabaseURL != "postgres://u:p@h/d" {
		t.Errorf("%d keys, database %s, %v", len(s.SecretKeys), s.DatabaseURL, err)
	}
	for want, values := range map[string]map[string]string{
		"MOLAR_SECRET_KEY and MOLAR_SECRET_KEY_FILE are both set": {"MOLAR_SECRET_KEY": key(1), "MOLAR_SECRET_KEY_FILE": file("both", key(1))},
		"MOLAR_SECRET_KEY_FILE: open ":                            {"MOLAR_SECRET_KEY_FILE": filepath.Join(dir, "absent")},
		"is empty":                                                {"MOLAR_SECRET_KEY_FILE": file("empty", "\n")},
		"want 32 bytes in base64":                                 {"MOLAR_SECRET_KEY": key(1) + ","},
		"MOLAR_SECRET_KEY is not set":                             {"MOLAR_LISTEN_FILE": file("listen", ":1")},
	} {
		if _, err := load(values); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), key(1)) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
