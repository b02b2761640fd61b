package claim

import (
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// Overview is a patient with what there is about them: each list has the newest first, at
// most OverviewRows of them.
type Overview struct {
	Patient   *directory.Patient
	Alike     []*directory.Patient // with the same member ID and date of birth, under another name; at most OverviewRows
	Coverages []Covered
	Owed      billing.Money // by the patient, for all claims; see ports.ClaimLists
	Checks    []*coverage.Check
	Estimates []*estimate.Record
	Claims    []*Record // of both kinds
	Attached  []*attachment.Attachment
	Requests  []*attachment.PayerRequest
}

// OverviewRows is the length of each list of an overview.
const OverviewRows = 10

// Covered is a plan of a patient, as the newest check says that a payer answered about it.
type Covered struct {
	Check    *coverage.Check
	Benefits *coverage.Benefits
}

// CoveragesOf returns the plans of answered checks of one patient, which are the newest first.
// A plan is a payer with a member ID.
func CoveragesOf(checks []*coverage.Check) (out []Covered, err error) {
	type plan struct {
		payer  billing.PayerID
		member string
	}
	seen := map[plan]bool{}
	for _, c := range checks {
		of := plan{c.Payer.ID, strings.ToUpper(c.Inquiry.Subscriber.MemberID)}
		if c.Outcome != coverage.OutcomeAnswered || seen[of] {
			continue
		}
		seen[of] = true
		b, err := c.Answer()
		if err != nil {
			return nil, err
		}
		out = append(out, Covered{c, b})
	}
	return out, nil
}
