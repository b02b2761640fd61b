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
	rejectsFile bool     // the clearinghouse rejects the claim's first file
	rejected    bool     // the payer rejects the claim
	asked       bool     // the payer requests information
	numberless  bool     // the acceptance does not state the payer's claim number
	decision    *terms   // nil if there is no remittance
	stated      phrasing // how the remittance states the decision; nil for whole
	later       phrasing // what another remittance says one ERA delay later; nil if there is none
	revised     *terms   // the decision that the later remittance states; nil for the same one
	unbalanced  bool     // the remittance does not add up
	miscounted  bool     // the counts of the remittance's trailers are wrong
	estimates   bool     // the scenario is for predeterminations only
	takesBack   bool     // once the claim is voided, a remittance takes the payment back
}

// terms computes a payment: the contract discount in percent of the fee, and
// the patient's share in percent of the rest.
type terms struct {
	status            string // CLP02 of a claim
	contract, patient int64
	refused           *remittance.Adjustment // the group and reason if nothing is paid
}

// The terms of the sandbox. A line of 100.00 that is paid in part is allowed
// 80.00, of which 64.00 are paid and the patient owes 16.00.
//
//nolint:gochecknoglobals // constants; Go has none of struct type
var (
	inFull    = &terms{status: statusPrimary}
	inPart    = &terms{status: statusPrimary, contract: 20, patient: 20}
	crossed   = &terms{status: statusCrossed, contract: 20, patient: 20}
	denied    = &terms{status: remittance.StatusDenied, refused: &remittance.Adjustment{Group: groupContract, Reason: reasonNotCovered}}
	leftOver  = &terms{status: remittance.StatusDenied, refused: &remittance.Adjustment{Group: remittance.GroupPatient, Reason: reasonNotCovered}}
	elsewhere = &terms{status: statusForwarded, refused: &remittance.Adjustment{Group: remittance.GroupOther, Reason: reasonOtherPayer}}
)

// The codes of claims (CLP02) that the codec does not define.
const (
	statusPrimary   = "1"  // processed as the primary payer
	statusSecondary = "2"  // processed as the secondary payer
	statusTertiary  = "3"  // processed as the tertiary payer
	statusCrossed   = "19" // processed as the primary payer, and forwarded
	statusForwarded = "23" // not this payer's claim, forwarded
)

// claimScenarios is the table of endings for claims. The longest matching
// ending of a member ID wins, in upper or lower case, because X12 is upper
// case. Without an ending, the test payer pays claims and estimates
// predeterminations in full. Other payers accept them and send nothing more.
// A payer that is not the first pays what the payers before it left to the patient.
//
//nolint:gochecknoglobals // a constant table
var claimScenarios = []claimScenario{
	{ending: "-BATCH-REJECTED", rejectsFile: true},
	{ending: "-REJECTED", rejected: true},
	{ending: "-INFO-REQUEST", asked: true},
	{ending: "-PAID-ERA", decision: inPart},
	{ending: "-DENIED", decision: denied},
	{ending: "-REVERSED", decision: inPart, later: reversed},
	{ending: "-UNBALANCED", decision: inPart, unbalanced: true},
	{ending: "-ESTIMATE", decision: inPart, estimates: true},
	{ending: "-CROSSOVER", decision: crossed},
	{ending: "-FORWARDED", decision: elsewhere},
	{ending: "-SHUFFLED", decision: inPart, stated: shuffled},
	{ending: "-SPLIT", decision: inPart, stated: split},
	{ending: "-SPLIT-REVERSED", decision: inPart, stated: split, later: reversed},
	{ending: "-LINE-REVERSED", decision: inPart, later: lastLineReversed},
	{ending: "-RECONSIDERED", decision: leftOver, later: whole, revised: inFull},
	{ending: "-CORRECTED", decision: inPart, later: corrected},
	{ending: "-PAID-TWICE", decision: inPart, later: whole},
	{ending: "-CUT-NUMBER", numberless: true, decision: inPart, stated: numberCut},
	{ending: "-WRONG-PATIENT", decision: inPart, stated: anotherPatient},
	{ending: "-REJECTED-PAID", rejected: true, decision: inPart},
	{ending: "-BAD-COUNTS", decision: inPart, miscounted: true},
	{ending: "-TAKE-BACK", decision: inPart, takesBack: true},
}

// ClaimEndings lists the endings of member IDs that decide a claim.
func ClaimEndings() []string {
	var all []string
	for _, s := range claimScenarios {
		all = append(all, s.ending)
	}
	return all
}

// scenarioOfClaim returns the scenario of a claim. A void is always accepted.
// Only a predetermination has an estimate, and only a claim has a later
// remittance.
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
		return claimScenario{rejectsFile: found.rejectsFile, takesBack: found.takesBack && !estimate}
	}
	if estimate {
		found.later = nil
	}
	return found
}

// The adjustments of the sandbox: group and reason.
const (
	groupContract    = "CO"
	reasonFee        = "45"  // over the fee schedule
	reasonNotCovered = "96"  // with remarkPlan
	reasonOtherPayer = "109" // another payer covers it
	reasonNoEOB      = "22"  // another payer must decide first
	reasonShare      = "2"   // coinsurance
	reasonEarlier    = "23"  // what an earlier payer paid and wrote off
)

// remarkPlan is the remark that reasonNotCovered requires: see the plan's documents.
const remarkPlan = "N130"

// decide sets the adjustments, the allowed amount and the remarks of a line. The
// payment is computed later.
func (t *terms) decide(s *remittance.Service) {
	if t.refused != nil {
		t.refuse(s, s.Charge)
		return
	}
	contract := s.Charge * billing.Money(t.contract) / 100
	allowed := s.Charge - contract
	adjust(s, groupContract, reasonFee, contract)
	adjust(s, remittance.GroupPatient, reasonShare, allowed*billing.Money(t.patient)/100)
	s.Amounts = []remittance.Amount{{Qualifier: "B6", Amount: allowed}}
}

// decideAfter sets the adjustments of a line of which earlier payers leave an amount.
// The payer pays all of it, or refuses it.
func (t *terms) decideAfter(s *remittance.Service, left billing.Money) {
	adjust(s, remittance.GroupOther, reasonEarlier, s.Charge-left)
	if t.refused != nil {
		t.refuse(s, left)
	}
}

func (t *terms) refuse(s *remittance.Service, amount billing.Money) {
	adjust(s, t.refused.Group, t.refused.Reason, amount)
	if t.refused.Reason == reasonNotCovered {
		s.Remarks = []remittance.Remark{{Qualifier: "HE", Code: remarkPlan}}
	}
}

// adjust adds an adjustment unless the amount is zero.
func adjust(s *remittance.Service, group, reason string, amount billing.Money) {
	if amount != 0 {
		s.Adjustments = append(s.Adjustments, remittance.Adjustment{Group: group, Reason: reason, Amount: amount})
	}
}
