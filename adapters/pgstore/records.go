package pgstore

import (
	"context"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// records are what is kept about a patient.
type records struct{ *tx }

// Unclaimed finds attachments by the person that they are about.
func (r records) Unclaimed(ctx context.Context, patient billing.PatientID) ([]billing.AttachmentID, error) {
	return auditEntries(r).unclaimed(ctx, patient)
}

// Disclose stores a disclosure.
func (r records) Disclose(ctx context.Context, d *directory.Disclosure) error {
	id := billing.NewID[billing.JobID](transactionClock{ctx, r.tx}.Now())
	r.evidence = rowEvidence("disclosures", id)
	return r.later(ctx, id, `
INSERT INTO disclosures (id, org_id, mode, patient_id, disclosed_to, purpose, disclosed_by, disclosed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, id, r.scope.Org, r.scope.Mode, d.Patient, d.To, d.Purpose, d.By, micro(d.At))
}

// Disclosures reads the disclosures of a patient's records.
func (r records) Disclosures(ctx context.Context, patient billing.PatientID) ([]*directory.Disclosure, error) {
	var found []*directory.Disclosure
	var d directory.Disclosure
	text, args := r.disclosed(patient)
	err := r.each(ctx, "read disclosures", []any{&d.Patient, &d.To, &d.Purpose, &d.By, instant{&d.At}}, func() { one := d; found = append(found, &one) }, text, args...)
	return found, err
}

func (r records) disclosed(patient billing.PatientID) (string, []any) {
	q := r.query("patient_id, disclosed_to, purpose, disclosed_by, disclosed_at", "disclosures")
	whereSet(q, "patient_id = %", patient)
	return q.text("ORDER BY disclosed_at, id"), q.args
}

// growing are the tables whose rows are the most of what an organization has.
func growing() []string {
	return []string{
		"attachments", "audit_entries", "batches", "claims", "documents", "eligibility_checks", "era_claims", "eras", "events", "patients", "payer_requests", "requests",
	}
}

// Sizes counts the rows of the scope. The audit is of both modes.
func (r records) Sizes(ctx context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, table := range growing() {
		q := r.query("count(*) AS rows", table)
		if table == "audit_entries" {
			q = r.ofOrganization("count(*) AS rows", table)
		}
		var n int64
		if err := r.get(ctx, &n, q.text(""), q.args...); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", table, err)
		}
		sizes[table] = n
	}
	return sizes, nil
}
