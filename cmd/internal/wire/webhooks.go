package wire

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/molar-billing/molar/adapters/webhookhttp"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports"
)

// openWebhooks opens the parts for webhooks.
func (g *graph) openWebhooks(clock ports.Clock) error {
	o := webhookhttp.Options{
		Version: build().Version, Log: g.log, AllowCIDRs: g.settings.WebhookCIDRs, Resolve: g.settings.webhookResolve,
	}
	if g.settings.webhookCA != "" {
		roots, err := rootsWith(g.settings.webhookCA)
		if err != nil {
			return fmt.Errorf("--webhook-ca: %w", err)
		}
		o.RootCAs = roots
	}
	sender, err := webhookhttp.New(o)
	if err != nil {
		return err
	}
	g.closers = append(g.closers, func(context.Context) error { sender.Close(); return nil })
	g.webhooks = webhooks.New(g.store, sender, clock)
	g.dispatcher = webhooks.NewDispatcher(g.store, g.queue, sender, clock, webhooks.DefaultPace(), g.log, attemptMetrics(g.metrics))
	return nil
}

// attemptMetrics counts attempts to deliver, and how long they took.
func attemptMetrics(r prometheus.Registerer) func(webhook.Attempt) {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "molar_webhook_attempts_total", Help: "Attempts to deliver events, by result: delivered, refused (a reply that is no 2xx) or unreachable.",
	}, []string{"result"})
	seconds := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "molar_webhook_attempt_duration_seconds", Help: "How long attempts to deliver took.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2, 15),
	})
	r.MustRegister(total, seconds)
	return func(a webhook.Attempt) {
		result := "refused"
		switch {
		case a.Succeeded():
			result = "delivered"
		case a.Status == 0:
			result = "unreachable"
		}
		total.WithLabelValues(result).Inc()
		seconds.Observe(a.Duration.Seconds())
	}
}

// rootsWith returns the machine's certificate authorities and those of a file.
func rootsWith(file string) (*x509.CertPool, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("the file has no certificate in PEM form")
	}
	return roots, nil
}

// resolvedHosts reads host=ip:port, the address that webhooks for the host go
// to.
func resolvedHosts(pairs []string) (map[string]netip.AddrPort, error) {
	hosts := map[string]netip.AddrPort{}
	for _, pair := range pairs {
		host, addr, ok := strings.Cut(pair, "=")
		at, err := netip.ParseAddrPort(addr)
		if !ok || err != nil || host == "" {
			return nil, fmt.Errorf("--webhook-resolve %q: want host=ip:port, such as hooks.example.com=127.0.0.1:3443", pair)
		}
		hosts[strings.ToLower(host)] = at
	}
	return hosts, nil
}

// prefixes reads networks separated by commas.
func prefixes(to *[]netip.Prefix, value string) error {
	for part := range strings.SplitSeq(value, ",") {
		p, err := netip.ParsePrefix(strings.TrimSpace(part))
		if err != nil {
			return errors.New("want networks such as 10.1.0.0/16,fd00::/8")
		}
		*to = append(*to, p)
	}
	return nil
}
