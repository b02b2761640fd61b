package pgstore

import (
	"context"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/task"
)

type enrollments struct{ *tx }

func enrollmentFields(e *network.Enrollment) []field {
	return scoped(&e.ID, &e.Scope, []field{
		{"office_id", &e.OfficeID},
		{"payer_id", &e.Payer.ID},
		{"payer_code", &e.Payer.PayerID},
		{"payer_name", &e.Payer.Name},
		{"transaction", &e.Transaction},
		{"state", &e.State},
		{"date", &e.Date},
		{"note", &e.Note},
		{"network_message", &e.NetworkMessage},
		{"created_at", instant{&e.CreatedAt}},
		{"updated_at", instant{&e.UpdatedAt}},
		{"version", &e.Version},
	})
}

// Put stores an enrollment in place of the one for its office, payer and transaction.
func (r enrollments) Put(ctx context.Context, e *network.Enrollment) (*network.Enrollment, error) {
	first := *e
	first.Version = 1
	_, args, err := enrollmentTable.values(r.tx, &first)
	if err != nil {
		return nil, err
	}
	stored, err := read(ctx, r.tx, "put an enrollment", func(e *network.Enrollment) []field {
		return append(enrollmentFields(e), field{"xid", &r.xid})
	}, enrollmentTable.inserting+`
ON CONFLICT ON CONSTRAINT enrollments_one DO UPDATE
SET (payer_code, payer_name, state, date, note, network_message, updated_at, version) =
	(excluded.payer_code, excluded.payer_name, excluded.state, excluded.date, excluded.note, excluded.network_message, excluded.updated_at,
	enrollments.version + ((enrollments.state, enrollments.date, enrollments.note, enrollments.network_message) IS DISTINCT FROM
		(excluded.state, excluded.date, excluded.note, excluded.network_message))::int)
RETURNING `+enrollmentTable.columns+`, pg_current_xact_id()::text AS xid`, args...)
	if err != nil {
		return nil, err
	}
	kept := stored[0]
	return kept, r.keepTasks(ctx, task.Resource{Kind: task.OfEnrollment, ID: kept.ID}, false, task.OfAnEnrollment(kept), nil)
}

// Find reads enrollments for the transaction, of the offices with the payers.
func (r enrollments) Find(
	ctx context.Context, t network.Transaction, offices []billing.OfficeID, payers []billing.PayerID,
) ([]*network.Enrollment, error) {
	text, args := r.find(t, offices, payers)
	return r.read(ctx, text, args)
}

// Share reads enrollments that no other transaction writes meanwhile.
func (r enrollments) Share(
	ctx context.Context, t network.Transaction, offices []billing.OfficeID, payers []billing.PayerID,
) ([]*network.Enrollment, error) {
	text, args := r.find(t, offices, payers)
	return r.read(ctx, text+"\nFOR SHARE", args)
}

func (r enrollments) find(t network.Transaction, offices []billing.OfficeID, payers []billing.PayerID) (string, []any) {
	q := enrollmentTable.of(r.tx)
	q.where("transaction = % AND office_id = ANY (%::uuid[]) AND payer_id = ANY (%::uuid[])", t, pq.Array(offices), pq.Array(payers))
	return q.text("ORDER BY created_at, id"), q.args
}

func (r enrollments) read(ctx context.Context, text string, args []any) ([]*network.Enrollment, error) {
	return enrollmentTable.many(ctx, r.tx, "find enrollments", text, args...)
}

// Get reads an enrollment.
func (r enrollments) Get(ctx context.Context, id billing.EnrollmentID) (*network.Enrollment, error) {
	return enrollmentTable.get(ctx, r.tx, id, "")
}

// List reads a page of enrollments, newest first.
func (r enrollments) List(ctx context.Context, f network.EnrollmentFilter, p billing.Page) ([]*network.Enrollment, error) {
	q := enrollmentTable.of(r.tx)
	whereSet(q, "office_id = %", f.OfficeID)
	whereSet(q, "payer_id = %", f.PayerID)
	whereSet(q, "transaction = %", f.Transaction)
	whereSet(q, "state = %", f.State)
	return enrollmentTable.page(ctx, r.tx, q, p)
}
