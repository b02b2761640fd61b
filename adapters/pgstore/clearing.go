package pgstore

import (
	"context"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
)

type clearings struct{ *tx }

// inOrder locks claims in the order of their IDs. Two transactions that lock the same
// claims therefore cannot deadlock.
const inOrder = "ORDER BY id\n" + forUpdate

// notHeld selects the claims of live mode that wait for no office and for no enrollment, by the rule of claim.Held.
const notHeld = `EXISTS (SELECT FROM offices o WHERE o.id = c.office_id AND o.verified_at IS NOT NULL) AND NOT EXISTS (
		SELECT FROM enrollments e
		WHERE e.org_id = c.org_id AND e.mode = c.mode AND e.office_id = c.office_id AND e.payer_id = c.payer_id AND e.transaction = 'claims'
			AND e.state IN ('needed', 'submitted', 'rejected'))`

func (r clearings) queued(payers []billing.PayerID, since time.Time, limit int) (string, []any) {
	q := r.query(whole.columns(), "claims c")
	q.where("state = 'queued' AND batch_id IS NULL AND held IS NULL AND payer_id = ANY (%::uuid[])", pq.Array(payers))
	if !since.IsZero() {
		q.where("updated_at <= %", since)
	}
	if r.scope.Mode == billing.ModeLive { // claim.Held
		q.where("NOT " + openRestore)
		q.where(notHeld)
	}
	return q.text("ORDER BY id\nLIMIT %\n"+forUpdate+" SKIP LOCKED", limit), q.args
}

// Queued reads the oldest claims that wait for a batch.
func (r clearings) Queued(ctx context.Context, payers []billing.PayerID, since time.Time, limit int) ([]*claim.Claim, error) {
	text, args := r.queued(payers, since, limit)
	return r.claims(ctx, text, args)
}

// awaiting uses the index of states: few claims need attention.
func (r clearings) awaiting(code string, office billing.OfficeID, payer billing.PayerID, after billing.ClaimID, limit int) (string, []any) {
	q := r.query(whole.columns(), "claims c")
	q.where("kind IN ('claim', 'predetermination') AND state = 'needs_attention' AND office_id = % AND payer_id = % AND id > %", office, payer, after.UUID())
	q.where("findings::jsonb @> jsonb_build_array(jsonb_build_object('Code', %::text))", code)
	return q.text("ORDER BY id\nLIMIT %\n"+forUpdate, limit), q.args
}

// Awaiting reads claims that need attention for a reason of the code.
func (r clearings) Awaiting(
	ctx context.Context, code string, office billing.OfficeID, payer billing.PayerID, after billing.ClaimID, limit int,
) ([]*claim.Claim, error) {
	text, args := r.awaiting(code, office, payer, after, limit)
	return r.claims(ctx, text, args)
}

func (r clearings) ofBatch(id billing.FileID) (string, []any) {
	q := r.query(whole.columns(), "claims c")
	q.where("batch_id = %", id)
	return q.text(inOrder), q.args
}

// OfBatch reads the claims of a batch.
func (r clearings) OfBatch(ctx context.Context, id billing.FileID) ([]*claim.Claim, error) {
	text, args := r.ofBatch(id)
	return r.claims(ctx, text, args)
}

// match finds claims by three kinds of numbers, each through its own index. A single
// condition with OR could use none of them.
func (r clearings) match(controlNumbers, payerClaimNumbers []string) (string, []any) {
	q := r.query(whole.columns(), "claims c")
	q.where(`id = ANY (ARRAY(
		SELECT m.id
		FROM claims m
		WHERE m.org_id = $1 AND m.mode = $2 AND m.control_key = ANY (ARRAY(SELECT upper(n) FROM unnest(%::text[]) n))
		UNION
		SELECT m.id
		FROM claims m
		WHERE m.org_id = $1 AND m.mode = $2 AND m.submitted_number = ANY (ARRAY(SELECT upper(n) FROM unnest(%::text[]) n)) AND m.submitted_number <> ''
		UNION
		SELECT m.id
		FROM claims m
		WHERE m.org_id = $1 AND m.mode = $2 AND m.payer_claim_number = ANY (%::text[]) AND m.payer_claim_number <> ''
	))`, pq.StringArray(controlNumbers), pq.StringArray(controlNumbers), pq.StringArray(payerClaimNumbers))
	return q.text(inOrder), q.args
}

// Match reads the claims that have one of the numbers.
func (r clearings) Match(ctx context.Context, controlNumbers, payerClaimNumbers []string) ([]*claim.Claim, error) {
	if len(controlNumbers)+len(payerClaimNumbers) == 0 {
		return nil, nil
	}
	text, args := r.match(controlNumbers, payerClaimNumbers)
	return r.claims(ctx, text, args)
}

func (r clearings) claims(ctx context.Context, text string, args []any) ([]*claim.Claim, error) {
	return claimsOf(claims(r).read(ctx, "lock claims", whole, text, args))
}

// Attached reads the closed attachments of claims. It excludes attachments for payer
// requests.
func (r clearings) Attached(ctx context.Context, of []billing.ClaimID) ([]*attachment.Attachment, error) {
	q := attachmentTable.of(r.tx)
	q.where("claim_id = ANY (%::uuid[]) AND claim_id IS NOT NULL AND state = 'closed' AND kind = 'unsolicited'", uuids(of))
	all, err := attachmentTable.many(ctx, r.tx, "find attachments of claims", q.text("ORDER BY created_at, id"), q.args...)
	if err != nil {
		return nil, err
	}
	return all, documents(r).addTo(ctx, all)
}

// Serial returns the next number for a file.
func (r clearings) Serial(ctx context.Context) (n int64, err error) {
	err = r.fetch(ctx, "number a file", &n, "SELECT nextval('file_serials')")
	return n, err
}
