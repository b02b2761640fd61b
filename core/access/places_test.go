package access_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestStrangersTakeNoPlaceOfKnownUsers lets hundreds of strangers sign in at once, whose
// hashes do not end. Two are computed, sixteen wait, and the others are refused at once,
// without counting. A person in a known browser signs in beside them.
func TestStrangersTakeNoPlaceOfKnownUsers(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ann := p.withPassword("ann@example.com", caller.RoleOwner)
	home, err := p.password(ann.Email, goodPassword, "", "192.0.2.1", "")
	if err != nil {
		t.Fatal(err)
	}
	hashes := p.credentials.hashes.Load()
	p.credentials.held = make(chan struct{})
	results := make(chan error, 600)
	for n := range cap(results) {
		go func() {
			_, err := p.password(fmt.Sprintf("u%d@example.com", n), "a wrong guess", "", fmt.Sprintf("10.0.%d.%d", n/250, n%250), "")
			results <- err
		}()
	}
	for range cap(results) - 2 - 16 {
		tooMany(t, "a stranger", <-results)
	}
	for range 20 {
		_, err := p.password("eve@example.com", "a wrong guess", "", "203.0.113.1", "")
		tooMany(t, "another stranger", err)
	}
	porttest.Await(t, "two hashes of strangers", func() bool { return p.credentials.hashes.Load() == hashes+2 })
	in, err := p.password(ann.Email, goodPassword, "", "192.0.2.1", home.Browser)
	if err != nil {
		t.Fatalf("a known browser beside strangers: %v", err)
	}
	var shown access.UserWithCodes
	if _, err := p.s.ChangeCredentials(t.Context(), wrote(p, &shown), p.resume(in), access.CredentialsChange{Current: goodPassword, Password: new("Drills and mirrors 15")}); err != nil {
		t.Errorf("a new password beside strangers: %v", err)
	}
	close(p.credentials.held)
	for range 2 + 16 {
		wantCode(t, "a stranger who waited", <-results, billing.CodeUnauthorized)
	}
	for range 5 { // those that found no place did not count
		_, err := p.password("eve@example.com", "a wrong guess", "", "203.0.113.1", "")
		wantCode(t, "a stranger later", err, billing.CodeUnauthorized)
	}
}

func tooMany(t *testing.T, what string, err error) {
	t.Helper()
	if e, _ := errors.AsType[*billing.Error](err); e == nil || e.Code != billing.CodeTooManyRequests || e.RetryAfter != time.Second {
		t.Errorf("%s: %+v, want to wait a second", what, err)
	}
}

// TestKnownUsersWaitOnce lets attempts in known browsers wait. Each user has one
// that waits, and the others of the user are refused.
func TestKnownUsersWaitOnce(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	var users [3]*access.SignedIn
	for n := range users {
		u := p.withPassword(fmt.Sprintf("u%d@example.com", n), caller.RoleBiller)
		var err error
		if users[n], err = p.password(u.Email, goodPassword, "", "192.0.2.1", ""); err != nil {
			t.Fatal(err)
		}
	}
	hashes := p.credentials.hashes.Load()
	p.credentials.held = make(chan struct{})
	attempt := func(n int) error {
		_, err := p.password(users[n].User.Email, "a wrong guess", "", "192.0.2.1", users[n].Browser)
		return err
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { wantCode(t, "the first", attempt(0), billing.CodeUnauthorized) })
	porttest.Await(t, "the first hash", func() bool { return p.credentials.hashes.Load() == hashes+1 })
	for n := 1; n < len(users); n++ {
		results := make(chan error, 2)
		for range cap(results) {
			waiting.Go(func() { results <- attempt(n) })
		}
		tooMany(t, "another of the same user", <-results)
		waiting.Go(func() { wantCode(t, "one of each user", <-results, billing.CodeUnauthorized) })
	}
	close(p.credentials.held)
	waiting.Wait()
}
