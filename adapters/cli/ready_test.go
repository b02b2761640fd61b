package cli_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/cli"
)

func TestReady(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.Error(w, "database: it is not there", http.StatusServiceUnavailable)
		}
	}))
	closed := httptest.NewServer(nil)
	closed.Close()
	t.Cleanup(server.Close)
	for url, want := range map[string]string{
		server.URL + "/readyz":  "",
		server.URL + "/waiting": "not ready: database: it is not there",
		closed.URL:              "nothing listens there",
		"::":                    "is not a URL",
	} {
		var out bytes.Buffer
		root := cli.New(cli.Backend{})
		root.SetArgs([]string{"ready", url})
		root.SetOut(&out)
		err := root.ExecuteContext(t.Context())
		if want == "" && (err != nil || out.String() != "ready\n") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %v; want %q", url, out.String(), err, want)
		}
	}
}
