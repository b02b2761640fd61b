package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

type enrollments struct{ *tx }

const enrollmentColumns = `id, org_id, mode, office_id, payer_id, payer_code, payer_name, transaction, state, date, note, network_message,
	created_at, updated_at, version`

type enrollmentRow struct {
	ID             billing.EnrollmentID      `db:"id"`
	Org            billing.OrgID             `db:"org_id"`
	Mode           billing.Mode              `db:"mode"`
	OfficeID       billing.OfficeID          `db:"office_id"`
	PayerID        billing.PayerID           `db:"payer_id"`
	PayerCode      string                    `db:"payer_code"`
	PayerName      string                    `db:"payer_name"`
	Transaction    network.Transaction       `db:"transaction"`
	State          directory.EnrollmentState `db:"state"`
	Date           billing.Date              `db:"date"`
	Note           string                    `db:"note"`
	NetworkMessage string                    `db:"network_message"`
	CreatedAt      time.Time                 `db:"created_at"`
	UpdatedAt      time.Time                 `db:"updated_at"`
	Version        int                       `db:"version"`
}

func (r enrollmentRow) enrollment() (*network.Enrollment, error) {
	return &network.Enrollment{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, OfficeID: r.OfficeID,
		Payer:       directory.PayerSummary{ID: r.PayerID, PayerID: r.PayerCode, Name: r.PayerName},
		Transaction: r.Transaction, State: r.State, Date: r.Date, Note: r.Note, NetworkMessage: r.NetworkMessage,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), Version: r.Version,
	}, nil
}

// Put stores an enrollment in place of the one for its office, payer and transaction.
func (r enrollments) Put(ctx context.Context, e *network.Enrollment) (*network.Enrollment, error) {
	var stored struct {
		enrollmentRow
		XID string `db:"xid"`
	}
	err := r.get(ctx, &stored, `
INSERT INTO enrollments (`+enrollmentColumns+`)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 1)
ON CONFLICT ON CONSTRAINT enrollments_one DO UPDATE
SET (payer_code, payer_name, state, date, note, network_message, updated_at, version) =
	(excluded.payer_code, excluded.payer_name, excluded.state, excluded.date, excluded.note, excluded.network_message, excluded.updated_at,
	enrollments.version + ((enrollments.state, enrollments.date, enrollments.note, enrollments.network_message) IS DISTINCT FROM
		(excluded.state, excluded.date, excluded.note, excluded.network_message))::int)
RETURNING `+enrollmentColumns+`, pg_current_xact_id()::text AS xid`,
		e.ID, r.scope.Org, r.scope.Mode, e.OfficeID, e.Payer.ID, e.Payer.PayerID, e.Payer.Name, e.Transaction, e.State, e.Date, e.Note,
		e.NetworkMessage, micro(e.CreatedAt), micro(e.UpdatedAt))
	if err != nil {
		return nil, fmt.Errorf("put an enrollment: %w", err)
	}
	r.xid = stored.XID
	return stored.enrollment()
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
	q := r.query(enrollmentColumns, "enrollments")
	q.where("transaction = % AND office_id = ANY (%::uuid[]) AND payer_id = ANY (%::uuid[])", t, pq.Array(offices), pq.Array(payers))
	return q.text("ORDER BY created_at, id"), q.args
}

func (r enrollments) read(ctx context.Context, text string, args []any) ([]*network.Enrollment, error) {
	return many(ctx, r.tx, "find enrollments", enrollmentRow.enrollment, text, args...)
}

// Get reads an enrollment.
func (r enrollments) Get(ctx context.Context, id billing.EnrollmentID) (*network.Enrollment, error) {
	q := r.query(enrollmentColumns, "enrollments")
	q.where("id = %", id)
	found, err := r.read(ctx, q.text(""), q.args)
	if err == nil && len(found) == 0 {
		err = billing.NotFound("enrollment", "")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// List reads a page of enrollments, newest first.
func (r enrollments) List(ctx context.Context, f network.EnrollmentFilter, p billing.Page) ([]*network.Enrollment, error) {
	q := r.query(enrollmentColumns, "enrollments")
	whereSet(q, "office_id = %", f.OfficeID)
	whereSet(q, "payer_id = %", f.PayerID)
	whereSet(q, "transaction = %", f.Transaction)
	whereSet(q, "state = %", f.State)
	return page(ctx, r.tx, "enrollments", enrollmentRow.enrollment, q, p)
}
