package remit

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// State is the state of a remittance.
type State string

// The states of a remittance.
const (
	NeedsReview State = "needs_review"
	Posted      State = "posted"    // the user has posted it
	Replaced    State = "replaced"  // another remittance of the payment stands in its place
	Discarded   State = "discarded" // a correction that a person did not accept
)

// ERA is a remittance (835): one payment, and the claims that it pays.
type ERA struct {
	ID                  billing.ERAID
	Scope               billing.Scope
	State               State
	Payer               directory.PayerSummary // zero when the payer is not in the directory
	PayerName           string                 // as the remittance states it
	OfficeID            billing.OfficeID       // the payee; zero unless exactly one office matches
	Payment             Payment
	ProviderAdjustments []ProviderAdjustment
	Balanced            bool // payment, each claim and each line add up
	Balance             Balance
	Warnings            []WarningCode   // about the file
	Corrects            []billing.ERAID // the remittances of the payment that stood when it came, with claims of its own
	Difference          *Difference     // from them; nil when it corrects none
	ClaimCount          int
	MatchedCount        int // the number of claims that match one of ours
	Progress            Progress
	File                clearing.FileRef
	Stage               Stage
	Arrival             int64 // the order in which remittances came; the store sets it
	Origin              clearing.FileOrigin
	ReceivedAt          time.Time
	PostedAt            time.Time

	Later
}

// Position returns the place in a list, by the time and the ID.
func (e *ERA) Position() billing.Position { return billing.Position{Time: e.ReceivedAt, ID: e.ID} }

// Stage is the stage of a remittance, which is applied in parts.
type Stage string

// The stages. A remittance is shown to callers once it is read.
const (
	Reading  Stage = "reading"  // its claims are being matched
	Applying Stage = "applying" // its payments are being applied to them
	Done     Stage = "done"
)

// Progress counts the claims of a remittance by status. Those that are still to
// be applied are in none.
type Progress struct {
	Applied, NeedsReview, Unmatched, Ignored, Forwarded int
}

// of returns the counter of a status; nil for StatusPending.
func (p *Progress) of(s Status) *int {
	switch s {
	case StatusApplied:
		return &p.Applied
	case StatusNeedsReview:
		return &p.NeedsReview
	case StatusUnmatched:
		return &p.Unmatched
	case StatusIgnored:
		return &p.Ignored
	case StatusForwarded:
		return &p.Forwarded
	case StatusPending:
	}
	return nil
}

// Counted returns the progress as callers see it. When the work has ended, claims
// that it left out need review.
func (e *ERA) Counted() Progress {
	p := e.Progress
	if e.Stage == Done {
		p.NeedsReview = e.ClaimCount - p.Applied - p.Unmatched - p.Ignored - p.Forwarded
	}
	return p
}

// Unfinished returns the number of claims that a person must finish.
func (e *ERA) Unfinished() int {
	p := e.Counted()
	return p.NeedsReview + p.Unmatched
}

// NeedsAttention reports whether a person must look at the remittance: it has
// unfinished claims, or its payment does not balance and that is not acknowledged.
func (e *ERA) NeedsAttention() bool {
	if e.State == Replaced || e.State == Discarded {
		return false
	}
	return e.Unfinished() > 0 || e.PaymentBalance().Failed > 0 && e.Acknowledged == nil
}

// Move records what becomes of one of its claims, and counts it.
func (e *ERA) Move(r *Claim, to ClaimProgress) {
	if n := e.Progress.of(r.Status); n != nil {
		*n--
	}
	if n := e.Progress.of(to.Status); n != nil {
		*n++
	}
	switch was, is := r.ClaimID.IsZero(), to.ClaimID.IsZero(); {
	case was && !is:
		e.MatchedCount++
	case !was && is:
		e.MatchedCount--
	}
	r.ClaimProgress = to
}

// SamePayer reports whether both are of one payer: the directory knows both as one, or they
// state one of its numbers or its name.
func (r *Remittance) SamePayer(o *Remittance) bool {
	name := billing.ComparableName(r.PayerName)
	return !r.Payer.ID.IsZero() && r.Payer.ID == o.Payer.ID || name != "" && name == billing.ComparableName(o.PayerName) ||
		slices.ContainsFunc(r.PayerIDs, func(id string) bool { return slices.Contains(o.PayerIDs, id) })
}

// Source returns what ledger entries repeat of the remittance.
func (e *ERA) Source() Source {
	return Source{ID: e.ID, Payer: e.Payer, PayerName: e.PayerName, TraceNumber: e.Payment.TraceNumber, Arrival: e.Arrival, ReceivedAt: e.ReceivedAt}
}

