package webhook_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// The example of the Standard Webhooks specification.
func TestTheSignatureOfTheSpecification(t *testing.T) {
	t.Parallel()
	secret := webhook.Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	got, err := secret.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 999_999_999), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestWebhookSecrets(t *testing.T) {
	t.Parallel()
	seen := map[webhook.Secret]bool{}
	for range 100 {
		s := webhook.NewWebhookSecret()
		encoded, ok := strings.CutPrefix(string(s), "whsec_")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil || len(key) != 32 || seen[s] {
			t.Fatalf("%q: %d bytes, %v", s, len(key), err)
		}
		seen[s] = true
	}
	for _, s := range []webhook.Secret{"", "c2VjcmV0", "whsec_*", "WHSEC_c2VjcmV0", "whsec_c2VjcmV"} {
		if _, err := s.Sign("evt_1", time.Unix(0, 0), nil); !errors.Is(err, webhook.ErrMalformedSecret) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestSecretsAreNotLogged(t *testing.T) {
	t.Parallel()
	secret := webhook.NewWebhookSecret()
	var out bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).InfoContext(t.Context(), "a secret", "secret", secret)
	}
	if strings.Contains(out.String(), string(secret[6:])) || strings.Count(out.String(), "[redacted]") != 2 {
		t.Errorf("the log has %s", out.String())
	}
}

// The delays after each attempt, as the interface promises them.
var delays = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	for _, jitter := range []float64{0, 0.25, 0.5, 1} {
		d := webhook.Delivery{State: webhook.DeliveryPending}
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		for n, delay := range delays {
			a := webhook.Attempt{At: at, Status: 500, Duration: 3 * time.Second}
			d.Tried(a, jitter)
			wait := d.NextAttemptAt.Sub(at.Add(a.Duration))
			want := time.Duration(float64(delay) * (0.9 + 0.2*jitter))
			if d.State != webhook.DeliveryPending || wait != want || wait < delay*9/10 || wait > delay*11/10 {
				t.Errorf("jitter %g, attempt %d: %s, the next after %s and not %s", jitter, n+1, d.State, wait, want)
			}
			at = d.NextAttemptAt
		}
		d.Tried(webhook.Attempt{At: at, Error: "the connection failed", RetryAfter: time.Hour}, jitter)
		if d.State != webhook.DeliveryFailed || !d.NextAttemptAt.IsZero() || len(d.Attempts) != len(delays)+1 {
			t.Errorf("after the last attempt it is %s, to come again at %s", d.State, d.NextAttemptAt)
		}
	}
}

func TestEveryAttemptMayDeliver(t *testing.T) {
	t.Parallel()
	for n := range len(delays) + 1 {
		d := webhook.Delivery{State: webhook.DeliveryPending}
		for range n {
			d.Tried(webhook.Attempt{Status: 500}, 0.5)
		}
		before := slices.Clone(d.Attempts)
		d.Tried(webhook.Attempt{Status: 204}, 0.5)
		if d.State != webhook.DeliveryDelivered || !d.NextAttemptAt.IsZero() || !slices.EqualFunc(d.Attempts[:n], before, func(x, y webhook.Attempt) bool { return reflect.DeepEqual(x, y) }) {
			t.Errorf("attempt %d went well: %s, next at %s", n+1, d.State, d.NextAttemptAt)
		}
	}
}

// A delivery that is tried shares nothing with the one that was read.
func TestTriedLeavesTheAttemptsThatWereRead(t *testing.T) {
	t.Parallel()
	read := make([]webhook.Attempt, 1, 8)
	read[0].Status = 500
	one, other := webhook.Delivery{Attempts: read}, webhook.Delivery{Attempts: read}
	one.Tried(webhook.Attempt{Status: 200}, 0)
	other.Tried(webhook.Attempt{Status: 503}, 0)
	if one.Attempts[1].Status != 200 || other.Attempts[1].Status != 503 {
		t.Errorf("%v and %v", one.Attempts, other.Attempts)
	}
}

func TestSucceeded(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{0: false, 100: false, 199: false, 200: true, 204: true, 299: true, 300: false, 304: false, 410: false, 500: false} {
		if got := (webhook.Attempt{Status: status}).Succeeded(); got != want {
			t.Errorf("%d: %t", status, got)
		}
	}
}

