package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

type idempotencyKeys struct{ *tx }

// usedKey identifies a key for the queue of writes.
type usedKey string

// UUID returns the row ID that the key's sealed reply is bound to.
func (k usedKey) UUID() string { return "idempotency key " + string(k) }

// Reserve reserves the key until the end of the transaction. See the comment of the
// SQL function in the migration.
func (r idempotencyKeys) Reserve(ctx context.Context, key string) (*caller.KeyUse, error) {
	use := &caller.KeyUse{Key: key}
	var status *int
	var sealed []byte
	to := []any{&use.Held, sum{of: use.Fingerprint[:]}, &use.CheckID, instant{&use.CreatedAt}, &status, &sealed, &use.Work, &r.expected}
	err := r.row(ctx, to, `
SELECT claimed, fingerprint, check_id, created_at, status, body, work, pg_current_xact_id()::text AS xid
FROM claim_idempotency_key($1, $2, $3)`, r.scope.Org, r.scope.Mode, key)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reserve an idempotency key: %w", err)
	case use.CreatedAt.IsZero() && !use.Held:
		return nil, caller.ErrKeyInUse()
	case use.CreatedAt.IsZero():
		return nil, nil
	}
	if use.Erased = sealed != nil && len(sealed) == 0; status != nil && !use.Erased {
		body, err := r.body(ctx, key, sealed)
		if err != nil {
			return nil, err
		}
		use.Reply = &caller.Reply{Status: *status, Body: body}
	}
	return use, nil
}

// body decrypts the body of a stored reply, which may have none.
func (r idempotencyKeys) body(ctx context.Context, key string, kept []byte) ([]byte, error) {
	if len(kept) == 0 {
		return nil, nil
	}
	body, err := r.unseal(ctx, r.scope, usedKey(key), kept)
	if err != nil {
		return nil, fmt.Errorf("open the reply of an idempotency key: %w", err)
	}
	return body, nil
}

// Record stores the use of a reserved key and replaces an earlier use. If the
// transaction inserts no other row, the stored use proves the commit. A use that
// replaces it is never older. Without an entry of the request log, it keeps the
// earlier one.
func (r idempotencyKeys) Record(ctx context.Context, use caller.KeyUse) error {
	status, body, err := replied(use)
	if err != nil {
		return err
	}
	if body != nil { // the body may name a patient
		body = r.seal(ctx, r.scope, usedKey(use.Key), body)
	}
	if use.Audit != nil {
		if err := auditEntries(r).Insert(ctx, []*caller.AuditEntry{use.Audit}); err != nil {
			return err
		}
	}
	entry := use.Entry
	if entry == nil {
		entry = &caller.LoggedRequest{}
	}
	at := micro(use.CreatedAt)
	if r.evidence.query == "" {
		r.evidence = evidence{
			"SELECT EXISTS (SELECT FROM idempotency_keys WHERE org_id = $1 AND mode = $2 AND key = $3 AND created_at >= $4)",
			[]any{r.scope.Org, r.scope.Mode, use.Key, at},
		}
	}
	return r.laterOf(ctx, use.CheckID, usedKey(use.Key), `
INSERT INTO idempotency_keys AS k (org_id, mode, key, fingerprint, check_id, created_at, status, body, work,
	request_id, api_key_id, operation, resource_id, address, agent)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (org_id, mode, key) DO UPDATE
SET fingerprint = excluded.fingerprint, check_id = excluded.check_id, created_at = excluded.created_at,
	status = excluded.status, body = excluded.body, work = excluded.work,
	request_id = coalesce(excluded.request_id, k.request_id), api_key_id = coalesce(excluded.api_key_id, k.api_key_id),
	operation = coalesce(excluded.operation, k.operation), resource_id = coalesce(excluded.resource_id, k.resource_id),
	address = coalesce(excluded.address, k.address), agent = coalesce(excluded.agent, k.agent)`,
		r.scope.Org, r.scope.Mode, use.Key, use.Fingerprint[:], use.CheckID, at, status, body, use.Work,
		entry.ID, entry.KeyID, nonEmpty(entry.Operation), nonEmpty(entry.Resource),
		nonEmpty(entry.Address), nonEmpty(entry.Agent))
}

// replied returns the reply that a use stores by value, or NULL if it stores none. A
// use stores its reply in only one way.
func replied(use caller.KeyUse) (status *int, body []byte, err error) {
	reply := use.Reply
	if use.Key == "" {
		return nil, nil, errors.New("record an idempotency key: it is empty")
	}
	if reply == nil {
		if !use.CheckID.IsZero() && !use.Work.IsZero() {
			return nil, nil, errors.New("record an idempotency key: both a check and other work keep its reply")
		}
		return nil, nil, nil
	}
	if reply.Status < 100 || reply.Status > 599 || !use.CheckID.IsZero() || !use.Work.IsZero() {
		return nil, nil, fmt.Errorf("record an idempotency key: a reply with status %d, a check %t, work %t",
			reply.Status, !use.CheckID.IsZero(), !use.Work.IsZero())
	}
	if len(reply.Body) == 0 {
		return &reply.Status, nil, nil
	}
	return &reply.Status, reply.Body, nil
}

