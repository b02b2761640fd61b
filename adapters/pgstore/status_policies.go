package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
)

type (
	statusPolicies struct{ *tx }
	statusFeed     struct{ *tx }
)

func statusPolicyFields(p *claimstatus.Policy) []field {
	return scoped(&p.ID, &p.Scope, []field{
		{"payer_id", &p.Payer.ID},
		{"created_at", instant{&p.CreatedAt}},
		{"payer_code", &p.Payer.PayerID},
		{"payer_name", &p.Payer.Name},
		{"ask_after", &p.After},
		{"ask_every", &p.Every},
		{"updated_at", instant{&p.UpdatedAt}},
		{"feed", &p.Feed},
	})
}

// Put stores a policy in place of the one for its payer.
func (r statusPolicies) Put(ctx context.Context, p *claimstatus.Policy) (*claimstatus.Policy, error) {
	waits := make(pq.Int64Array, 0, len(p.Waits()))
	for _, days := range p.Waits() {
		waits = append(waits, int64(days))
	}
	_, args, err := statusPolicyTable.values(r.tx, p, waits)
	if err != nil {
		return nil, err
	}
	stored, err := read(ctx, r.tx, "put a status policy", func(p *claimstatus.Policy) []field {
		return append(statusPolicyFields(p), field{"xid", &r.xid})
	}, statusPolicyTable.inserting+`
ON CONFLICT ON CONSTRAINT status_policies_one DO UPDATE
SET (payer_code, payer_name, ask_after, ask_every, waits, updated_at, feed) =
	(excluded.payer_code, excluded.payer_name, excluded.ask_after, excluded.ask_every, excluded.waits, excluded.updated_at, excluded.feed)
RETURNING `+statusPolicyTable.columns+`, pg_current_xact_id()::text AS xid`, args...)
	if err != nil {
		return nil, err
	}
	return stored[0], nil
}

// Get reads the policy for a payer.
func (r statusPolicies) Get(ctx context.Context, payer billing.PayerID) (*claimstatus.Policy, error) {
	q := statusPolicyTable.of(r.tx)
	q.where("payer_id = %", payer)
	return statusPolicyTable.one(ctx, r.tx, q.text(""), q.args...)
}

// List reads a page of policies, newest first.
func (r statusPolicies) List(ctx context.Context, p billing.Page) ([]*claimstatus.Policy, error) {
	return statusPolicyTable.page(ctx, r.tx, statusPolicyTable.of(r.tx), p)
}

// Delete removes the policy for a payer.
func (r statusPolicies) Delete(ctx context.Context, payer billing.PayerID) error {
	n, err := r.do(ctx, "delete a status policy", "DELETE FROM status_policies WHERE org_id = $1 AND mode = $2 AND payer_id = $3", r.scope.Org, r.scope.Mode, payer)
	if err == nil && n == 0 {
		return billing.NotFound("status policy", "")
	}
	return err
}

// dueInquiries are the claims that wait to be asked about by policies, with the time when each is
// due: the earliest of each turn, since the index has one order for each. After Archived payers
// answer no more.
//
//nolint:gochecknoglobals // a constant, built from the columns
var dueInquiries = fmt.Sprintf(`
	FROM status_policies p
	CROSS JOIN LATERAL unnest(p.waits) WITH ORDINALITY w (days, n)
	CROSS JOIN LATERAL (
		SELECT id, ask_from + w.days * interval '24 hours' AS at
		FROM claims
		WHERE org_id = p.org_id AND mode = p.mode AND payer_id = p.payer_id AND ask_turn = w.n - 1 AND ask_from IS NOT NULL
			AND ask_from + w.days * interval '24 hours' < sent_at + interval '%d hours'
		ORDER BY ask_from, id
		LIMIT %d
	) c`, int(claimstatus.Archived.Hours()), feedLimit)

// feedLimit is the most claims that a look of a policy takes.
const feedLimit = 50

// Lock reads and locks a policy.
func (r statusFeed) Lock(ctx context.Context, id billing.StatusPolicyID) (*claimstatus.Policy, error) {
	return statusPolicyTable.get(ctx, r.tx, id, forUpdate)
}

// Room returns how many more questions a payer may get.
func (r statusFeed) Room(ctx context.Context, payer billing.PayerID, most int) (room int, err error) {
	if err := r.row(ctx, []any{&room}, "SELECT status_lane_room($1, $2, $3)", payer, r.scope.Mode, most); err != nil {
		return 0, fmt.Errorf("look at the lane of a payer: %w", err)
	}
	return room, nil
}

// Due locks and reads claims that are due.
func (r statusFeed) Due(ctx context.Context, p *claimstatus.Policy, now time.Time, limit int) ([]*claim.Record, error) {
	q := r.query(alone.columns(), "claims c")
	q.where(`id IN (
		SELECT c.id`+dueInquiries+`
		WHERE p.id = % AND c.at <= %
		ORDER BY c.at, c.id
		LIMIT %
	)`, p.ID, micro(now), min(limit, feedLimit))
	return claims(r).read(ctx, "find claims to ask about", alone, q.text("ORDER BY id\nFOR UPDATE OF c SKIP LOCKED"), q.args)
}

// Next returns when the next claim is due.
func (r statusFeed) Next(ctx context.Context, p *claimstatus.Policy) (at time.Time, err error) {
	err = r.row(ctx, []any{instant{&at}}, `
SELECT c.at`+dueInquiries+`
WHERE p.id = $1
ORDER BY c.at
LIMIT 1`, p.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return at, fmt.Errorf("find the next claim to ask about: %w", err)
	}
	return at, nil
}
