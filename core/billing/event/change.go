package event

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// ChangeKind is the kind of a resource that changed. It is the resource's "object"
// in the API.
type ChangeKind string

// The kinds of resources whose changes are recorded.
const (
	ChangedCheck        ChangeKind = "eligibility_check"
	ChangedClaim        ChangeKind = "claim"
	ChangedAttachment   ChangeKind = "attachment" // or its documents
	ChangedPayerRequest ChangeKind = "payer_request"
	ChangedERA          ChangeKind = "era" // or its claims
	ChangedDeposit      ChangeKind = "deposit"
	ChangedFile         ChangeKind = "quarantined_file" // in quarantine; or it is there no more
	ChangedBatch        ChangeKind = "batch"
	ChangedOffice       ChangeKind = "office"
	ChangedProvider     ChangeKind = "provider"
	ChangedEnrollment   ChangeKind = "enrollment"
	ChangedConnection   ChangeKind = "connection"       // of the organization: it was paused, enabled or disabled
	ChangedEvent        ChangeKind = "event"            // an event never changes: it is new
	ChangedEndpoint     ChangeKind = "webhook_endpoint" // or its health
	ChangedDelivery     ChangeKind = "webhook_delivery" // it failed
	ChangedClock        ChangeKind = "sandbox_clock"    // of the organization, whose ID it has
)

// ChangeKinds returns every kind in the order of the API contract.
func ChangeKinds() []ChangeKind {
	return []ChangeKind{
		ChangedCheck, ChangedClaim, ChangedAttachment, ChangedPayerRequest, ChangedERA, ChangedDeposit, ChangedFile, ChangedBatch, ChangedOffice, ChangedProvider,
		ChangedEnrollment, ChangedConnection, ChangedEvent, ChangedEndpoint, ChangedDelivery, ChangedClock,
	}
}

// Change says that a resource was created, changed or removed.
type Change struct {
	Kind ChangeKind
	ID   [16]byte
}

// Resource returns the resource's ID as clients see it.
func (c Change) Resource() string {
	switch c.Kind {
	case ChangedCheck:
		return billing.CheckID(c.ID).String()
	case ChangedClaim:
		return billing.ClaimID(c.ID).String()
	case ChangedAttachment:
		return billing.AttachmentID(c.ID).String()
	case ChangedPayerRequest:
		return billing.PayerRequestID(c.ID).String()
	case ChangedERA:
		return billing.ERAID(c.ID).String()
	case ChangedDeposit:
		return billing.DepositID(c.ID).String()
	case ChangedBatch, ChangedFile:
		return billing.FileID(c.ID).String()
	case ChangedOffice:
		return billing.OfficeID(c.ID).String()
	case ChangedProvider:
		return billing.ProviderID(c.ID).String()
	case ChangedEnrollment:
		return billing.EnrollmentID(c.ID).String()
	case ChangedConnection:
		return billing.ConnectionID(c.ID).String()
	case ChangedEvent:
		return billing.EventID(c.ID).String()
	case ChangedEndpoint:
		return billing.WebhookEndpointID(c.ID).String()
	case ChangedDelivery:
		return billing.DeliveryID(c.ID).String()
	case ChangedClock:
		return billing.OrgID(c.ID).String()
	}
	return ""
}

// ScopeChanges is what changed in a scope after a mark.
type ScopeChanges struct {
	Complete bool // false if a change after the mark may not be recorded, and then there are none
	Changes  []Change
	More     bool // there are more than the limit
}

// Mark is a point in the order in which transactions commit. Transactions may commit
// in another order than they began, so a mark has the set of those that it includes.
type Mark struct {
	Time     time.Time
	Horizon  uint64 // all transactions before it are included
	Snapshot string // the whole set, as the store wrote it; empty in a mark that a client sent: the reader reads some changes again, and misses none
}
