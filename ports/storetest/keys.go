package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

func testKeys(b *bench) {
	t := b.t
	c := b.answered(0)
	use := billing.KeyUse{Key: "Key-Aa", Fingerprint: digest("f"), CheckID: c.ID, CreatedAt: b.now}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Keys.Claim(ctx, use.Key)
		if err != nil || got != nil {
			t.Errorf("a new key: %+v, %v", got, err)
		}
		return errors.Join(tx.Checks.Insert(ctx, c), tx.Keys.Record(ctx, use))
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Keys.Claim(ctx, use.Key)
		if err != nil {
			return err
		}
		held := use
		held.Held = true
		equal(t, "use", got, &held)
		// Another may read the use meanwhile, and is told that it does not hold
		// the key.
		if err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error { //nolint:contextcheck // a transaction beside this one
			seen, err := tx.Keys.Claim(ctx, use.Key)
			equal(t, "use that another holds", seen, &use)
			return err
		}); err != nil {
			return err
		}
		other, err := tx.Keys.Claim(ctx, "key-aa")
		if other != nil {
			t.Errorf("another spelling is another key: %+v", other)
		}
		return err
	})
}

// testKeyRace lets many use one key at once: one does the work, the others are
// told to come back, and then all get the same answer.
func testKeyRace(b *bench) {
	t := b.t
	const callers = 12
	var winners, busy atomic.Int32
	var fs []func() error
	for range callers {
		fs = append(fs, func() error {
			for t.Context().Err() == nil {
				err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
					use, err := tx.Keys.Claim(ctx, "same")
					if err != nil || use != nil {
						return err
					}
					c := b.answered(0)
					if err := errors.Join(tx.Checks.Insert(ctx, c), tx.Keys.Record(ctx, billing.KeyUse{Key: "same", CheckID: c.ID, CreatedAt: b.now})); err != nil {
						return err
					}
					if _, err := tx.Checks.Get(ctx, c.ID); err != nil {
						return err
					}
					for range 20 { // give the others time to try
						waitABit(ctx)
					}
					winners.Add(1)
					return nil
				})
				if billing.CodeOf(err) != billing.CodeIdempotencyKeyInUse {
					return err
				}
				busy.Add(1)
			}
			return t.Context().Err()
		})
	}
	for _, err := range together(fs...) {
		if err != nil {
			t.Error(err)
		}
	}
	if winners.Load() != 1 || busy.Load() == 0 {
		t.Errorf("%d did the work and %d were told that the key is in use", winners.Load(), busy.Load())
	}
	if n := len(b.listChecks(billing.CheckFilter{}, billing.Page{Limit: 100})); n != 1 {
		t.Errorf("%d checks, want 1", n)
	}
}

func testForget(b *bench) {
	t := b.t
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(
			tx.Keys.Record(ctx, billing.KeyUse{Key: "old", CreatedAt: b.now.Add(-8 * 24 * time.Hour)}),
			tx.Keys.Record(ctx, billing.KeyUse{Key: "new", CreatedAt: b.now}))
	})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		n, err := tx.Forget.KeyUses(ctx, b.now.Add(-7*24*time.Hour))
		equal(t, "forgotten", n, 1)
		return err
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		old, err1 := tx.Keys.Claim(ctx, "old")
		kept, err2 := tx.Keys.Claim(ctx, "new")
		if old != nil || kept == nil {
			t.Errorf("old %+v, new %+v", old, kept)
		}
		return errors.Join(err1, err2)
	})
}

func testAPIKeys(b *bench) {
	t := b.t
	k := &billing.APIKey{
		ID: id[billing.KeyID](), Scope: b.scope, Name: "Front desk", Permissions: []billing.Permission{billing.PermissionRead, billing.PermissionSubmit},
		LastFour: "wXyZ", CreatedAt: b.now,
	}
	created, revoked := b.event(k.ID, billing.EventAPIKeyCreated, 0), b.event(k.ID, billing.EventAPIKeyRevoked, 1)
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return errors.Join(
			tx.Orgs.Insert(ctx, &billing.Organization{ID: b.scope.Org, Name: "Practice", CreatedAt: b.now}),
			tx.APIKeys.Insert(ctx, k, digest("secret")), tx.APIKeys.Append(ctx, created))
	})
	at := b.now.Add(time.Minute)
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		got, err := tx.APIKeys.Find(ctx, digest("secret"))
		equal(t, "key", got, k)
		if err != nil {
			return err
		}
		_, err = tx.APIKeys.Find(ctx, digest("Secret"))
		wantCode(t, "an unknown secret", err, billing.CodeNotFound)
		_, _, err = tx.APIKeys.Revoke(ctx, id[billing.KeyID](), at)
		wantCode(t, "revoking an unknown key", err, billing.CodeNotFound)
		return nil
	})
	for n, first := range []bool{true, false} {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			got, did, err := tx.APIKeys.Revoke(ctx, k.ID, at.Add(time.Duration(n)*time.Minute))
			if err != nil || did != first || !got.RevokedAt.Equal(at) {
				t.Errorf("revoke: %+v, %v, %v", got, did, err)
			}
			if did {
				return tx.APIKeys.Append(ctx, revoked)
			}
			return nil
		})
	}
	k.RevokedAt = at
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		got, err := tx.APIKeys.List(ctx, b.scope.Org)
		equal(t, "keys", got, []*billing.APIKey{k})
		return err
	})
	for n, e := range []billing.Event{created, revoked} {
		e.Sequence = n + 1
		got := read(b, func(ctx context.Context, tx ports.Tx) (*billing.Event, error) { return tx.Events.Get(ctx, e.ID) })
		equal(t, "event", *got, e)
	}
}
