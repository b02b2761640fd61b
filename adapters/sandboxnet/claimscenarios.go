package sandboxnet

import (
	"strings"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// testPayer is the payer ID that pays claims in full if they have no ending.
const testPayer = "CHTEST"

// claimScenario decides a claim that the clearinghouse has read. The zero
// scenario is accepted without further messages.
type claimScenario struct {
	ending      string
	rejectsFile bool   // the clearinghouse rejects the claim's first file
	rejected    bool   // the payer rejects the claim
	asked       bool   // the payer requests information
	decision    *terms // nil if there is no remittance
	reversed    bool   // the payment is reversed one ERA delay later
	unbalanced  bool   // the remittance does not add up
	estimates   bool   // the scenario is for predeterminations only
}

// terms computes a payment: the contract discount in percent of the fee, and
// the patient's share in percent of the rest.
type terms struct {
	contract, patient int64
	denied            bool // nothing is paid
}

// The terms of the sandbox. A line of 100.00 that is paid in part is allowed
// 80.00, of which 64.00 are paid and the patient owes 16.00.
//
//nolint:gochecknoglobals // constants; Go has none of struct type
var (
	inFull = &terms{}
	inPart = &terms{contract: 20, patient: 20}
	denied = &terms{denied: true}
)

// claimScenarios is the table of endings for claims. The longest matching
// ending of a member ID wins, in upper or lower case, because X12 is upper
// case. Without an ending, the test payer pays claims and estimates
// predeterminations in full. Other payers accept them and send nothing more.
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

// scenarioOfClaim returns the scenario of a claim. A void is always accepted
// and has no remittance. Only a predetermination has an estimate, and only a
// paid claim is reversed.
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

// The adjustments of the sandbox: group and reason.
const (
	groupContract    = "CO"
	reasonFee        = "45" // over the fee schedule
	reasonNotCovered = "96"
	reasonShare      = "2" // coinsurance
)

// remarkPlan is the remark that reasonNotCovered requires: see the plan's documents.
const remarkPlan = "N130"

// adjust returns the adjustments of a fee, and the amount allowed.
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
