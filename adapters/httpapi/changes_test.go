package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/changes"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// patient are the times of streams on a busy machine: a check of the callers that is
// late ends none.
func patient() changes.Times {
	times := changes.DefaultTimes()
	times.Trust = 10 * time.Minute
	return times
}

// another starts one more process of the service, which shares only the database. Stop
// ends it as if it were killed: it says nothing to its clients.
func (s *service) another(t *testing.T, adjust ...func(*Options)) (other *service, stop func()) {
	t.Helper()
	o := s.options
	o.Access = access.New(s.store, o.Payers, &porttest.Clock{}, nil)
	o.Changes = changes.New(s.store, &porttest.Clock{}, patient(), slog.New(slog.DiscardHandler))
	for _, change := range adjust {
		change(&o)
	}
	server, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	during(t, func(context.Context) { _ = o.Changes.Run(ctx) })
	t.Cleanup(cancel)
	ln := &severed{Listener: rawtest.Listen(t)}
	rawtest.Serve(t, server, ln)
	copied := service{server: server, addr: ln.Addr().String(), store: s.store, org: s.org, test: s.test, office: s.office, key: s.key, read: s.read, live: s.live, other: s.other}
	return &copied, func() {
		cancel()
		ln.mu.Lock()
		defer ln.mu.Unlock()
		for _, c := range ln.accepted {
			_ = c.Close()
		}
	}
}

// severed is a listener whose connections a test closes.
type severed struct {
	net.Listener
	mu       sync.Mutex
	accepted []net.Conn
}

func (s *severed) Accept() (net.Conn, error) {
	c, err := s.Listener.Accept()
	if err == nil {
		s.mu.Lock()
		s.accepted = append(s.accepted, c)
		s.mu.Unlock()
	}
	return c, err
}

// follower is a client that has a stream open.
type follower struct {
	t     *testing.T
	reply *http.Response
	r     *bufio.Reader
	last  string // the ID of the last event that had one
	text  string // what was read
}

func keyHeader(secret string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + secret}
}

// tryFollow opens a stream.
func (s *service) tryFollow(t *testing.T, headers map[string]string) *follower {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr+streamPath, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	reply, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reply.Body.Close() })
	checkHeaders(t, reply)
	return &follower{t: t, reply: reply, r: bufio.NewReader(reply.Body)}
}

// follow opens a stream, and reads the reset at its begin.
func (s *service) follow(t *testing.T, headers map[string]string) *follower {
	t.Helper()
	f := s.tryFollow(t, headers)
	if f.reply.StatusCode != http.StatusOK || f.reply.Header.Get("Content-Type") != "text/event-stream" || !f.reply.Close {
		t.Fatalf("status %d, %v", f.reply.StatusCode, f.reply.Header)
	}
	if e, _, ok := f.next(); e != "reset" || !ok || f.last == "" {
		t.Fatalf("the stream begins with %q %v %q", e, ok, f.last)
	}
	return f
}

// next reads the next event. It returns false at the end of the stream.
func (f *follower) next() (e string, c changeJSON, ok bool) {
	f.t.Helper()
	data := ""
	for {
		line, err := f.r.ReadString('\n')
		if err != nil {
			return e, c, false
		}
		f.text += line
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "event":
			e = value
		case "data":
			data = value
		case "id":
			f.last = value
		case "":
			if e == "" {
				continue // a comment
			}
			if err := json.Unmarshal([]byte(data), &c); err != nil || e == "reset" && data != "{}" {
				f.t.Fatalf("%s with %s: %v", e, data, err)
			}
			return e, c, true
		}
	}
}

// shows reads the changes of these resources, in any order, and nothing else before
// the last of them.
func (f *follower) shows(ids ...string) {
	f.t.Helper()
	for left := slices.Clone(ids); len(left) > 0; {
		e, c, ok := f.next()
		if e != "change" || !ok || !slices.Contains(ids, c.ID) {
			f.t.Fatalf("the stream has %q %+v %v, want the changes of %v", e, c, ok, left)
		}
		left = slices.DeleteFunc(left, func(id string) bool { return id == c.ID })
	}
}

// ends reads the stream to its end.
func (f *follower) ends() {
	for ok := true; ok; {
		_, _, ok = f.next()
	}
}