func TestRetryAfterAndTheSchedule(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		earlier int // failed attempts before
		asked   time.Duration
		want    time.Duration
	}{
		"nothing asked":       {0, 0, 5 * time.Second},
		"sooner":              {1, 2 * time.Second, time.Minute},
		"later":               {0, 90 * time.Second, 90 * time.Second},
		"a day":               {0, 24 * time.Hour, 24 * time.Hour},
		"more than a day":     {0, 25 * time.Hour, 24 * time.Hour},
		"a century":           {3, 100 * 365 * 24 * time.Hour, 24 * time.Hour},
		"in the past":         {0, -time.Hour, 5 * time.Second},
		"sooner than the end": {9, time.Hour, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := webhook.Delivery{Attempts: make([]webhook.Attempt, test.earlier)}
			a := webhook.Attempt{At: time.Unix(1e9, 0), Status: 429, Duration: time.Second, RetryAfter: test.asked}
			d.Tried(a, 0.5)
			if wait := d.NextAttemptAt.Sub(a.At.Add(a.Duration)); wait != test.want {
				t.Errorf("comes again after %s, not %s", wait, test.want)
			}
		})
	}
}

func TestCircuit(t *testing.T) {
	t.Parallel()
	var h webhook.EndpointHealth
	at := time.Unix(1e9, 0)
	for n := 1; n <= 15; n++ {
		at = at.Add(time.Minute)
		a := webhook.Attempt{At: at, Error: "the connection failed", Duration: 4 * time.Second}
		var disable webhook.DisabledReason
		h, disable = h.After(a)
		until := time.Time{}
		if n >= 10 {
			until = at.Add(4*time.Second + 30*time.Second)
		}
		if h.Failures != n || disable != "" || h.Open() != (n >= 10) || !h.CircuitUntil.Equal(until) || !h.FailingSince.Equal(time.Unix(1e9+60, 0)) {
			t.Fatalf("failure %d: %+v, disable %q", n, h, disable)
		}
	}
	h, disable := h.After(webhook.Attempt{At: at, Status: 200})
	if (h != webhook.EndpointHealth{}) || disable != "" || h.Open() {
		t.Errorf("after a success: %+v, disable %q", h, disable)
	}
}

func TestDisabling(t *testing.T) {
	t.Parallel()
	const fiveDays = 5 * 24 * time.Hour
	start := time.Unix(1e9, 0)
	failing := webhook.EndpointHealth{Failures: 20, FailingSince: start, CircuitUntil: start}
	for name, test := range map[string]struct {
		health  webhook.EndpointHealth
		attempt webhook.Attempt
		disable webhook.DisabledReason
	}{
		"410, the first attempt": {webhook.EndpointHealth{}, webhook.Attempt{At: start, Status: 410}, webhook.DisabledByGone},
		"404":                    {webhook.EndpointHealth{}, webhook.Attempt{At: start, Status: 404}, ""},
		"almost five days":       {failing, webhook.Attempt{At: start.Add(fiveDays - time.Second), Status: 500}, ""},
		"five days":              {failing, webhook.Attempt{At: start.Add(fiveDays), Status: 500}, webhook.DisabledByFailures},
		"five days, no reply":    {failing, webhook.Attempt{At: start.Add(fiveDays), Error: "the connection failed"}, webhook.DisabledByFailures},
		"well after five days":   {failing, webhook.Attempt{At: start.Add(fiveDays), Status: 200}, ""},
		"a pause of five days":   {webhook.EndpointHealth{}, webhook.Attempt{At: start.Add(fiveDays), Status: 500}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if h, disable := test.health.After(test.attempt); disable != test.disable {
				t.Errorf("disable %q, %+v", disable, h)
			}
			e := webhook.Endpoint{Status: webhook.EndpointEnabled, Health: test.health}
			if e.Tried(test.attempt); (e.Status == webhook.EndpointDisabled) != (test.disable != "") || e.DisabledBy != test.disable {
				t.Errorf("the endpoint is %s, by %q", e.Status, e.DisabledBy)
			}
			off := webhook.Endpoint{Status: webhook.EndpointDisabled, Health: test.health, DisabledBy: webhook.DisabledByUser}
			if off.Tried(test.attempt); off.DisabledBy != webhook.DisabledByUser {
				t.Errorf("a disabled endpoint has another reason, %q", off.DisabledBy)
			}
		})
	}
}

