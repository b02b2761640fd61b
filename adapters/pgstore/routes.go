package pgstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
)

type routes struct{ *tx }

// digits returns the digits of a text.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

//nolint:gochecknoglobals // constants, built from the columns
var (
	payees        = officeTable.selecting + "WHERE mode = $1 AND verified_at IS NOT NULL AND "
	payeesByNPI   = payees + "npi = $3 AND $2 IN ('', tax_key)\nORDER BY created_at, id"
	payeesByTaxID = payees + "tax_key = $2\nORDER BY created_at, id"
)

// Payees returns the verified offices with the numbers.
func (r routes) Payees(ctx context.Context, mode billing.Mode, npi, taxID string) ([]*directory.Office, error) {
	text, args := payeesByTaxID, []any{mode, digits(taxID)}
	switch npi = strings.TrimSpace(npi); {
	case npi != "":
		text, args = payeesByNPI, append(args, npi)
	case digits(taxID) == "":
		return nil, nil
	}
	return officeTable.many(ctx, r.tx, "find payees", text, args...)
}

// batchByNumber selects the newest batch with the number, because numbers restart after
// a billion files.
//
//nolint:gochecknoglobals // a constant, built from the columns
var batchByNumber = batchTable.selecting + "WHERE mode = $1 AND number = ANY ($2) AND network = $3\nORDER BY created_at DESC\nLIMIT 1"

// Batch returns the batch that a file replies to.
func (r routes) Batch(ctx context.Context, mode billing.Mode, network string, n clearing.ControlNumbers) (*clearing.Batch, error) {
	var numbers pq.StringArray
	for _, number := range []string{n.Interchange, n.Group, n.Transaction} {
		if number = comparableNumber(number); number != "" {
			numbers = append(numbers, number)
		}
	}
	return batchTable.one(ctx, r.tx, batchByNumber, mode, numbers, network)
}

// maxUndecided bounds the list that an operator works off.
const maxUndecided = 1000

// undecidedBatches has an index of its own.
//
//nolint:gochecknoglobals // a constant, built from the columns
var undecidedBatches = batchTable.selecting + `
WHERE unknown_since IS NOT NULL OR overdue <> '{}'
ORDER BY coalesce(unknown_since, sent_at), id
LIMIT $1`

// Undecided returns the batches that wait for the operator.
func (r routes) Undecided(ctx context.Context) ([]*clearing.Batch, error) {
	return r.batches(ctx, undecidedBatches, maxUndecided)
}

//nolint:gochecknoglobals // constants, built from the columns
var (
	unsettledBatches = batchTable.selecting + "WHERE network = $1 AND settled_at IS NULL"
	unsettledSince   = unsettledBatches + " AND sent_at <= $2" + unsettledAhead
	unsettledAhead   = `
UNION ALL
SELECT b.*
FROM (SELECT * FROM sandbox_clocks ORDER BY org_id) c
CROSS JOIN LATERAL (
	` + unsettledBatches + `
		AND org_id = c.org_id AND mode = 'test' AND sent_at > $2 AND sent_at <= ` + clockTime + ` - (now() - $2::timestamptz)
) b`
	unsettledInOrder = "\nORDER BY sent_at, id"
)

// Unsettled returns the batches of a network that are not settled. Those of an organization
// whose clock is ahead come as early as its clock is.
func (r routes) Unsettled(ctx context.Context, network string, sent time.Time) ([]*clearing.Batch, error) {
	if sent.IsZero() {
		return r.batches(ctx, unsettledBatches+unsettledInOrder, network)
	}
	return r.batches(ctx, unsettledSince+unsettledInOrder, network, sent)
}

func (r routes) batches(ctx context.Context, text string, args ...any) ([]*clearing.Batch, error) {
	return batchTable.many(ctx, r.tx, "find batches", text, args...)
}

// queuedPayers finds each organization's payers in the index of waiting claims. It
// skips from payer to payer and reads one claim of each, however many wait. Claims of an
// organization whose clock stands leave in an advance.
const queuedPayers = `
WITH RECURSIVE waiting AS (
	(
		SELECT org_id, payer_id
		FROM claims
		WHERE mode = $1 AND state = 'queued' AND batch_id IS NULL AND held IS NULL
		ORDER BY org_id, payer_id
		LIMIT 1
	)
	UNION ALL
	SELECT next.org_id, next.payer_id
	FROM waiting w
	CROSS JOIN LATERAL (
		SELECT c.org_id, c.payer_id
		FROM claims c
		WHERE c.mode = $1 AND c.state = 'queued' AND c.batch_id IS NULL AND c.held IS NULL AND (c.org_id, c.payer_id) > (w.org_id, w.payer_id)
		ORDER BY c.org_id, c.payer_id
		LIMIT 1
	) next
)
SELECT org_id, payer_id
FROM waiting w
WHERE $1 = 'live' OR NOT EXISTS (SELECT FROM sandbox_clocks c WHERE c.org_id = w.org_id AND c.stands_at IS NOT NULL)`

// Queued returns the scopes in which claims wait for a batch, with their payers.
func (r routes) Queued(ctx context.Context, mode billing.Mode) (map[billing.Scope][]billing.PayerID, error) {
	payers := map[billing.Scope][]billing.PayerID{}
	scope := billing.Scope{Mode: mode}
	var payer billing.PayerID
	use := func() { payers[scope] = append(payers[scope], payer) }
	err := r.each(ctx, "find queued claims", []any{&scope.Org, &payer}, use, queuedPayers, mode)
	return payers, err
}

// oldestUnsent reads the claims that wait for a batch, of which there are few, and the first entry of an index. An
// index of claims by updated_at would change with every claim that is saved.
const oldestUnsent = `
SELECT
	(SELECT min(c.updated_at) FROM claims c WHERE c.mode = $1 AND c.state = 'queued' AND c.batch_id IS NULL AND c.held IS NULL AND ` + notHeld + `),
	(SELECT min(created_at) FROM batches WHERE mode = $1 AND state = 'pending' AND unknown_since IS NULL)`

// Unsent returns when the oldest claim that nobody holds began to wait, and when the oldest batch did.
func (r routes) Unsent(ctx context.Context, mode billing.Mode) (claims, batches time.Time, err error) {
	err = r.row(ctx, []any{instant{&claims}, instant{&batches}}, oldestUnsent, mode)
	if err != nil {
		err = fmt.Errorf("find what has not left: %w", err)
	}
	return claims, batches, err
}