// officeOf adds an office, which is one change.
func (s *service) officeOf(t *testing.T, key string) string {
	t.Helper()
	return s.must(t, 201, call{path: "/offices", body: `{"name":"New","npi":"1234567893"}`, key: key}).text(t, "id")
}

// inside returns the browser's headers for another process: the name of a cookie has
// the port.
func (v visitor) inside(from, to *service) map[string]string {
	port := func(s *service) string { return "_" + s.addr[strings.LastIndex(s.addr, ":")+1:] + "=" }
	return v.with("Cookie", strings.ReplaceAll(v.headers["Cookie"], port(from), port(to))).headers
}

// A change through one process is on the streams of the scope in every process, and on
// no other.
func TestFollow(t *testing.T) {
	t.Parallel()
	s := startService(t)
	second, _ := s.another(t)
	viewer := s.visits(t, s.org, "viewer@example.com", caller.RoleViewer)
	own := []*follower{
		s.follow(t, keyHeader(s.key)), second.follow(t, keyHeader(s.read)), s.follow(t, viewer.headers), second.follow(t, viewer.inside(s, second)),
	}
	foreign := map[string]*follower{s.live: second.follow(t, keyHeader(s.live)), s.other: second.follow(t, keyHeader(s.other))}
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)}).text(t, "id")
	e := s.walk(t, "/events?resource_id="+check)[0]
	for _, f := range own {
		f.shows(check, e)
	}
	office := s.officeOf(t, s.key)
	for _, f := range own {
		f.shows(office)
	}
	for key, f := range foreign {
		f.shows(s.officeOf(t, key)) // and nothing before it
	}

	logged := func() string { return s.must(t, 200, call{path: "/requests?operation=GET%20/stream"}).body }
	porttest.Await(t, "the streams are in the request log", func() bool { return strings.Count(logged(), `"status":200`) == 2 })
	if n := len(s.server.inProgress.of); n != 0 {
		t.Errorf("%d organizations have requests in progress", n)
	}
	if head := s.must(t, 200, call{path: "/stream", method: "HEAD"}); head.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD: %v", head.Header)
	}
}

// A stream ends when its caller may not follow it any longer, and no other stream does.
func TestFollowingEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	s := startService(t)
	second, _ := s.another(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	user := func(name string) visitor { return s.visits(t, s.org, name+"@example.com", caller.RoleBiller) }
	out, off, demoted, renewed := user("out"), user("off"), user("demoted"), user("renewed")
	patch := func(v visitor, by visitor, body string) {
		s.must(t, 200, by.call(call{method: "PATCH", path: "/users/" + v.user.String(), body: body}))
	}
	patch(renewed, renewed, `{"password":"`+password+`"}`) // a first one ends no session in which it is chosen
	secret := s.issue(t, s.test, "read")
	key, err := s.access.Authenticate(t.Context(), secret, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	stays := []*follower{second.follow(t, owner.inside(s, second)), second.follow(t, keyHeader(s.read))}
	for name, c := range map[string]struct {
		headers map[string]string
		end     func()
	}{
		"a revoked key": {keyHeader(secret), func() {
			s.must(t, 200, owner.call(call{method: "POST", path: "/api_keys/" + key.ID.String() + "/revoke"}))
		}},
		"a session that was ended": {out.inside(s, second), func() { s.must(t, 204, owner.call(call{method: "DELETE", path: "/sessions/" + out.session})) }},
		"a disabled user":          {off.inside(s, second), func() { patch(off, owner, `{"state":"disabled"}`) }},
		"another role":             {demoted.inside(s, second), func() { patch(demoted, owner, `{"role":"viewer"}`) }},
		"another password": {renewed.inside(s, second), func() {
			patch(renewed, renewed, `{"current_password":"`+password+`","password":"`+password+` anew"}`)
		}},
	} {
		f := second.follow(t, c.headers)
		c.end()
		f.ends()
		porttest.Await(t, name+" is refused", func() bool {
			again := second.tryFollow(t, c.headers)
			_ = again.reply.Body.Close()
			return again.reply.StatusCode == http.StatusUnauthorized
		})
	}
	office := s.officeOf(t, s.key)
	for _, f := range stays {
		f.seen(office)
	}
}

// A stream is not a sign that a person is there.
func TestFollowingLetsASessionIdle(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	secret, used := caller.NewToken(), time.Now().Add(-20*time.Minute).Truncate(time.Microsecond)
	idle := &caller.Session{ID: billing.NewID[billing.SessionID](billing.RealAt(used)), Org: s.org, User: owner.user, CreatedAt: used, UsedAt: used}
	porttest.System(t, s.store, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.SignedIn.Insert(ctx, idle, caller.TokenDigest(secret))
	})
	f := s.follow(t, owner.with("Cookie", strings.Split(owner.headers["Cookie"], "=")[0]+"="+secret).headers)
	f.shows(s.officeOf(t, s.key))
	list := s.must(t, 200, owner.call(call{path: "/sessions"})).body
	if !strings.Contains(list, `"used_at":"`+event.Timestamp(used)+`"`) {
		t.Errorf("sessions are %s", list)
	}
}

