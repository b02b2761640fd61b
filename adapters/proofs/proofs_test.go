package proofs_test

import (
	"context"
	"encoding/base32"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/proofs"
)

func TestHash(t *testing.T) {
	t.Parallel()
	p := proofs.New([32]byte{1})
	hash := func(p *proofs.Proofs, email, password string) string {
		h, err := p.Hash(t.Context(), email, password)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	want := hash(p, "a@x.y", "correct horse")
	if !strings.HasPrefix(want, "argon2id$v=19$m=19456,t=2,p=1$") || want != hash(proofs.New([32]byte{1}), "a@x.y", "correct horse") {
		t.Errorf("hash %s", want)
	}
	for name, other := range map[string]string{
		"another password": hash(p, "a@x.y", "correct horsf"),
		"another address":  hash(p, "b@x.y", "correct horse"),
		"another key":      hash(proofs.New([32]byte{2}), "a@x.y", "correct horse"),
	} {
		if other == want {
			t.Errorf("%s has the same hash", name)
		}
	}
}

// TestHashesWait computes many hashes at once. A request whose time ends waits no
// longer.
func TestHashesWait(t *testing.T) {
	t.Parallel()
	p := proofs.New([32]byte{1})
	ctx := t.Context()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := p.Hash(ctx, "a@x.y", "p"); err != nil {
				t.Error(err)
			}
			if _, err := p.Hash(gone, "a@x.y", "p"); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestStep has vectors of RFC 6238, appendix B, in six digits.
func TestStep(t *testing.T) {
	t.Parallel()
	p := proofs.New([32]byte{})
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for at, code := range map[int64]string{1111111111: "050471", 1111111109: "081804", 1234567890: "005924", 20000000000: "353130"} {
		for _, late := range []int64{-30, 0, 30} {
			if step, ok := p.Step(secret, code, time.Unix(at+late, 0)); !ok || step != at/30 {
				t.Errorf("code %s at %d%+d: step %d, %t", code, at, late, step, ok)
			}
		}
		for _, late := range []int64{-60, 60} {
			if _, ok := p.Step(secret, code, time.Unix(at+late, 0)); ok {
				t.Errorf("code %s is right %d s late", code, late)
			}
		}
	}
	for _, bad := range []string{"", "287083", " 287082", "2870820"} {
		if _, ok := p.Step(secret, bad, time.Unix(59, 0)); ok {
			t.Errorf("code %q is right", bad)
		}
	}
	if _, ok := p.Step("not base32!", "287082", time.Unix(59, 0)); ok {
		t.Error("a damaged secret has a right code")
	}
}
