package pgstore

import (
	"context"

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
	err := r.each(ctx, "read disclosures", []any{&d.Patient, &d.To, &d.Purpose, &d.By, instant{&d.At}}, func() { one := d; found = append(found, &one) }, `
SELECT patient_id, disclosed_to, purpose, disclosed_by, disclosed_at
FROM disclosures
WHERE org_id = $1 AND mode = $2 AND patient_id = $3
ORDER BY disclosed_at, id`, r.scope.Org, r.scope.Mode, patient)
	return found, err
}
