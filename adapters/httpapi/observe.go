package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// metrics are the rate, the errors and the duration of each operation.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	streams  prometheus.Gauge
	refusals *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "molar_http_requests_total",
			Help: "Completed requests, by route template, method and status.",
		}, []string{"route", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "molar_http_request_duration_seconds",
			Help:    "Time from the end of the header section to the reply, by route template and method.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route", "method"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "molar_http_requests_in_flight",
			Help: "Requests in progress.",
		}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "molar_http_streams",
			Help: "Open streams of changes. They are no requests in progress.",
		}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "molar_access_refused_total",
			Help: "Refused sign-ins and API keys, by reason.",
		}, []string{"reason"}),
	}
	for _, why := range billing.Refusals() {
		m.refusals.WithLabelValues(string(why))
	}
	if r == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.requests, m.duration, m.inFlight, m.streams, m.refusals} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// observe counts the exchange and writes its line of the access log. Paths and
// queries can contain names of people, so it logs only the route's template.
func (x *exchange) observe() {
	route, method, status, level := "none", x.method, x.req.Response.StatusCode(), slog.LevelInfo
	switch {
	case x.route != nil:
		route = x.route.path
	case x.page:
		route = "dashboard"
		if status < http.StatusBadRequest { // a page has many files
			level = slog.LevelDebug
		}
	}
	if !slices.Contains(fiber.DefaultMethods, method) {
		method = "other"
	}
	took := time.Since(x.started)
	m := x.s.metrics
	m.inFlight.Dec()
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(route, method).Observe(took.Seconds())
	x.record(took)

	attrs := []slog.Attr{
		slog.String("request_id", x.id.String()),
		slog.String("method", method),
		slog.String("route", route),
		slog.Int("status", status),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000),
	}
	if x.code != "" {
		attrs = append(attrs, slog.String("error_code", string(x.code)))
	}
	if x.caller != nil {
		name := map[caller.PrincipalType]string{caller.PrincipalKey: "key_id", caller.PrincipalUser: "user_id"}[x.caller.Principal.Type]
		attrs = append(attrs, slog.String(name, x.caller.Principal.ID))
	}
	x.s.log.LogAttrs(x.s.Requests, level, "request completed", attrs...)
}

// noteRefusal counts and logs who was not let in, from where and why, without the
// account.
func (x *exchange) noteRefusal(why billing.Refusal) {
	x.s.metrics.refusals.WithLabelValues(string(why)).Inc()
	x.s.log.LogAttrs(x.s.Requests, slog.LevelWarn, "access refused",
		slog.String("request_id", x.id.String()), slog.String("reason", string(why)), slog.String("address", x.client().String()))
}

// logCause logs the cause of a failure of the service.
func (x *exchange) logCause(err error) {
	x.s.log.LogAttrs(x.s.Requests, slog.LevelError, "request failed",
		slog.String("request_id", x.id.String()), slog.Any("error", err))
}

// logPanic logs where a panic came from, but not its value, which may contain
// patient data.
func (x *exchange) logPanic(p any) {
	x.s.log.LogAttrs(x.s.Requests, slog.LevelError, "request panicked",
		slog.String("request_id", x.id.String()),
		slog.String("type", fmt.Sprintf("%T", p)),
		slog.String("stack", string(debug.Stack())))
}
