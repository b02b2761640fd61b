package records

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// PlanErasure returns what an erasure of a patient would remove, blank and leave. It changes
// nothing. It returns CodeNotFound if there is no such patient, and CodeConflict while something
// keeps the records: a hold, a check under way, a claim on its way to a payer, or an attachment
// that is being sent.
func (s *Service) PlanErasure(ctx context.Context, scope billing.Scope, patient billing.PatientID) (*directory.Erasure, error) {
	if err := s.unheld(ctx, scope, patient); err != nil {
		return nil, err
	}
	p := &plan{person: person{reading{s, ctx, scope}, patient}}
	_, err := lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*directory.Patient, error) {
		return tx.Patients.Get(ctx, patient)
	})
	if err != nil {
		return nil, err
	}
	for _, part := range []func() error{
		func() error { return p.eachCheck(p.check) }, func() error { return p.eachVisit(p.visit) },
		func() error { return p.eachEstimate(p.estimate) },
		func() error { return p.eachClaim(p.claim) }, func() error { return p.eachRemittance(p.remittance) },
		func() error { return p.eachAttachment(p.attachment) }, func() error { return p.eachPayerRequest(p.payerRequest) },
	} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	slices.Sort(p.files)
	return &directory.Erasure{Scope: scope, Patient: patient, ErasureRecord: directory.ErasureRecord{
		Removed: []directory.Erased{
			{Kind: "checks", Count: p.checks},
			{Kind: "visits", Count: p.visits},
			{Kind: "estimates", Count: p.estimates},
			{Kind: "appeals", Count: p.appeals},
			{Kind: "images", Count: p.images},
		},
		Blanked: []directory.Erased{
			{Kind: "claims", Count: p.claims}, {Kind: "payments", Count: p.payments}, {Kind: "attachments", Count: p.attachments}, {Kind: "payer requests", Count: p.payerRequests},
		},
		Files: slices.Compact(p.files),
	}}, nil
}

func (s *Service) unheld(ctx context.Context, scope billing.Scope, patient billing.PatientID) error {
	holds, err := lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]retention.Hold, error) { return tx.Retention.Holds(ctx) })
	if err == nil && slices.ContainsFunc(holds, func(h retention.Hold) bool { return h.Keeps(scope.Org, patient) }) {
		err = conflict("A hold keeps what the patient has. molar retention show lists the holds: release it, or wait.")
	}
	return err
}

func conflict(message string) error {
	return &billing.Error{Code: billing.CodeConflict, Message: message}
}

// plan counts what a patient has, and refuses what cannot be erased now.
type plan struct {
	person

	checks, visits, estimates, appeals, images, claims, payments, attachments, payerRequests int

	files []string // that stay
}

func (p *plan) check(c *coverage.Check) error {
	if p.checks++; c.State == coverage.CheckPending {
		return conflict("The check " + c.ID.String() + " is under way. Run the command again in some minutes.")
	}
	return nil
}

func (p *plan) visit(*coverage.BatchItem) error {
	p.visits++
	return nil
}

func (p *plan) estimate(*estimate.Record) error {
	p.estimates++
	return nil
}

func (p *plan) claim(listed *claim.Record) error {
	p.claims++
	c, err := lists.Read(p.ctx, p.store, p.scope, func(ctx context.Context, tx ports.Tx) (*claim.Record, error) { return tx.Claims.Get(ctx, listed.ID) })
	if err == nil {
		err = p.eachAppeal(listed.ID, func(*appeal.Appeal) error { p.appeals++; return nil })
	}
	if err != nil {
		return err
	}
	for _, m := range c.History {
		if m.File != "" {
			p.files = append(p.files, m.File)
		}
	}
	return c.Erasable()
}

func (p *plan) remittance(e *remit.ERA) error {
	p.payments++
	p.files = append(p.files, "remittance "+e.ID.String())
	return nil
}

func (p *plan) attachment(a *attachment.Attachment) error {
	p.attachments++
	if p.images += len(a.Documents); !a.Sending.IsZero() {
		return conflict("The attachment " + a.ID.String() + " is being sent. Run the command again in some minutes.")
	}
	return nil
}

func (p *plan) payerRequest(*attachment.PayerRequest) error {
	p.payerRequests++
	return nil
}

// Erase erases what an erasure of PlanErasure names. First it keeps the order outside the database,
// for one that is restored, and stores it; a process that dies leaves the rest to the sweep. The
// reason must be set.
func (s *Service) Erase(ctx context.Context, e *directory.Erasure) error {
	reason, err := retention.Reason(e.Reason)
	if err != nil {
		return err
	}
	e.Reason = reason
	err = s.store.System(ctx, func(_ context.Context, tx ports.SystemTx) error {
		e.BegunAt = tx.Real.Now().Time
		return nil
	})
	if err == nil {
		err = s.Remember(ctx, restore.Erasures+e.Patient.String(), e)
	}
	if err == nil {
		err = s.BeginErasure(ctx, e)
	}
	if err == nil {
		err = s.carryOut(ctx, e)
	}
	return err
}

// Erasures reads the erasures that have begun, the oldest first.
func (s *Service) Erasures(ctx context.Context) ([]*directory.Erasure, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*directory.Erasure, error) {
		return tx.Erasures.List(ctx)
	})
}

// SweepErasures ends erasures whose process died, and those that a restore repeats, and returns how
// many. One that must wait stays.
func (s *Service) SweepErasures(ctx context.Context) (ended int, err error) {
	all, err := s.Erasures(ctx)
	for _, e := range all {
		if err != nil || !e.DoneAt.IsZero() {
			continue
		}
		if err = s.carryOut(ctx, e); billing.CodeOf(err) == billing.CodeConflict {
			err = nil
		} else if err == nil {
			ended++
		}
	}
	return ended, err
}

// claimsAtOnce is how many claims one transaction of an erasure changes.
const claimsAtOnce = 50

// carryOut erases the claims with their parts, some in a transaction, then the rest.
func (s *Service) carryOut(ctx context.Context, e *directory.Erasure) error {
	for more := true; more; {
		err := s.store.InTx(ctx, e.Scope, func(ctx context.Context, tx ports.Tx) error {
			found, err := tx.Claims.List(ctx, claim.Filter{PatientID: e.Patient}, billing.Page{Limit: claimsAtOnce})
			if more = len(found) > 0; err != nil || !more {
				return err
			}
			return eraseClaims(ctx, tx, e, found)
		})
		if err != nil {
			return err
		}
	}
	return s.store.InTx(ctx, e.Scope, func(ctx context.Context, tx ports.Tx) error {
		unclaimed, err := tx.Records.Unclaimed(ctx, e.Patient)
		if err == nil {
			err = tx.Records.EraseParts(ctx, e.Patient, nil, unclaimed)
		}
		if err == nil {
			err = tx.Records.ErasePerson(ctx, e.Patient)
		}
		return err
	})
}

func eraseClaims(ctx context.Context, tx ports.Tx, e *directory.Erasure, found []*claim.Record) error {
	ids := make([]billing.ClaimID, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	if err := tx.Records.EraseParts(ctx, e.Patient, ids, nil); err != nil {
		return err
	}
	slices.SortFunc(ids, func(a, b billing.ClaimID) int { return slices.Compare(a[:], b[:]) })
	for _, id := range ids {
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		voided, is, err := c.Erase(caller.Principal{Type: caller.PrincipalOperator, ID: e.By}, tx.Clock.Now())
		if err == nil {
			err = tx.Claims.Save(ctx, c.Claim)
		}
		if err == nil && is {
			err = tx.Events.Append(ctx, voided)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
