package billing

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"
)

// ERAClaim is the part of a remittance about one claim (CLP). A payer that splits
// a claim sends several with one control number.
type ERAClaim struct {
	Ordinal               int    // in the payment, from 1
	ControlNumber         string // CLP01; payers change its case
	PayerClaimNumber      string // CLP07
	Original              string // REF F8: the payer's number of the claim that this one changes
	StatusCode            string // CLP02: 1 to 3 processed, 4 denied, 22 reversal, 23 forwarded, 25 predetermination
	Charge                Money
	Paid                  Money  // negative for a reversal
	Allowed               *Money // of the claim itself (AMT B6 or AU); nil when not stated
	PatientResponsibility *Money // CLP05; nil when not stated, as in reversals
	PatientFirstName      string
	PatientLastName       string
	MemberID              string
	CorrectedPatient      *CorrectedPatient // NM1 74; nil when the payer corrects nothing
	CrossoverPayer        *CrossoverPayer   // NM1 TT; nil when the payer does not forward the claim
	ServiceDates          DateSpan
	Date                  Date // of the payment
	Balanced              bool // it adds up on its own, its lines included
	Adjustments           []Adjustment
	Remarks               []string
	Lines                 []ERALine

	ERAClaimProgress `json:"-"`
}

// CorrectedPatient is the name and number under which the payer knows the patient.
// Empty fields are as in the claim.
type CorrectedPatient struct {
	FirstName string
	LastName  string
	MemberID  string
}

// CrossoverPayer is the payer to which the claim was forwarded.
type CrossoverPayer struct {
	Name string
	ID   string
}

// ERAClaimProgress is what became of a claim of a remittance.
type ERAClaimProgress struct {
	Status    RemitStatus
	ClaimID   ClaimID // ours; zero while it matches none
	MatchedBy MatchedBy
	Review    ReviewCode // why it was not applied; empty otherwise
	Warnings  []WarningCode
	Sequence  Sequence
	// LineNumbers are the numbers of the claim's lines, from 1, by line of the
	// remittance. 0 stands for none; the slice is nil before the lines are matched.
	LineNumbers []int
	AppliedAt   time.Time
}

// Shown returns the status as callers see it, and the reason for review. The reason is
// empty when no person has to decide. One that is about to be matched or applied is
// shown as unmatched or needs_review.
func (p *ERAClaimProgress) Shown() (RemitStatus, ReviewCode) {
	switch p.Status {
	case RemitPending:
		if p.ClaimID.IsZero() {
			return RemitUnmatched, ReviewUnderWay
		}
		return RemitNeedsReview, ReviewUnderWay
	case RemitNeedsReview, RemitUnmatched:
		return p.Status, p.Review
	case RemitApplied, RemitIgnored, RemitForwarded:
	}
	return p.Status, ""
}

// RemitStatus is the status of a claim of a remittance.
type RemitStatus string

// The statuses.
const (
	RemitPending     RemitStatus = "pending" // it is about to be matched and applied; callers see it as unmatched or needs_review
	RemitApplied     RemitStatus = "applied"
	RemitNeedsReview RemitStatus = "needs_review" // it matches a claim, and a person decides
	RemitUnmatched   RemitStatus = "unmatched"
	RemitIgnored     RemitStatus = "ignored"   // a person finished it without applying it
	RemitForwarded   RemitStatus = "forwarded" // CLP02 23: the payer sent the claim to another one
)

// MatchedBy is how the claim was found.
type MatchedBy string

// The ways.
const (
	MatchedByControlNumber MatchedBy = "control_number"
	MatchedByPayerNumber   MatchedBy = "payer_claim_number"
	MatchedByUser          MatchedBy = "user"
)

// Sequence is the place of a payer among the payers of a claim.
type Sequence string

// The sequences.
const (
	SequencePrimary   Sequence = "primary"
	SequenceSecondary Sequence = "secondary"
	SequenceTertiary  Sequence = "tertiary"
)

