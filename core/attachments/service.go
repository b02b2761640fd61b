// Package attachments collects images and a narrative for a payer and sends
// them through an attachment network, with a claim or in answer to the payer's
// request.
//
// What takes one transaction is made under the call's idempotency key with
// its reply. What takes longer is a job: converting a PNG, and sending. The
// request commits the intent and waits; a worker does the work and commits what
// came of it; the request, or its repetition, reads that and keeps the reply.
//
// A blob is written before the row that names it and removed after the row, so
// that no row is ever without its blob; the sweeper removes what is left over.
package attachments

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Service is the use cases of attachments.
type Service struct {
	store    ports.Store
	queue    ports.Queue
	blobs    ports.Blobs
	images   ports.Images
	networks ports.Networks
	payers   *billing.PayerDirectory
	times    Times
}

// Times are the spans that an operator can set.
type Times struct {
	SendWait    time.Duration // how long a caller waits for the attachment network
	Silence     time.Duration // how long the network may take before the sending counts as failed
	ConvertWait time.Duration // how long a caller waits for the conversion of a PNG
	Orphan      time.Duration // how old a blob without a row is when it is swept
	Settled     time.Duration // how long the uploads that are settled are remembered
}

// DefaultTimes are the spans of the interface.
func DefaultTimes() Times {
	return Times{
		SendWait: 25 * time.Second, Silence: 60 * time.Second, ConvertWait: 20 * time.Second,
		Orphan: 24 * time.Hour, Settled: idempotency.DefaultTTL,
	}
}

// Outside is what the use cases need beside the store: the queue, where images
// are kept, who judges them, and the networks.
type Outside struct {
	Queue    ports.Queue
	Blobs    ports.Blobs
	Images   ports.Images
	Networks ports.Networks
}

// New makes the use cases.
func New(store ports.Store, o Outside, payers *billing.PayerDirectory, times Times) *Service {
	return &Service{store, o.Queue, o.Blobs, o.Images, o.Networks, payers, times}
}

// Get reads an attachment. An absent one is CodeNotFound.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.AttachmentID) (a *billing.Attachment, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		a, err = tx.Attachments.Get(ctx, id)
		return err
	})
	return a, err
}

// List reads a page of attachments, newest first, and where the next page
// starts: nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f billing.AttachmentFilter, p billing.Page,
) (page []*billing.Attachment, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.Attachments.List(ctx, f, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(a *billing.Attachment) billing.Position {
		return billing.Position{Time: a.CreatedAt, ID: a.ID}
	})
	return page, next, err
}

// change makes a change of one transaction to an attachment, at most once for
// the call's key.
func (s *Service) change(
	ctx context.Context, call idempotency.Write[*billing.Attachment],
	change func(ctx context.Context, tx ports.Tx) (*billing.Attachment, error),
) (billing.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*billing.Attachment, error) {
		if err := s.networks.Available(call.Scope, billing.TransactionAttachments); err != nil {
			return nil, err
		}
		return change(ctx, tx)
	})
}

// first does work in a transaction unless the request is a repetition, whose
// reply is replayed.
func (s *Service) first(
	ctx context.Context, scope billing.Scope, replay func(context.Context, ports.Tx) (*billing.Reply, error),
	work func(context.Context, ports.Tx) (billing.Reply, error),
) (reply billing.Reply, err error) {
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		kept, err := replay(ctx, tx)
		if err != nil {
			return err
		}
		if kept != nil {
			reply = *kept
			return nil
		}
		reply, err = work(ctx, tx)
		return err
	})
	return reply, err
}

// errGivenUp is the error when the work that this request began failed for a
// fault of the service itself; the log of the worker has the cause.
var errGivenUp = errors.New("the work of the request was given up")

// kept keeps the reply of a request whose work has come to its end, by way of
// replay. Another request may hold the key at that moment, but not for long.
func (s *Service) kept(
	ctx context.Context, scope billing.Scope, replay func(context.Context, ports.Tx) (*billing.Reply, error),
) (reply billing.Reply, err error) {
	atOnce := make(chan struct{}, 1)
	atOnce <- struct{}{}
	over := jobs.Wait(ctx, atOnce, func(ctx context.Context) bool {
		err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
			found, err := replay(ctx, tx)
			if err == nil && found == nil {
				return errGivenUp
			}
			if err == nil {
				reply = billing.Reply{Status: found.Status, Body: found.Body}
			}
			return err
		})
		return billing.CodeOf(err) != billing.CodeIdempotencyKeyInUse
	})
	return reply, firstOf(over, err)
}
