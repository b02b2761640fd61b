package billing

import (
	"crypto/sha256"
	"time"
)

// ERAState is the state of a remittance.
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
	PayerName           string       // as the remittance states it
	OfficeID            OfficeID     // the payee; zero unless exactly one office matches
	Payment             ERAPayment
	ProviderAdjustments []ProviderAdjustment
	Balanced            bool // payment, each claim and each line add up
	Balance             Balance
	ClaimCount          int
	MatchedCount        int // the number of claims that match one of ours
	File                FileRef
	Progress            ERAProgress
	ReceivedAt          time.Time
	PostedAt            time.Time
}

// ERAProgress is the progress of a remittance, which is applied in parts.
type ERAProgress string

// The steps. A remittance is shown to callers once it is read.
const (
	ERAReading  ERAProgress = "reading"  // its claims are being matched
	ERAApplying ERAProgress = "applying" // its payments are being applied to them
	ERADone     ERAProgress = "done"
)

// Post records that the user has posted the remittance. It reports false when
// that was recorded before.
func (e *ERA) Post(at time.Time) bool {
	if e.State == ERAPosted {
		return false
	}
	e.State, e.PostedAt = ERAPosted, at
	return true
}

// Read records how many claims the remittance has, and how many of them match
// one of ours. After that callers can see the remittance, and its payments can
// be applied. Read reports false when callers could see it before.
func (e *ERA) Read(claims, matched int, at time.Time) bool {
	e.ClaimCount, e.MatchedCount, e.Progress = claims, matched, ERAApplying
	if !e.ReceivedAt.IsZero() {
		return false
	}
	e.ReceivedAt = at
	return true
}

// Remittance is a payment of a file, before its organization is known.
type Remittance struct {
	ERA // without ID, scope and what look-ups set

	// Identity identifies the payment: a digest of payer, trace number, figures and
	// claims, without the envelope. The same payment in another file has the same.
	Identity   [sha256.Size]byte
	PayerIDs   []string // to find the payer in the directory
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

// ProviderAdjustment is money outside the claims of the payment (PLB).
type ProviderAdjustment struct {
	ProviderID string // PLB01: NPI, or the payer's number
	Reason     string // WO recovery, FB forwarded, L6 interest, ...
	Reference  string
	PeriodEnd  Date
	Amount     Money // a positive one reduced the payment
}

// Balance is the result of balancing a payment at each level. The charge less
// the adjustments must equal the payment (005010X221A1, 1.10.2.1).
type Balance struct {
	Payment  LevelBalance
	Claims   LevelBalance
	Lines    LevelBalance
	Findings []BalanceFinding // the first hundred
}

// LevelBalance is the balance of a level.
type LevelBalance struct {
	Checked int   // equations
	Failed  int   // equations that do not hold
	Off     Money // the sum of the absolute differences
}

// BalanceFinding is one place that does not add up.
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

// ERAClaim is the part of a remittance about one claim (CLP). A payer that splits
// a claim sends several with one control number.
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
	Allowed               *Money // nil when not stated
	PatientResponsibility *Money // CLP05; nil when not stated, as in reversals
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

// Adjustment is an amount that was not paid, with the reason (CAS).
type Adjustment struct {
	Group    string // CO contract, PR patient, OA other, PI payer
	Reason   string
	Amount   Money
	Quantity string
}

// ERALine is the part of a remittance about one service (SVC).
type ERALine struct {
	Number        int    // the number of the billed line (REF 6R), else its place, from 1
	ProcedureCode string // as paid
	SubmittedCode string // as billed, when it is another
	ServiceDate   Date
	Charge        Money
	Paid          Money
	Allowed       *Money // AMT B6; nil when not stated
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

// Reverses reports whether it reverses an earlier payment.
func (r *ERAClaim) Reverses() bool { return r.StatusCode == claimReversed }

// Estimates reports whether it is the estimate for a predetermination.
func (r *ERAClaim) Estimates() bool { return r.StatusCode == claimEstimation }

// Mark returns the details that identify the claim for its sender.
func (r *ERAClaim) Mark() ClaimMark {
	return ClaimMark{r.ControlNumber, r.Charge, r.PatientFirstName, r.PatientLastName}
}

// adjusted returns the sum of the adjustments of the claim and its lines for
// which fits returns true.
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

// sharedByPlan reports whether the plan leaves the amount to the patient:
// deductible, coinsurance or copay.
func sharedByPlan(a Adjustment) bool {
	return a.Group == "PR" && (a.Reason == "1" || a.Reason == "2" || a.Reason == "3")
}

// estimated reports whether the amount is a predetermination's estimate (CAS OA
// 101).
func estimated(a Adjustment) bool { return a.Group == "OA" && a.Reason == "101" }

// Payment returns the effect of the remittance with the ID on the claim. A
// claim that the plan leaves to the patient, such as a deductible, is paid with
// zero. Any other claim that is paid with zero is denied, whatever its status
// code, because payers report such denials as processed.
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

// Estimate returns the payer's estimate from the remittance with the ID.
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

// ERAFilter narrows a list of remittances. Zero fields match all.
type ERAFilter struct {
	State        ERAState
	PayerID      PayerID
	PaidFrom     Date // inclusive
	PaidTo       Date // inclusive
	ReceivedFrom time.Time
	ReceivedTo   time.Time // exclusive
}
