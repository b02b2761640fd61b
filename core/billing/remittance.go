package billing

import (
	"crypto/sha256"
	"time"
)

// ERAState is where a remittance stands.
type ERAState string

// The states of a remittance.
const (
	ERANeedsReview ERAState = "needs_review"
	ERAPosted      ERAState = "posted" // the user has posted it
)

// ERA is a remittance (835): one payment, and the claims that it pays.
type ERA struct {
	ID                  ERAID
	Scope               Scope
	State               ERAState
	Payer               PayerSummary // zero when the payer is not in the directory
	PayerName           string       // as the remittance gives it
	OfficeID            OfficeID     // who was paid; zero unless exactly one office matches
	Payment             ERAPayment
	ProviderAdjustments []ProviderAdjustment
	Balanced            bool // payment, each claim and each line add up
	Balance             Balance
	ClaimCount          int
	MatchedCount        int // of the claims, those that are ours
	File                FileRef
	Progress            ERAProgress
	ReceivedAt          time.Time
	PostedAt            time.Time
}

// ERAProgress is how far a remittance has come that is taken in piece by piece.
type ERAProgress string

// The steps. A remittance is shown to callers once it is read.
const (
	ERAReading  ERAProgress = "reading"  // its claims are being matched
	ERAApplying ERAProgress = "applying" // what it says is being applied to them
	ERADone     ERAProgress = "done"
)

// Post notes that the user has posted the remittance. It reports false when
// that was noted before.
func (e *ERA) Post(at time.Time) bool {
	if e.State == ERAPosted {
		return false
	}
	e.State, e.PostedAt = ERAPosted, at
	return true
}

// Read notes how many claims of the remittance are kept, and how many of them
// have a claim of ours: callers see it from now on, and what it says is applied.
// It reports false when callers have seen it before.
func (e *ERA) Read(claims, matched int, at time.Time) bool {
	e.ClaimCount, e.MatchedCount, e.Progress = claims, matched, ERAApplying
	if !e.ReceivedAt.IsZero() {
		return false
	}
	e.ReceivedAt = at
	return true
}

// Remittance is a payment as it came in a file, before it is known whose it is.
type Remittance struct {
	ERA // without ID, scope and whatever is found by looking things up

	// Identity tells it from every other payment: a digest of payer, trace
	// number, figures and claims, but not of how the file was wrapped. The same
	// payment in another file has the same.
	Identity   [sha256.Size]byte
	PayerIDs   []string // what the payer may be found by in the directory
	PayeeNPI   string   // empty when the file does not say
	PayeeTaxID string   // digits; empty when the file does not say
	Content    []byte   // the file as received; with this payment alone when there were several
}

// ERAPayment is the payment of a remittance.
type ERAPayment struct {
	Method                   string // BPR04: ACH, CHK, NON or another code, as sent
	TraceNumber              string // of the EFT, or the number of the check
	Date                     Date   // zero when the remittance has none
	Total                    Money
	ProviderAdjustmentsTotal Money // a positive one reduced the payment
}

// ProviderAdjustment is money that is about no claim of the payment (PLB).
type ProviderAdjustment struct {
	ProviderID string // PLB01: NPI, or the payer's number
	Reason     string // WO recovery, FB forwarded, L6 interest, ...
	Reference  string
	PeriodEnd  Date
	Amount     Money // a positive one reduced the payment
}

// Balance says whether a payment adds up, level by level: what is charged,
// less what is adjusted, is what is paid (005010X221A1, 1.10.2.1).
type Balance struct {
	Payment  LevelBalance
	Claims   LevelBalance
	Lines    LevelBalance
	Findings []BalanceFinding // the first hundred
}

// LevelBalance is how a level adds up.
type LevelBalance struct {
	Checked int   // equations
	Failed  int   // of them
	Off     Money // by how much in all, too much and too little both counted up
}

// BalanceFinding is one thing that does not add up, and where.
type BalanceFinding struct {
	Level         string // payment, claim or line
	Claim         int    // ordinal in the payment, from 1; 0 at the level of the payment
	ControlNumber string
	Line          int  // ordinal in the claim, from 1; 0 above the level of the line
	Segment       int  // ordinal in the file that is kept
	Unread        bool // an amount is missing or cannot be read: there is nothing to compare
	Expected      Money
	Stated        Money
	Off           Money // stated less expected
	Explanation   string
}

// ERAClaim is what a remittance says of one claim (CLP). A payer that splits a
// claim sends several with one control number.
type ERAClaim struct {
	Ordinal               int     // in the payment, from 1
	ClaimID               ClaimID // ours; zero while it matches none
	Applied               bool    // to the claim
	ControlNumber         string  // CLP01; payers change its case
	PayerClaimNumber      string  // CLP07
	Original              string  // REF F8: the payer's number of the claim that this one changes
	StatusCode            string  // CLP02: 1 to 3 processed, 4 denied, 22 reversal, 25 predetermination
	Charge                Money
	Paid                  Money  // negative for a reversal
	Allowed               *Money // nil when it is not told
	PatientResponsibility *Money // CLP05; nil when it is not told, as in reversals
	PatientFirstName      string
	PatientLastName       string
	MemberID              string
	ServiceDates          DateSpan
	Date                  Date // of the payment
	Balanced              bool // it adds up on its own, its lines included
	Adjustments           []Adjustment
	Remarks               []string
	Lines                 []ERALine
}

