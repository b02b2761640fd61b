package remit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Claim is what a remittance states about one claim (CLP). A payer that splits
// a claim sends several with one control number.
type Claim struct {
	Ordinal               int    // in the payment, from 1
	ControlNumber         string // CLP01; payers change its case
	PayerClaimNumber      string // CLP07
	Original              string // REF F8: the payer's number of the claim that this one changes
	StatusCode            string // CLP02: 1 to 3 processed, 4 denied, 22 reversal, 23 forwarded, 25 predetermination
	Charge                billing.Money
	Paid                  billing.Money  // negative for a reversal
	Allowed               *billing.Money // of the claim itself (AMT B6 or AU); nil when not stated
	PatientResponsibility *billing.Money // CLP05; nil when not stated, as in reversals
	PatientFirstName      string
	PatientLastName       string
	MemberID              string
	CorrectedPatient      *CorrectedPatient // NM1 74; nil when the payer corrects nothing
	CrossoverPayer        *CrossoverPayer   // NM1 TT; nil when the payer does not forward the claim
	ServiceDates          billing.DateSpan
	Date                  billing.Date // of the payment
	Balanced              bool         // it adds up on its own, its lines included
	Adjustments           []Adjustment
	Remarks               []string
	Lines                 []Line

	ClaimProgress `json:"-"`

	erased bool
}

// Erase removes what it says of people.
func (r *Claim) Erase() {
	r.PatientFirstName, r.PatientLastName, r.MemberID, r.CorrectedPatient = "", "", "", nil
	r.erased = true
}

// Erased reports whether Erase was called since it was read.
func (r *Claim) Erased() bool { return r.erased }

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

// ClaimProgress is what became of a remittance claim.
type ClaimProgress struct {
	Status    Status
	ClaimID   billing.ClaimID // ours; zero while it matches none
	MatchedBy MatchedBy
	Review    ReviewCode // why it was not applied; empty otherwise
	Warnings  []WarningCode
	Sequence  billing.Sequence
	// LineNumbers are the numbers of the claim's lines, from 1, by line of the
	// remittance. 0 stands for none; the slice is nil before the lines are matched.
	LineNumbers []int
	AppliedAt   time.Time
}

// Shown returns the status as callers see it, and the reason for review. The reason is
// empty when no person has to decide. One that is about to be matched or applied is
// shown as unmatched or needs_review.
func (p *ClaimProgress) Shown() (Status, ReviewCode) {
	switch p.Status {
	case StatusPending:
		if p.ClaimID.IsZero() {
			return StatusUnmatched, ReviewUnderWay
		}
		return StatusNeedsReview, ReviewUnderWay
	case StatusNeedsReview, StatusUnmatched:
		return p.Status, p.Review
	case StatusApplied, StatusIgnored, StatusForwarded:
	}
	return p.Status, ""
}

// Status is the status of a remittance claim.
type Status string

// The statuses.
const (
	StatusPending     Status = "pending" // it is about to be matched and applied; callers see it as unmatched or needs_review
	StatusApplied     Status = "applied"
	StatusNeedsReview Status = "needs_review" // it matches a claim, and a person decides
	StatusUnmatched   Status = "unmatched"
	StatusIgnored     Status = "ignored"   // a person finished it without applying it
	StatusForwarded   Status = "forwarded" // CLP02 23: the payer sent the claim to another one
)

// MatchedBy is how the claim was found.
type MatchedBy string

// The ways.
const (
	MatchedByControlNumber MatchedBy = "control_number"
	MatchedByPayerNumber   MatchedBy = "payer_claim_number"
	MatchedByUser          MatchedBy = "user"
)

// Adjustment is an amount that was not paid, with the reason (CAS).
type Adjustment struct {
	Group    string // CO contract, PR patient, OA other, PI payer
	Reason   string
	Amount   billing.Money
	Quantity string
}

// Line is what a remittance claim states about one service (SVC).
type Line struct {
	ControlNumber string // REF 6R: the number under which the line was billed, as sent; empty when not stated
	ProcedureCode string // as paid
	SubmittedCode string // as billed, when it is another
	ServiceDate   billing.Date
	Charge        billing.Money
	Paid          billing.Money
	Allowed       *billing.Money // AMT B6; nil when not stated
	Units         string         // paid
	Adjustments   []Adjustment
	Remarks       []string
}

// Source has the fields of a remittance that the entries of ledgers repeat.
type Source struct {
	ID          billing.ERAID
	Payer       directory.PayerSummary // zero when the payer is not in the directory
	PayerName   string
	TraceNumber string
	Arrival     int64 // the order in which remittances came
	ReceivedAt  time.Time
}

// LedgerEntry is a remittance claim that was applied to a claim.
type LedgerEntry struct {
	*Claim

	ERA Source
}

// The claim statuses (CLP02) that decide.
const (
	claimReversed   = "22"
	claimForwarded  = "23"
	claimEstimation = "25"
)

// Reverses reports whether it reverses an earlier payment.
func (r *Claim) Reverses() bool { return r.StatusCode == claimReversed }

// Estimates reports whether it is the estimate for a predetermination.
func (r *Claim) Estimates() bool { return r.StatusCode == claimEstimation }

// Forwards reports whether the payer decided nothing and sent the claim to
// another payer.
func (r *Claim) Forwards() bool { return r.StatusCode == claimForwarded }

// StatedSequence returns the sequence that the status code states, or the empty
// string when it states none.
func (r *Claim) StatedSequence() billing.Sequence {
	switch r.StatusCode {
	case "1", "19":
		return billing.SequencePrimary
	case "2", "20":
		return billing.SequenceSecondary
	case "3", "21":
		return billing.SequenceTertiary
	default:
		return ""
	}
}

// StatusLabel returns the status code in words.
func (r *Claim) StatusLabel() string {
	return cmp.Or(map[string]string{
		"1": "Processed as primary", "2": "Processed as secondary", "3": "Processed as tertiary", "4": "Denied",
		"19": "Processed as primary, forwarded", "20": "Processed as secondary, forwarded", "21": "Processed as tertiary, forwarded",
		claimReversed: "Reversal of a payment", claimForwarded: "Not this payer's claim, forwarded", claimEstimation: "Estimate",
	}[r.StatusCode], r.StatusCode)
}

// ToApply returns the claims of a remittance that match one of ours and are about to
// be applied, reversals first.
func ToApply(rows []*Claim) []*Claim {
	all := slices.DeleteFunc(slices.Clone(rows), func(r *Claim) bool { return r.Status != StatusPending })
	slices.SortFunc(all, ReversalsFirst)
	return all
}

// Mark returns the details that identify the claim for its sender.
func (r *Claim) Mark() clearing.ClaimMark {
	return clearing.ClaimMark{ControlNumber: r.ControlNumber, Charge: r.Charge, FirstName: r.PatientFirstName, LastName: r.PatientLastName}
}

// AllRemarks returns the remark codes of the claim and of its lines, each once.
func (r *Claim) AllRemarks() []string {
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

// Billed returns the procedure that was billed: the submitted one (SVC06), else
// the paid one (SVC01).
func (l *Line) Billed() string { return strings.ToUpper(cmp.Or(l.SubmittedCode, l.ProcedureCode)) }