// Release removes the use of a key whose work is not done.
func (r idempotencyKeys) Release(ctx context.Context, key string, work billing.JobID) error {
	return r.later(ctx, usedKey(key), "DELETE FROM idempotency_keys WHERE org_id = $1 AND mode = $2 AND key = $3 AND work = $4",
		r.scope.Org, r.scope.Mode, key, work)
}

// Answer stores the reply to the request whose key waits for the work.
func (r idempotencyKeys) Answer(ctx context.Context, key string, work billing.JobID, reply caller.Reply) error {
	status, body, err := replied(caller.KeyUse{Key: key, Reply: &reply})
	if err != nil {
		return err
	}
	return r.later(ctx, usedKey(key), "UPDATE idempotency_keys SET status = $5, body = $6, work = NULL WHERE org_id = $1 AND mode = $2 AND key = $3 AND work = $4",
		r.scope.Org, r.scope.Mode, key, work, status, r.seal(ctx, r.scope, usedKey(key), body))
}

type forgetter struct{ *tx }

// forgetBatch is the number of rows that one step of a sweep deletes, which bounds the
// time it holds locks. It is a literal in the statements. With a parameter, the
// planner assumes a LIMIT of a tenth of the rows, and reads a whole table for the
// join.
const forgetBatch = "1000"

// forgetKeyUses is the only statement that finds jobs by subject. That column has no
// index, and there are few jobs, because finished ones are deleted. With a million
// jobs, a step of the sweep took 3.6 s, and 17 ms with an index. But the index
// doubled the time to insert, lease and delete a job: it added 75 us.
const forgetKeyUses = `
DELETE FROM idempotency_keys k
USING (
	SELECT org_id, mode, key
	FROM idempotency_keys
	WHERE created_at < $1
		AND NOT EXISTS (SELECT FROM jobs WHERE subject = coalesce(check_id, work))
		AND NOT EXISTS (SELECT FROM jobs WHERE id = work)
	ORDER BY created_at
	LIMIT ` + forgetBatch + `
) old
WHERE k.org_id = old.org_id AND k.mode = old.mode AND k.key = old.key AND k.created_at < $1`

const forgetUploads = `
DELETE FROM uploads
WHERE state <> 'pending' AND id IN (
	SELECT id
	FROM uploads
	WHERE created_at < $1 AND state <> 'pending'
	ORDER BY created_at
	LIMIT ` + forgetBatch + `
)`

// KeyUses removes old idempotency keys, a bounded number per call. It skips a key that
// is in use, or whose work is not done.
func (r forgetter) KeyUses(ctx context.Context, before time.Time) (int, error) {
	return r.do(ctx, "forget idempotency keys", forgetKeyUses, before.UTC())
}

// forgetAnswers has the age that the answers of an organization have by its clock.
const forgetAnswers = `
DELETE FROM eligibility_answers
WHERE ctid = ANY (ARRAY(
	(
		SELECT ctid
		FROM eligibility_answers a
		WHERE completed_at < $1 AND NOT EXISTS (SELECT FROM sandbox_clocks c WHERE c.org_id = a.org_id AND a.mode = 'test')
		ORDER BY completed_at
		LIMIT 1000
	) UNION ALL (
		SELECT a.ctid
		FROM sandbox_clocks c
		JOIN eligibility_answers a ON a.org_id = c.org_id AND a.mode = 'test' AND a.completed_at < ` + clockTime + ` - (now() - $1::timestamptz)
		LIMIT 1000
	)
))`

// Answers removes the saved answers of payers, a bounded number per call.
func (r forgetter) Answers(ctx context.Context, before time.Time) (int, error) {
	return r.do(ctx, "forget saved answers", forgetAnswers, before.UTC())
}

const forgetEstimates = `
DELETE FROM estimates
WHERE id IN (
	SELECT id
	FROM estimates e
	WHERE id < first_id($1) AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = e.org_id AND coalesce(h.patient_id = e.patient_id, true))
		AND NOT EXISTS (SELECT FROM claims c WHERE c.org_id = e.org_id AND c.estimate_id = e.id)
	ORDER BY id
	LIMIT ` + forgetBatch + `
)`

// Estimates removes old estimates, a bounded number per call.
func (r forgetter) Estimates(ctx context.Context, before time.Time) (int, error) {
	return r.do(ctx, "forget estimates", forgetEstimates, before.UTC())
}

// Uploads removes uploads that are settled, a bounded number per call.
func (r forgetter) Uploads(ctx context.Context, before time.Time) (int, error) {
	return r.do(ctx, "forget uploads", forgetUploads, before.UTC())
}