// Adjustment is why, and by how much, less was paid than was charged (CAS).
type Adjustment struct {
	Group    string // CO contract, PR patient, OA other, PI payer
	Reason   string
	Amount   Money
	Quantity string
}

// ERALine is what a remittance says of one service (SVC).
type ERALine struct {
	Number        int    // of the claim's line as it was billed (REF 6R), else its place, from 1
	ProcedureCode string // as paid
	SubmittedCode string // as billed, when it is another
	ServiceDate   Date
	Charge        Money
	Paid          Money
	Allowed       *Money // AMT B6; nil when it is not told
	Units         string // paid
	Adjustments   []Adjustment
	Remarks       []string
}

// The claim statuses (CLP02) that decide.
const (
	claimDenied     = "4"
	claimReversed   = "22"
	claimEstimation = "25"
)

// Reverses reports whether an earlier payment is taken back.
func (r *ERAClaim) Reverses() bool { return r.StatusCode == claimReversed }

// Estimates reports whether a predetermination is answered.
func (r *ERAClaim) Estimates() bool { return r.StatusCode == claimEstimation }

// Mark is what the remittance says by which the claim's sender recognizes it.
func (r *ERAClaim) Mark() ClaimMark {
	return ClaimMark{r.ControlNumber, r.Charge, r.PatientFirstName, r.PatientLastName}
}

// adjusted adds up the adjustments of the claim and its lines that fit; an
// empty group or reason is any.
func (r *ERAClaim) adjusted(fits func(Adjustment) bool) (sum Money) {
	for _, a := range r.Adjustments {
		if fits(a) {
			sum += a.Amount
		}
	}
	for i := range r.Lines {
		sum += r.Lines[i].adjusted(fits)
	}
	return sum
}

func (l *ERALine) adjusted(fits func(Adjustment) bool) (sum Money) {
	for _, a := range l.Adjustments {
		if fits(a) {
			sum += a.Amount
		}
	}
	return sum
}

func ofPatient(a Adjustment) bool { return a.Group == "PR" }

// sharedByPlan is what the plan leaves to the patient: deductible,
// coinsurance, copay.
func sharedByPlan(a Adjustment) bool {
	return a.Group == "PR" && (a.Reason == "1" || a.Reason == "2" || a.Reason == "3")
}

// estimated is the payment that a predetermination promises (CAS OA 101).
func estimated(a Adjustment) bool { return a.Group == "OA" && a.Reason == "101" }

// Payment is what the remittance with the ID does to the claim. A claim that
// the plan leaves to the patient, the deductible perhaps, is paid with nothing;
// one for which nobody owes anything under the plan is denied, whatever its
// status code: payers send such denials as processed.
func (r *ERAClaim) Payment(era ERAID) ClaimPayment {
	p := ClaimPayment{
		ERAID: era, Ordinal: r.Ordinal, StatusCode: r.StatusCode, Paid: r.Paid, Allowed: r.Allowed, Date: r.Date,
		PayerClaimNumber: r.PayerClaimNumber, Original: r.Original,
	}
	if p.PatientResponsibility = r.adjusted(ofPatient); r.PatientResponsibility != nil && !r.Reverses() { // CLP05 is not used in reversals
		p.PatientResponsibility = *r.PatientResponsibility
	}
	p.Denied = !r.Reverses() && (r.StatusCode == claimDenied || r.Paid == 0 && r.adjusted(sharedByPlan) == 0)
	return p
}

// Estimate is what the payer would pay, by the remittance with the ID.
func (r *ERAClaim) Estimate(era ERAID) ClaimEstimate {
	e := ClaimEstimate{ERAID: era, Pay: r.adjusted(estimated), Patient: r.adjusted(ofPatient)}
	e.Allowed = new(e.Pay + e.Patient)
	for i := range r.Lines {
		l := &r.Lines[i]
		pay, patient := l.adjusted(estimated), l.adjusted(ofPatient)
		e.Lines = append(e.Lines, LineEstimate{Number: l.Number, Allowed: new(pay + patient), Pay: pay, Patient: patient})
	}
	return e
}

// ERARecord is a remittance with the first of its claims.
type ERARecord struct {
	*ERA

	Claims []*ERAClaim
	More   bool // there are claims after these
}

// ERAFilter narrows a list of remittances; zero fields do not.
type ERAFilter struct {
	State        ERAState
	PayerID      PayerID
	PaidFrom     Date // inclusive
	PaidTo       Date // inclusive
	ReceivedFrom time.Time
	ReceivedTo   time.Time // exclusive
}
