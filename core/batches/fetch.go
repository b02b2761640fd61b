package batches

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// fetch downloads the files that a network has, one at a time: each is stored before
// the next is begun, and a job applies it. Files that were applied leave the network. One
// process at a time fetches from a network; any other returns at once.
func (s *Service) fetch(ctx context.Context, n *ports.Network, all *Received, failed func(error)) error {
	_, err := s.inTurn(ctx, "fetch "+n.Name, func(ctx context.Context, holder billing.JobID) error {
		there, err := n.Inbox.List(ctx)
		if err != nil {
			return fmt.Errorf("ask %s for files: %w", n.Name, err)
		}
		in, err := s.look(ctx, n, there, all)
		if err != nil {
			return err
		}
		for _, f := range in.Remove {
			if err := n.Inbox.Remove(ctx, f.RemoteFile, f.Digest); err != nil && ctx.Err() == nil {
				failed(fmt.Errorf("remove %s: %w", f.Name, err))
			}
		}
		for _, f := range in.Fetch[:min(len(in.Fetch), receiveAtOnce)] {
			d := &download{Service: s, network: n, file: f, holder: holder, parts: -1, sum: sha256.New()}
			if err := d.run(ctx); err != nil {
				return fmt.Errorf("download %s: %w", f.Name, err)
			}
			all.problem(f)
			if f.State == clearing.FileReceived || f.State == clearing.FileChanged {
				all.Files++
			}
		}
		return nil
	})
	return err
}

// problem reports a file that waits for the operator.
func (r *Received) problem(f *clearing.ReceivedFile) {
	if f.HasProblem() {
		r.Problems = append(r.Problems, f)
	}
}

// look compares the files that a network has with those that are known, and stores which
// are gone.
func (s *Service) look(ctx context.Context, n *ports.Network, there []clearing.RemoteFile, all *Received) (in clearing.Inbox, err error) {
	var lost []*clearing.ReceivedFile
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		known, err := tx.Received.Listed(ctx, n.Name)
		if err != nil {
			return err
		}
		lost, in = nil, clearing.LookAt(there, known, tx.Real.Now().Time)
		for replaced, those := range map[bool][]*clearing.ReceivedFile{false: in.Gone, true: in.Replaced} {
			for _, f := range those {
				f, err := gone(ctx, tx, f.ID, replaced)
				if err != nil {
					return err
				}
				if f.State == clearing.FileLost {
					lost = append(lost, f)
				}
			}
		}
		return nil
	})
	all.Problems = append(all.Problems, lost...)
	return in, err
}

// gone stores that a network no longer has a file. Meanwhile it may have been applied.
func gone(ctx context.Context, tx ports.SystemTx, id billing.FileID, replaced bool) (*clearing.ReceivedFile, error) {
	f, err := tx.Received.Lock(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case f.Gone(replaced, tx.Real.Now().Time):
		return f, tx.Received.Put(ctx, f)
	default:
		return f, tx.Received.Forget(ctx, []billing.FileID{id})
	}
}

// download is the download of one file. It is stored in the parts in which it comes, so
// that a large file is never in memory.
type download struct {
	*Service

	network *ports.Network
	file    *clearing.ReceivedFile
	holder  billing.JobID
	part    []byte // the last one, which is not stored yet
	parts   int    // its number; -1 before the first
	sum     hash.Hash
	numbers restore.Numbers // of a live file, whose parts are kept
}

// errFetched is the error of a download that another process has begun again.
var errFetched = errors.New("another process downloads the file")

