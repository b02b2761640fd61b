package access_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/credentials"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m).Run()) }

func setup(t *testing.T) (*access.Service, pgtest.Clocked, *porttest.Clock, billing.Scope) {
	t.Helper()
	c := porttest.At(time.Now(), 0)
	store := pgtest.Clocked{Store: pgtest.Open(t), Clock: c}
	s := access.New(store, porttest.Payers(t), c, credentials.New([32]byte{1}))
	org, err := s.CreateOrganization(t.Context(), "Demo Dental")
	if err != nil {
		t.Fatal(err)
	}
	return s, store, c, billing.Scope{Org: org.ID, Mode: billing.ModeTest}
}

// issue creates a key, as an operator does.
func issue(t *testing.T, s *access.Service, scope billing.Scope) (k *caller.APIKey, secret string) {
	t.Helper()
	made, err := create(t, s, scope, "front desk", "submit", "read", "read")
	if err != nil {
		t.Fatal(err)
	}
	return made.Key, made.Secret
}

func create(t *testing.T, s *access.Service, scope billing.Scope, name string, may ...string) (made access.Issued, err error) {
	t.Helper()
	call := idempotency.Administration(scope, "root", func(i access.Issued) string { made = i; return "" })
	_, err = s.CreateKey(t.Context(), call, intake.KeyRequest{Name: name, Mode: string(scope.Mode), Permissions: may})
	return made, err
}

func revoke(t *testing.T, s *access.Service, scope billing.Scope, id billing.KeyID) (k *caller.APIKey, err error) {
	t.Helper()
	call := idempotency.Administration(scope, "root", func(revoked *caller.APIKey) string { k = revoked; return "" })
	_, err = s.RevokeKey(t.Context(), call, id)
	return k, err
}

func TestKeyLives(t *testing.T) {
	t.Parallel()
	s, store, c, scope := setup(t)
	k, secret := issue(t, s, scope)
	got, err := s.Authenticate(t.Context(), secret, netip.Addr{})
	if err != nil || got.ID != k.ID || got.Scope != scope || !got.May(billing.PermissionRead) || !got.May(billing.PermissionSubmit) {
		t.Fatalf("Authenticate = %+v, %v", got, err)
	}
	if len(k.Permissions) != 2 || k.LastFour != secret[len(secret)-4:] {
		t.Errorf("key %+v", k)
	}

	c.Advance(time.Millisecond) // the list is in order of time
	revoked, err := revoke(t, s, scope, k.ID)
	if err != nil || revoked.RevokedAt.IsZero() {
		t.Fatalf("RevokeKey = %+v, %v", revoked, err)
	}
	c.Advance(2 * time.Second) // a revoked key stops within this
	if _, err := s.Authenticate(t.Context(), secret, netip.Addr{}); billing.CodeOf(err) != billing.CodeUnauthorized {
		t.Errorf("revoked key: %v", err)
	}
	again, err := revoke(t, s, scope, k.ID)
	if err != nil || !again.RevokedAt.Equal(revoked.RevokedAt) {
		t.Errorf("revoked again: %+v, %v; want no change", again, err)
	}

	var types []event.Type
	err = store.View(t.Context(), scope, func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Events.List(ctx, event.Filter{Resource: k.ID}, billing.Page{Limit: 10})
		slices.Reverse(all)
		for i, e := range all {
			types = append(types, e.Type)
			var data struct {
				Organization struct {
					Name string `json:"name"`
				} `json:"organization"`
			}
			if err := json.Unmarshal(e.Data, &data); err != nil || data.Organization.Name != "Demo Dental" || e.Sequence != i+1 {
				t.Errorf("event %d: sequence %d, data %s, %v", i, e.Sequence, e.Data, err)
			}
		}
		return err
	})
	if err != nil || !slices.Equal(types, []event.Type{event.APIKeyCreated, event.APIKeyRevoked}) {
		t.Errorf("events %v, %v", types, err)
	}
	keys, _, err := s.ListKeys(t.Context(), scope, billing.Page{Limit: 10})
	if err != nil || len(keys) != 1 || keys[0].ID != k.ID {
		t.Errorf("ListKeys = %v, %v", keys, err)
	}
}

// counting is a store that counts its transactions across scopes, and holds
// them until they are released.
type counting struct {
	ports.Store
	mu      sync.Mutex
	began   int
	release chan struct{}
}

func (c *counting) System(ctx context.Context, fn func(context.Context, ports.SystemTx) error) error {
	c.mu.Lock()
	c.began++
	c.mu.Unlock()
	<-c.release
	return c.Store.System(ctx, fn)
}

