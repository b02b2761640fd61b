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
		got, err := tx.Keys.Reserve(ctx, use.Key)
		if err != nil || got != nil {
			t.Errorf("a new key: %+v, %v", got, err)
		}
		return errors.Join(tx.Checks.Insert(ctx, c), tx.Keys.Record(ctx, use))
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Keys.Reserve(ctx, use.Key)
		if err != nil {
			return err
		}
		held := use
		held.Held = true
		equal(t, "use", got, &held)
		// Another transaction may read the use meanwhile. The store reports
		// that it does not hold the key.
		if err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error { //nolint:contextcheck // a transaction beside this one
			seen, err := tx.Keys.Reserve(ctx, use.Key)
			equal(t, "use that another holds", seen, &use)
			return err
		}); err != nil {
			return err
		}
		other, err := tx.Keys.Reserve(ctx, "key-aa")
		if other != nil {
			t.Errorf("another spelling is another key: %+v", other)
		}
		return err
	})
}

// testKeyRace uses one key many times at once. One caller does the work, the
// others must retry, and then all get the same reply.
func testKeyRace(b *bench) {
	t := b.t
	const callers = 12
	var winners, busy atomic.Int32
	b.race(times(callers, func(int) error {
		for t.Context().Err() == nil {
			won := false
			err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
				won = false // a transaction that the store repeats decides again
				use, err := tx.Keys.Reserve(ctx, "same")
				if err != nil || use != nil {
					return err
				}
				c := b.answered(0)
				if err := errors.Join(tx.Checks.Insert(ctx, c), tx.Keys.Record(ctx, billing.KeyUse{Key: "same", CheckID: c.ID, CreatedAt: b.now})); err != nil {
					return err
				}
				// The key is held, by a transaction that is never idle for long, until
				// another caller has tried it.
				for busy.Load() == 0 {
					if _, err := tx.Checks.Get(ctx, c.ID); err != nil {
						return err
					}
					waitABit(ctx)
				}
				won = true
				return nil
			})
			if billing.CodeOf(err) != billing.CodeIdempotencyKeyInUse {
				if err == nil && won {
					winners.Add(1)
				}
				return err
			}
			busy.Add(1)
		}
		return t.Context().Err()
	})...)
	if winners.Load() != 1 || busy.Load() == 0 {
		t.Errorf("%d did the work and %d got the error for a key in use", winners.Load(), busy.Load())
	}
	if n := len(b.listChecks(billing.CheckFilter{}, billing.Page{Limit: 100})); n != 1 {
		t.Errorf("%d checks, want 1", n)
	}
}

// claimed returns the recorded use of the key.
func (b *bench) claimed(key string) (use *billing.KeyUse) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		use, err = tx.Keys.Reserve(ctx, key)
		return err
	})
	return use
}

// testKeyReplies uses one key repeatedly. No part of one use remains in the
// next.
func testKeyReplies(b *bench) {
	t := b.t
	const key = "Key-Aa"
	for n, use := range []billing.KeyUse{
		{Reply: &billing.Reply{Status: 201, Body: []byte(`{"a": "é", "b":1.50}` + "\x00\xff\n")}},
		{Work: id[billing.JobID]()},
		{Reply: &billing.Reply{Status: 204}},
		{CheckID: id[billing.CheckID]()},
		{Reply: &billing.Reply{Status: 502, Body: make([]byte, 100_000)}},
		{Work: id[billing.JobID]()},
		{},
	} {
		use.Key, use.Fingerprint, use.CreatedAt = key, digest(string(rune(n))), b.now.Add(time.Duration(n)*time.Second)
		b.in(func(ctx context.Context, tx ports.Tx) error {
			if _, err := tx.Keys.Reserve(ctx, key); err != nil {
				return err
			}
			return tx.Keys.Record(ctx, use)
		})
		use.Held = true
		equal(t, "use", b.claimed(key), &use)
	}
	for name, use := range map[string]billing.KeyUse{
		"no status":           {Reply: &billing.Reply{Body: []byte("{}")}},
		"a status of four":    {Reply: &billing.Reply{Status: 1000}},
		"a check and work":    {CheckID: id[billing.CheckID](), Work: id[billing.JobID]()},
		"an answer and work":  {Reply: &billing.Reply{Status: 200}, Work: id[billing.JobID]()},
		"an answer and check": {Reply: &billing.Reply{Status: 200}, CheckID: id[billing.CheckID]()},
	} {
		use.Key, use.CreatedAt = "other", b.now
		if err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Record(ctx, use) }); err == nil {
			t.Errorf("%s was recorded", name)
		}
	}
	if use := b.claimed("other"); use != nil {
		t.Errorf("an invalid use is on record: %+v", use)
	}
}

func testKeyRelease(b *bench) {
	t := b.t
	use := billing.KeyUse{Key: "Key-Aa", Fingerprint: digest("f"), Work: id[billing.JobID](), CreatedAt: b.now}
	release := func(key string, work billing.JobID) *billing.KeyUse {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			return tx.Keys.Release(ctx, key, work)
		})
		return b.claimed(use.Key)
	}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Record(ctx, use) })
	held := use
	held.Held = true
	equal(t, "another key released", release("key-aa", use.Work), &held)
	equal(t, "other work's key released", release(use.Key, id[billing.JobID]()), &held)
	equal(t, "no work's key released", release(use.Key, billing.JobID{}), &held)
	if got := release(use.Key, use.Work); got != nil {
		t.Errorf("a released key is used: %+v", got)
	}
	answered := use
	answered.Work, answered.Reply = billing.JobID{}, &billing.Reply{Status: 200}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Keys.Record(ctx, use), tx.Keys.Record(ctx, answered))
	})
	answered.Held = true
	equal(t, "an answered key released", release(use.Key, use.Work), &answered)
}

// testForget removes old keys, except those whose work is not done: the work is
// the job, or the subject of the job.
func testForget(b *bench) {
	t := b.t
	old := b.now.Add(-8 * 24 * time.Hour)
	check, upload, send := b.job(), b.job(), b.job()
	b.stage(check, upload, send)
	for _, use := range []billing.KeyUse{
		{Key: "check", CheckID: billing.CheckID(check.Subject)},
		{Key: "upload", Work: billing.JobID(upload.Subject)},
		{Key: "send", Work: send.ID},
		{Key: "done", Work: id[billing.JobID]()},
		{Key: "answered", Reply: &billing.Reply{Status: 200}},
		{Key: "old"},
		{Key: "new", CreatedAt: b.now},
	} {
		if use.CreatedAt.IsZero() {
			use.CreatedAt = old
		}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Record(ctx, use) })
	}
	b.forgets(ports.Forgetter.KeyUses, b.now.Add(-7*24*time.Hour), 3)
	b.forgets(ports.Forgetter.KeyUses, b.now.Add(-7*24*time.Hour), 0)
	for _, key := range []string{"check", "upload", "send", "new"} {
		if b.claimed(key) == nil {
			t.Errorf("the key %s was forgotten", key)
		}
	}
	for _, key := range []string{"old", "done", "answered"} {
		if use := b.claimed(key); use != nil {
			t.Errorf("the key %s is kept: %+v", key, use)
		}
	}
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
