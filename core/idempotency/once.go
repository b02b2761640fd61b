package idempotency

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Write is a call that changes something and is replied with a T.
type Write[T any] struct {
	billing.Call

	// Render makes the reply from what the use case made, or from the error that
	// the request ended with. It is the caller's, so that the reply is kept in the
	// commit of the change.
	Render func(made T, failure error) billing.Reply
}

// Administration is the call of an operator of the command line, which has no
// key. Its reply is a text.
func Administration[T any](scope billing.Scope, operator string, show func(made T) string) Write[T] {
	return Write[T]{
		Call:   billing.Call{Scope: scope, Principal: billing.Principal{Type: billing.PrincipalOperator, ID: operator}},
		Render: func(made T, _ error) billing.Reply { return billing.Reply{Body: []byte(show(made))} },
	}
}

// Keep renders the reply and keeps it under the call's key.
func (w Write[T]) Keep(ctx context.Context, tx ports.Tx, made T, failure error) (billing.Reply, error) {
	reply := w.Render(made, failure)
	if w.Request.Key == "" {
		return reply, nil
	}
	return reply, tx.Keys.Record(ctx, w.Request.Replied(reply, tx.Clock.Now()))
}

// Reserve reserves the request's key for the rest of the transaction. Kept is
// the reply that the request got before, to be repeated. Work, when not zero, is
// what an earlier request with the key waits for: it has no reply yet. Without a
// key there is nothing to reserve.
//
// Errors: CodeIdempotencyKeyReused, and CodeIdempotencyKeyInUse while another
// transaction has the key.
func Reserve(ctx context.Context, tx ports.Tx, req billing.Request) (kept *billing.Reply, work billing.JobID, err error) {
	if req.Key == "" {
		return nil, work, nil
	}
	use, err := tx.Keys.Reserve(ctx, req.Key)
	if err != nil || use == nil {
		return nil, work, err
	}
	kept, err = use.Replay(req)
	if err == nil && kept == nil && !use.Held {
		err = billing.ErrKeyInUse()
	}
	return kept, use.Work, err
}

// Once makes a change that is one transaction, at most once for the call's key:
// the reply is kept in the commit of the change, and a repeated request gets it
// without another change. A call without a key is made each time. The faults of the request are reported when its key is
// new, before the change. Change may run again after a conflict.
func Once[T any](
	ctx context.Context, store ports.Store, call Write[T], change func(ctx context.Context, tx ports.Tx) (T, error),
) (reply billing.Reply, err error) {
	err = store.InTx(ctx, call.Scope, func(ctx context.Context, tx ports.Tx) error {
		kept, _, err := Reserve(ctx, tx, call.Request)
		if err != nil {
			return err
		}
		if kept != nil {
			reply = *kept
			return nil
		}
		if err := call.Request.Faults.Err(); err != nil {
			return err
		}
		made, err := change(ctx, tx)
		if err != nil {
			return err
		}
		reply, err = call.Keep(ctx, tx, made, nil)
		return err
	})
	return reply, err
}
