package sandboxnet

import (
	"strings"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// testPayer is the payer ID that pays claims in full if they have no ending.
const testPayer = "CHTEST"

// claimScenario decides a claim that the clearinghouse has read. The zero
// scenario is accepted without further messages.
type claimScenario struct {
	ending      string
	summary     string
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

	shows, thenShows []event.Type // what shows the first remittance, and the later one
}

// terms computes a payment: the contract discount in percent of the fee, and
// the patient's share in percent of the rest.
type terms struct {
	status            string // CLP02 of a claim
	contract, patient int64
	rounds            bool                   // cents are rounded half up, not cut
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

// What shows a remittance, in the order of the events.
//
//nolint:gochecknoglobals // constants; Go has none of slice type
var (
	paysOnce     = []event.Type{event.ClaimPaid}
	paysTwice    = []event.Type{event.ClaimPaid, event.ClaimPaid}
	denies       = []event.Type{event.ClaimDenied}
	returns      = []event.Type{event.PredeterminationReturned}
	takesPayment = []event.Type{event.ClaimPaymentReversed}
	changes      = []event.Type{event.ClaimPaymentReversed, event.ClaimPaid}
	puzzles      = []event.Type{event.ERAReceived} // no claim changes
)

// claimScenarios is the table of endings for claims. The longest matching
// ending of a member ID wins, in upper or lower case, because X12 is upper
// case. Without an ending, the test payer pays claims and estimates
// predeterminations in full. Other payers accept them and send nothing more.
// A payer that is not the first pays what the payers before it left to the patient.
//
//nolint:gochecknoglobals // a constant table
var claimScenarios = []claimScenario{
	{ending: "-BATCH-REJECTED", summary: "The clearinghouse rejects the first file with the claim, and accepts the next one.", rejectsFile: true},
	{ending: "-REJECTED", summary: "The payer rejects the claim: the member ID is not on file.", rejected: true},
	{ending: "-INFO-REQUEST", summary: "The payer asks for a document, due in 30 days, and sends nothing more.", asked: true},
	{
		ending: "-PAID-ERA", summary: "The payer pays in part: it allows 80 percent of the fee, and the patient owes 20 percent of that.",
		decision: inPart, shows: paysOnce,
	},
	{ending: "-DENIED", summary: "The payer denies the claim. The patient owes nothing.", decision: denied, shows: denies},
	{
		ending: "-REVERSED", summary: "The payer pays in part, and then reverses the payment.",
		decision: inPart, later: reversed, shows: paysOnce, thenShows: takesPayment,
	},
	{
		ending: "-UNBALANCED", summary: "The payer pays in part, with a remittance that does not add up.",
		decision: inPart, unbalanced: true, shows: puzzles,
	},
	{
		ending: statusNotFound, summary: "The payer pays in full. When it is asked where the claim is, it finds none.",
		decision: inFull, shows: paysOnce,
	},
	{
		ending: statusRequested, summary: "The payer pays in full. When it is asked where the claim is, it asks for documents.",
		decision: inFull, shows: paysOnce,
	},
	{
		ending: statusDown, summary: "The payer pays in full. When it is asked where the claim is, its system cannot respond.",
		decision: inFull, shows: paysOnce,
	},
	{ending: "-ESTIMATE", summary: "The payer returns an estimate for a predetermination.", decision: inPart, estimates: true, shows: returns},
	{
		ending: "-CROSSOVER", summary: "The payer pays in part and forwards the claim to a second payer, which pays too.",
		decision: crossed, shows: paysOnce, thenShows: paysOnce,
	},
	{ending: "-FORWARDED", summary: "The payer forwards the claim to another payer and pays nothing.", decision: elsewhere, shows: puzzles},
	{
		ending: "-SHUFFLED", summary: "The payer pays in part. Its lines are in reverse order, without their control numbers.",
		decision: inPart, stated: shuffled, shows: paysOnce,
	},
	{
		ending: "-SPLIT", summary: "The payer pays in part, and states a claim of several lines in two parts.",
		decision: inPart, stated: split, shows: paysTwice,
	},
	{
		ending: "-SPLIT-REVERSED", summary: "The payer pays in part, in two parts, and then reverses the whole claim.",
		decision: inPart, stated: split, later: reversed, shows: paysTwice, thenShows: takesPayment,
	},
	{
		ending: "-LINE-REVERSED", summary: "The payer pays in part, and then takes the last line back.",
		decision: inPart, later: lastLineReversed, shows: paysOnce, thenShows: takesPayment,
	},
	{
		ending: "-RECONSIDERED", summary: "The payer denies the claim, and then pays it in full without a reversal.",
		decision: leftOver, later: whole, revised: inFull, shows: denies, thenShows: paysOnce,
	},
	{
		ending: "-CORRECTED", summary: "The payer pays in part, and then changes the patient's part. The correction comes before its reversal.",
		decision: inPart, later: corrected, shows: paysOnce, thenShows: changes,
	},
	{
		ending: "-PAID-TWICE", summary: "The payer pays in part, and then sends the payment again with another trace number.",
		decision: inPart, later: whole, shows: paysOnce, thenShows: puzzles,
	},
	{
		ending: "-CUT-NUMBER", summary: "The payer pays in part, under a control number that is cut and matches no claim.",
		numberless: true, decision: inPart, stated: numberCut, shows: puzzles,
	},
	{
		ending: "-WRONG-PATIENT", summary: "The payer pays another patient's services under the claim's control number.",
		decision: inPart, stated: anotherPatient, shows: puzzles,
	},
	{
		ending: "-REJECTED-PAID", summary: "The payer rejects the claim, and pays it in part all the same.",
		rejected: true, decision: inPart, shows: paysOnce,
	},
	{
		ending: "-BAD-COUNTS", summary: "The payer pays in part, with a remittance whose counts of segments and sets are wrong.",
		decision: inPart, miscounted: true, shows: paysOnce,
	},
	{
		ending: "-TAKE-BACK", summary: "The payer pays in part, and takes the payment back after it accepts the void.",
		decision: inPart, takesBack: true, shows: paysOnce,
	},
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
	half := billing.Money(0)
	if t.rounds {
		half = 50
		contract = s.Charge - (s.Charge*billing.Money(100-t.contract)+half)/100
	}
	allowed := s.Charge - contract
	adjust(s, groupContract, reasonFee, contract)
	adjust(s, remittance.GroupPatient, reasonShare, (allowed*billing.Money(t.patient)+half)/100)
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