func TestSetStatus(t *testing.T) {
	t.Parallel()
	ill := webhook.EndpointHealth{Failures: 20, FailingSince: time.Unix(1e9, 0)}
	gone := webhook.Endpoint{Status: webhook.EndpointDisabled, Health: ill, DisabledBy: webhook.DisabledByGone}
	if gone.SetStatus(webhook.EndpointDisabled); gone.DisabledBy != webhook.DisabledByGone || gone.Health != ill {
		t.Errorf("disabled again: %+v", gone)
	}
	gone.SetStatus(webhook.EndpointEnabled)
	if gone.Status != webhook.EndpointEnabled || gone.DisabledBy != "" || gone.Health != (webhook.EndpointHealth{}) {
		t.Errorf("enabled: %+v", gone)
	}
	gone.Health = ill
	if gone.SetStatus(webhook.EndpointEnabled); gone.Health != ill {
		t.Errorf("enabled again: %+v", gone)
	}
	gone.SetStatus(webhook.EndpointDisabled)
	if gone.Status != webhook.EndpointDisabled || gone.DisabledBy != webhook.DisabledByUser || gone.Health != ill {
		t.Errorf("disabled: %+v", gone)
	}
}

func TestTakes(t *testing.T) {
	t.Parallel()
	every, one := webhook.Endpoint{}, webhook.Endpoint{EventTypes: []event.Type{event.ClaimPaid}}
	for _, known := range event.Types() {
		if !every.Takes(known) || one.Takes(known) != (known == event.ClaimPaid) {
			t.Errorf("%s: %t, %t", known, every.Takes(known), one.Takes(known))
		}
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	e := webhook.Endpoint{
		ID: billing.WebhookEndpointID{15: 7}, URL: "https://a.com/hook", Secret: webhook.NewWebhookSecret(),
		Scope: billing.Scope{Mode: billing.ModeTest},
	}
	ping := e.Ping(billing.RealAt(now), now)
	m := e.Message(&ping, now.Add(time.Minute))
	signature, errMessage := m.Signature(e.Secret)
	want, err := e.Secret.Sign(ping.ID.String(), m.At, m.Body)
	if errors.Join(errMessage, err) != nil || signature != want || m.URL != e.URL || m.ID != ping.ID.String() || !m.At.Equal(now.Add(time.Minute)) {
		t.Errorf("%+v, %v", m, err)
	}
	if !bytes.Equal(m.Body, ping.JSON()) || ping.Type != event.Ping || ping.Scope != e.Scope || slices.Contains(event.Types(), ping.Type) {
		t.Errorf("%s", m.Body)
	}
	want = `{"id":"` + m.ID + `","object":"event","type":"ping","sequence":1,"created_at":"2026-01-02T03:04:05.000000+00:00",` +
		`"data":{"id":"` + e.ID.String() + `","object":"webhook_endpoint"}}`
	if string(m.Body) != want {
		t.Errorf("%s\nwant\n%s", m.Body, want)
	}
	if other := e.Ping(billing.RealAt(now), now); other.ID == ping.ID {
		t.Error("two pings have one ID")
	}
	if _, err := m.Signature("rotten"); !errors.Is(err, webhook.ErrMalformedSecret) {
		t.Errorf("a malformed secret: %v", err)
	}
}

// TestStandingClock makes attempts while the organization's clock stands: the delays have no
// jitter, and no circuit opens, but an endpoint that fails for days is disabled.
func TestStandingClock(t *testing.T) {
	t.Parallel()
	e := &webhook.Endpoint{Status: webhook.EndpointEnabled}
	d := &webhook.Delivery{State: webhook.DeliveryPending}
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, delay := range billing.DeliveryRetries() {
		a := webhook.Attempt{At: at, Duration: billing.AdvanceAttempt, Standing: true}
		d.Tried(a, 0)
		e.Tried(a)
		if want := at.Add(billing.AdvanceAttempt + delay); !d.NextAttemptAt.Equal(want) || e.Health.Open() {
			t.Fatalf("the next attempt is at %v, want %v; open %t", d.NextAttemptAt, want, e.Health.Open())
		}
		at = d.NextAttemptAt
	}
	e.Tried(webhook.Attempt{At: e.Health.FailingSince.Add(billing.DisableAfter), Standing: true})
	if e.Status != webhook.EndpointDisabled || e.DisabledBy != webhook.DisabledByFailures {
		t.Errorf("the endpoint is %s by %q after five days of failures", e.Status, e.DisabledBy)
	}
}
