package intake

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// SecondaryRequest is the plan of the secondary payer as a caller wrote it; nothing
// is parsed yet.
type SecondaryRequest struct {
	PayerID      string // pyr_ ID, payer ID or alias
	Subscriber   *ClaimSubscriberInput
	Relationship string
	GroupNumber  *string        // nil when it was left out or null
	GroupName    *string        // nil when it was left out or null
	Faults       billing.Faults // found when the body was decoded
}

// Plan validates the request and returns the plan, apart from the payer.
func (r SecondaryRequest) Plan() (claim.SecondPlan, billing.Faults) {
	f := slices.Clone(r.Faults)
	f.Required("payer_id", r.PayerID, 0)
	p := claimParser{f: &f, whole: true}
	plan := claim.SecondPlan{Subscriber: p.subscriber("subscriber", r.Subscriber), Relationship: coverage.Relationship(p.text("relationship", r.Relationship, 0))}
	oneOf(&p, "relationship", r.Relationship, coverage.RelationSelf, coverage.RelationSpouse, coverage.RelationChild, coverage.RelationOther)
	if r.GroupNumber != nil {
		plan.Subscriber.GroupNumber = p.maybe("group_number", r.GroupNumber, maxMemberID)
	}
	if r.GroupName != nil {
		plan.Subscriber.GroupName = p.maybe("group_name", r.GroupName, maxGroupName)
	}
	return plan, f
}
