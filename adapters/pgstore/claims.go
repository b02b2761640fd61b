package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
)

type claims struct{ *tx }

// claimListColumns is what lists read. The names of those whom a claim refers
// to are looked up row by row, so that the rows are read in the order of their
// index, and none is read for another page.
const claimListColumns = `id, org_id, mode, kind, state, frequency, parent_id, patient_control_number, office_id, payer_id, payer_code,
	payer_name, provider_id, patient_id, subscriber, patient, place_of_service, prior_authorization, accident, note, lines,
	tenant_reference, request_id, created_at, updated_at, sent_at, batch_id, payer_claim_number, payments, reconciled_at, estimate,
	converted_from, converted_to,
	coalesce((SELECT o.name FROM offices o WHERE o.id = c.office_id), '') AS office_name,
	(SELECT ARRAY[p.first_name, p.last_name, p.npi] FROM providers p WHERE p.id = c.provider_id) AS provider`

const claimColumns = claimListColumns + ", findings, history"

// hasVoid finds the row that Insert would find in the way of another void.
const hasVoid = `EXISTS (
	SELECT FROM claims v WHERE v.org_id = c.org_id AND v.mode = c.mode AND v.parent_id = c.id AND v.frequency = 'void' AND v.state <> 'rejected'
) AS has_void`

type claimRow struct {
	ID                 billing.ClaimID        `db:"id"`
	Org                billing.OrgID          `db:"org_id"`
	Mode               billing.Mode           `db:"mode"`
	Kind               billing.ClaimKind      `db:"kind"`
	State              billing.ClaimState     `db:"state"`
	Frequency          billing.ClaimFrequency `db:"frequency"`
	ParentID           billing.ClaimID        `db:"parent_id"`
	HasVoid            bool                   `db:"has_void"`
	ControlNumber      string                 `db:"patient_control_number"`
	OfficeID           billing.OfficeID       `db:"office_id"`
	OfficeName         string                 `db:"office_name"`
	PayerID            billing.PayerID        `db:"payer_id"`
	PayerCode          string                 `db:"payer_code"`
	PayerName          string                 `db:"payer_name"`
	ProviderID         billing.ProviderID     `db:"provider_id"`
	Provider           pq.StringArray         `db:"provider"`
	PatientID          billing.PatientID      `db:"patient_id"`
	Subscriber         []byte                 `db:"subscriber"`
	Patient            []byte                 `db:"patient"`
	PlaceOfService     string                 `db:"place_of_service"`
	PriorAuthorization string                 `db:"prior_authorization"`
	Accident           []byte                 `db:"accident"`
	Note               string                 `db:"note"`
	Lines              []byte                 `db:"lines"`
	TenantReference    *string                `db:"tenant_reference"`
	RequestID          billing.RequestID      `db:"request_id"`
	Findings           []byte                 `db:"findings"`
	BatchID            billing.FileID         `db:"batch_id"`
	SentAt             sql.NullTime           `db:"sent_at"`
	PayerClaimNumber   string                 `db:"payer_claim_number"`
	Payments           []byte                 `db:"payments"`
	ReconciledAt       sql.NullTime           `db:"reconciled_at"`
	Estimate           []byte                 `db:"estimate"`
	ConvertedFrom      billing.ClaimID        `db:"converted_from"`
	ConvertedTo        billing.ClaimID        `db:"converted_to"`
	History            []byte                 `db:"history"`
	CreatedAt          time.Time              `db:"created_at"`
	UpdatedAt          time.Time              `db:"updated_at"`
}

