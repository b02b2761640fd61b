package httpapi

import (
	"encoding/json"
	"fmt"

	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Render returns a resource as the API shows it, for an archive of a patient's records.
func Render(resource any) (json.RawMessage, error) {
	switch r := resource.(type) {
	case *coverage.Check:
		return r.Data(), nil
	case *event.Event:
		return r.JSON(), nil
	case *directory.Patient:
		resource = patientShape(r)
	case *claim.Record:
		resource = claimShape(r)
	case *remit.Claim:
		resource = remittanceClaimShape(r)
	case *attachment.Attachment:
		resource = attachmentShape(r)
	case *attachment.PayerRequest:
		resource = payerRequestShape(r)
	case *caller.AuditEntry:
		resource = auditShape(r)
	default:
		return nil, fmt.Errorf("the API shows no %T", resource)
	}
	return json.Marshal(resource)
}
