package storetest

import (
	"context"
	"errors"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/ports"
)

func testKeys(b *scoped) {
	t := b.t
	c := b.answered(0)
	use := caller.KeyUse{Key: "Key-Aa", Fingerprint: digest("f"), CheckID: c.ID, CreatedAt: b.now}
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
func testKeyRace(b *scoped) {
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
				if err := errors.Join(tx.Checks.Insert(ctx, c), tx.Keys.Record(ctx, caller.KeyUse{Key: "same", CheckID: c.ID, CreatedAt: b.now})); err != nil {
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
	if n := len(b.listChecks(coverage.CheckFilter{}, billing.Page{Limit: 100})); n != 1 {
		t.Errorf("%d checks, want 1", n)
	}
}

// claimed returns the recorded use of the key.
func (b *scoped) claimed(key string) (use *caller.KeyUse) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		use, err = tx.Keys.Reserve(ctx, key)
		return err
	})
	return use
}

// testKeyReplies uses one key repeatedly. No part of one use remains in the
// next.
func testKeyReplies(b *scoped) {
	t := b.t
	const key = "Key-Aa"
	for n, use := range []caller.KeyUse{
		{Reply: &caller.Reply{Status: 201, Body: []byte(`{"a": "é", "b":1.50}` + "\x00\xff\n")}},
		{Work: id[billing.JobID]()},
		{Reply: &caller.Reply{Status: 204}},
		{CheckID: id[billing.CheckID]()},
		{Reply: &caller.Reply{Status: 502, Body: make([]byte, 100_000)}},
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
	for name, use := range map[string]caller.KeyUse{
		"no status":           {Reply: &caller.Reply{Body: []byte("{}")}},
		"a status of four":    {Reply: &caller.Reply{Status: 1000}},
		"a check and work":    {CheckID: id[billing.CheckID](), Work: id[billing.JobID]()},
		"an answer and work":  {Reply: &caller.Reply{Status: 200}, Work: id[billing.JobID]()},
		"an answer and check": {Reply: &caller.Reply{Status: 200}, CheckID: id[billing.CheckID]()},
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

func testKeyAnswer(b *scoped) {
	use := caller.KeyUse{Key: "Key-Aa", Fingerprint: digest("f"), Work: id[billing.JobID](), CreatedAt: b.now}
	reply := caller.Reply{Status: 200, Body: []byte("{}")}
	answer := func(key string, work billing.JobID) *caller.KeyUse {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Answer(ctx, key, work, reply) })
		return b.claimed(use.Key)
	}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Record(ctx, use) })
	held := use
	held.Held = true
	equal(b.t, "another key answered", answer("key-aa", use.Work), &held)
	equal(b.t, "other work's key answered", answer(use.Key, id[billing.JobID]()), &held)
	held.Work, held.Reply = billing.JobID{}, &reply
	equal(b.t, "answered", answer(use.Key, use.Work), &held)
}

func testKeyRelease(b *scoped) {
	t := b.t
	use := caller.KeyUse{Key: "Key-Aa", Fingerprint: digest("f"), Work: id[billing.JobID](), CreatedAt: b.now}
	release := func(key string, work billing.JobID) *caller.KeyUse {
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
	answered.Work, answered.Reply = billing.JobID{}, &caller.Reply{Status: 200}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Keys.Record(ctx, use), tx.Keys.Record(ctx, answered))
	})
	answered.Held = true
	equal(t, "an answered key released", release(use.Key, use.Work), &answered)
}

