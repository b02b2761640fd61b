// Package attachments collects images and a narrative for a payer and sends
// them through an attachment network, with a claim or in answer to a payer
// request.
//
// A change of one transaction is committed together with its reply, under the
// call's idempotency key. Longer work is a job: converting a PNG, and sending.
// The request commits the intent and waits. A worker does the work and commits
// the result. The request, or its repetition, reads the result and stores the
// reply.
//
// A blob is written before the row that names it and removed after the row, so
// that no row is ever without its blob. The sweeper removes the blobs that are
// left.
package attachments

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of attachments.
type Service struct {
	store    ports.Store
	queue    ports.Queue
	blobs    ports.Blobs
	images   ports.Images
	networks ports.Networks
	payers   *directory.PayerDirectory
	times    Times
}

// Times are the time limits that an operator can set.
type Times struct {
	SendWait    time.Duration // how long a call waits for the attachment network
	Silence     time.Duration // how long the network may take before the sending has failed
	ConvertWait time.Duration // how long a call waits for the conversion of a PNG
	Orphan      time.Duration // the age from which a blob without a row is swept
	Settled     time.Duration // how long settled uploads are stored
}

// DefaultTimes are the limits that the specification names.
func DefaultTimes() Times {
	return Times{
		SendWait: 25 * time.Second, Silence: 60 * time.Second, ConvertWait: 20 * time.Second,
		Orphan: 24 * time.Hour, Settled: idempotency.DefaultTTL,
	}
}

// Outside has the dependencies of the use cases besides the store: the queue,
// the image store and codec, and the networks.
type Outside struct {
	Queue    ports.Queue
	Blobs    ports.Blobs
	Images   ports.Images
	Networks ports.Networks
}

// New creates the use cases.
func New(store ports.Store, o Outside, payers *directory.PayerDirectory, times Times) *Service {
	return &Service{store, o.Queue, o.Blobs, o.Images, o.Networks, payers, times}
}

// Get reads an attachment. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.AttachmentID) (*attachment.Attachment, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error) {
		return tx.Attachments.Get(ctx, id)
	})
}

// List reads a page of attachments, newest first, and the start of the next
// page: nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f attachment.Filter, p billing.Page,
) ([]*attachment.Attachment, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*attachment.Attachment, error) {
		return tx.Attachments.List(ctx, f, p)
	})
}

// change makes a change of one transaction to an attachment, at most once for
// the call's key.
func (s *Service) change(
	ctx context.Context, call idempotency.Write[*attachment.Attachment],
	change func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error),
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error) {
		if err := s.networks.Available(call.Scope, network.Attachments); err != nil {
			return nil, err
		}
		return change(ctx, tx)
	})
}

// first runs work in a transaction, unless the request is a repetition with a
// reply to replay.
func (s *Service) first(
	ctx context.Context, scope billing.Scope, replay func(context.Context, ports.Tx) (*caller.Reply, error),
	work func(context.Context, ports.Tx) (caller.Reply, error),
) (reply caller.Reply, err error) {
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

// errGivenUp is the error when the work of this request failed internally; the
// worker's log has the cause.
var errGivenUp = errors.New("the work of the request was given up")

// kept stores the reply of a request whose work has ended, by replaying it.
// Another request may hold the key at that moment, but not for long.
func (s *Service) kept(
	ctx context.Context, scope billing.Scope, replay func(context.Context, ports.Tx) (*caller.Reply, error),
) (reply caller.Reply, err error) {
	atOnce := make(chan struct{}, 1)
	atOnce <- struct{}{}
	over := jobs.Wait(ctx, atOnce, func(ctx context.Context) bool {
		err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
			found, err := replay(ctx, tx)
			if err == nil && found == nil {
				return errGivenUp
			}
			if err == nil {
				reply = caller.Reply{Status: found.Status, Body: found.Body}
			}
			return err
		})
		return billing.CodeOf(err) != billing.CodeIdempotencyKeyInUse
	})
	return reply, cmp.Or(over, err)
}