func (r claimRow) claim() (*billing.Claim, error) {
	c := &billing.Claim{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, Kind: r.Kind, State: r.State, Frequency: r.Frequency,
		ParentID: r.ParentID, HasVoid: r.HasVoid, PatientControlNumber: r.ControlNumber, OfficeID: r.OfficeID, OfficeName: r.OfficeName,
		Payer:    billing.PayerSummary{ID: r.PayerID, PayerID: r.PayerCode, Name: r.PayerName},
		Provider: billing.ProviderSummary{ID: r.ProviderID}, PatientID: r.PatientID, PlaceOfService: r.PlaceOfService,
		PriorAuthorization: r.PriorAuthorization, Note: r.Note, TenantReference: r.TenantReference, RequestID: r.RequestID,
		BatchID: r.BatchID, SentAt: present(r.SentAt), PayerClaimNumber: r.PayerClaimNumber, ReconciledAt: present(r.ReconciledAt),
		ConvertedFrom: r.ConvertedFrom, ConvertedTo: r.ConvertedTo, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
	if p := r.Provider; len(p) == 3 {
		c.Provider.FirstName, c.Provider.LastName, c.Provider.NPI = p[0], p[1], p[2]
	}
	if err := errors.Join(decode(r.Subscriber, &c.Subscriber), decode(r.Patient, &c.Patient), decode(r.Accident, &c.Accident),
		decode(r.Estimate, &c.Estimate), decodeList(r.Lines, &c.Lines), decodeList(r.Findings, &c.Findings),
		decodeList(r.Payments, &c.Payments), decodeList(r.History, &c.History)); err != nil {
		return nil, fmt.Errorf("read claim %s: %w", r.ID, err)
	}
	return c, nil
}

// claimKept is what Save writes: all but what a claim is and when it was made.
const claimKept = `state, frequency, patient_control_number, office_id, payer_id, payer_code, payer_name, provider_id, patient_id, subscriber,
	patient, place_of_service, prior_authorization, accident, note, lines, first_service_date,
	last_service_date, findings, tenant_reference, request_id, updated_at, sent_at, batch_id, payer_claim_number, payments,
	reconciled_at, estimate, converted_from, converted_to, history`

// columns is a claim as it is kept.
func (r claims) columns(c *billing.Claim) (row, error) {
	subscriber, err1 := document(&c.Subscriber)
	patient, err2 := document(c.Patient)
	accident, err3 := document(c.Accident)
	estimate, err4 := document(c.Estimate)
	lines, err5 := documentList(c.Lines)
	findings, err6 := documentList(c.Findings)
	payments, err7 := documentList(c.Payments)
	history, err8 := documentList(c.History)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8); err != nil {
		return nil, err
	}
	days := c.ServiceDates()
	return row{
		"id": c.ID, "org_id": r.scope.Org, "mode": r.scope.Mode, "kind": c.Kind, "state": c.State, "frequency": c.Frequency,
		"parent_id": c.ParentID, "patient_control_number": c.PatientControlNumber, "office_id": c.OfficeID, "payer_id": c.Payer.ID,
		"payer_code": c.Payer.PayerID, "payer_name": c.Payer.Name, "provider_id": c.Provider.ID, "patient_id": c.PatientID,
		"subscriber": subscriber, "patient": patient, "place_of_service": c.PlaceOfService,
		"prior_authorization": c.PriorAuthorization, "accident": accident, "note": c.Note, "lines": lines,
		"first_service_date": days.From, "last_service_date": days.To, "findings": findings,
		"tenant_reference": c.TenantReference, "request_id": c.RequestID, "created_at": micro(c.CreatedAt),
		"updated_at": micro(c.UpdatedAt), "sent_at": optional(c.SentAt), "batch_id": c.BatchID,
		"payer_claim_number": c.PayerClaimNumber, "payments": payments, "reconciled_at": optional(c.ReconciledAt),
		"estimate": estimate, "converted_from": c.ConvertedFrom, "converted_to": c.ConvertedTo, "history": history,
	}, nil
}

// Insert keeps a new claim.
func (r claims) Insert(ctx context.Context, c *billing.Claim) error {
	columns, err := r.columns(c)
	if err != nil {
		return err
	}
	r.made = madeRow("claims", c.ID)
	return r.rows(ctx, c.ID, columns, insertClaims)
}

const (
	claimColumnsKept = "id, org_id, mode, kind, parent_id, created_at, " + claimKept
	insertClaims     = `
INSERT INTO claims (` + claimColumnsKept + `)
SELECT ` + claimColumnsKept + `
FROM json_populate_recordset(NULL::claims, $1)`
)

// Save keeps all of a claim that can change. A claim that is there already
// conflicts by its primary key, whatever the planner knows: joined with the rows
// that are to be saved, a table without statistics was read once for each.
func (r claims) Save(ctx context.Context, c *billing.Claim) error {
	columns, err := r.columns(c)
	if err != nil {
		return err
	}
	return r.rows(ctx, c.ID, columns, insertClaims+`
ON CONFLICT (id) DO UPDATE
SET (`+claimKept+`) = (SELECT `+claimKept+` FROM (SELECT excluded.*) kept)`)
}

// Get reads a claim.
func (r claims) Get(ctx context.Context, id billing.ClaimID) (*billing.Claim, error) {
	return r.one(ctx, id, "")
}

// Lock reads a claim that nobody else writes from now on.
func (r claims) Lock(ctx context.Context, id billing.ClaimID) (*billing.Claim, error) {
	return r.one(ctx, id, forUpdate)
}

func (r claims) one(ctx context.Context, id billing.ClaimID, end string) (*billing.Claim, error) {
	q := r.query(claimColumns+", "+hasVoid, "claims c")
	q.where("id = %", id)
	var row claimRow
	if err := r.get(ctx, &row, q.text(end), q.args...); errors.Is(err, sql.ErrNoRows) {
		return nil, billing.NotFound("claim", "")
	} else if err != nil {
		return nil, fmt.Errorf("get claim %s: %w", id, err)
	}
	return row.claim()
}

const maxSimilar = 100

func (r claims) similar(patient billing.PatientID, span billing.DateSpan) (string, []any) {
	q := r.query(claimListColumns, "claims c")
	q.where("kind = 'claim' AND patient_id = % AND patient_id IS NOT NULL", patient)
	q.where("first_service_date <= % AND last_service_date >= %", span.To, span.From)
	q.where("state NOT IN ('draft', 'voided', 'rejected') AND frequency <> 'void'")
	return q.text("ORDER BY first_service_date, id\nLIMIT %", maxSimilar), q.args
}

// Similar reads claims with services in the span.
func (r claims) Similar(ctx context.Context, patient billing.PatientID, span billing.DateSpan) ([]*billing.Claim, error) {
	text, args := r.similar(patient, span)
	var rows []claimRow
	if err := r.list(ctx, &rows, text, args...); err != nil {
		return nil, fmt.Errorf("find similar claims: %w", err)
	}
	return values(rows, claimRow.claim)
}
