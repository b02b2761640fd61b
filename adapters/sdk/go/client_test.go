package molar_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
)

func newClient(t *testing.T, handler http.HandlerFunc) *molar.Client {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	c, err := molar.New(molar.Options{APIKey: "molar_test_secret", BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// No way of printing a client shows its key.
func TestTheKeyIsNotPrinted(t *testing.T) {
	t.Parallel()
	c := newClient(t, nil)
	if text := fmt.Sprintf("%v %+v %#v %s", c, c, c, c); strings.Contains(text, "secret") {
		t.Error(text)
	}
}

// A file that cannot be read is no lost connection, and is not sent again.
func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
	})
	broken := errors.New("the disk is gone")
	_, err := c.ERAs.Import(context.Background(), molar.Stream("x.835", io.MultiReader(strings.NewReader("ISA"), failing{broken})))
	var lost *molar.ConnectionError
	if !errors.Is(err, broken) || errors.As(err, &lost) || asked.Load() > 1 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Waiting for a claim survives replies that may pass.
func TestWaitSurvives(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch n := asked.Add(1); {
		case strings.HasPrefix(r.URL.Path, "/api/v1/events"):
			_, _ = fmt.Fprintf(w, `{"data":[{"id":"evt_%d","type":"claim.paid","data":{}}],"next_cursor":null}`, n)
		case n > 2 && n < 8:
			w.Header().Set("X-Should-Retry", "true")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"error":"UNAVAILABLE","message":"Later.","errors":[]}`)
		default:
			_, _ = fmt.Fprintf(w, `{"id":"clm_1","state":%q}`, map[bool]string{true: "paid", false: "queued"}[n > 8])
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	claim, err := c.Claims.Wait(ctx, "clm_1", molar.ClaimStatePaid)
	if err != nil || claim.State != molar.ClaimStatePaid {
		t.Errorf("%v %v", claim, err)
	}
}

// A page in place of a reply says what to check.
func TestAPageIsNoReply(t *testing.T) {
	t.Parallel()
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<html>nginx</html>")
	})
	_, err := c.Me.Get(context.Background())
	if !errors.Is(err, molar.ErrNotFound) || !strings.Contains(err.Error(), "base URL") {
		t.Error(err)
	}
}