// TestManyRequestsAreOneLookUp sends many requests with one key, valid or not,
// while it is looked up. A request whose time ends fails alone.
func TestManyRequestsAreOneLookUp(t *testing.T) {
	t.Parallel()
	first, store, c, scope := setup(t)
	_, secret := issue(t, first, scope)
	for _, secret := range []string{secret, caller.NewKeySecret(billing.ModeTest)} {
		held := &counting{Store: store, release: make(chan struct{})}
		s := access.New(held, porttest.Payers(t), c, credentials.New([32]byte{1}))
		const crowd = 100
		var all sync.WaitGroup
		errs := make(chan error, crowd)
		for range crowd {
			all.Go(func() {
				_, err := s.Authenticate(t.Context(), secret, netip.Addr{})
				errs <- err
			})
		}
		for began := 0; began == 0; {
			held.mu.Lock()
			began = held.began
			held.mu.Unlock()
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Authenticate(gone, secret, netip.Addr{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a request whose time is over: %v", err)
		}
		close(held.release)
		all.Wait()
		good := 0
		for range crowd {
			if err := <-errs; err == nil {
				good++
			} else if billing.CodeOf(err) != billing.CodeUnauthorized {
				t.Error(err)
			}
		}
		if good != 0 && good != crowd {
			t.Errorf("%d of %d requests with the key were good", good, crowd)
		}
		if held.began > crowd/2 { // later requests look up an invalid key themselves
			t.Errorf("%d look-ups for %d requests", held.began, crowd)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	s, _, _, scope := setup(t)
	absent := billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeTest}
	office := func(scope billing.Scope, name string) error {
		in := intake.OfficeRequest{Name: name, NPI: "1234567893"}
		_, err := s.CreateOffice(t.Context(), administration(scope, renderOffice), in)
		return err
	}
	key := func(scope billing.Scope, name string, may ...string) error {
		_, err := create(t, s, scope, name, may...)
		return err
	}
	provider := func(scope billing.Scope, first string) error {
		in := intake.ProviderRequest{FirstName: first, LastName: "Lee", NPI: "1234567893"}
		_, err := s.CreateProvider(t.Context(), administration(scope, renderProvider), in)
		return err
	}
	_, orgErr := s.CreateOrganization(t.Context(), " ")
	_, revokeErr := revoke(t, s, scope, billing.KeyID{1})
	_, absentErr := revoke(t, s, absent, billing.KeyID{1})
	_, findErr := s.FindKey(t.Context(), billing.KeyID{1})
	for name, c := range map[string]struct {
		err  error
		want billing.Code
	}{
		"organization without a name": {orgErr, billing.CodeInvalidRequest},
		"key without a name":          {key(scope, "", "read"), billing.CodeInvalidRequest},
		"key without permission":      {key(scope, "k"), billing.CodeInvalidRequest},
		"key that may fly":            {key(scope, "k", "fly"), billing.CodeInvalidRequest},
		"key of no mode":              {key(billing.Scope{Org: scope.Org, Mode: "prod"}, "k", "read"), billing.CodeInvalidRequest},
		"key of an absent one":        {key(absent, "k", "read"), billing.CodeNotFound},
		"revoke no key":               {revokeErr, billing.CodeNotFound},
		"revoke a key of an absent":   {absentErr, billing.CodeNotFound},
		"find no key":                 {findErr, billing.CodeNotFound},
		"office without a name":       {office(scope, ""), billing.CodeInvalidRequest},
		"office of an absent one":     {office(absent, "Main"), billing.CodeNotFound},
		"office of no mode":           {office(billing.Scope{Org: scope.Org, Mode: "prod"}, "Main"), billing.CodeInvalidRequest},
		"good office":                 {office(scope, "Main"), ""},
		"provider without a name":     {provider(scope, ""), billing.CodeInvalidRequest},
		"provider of an absent one":   {provider(absent, "Ann"), billing.CodeNotFound},
		"good provider":               {provider(scope, "Ann"), ""},
	} {
		if c.want == "" && c.err != nil || c.want != "" && (c.err == nil || billing.CodeOf(c.err) != c.want) {
			t.Errorf("%s: %v, want %s", name, c.err, c.want)
		}
	}
	if all, _, err := s.ListOffices(t.Context(), scope, billing.Page{Limit: 10}); err != nil || len(all) != 1 {
		t.Errorf("offices %v, %v", all, err)
	}
	if all, err := s.ListOrganizations(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("organizations %v, %v", all, err)
	}
}