// Adjustment is an amount that was not paid, with the reason (CAS).
type Adjustment struct {
	Group    string // CO contract, PR patient, OA other, PI payer
	Reason   string
	Amount   Money
	Quantity string
}

// ERALine is the part of a remittance about one service (SVC).
type ERALine struct {
	ControlNumber string // REF 6R: the number under which the line was billed, as sent; empty when not stated
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

// ERASource has the fields of a remittance that the entries of ledgers repeat.
type ERASource struct {
	ID          ERAID
	Payer       PayerSummary // zero when the payer is not in the directory
	PayerName   string
	TraceNumber string
	Arrival     int64 // the order in which remittances came
}

// LedgerEntry is a claim of a remittance that was applied to a claim.
type LedgerEntry struct {
	*ERAClaim

	ERA ERASource
}

// The claim statuses (CLP02) that decide.
const (
	claimReversed   = "22"
	claimForwarded  = "23"
	claimEstimation = "25"
)

// Reverses reports whether it reverses an earlier payment.
func (r *ERAClaim) Reverses() bool { return r.StatusCode == claimReversed }

// Estimates reports whether it is the estimate for a predetermination.
func (r *ERAClaim) Estimates() bool { return r.StatusCode == claimEstimation }

// Forwards reports whether the payer decided nothing and sent the claim to
// another payer.
func (r *ERAClaim) Forwards() bool { return r.StatusCode == claimForwarded }

// StatedSequence returns the sequence that the status code states, or the empty
// string when it states none.
func (r *ERAClaim) StatedSequence() Sequence {
	switch r.StatusCode {
	case "1", "19":
		return SequencePrimary
	case "2", "20":
		return SequenceSecondary
	case "3", "21":
		return SequenceTertiary
	default:
		return ""
	}
}

// StatusLabel returns the status code in words.
func (r *ERAClaim) StatusLabel() string {
	return cmp.Or(map[string]string{
		"1": "Processed as primary", "2": "Processed as secondary", "3": "Processed as tertiary", "4": "Denied",
		"19": "Processed as primary, forwarded", "20": "Processed as secondary, forwarded", "21": "Processed as tertiary, forwarded",
		claimReversed: "Reversal of a payment", claimForwarded: "Not this payer's claim, forwarded", claimEstimation: "Estimate",
	}[r.StatusCode], r.StatusCode)
}

// Mark returns the details that identify the claim for its sender.
func (r *ERAClaim) Mark() ClaimMark {
	return ClaimMark{r.ControlNumber, r.Charge, r.PatientFirstName, r.PatientLastName}
}

// AllRemarks returns the remark codes of the claim and of its lines, each once.
func (r *ERAClaim) AllRemarks() []string {
	var all []string
	add := func(codes []string) {
		for _, code := range codes {
			if !slices.Contains(all, code) {
				all = append(all, code)
			}
		}
	}
	add(r.Remarks)
	for i := range r.Lines {
		add(r.Lines[i].Remarks)
	}
	return all
}

// allAdjustments returns the adjustments of the claim and of its lines.
func (r *ERAClaim) allAdjustments() iter.Seq[Adjustment] {
	return func(yield func(Adjustment) bool) {
		for _, a := range r.Adjustments {
			if !yield(a) {
				return
			}
		}
		for i := range r.Lines {
			for _, a := range r.Lines[i].Adjustments {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// adjusted returns the sum of the adjustments of the claim and its lines for
// which fits returns true.
func (r *ERAClaim) adjusted(fits func(Adjustment) bool) (sum Money) {
	for a := range r.allAdjustments() {
		if fits(a) {
			sum += a.Amount
		}
	}
	return sum
}

func sumOf(all []Adjustment, fits func(Adjustment) bool) (sum Money) {
	for _, a := range all {
		if fits(a) {
			sum += a.Amount
		}
	}
	return sum
}

// explainsZero reports whether the plan explains a payment of zero: it leaves the
// amount to the patient as deductible, coinsurance or copay, or capitation covers
// it.
func (r *ERAClaim) explainsZero() bool {
	for a := range r.allAdjustments() {
		if a.explainsZero() {
			return true
		}
	}
	return false
}

// Outcome returns the decision. A claim paid with zero is denied unless the plan
// explains the zero, whatever its status code, because payers report such denials
// as processed.
func (r *ERAClaim) Outcome() PaymentOutcome {
	if r.Paid > 0 || r.explainsZero() {
		return OutcomePaid
	}
	return OutcomeDenied
}

// Shares are the figures of an adjudication or of one of its lines.
type Shares struct {
	Allowed               *Money // nil when the remittance does not say
	PatientResponsibility Money
	Deductible            Money // PR-1
	Coinsurance           Money // PR-2
	Copay                 Money // PR-3
	OtherPatient          Money // any other PR
	Contractual           Money
	NotPaid               Money
}

func (s *Shares) add(all []Adjustment) {
	for _, a := range all {
		switch {
		case a.ofPatient():
			s.PatientResponsibility += a.Amount
			*s.ofReason(a.Reason) += a.Amount
		case a.Contractual():
			s.Contractual += a.Amount
		case a.NotPaid():
			s.NotPaid += a.Amount
		}
	}
}

func (s *Shares) ofReason(reason string) *Money {
	switch reason {
	case "1":
		return &s.Deductible
	case "2":
		return &s.Coinsurance
	case "3":
		return &s.Copay
	default:
		return &s.OtherPatient
	}
}

// Shares returns the figures of the adjudication, its lines included.
func (r *ERAClaim) Shares() (s Shares) {
	s.add(r.Adjustments)
	if len(r.Lines) > 0 {
		s.Allowed = new(r.allowedByLines())
	} else if allowed, ok := r.allowedByLevel(); ok {
		s.Allowed = &allowed
	}
	for i := range r.Lines {
		s.add(r.Lines[i].Adjustments)
	}
	return s
}

// allowedByLevel returns what a claim without lines allows. A denied one allows
// nothing. Ok is false when the remittance does not say.
func (r *ERAClaim) allowedByLevel() (allowed Money, ok bool) {
	switch {
	case r.Outcome() == OutcomeDenied && !r.Reverses():
		return 0, true
	case r.Allowed == nil:
		return 0, false
	default:
		return *r.Allowed, true
	}
}

// allowedByLines returns the sum of what the lines allow. When none states it,
// the contractual adjustments of the claim reduce it too.
func (r *ERAClaim) allowedByLines() (sum Money) {
	stated := false
	for i := range r.Lines {
		sum += r.Lines[i].AllowedAmount()
		stated = stated || r.Lines[i].Allowed != nil
	}
	if !stated {
		sum -= sumOf(r.Adjustments, Adjustment.reducesAllowed)
	}
	return sum
}

// Shares returns the figures of the line.
func (l *ERALine) Shares() (s Shares) {
	s.add(l.Adjustments)
	s.Allowed = new(l.AllowedAmount())
	return s
}

// AllowedAmount returns the allowed amount of the line: as stated (AMT B6), else
// the charge less the agreed discounts. A denied line allows nothing.
func (l *ERALine) AllowedAmount() Money {
	switch {
	case l.Paid == 0 && !slices.ContainsFunc(l.Adjustments, Adjustment.explainsZero):
		return 0
	case l.Allowed != nil:
		return *l.Allowed
	default:
		return l.Charge - sumOf(l.Adjustments, Adjustment.reducesAllowed)
	}
}

// billed returns the procedure that was billed: the submitted one (SVC06), else
// the paid one (SVC01).
func (l *ERALine) billed() string { return strings.ToUpper(cmp.Or(l.SubmittedCode, l.ProcedureCode)) }

func (a Adjustment) ofPatient() bool { return a.Group == "PR" }

// explainsZero reports whether the adjustment explains a payment of zero:
// deductible, coinsurance, copay or capitation.
func (a Adjustment) explainsZero() bool {
	switch a.Reason {
	case "1", "2", "3":
		return a.Group == "PR" && a.Amount != 0
	case "24":
		return a.Group == "CO" && a.Amount != 0
	default:
		return false
	}
}

// reducesAllowed reports whether the adjustment is an agreed discount that the
// allowed amount leaves out. Sequestration (253) reduces the payment, not the
// allowed amount.
func (a Adjustment) reducesAllowed() bool { return a.Contractual() && a.Reason != "253" }

// estimated reports whether the amount is a predetermination's estimate (reason
// 101).
func (a Adjustment) estimated() bool { return a.Reason == "101" && a.Group != "PR" }

// Estimate returns the payer's estimate from the remittance with the ID. Numbers are
// those of the claim's lines, by line. The payer states what it would pay as an
// adjustment, or as the payment.
func (r *ERAClaim) Estimate(era ERAID, numbers []int) ClaimEstimate {
	e := ClaimEstimate{ERAID: era, Pay: sumOf(r.Adjustments, Adjustment.estimated), Patient: sumOf(r.Adjustments, Adjustment.ofPatient)}
	for i := range r.Lines {
		l := &r.Lines[i]
		pay, patient := l.estimate(), sumOf(l.Adjustments, Adjustment.ofPatient)
		e.Pay, e.Patient = e.Pay+pay, e.Patient+patient
		e.Lines = append(e.Lines, LineEstimate{Number: numbers[i], Allowed: new(pay + patient), Pay: pay, Patient: patient})
	}
	if e.Pay == 0 {
		e.Pay = r.Paid
	}
	e.Allowed = new(e.Pay + e.Patient)
	return e
}

// estimate returns what the payer would pay for the line.
func (l *ERALine) estimate() Money {
	if slices.ContainsFunc(l.Adjustments, Adjustment.estimated) {
		return sumOf(l.Adjustments, Adjustment.estimated)
	}
	return l.Paid
}

// CanFinish returns CodeConflict when a person cannot finish the claim of the
// remittance now: it is applied, or the work on it has not ended.
func (r *ERAClaim) CanFinish(e *ERA) error {
	switch {
	case r.Status == RemitApplied:
		return &Error{Code: CodeConflict, Message: "It is applied to " + r.ClaimID.String() + ". Unapply it first."}
	case r.Status == RemitPending && e.Stage != ERADone:
		return &Error{Code: CodeConflict, Message: "Molar is about to apply it. Read it again in a minute."}
	default:
		return nil
	}
}

// CanUnapply returns CodeConflict when its application cannot be reversed: it is not
// applied, or the remittance is posted.
func (r *ERAClaim) CanUnapply(e *ERA) error {
	switch {
	case r.Status != RemitApplied:
		return &Error{Code: CodeConflict, Message: "It is not applied to a claim. Its status is " + string(r.Status) + "."}
	case e.State == ERAPosted:
		return &Error{Code: CodeConflict, Message: "The remittance is posted. Unpost it first, so that the practice's books can be corrected."}
	default:
		return nil
	}
}

// CanHave returns CodeConflict when the claim of the remittance can never be applied
// to this claim: the claim was not sent, or one of them is about an estimate.
func (r *ClaimRecord) CanHave(of *ERAClaim) error {
	switch {
	case r.Frequency == FrequencyVoid:
		return &Error{Code: CodeConflict, Message: "A void is not paid. Match the remittance to the claim that it voids: " + r.ParentID.String() + "."}
	case !r.Awaits():
		return &Error{Code: CodeConflict, Message: "The claim was never sent. Submit it, or match the remittance to another claim."}
	case of.Estimates() != (r.Kind == KindPredetermination):
		return &Error{Code: CodeConflict, Message: ReviewKindDiffers.Message() + " " + ReviewKindDiffers.Fix()}
	default:
		return nil
	}
}