// Post records that the user has posted the remittance. It reports false when
// that was recorded before. It returns CodeConflict while claims are unfinished or
// about to be applied, unless the user accepts that.
func (e *ERA) Post(acceptUnfinished bool, at time.Time) (bool, error) {
	if e.State == Posted {
		return false, nil
	}
	if err := e.mustStand(); err != nil {
		return false, err
	}
	if e.ReconcileStage() == ReconcileIsTakenBack {
		return false, errBusy(e.ID)
	}
	if n := e.ClaimCount - e.Progress.Applied - e.Progress.Ignored - e.Progress.Forwarded; n > 0 && !acceptUnfinished {
		return false, &billing.Error{Code: billing.CodeConflict, Message: "The remittance has " + counted(n, "unfinished claim") +
			". Match, apply or ignore each of them, or post it and accept that they stay unfinished."}
	}
	e.State, e.PostedAt = Posted, at
	return true, nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Read records how many claims the remittance has. After that, callers can see it and
// its payments can be applied. It reports false when callers could see it before.
func (e *ERA) Read(claims int, at time.Time) bool {
	e.ClaimCount, e.Stage = claims, Applying
	if !e.ReceivedAt.IsZero() {
		return false
	}
	e.ReceivedAt = at
	return true
}

// Remittance is a payment of a file, before its organization is known.
type Remittance struct {
	ERA // without ID, scope and what look-ups set

	// Identity identifies the payment: a digest of payer, trace number and figures, without
	// the envelope. The same payment in another file has the same.
	Identity   [sha256.Size]byte
	Outline    Outline
	PayerIDs   []string // to find the payer in the directory
	PayeeNPI   string   // empty when the file does not say
	PayeeTaxID string   // digits; empty when the file does not say
	PayeeName  string
	Content    []byte // the file as received; with this payment alone when there were several
}

// ErrNotRead is beside CodeNotFound for a remittance whose claims a job has not read yet.
var ErrNotRead = errors.New("the claims of the remittance are not read yet")

// ErrTooManyPayments is the error for a file with more payments than the caller accepts.
var ErrTooManyPayments = errors.New("it has too many payments")

// Payment is the payment of a remittance.
type Payment struct {
	Method                   string       // BPR04: ACH, CHK, NON or another code, as sent
	TraceNumber              string       // of the EFT, or the number of the check
	Date                     billing.Date // zero when the remittance has none
	Account                  string       `json:",omitempty"` // the last four digits of where it goes (BPR15); empty when it has none
	Total                    billing.Money
	ProviderAdjustmentsTotal billing.Money // a positive one reduced the payment
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
	Checked int           // equations
	Failed  int           // equations that do not hold
	Off     billing.Money // the sum of the absolute differences
}

// BalanceFinding is one place that does not add up.
type BalanceFinding struct {
	Level         string // payment, claim or line
	Claim         int    // ordinal in the payment, from 1; 0 at the level of the payment
	ControlNumber string
	Line          int  // ordinal in the claim, from 1; 0 above the level of the line
	Segment       int  // ordinal in the file that is kept
	Unread        bool // an amount is missing or cannot be read: there is nothing to compare
	Expected      billing.Money
	Stated        billing.Money
	Off           billing.Money // stated less expected
	Explanation   string
}

// Record is a remittance with the first of its claims.
type Record struct {
	*ERA

	Claims    []*Claim
	More      bool              // there are claims after these
	About     []billing.ClaimID // by provider adjustment: our claim that it names, or zero
	Forwarded *ForwardedBalance // with the payer; nil when it never carried a balance
	Unapplied Unapplied
}

// Unapplied is money of remittances that is on no claim. Remittances that do not stand have none.
type Unapplied struct {
	Ignored    UnappliedSum // finished without a claim
	Unfinished UnappliedSum // waits for a person, or is about to be applied
}

// UnappliedSum is what remittance claims pay together. A reversal lowers it.
type UnappliedSum struct {
	Paid   billing.Money
	Claims int
}

// With says which remittances a list has by what became of their claims.
type With string

// What became of claims of a remittance that stands, without those that a correction took over.
const (
	WithIgnored    With = "ignored"
	WithUnfinished With = "unfinished" // they need review, or match no claim
)

// Filter narrows a list of remittances. Zero fields match all.
type Filter struct {
	State          State
	NeedsAttention *bool // see ERA.NeedsAttention; nil matches all
	Balanced       *bool // nil matches all
	PayerID        billing.PayerID
	OfficeID       billing.OfficeID
	ClaimID        billing.ClaimID   // our claim, to which one of its claims is applied or needs review for
	PatientID      billing.PatientID // of such a claim
	TraceNumber    string            // as the payer states it
	PaidFrom       billing.Date      // inclusive
	PaidTo         billing.Date      // inclusive
	ReceivedFrom   time.Time
	ReceivedTo     time.Time // exclusive
	With           With
	Sort           Sort // the order
}

// Sort is what a list of remittances is ordered by. Those that are equal in it stand by the time
// at which they came.
type Sort string

// The orders of a list of remittances.
const (
	SortReceived Sort = "received"
	SortDate     Sort = "date"  // of the payment
	SortTotal    Sort = "total" // the payment
)

// PositionBy returns the place of the remittance in a list of that order.
func (e *ERA) PositionBy(s Sort) billing.Position {
	p := e.Position()
	switch s {
	case SortReceived:
	case SortDate:
		p.Order[0] = e.Payment.Date.Time().Unix()
	case SortTotal:
		p.Order[0] = int64(e.Payment.Total)
	}
	return p
}