// run downloads the file and stores it. A file alone that cannot be downloaded is no
// error: the next look finds that it is gone, or another version of it.
func (d *download) run(ctx context.Context) error {
	if begun, err := d.begin(ctx); err != nil || !begun {
		return err
	}
	err := d.network.Inbox.Read(ctx, d.file.RemoteFile, func(part []byte) error { return d.take(ctx, part) })
	changed := errors.Is(err, clearing.ErrFileChanged)
	if changed { // its copy must not count as whole
		if e := d.copy(ctx, 0, nil); e != nil {
			return errors.Join(e, d.yield(context.WithoutCancel(ctx), nil))
		}
	}
	if err == nil || changed {
		err = d.change(ctx, func(ctx context.Context, tx ports.SystemTx) error { return d.keep(ctx, tx, changed) })
	}
	switch {
	case err == nil || errors.Is(err, errFetched):
		return err
	case clearing.OfFile(err):
		return d.yield(ctx, err)
	default:
		return errors.Join(err, d.yield(context.WithoutCancel(ctx), nil))
	}
}

// begin stores that the download begins, before it does.
func (d *download) begin(ctx context.Context) (begun bool, err error) {
	before := *d.file
	err = d.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		f, now := before, tx.Real.Now().Time
		if f.ID.IsZero() {
			f.ID, f.Network = billing.NewID[billing.FileID](tx.Real.Now()), d.network.Name
			f.Scope = billing.Scope{Org: d.network.Route.Org, Mode: d.network.Route.Mode}
		} else if err := tx.Contents.Clear(ctx, f.ID); err != nil {
			return err
		}
		begun = f.Fetch(d.holder, now)
		*d.file = f
		if err := tx.Received.Put(ctx, &f); err != nil || !begun || !live(d.network) {
			return err
		}
		d.numbers, err = tx.Restores.Next(ctx)
		return err
	})
	return begun, err
}

// take keeps a copy of the part, because its network may remove the file once it is read,
// and stores the part before. The last one is stored with the file.
func (d *download) take(ctx context.Context, part []byte) error {
	if d.parts >= 0 {
		if err := d.change(ctx, d.add); err != nil {
			return err
		}
	}
	d.parts++
	if err := d.copy(ctx, d.parts, part); err != nil {
		return err
	}
	d.part = append(d.part[:0], part...)
	_, _ = d.sum.Write(part) // a hash never fails
	return nil
}

// copy keeps a copy of a part of a live file.
func (d *download) copy(ctx context.Context, n int, part []byte) error {
	if !live(d.network) {
		return nil
	}
	p := restore.ReceivedPart{Numbers: d.numbers, Part: n, File: *d.file, Content: part}
	return d.keepCopy(ctx, p.Name(), &p)
}

func (d *download) add(ctx context.Context, tx ports.SystemTx) error {
	return tx.Contents.Add(ctx, d.file, d.parts, d.part)
}

// keep stores that all of the file is here, with its last part and the job that applies
// it.
func (d *download) keep(ctx context.Context, tx ports.SystemTx, changed bool) error {
	f, now := d.file, tx.Real.Now().Time
	if d.parts >= 0 {
		if err := d.add(ctx, tx); err != nil {
			return err
		}
	}
	f.Keep([sha256.Size]byte(d.sum.Sum(nil)), changed, now)
	if err := tx.Contents.Supersede(ctx, f); err != nil {
		return err
	}
	if err := tx.Received.Put(ctx, f); err != nil {
		return err
	}
	return tx.Outbox.Stage(ctx, jobs.Job{Kind: jobs.KindReceivedFile, Scope: f.Scope, Subject: f.ID})
}

// yield stores that the try ended and its process lives.
func (d *download) yield(ctx context.Context, why error) error {
	err := d.change(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		d.file.Yield(why, tx.Real.Now().Time)
		return tx.Received.Put(ctx, d.file)
	})
	if errors.Is(err, errFetched) {
		return nil
	}
	return err
}

// change changes the file, unless another process has begun to download it.
func (d *download) change(ctx context.Context, fn func(ctx context.Context, tx ports.SystemTx) error) error {
	return d.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		f, err := tx.Received.Lock(ctx, d.file.ID)
		if err != nil {
			return err
		}
		if !f.Fetches(d.holder) {
			return errFetched
		}
		*d.file = *f
		return fn(ctx, tx)
	})
}
