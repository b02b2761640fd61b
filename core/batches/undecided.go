package batches

import (
	"cmp"
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Undecided is a batch that waits for the operator.
type Undecided struct {
	*clearing.Batch

	Connection string // its name, or the ID of one that was removed
}

// Undecided lists the batches of all organizations whose outcome is unknown, or with an
// overdue acknowledgement, the oldest first.
func (s *Service) Undecided(ctx context.Context) (all []Undecided, err error) {
	err = s.named(ctx, func(ctx context.Context, tx ports.SystemTx, name func(network string) string) error {
		found, err := tx.Routes.Undecided(ctx)
		for _, b := range found {
			all = append(all, Undecided{b, name(b.Network)})
		}
		return err
	})
	return all, err
}

// named runs fn, to which name returns the name of the connection of a network, or its ID
// if the connection was removed.
func (s *Service) named(ctx context.Context, fn func(ctx context.Context, tx ports.SystemTx, name func(network string) string) error) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		connections, err := tx.Connections.List(ctx)
		if err != nil {
			return err
		}
		names := make(map[string]string, len(connections))
		for _, c := range connections {
			names[c.Network()] = c.Name
		}
		return fn(ctx, tx, func(network string) string { return cmp.Or(names[network], network) })
	})
}

// Resend sends an undecided batch again, because the operator knows that the
// clearinghouse does not have it. It returns CodeNotFound for any other batch, and
// CodeConflict for one with a claim that has moved on: a second file would duplicate it.
func (s *Service) Resend(ctx context.Context, id billing.FileID) (*clearing.Batch, error) {
	return s.decide(ctx, id, func(ctx context.Context, tx ports.Tx, b *clearing.Batch) error {
		claims, err := tx.Clearing.OfBatch(ctx, id)
		if err != nil {
			return err
		}
		moved := func(c *claim.Claim) bool {
			return c.State != claim.Submitted
		}
		if b.UnknownSince.IsZero() && (len(claims) < b.ClaimCount || slices.ContainsFunc(claims, moved)) {
			return &billing.Error{Code: billing.CodeConflict, Message: "The clearinghouse has reported on claims of " + id.String() +
				". A second file would duplicate them. Ask it for the missing acknowledgement, then run molar batches sent."}
		}
		b.Resend()
		if err := tx.Outbox.Stage(ctx, jobs.Job{Kind: jobs.KindBatchSend, Scope: b.Scope, Subject: b.ID}); err != nil {
			return err
		}
		return tx.Batches.Save(ctx, b)
	})
}

// MarkSent records that the clearinghouse has an undecided batch, because the operator
// knows it. One with overdue acknowledgements awaits none any more. It returns
// CodeNotFound for any other batch.
func (s *Service) MarkSent(ctx context.Context, id billing.FileID) (*clearing.Batch, error) {
	return s.decide(ctx, id, func(ctx context.Context, tx ports.Tx, b *clearing.Batch) error {
		if !b.UnknownSince.IsZero() {
			return sent(ctx, tx, b.ID, tx.Clock.Now())
		}
		b.Settle(tx.Clock.Now())
		return tx.Batches.Save(ctx, b)
	})
}

// decide applies the operator's decision on an undecided batch.
func (s *Service) decide(
	ctx context.Context, id billing.FileID, do func(ctx context.Context, tx ports.Tx, b *clearing.Batch) error,
) (b *clearing.Batch, err error) {
	all, err := s.Undecided(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(b Undecided) bool { return b.ID == id })
	if at < 0 {
		return nil, billing.NotFound("undecided batch", "id")
	}
	err = s.store.InTx(ctx, all[at].Scope, func(ctx context.Context, tx ports.Tx) error {
		b, err = tx.Batches.Lock(ctx, id)
		switch {
		case err != nil:
			return err
		case !b.Undecided(): // an acknowledgement came meanwhile
			return billing.NotFound("undecided batch", "id")
		}
		return do(ctx, tx, b)
	})
	return b, err
}
