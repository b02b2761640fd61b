package eligibility_test

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestKeyOfAnotherOperation uses a key for a check and for another operation,
// both ways round, also while the first waits for its work.
func TestKeyOfAnotherOperation(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	now := time.Now()
	elsewhere := func(key string) caller.Request {
		r := call(key)
		r.Fingerprint = [32]byte{9}
		return r
	}
	for key, use := range map[string]caller.KeyUse{
		"answered": elsewhere("answered").Replied(caller.Reply{Status: 201}, now),
		"waits":    elsewhere("waits").Waiting(billing.NewID[billing.JobID](billing.RealAt(now)), now),
	} {
		porttest.In(t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Record(ctx, use) })
		if _, _, err := b.service.Check(t.Context(), calling(b.scope, call(key)), b.request("-ACTIVE-FULL")); billing.CodeOf(err) != billing.CodeIdempotencyKeyReused {
			t.Errorf("a check with a key that %s: %v", key, err)
		}
	}
	claim := func(key string) error {
		return b.store.InTx(t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) error {
			_, _, err := idempotency.Reserve(ctx, tx, elsewhere(key))
			return err
		})
	}
	_, _, _ = b.impatient.Check(t.Context(), calling(b.scope, call("check")), b.request("-ACTIVE-FULL"))
	if err := claim("check"); billing.CodeOf(err) != billing.CodeIdempotencyKeyReused {
		t.Errorf("the key of a check that waits: %v", err)
	}
	if err := b.service.Answer(t.Context(), b.job()); err != nil {
		t.Fatal(err)
	}
	if err := claim("check"); billing.CodeOf(err) != billing.CodeIdempotencyKeyReused || sandbox.asked() != 1 {
		t.Errorf("the key of a check that is answered: %v", err)
	}
}
