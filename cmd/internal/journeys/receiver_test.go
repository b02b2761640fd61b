package journeys_test

import (
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// hooks receives webhooks at https://example.com: each path replies as the
// journey sets it, and with 204 until then.
type hooks struct {
	mu      sync.Mutex
	replies map[string]http.HandlerFunc
}

var receiver = &hooks{replies: map[string]http.HandlerFunc{}}

// start serves the paths, and returns the flags with which molar dev finds it.
func (h *hooks) start() (flags []string, err error) {
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // a service that ends
	server.StartTLS()
	ca := filepath.Join(folder(), "receiver.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return []string{"--webhook-resolve", "example.com=" + server.Listener.Addr().String(), "--webhook-ca", ca}, os.WriteFile(ca, certificate, 0o600)
}

func (h *hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	h.mu.Lock()
	reply := h.replies[r.URL.Path]
	h.mu.Unlock()
	if reply == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	reply(w, r)
}

// reply sets how a path replies.
func (h *hooks) reply(path string, reply http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.replies[path] = reply
}

// receives creates an endpoint of the practice with a description, and returns
// its path.
func (p *practice) receives(description string, reply http.HandlerFunc) (path string) {
	p.t.Helper()
	path = "/" + p.org + "/" + strings.ReplaceAll(description, " ", "-")
	receiver.reply(path, reply)
	p.post("/webhook_endpoints", map[string]any{"url": "https://example.com" + path, "description": description})
	return path
}
