package idempotency

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Claim takes the request's key for the rest of the transaction. Kept is the
// answer that the request got before, to be repeated. Work, when not zero, is
// what an earlier request with the key waits for: nobody has answered it yet.
//
// Errors: CodeIdempotencyKeyReused, and CodeIdempotencyKeyInUse while another
// transaction has the key.
func Claim(ctx context.Context, tx ports.Tx, req billing.Request) (kept *billing.Answer, work billing.JobID, err error) {
	use, err := tx.Keys.Claim(ctx, req.Key)
	if err != nil || use == nil {
		return nil, billing.JobID{}, err
	}
	kept, err = use.Replay(req)
	if err == nil && kept == nil && !use.Held {
		err = billing.ErrKeyInUse()
	}
	return kept, use.Work, err
}

// Once makes a change that is one transaction, at most once for the request's
// key: the answer is kept in the commit of the effect, and a repeated request
// gets it without another effect. Replayed tells that this happened. The faults
// of the request are told when its key is new, before the change. Change may
// run again after a conflict.
func Once[T any](
	ctx context.Context, store ports.Store, scope billing.Scope, req billing.Request,
	render billing.Render[T], change func(ctx context.Context, tx ports.Tx) (T, error),
) (answer billing.Answer, replayed bool, err error) {
	err = store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		kept, _, err := Claim(ctx, tx, req)
		if err != nil {
			return err
		}
		if replayed = kept != nil; replayed {
			answer = *kept
			return nil
		}
		if err := req.Faults.Err(); err != nil {
			return err
		}
		made, err := change(ctx, tx)
		if err != nil {
			return err
		}
		answer = render(made, nil)
		return tx.Keys.Record(ctx, req.Answered(answer, tx.Clock.Now()))
	})
	return answer, replayed, err
}
