package pgstore

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// throwAways are the throw-away organizations of the transaction's organization.
type throwAways struct{ *tx }

// Insert stores a new organization.
func (r throwAways) Insert(ctx context.Context, o *caller.Organization) error {
	return organizations(r).Insert(ctx, o)
}

// List reads the throw-away organizations that are not being removed.
func (r throwAways) List(ctx context.Context) ([]*caller.Organization, error) {
	return orgTable.many(ctx, r.tx, "list throw-away organizations", orgTable.selecting+`
WHERE maker_id = $1 AND removed_at IS NULL
ORDER BY created_at DESC, id DESC`, r.scope.Org)
}

// Remove marks a throw-away organization.
func (r throwAways) Remove(ctx context.Context, id billing.OrgID, at time.Time) error {
	n, err := r.do(ctx, "remove organization "+id.String(), "UPDATE organizations SET removed_at = $3 WHERE id = $1 AND maker_id = $2 AND removed_at IS NULL",
		id, r.scope.Org, micro(at))
	if err == nil && n == 0 {
		return billing.NotFound("organization", "")
	}
	return err
}

// Within runs fn in test mode of a throw-away organization. Its new clock shows real time.
func (r throwAways) Within(ctx context.Context, id billing.OrgID, fn func(ctx context.Context) error) error {
	own, business := r.scope, r.clock.business
	if err := r.enter(ctx, billing.Scope{Org: id, Mode: billing.ModeTest}, r.clock.now); err != nil {
		return err
	}
	if err := fn(ctx); err != nil {
		return err
	}
	return r.enter(ctx, own, business)
}

// enter sends the queue, and sets the scope and the clock of the statements that follow.
func (t *tx) enter(ctx context.Context, scope billing.Scope, business time.Time) error {
	var set string
	err := t.fetch(ctx, "enter another organization", &set, "SELECT set_config('molar.org', $1, true) || set_config('molar.mode', $2, true)",
		scope.Org.UUID(), scope.Mode)
	t.scope, t.clock.business, t.lasting = scope, business, true
	return err
}
