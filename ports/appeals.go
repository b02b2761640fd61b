package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/limit"
)

// Appeals stores appeals of claims, which go with their claims. Who locks a claim and its appeal
// locks the claim first.
type Appeals interface {
	// Insert stores a new appeal.
	Insert(ctx context.Context, a *appeal.Appeal) error

	// Get reads an appeal. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.AppealID) (*appeal.Appeal, error)

	// Lock reads like Get, and no other transaction writes the appeal until this one ends.
	Lock(ctx context.Context, id billing.AppealID) (*appeal.Appeal, error)

	// Save stores the fields of a locked appeal that can change.
	Save(ctx context.Context, a *appeal.Appeal) error

	// List reads a page of appeals, newest first, and one extra row when there is a next page.
	List(ctx context.Context, f appeal.Filter, p billing.Page) ([]*appeal.Appeal, error)
}

// PayerLimits stores until when payers accept claims and appeals, one for each payer.
type PayerLimits interface {
	// Put stores the limits of a payer in place of those that there were, and returns them. They
	// keep their first creation time.
	Put(ctx context.Context, l *limit.OfPayer) (*limit.OfPayer, error)

	// Of reads the limits of payers. One without limits is not in the result.
	Of(ctx context.Context, payers []billing.PayerID) (map[billing.PayerID]limit.Terms, error)

	// List reads a page of limits, newest first, and one extra row when there is a next page.
	List(ctx context.Context, p billing.Page) ([]*limit.OfPayer, error)

	// Delete removes the limits of a payer. It returns CodeNotFound if there are none.
	Delete(ctx context.Context, payer billing.PayerID) error
}
