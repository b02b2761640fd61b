package journeys_test

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"
)

// findChromium returns the path of a Chromium. The headless shell has the same engine
// without the windows around the pages, which took a quarter of the processor's time.
func findChromium() (string, bool) {
	if shell, err := exec.LookPath("chromium-headless-shell"); err == nil {
		return shell, true
	}
	return launcher.LookPath()
}

// startChromium starts one Chromium for all journeys. It resolves no name, so
// that nothing leaves this machine.
var startChromium = sync.OnceValues(func() (*rod.Browser, error) {
	program, ok := findChromium()
	if !ok {
		return nil, errors.New("no Chromium here: go tool -modfile=.ci/tools/go.mod task deps installs it, or apt-get install chromium-headless-shell")
	}
	flags := launcher.New().Leakless(false).NoSandbox(true).Headless(true).UserDataDir(filepath.Join(folder(), "chromium")).
		Set("disable-gpu").Set("lang", "en-US").Set("hide-scrollbars").Set("mute-audio").Set("disable-component-update").
		Set("js-flags", "--no-opt --no-maglev"). // documents live too short to repay the optimizing compilers
		Set("disable-crash-reporter").Set("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1").FormatArgs()
	cmd := exec.Command(program, flags...)
	cmd.Env = append(os.Environ(), "TZ=America/New_York", "LANG=en_US.UTF-8")
	out, err := cmd.StderrPipe()
	if err == nil {
		err = programs.start(cmd)
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	said := ""
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "DevTools listening on "); ok {
			go func() { // else it waits to write
				for lines.Scan() {
				}
			}()
			b := rod.New().ControlURL(address).NoDefaultDevice()
			return b, b.Connect()
		}
		said += lines.Text() + "\n"
	}
	return nil, fmt.Errorf("%s ended: %s", program, said)
})

// browser is a browser of its own: it shares no cookies or storage with others.
type browser struct {
	tb     testing.TB
	origin string
	rod    *rod.Browser
}

func newBrowser(tb testing.TB, origin string) *browser {
	tb.Helper()
	chromium, err := startChromium()
	if err != nil {
		tb.Fatal(err)
	}
	own, err := chromium.Incognito()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = proto.TargetDisposeBrowserContext{BrowserContextID: own.BrowserContextID}.Call(chromium) })
	return &browser{tb, origin, own}
}

// keep stores cookies of the service.
func (b *browser) keep(cookies []*http.Cookie) {
	b.tb.Helper()
	var all []*proto.NetworkCookieParam
	for _, c := range cookies {
		all = append(all, &proto.NetworkCookieParam{
			Name: c.Name, Value: c.Value, URL: b.origin, Path: c.Path, HTTPOnly: c.HttpOnly, SameSite: proto.NetworkCookieSameSiteStrict,
		})
	}
	if err := b.rod.SetCookies(all); err != nil {
		b.tb.Fatal(err)
	}
}

// tab opens an empty tab, and watches it until the test ends. It is closed with its
// browser, which does not ask about typed text.
func (b *browser) tab() *page {
	b.tb.Helper()
	r, err := b.rod.Page(proto.TargetCreateTarget{})
	if err != nil {
		b.tb.Fatal(err)
	}
	p := &page{tb: b.tb, browser: b, rod: r, watch: &watch{origin: b.origin, requests: map[proto.NetworkRequestID]string{}}}
	for _, set := range []error{
		proto.EmulationSetFocusEmulationEnabled{Enabled: true}.Call(r),
		proto.AccessibilityEnable{}.Call(r), // keeps the tree, which each look-up made anew
		p.emulate(desktop, false),
		p.record(),
	} {
		if set != nil {
			b.tb.Fatal(set)
		}
	}
	seen := p.watch.begin(r)
	b.tb.Cleanup(func() {
		p.keepFailure()
		p.watch.end(b.tb, r, seen)
	})
	return p
}

// watch notes what a page does wrong.
type watch struct {
	origin string

	mu       sync.Mutex
	faults   []string
	requests map[proto.NetworkRequestID]string // "GET /path" of those in progress
	refusals []*refusal
	last     string // the text that ends the watch
}

