package remit

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Posting is what the posting of a remittance does with the claims that it pays.
type Posting struct {
	By         string          `json:",omitempty"` // the key or the user; empty for a rule
	Rule       string          `json:",omitempty"` // the rule that posted the remittance; empty for a person
	Stage      ReconcileStage  `json:",omitempty"`
	After      billing.ClaimID `json:",omitzero"`  // the last claim that was looked at
	Reconciled int             `json:",omitempty"` // how many claims it reconciled
	Left       int             `json:",omitempty"` // how many it left out
	LeftOut    []LeftOut       `json:",omitempty"` // the first of them
}

// LeftOut is a claim that a posting does not reconcile.
type LeftOut struct {
	Claim  billing.ClaimID
	Reason LeftOutReason
}

// MaxLeftOut is how many claims a posting names that it left out. It counts all.
const MaxLeftOut = 300

// ReconcileStage is how far a posting has come with the claims.
type ReconcileStage string

// The stages.
const (
	ReconcileNotAsked    ReconcileStage = "not_asked"      // the claims stay as they are
	ReconcileAwaitsMoney ReconcileStage = "awaits_deposit" // a rule reconciles them once the money is in the bank
	ReconcileUnderWay    ReconcileStage = "reconciling"    // a job goes on with the next claims
	ReconcileEnded       ReconcileStage = "done"           // every claim was looked at
	ReconcileIsTakenBack ReconcileStage = "reopening"      // the remittance was unposted: a job reopens what was reconciled
)

// LeftOutReason is why a posting does not reconcile a claim.
type LeftOutReason string

// The reasons.
const (
	LeftNeedsReview LeftOutReason = "needs_review"            // a remittance claim for it needs review
	LeftChanged     LeftOutReason = "changed_after_reconcile" // it was reconciled before, and its payment changed
	LeftNotDecided  LeftOutReason = "not_decided"             // no payment or denial stands
	LeftOpen        LeftOutReason = "open_amount"             // a part of the charge is open
	LeftOverpaid    LeftOutReason = "overpaid"
	LeftSecondary   LeftOutReason = "secondary_to_bill" // the patient's next payer was not billed
	LeftRequest     LeftOutReason = "request_open"      // a payer request about it is open
	LeftAppeal      LeftOutReason = "appeal_open"       // an appeal of it is not decided
	LeftLate        LeftOutReason = "filing_limit"      // the payer leaves to the patient what missed a filing limit
	LeftReopened    LeftOutReason = "reopened"          // a person reopened it, which no rule undoes
)

// LeftOutReasons lists every reason.
func LeftOutReasons() []LeftOutReason {
	return []LeftOutReason{LeftNeedsReview, LeftChanged, LeftNotDecided, LeftOpen, LeftOverpaid, LeftSecondary, LeftRequest, LeftAppeal, LeftLate, LeftReopened}
}

// Message returns a sentence that says what is left to do.
func (r LeftOutReason) Message() string {
	return map[LeftOutReason]string{
		LeftNeedsReview: "A remittance for this claim needs review: finish it first.",
		LeftChanged:     "The payment changed after the claim was reconciled: reconcile it again, or reopen it.",
		LeftNotDecided:  "The payer has not decided the claim, or took its decision back.",
		LeftOpen:        "A part of the charge is open: act on it, or accept the open amount.",
		LeftOverpaid:    "Payments exceed the charge: ask the payer how to return the difference.",
		LeftSecondary:   "The patient has another plan: bill the next payer.",
		LeftRequest:     "A payer request about the claim is open: answer it.",
		LeftAppeal:      "An appeal is not decided: record the decision.",
		LeftLate:        "The payer says that the claim came too late, which is never the patient's to pay: appeal, or reconcile it by hand.",
		LeftReopened:    "A person reopened the claim: reconcile it by hand.",
	}[r]
}

// ByRule reports whether a rule reconciles the claims.
func (p *Posting) ByRule() bool { return p.Rule != "" && p.By == "" }

// LeaveOut records that the posting does not reconcile a claim.
func (p *Posting) LeaveOut(id billing.ClaimID, why LeftOutReason) {
	if p.Left++; len(p.LeftOut) < MaxLeftOut {
		p.LeftOut = append(p.LeftOut, LeftOut{id, why})
	}
}

// ReconcileStage returns how far the posting has come with the claims.
func (e *ERA) ReconcileStage() ReconcileStage {
	if e.Posting == nil || e.Posting.Stage == "" {
		return ReconcileNotAsked
	}
	return e.Posting.Stage
}

// Reconcile begins to reconcile the claims of a posted remittance. By is the key or the user.
// It reports false when that was begun before.
func (e *ERA) Reconcile(by string) bool {
	switch e.ReconcileStage() {
	case ReconcileNotAsked, ReconcileAwaitsMoney:
	case ReconcileUnderWay, ReconcileEnded, ReconcileIsTakenBack:
		return false
	}
	if e.State != Posted {
		return false
	}
	rule := ""
	if e.Posting != nil {
		rule = e.Posting.Rule
	}
	e.Posting = &Posting{By: by, Rule: rule, Stage: ReconcileUnderWay}
	return true
}

// PostBy records that a rule posted the remittance, which reconciles claims later if it is to.
func (e *ERA) PostBy(rule string, reconciles bool, at time.Time) error {
	if _, err := e.Post(false, at); err != nil {
		return err
	}
	if e.Posting = (&Posting{Rule: rule}); reconciles {
		e.Posting.Stage = ReconcileAwaitsMoney
	}
	return nil
}

// MoneyArrived reports whether a rule that waits for the money can reconcile the claims: all of
// it is in the bank, or there is none to come, or a person decided that it arrived elsewhere.
func (e *ERA) MoneyArrived() bool {
	status := e.BankStatus()
	return e.ReconcileStage() == ReconcileAwaitsMoney && (status == DepositReceived || status == DepositNotExpected || e.Elsewhere())
}

// Poster returns the key or the user that posted the remittance; empty for a rule, and when it is not
// known. Postings of earlier releases name who reconciled the claims with them.
func (e *ERA) Poster() string {
	if e.State == Posted && e.PostedBy == "" && e.Posting != nil && e.Posting.Rule == "" {
		return e.Posting.By
	}
	return e.PostedBy
}

// Unpost records that the remittance is no longer posted, and lets the claims be reopened that
// its posting reconciled. No rule posts it again. By is the key or the user. It reports false when
// it was not posted.
func (e *ERA) Unpost(by string) bool {
	if e.State != Posted {
		return false
	}
	e.State, e.PostedAt, e.PostedBy, e.ByHand = NeedsReview, time.Time{}, "", true
	if p := e.Posting; p != nil && p.Reconciled > 0 {
		p.By, p.Stage, p.After = by, ReconcileIsTakenBack, billing.ClaimID{}
	} else {
		e.Posting = nil
	}
	return true
}
