package testservers_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/testservers"
)

// get sends a request on a new connection.
func get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return err
}

func TestS3ComesBackAfterAKill(t *testing.T) {
	t.Parallel()
	srv := testservers.StartS3(t)
	if err := get(t.Context(), srv.URL()); err != nil {
		t.Fatal(err)
	}
	srv.Kill()
	if err := get(t.Context(), srv.URL()); err == nil {
		t.Fatal("a killed server replies")
	}
	srv.Restart()
	if err := get(t.Context(), srv.URL()); err != nil {
		t.Fatal(err)
	}
}

// A server has stopped when Pause returns, also while it is busy: no request that is
// sent then has a reply before Resume.
func TestAPausedServerDoesNotReply(t *testing.T) {
	t.Parallel()
	srv := testservers.StartS3(t)
	load, end := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	defer busy.Wait()
	defer end()
	for range 8 {
		busy.Go(func() {
			for load.Err() == nil {
				_ = get(load, srv.URL())
			}
		})
	}
	for range 20 {
		srv.Pause()
		waiting, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		err := get(waiting, srv.URL())
		cancel()
		srv.Resume()
		if err == nil {
			t.Fatal("a paused server replied")
		}
		if err := get(t.Context(), srv.URL()); err != nil {
			t.Fatal(err)
		}
	}
}
