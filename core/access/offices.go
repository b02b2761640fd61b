package access

import (
	"context"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// CreateOffice creates an office in the call's scope.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault,
// and CodeNotFound for the organization that an operator names, or a payer.
func (s *Service) CreateOffice(
	ctx context.Context, call idempotency.Write[*directory.Office], in intake.OfficeRequest,
) (caller.Reply, error) {
	made, faults := in.Office()
	made.Scope = call.Scope
	return once(ctx, s, call, faults, func(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
		if err := s.namePayers(&made); err != nil {
			return nil, err
		}
		return &made, insertOffice(ctx, tx, &made)
	})
}

// namePayers sets the payer IDs of the office's provider numbers to the payers' own.
func (s *Service) namePayers(o *directory.Office) error {
	var (
		f      billing.Faults
		absent billing.Absent
		named  = map[billing.PayerID]bool{}
	)
	for i := range o.ProviderNumbers {
		n, at := &o.ProviderNumbers[i], "provider_numbers."+strconv.Itoa(i)+".payer_id"
		p, ok := s.payers.Find(n.PayerID)
		switch {
		case !ok:
			absent.Add("payer", at)
			continue
		case named[p.ID]:
			f.Add(at, billing.FaultConflict, "Duplicate payer. Name each payer once.")
		}
		n.PayerID, named[p.ID] = p.PayerID, true
	}
	if err := f.Err(); err != nil {
		return err
	}
	return absent.Err()
}

// insertOffice stores a new office. An operator verifies the offices of live
// mode; in test mode every office is verified.
func insertOffice(ctx context.Context, tx ports.Tx, o *directory.Office) error {
	o.CreatedAt = tx.Clock.Now()
	o.ID = billing.NewID[billing.OfficeID](tx.Real.Now())
	if o.VerifiedAt = (time.Time{}); o.Scope.Mode == billing.ModeTest {
		o.VerifiedAt = o.CreatedAt
	}
	return tx.Offices.Insert(ctx, o)
}

// ChangeOffice changes the fields of an office that the request names. Files that were
// sent keep what they say. The days of its claims follow another time zone after the commit.
//
// Errors: those of CreateOffice, and CodeNotFound for the office.
func (s *Service) ChangeOffice(
	ctx context.Context, call idempotency.Write[*directory.Office], id billing.OfficeID, in intake.OfficeRequest,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
		o, err := tx.Offices.Lock(ctx, id)
		if err == nil {
			err = o.Edits.Expect(call.Request.Seen)
		}
		if err != nil {
			return nil, orFaults(err, in.Faults)
		}
		next, faults := in.Change(o.Asked())
		if err := faults.Err(); err != nil {
			return nil, err
		}
		if err := s.namePayers(&next); err != nil {
			return nil, err
		}
		changed := o.Changed(next, call.Principal.ID, tx.Clock.Now())
		if err := tx.Offices.Save(ctx, changed); err != nil || changed.TimeZone == o.TimeZone {
			return changed, err
		}
		return changed, lists.ChangeTerms(ctx, tx, call.Scope) // claims keep the time zone of their office, too
	})
}

// WithdrawOfficeChange drops the change of an office that waits for the operator.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict if none waits.
func (s *Service) WithdrawOfficeChange(
	ctx context.Context, call idempotency.Write[*directory.Office], id billing.OfficeID,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
		o, err := tx.Offices.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		kept, err := o.Withdrawn(call.Principal.ID, tx.Clock.Now())
		if err != nil {
			return nil, err
		}
		return kept, tx.Offices.Save(ctx, kept)
	})
}

// orFaults returns the faults of a request that names an absent resource, if there
// are any.
func orFaults(err error, faults billing.Faults) error {
	if billing.IsNotFound(err) && len(faults) > 0 {
		return faults.Err()
	}
	return err
}

// GetOffice reads an office. It returns CodeNotFound if there is none.
func (s *Service) GetOffice(ctx context.Context, scope billing.Scope, id billing.OfficeID) (*directory.Office, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
		return tx.Offices.Get(ctx, id)
	})
}

// VerifyOffice records that the operator has verified an office of any organization, or
// the change of it that waited. Verifying it again changes nothing. It returns CodeNotFound
// for the field id if there is none.
func (s *Service) VerifyOffice(ctx context.Context, id billing.OfficeID) (o *directory.Office, err error) {
	if o, err = s.FindOffice(ctx, id); err != nil {
		return nil, err
	}
	err = s.store.InTx(ctx, o.Scope, func(ctx context.Context, tx ports.Tx) error {
		if o, err = tx.Offices.Lock(ctx, id); err != nil {
			return err
		}
		o = o.Verified(tx.Clock.Now())
		return tx.Offices.Save(ctx, o)
	})
	return o, err
}

// FindOffice reads an office of any organization. It returns CodeNotFound for the field id
// if there is none.
func (s *Service) FindOffice(ctx context.Context, id billing.OfficeID) (o *directory.Office, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if o, err = tx.Orgs.Office(ctx, id); billing.IsNotFound(err) {
			return billing.NotFound("office", "id")
		}
		return err
	})
	return o, err
}

// ListOffices reads a page of the offices of a scope, newest first, and the
// start of the next page: nil after the last.
func (s *Service) ListOffices(
	ctx context.Context, scope billing.Scope, p billing.Page,
) ([]*directory.Office, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*directory.Office, error) {
		return tx.Offices.List(ctx, p)
	})
}
