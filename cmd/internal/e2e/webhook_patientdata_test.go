package e2e_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// answering is a receiver that responds as the first part of the path names,
// and stores what it receives.
type answering struct {
	held chan struct{} // closed to let those go that are for /held

	mu  sync.Mutex
	got map[string][]hook // by the first part of the path
}

func (a *answering) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	kind := strings.Split(q.URL.Path, "/")[1]
	body, _ := io.ReadAll(q.Body)
	a.mu.Lock()
	a.got[kind] = append(a.got[kind], hook{q.Header, body})
	a.mu.Unlock()
	switch kind {
	case "error":
		http.Error(w, "out of order", http.StatusInternalServerError)
	case "gone":
		w.WriteHeader(http.StatusGone)
	case "redirect":
		http.Redirect(w, q, "/elsewhere", http.StatusTemporaryRedirect)
	case "closed":
		panic(http.ErrAbortHandler)
	case "held":
		<-a.held
		fallthrough
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (a *answering) hooks(kind string) []hook {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.got[kind])
}

// text returns everything that was sent: headers and bodies.
func (a *answering) text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for _, hooks := range a.got {
		for _, h := range hooks {
			fmt.Fprintf(&b, "%v %s\n", h.header, h.body)
		}
	}
	return b.String()
}

// watched is endpoints of every kind, with their secrets.
type watched struct {
	*canary
	at      *answering
	dev     *process
	base    string            // of the API of molar dev, which alone may post to this machine
	ids     map[string]string // by what is in the path
	secrets []string          // all that were ever shown; the first is that of "ok"
}

// The secret part of the URL of each endpoint, which only the receiver may
// know.
const inPath, inQuery = "Zyxcanarypath", "Zyxcanarytoken"

// webhookDataStaysIn checks webhooks. Posts contain no patient data. Neither
// the secrets nor the URLs of endpoints are in logs, metrics and messages,
// whatever receivers respond. No table has the secrets in plain text.
func (s *watchedSystem) webhookDataStaysIn(t *testing.T) {
	t.Helper()
	w := s.watch(t)
	for name := range outcomes() {
		w.register(name)
	}
	w.registerBadly()
	w.load()
	w.failTheStore()
	w.settle()
	w.rotate()
	w.search(w.lastMessage())
}

// watch starts a molar dev beside the service, and a receiver.
func (s *watchedSystem) watch(t *testing.T) *watched {
	t.Helper()
	at := &answering{held: make(chan struct{}), got: map[string][]hook{}}
	addr, ca := serveTLS(t, at)
	dev := newProcess(t, "molar", append(s.env, "MOLAR_OPS_LISTEN="+freeAddr(t)), "dev", "--json", "--addr", freeAddr(t), "--data", t.TempDir(), "--webhook-ca", ca,
		"--webhook-resolve", "example.com="+addr, "--webhook-resolve", "another.example.org="+addr,
		"--webhook-resolve", "absent.example.org="+freeAddr(t))
	return &watched{
		at: at, dev: dev, base: readReady(t, dev).BaseURL, ids: map[string]string{},
		canary: &canary{system: s.system, t: t, uploaded: map[string]bool{}, sentinels: []string{
			"Zyxcanaryfirst", "Zyxcanarylast", "1947-03-29", "19470329", "Zyxcanarysubscriber", "ZYXCANARYMEMBER", "ZYXCANARYGROUP", "1953-11-17",
			"Zyxcanarynarrative", "Zyxcanaryfile", "Zyxcanaryrequested", "Zyxcanarywrong", "Zyxcanarychild", "2011-07-23", "whsec_",
		}},
	}
}

// outcomes are the endpoints with the expected text of their deliveries.
func outcomes() map[string]string {
	return map[string]string{
		"ok":       `"state":"delivered","next_attempt_at":null`,
		"held":     `"status":204`,
		"error":    `"response":"out of order\n"`,
		"gone":     `"status":410`,
		"redirect": `"status":307`,
		"closed":   `"error":"the connection was closed"`,
		"absent":   `"error":"the connection failed"`,
		"another":  `"error":"the TLS handshake failed: the certificate is for another name"`,
	}
}

