package testservers_test

import (
	"net/http"
	"testing"

	"github.com/molar-billing/molar/adapters/testservers"
)

func TestS3ComesBackAfterAKill(t *testing.T) {
	t.Parallel()
	srv := testservers.StartS3(t)
	get := func() error {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Get(srv.URL())
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	srv.Kill()
	if err := get(); err == nil {
		t.Fatal("a killed server answers")
	}
	srv.Restart()
	if err := get(); err != nil {
		t.Fatal(err)
	}
}
