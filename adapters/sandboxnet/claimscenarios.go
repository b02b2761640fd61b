package sandboxnet

import (
	"strings"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// testPayer pays in full whatever no ending is about.
const testPayer = "CHTEST"

// claimScenario is what becomes of a claim that the clearinghouse has read. The
// zero one is accepted, and nothing more is heard of it.
type claimScenario struct {
	ending      string
	rejectsFile bool   // the first time
	rejected    bool   // by the payer
	asked       bool   // for information
	decision    *terms // nil for none: there is no remittance
	reversed    bool   // one ERA delay after it was paid
	unbalanced  bool   // the remittance does not add up
	estimates   bool   // is about predeterminations alone
}

// terms is how a payer works out what it pays: in percent of the fee what the
// contract takes off, and of what is then left what the patient owes.
type terms struct {
	contract, patient int64
	denied            bool // nothing is left of the fee
}

// The terms of the sandbox. A line of 100.00 that is paid in part is allowed
// 80.00, of which 64.00 are paid and 16.00 are the patient's.
//
//nolint:gochecknoglobals // constants; Go has none of struct type
var (
	inFull = &terms{}
	inPart = &terms{contract: 20, patient: 20}
	denied = &terms{denied: true}
)

// claimScenarios is the table of endings for claims. The longest that a member
// ID has wins, whatever its case: X12 is upper case. The test payer pays claims
// with no ending of the table, and estimates predeterminations, in full. Other
// payers accept them, and nothing more is heard.
//
//nolint:gochecknoglobals // a constant table
var claimScenarios = []claimScenario{
	{ending: "-BATCH-REJECTED", rejectsFile: true},
	{ending: "-REJECTED", rejected: true},
	{ending: "-INFO-REQUEST", asked: true},
	{ending: "-PAID-ERA", decision: inPart},
	{ending: "-DENIED", decision: denied},
	{ending: "-REVERSED", decision: inPart, reversed: true},
	{ending: "-UNBALANCED", decision: inPart, unbalanced: true},
	{ending: "-ESTIMATE", decision: inPart, estimates: true},
}

// scenarioOfClaim is what becomes of a claim. A void is accepted whatever the
// member ID says, and brings no remittance; what is no predetermination has no
// estimate; and what was never paid is not reversed.
func scenarioOfClaim(c *claims.Claim) (found claimScenario) {
	if c.Payer.PayerID == testPayer {
		found.decision = inFull
	}
	id := strings.ToUpper(c.Subscriber.MemberID)
	estimate := c.Predetermination
	for _, s := range claimScenarios {
		if strings.HasSuffix(id, s.ending) && len(s.ending) > len(found.ending) && (estimate || !s.estimates) {
			found = s
		}
	}
	if c.Frequency == claims.FrequencyVoid {
		return claimScenario{rejectsFile: found.rejectsFile}
	}
	found.reversed = found.reversed && !estimate
	return found
}

// The adjustments that are used: group and reason.
const (
	groupContract    = "CO"
	reasonFee        = "45" // over the fee schedule
	reasonNotCovered = "96"
	reasonShare      = "2" // coinsurance
)

// remarkPlan goes with reasonNotCovered, which asks for a remark: see the plan's
// documents.
const remarkPlan = "N130"

// adjust is why less than the fee is paid, and what is allowed of it.
func (t *terms) adjust(fee billing.Money) (all []remittance.Adjustment, allowed billing.Money) {
	less := func(group, reason string, amount billing.Money) {
		if amount != 0 {
			all = append(all, remittance.Adjustment{Group: group, Reason: reason, Amount: amount})
		}
	}
	if t.denied {
		less(groupContract, reasonNotCovered, fee)
		return all, 0
	}
	contract := fee * billing.Money(t.contract) / 100
	allowed = fee - contract
	less(groupContract, reasonFee, contract)
	less(remittance.GroupPatient, reasonShare, allowed*billing.Money(t.patient)/100)
	return all, allowed
}