// A client whose process is killed continues at another, and misses nothing.
func TestFollowingContinues(t *testing.T) {
	t.Parallel()
	s := startService(t)
	doomed, kill := s.another(t)
	f := doomed.follow(t, keyHeader(s.key))
	seen := s.officeOf(t, s.key)
	f.shows(seen)
	kill()
	f.ends()
	missed := s.officeOf(t, s.key)
	from := func(id string) *follower {
		headers := keyHeader(s.key)
		headers["Last-Event-ID"] = id
		return s.tryFollow(t, headers)
	}
	next := from(f.last)
	for id := ""; id != missed; { // what was seen may come again
		e, c, ok := next.next()
		if id = c.ID; e != "change" || !ok || id != missed && id != seen {
			t.Fatalf("it continues with %s %+v %v, want %s", e, c, ok, missed)
		}
	}
	next.shows(s.officeOf(t, s.key))

	scope := billing.Scope{Org: s.org, Mode: billing.ModeTest}
	ids := cursors{s.options.CursorKey}
	last := ids.mark(scope, f.last)
	old := event.Mark{Time: time.Now().Add(-3 * time.Minute), Horizon: last.Horizon}
	live := billing.Scope{Org: s.org, Mode: billing.ModeLive}
	plain := fmt.Sprint(last.Time.Unix(), "-", last.Horizon) // without a signature
	for _, id := range []string{ids.markID(scope, old), ids.markID(live, last), plain, "x", f.last + "00", strings.Repeat("9", 32)} {
		if e, _, _ := from(id).next(); e != "reset" {
			t.Errorf("after %s: %s", id, e)
		}
	}
}

// When the record of changes has a gap, the client is asked to load everything again.
func TestFollowingResets(t *testing.T) {
	t.Parallel()
	s := startService(t)
	f := s.follow(t, keyHeader(s.key))
	porttest.System(t, s.store, func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Changes.Forget(ctx, time.Now().Add(24*time.Hour)) // with the watch
		return err
	})
	if e, _, ok := f.next(); e != "reset" || !ok {
		t.Errorf("%s %v", e, ok)
	}
	f.shows(s.officeOf(t, s.key))
	s.manyChecks(t, 1001)
	if e, _, ok := f.next(); e != "reset" || !ok {
		t.Errorf("after 1,001 changes in one transaction: %s %v", e, ok)
	}
	f.shows(s.officeOf(t, s.key))
}

