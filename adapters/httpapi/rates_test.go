package httpapi

import (
	"net/http"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports/porttest"
)

func newHandClock() *porttest.Clock {
	return porttest.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 0)
}

func newKey() billing.KeyID { return billing.NewID[billing.KeyID](billing.RealAt(time.Now())) }

// grants is how many of n requests the buckets grant.
func (r *rates) grants(key billing.KeyID, isCheck bool, n int) (granted int) {
	for range n {
		if !r.take(key, isCheck).refused {
			granted++
		}
	}
	return granted
}

// A bucket holds a second's tokens and gets them back in a second, whatever
// their number.
func TestBuckets(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{1, 3, 7, 50, 200, 9973, 100_000} {
		clock, key := newHandClock(), newKey()
		r := newRates(rate, 0, clock.Now)
		if n := r.grants(key, false, rate+10); n != rate {
			t.Errorf("%d a second: %d at once", rate, n)
		}
		clock.Advance(time.Second/time.Duration(rate) - 1)
		if r.grants(key, false, 1) != 0 {
			t.Errorf("%d a second: one more, too early", rate)
		}
		clock.Advance(1)
		if n := r.grants(key, false, 2); n != 1 {
			t.Errorf("%d a second: %d after the time of one", rate, n)
		}
		if n := r.grants(newKey(), false, rate); n != rate {
			t.Errorf("%d a second: another key gets %d", rate, n)
		}
		clock.Advance(time.Hour)
		if n := r.grants(key, false, rate+10); n != rate {
			t.Errorf("%d a second: %d after an hour", rate, n)
		}
	}
}

func TestBucketsOfChecks(t *testing.T) {
	t.Parallel()
	clock, key := newHandClock(), newKey()
	r := newRates(10, 4, clock.Now)
	if n := r.grants(key, true, 20); n != 4 {
		t.Errorf("%d checks at once, want 4", n)
	}
	if n := r.grants(key, false, 20); n != 6 {
		t.Errorf("%d other requests beside them, want 6: refused checks cost nothing", n)
	}
	clock.Advance(time.Second)
	if n := r.grants(key, false, 9); n != 9 {
		t.Errorf("%d requests, want 9", n)
	}
	if n := r.grants(key, true, 4); n != 1 {
		t.Errorf("%d checks where one request is left", n)
	}
	if n := newRates(0, 3, clock.Now).grants(key, true, 10); n != 3 {
		t.Errorf("%d checks without a limit of requests, want 3", n)
	}
	if n := newRates(0, 0, clock.Now).grants(key, true, 10_000); n != 10_000 {
		t.Errorf("%d without limits", n)
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	clock, key := newHandClock(), newKey()
	r := newRates(4, 2, clock.Now)
	for i, want := range []struct {
		isCheck bool
		level
	}{
		{false, level{4, 3, 250 * time.Millisecond, false}},
		{true, level{2, 1, 500 * time.Millisecond, false}},
		{false, level{4, 1, 750 * time.Millisecond, false}},
		{true, level{4, 0, time.Second, false}},
		{false, level{4, 0, time.Second, true}},
	} {
		if got := r.take(key, want.isCheck); got != want.level {
			t.Errorf("request %d: %+v, want %+v", i, got, want.level)
		}
	}
}

// However many keys there are, only those of the last second are in memory.
func TestBucketsAreBounded(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	r := newRates(5, 5, clock.Now)
	most := 0
	for range 20_000 {
		r.take(newKey(), true)
		clock.Advance(time.Millisecond)
		most = max(most, len(r.requests.fullAt)+len(r.checks.fullAt))
	}
	if most > 2*minSweep {
		t.Errorf("%d buckets at once", most)
	}
}

// A limit counts after the key is known, and before anything else is looked at.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	p := startProbe(t, Options{RateRequests: 2, Now: clock.Now})
	ask := func(request string) response {
		return p.ask(t, "%sHost: molar\r\n\r\n", request)
	}
	get := "GET /ok HTTP/1.1\r\nAuthorization: Bearer " + goodSecret + "\r\n"
	for i, want := range []string{"1 1", "0 1"} {
		a := ask(get)
		if got := a.Header.Get("RateLimit-Remaining") + " " + a.Header.Get("RateLimit-Reset"); a.StatusCode != 200 || got != want ||
			a.Header.Get("RateLimit-Limit") != "2" {
			t.Errorf("request %d: %d %v", i, a.StatusCode, a.Header)
		}
	}
	for _, request := range []string{
		get,
		"POST /echo HTTP/1.1\r\nAuthorization: Bearer " + goodSecret + "\r\nContent-Length: 5000000\r\n",
		"POST /upload HTTP/1.1\r\nAuthorization: Bearer " + goodSecret + "\r\n",
	} {
		a := ask(request)
		wantStatus(t, a, 429, billing.CodeTooManyRequests)
		for name, want := range map[string]string{"Retry-After": "1", "RateLimit-Limit": "2", "RateLimit-Remaining": "0", "RateLimit-Reset": "1"} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%q: %s is %q", request, name, got)
			}
		}
	}
	// What comes before it, and other keys, are not limited.
	for range 5 {
		wantStatus(t, ask("GET /ok HTTP/1.1\r\nAuthorization: Bearer bad\r\n"), 401, billing.CodeUnauthorized)
		wantStatus(t, ask("GET /nowhere HTTP/1.1\r\nAuthorization: Bearer "+goodSecret+"\r\n"), 404, billing.CodeNotFound)
	}
	reading := "POST /echo HTTP/1.1\r\nAuthorization: Bearer " + readSecret + "\r\n"
	wantStatus(t, ask(reading), 403, billing.CodePermissionDenied)
	wantStatus(t, ask(reading), 403, billing.CodePermissionDenied)
	wantStatus(t, ask(reading), 429, billing.CodeTooManyRequests)
	// Operations without a key have a limit together.
	wantStatus(t, ask("GET /smuggled HTTP/1.1\r\n"), 200, "")
	wantStatus(t, ask("GET /smuggled HTTP/1.1\r\nAuthorization: Bearer "+goodSecret+"\r\n"), 200, "")
	wantStatus(t, ask("GET /smuggled HTTP/1.1\r\n"), 429, billing.CodeTooManyRequests)

	clock.Advance(500 * time.Millisecond)
	wantStatus(t, ask(get), 200, "")
	wantStatus(t, ask(get), 429, billing.CodeTooManyRequests)
}

