package httpapi

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

func TestQuotas(t *testing.T) {
	t.Parallel()
	org := func(n int) billing.OrgID { return billing.OrgID{byte(n)} }
	s := tally{shared: true}
	begin := func(of billing.OrgID) (n int) {
		for s.begin(of, 20) {
			n++
		}
		return n
	}
	for n := range 4 {
		if got := begin(org(n)); got != 5 {
			t.Errorf("organization %d has %d requests under way, want a quarter of 20", n, got)
		}
	}
	if got := begin(org(4)); got != 4 { // of five with requests under way
		t.Errorf("a fifth organization has %d, want a fifth of 20", got)
	}
	s.end(org(0))
	if s.begin(org(0), 20) {
		t.Error("an organization has more than a fifth beside four others")
	}
	for n := range 5 {
		for s.of[org(n)] > 0 {
			s.end(org(n))
		}
	}
	if got := begin(org(1)); got != 5 {
		t.Errorf("when the others have ended it has %d, want 5", got)
	}
	small := tally{shared: true}
	if !small.begin(org(1), 1) || small.begin(org(1), 1) || !small.begin(org(2), 1) {
		t.Error("each may have one request, whatever the places")
	}
}

// TestFloodOfOneOrganization has an organization take all the places it may: its
// next request is refused, another organization's is not, and a place that is
// free again is taken.
func TestFloodOfOneOrganization(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{Limits: Limits{Requests: 12}})
	wait := rawtest.Head("/wait", "Content-Length: 0") + "\r\n"
	var held []*rawConn
	for range 3 {
		w := dial(t, p.addr)
		w.Send("%s", wait)
		<-p.waiting
		held = append(held, w)
	}
	w := dial(t, p.addr)
	w.Send("%s", wait)
	a := w.reply()
	wantStatus(t, a, 429, billing.CodeTooManyRequests)
	if a.Header.Get("Retry-After") == "" || a.Close {
		t.Errorf("Retry-After is %q, and the connection closes: %t", a.Header.Get("Retry-After"), a.Close)
	}
	other := dial(t, p.addr)
	other.Send("%s", strings.Replace(wait, goodSecret, thirdSecret, 1))
	<-p.waiting
	for range 4 {
		p.release <- struct{}{}
	}
	for _, w := range append(held, other) {
		wantStatus(t, w.reply(), 200, "")
	}
	w.Send("%s", wait)
	<-p.waiting
	p.release <- struct{}{}
	wantStatus(t, w.reply(), 200, "")
}

// TestClockIncludesTheKey looks a key up slowly, before the body is read and
// after: the deadline of the request is counted from when it arrived.
func TestClockIncludesTheKey(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{RequestTimeout: time.Hour})
	var mu sync.Mutex
	var looked time.Time // when the first look-up came
	p.server.identifier.key = func(ctx context.Context, secret string, from netip.Addr) (*caller.APIKey, error) {
		mu.Lock()
		if looked.IsZero() {
			looked = time.Now()
		}
		mu.Unlock()
		<-time.After(20 * time.Millisecond)
		return identify(ctx, secret, from)
	}
	deadlines := make(chan time.Time, 1)
	for i := range p.server.routes {
		if r := &p.server.routes[i]; r.path == "/echo" {
			r.handle = func(x *exchange) (*reply, error) {
				d, _ := x.ctx.Deadline()
				deadlines <- d
				return &reply{status: 200, body: "ok"}, nil
			}
		}
	}
	w := dial(t, p.addr)
	for range 2 { // also the second request of a connection
		mu.Lock()
		looked = time.Time{}
		mu.Unlock()
		w.Send("%s\r\n%s", rawtest.Head("/echo", "Content-Length: 2"), "{}")
		if deadline := <-deadlines; deadline.After(looked.Add(time.Hour)) {
			t.Errorf("the deadline is %s later than an hour after the key was looked up", deadline.Sub(looked.Add(time.Hour)))
		}
		wantStatus(t, w.reply(), 200, "")
	}
}

// all is what all have in progress, and how many are known beyond that.
func (t *tally) all() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, of := range t.of {
		n += max(1, of)
	}
	return n
}
