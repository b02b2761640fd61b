package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

type claims struct{ *tx }

const claimColumns = `id, org_id, mode, kind, state, frequency, parent_id, patient_control_number, office_id, payer_id, payer_code,
	payer_name, provider_id, patient_id, subscriber, patient, place_of_service, prior_authorization, accident, note, lines,
	tenant_reference, request_id, created_at, updated_at`

type claimRow struct {
	ID                 billing.ClaimID        `db:"id"`
	Org                billing.OrgID          `db:"org_id"`
	Mode               billing.Mode           `db:"mode"`
	Kind               billing.ClaimKind      `db:"kind"`
	State              billing.ClaimState     `db:"state"`
	Frequency          billing.ClaimFrequency `db:"frequency"`
	ParentID           billing.ClaimID        `db:"parent_id"`
	ControlNumber      string                 `db:"patient_control_number"`
	OfficeID           billing.OfficeID       `db:"office_id"`
	PayerID            billing.PayerID        `db:"payer_id"`
	PayerCode          string                 `db:"payer_code"`
	PayerName          string                 `db:"payer_name"`
	ProviderID         billing.ProviderID     `db:"provider_id"`
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
	CreatedAt          time.Time              `db:"created_at"`
	UpdatedAt          time.Time              `db:"updated_at"`
}

func (r claimRow) claim() (*billing.Claim, error) {
	c := &billing.Claim{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, Kind: r.Kind, State: r.State, Frequency: r.Frequency,
		ParentID: r.ParentID, PatientControlNumber: r.ControlNumber, OfficeID: r.OfficeID,
		Payer:      billing.PayerSummary{ID: r.PayerID, PayerID: r.PayerCode, Name: r.PayerName},
		ProviderID: r.ProviderID, PatientID: r.PatientID, PlaceOfService: r.PlaceOfService,
		PriorAuthorization: r.PriorAuthorization, Note: r.Note, TenantReference: r.TenantReference, RequestID: r.RequestID,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
	if err := errors.Join(decode(r.Subscriber, &c.Subscriber), decode(r.Patient, &c.Patient), decode(r.Accident, &c.Accident),
		decode(r.Lines, &c.Lines)); err != nil {
		return nil, fmt.Errorf("read claim %s: %w", r.ID, err)
	}
	return c, nil
}

// Insert keeps a new claim. A control number that another claim has is
// CodeConflict.
func (r claims) Insert(ctx context.Context, c *billing.Claim) error {
	subscriber, err1 := encode(&c.Subscriber)
	patient, err2 := encode(c.Patient)
	accident, err3 := encode(c.Accident)
	lines, err4 := encode(&c.Lines)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	r.made = madeRow("claims", c.ID)
	days := c.ServiceDates()
	return r.later(ctx, c.ID, `
INSERT INTO claims (id, org_id, mode, kind, state, frequency, parent_id, patient_control_number, office_id, payer_id, payer_code,
	payer_name, provider_id, patient_id, subscriber, patient, place_of_service, prior_authorization, accident, note, lines,
	line_count, charge_cents, first_service_date, last_service_date, tenant_reference, request_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27,
	$28, $29)`,
		c.ID, r.scope.Org, r.scope.Mode, c.Kind, c.State, c.Frequency, c.ParentID, c.PatientControlNumber, c.OfficeID, c.Payer.ID,
		c.Payer.PayerID, c.Payer.Name, c.ProviderID, c.PatientID, subscriber, patient, c.PlaceOfService, c.PriorAuthorization,
		accident, c.Note, lines, len(c.Lines), int64(c.Charge()), days.From, days.To, c.TenantReference, c.RequestID,
		micro(c.CreatedAt), micro(c.UpdatedAt))
}

// Get reads a claim.
func (r claims) Get(ctx context.Context, id billing.ClaimID) (*billing.Claim, error) {
	q := r.query(claimColumns, "claims")
	q.where("id = %", id)
	var row claimRow
	if err := r.get(ctx, &row, q.text(""), q.args...); errors.Is(err, sql.ErrNoRows) {
		return nil, billing.NotFound("claim", "")
	} else if err != nil {
		return nil, fmt.Errorf("get claim %s: %w", id, err)
	}
	return row.claim()
}