// Without limits no reply speaks of them.
func TestNoRateLimit(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	p := startProbe(t, Options{Now: clock.Now})
	w := dial(t, p.addr)
	for range 500 {
		w.Send("GET /ok HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer %s\r\n\r\n", goodSecret)
		if a := w.reply(); a.StatusCode != 200 || a.Header.Get("RateLimit-Limit") != "" {
			t.Fatalf("%d %v", a.StatusCode, a.Header)
		}
	}
}

// Checks have a limit of their own; what is refused leaves no trace, and its key
// may be used again.
func TestRateLimitOfChecks(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	s := startService(t, func(with *setup) { with.checks, with.now = 2, clock.Now })
	question := s.question("ACTIVE-BASIC", nil)
	for i := range 2 {
		a := s.must(t, 200, call{path: "/eligibility", body: question})
		if got := a.Header.Get("RateLimit-Remaining"); got != strconv.Itoa(1-i) {
			t.Errorf("check %d: %v", i, a.Header)
		}
	}
	third := call{path: "/eligibility", body: question, idem: "third"}
	wantStatus(t, s.do(t, third), 429, billing.CodeTooManyRequests)
	if list := s.walk(t, "/eligibility?limit=10"); len(list) != 2 {
		t.Errorf("%d checks", len(list))
	}
	for range 10 {
		s.must(t, 200, call{path: "/offices"})
	}
	clock.Advance(time.Second)
	if a := s.must(t, 200, third); a.Header.Get("Idempotent-Replayed") != "" {
		t.Error("the refused check was kept")
	}
}

// Every operation of the contract can be refused for its rate.
func TestContractHasRateLimits(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			r := op.Responses.Value("429")
			if r == nil {
				t.Errorf("%s %s has no 429", method, path)
				continue
			}
			for _, name := range []string{"Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"} {
				if r.Value.Headers[name] == nil {
					t.Errorf("%s %s: 429 has no %s", method, path, name)
				}
			}
		}
	}
}

// TestStrangersShareNoBucket lets strangers use up what they may send before they are
// identified. A person elsewhere signs in nevertheless.
func TestStrangersShareNoBucket(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	s, err := newServer(Options{RateRequests: 2, Now: clock.Now, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		[]route{{http.MethodGet, "/open", caller.NeedNothing, noBody, func(*exchange) (*reply, error) {
			return &reply{status: http.StatusOK, body: 1}, nil
		}}}, identifier{key: identify})
	if err != nil {
		t.Fatal(err)
	}
	addr := serve(t, s)
	for n, c := range []struct {
		from   string
		status int
	}{
		{"198.51.100.1", 200},
		{"198.51.100.1", 200},
		{"198.51.100.1", 429},
		{"::ffff:198.51.100.1", 429},
		{"2001:db8::1", 200}, // one /64
		{"2001:db8::2", 200},
		{"2001:db8::3", 429},
		{"198.51.100.2", 200},
		{"2001:db8:0:1::1", 200},
	} {
		w := dial(t, addr)
		w.Send("GET /open HTTP/1.1\r\nHost: molar\r\nX-Forwarded-For: %s\r\n\r\n", c.from)
		if a := w.reply(); a.StatusCode != c.status {
			t.Errorf("request %d, from %s: %d, want %d", n, c.from, a.StatusCode, c.status)
		}
	}
}