// register creates an endpoint whose URL has secrets of the receiver's.
func (w *watched) register(name string) {
	w.t.Helper()
	host := "example.com"
	if name == "absent" || name == "another" {
		host = name + ".example.org"
	}
	send := func() (reply, error) {
		return post(w.t.Context(), http.DefaultClient, w.base+"/webhook_endpoints", w.key, "canary-"+name, "application/json",
			fmt.Appendf(nil, `{"url":"https://%s/%s/%s?token=%s"}`, host, name, inPath, inQuery))
	}
	made, err := send()
	secret, _ := made.body["secret"].(string)
	if w.ids[name] = idOf(made); err != nil || !strings.HasPrefix(secret, "whsec_") {
		w.t.Fatalf("register %s: %v %v", name, made, err)
	}
	again, err := send()
	if again.body["secret_available"] != false || again.body["secret"] != nil || again.body["id"] != w.ids[name] || err != nil {
		w.t.Errorf("the reply to the second request: %v, %v", again, err)
	}
	w.secrets = append(w.secrets, secret)
	if name == "ok" {
		w.secrets[0], w.secrets[len(w.secrets)-1] = secret, w.secrets[0]
	}
}

// registerBadly requests endpoints that are refused.
func (w *watched) registerBadly() {
	w.t.Helper()
	for _, url := range []string{
		"http://example.com/" + inPath, "https://u:" + inQuery + "@example.com/", "https://localhost/" + inPath, "https://10.0.0.1/?t=" + inQuery, "https://example.com:22/" + inPath,
	} {
		w.json(http.StatusUnprocessableEntity, "/webhook_endpoints", fmt.Sprintf(`{"url":%q}`, url))
	}
	w.json(http.StatusUnprocessableEntity, "/events/resend", `{"created_after":"Zyxcanarywrong","created_before":"Zyxcanarylast"}`)
}

// load creates events of every type that the API can cause, about patients.
func (w *watched) load() {
	w.t.Helper()
	for i, ending := range []string{"-ACTIVE-FULL", "-NOT-FOUND", "-NAME-MISMATCH", "-PAYER-DOWN", "-GARBLED", "-NETWORK-ERROR"} {
		r, err := check(w.t.Context(), http.DefaultClient, w.urls[i%len(w.urls)], w.key, "canary-check-"+ending, w.checkOf(ending))
		if err != nil || r.status == http.StatusInternalServerError {
			w.t.Errorf("%s: %v %v", ending, r, err)
		}
	}
	w.attach()
	w.ask()
	for name, id := range w.ids {
		if name == "held" {
			continue
		}
		r, err := post(w.t.Context(), http.DefaultClient, w.base+"/webhook_endpoints/"+id+"/ping", w.key, "canary-ping-"+name, "application/json", nil)
		if err != nil || r.body["object"] != "webhook_ping" {
			w.t.Errorf("ping %s: %v %v", name, r, err)
		}
	}
}

func (w *watched) checkOf(ending string) string {
	return canaryCheck(w.office, ending, `,"tenant_reference":"the-callers-own"`)
}

// failTheStore takes the database away during posts, so that their results
// cannot be stored.
func (w *watched) failTheStore() {
	w.t.Helper()
	await(w.t, "a post that is held", func() bool { return len(w.at.hooks("held")) > 0 })
	w.postgres.Kill()
	close(w.at.held)
	await(w.t, "a lane that fails", func() bool { return strings.Contains(w.dev.log(), "webhook lane not served") })
	w.postgres.Restart()
}

// deliveries returns those of an endpoint as the API lists them.
func (w *watched) deliveries(name string) string {
	w.t.Helper()
	_, body := get(w.t, w.base+"/webhook_endpoints/"+w.ids[name]+"/deliveries?limit=100", w.key)
	return body
}

