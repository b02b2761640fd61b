package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// hook is a webhook request as a receiver received it.
type hook struct {
	header http.Header
	body   []byte
}

func (h hook) event(t *testing.T) (e struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Data struct {
		ID string `json:"id"`
	} `json:"data"`
},
) {
	t.Helper()
	if err := json.Unmarshal(h.body, &e); err != nil {
		t.Errorf("posted %q: %v", h.body, err)
	}
	return e
}

// receiver is a receiver on this machine that can go away and come back.
type receiver struct {
	t    *testing.T
	addr string
	srv  *http.Server
	mu   sync.Mutex
	got  []hook
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, addr: freeAddr(t)}
	r.up()
	t.Cleanup(r.down)
	return r
}

func (r *receiver) url() string { return "http://" + r.addr + "/hooks" }

func (r *receiver) up() {
	r.t.Helper()
	var ln net.Listener
	await(r.t, "the receiver's port", func() (ok bool) {
		var err error
		ln, err = net.Listen("tcp", r.addr)
		return err == nil
	})
	srv := &http.Server{Handler: r}
	r.srv = srv
	go func() { _ = srv.Serve(ln) }()
}

func (r *receiver) down() { _ = r.srv.Close() }

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	b, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	r.got = append(r.got, hook{q.Header, b})
	r.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) hooks() []hook {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// resources lists the resources of the events, in order. An immediate
// repetition counts once, because receivers must expect one.
func (r *receiver) resources() (ids []string) {
	for _, h := range r.hooks() {
		ids = append(ids, h.event(r.t).Data.ID)
	}
	return slices.Compact(ids)
}

// command is the molar command of a user with a folder and a molar dev of their
// own.
type command struct {
	t   *testing.T
	env []string
}

func newCommand(t *testing.T, env ...string) command {
	t.Helper()
	return command{t, append(env, "XDG_CONFIG_HOME="+t.TempDir())}
}

// run returns what a command printed, and its exit code.
func (c command) run(args ...string) (stdout, stderr string, code int) {
	c.t.Helper()
	var out, err bytes.Buffer
	cmd := exec.CommandContext(c.t.Context(), filepath.Join(binaries(c.t), "molar"), args...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); e != nil {
		if _, ok := errors.AsType[*exec.ExitError](e); !ok {
			c.t.Fatal(e)
		}
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// good runs a command that must succeed.
func (c command) good(args ...string) string {
	c.t.Helper()
	out, err, code := c.run(args...)
	if code != 0 {
		c.t.Errorf("molar %v ended with %d: %s", args, code, err)
	}
	return out
}

// bad runs a command that must fail with the words in its message.
func (c command) bad(want string, args ...string) {
	c.t.Helper()
	if out, err, code := c.run(args...); code != 1 || !strings.Contains(err, want) || out != "" {
		c.t.Errorf("molar %v ended with %d, printed %q and reported %q; want 1 and %q", args, code, out, err, want)
	}
}

// listening starts molar listen, and waits until it listens.
func (c command) listening(args ...string) (*process, *lockedBuffer) {
	c.t.Helper()
	p, out := newProcess(c.t, "molar", c.env, append([]string{"listen"}, args...)...), &lockedBuffer{}
	p.start(out)
	await(c.t, "molar listen", func() bool { return strings.Contains(out.String()+p.log(), "Ctrl-C") })
	return p, out
}

// TestListenLosesNothing kills molar listen, the receiver and molar dev in turn
// while checks are made, and expects the event of each, in order, correctly
// signed.
func TestListenLosesNothing(t *testing.T) {
	t.Parallel()
	rounds := rounds(t, 3)
	dir, hooks := t.TempDir(), newReceiver(t)
	dev, r := startDev(t, []string{"MOLAR_OPS_LISTEN=" + freeAddr(t)}, dir, "--addr", freeAddr(t))
	listen, out := newCommand(t).listening("--data", dir, "--forward-to", hooks.url())
	secret := wordAfter(out.String(), "Secret")

	stop, done := make(chan struct{}), make(chan []string)
	go func() { done <- makeChecks(t, r, stop) }()
	for range rounds {
		for _, victim := range []struct{ kill, restart func() }{
			{listen.kill, func() { listen.start(out) }},
			{hooks.down, hooks.up},
			{dev.kill, func() { readReady(t, dev) }},
			{func() { listen.kill(); dev.kill() }, func() { listen.start(out); readReady(t, dev) }},
			{func() { hooks.down(); listen.kill() }, func() { listen.start(out); hooks.up() }},
		} {
			had := len(hooks.hooks())
			await(t, "an event", func() bool { return len(hooks.hooks()) > had })
			victim.kill()
			pause(100 * time.Millisecond)
			victim.restart()
		}
	}
	close(stop)
	want := <-done
	await(t, "every event", func() bool { return len(hooks.resources()) >= len(want) })
	if got := hooks.resources(); !slices.Equal(got, want) {
		t.Errorf("of %d checks the events are\n%v\nwant\n%v", len(want), got, want)
	}
	for _, h := range hooks.hooks() {
		verifyHook(t, h, secret)
	}
	t.Logf("%d checks, %d posts", len(want), len(hooks.hooks()))
	for message, most := range map[string]int{"The receiver is not running": 2 * rounds, "Waiting: ": 2 * rounds} {
		if n := strings.Count(listen.log(), message); n > most {
			t.Errorf("%q was reported %d times, want at most %d: once for each time", message, n, most)
		}
	}
}

// makeChecks makes checks one after another, each until its reply, and returns
// their IDs.
func makeChecks(t *testing.T, r ready, stop <-chan struct{}) (ids []string) {
	t.Helper()
	for n := 0; ; n++ {
		for {
			got, err := check(t.Context(), http.DefaultClient, r.BaseURL, r.Keys["test"], fmt.Sprint("listen-", n), checkBody(r.Offices["test"], "-ACTIVE-BASIC", n))
			if err == nil && got.status == http.StatusOK {
				ids = append(ids, idOf(got))
				break
			}
			if t.Context().Err() != nil {
				return ids
			}
			pause(20 * time.Millisecond)
		}
		select {
		case <-stop:
			return ids
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func verifyHook(t *testing.T, h hook, secret string) {
	t.Helper()
	unix, err := strconv.ParseInt(h.header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		t.Error(err)
	}
	want, err := webhook.Secret(secret).Sign(h.header.Get("webhook-id"), time.Unix(unix, 0), h.body)
	if err != nil || h.header.Get("webhook-signature") != want || h.header.Get("webhook-id") != h.event(t).ID {
		t.Errorf("%v of %s: %v", h.header, h.body, err)
	}
}

// wordAfter returns the word that follows a name in the output of a command.
func wordAfter(out, name string) string {
	_, after, _ := strings.Cut(out, name+" ")
	word, _, _ := strings.Cut(after, "\n")
	return word
}

func TestListen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, r := startDev(t, nil, dir)
	c := newCommand(t)
	trigger := func(kind string) string { return strings.Fields(c.good("trigger", kind, "--data", dir))[1] }
	first, second, third := trigger("eligibility.completed"), trigger("payer_request.received"), trigger("eligibility.completed")

	// One listens from an event on, including it; another from now on; a third to one type.
	all, now, some := newReceiver(t), newReceiver(t), newReceiver(t)
	p, out := c.listening("--data", dir, "--forward-to", all.url(), "--since", first, "--print-data", "--json")
	_, nowOut := c.listening("--data", dir, "--forward-to", now.url())
	c.listening("--data", dir, "--forward-to", some.url(), "--since", "1h", "--events", "payer_request.received,claim.paid")
	fourth := trigger("payer_request.received")
	for _, w := range []struct {
		at   *receiver
		want []string
	}{{all, []string{first, second, third, fourth}}, {now, []string{fourth}}, {some, []string{second, fourth}}} {
		await(t, "the last event", func() bool {
			got := w.at.hooks()
			return len(got) > 0 && got[len(got)-1].event(t).ID == fourth
		})
		var got []string
		for _, h := range w.at.hooks() {
			got = append(got, h.event(t).ID)
			verifyHook(t, h, strings.TrimSpace(c.good("listen", "--print-secret")))
			if _, body := get(t, r.BaseURL+"/events/"+h.event(t).ID, r.Keys["test"]); strings.TrimSpace(body) != string(h.body) {
				t.Errorf("posted\n%s\nand the API gives\n%s", h.body, body)
			}
		}
		if !slices.Equal(got, w.want) {
			t.Errorf("posted %v, want %v", got, w.want)
		}
	}
	if secret := strings.TrimSpace(c.good("listen", "--print-secret")); secret != wordAfter(nowOut.String(), "Secret") {
		t.Error("the secret printed at the start is another")
	}

	c.bad("another molar listen", "listen", "--data", dir, "--forward-to", all.url())
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-p.done
	if code := p.cmd.ProcessState.ExitCode(); code != 0 || !strings.Contains(p.log(), "Stopped.") {
		t.Errorf("Ctrl-C ended it with %d: %s", code, p.log())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var last map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || len(lines) != 4 ||
		values(last, "event_id status outcome event.id type") != fourth+" 204 delivered "+fourth+" payer_request.received" {
		t.Errorf("%d lines, %v, the last %v", len(lines), err, last)
	}
	t.Run("goes on where it left off", func(t *testing.T) {
		fifth := trigger("eligibility.completed")
		again := c
		again.t = t
		again.listening("--data", dir, "--forward-to", all.url(), "--since", "1ms")
		await(t, "the event of the meantime", func() bool { return len(all.hooks()) == 5 })
		if id := all.hooks()[4].event(t).ID; id != fifth {
			t.Errorf("posted %s, want %s", id, fifth)
		}
	})
}

func TestListenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, r := startDev(t, nil, dir)
	c := newCommand(t)
	const to = "http://localhost:1/hooks"
	c.bad("--forward-to", "listen", "--data", dir)
	c.bad("on this machine", "listen", "--data", dir, "--forward-to", "http://example.com/hooks")
	c.bad("claim.denied", "listen", "--data", dir, "--forward-to", to, "--events", "claim.lost")
	c.bad("--since", "listen", "--data", dir, "--forward-to", to, "--since", "later")
	c.bad("whsec_", "listen", "--data", dir, "--forward-to", to, "--secret", "secret")
	c.bad("404 NOT_FOUND", "listen", "--data", dir, "--forward-to", to, "--since", billing.NewID[billing.EventID](billing.RealAt(time.Now())).String())
	c.bad("401 UNAUTHORIZED", "listen", "--forward-to", to, "--api-url", r.BaseURL, "--api-key", caller.NewKeySecret(billing.ModeTest))
	c.bad("403 PERMISSION_DENIED", "listen", "--forward-to", to, "--api-url", r.BaseURL, "--api-key", r.Keys["test_submit"])
	c.bad("no API key", "listen", "--data", dir, "--forward-to", to, "--api-url", "http://127.0.0.1:1")
	c.bad("extra", "listen", "--data", dir, "extra")
}
