// Package appeals asks payers to decide claims again: it writes the letter, and keeps until when it
// must be sent, how it was, and what became of it.
package appeals

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of appeals.
type Service struct{ store ports.Store }

// New creates the use cases.
func New(store ports.Store) *Service { return &Service{store} }

// Make makes an appeal of a claim that its payer decided. Without a letter in the request, it
// writes one from the claim and its remittances.
//
// Errors: those of the idempotency key; CodeInvalidRequest with every fault; CodeNotFound for the
// claim; CodeChangedMeanwhile; CodeConflict for a claim without a decision, and while another
// appeal of it is not decided.
func (s *Service) Make(ctx context.Context, call idempotency.Write[*appeal.Appeal], of billing.ClaimID, in intake.AppealRequest) (caller.Reply, error) {
	with, faults := in.New()
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*appeal.Appeal, error) {
		c, err := tx.Claims.Lock(ctx, of)
		if err == nil {
			err = c.Edits.Expect(call.Request.Seen)
		}
		if err != nil && billing.CodeOf(err) == billing.CodeInternal {
			return nil, err
		}
		if err := cmp.Or(faults.Err(), err); err != nil {
			return nil, err
		}
		by, err := c.NewAppeal()
		if err != nil {
			return nil, err
		}
		if err := owns(ctx, tx, c.ID, with.Documents); err != nil {
			return nil, err
		}
		now := tx.Clock.Now()
		a := &appeal.Appeal{
			ID: billing.NewID[billing.AppealID](tx.Real.Now()), Scope: call.Scope, ClaimID: c.ID, State: appeal.Draft, Level: appeal.First,
			SendBy: by, CreatedAt: now, MadeBy: call.Principal.ID,
		}
		if err := a.Change(with, now); err != nil {
			return nil, err
		}
		if with.Letter == nil {
			if a.Words.Letter, err = letter(ctx, tx, c, a); err != nil {
				return nil, err
			}
		}
		c.Appealing = a.OnClaim()
		if err := tx.Appeals.Insert(ctx, a); err != nil {
			return nil, err
		}
		return a, tx.Claims.Save(ctx, c.Claim)
	})
}

// letter writes the letter of a new appeal.
func letter(ctx context.Context, tx ports.Tx, c *claim.Record, a *appeal.Appeal) (string, error) {
	office, err := tx.Offices.Get(ctx, c.OfficeID)
	if err != nil {
		return "", err
	}
	entries, err := tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{c.ID})
	if err != nil {
		return "", err
	}
	return appeal.Letter(appeal.Facts{
		Claim: c, Office: office, Decided: c.Claim.Ledger(entries[c.ID]).Adjudications(), On: office.Today(a.CreatedAt),
		Level: a.Level, Reason: a.Words.Reason, Papers: len(a.Documents),
	}), nil
}

// owns returns CodeInvalidRequest unless the documents are attachments of the claim, or their
// images.
func owns(ctx context.Context, tx ports.Tx, of billing.ClaimID, documents *[]string) error {
	if documents == nil || len(*documents) == 0 {
		return nil
	}
	found, err := tx.Attachments.List(ctx, attachment.Filter{ClaimID: of}, billing.Page{Limit: mostAttachments})
	if err != nil {
		return err
	}
	var all []string
	for _, a := range found {
		all = append(all, a.ID.String())
		for _, d := range a.Documents {
			all = append(all, d.ID.String())
		}
	}
	var f billing.Faults
	for i, id := range *documents {
		if !slices.Contains(all, id) {
			f.Add("documents."+strconv.Itoa(i), billing.FaultNotFound, "The claim has no such attachment, and no such image. Attach it to the claim first.")
		}
	}
	return f.Err()
}

// mostAttachments bounds the attachments of a claim in which documents are looked up.
const mostAttachments = 100

// Change changes a draft.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, CodeNotFound, and
// CodeConflict for an appeal that was sent.
func (s *Service) Change(ctx context.Context, call idempotency.Write[*appeal.Appeal], id billing.AppealID, in intake.AppealRequest) (caller.Reply, error) {
	to, faults := in.Change()
	return s.change(ctx, call, id, faults, func(ctx context.Context, tx ports.Tx, _ *claim.Claim, a *appeal.Appeal) error {
		if err := owns(ctx, tx, a.ClaimID, to.Documents); err != nil {
			return err
		}
		return a.Change(to, tx.Clock.Now())
	})
}

// Send records that an appeal was sent. Its errors are those of Change.
func (s *Service) Send(ctx context.Context, call idempotency.Write[*appeal.Appeal], id billing.AppealID, in intake.AppealSentRequest) (caller.Reply, error) {
	how, faults := in.Sending()
	return s.change(ctx, call, id, faults, func(_ context.Context, tx ports.Tx, c *claim.Claim, a *appeal.Appeal) error {
		now := tx.Clock.Now()
		return a.Send(how, call.Principal.ID, c.Contract.Limits.Zone.Day(now), now)
	})
}

// Decide records what the payer decided about an appeal, or that it was withdrawn. Its errors are
// those of Change.
func (s *Service) Decide(ctx context.Context, call idempotency.Write[*appeal.Appeal], id billing.AppealID, in intake.AppealDecidedRequest) (caller.Reply, error) {
	on, outcome, faults := in.Decision()
	return s.change(ctx, call, id, faults, func(_ context.Context, tx ports.Tx, c *claim.Claim, a *appeal.Appeal) error {
		now := tx.Clock.Now()
		return a.Decide(on, outcome, call.Principal.ID, c.Contract.Limits.Zone.Day(now), now)
	})
}

// change changes a locked appeal, and what its claim keeps of it. The tasks of the claim follow.
func (s *Service) change(
	ctx context.Context, call idempotency.Write[*appeal.Appeal], id billing.AppealID, faults billing.Faults,
	act func(context.Context, ports.Tx, *claim.Claim, *appeal.Appeal) error,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*appeal.Appeal, error) {
		a, err := tx.Appeals.Get(ctx, id) // names the claim, which is locked first
		if err != nil && !billing.IsNotFound(err) {
			return nil, err
		}
		if err := cmp.Or(faults.Err(), err); err != nil {
			return nil, err
		}
		c, err := tx.Claims.Lock(ctx, a.ClaimID)
		if err != nil {
			return nil, err
		}
		if a, err = tx.Appeals.Lock(ctx, id); err != nil {
			return nil, err
		}
		if err := act(ctx, tx, c.Claim, a); err != nil {
			return nil, err
		}
		if err := tx.Appeals.Save(ctx, a); err != nil {
			return nil, err
		}
		c.Appealing = a.OnClaim()
		if err := tx.Claims.Save(ctx, c.Claim); err != nil {
			return nil, err
		}
		return a, lists.PaidAfter(ctx, tx, a)
	})
}

// Get reads an appeal. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.AppealID) (*appeal.Appeal, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*appeal.Appeal, error) {
		a, err := tx.Appeals.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		return a, lists.PaidAfter(ctx, tx, a)
	})
}

// List reads a page of the appeals of a claim, newest first, and the start of the next page: nil
// after the last. It returns CodeNotFound if there is no such claim.
func (s *Service) List(ctx context.Context, scope billing.Scope, f appeal.Filter, p billing.Page) ([]*appeal.Appeal, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*appeal.Appeal, error) {
		if _, err := tx.Claims.Get(ctx, f.ClaimID); err != nil {
			return nil, err
		}
		all, err := tx.Appeals.List(ctx, f, p)
		if err != nil {
			return nil, err
		}
		return all, lists.PaidAfter(ctx, tx, all...)
	})
}