// manyChecks stores pending checks in one transaction.
func (s *service) manyChecks(t *testing.T, n int) {
	t.Helper()
	porttest.In(t, s.store, s.test, func(ctx context.Context, tx ports.Tx) error {
		for range n {
			now := time.Now()
			if err := tx.Checks.Insert(ctx, &coverage.Check{
				ID: billing.NewID[billing.CheckID](billing.RealAt(now)), Scope: s.test, OfficeID: s.office, State: coverage.CheckPending, CreatedAt: now,
				Payer: directory.PayerSummary{ID: billing.NewID[billing.PayerID](billing.RealAt(now)), PayerID: "CHTEST"},
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// A reader that does not read is cut off.
func TestFollowingSlowly(t *testing.T) {
	t.Parallel()
	s := startService(t)
	w := dial(t, s.addr)
	if err := w.SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	w.Send("GET %s HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer %s\r\n\r\n", streamPath, s.read)
	reads := s.follow(t, keyHeader(s.key))
	porttest.Await(t, "both streams are open", func() bool { return s.server.openStreams() == 2 })
	porttest.Await(t, "the slow reader is cut off", func() bool {
		s.manyChecks(t, 400)
		for range 400 {
			if e, _, ok := reads.next(); e != "change" || !ok {
				t.Fatalf("the other reader has %s %v", e, ok)
			}
		}
		return s.server.openStreams() == 1
	})
}

// openStreams returns the number of open streams.
func (s *Server) openStreams() (n int) {
	s.streaming.mu.Lock()
	defer s.streaming.mu.Unlock()
	for _, of := range s.streaming.of {
		n += of
	}
	return n
}

func TestFollowingEndsWithTheConnection(t *testing.T) {
	t.Parallel()
	s := startService(t)
	f := s.follow(t, keyHeader(s.key))
	if err := f.reply.Body.Close(); err != nil {
		t.Fatal(err)
	}
	porttest.Await(t, "the stream is closed", func() bool { return s.server.openStreams() == 0 })
}

// A server that stops waits for no stream.
func TestFollowingEndsAtShutdown(t *testing.T) {
	t.Parallel()
	s := startService(t)
	second, _ := s.another(t, func(o *Options) { o.DrainTimeout = time.Hour })
	f := second.follow(t, keyHeader(s.key))
	if err := second.server.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(f.r); err != nil || strings.Contains(string(rest), "event:") {
		t.Errorf("the stream ends with %q, %v", rest, err)
	}
}

// A thousand streams leave the process free for checks, and each has its changes. One
// caller and one organization have limits.
func TestManyFollow(t *testing.T) {
	t.Parallel()
	s := startService(t)
	second, _ := s.another(t, func(o *Options) { o.Limits.Streams = 4000 })
	var open []*follower
	for range 50 {
		secret := s.issue(t, s.test, "read")
		for range 20 {
			open = append(open, second.follow(t, keyHeader(secret)))
		}
		second.tooMany(t, secret, "The API key or user")
	}
	second.tooMany(t, s.key, "The organization")
	other := second.follow(t, keyHeader(s.other))
	second.keys.Store(1 << 20)
	var checks []string
	for range 20 {
		checks = append(checks, second.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil), header: map[string]string{"Cache-Control": "no-cache"}}).text(t, "id"))
	}
	for _, f := range open {
		f.seen(checks...)
	}
	other.shows(s.officeOf(t, s.other))
	_ = open[0].reply.Body.Close()
	porttest.Await(t, "a place is free", func() bool { return second.server.openStreams() == 1000 })
	second.follow(t, keyHeader(s.key)).shows(s.officeOf(t, s.key))
}

// seen reads until the changes of all of these resources came.
func (f *follower) seen(ids ...string) {
	f.t.Helper()
	for left := slices.Clone(ids); len(left) > 0; {
		e, c, ok := f.next()
		if e != "change" || !ok {
			f.t.Fatalf("the stream has %q %v, want the changes of %v", e, ok, left)
		}
		left = slices.DeleteFunc(left, func(id string) bool { return id == c.ID })
	}
}

// tooMany tries to open one more stream.
func (s *service) tooMany(t *testing.T, secret, who string) {
	t.Helper()
	f := s.tryFollow(t, keyHeader(secret))
	body, err := io.ReadAll(f.reply.Body)
	if f.reply.StatusCode != http.StatusTooManyRequests || !strings.Contains(string(body), who+" has the maximum") || f.reply.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s, %v", f.reply.StatusCode, f.reply.Header, body, err)
	}
}

func TestEventStream(t *testing.T) {
	t.Parallel()
	at := event.Mark{Time: time.Unix(1795379848, 0), Horizon: 821}
	plain := func(m event.Mark) string { return fmt.Sprint(m.Time.Unix(), "-", m.Horizon) }
	claim := event.Change{Kind: event.ChangedClaim, ID: [16]byte{1}}
	for want, u := range map[string]changes.Update{
		":\n\n":                     {},
		":\nid: 1795379848-821\n\n": {Mark: at},
		"event: reset\ndata: {}\nid: 1795379848-821\n\n": {Reset: true, Mark: at},
		"event: change\ndata: {\"object\":\"claim\",\"id\":\"clm_01000000000000000000000000\"}\n\n" +
			"event: change\ndata: {\"object\":\"claim\",\"id\":\"clm_01000000000000000000000000\"}\nid: 1795379848-821\n\n": {
			Changes: []event.Change{claim, claim}, Mark: at,
		},
	} {
		if got := string(eventStream(u, plain)); got != want {
			t.Errorf("%+v is\n%s\nwant\n%s", u, got, want)
		}
	}
}
