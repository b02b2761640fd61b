package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ops is the port for operators: health, metrics, profiles. It is separate from
// the API's and must stay private.
type ops struct {
	server   *http.Server
	draining atomic.Bool
}

func (g *graph) serveOps(ctx context.Context, roles []Role, addrs *Addresses) (*ops, error) {
	o := &ops{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { answer(w, "ok", nil) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		text, err := o.ready(r.Context(), g, roles)
		answer(w, text, err)
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(g.metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", g.settings.OpsListen)
	if err != nil {
		return nil, fmt.Errorf("MOLAR_OPS_LISTEN: %w", err)
	}
	addrs.Ops = ln.Addr().String()
	o.server = &http.Server{Handler: ownHosts(ln.Addr(), mux), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := o.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			g.log.ErrorContext(ctx, "ops port closed", "error", err)
		}
	}()
	return o, nil
}

// ownHosts answers on a loopback address only requests for a loopback name. A page of a
// browser on this machine could otherwise read the port, by a name of its own that it
// points there (DNS rebinding).
func ownHosts(at net.Addr, next http.Handler) http.Handler {
	listens, err := netip.ParseAddrPort(at.String())
	if err != nil || !listens.Addr().IsLoopback() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		a, err := netip.ParseAddr(host)
		if host != "localhost" && (err != nil || !a.IsLoopback()) {
			http.Error(w, "This port answers only to a name of this machine, such as localhost or 127.0.0.1.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ready reports whether the process can do the work of its roles.
func (o *ops) ready(ctx context.Context, g *graph, roles []Role) (text string, err error) {
	if o.draining.Load() {
		return "", errors.New("draining")
	}
	if server := g.awaits.Load(); server != nil {
		return "", fmt.Errorf("starting: waiting for its %s", *server)
	}
	return readiness(roles, map[string]error{"database": g.store.Ready(ctx), "queue": g.queue.Ready(), "images": g.blobs.Ready(ctx), "events": g.store.HeldBack(), "restore": g.store.Restoring()})
}

// readiness returns an error for what the roles need and what fails: the database for
// all, the broker for workers, the images for the PNG worker. The text names what else
// fails.
func readiness(roles []Role, failing map[string]error) (text string, err error) {
	needed := map[string]bool{"database": true}
	for _, r := range roles {
		needed["queue"] = needed["queue"] || r != RoleAPI
		needed["images"] = needed["images"] || r == RolePNGWorker
	}
	text = "ok"
	for _, server := range []string{"database", "queue", "images", "events", "restore"} {
		switch err := failing[server]; {
		case err != nil && needed[server]:
			return "", fmt.Errorf("%s: %w", server, err)
		case err != nil:
			text += "\ndegraded: " + server + ": " + err.Error()
		}
	}
	return text, nil
}

func (o *ops) drain() { o.draining.Store(true) }

func (o *ops) close(ctx context.Context) error { return o.server.Shutdown(ctx) }

func answer(w http.ResponseWriter, text string, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = fmt.Fprintln(w, text)
}
