package cli

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
)

func TestListenState(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "molar", "listen")
	open := func(key, forward string) (*listenState, error) {
		return openState(dir, "http://x/api/v1", key, forward)
	}
	s, err := open("molar_test_abcd", "http://localhost/1")
	if err != nil || s.kept.Position != nil {
		t.Fatalf("a first run has %v, %v", s, err)
	}
	_, err = open("molar_test_abcd", "http://localhost/1")
	check(t, err, []string{"another molar listen", "http://localhost/1"})

	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	want := position{After: billing.NewID[billing.EventID](billing.RealAt(at)), At: at}
	for _, p := range []position{{}, {At: at}, want} {
		if err := s.save(p); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range [][2]string{{"molar_test_abce", "http://localhost/1"}, {"molar_test_abcd", "http://localhost/2"}} {
		o, err := open(other[0], other[1])
		if err != nil || o.kept.Position != nil {
			t.Errorf("%v has the place of another: %v, %v", other, o, err)
		}
		_ = o.close()
	}
	forked, err := syscall.Dup(int(s.lock.Fd())) // a process that is forked now has the file open until its exec
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(forked) })
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	again, err := open("molar_test_abcd", "http://localhost/1")
	if err != nil || again.kept.Position == nil || *again.kept.Position != want {
		t.Fatalf("kept %v, %v; want %v", again, err, want)
	}
	if info, err := os.Stat(again.file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %v, %v", info.Mode(), err)
	}
	_ = again.close()
	if err := os.WriteFile(again.file, []byte(`{"api`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = open("molar_test_abcd", "http://localhost/1")
	check(t, err, []string{"damaged", "Remove " + again.file, "--since"})
}

// TestLocalSecret makes one secret, however many ask for it at once.
func TestLocalSecret(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "listen")
	got := make([]webhook.Secret, 8)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			s, err := localSecret(dir)
			if err != nil {
				t.Error(err)
			}
			got[i] = s
		})
	}
	all.Wait()
	for _, s := range got {
		if s != got[0] || s == "" {
			t.Errorf("secrets differ: %d and %d characters", len(s), len(got[0]))
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Fatalf("left in the folder: %v, %v", left, err)
	}
	file := filepath.Join(dir, left[0].Name())
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(file, []byte("whsec_"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = localSecret(dir)
	check(t, err, []string{file, "whsec_", "remove the file"})
}