// refusal is a failure that the journey expects.
type refusal struct {
	status   int
	target   string
	optional bool // it need not happen
	seen     bool
}

// begin subscribes before the page loads anything. The watch sees the events of
// a page in their order.
func (w *watch) begin(r *rod.Page) (seen chan struct{}) {
	wait := r.EachEvent(
		func(e *proto.RuntimeExceptionThrown) {
			d := e.ExceptionDetails
			text := d.Text
			if d.Exception != nil {
				text += " " + d.Exception.Description
			}
			w.fault("an exception: %s", text)
		},
		func(e *proto.RuntimeConsoleAPICalled) bool { return w.console(e) },
		func(e *proto.LogEntryAdded) {
			// Network has more about failed requests.
			if e.Entry.Level == proto.LogLogEntryLevelError && e.Entry.Source != proto.LogLogEntrySourceNetwork {
				w.fault("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
			}
		},
		// A page asks before an address leaves what is not saved, perhaps a moment longer than it
		// needs to, and waits for ever for a person.
		func(*proto.PageJavascriptDialogOpening) {
			go func() { _ = proto.PageHandleJavaScriptDialog{Accept: true}.Call(r) }()
		},
		w.sent, w.received, w.failed,
	)
	seen = make(chan struct{})
	go func() {
		wait()
		close(seen)
	}()
	return seen
}

// end waits until everything that the page did was seen, and reports it.
func (w *watch) end(tb testing.TB, r *rod.Page, seen chan struct{}) {
	tb.Helper()
	w.mu.Lock()
	w.last = "the journey ends here"
	w.mu.Unlock()
	if _, err := r.Timeout(patience).Eval("text => console.debug(text)", w.last); err != nil {
		tb.Errorf("the page does not respond: %v", err)
		return
	}
	<-seen
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, f := range w.faults {
		if !slices.Contains(w.faults[:i], f) {
			tb.Error("the page: " + f)
		}
	}
	for _, e := range w.refusals {
		if !e.seen && !e.optional {
			tb.Errorf("expected %d of %s, which the page did not request", e.status, e.target)
		}
	}
}

func (w *watch) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

func (w *watch) console(e *proto.RuntimeConsoleAPICalled) (ends bool) {
	var text []string
	for _, a := range e.Args {
		if text = append(text, a.Description); a.Description == "" {
			text[len(text)-1] = a.Value.Str()
		}
	}
	said := strings.Join(text, " ")
	switch e.Type { //nolint:exhaustive // the others are no faults
	case proto.RuntimeConsoleAPICalledTypeError, proto.RuntimeConsoleAPICalledTypeAssert, proto.RuntimeConsoleAPICalledTypeWarning:
		w.fault("console.%s: %s", e.Type, said)
	case proto.RuntimeConsoleAPICalledTypeDebug:
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.last != "" && said == w.last
	}
	return false
}

func (w *watch) sent(e *proto.NetworkRequestWillBeSent) {
	path, own := strings.CutPrefix(e.Request.URL, w.origin)
	local := strings.HasPrefix(e.Request.URL, "data:") || strings.HasPrefix(e.Request.URL, "blob:")
	if !local && (!own || !strings.HasPrefix(path, "/")) {
		w.fault("a request that leaves this machine: %s", e.Request.URL)
	}
	path, _, _ = strings.Cut(path, "?")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests[e.RequestID] = e.Request.Method + " " + path
}

func (w *watch) received(e *proto.NetworkResponseReceived) {
	if e.Response.Status >= http.StatusBadRequest {
		w.refused(e.RequestID, e.Response.Status, fmt.Sprint("replied ", e.Response.Status))
	}
}

func (w *watch) failed(e *proto.NetworkLoadingFailed) {
	if !e.Canceled { // the page itself gives up a request that it no longer needs
		w.refused(e.RequestID, 0, "failed: "+e.ErrorText+" "+string(e.BlockedReason))
	}
}

func (w *watch) refused(id proto.NetworkRequestID, status int, how string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	target := w.requests[id]
	for _, r := range w.refusals {
		if r.status == status && (r.target == target || r.target == "") {
			r.seen = true
			return
		}
	}
	w.faults = append(w.faults, target+" "+how)
}
