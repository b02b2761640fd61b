package httpapi

import (
	"context"
	"maps"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/core/billing"
)

func TestRequestTimeout(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{RequestTimeout: 50 * time.Millisecond})
	a := p.ask(t, "%s\r\n", rawtest.Head("/wait", "Content-Length: 0"))
	wantStatus(t, a, 504, billing.CodeTimeout)
	if a.Close {
		t.Error("the connection closes")
	}
}

// The deadline starts when the body is in, however long that took.
func TestRequestTimeoutStartsAfterTheBody(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{RequestTimeout: 2 * time.Second})
	w := dial(t, p.addr)
	w.Send("%s\r\n", rawtest.Head("/wait", "Content-Length: 6"))
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for range 6 {
		<-tick.C
		w.Send("x")
	}
	<-p.waiting
	close(p.release)
	if a := w.reply(); a.StatusCode != 200 {
		t.Errorf("status %d", a.StatusCode)
	}
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{DrainTimeout: 2 * time.Second})
	request := rawtest.Head("/wait", "Content-Length: 0") + "\r\n"
	idle, silent, arriving := dial(t, p.addr), dial(t, p.addr), dial(t, p.addr)
	idle.Send("%s", smuggled)
	idle.reply()
	arriving.Send("%s\r\nx", rawtest.Head("/echo", "Content-Length: 100"))
	waiting := make([]*rawConn, 10)
	for i := range waiting {
		waiting[i] = dial(t, p.addr)
		waiting[i].Send("%s", request)
		<-p.waiting
	}

	done := make(chan error, 1)
	go func() { done <- p.server.Shutdown(t.Context()) }()
	p.release <- struct{}{} // one is done before the drain time is over
	answers := map[int]int{}
	for _, w := range waiting {
		a := w.reply()
		answers[a.StatusCode]++
		if a.StatusCode == 504 {
			wantStatus(t, a, 504, billing.CodeTimeout)
			if !a.Close {
				t.Error("the connection stays open")
			}
		}
	}
	if answers[200] != 1 || answers[504] != 9 {
		t.Errorf("answers are %v", answers)
	}
	wantStatus(t, arriving.reply(), 504, billing.CodeTimeout)
	idle.Closed()
	if a, err := silent.tryReply(); err == nil && a.StatusCode != 408 {
		t.Errorf("a connection that never asked got %d", a.StatusCode)
	}
	for _, w := range append(waiting, arriving, silent) {
		_ = w.Close()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp4", p.addr); err == nil {
		_ = c.Close()
		t.Error("a connection was taken after the shutdown")
	}
}

// A client that neither sends nor closes cannot hold the process.
func TestShutdownEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{DrainTimeout: time.Hour})
	w := dial(t, p.addr)
	w.Send("%s\r\n", rawtest.Head("/wait", "Content-Length: 0"))
	<-p.waiting
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.server.Shutdown(ctx); err == nil {
		t.Error("the connection that was closed is not reported")
	}
	if a, err := w.tryReply(); err == nil && a.StatusCode != 504 {
		t.Errorf("status %d", a.StatusCode)
	}
}

func TestServerServesOnce(t *testing.T) {
	t.Parallel()
	s, err := newServer(Options{}, nil, identifier{key: identify})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	ln := rawtest.Listen(t)
	if err := s.Serve(ln); err != nil {
		t.Errorf("a server that was stopped before it served: %v", err)
	}
	if _, err := ln.Accept(); err == nil {
		t.Error("the listener is open")
	}

	p := startProbe(t, Options{})
	p.ask(t, "%s", smuggled) // it serves
	if p.server.Serve(rawtest.Listen(t)) == nil {
		t.Error("a server serves twice")
	}
}

func TestNewWantsUseCases(t *testing.T) {
	t.Parallel()
	if _, err := New(Options{}); err == nil {
		t.Error("made a server without use cases")
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{})
	w := dial(t, p.addr)
	w.Send("%s\r\n", rawtest.Head("/panic", "Content-Length: 0"))
	a := w.reply()
	wantStatus(t, a, 500, billing.CodeInternal)
	if log := p.log.String(); strings.Contains(log, "Jane Doe") || !strings.Contains(log, "main_test.go") ||
		!strings.Contains(log, a.Header.Get("X-Request-Id")) {
		t.Errorf("log: %s", log)
	}
	w.Send("%s", smuggled) // the connection is as good as before
	if a := w.reply(); a.StatusCode != 200 {
		t.Errorf("status %d", a.StatusCode)
	}
}

func TestAccessLogHasNoNames(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{})
	for _, request := range []string{
		"GET /ok?name=Jane-Doe HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer Jane-Doe\r\nX-Request-Id: Jane-Doe\r\n\r\n",
		"GET /Jane-Doe HTTP/1.1\r\nHost: Jane-Doe\r\nCookie: Jane-Doe\r\nUser-Agent: Jane-Doe\r\n\r\n",
		"JANE /Jane-Doe HTTP/1.1\r\nHost: Jane-Doe\r\n\r\n",
		"Jane-Doe\r\n\r\n",
		rawtest.Head("/status/INTERNAL", "Content-Length: 8", "Jane-Doe: Jane-Doe") + "\r\nJane-Doe",
		rawtest.Head("/echo", "Content-Length: 8", "Transfer-Encoding: Jane-Doe") + "\r\nJane-Doe",
	} {
		if a := p.ask(t, "%s", request); a.Header.Get("X-Request-Id") == "Jane-Doe" || strings.Contains(a.body, "Jane-Doe") {
			t.Errorf("reply %v %s", a.Header, a.body)
		}
	}
	shutDown(t, p.server)
	log := p.log.String()
	if strings.Contains(strings.ToLower(log), "jane") {
		t.Errorf("log: %s", log)
	}
	for _, want := range []string{`"route":"/status/{code}"`, `"route":"none"`, `"method":"other"`, `"status":500`, `"key_id":"key_`, `"error_code":"NOT_FOUND"`, `"duration_ms":`} {
		if !strings.Contains(log, want) {
			t.Errorf("log lacks %s: %s", want, log)
		}
	}
}

func shutDown(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	p := startProbe(t, Options{Metrics: registry})
	for _, request := range []string{
		smuggled, smuggled, "HEAD /smuggled HTTP/1.1\r\nHost: molar\r\n\r\n", "ODD /x HTTP/1.1\r\nHost: molar\r\n\r\n", "\x00\r\n\r\n",
	} {
		w := dial(t, p.addr)
		w.Send("%s", request)
		if line, err := w.Reader.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 ") {
			t.Errorf("reply %q, %v", line, err)
		}
	}
	shutDown(t, p.server)
	want := map[string]float64{
		"molar_http_requests_total method=GET route=/smuggled status=200":  2,
		"molar_http_requests_total method=HEAD route=/smuggled status=200": 1,
		"molar_http_requests_total method=GET route=none status=400":       1,
		"molar_http_requests_total method=other route=none status=404":     1,
		"molar_http_requests_in_flight":                                    0,
		"molar_http_streams":                                               0,
	}
	for _, why := range billing.Refusals() {
		want["molar_access_refused_total reason="+string(why)] = 0
	}
	if got := counts(t, registry); !maps.Equal(got, want) {
		t.Errorf("metrics are %v, want %v", got, want)
	}
	if _, err := newServer(Options{Metrics: registry}, nil, identifier{key: identify}); err == nil {
		t.Error("the metrics were registered twice")
	}
}

// counts is the value of every counter and gauge by name and labels.
func counts(t *testing.T, g prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetName() + "=" + l.GetValue()
			}
			if m.GetHistogram() == nil {
				out[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return out
}
