package batches

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// ReplaySent stores that a live file left that a restored database does not know. The copy
// is later than everything that the database has of the batch and its claims, so it takes
// their place. Claims that the database lacks come back with it, and so are found by what
// comes for them and by the rule about duplicates; those whose office, provider or related
// claim it lacks are lost. A job ends what the sender began, in case that ended between the
// copy and the delivery. ReplaySent may run any number of times.
func (s *Service) ReplaySent(ctx context.Context, f *restore.SentFile) error {
	return s.store.InTx(ctx, f.Batch.Scope, func(ctx context.Context, tx ports.Tx) error {
		known, err := keepSent(ctx, tx, f)
		if err != nil {
			return err
		}
		numbers, err := othersNumbers(ctx, tx, f.Claims)
		if err != nil {
			return err
		}
		var lacked [][16]byte
		for _, c := range f.Claims {
			back, err := replay(ctx, tx, c, numbers, known)
			if err != nil {
				return fmt.Errorf("claim %s: %w", c.ID, err)
			}
			if back {
				lacked = append(lacked, c.ID)
			}
		}
		return errors.Join(tx.LiveFiles.Lacked(ctx, lacked...), sent(ctx, tx, f.Batch.ID, f.At))
	})
}

// keepSent stores the batch of a copy, with the job that ends its delivery, and reports
// whether the database knew that it was sent. A batch may have left several copies; the
// token of the last one counts.
func keepSent(ctx context.Context, tx ports.Tx, f *restore.SentFile) (known bool, err error) {
	job := jobs.Job{Kind: jobs.KindBatchSend, Scope: f.Batch.Scope, Subject: f.Batch.ID}
	b, err := tx.Batches.Lock(ctx, f.Batch.ID)
	if billing.IsNotFound(err) {
		lacking := f.Batch
		free, missed := tx.Batches.Insert(ctx, &lacking, f.Content)
		if missed != nil || free {
			return false, errors.Join(missed, tx.Outbox.Stage(ctx, job))
		}
		b, err = tx.Batches.Lock(ctx, f.Batch.ID) // a run that was killed has just stored it
	}
	switch {
	case billing.IsNotFound(err):
		return false, fmt.Errorf("another batch has the name %s", f.Batch.File.Name)
	case err != nil:
		return false, err
	}
	if known = b.State != clearing.BatchPending; known && b.SendToken == f.Batch.SendToken {
		return known, nil
	}
	b.SendToken = f.Batch.SendToken
	return known, errors.Join(tx.Batches.Save(ctx, b), tx.Outbox.Stage(ctx, job))
}

// othersNumbers returns which of the claims' control numbers other claims have.
func othersNumbers(ctx context.Context, tx ports.Tx, claims []*claim.Claim) (map[string]billing.ClaimID, error) {
	var numbers []string
	for _, c := range claims {
		numbers = append(numbers, c.PatientControlNumber)
	}
	found, err := tx.Clearing.Match(ctx, numbers, nil)
	of := map[string]billing.ClaimID{}
	for _, c := range found {
		of[c.PatientControlNumber] = c.ID
	}
	return of, err
}

// replay stores a claim as it was when its file left, unless the database knows that it
// did. It reports whether a claim that the database lacked is back.
func replay(ctx context.Context, tx ports.Tx, c *claim.Claim, numbers map[string]billing.ClaimID, known bool) (back bool, err error) {
	_, err = tx.Claims.Lock(ctx, c.ID)
	switch {
	case err == nil && known:
		return false, nil
	case err != nil && !billing.IsNotFound(err):
		return false, err
	case err != nil:
		back = true
		other := numbers[c.PatientControlNumber]
		if ok, err := stands(ctx, tx, c); err != nil || !ok || !other.IsZero() && other != c.ID {
			return false, err
		}
	}
	who := c.Subject().Patient
	if p, ok := directory.NewPerson(c.Scope, who.FirstName, who.LastName, who.DateOfBirth, tx.Real.Now(), tx.Clock.Now()); ok {
		patients, err := tx.Patients.Find(ctx, []directory.Person{p})
		if err != nil {
			return false, err
		}
		c.PatientID = patients[0]
	}
	if back {
		return true, tx.Claims.Insert(ctx, c)
	}
	return false, tx.Claims.Save(ctx, c)
}

// stands reports whether the database has what a claim refers to.
func stands(ctx context.Context, tx ports.Tx, c *claim.Claim) (bool, error) {
	_, err := tx.Offices.Get(ctx, c.OfficeID)
	errs := []error{err}
	for _, id := range c.Providers() {
		_, err := tx.Providers.Get(ctx, id)
		errs = append(errs, err)
	}
	for _, id := range []billing.ClaimID{c.ParentID, c.ConvertedFrom, c.SecondaryTo} {
		if !id.IsZero() {
			_, err := tx.Claims.Get(ctx, id)
			errs = append(errs, err)
		}
	}
	for _, err := range errs {
		switch {
		case billing.IsNotFound(err):
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return true, nil
}

// ReplayReceived stores a file that came before the database was restored, with the job
// that applies it, unless the database has the file. Parts are read until one is empty. It
// may run any number of times.
func (s *Service) ReplayReceived(ctx context.Context, f clearing.ReceivedFile, part func(n int) ([]byte, error)) error {
	known := false
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		have, err := tx.Received.Lock(ctx, f.ID)
		if err != nil && !billing.IsNotFound(err) {
			return err
		}
		if known = have != nil && have.Digest != [32]byte{}; known {
			return nil
		}
		return errors.Join(tx.Contents.Clear(ctx, f.ID), tx.Received.Put(ctx, &f))
	})
	if err != nil || known {
		return err
	}
	d := &download{Service: s, file: &f, parts: -1, sum: sha256.New()}
	for n := 0; ; n++ {
		content, err := part(n)
		if err != nil {
			return err
		}
		if len(content) == 0 {
			break
		}
		_, _ = d.sum.Write(content) // a hash never fails
		err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Contents.Add(ctx, &f, n, content) })
		if err != nil {
			return err
		}
	}
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return errors.Join(d.keep(ctx, tx, false), tx.Restores.Lacked(ctx, f.ID))
	})
}
