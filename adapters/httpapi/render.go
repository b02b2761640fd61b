package httpapi

import (
	"encoding/json"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/eligibility"
)

// Render returns a resource as the API shows it, for an archive.
func Render(resource any) (json.RawMessage, error) {
	switch r := resource.(type) {
	case *coverage.Check:
		return r.Data(), nil
	case *coverage.Amended:
		return r.Data(), nil
	case *estimate.Record:
		resource = costEstimateShape(r)
	case *coverage.Batch:
		resource = checkBatchShape(r)
	case *coverage.BatchItem:
		resource = checkItemShape(&eligibility.Item{BatchItem: r})
	case *event.Event:
		return r.JSON(), nil
	case *remit.Record:
		resource = eraShape(r, nil)
	case *clearing.Batch:
		resource = batchShape(r)
	case *quarantine.File:
		resource = quarantinedShape(r)
	case *caller.LoggedRequest:
		resource = requestShape(r)
	case *directory.Patient:
		resource = patientShape(r)
	case *claim.Record:
		resource = claimShape(r)
	case *remit.Claim:
		resource = remittanceClaimShape(r)
	case *appeal.Appeal:
		resource = appealShape(r)
	case *automation.Settings:
		resource = automationShape(r)
	case *claimstatus.Policy:
		resource = statusPolicyShape(r)
	case *claimstatus.Inquiry:
		resource = statusInquiryShape(r)
	case *attachment.Attachment:
		resource = attachmentShape(r)
	case *attachment.PayerRequest:
		resource = payerRequestShape(r)
	case *deposit.Deposit:
		resource = depositShape(r)
	case *task.Note:
		resource = noteShape(r)
	case *caller.AuditEntry:
		resource = auditShape(r)
	default:
		if resource = renderSettings(r); resource != nil {
			break
		}
		return nil, fmt.Errorf("the API shows no %T", resource)
	}
	return json.Marshal(resource)
}

// renderSettings returns the shape of what people and operators set up; nil for anything else.
func renderSettings(resource any) any {
	switch r := resource.(type) {
	case *caller.Organization:
		return organizationShape(r)
	case *directory.Office:
		return officeShape(r)
	case *directory.Provider:
		return providerShape(r)
	case *fee.Schedule:
		return feeScheduleRowsShape(r)
	case *limit.OfPayer:
		return payerLimitsShape(r)
	case *advice.Rule:
		return attachmentRuleShape(r)
	case *directory.ImportMapping:
		return importMappingShape(r)
	case *network.Enrollment:
		return enrollmentShape(r)
	case *webhook.Endpoint:
		return endpointShape(r)
	case *scenario.Own:
		return storedScenarioJSON{ownScenarioShape(r), string(r.Content)}
	case *caller.User:
		return userShape(r)
	case *caller.Session:
		return sessionShape(r, billing.SessionID{})
	case *caller.APIKey:
		return keyShape(r)
	}
	return nil
}

// storedScenarioJSON is an own scenario with what is stored of it.
type storedScenarioJSON struct {
	ownScenarioJSON

	Content string `json:"content"`
}
