package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
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

func (g *graph) serveOps(ctx context.Context, addrs *Addresses) (*ops, error) {
	o := &ops{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { answer(w, nil) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { answer(w, o.ready(r.Context(), g)) })
	mux.Handle("GET /metrics", promhttp.HandlerFor(g.metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	o.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", g.settings.OpsListen)
	if err != nil {
		return nil, fmt.Errorf("MOLAR_OPS_LISTEN: %w", err)
	}
	addrs.Ops = ln.Addr().String()
	go func() {
		if err := o.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			g.log.ErrorContext(ctx, "ops port closed", "error", err)
		}
	}()
	return o, nil
}

// ready reports why the process cannot do its work.
func (o *ops) ready(ctx context.Context, g *graph) error {
	if o.draining.Load() {
		return errors.New("draining")
	}
	if err := g.store.Ready(ctx); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	if err := g.queue.Ready(); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	if err := g.blobs.Ready(ctx); err != nil {
		return fmt.Errorf("images: %w", err)
	}
	return nil
}

func (o *ops) drain() { o.draining.Store(true) }

func (o *ops) close(ctx context.Context) error { return o.server.Shutdown(ctx) }

func answer(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = fmt.Fprintln(w, "ok")
}
