package idempotency

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
)

// Write is a call that changes something and whose result is a T.
type Write[T any] struct {
	caller.Call

	// Render renders the reply from the result of the use case, or from the error
	// of the request. The caller provides it, so that the reply is stored in the
	// commit of the change.
	Render func(made T, failure error) caller.Reply
}

// Administration returns the call of an operator at the command line, without a
// key. Its reply is text.
func Administration[T any](scope billing.Scope, operator string, show func(made T) string) Write[T] {
	return Write[T]{
		Call:   caller.Call{Scope: scope, Principal: caller.Principal{Type: caller.PrincipalOperator, ID: operator}},
		Render: func(made T, _ error) caller.Reply { return caller.Reply{Body: []byte(show(made))} },
	}
}

// Keep renders the reply and stores it under the call's key.
func (w Write[T]) Keep(ctx context.Context, tx ports.Tx, made T, failure error) (caller.Reply, error) {
	reply := w.Render(made, failure)
	if w.Request.Key == "" {
		return reply, nil
	}
	return reply, tx.Keys.Record(ctx, w.Request.Replied(reply, tx.Real.Now().Time))
}

// Reserve reserves the request's key for the rest of the transaction. Kept is
// the stored reply of an earlier request, to be replayed. Work, when not zero,
// is the work that an earlier request with the key waits for; it has no reply
// yet. A request without a key reserves nothing.
//
// Errors: CodeIdempotencyKeyReused, and CodeIdempotencyKeyInUse while another
// transaction has the key.
func Reserve(ctx context.Context, tx ports.Tx, req caller.Request) (kept *caller.Reply, work billing.JobID, err error) {
	if req.Key == "" {
		return nil, work, nil
	}
	use, err := tx.Keys.Reserve(ctx, req.Key)
	if err != nil || use == nil {
		return nil, work, err
	}
	kept, err = use.Replay(req)
	if err == nil && kept == nil && !use.Held {
		err = caller.ErrKeyInUse()
	}
	return kept, use.Work, err
}

// RefusedError is the error of a change that is committed although the request is refused.
// The request may be repeated under its key, as after any refusal.
type RefusedError struct{ Cause error }

func (r *RefusedError) Error() string { return r.Cause.Error() }

// Once makes a change of one transaction, at most once for the call's key: the
// reply is stored in the commit of the change, and a repeated request returns
// it without another change. A call without a key always makes the change. When
// the key is new, the faults of the request are reported before the change.
// Change may run again after a conflict. Once returns the cause of a RefusedError.
func Once[T any](
	ctx context.Context, store ports.Store, call Write[T], change func(ctx context.Context, tx ports.Tx) (T, error),
) (reply caller.Reply, err error) {
	var refused error
	err = store.InTx(ctx, call.Scope, func(ctx context.Context, tx ports.Tx) error {
		refused = nil
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
		if r, ok := errors.AsType[*RefusedError](err); ok {
			refused = r.Cause
			return nil
		}
		if err != nil {
			return err
		}
		reply, err = call.Keep(ctx, tx, made, nil)
		return err
	})
	if err == nil {
		err = refused
	}
	return reply, err
}

// Reveal is Once for a result with a secret, which only the first reply shows. Hide
// returns the result without the secret, for the reply that is stored.
func Reveal[T any](
	ctx context.Context, store ports.Store, call Write[T], hide func(made T) T, change func(ctx context.Context, tx ports.Tx) (T, error),
) (caller.Reply, error) {
	var made T
	reply, err := Once(ctx, store, call, func(ctx context.Context, tx ports.Tx) (hidden T, err error) {
		if made, err = change(ctx, tx); err != nil {
			return hidden, err
		}
		return hide(made), nil
	})
	if err == nil && !reply.Replayed {
		reply = call.Render(made, nil)
	}
	return reply, err
}