// settle waits until each receiver has responded.
func (w *watched) settle() {
	w.t.Helper()
	for name, want := range outcomes() {
		await(w.t, name+": "+want, func() bool { return strings.Contains(w.deliveries(name), want) })
	}
	await(w.t, "all deliveries to those that take them", func() bool {
		return !strings.Contains(w.deliveries("ok")+w.deliveries("held"), `"pending"`)
	})
	for name, id := range w.ids {
		_, body := get(w.t, w.base+"/webhook_endpoints/"+id, w.key)
		if disabled := strings.Contains(body, `"disabled"`); disabled != (name == "gone") {
			w.t.Errorf("is the endpoint disabled that answers with %s? %t", name, disabled)
		}
	}
	if n := len(w.at.hooks("elsewhere")); n > 0 {
		w.t.Errorf("%d posts followed a redirect", n)
	}
	types := map[string]bool{}
	for _, h := range w.at.hooks("ok") {
		verifyHook(w.t, h, w.secrets[0])
		types[h.event(w.t).Type] = true
	}
	for _, want := range []string{"eligibility.completed", "attachment.completed", "payer_request.received", "ping"} {
		if !types[want] {
			w.t.Errorf("no %s came", want)
		}
	}
	if !strings.Contains(w.at.text(), `"tenant_reference":"the-callers-own"`) {
		w.t.Error("what is the caller's own is not in the events")
	}
}

// rotate replaces a secret: the next event is signed with the new one.
func (w *watched) rotate() {
	w.t.Helper()
	r, err := post(w.t.Context(), http.DefaultClient, w.base+"/webhook_endpoints/"+w.ids["ok"]+"/rotate_secret", w.key, "canary-rotate", "application/json", nil)
	secret, _ := r.body["secret"].(string)
	if err != nil || !strings.HasPrefix(secret, "whsec_") {
		w.t.Fatalf("rotate: %v %v", r, err)
	}
	w.secrets = append(w.secrets, secret)
	had := len(w.at.hooks("ok"))
	if _, err := check(w.t.Context(), http.DefaultClient, w.urls[0], w.key, "canary-rotated", w.checkOf("-INACTIVE")); err != nil {
		w.t.Error(err)
	}
	await(w.t, "an event after the rotation", func() bool { return len(w.at.hooks("ok")) > had })
	verifyHook(w.t, w.at.hooks("ok")[had], secret)
}

var calledURL = regexp.MustCompile(`"url":"[^"]*",`)

// lastMessage returns a call of a lane without a worker. Before that it records
// everything that molar dev has printed.
func (w *watched) lastMessage() map[string]string {
	w.t.Helper()
	texts := map[string]string{"what was posted": w.at.text(), "messages to the caller": w.shown.String()}
	for name := range w.ids {
		// An attempt shows the URL that was called. Nothing else of it does.
		texts["deliveries to "+name] = calledURL.ReplaceAllString(w.deliveries(name), "")
	}
	named := map[string]*process{"molar dev": w.dev, "api": w.apis[0], "payerworker": w.workers[0]}
	w.metrics(texts, named)
	w.dev.kill()
	if _, err := check(w.t.Context(), http.DefaultClient, w.urls[0], w.key, "canary-queued", w.checkOf("-INACTIVE")); err != nil {
		w.t.Error(err)
	}
	texts["queue"] = w.message("molar.webhook")
	w.logs(texts, named)
	return texts
}

// search searches for everything that must not be in the texts, and for plain
// secrets in every row of the database, as text and as bytes.
func (w *watched) search(texts map[string]string) {
	w.t.Helper()
	var stored []string
	for _, s := range w.secrets {
		encoded := strings.TrimPrefix(s, "whsec_")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			w.t.Fatal(err)
		}
		stored = append(stored, encoded, hex.EncodeToString([]byte(encoded)), hex.EncodeToString(key))
	}
	search(w.t, slices.Concat(w.sentinels, stored, []string{inPath, inQuery}), texts)
	_, events := get(w.t, w.urls[0]+"/events?limit=100", w.key)
	_, endpoints := get(w.t, w.urls[0]+"/webhook_endpoints", w.key)
	search(w.t, slices.Concat(w.sentinels, stored), map[string]string{"events": events, "endpoints": endpoints})
	tables := w.tables()
	if tables["webhook_endpoints"] == "" || tables["idempotency_keys"] == "" {
		w.t.Errorf("only %d tables have rows", len(tables))
	}
	search(w.t, append(stored, "whsec_", hex.EncodeToString([]byte("whsec_"))), tables)
	for _, want := range []string{"webhook not delivered", "webhook got no reply"} { // the logs have what is worth a search
		if !strings.Contains(texts["log of the molar dev"], want) {
			w.t.Errorf("the log of molar dev has no %q", want)
		}
	}
}
