// Package fees keeps the fee schedules of an organization: what its offices charge, and what
// payers allow. An estimate reads them with ports.FeeSchedules and fee.Question.
package fees

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of fee schedules.
type Service struct {
	store  ports.Store
	payers *directory.PayerDirectory
}

// New creates the use cases.
func New(store ports.Store, payers *directory.PayerDirectory) *Service {
	return &Service{store, payers}
}

// Create stores a fee schedule, which may replace another from its date on.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, and CodeNotFound
// for the office, the payer, and the schedule that it replaces.
func (s *Service) Create(
	ctx context.Context, call idempotency.Write[*fee.Schedule], in intake.FeeScheduleRequest,
) (caller.Reply, error) {
	made, faults := in.Schedule() // outside of the transaction, because a file takes a while
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*fee.Schedule, error) {
		if err := faults.Err(); err != nil {
			return nil, err
		}
		made := made
		made.Scope, made.CreatedAt = call.Scope, tx.Clock.Now()
		if err := s.name(ctx, tx, &made, in.PayerID); err != nil {
			return nil, err
		}
		beside, err := tx.FeeSchedules.Beside(ctx, &made)
		if err == nil {
			err = made.Admit(beside)
		}
		if err != nil {
			return nil, err
		}
		made.ID = billing.NewID[billing.FeeScheduleID](tx.Real.Now())
		if err := tx.FeeSchedules.Insert(ctx, &made); err != nil {
			return nil, err
		}
		if made.Kind == fee.Allowed {
			err = lists.ChangeTerms(ctx, tx, call.Scope)
		}
		return &made, err
	})
}

// name looks up the office and the payer of a new schedule.
func (s *Service) name(ctx context.Context, tx ports.Tx, made *fee.Schedule, payerID *string) error {
	var absent billing.Absent
	if !made.OfficeID.IsZero() {
		_, err := tx.Offices.Get(ctx, made.OfficeID)
		if err := absent.Note(err, "office", "office_id"); err != nil {
			return err
		}
	}
	if payerID != nil {
		payer, ok := s.payers.Find(*payerID)
		if !ok {
			absent.Add("payer", "payer_id")
		} else {
			made.Payer = payer.PayerSummary
		}
	}
	return absent.Err()
}

// Get reads a fee schedule with its rows. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.FeeScheduleID) (*fee.Schedule, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*fee.Schedule, error) {
		return tx.FeeSchedules.Get(ctx, id)
	})
}

// List reads a page of fee schedules without their rows, newest first, and the start of the
// next page: nil after the last. What is current is so today, at the office that the filter names.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f fee.Filter, p billing.Page,
) ([]*fee.Schedule, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*fee.Schedule, error) {
		f := f
		if f.Day.IsZero() {
			office, err := lists.Office(ctx, tx, f.OfficeID)
			if billing.IsNotFound(err) {
				office, err = directory.NoOffice(), nil
			}
			if err != nil {
				return nil, err
			}
			f.Day = office.Today(tx.Clock.Now())
		}
		return tx.FeeSchedules.List(ctx, f, p)
	})
}

// Payer returns the ID of the payer with an ID or an alias. It returns CodeNotFound if there is
// none.
func (s *Service) Payer(text string) (billing.PayerID, error) {
	p, ok := s.payers.Find(text)
	if !ok {
		return billing.PayerID{}, billing.NotFound("payer", "payer_id")
	}
	return p.ID, nil
}

// maxConsidered bounds the schedules that Match explains.
const maxConsidered = 200

// Matched is what the schedules of an organization say about a procedure on a day.
type Matched struct {
	Question  fee.Question
	Line      fee.Line
	Price     fee.Price
	Schedules []fee.Match
	Truncated bool // there are more schedules, none of which counts
}

// Match finds the rows that count for a procedure, and says of each schedule why it counts or
// not. It returns CodeNotFound for the office.
func (s *Service) Match(ctx context.Context, scope billing.Scope, q fee.Question, l fee.Line) (*Matched, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*Matched, error) {
		if !q.OfficeID.IsZero() {
			if _, err := tx.Offices.Get(ctx, q.OfficeID); err != nil {
				if billing.IsNotFound(err) {
					err = billing.NotFound("office", "office_id")
				}
				return nil, err
			}
		}
		all, err := tx.FeeSchedules.Considered(ctx, q, l, maxConsidered+1)
		if err != nil {
			return nil, err
		}
		m := &Matched{Question: q, Line: l, Truncated: len(all) > maxConsidered}
		all = all[:min(len(all), maxConsidered)]
		m.Price, m.Schedules = q.Prices(all, []fee.Line{l})[0], q.Matches(all, l)
		return m, nil
	})
}