// testForget removes old keys, except those whose work is not done: the work is
// the job, or the subject of the job.
func testForget(b *scoped) {
	t := b.t
	old := b.now.Add(-8 * 24 * time.Hour)
	check, upload, send := b.job(), b.job(), b.job()
	b.stage(check, upload, send)
	for _, use := range []caller.KeyUse{
		{Key: "check", CheckID: billing.CheckID(check.Subject)},
		{Key: "upload", Work: billing.JobID(upload.Subject)},
		{Key: "send", Work: send.ID},
		{Key: "done", Work: id[billing.JobID]()},
		{Key: "answered", Reply: &caller.Reply{Status: 200}},
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

// testAPIKeys stores keys of both modes in a transaction of one, and the events of
// each key in the key's own mode.
func testAPIKeys(b *scoped) {
	t, elsewhere, live := b.t, newScope(), billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}
	b.organization()
	b.practice(elsewhere.Org)
	at := b.now.Add(time.Minute)
	first := &caller.APIKey{
		ID: id[billing.KeyID](), Scope: b.scope, Name: "Front desk", Permissions: []billing.Permission{billing.PermissionRead, billing.PermissionSubmit},
		LastFour: "wXyZ", CreatedAt: b.now, CreatedBy: id[billing.UserID](), ExpiresAt: at.Add(time.Hour),
		AllowedAddresses: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/48")},
	}
	second := &caller.APIKey{ID: id[billing.KeyID](), Scope: live, Name: "Reports", Permissions: []billing.Permission{billing.PermissionRead}, LastFour: "aBcD", CreatedAt: at}
	other := &caller.APIKey{ID: id[billing.KeyID](), Scope: elsewhere, Name: "Theirs", Permissions: []billing.Permission{billing.PermissionRead}, LastFour: "0000", CreatedAt: b.now}
	events := map[event.Type][]event.Event{}
	for n, k := range []*caller.APIKey{first, second, other} {
		for _, kind := range []event.Type{event.APIKeyCreated, event.APIKeyRevoked} {
			e := b.event(k.ID, kind, n)
			e.Scope = k.Scope
			events[kind] = append(events[kind], e)
		}
		in := map[bool]billing.Scope{true: b.scope, false: elsewhere}[k != other]
		err := b.try(in, func(ctx context.Context, tx ports.Tx) error {
			check := b.answered(n) // queued before, and written in the mode of the transaction
			check.Scope = in
			err := errors.Join(tx.APIKeys.Insert(ctx, k, digest(k.Name)), tx.Checks.Insert(ctx, check), tx.APIKeys.Append(ctx, events[event.APIKeyCreated][n]))
			_, gone := tx.Checks.Get(ctx, check.ID)
			return errors.Join(err, gone)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	revoke := func(in billing.Scope, k *caller.APIKey, at time.Time) (got *caller.APIKey, did bool, err error) {
		err = b.try(in, func(ctx context.Context, tx ports.Tx) error {
			if got, did, err = tx.APIKeys.Revoke(ctx, k.ID, at); err != nil || !did {
				return err
			}
			return tx.APIKeys.Append(ctx, events[event.APIKeyRevoked][1])
		})
		return got, did, err
	}
	for n, want := range []bool{true, false} { // the second is of live mode
		got, did, err := revoke(b.scope, second, at.Add(time.Duration(n)*time.Minute))
		second.RevokedAt = at
		if err != nil || did != want {
			t.Errorf("revoke: %v, %v", did, err)
		}
		equal(t, "revoked key", got, second)
	}
	for _, absent := range []*caller.APIKey{other, {ID: id[billing.KeyID]()}} {
		_, _, err := revoke(b.scope, absent, at)
		wantCode(t, "revoking an absent key", err, billing.CodeNotFound)
	}
	list := func(in billing.Scope, p billing.Page) []*caller.APIKey {
		all, err := try(b, in, func(ctx context.Context, tx ports.Tx) ([]*caller.APIKey, error) { return tx.APIKeys.List(ctx, p) })
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	equal(t, "keys", list(b.scope, billing.Page{Limit: 10}), []*caller.APIKey{second, first})
	equal(t, "keys in live mode", list(live, billing.Page{Limit: 10}), []*caller.APIKey{second, first})
	equal(t, "the next page", list(b.scope, billing.Page{Limit: 1, After: &billing.Position{Time: second.CreatedAt, ID: second.ID}}), []*caller.APIKey{first})
	equal(t, "keys elsewhere", list(elsewhere, billing.Page{Limit: 10}), []*caller.APIKey{other})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		valid, err := tx.KeyFinder.Valid(ctx, []billing.KeyID{first.ID, second.ID, id[billing.KeyID]()})
		equal(t, "valid keys", valid, []billing.KeyID{first.ID})
		if err != nil {
			return err
		}
		for _, k := range []*caller.APIKey{first, second, other} {
			got, err := tx.KeyFinder.Find(ctx, digest(k.Name))
			again, err2 := tx.KeyFinder.Get(ctx, k.ID)
			equal(t, "key by its digest", got, k)
			equal(t, "key by its ID", again, k)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
		}
		_, err = tx.KeyFinder.Find(ctx, digest("front desk"))
		wantCode(t, "an unknown secret", err, billing.CodeNotFound)
		_, err = tx.KeyFinder.Get(ctx, id[billing.KeyID]())
		wantCode(t, "an unknown key", err, billing.CodeNotFound)
		return nil
	})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		early := caller.KeyUsed{Key: first.ID, At: at, From: "192.0.2.1"}
		late := caller.KeyUsed{Key: first.ID, At: at.Add(time.Second), From: "2001:db8::1"}
		for _, uses := range [][]caller.KeyUsed{{early, {Key: id[billing.KeyID](), At: at, From: "192.0.2.1"}}, {late}, {early}} {
			if err := tx.KeyFinder.Used(ctx, uses); err != nil {
				return err
			}
		}
		first.LastUsedAt, first.LastUsedFrom = late.At, late.From
		got, err := tx.KeyFinder.Get(ctx, first.ID)
		equal(t, "a used key", got, first)
		return err
	})
	for n, c := range []struct {
		in   billing.Scope
		by   billing.UserID
		at   time.Time
		want []*caller.APIKey
	}{
		{live, first.CreatedBy, at, []*caller.APIKey{first}},
		{b.scope, first.CreatedBy, first.ExpiresAt, nil},
		{b.scope, id[billing.UserID](), at, nil},
		{elsewhere, first.CreatedBy, at, nil},
	} {
		got, err := try(b, c.in, func(ctx context.Context, tx ports.Tx) ([]*caller.APIKey, error) {
			return tx.APIKeys.Working(ctx, c.by, c.at)
		})
		if err != nil || len(got) != len(c.want) {
			t.Errorf("working keys, case %d: %v, %v", n, got, err)
			continue
		}
		for i := range got {
			equal(t, "working key", got[i], c.want[i])
		}
	}
	for in, want := range map[billing.Scope][]event.Event{
		b.scope: {events[event.APIKeyCreated][0]}, elsewhere: {events[event.APIKeyCreated][2]},
		live: {events[event.APIKeyRevoked][1], events[event.APIKeyCreated][1]},
	} {
		got, err := try(b, in, func(ctx context.Context, tx ports.Tx) ([]*event.Event, error) {
			return tx.Events.List(ctx, event.Filter{}, billing.Page{Limit: 10})
		})
		if err != nil || len(got) != len(want) {
			t.Errorf("events of %s: %v, %v", in.Mode, got, err)
			continue
		}
		for n, e := range want {
			e.Sequence = len(want) - n
			equal(t, "event", *got[n], e)
		}
	}
}
