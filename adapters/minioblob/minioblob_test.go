package minioblob_test

import (
	"crypto/rand"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/minioblob"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/ports/blobtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// bucket is the URL of a bucket of the test's own at a server.
func bucket(tb testing.TB, server string) string {
	tb.Helper()
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatal(err)
	}
	plain := u.Scheme == "http"
	u.Scheme, u.Path = "s3", "/t-"+strings.ToLower(rand.Text())
	if plain {
		u.RawQuery = "tls=false"
	}
	return u.String()
}

// open makes a store that ends with the test.
func open(tb testing.TB, address string) *minioblob.Store {
	tb.Helper()
	return openWith(tb, minioblob.Options{URL: address})
}

func openWith(tb testing.TB, opts minioblob.Options) *minioblob.Store {
	tb.Helper()
	opts.Log = slog.New(slog.NewTextHandler(tb.Output(), nil))
	s, err := minioblob.Open(tb.Context(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

func TestContract(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blobtest.Fixture {
		t.Helper()
		l, address := over(t, bucket(t, testservers.S3(t).URL()))
		return blobtest.Fixture{
			Blobs: openWith(t, minioblob.Options{URL: address, Patience: 5 * time.Second}),
			Away:  func() (back func()) { return l.away(t) },
		}
	})
}
