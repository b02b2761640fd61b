package pgstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

type acknowledgements struct{ *tx }

// Keep stores an acknowledgement, unless the scope already has it. The unique key
// makes a second transaction wait for the first.
func (r acknowledgements) Keep(ctx context.Context, f clearing.IncomingFile, excerpt []byte, at time.Time) (billing.FileID, error) {
	id, digest := billing.NewID[billing.FileID](transactionClock{ctx, r.tx}.Now()), sha256.Sum256(f.Content)
	var sealed any
	if excerpt != nil {
		sealed = r.seal(ctx, r.scope, id, excerpt)
	}
	n, err := r.exec(ctx, `
INSERT INTO acknowledgements (id, org_id, mode, name, digest, content, excerpt, received_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT ON CONSTRAINT acknowledgements_content DO NOTHING`,
		id, r.scope.Org, r.scope.Mode, f.Name, digest[:], r.seal(ctx, r.scope, id, f.Content), sealed, micro(at))
	if err != nil {
		return billing.FileID{}, fmt.Errorf("keep an acknowledgement: %w", err)
	}
	if n == 0 {
		return billing.FileID{}, nil
	}
	r.evidence = rowEvidence("acknowledgements", id)
	return id, nil
}

const acknowledgementColumns = "b.number, b.kind, a.name, a.received_at"

// acknowledgementTargets are what Scan reads acknowledgementColumns into, and more.
func acknowledgementTargets(a *clearing.BatchAcknowledgement, more ...any) []any {
	return append([]any{&a.Number, &a.Kind, &a.Name, instant{&a.ReceivedAt}}, more...)
}

// acknowledgementsOf selects the acknowledgements of batches of the scope.
const acknowledgementsOf = `
FROM batch_acknowledgements b
JOIN acknowledgements a ON a.id = b.acknowledgement_id AND a.org_id = b.org_id AND a.mode = b.mode
WHERE b.org_id = $1 AND b.mode = $2 AND `

func (r acknowledgements) of(batches []*clearing.Batch) (string, []any) {
	ids := make(pq.StringArray, 0, len(batches))
	for _, b := range batches {
		ids = append(ids, b.ID.UUID())
	}
	return "SELECT " + acknowledgementColumns + ", b.batch_id" + acknowledgementsOf + `b.batch_id = ANY ($3::uuid[])
ORDER BY b.batch_id, b.number`, []any{r.scope.Org, r.scope.Mode, ids}
}

// addTo adds their acknowledgements to batches.
func (r acknowledgements) addTo(ctx context.Context, to []*clearing.Batch) error {
	of := map[billing.FileID]*clearing.Batch{}
	for _, b := range to {
		of[b.ID] = b
	}
	var a clearing.BatchAcknowledgement
	var id billing.FileID
	text, args := r.of(to)
	return r.each(ctx, "list acknowledgements", acknowledgementTargets(&a, &id), func() {
		of[id].Acknowledgements = append(of[id].Acknowledgements, a)
	}, text, args...)
}

// Link adds an acknowledgement to a locked batch.
func (r acknowledgements) Link(ctx context.Context, id, acknowledgement billing.FileID, kind clearing.AcknowledgementKind) error {
	_, err := r.do(ctx, "add an acknowledgement to batch "+id.String(), `
INSERT INTO batch_acknowledgements (batch_id, number, org_id, mode, kind, acknowledgement_id)
SELECT $3, coalesce(max(number), 0) + 1, $1, $2, $4, $5
FROM batch_acknowledgements
WHERE org_id = $1 AND mode = $2 AND batch_id = $3`, r.scope.Org, r.scope.Mode, id, kind, acknowledgement)
	return err
}

func (r acknowledgements) after(after billing.FileID, limit int) (string, []any) {
	q := r.query("id, name, received_at, coalesce(excerpt, content) AS content", "acknowledgements")
	whereSet(q, "id > %", after)
	return q.text("ORDER BY id\nLIMIT %", limit), q.args
}

// List reads files with their bytes.
func (r acknowledgements) List(ctx context.Context, after billing.FileID, limit int) (all []clearing.KeptFile, err error) {
	var f clearing.KeptFile
	text, args := r.after(after, limit)
	err = r.each(ctx, "list acknowledgements", []any{&f.ID, &f.Name, instant{&f.ReceivedAt}, &f.Content}, func() {
		one := f
		one.Content = bytes.Clone(f.Content)
		all = append(all, one)
	}, text, args...)
	for i := range all {
		if err == nil {
			all[i].Content, err = r.unseal(ctx, r.scope, all[i].ID, all[i].Content)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read acknowledgements: %w", err)
	}
	return all, nil
}

// Get reads an acknowledgement of a batch with its bytes.
func (r acknowledgements) Get(ctx context.Context, id billing.FileID, number int) (*clearing.BatchAcknowledgement, []byte, error) {
	var a clearing.BatchAcknowledgement
	var own billing.FileID
	var sealed []byte
	err := r.each(ctx, "get an acknowledgement", acknowledgementTargets(&a, &own, &sealed), func() {},
		"SELECT "+acknowledgementColumns+", a.id, coalesce(a.excerpt, a.content)"+acknowledgementsOf+"b.batch_id = $3 AND b.number = $4",
		r.scope.Org, r.scope.Mode, id, number)
	switch {
	case err != nil:
		return nil, nil, err
	case sealed == nil:
		return nil, nil, billing.NotFound("acknowledgement", "")
	}
	plain, err := r.unseal(ctx, r.scope, own, sealed)
	if err != nil {
		return nil, nil, fmt.Errorf("open acknowledgement %s: %w", own, err)
	}
	return &a, plain, nil
}

// late selects those of the batches that wait for the operator.
func (r acknowledgements) late(ids []billing.FileID) (string, []any) {
	q := batchTable.of(r.tx)
	q.where("id = ANY (%::uuid[]) AND (unknown_since IS NOT NULL OR overdue <> '{}' OR state = 'pending' AND delayed_since IS NOT NULL)", uuids(ids))
	return q.text("ORDER BY created_at, id"), q.args
}

// Late reads those of the batches that are undecided or delayed.
func (r acknowledgements) Late(ctx context.Context, ids []billing.FileID) ([]*clearing.Batch, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	text, args := r.late(ids)
	return routes(r).batches(ctx, text, args...)
}

// awaiting selects batches, and whether a claim of each is submitted still.
func (r acknowledgements) awaiting(ids []billing.FileID) (string, []any) {
	q := r.query(batchColumns+`, EXISTS (
		SELECT FROM claims c WHERE c.org_id = $1 AND c.mode = $2 AND c.batch_id = b.id AND c.state = 'submitted') AS unreported`, "batches b")
	q.where("id = ANY (%::uuid[])", uuids(ids))
	return q.text("ORDER BY created_at, id"), q.args
}

// Of reads batches with their acknowledgements.
func (r acknowledgements) Of(ctx context.Context, ids []billing.FileID) ([]*clearing.Batch, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	text, args := r.awaiting(ids)
	all, err := read(ctx, r.tx, "find batches", func(b *clearing.Batch) []field {
		return append(batchFields(b), field{"unreported", &b.Unreported})
	}, text, args...)
	if err != nil {
		return nil, err
	}
	return all, r.addTo(ctx, all)
}
