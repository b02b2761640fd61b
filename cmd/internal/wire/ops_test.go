package wire

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestOpsHosts asks the ops port by names that a browser could be led to.
func TestOpsHosts(t *testing.T) {
	t.Parallel()
	reply := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, c := range []struct {
		listens, host string
		status        int
	}{
		{"127.0.0.1", "127.0.0.1:9090", 200},
		{"127.0.0.1", "localhost:9090", 200},
		{"127.0.0.1", "localhost", 200},
		{"127.0.0.1", "127.0.0.2", 200},
		{"::1", "[::1]:9090", 200},
		{"127.0.0.1", "evil.example:9090", 421},
		{"127.0.0.1", "localhost.evil.example", 421},
		{"127.0.0.1", "192.0.2.1:9090", 421},
		{"127.0.0.1", "", 421},
		{"::1", "evil.example", 421},
		{"0.0.0.0", "molar-api:9090", 200},
		{"192.0.2.1", "192.0.2.1:9090", 200},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)
		r.Host = c.host
		w := httptest.NewRecorder()
		ownHosts(&net.TCPAddr{IP: net.ParseIP(c.listens), Port: 9090}, reply).ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%q on %s: %d, want %d", c.host, c.listens, w.Code, c.status)
		}
	}
}
