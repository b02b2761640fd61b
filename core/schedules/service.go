// Package schedules reads the schedules of other programs as checks, and keeps what an
// organization's columns and payers' names mean. See ADR 138.
package schedules

import (
	"context"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of files from other programs.
type Service struct {
	store  ports.Store
	payers *directory.PayerDirectory
}

// New creates the use cases.
func New(store ports.Store, payers *directory.PayerDirectory) *Service {
	return &Service{store, payers}
}

// Read reads a schedule with the organization's mapping, and stores nothing. What is wrong with
// its columns and its cells is in the schedule.
//
// Errors: CodeInvalidRequest for a file that cannot be read, and CodeNotFound for the office.
func (s *Service) Read(ctx context.Context, scope billing.Scope, in intake.ScheduleFile) (*intake.Schedule, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*intake.Schedule, error) {
		mapped, err := tx.ImportMappings.Get(ctx, directory.ImportSchedule)
		if err != nil {
			return nil, err
		}
		file, faults := in.Open(mapped)
		if err := faults.Err(); err != nil {
			return nil, err
		}
		offices := map[billing.OfficeID]*directory.Office{}
		for _, id := range file.OfficeIDs() {
			o, err := tx.Offices.Get(ctx, id)
			switch {
			case err == nil:
				offices[id] = o
			case !billing.IsNotFound(err):
				return nil, err
			case in.OfficeID != nil && id.String() == *in.OfficeID:
				return nil, billing.NotFound("office", "office_id")
			}
		}
		file.Read(s.payers, offices, tx.Clock.Now())
		return file, nil
	})
}

// Mapping reads what files of a kind mean: one without rows if it was never set. It returns
// CodeNotFound if there is no such kind.
func (s *Service) Mapping(ctx context.Context, scope billing.Scope, kind directory.ImportKind) (*directory.ImportMapping, error) {
	if err := known(kind); err != nil {
		return nil, err
	}
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*directory.ImportMapping, error) {
		return tx.ImportMappings.Get(ctx, kind)
	})
}

// Keep stores what files of a kind mean, in place of what was kept.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, and CodeNotFound
// for the kind and the payers.
func (s *Service) Keep(
	ctx context.Context, call idempotency.Write[*directory.ImportMapping], kind directory.ImportKind, in intake.MappingRequest,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*directory.ImportMapping, error) {
		if err := known(kind); err != nil {
			return nil, err
		}
		m, faults := in.Mapping()
		if err := faults.Err(); err != nil {
			return nil, err
		}
		var absent billing.Absent
		for i := range m.Payers {
			p, ok := s.payers.Find(m.Payers[i].Payer.PayerID)
			if !ok {
				absent.Add("payer", "payers."+strconv.Itoa(i)+".payer_id")
				continue
			}
			m.Payers[i].Payer = p.PayerSummary
		}
		if err := absent.Err(); err != nil {
			return nil, err
		}
		m.Kind, m.UpdatedAt = kind, tx.Clock.Now()
		return m, tx.ImportMappings.Put(ctx, m)
	})
}

// known returns CodeNotFound for a kind that there is not.
func known(kind directory.ImportKind) error {
	if kind != directory.ImportSchedule {
		return &billing.Error{Code: billing.CodeNotFound, Message: "There is no such kind of files. The kind is schedule."}
	}
	return nil
}
