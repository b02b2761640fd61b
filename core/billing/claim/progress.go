package claim

import (
	"reflect"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/contract"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Progress is the result of the rules, the files and the payer's decisions
// for a claim. A new claim has none.
type Progress struct {
	State            State
	Findings         []Finding
	BatchID          billing.FileID // the file that carries it, or carried it last
	SentAt           time.Time      // when a file with it was first handed to the network
	SubmittedNumber  string         // the control number in its files, if a network did not take its own
	PayerClaimNumber string         // the payer's latest number for it (277 REF 1K, CLP07)
	Standing         *Standing      // what the ledger adds up to; nil when nothing stands
	SettledAt        time.Time      // when a remittance last changed the figures
	ReconciledAt     time.Time
	ReconciledWith   billing.ERAID        // the remittance whose posting reconciled it; zero when a person did
	Accepted         []AcceptedOpen       // open amounts that a person accepted when they reconciled it
	Decisions        decision.List        // of people, about what the claim makes them do
	Held             *HeldBack            // by a person; nil for no
	Asked            *Asked               // what the payer said when it was asked about the claim; nil if it was not
	Elsewhere        billing.Money        // what else settles the charge: payments and decisions of other payers; see SetElsewhere
	Appealing        *limit.Appealing     // the appeal that is not decided; nil for none
	Contract         contract.Contract    // what fee schedules say of it, beside what its payer counts
	Estimate         *remit.ClaimEstimate // of a returned predetermination
	ConvertedTo      billing.ClaimID      // the claim that the predetermination became
	SecondaryID      billing.ClaimID      // the claim to the next payer for the same services
	Shown            *coverage.ShownPlan  // the next plan that an active check shows; nil for none. See SeePlans
	SubmitWhenReady  bool                 // a caller has submitted it although it had findings; it is queued once they are gone by themselves
	History          []Move
	UpdatedAt        time.Time
	ErasedAt         time.Time // when the people were removed from it; see Record.Erase
}

// HeldBack says that a person holds a claim back, so that no batch takes it.
type HeldBack struct {
	Reason string       // in the person's words
	Until  billing.Date // when a person looks at it again; zero for at once
	Opens  time.Time    `json:",omitzero"` // when that day begins at the office; zero for at once, and for a claim held by 0.4.0
	By     string       // the key or the user
	At     time.Time
}

// AsksFrom returns when a person is asked to look at the claim again.
func (h *HeldBack) AsksFrom() time.Time {
	switch {
	case h.Until.IsZero():
		return h.At
	case h.Opens.IsZero():
		return h.Until.Time()
	default:
		return h.Opens
	}
}

// Move is a change of a claim's state, or what a person did with one of its
// remittances.
type Move struct {
	State State
	At    time.Time
	Cause Trigger
	File  string // the name of the file that caused it; empty for none
	By    string // the key or the user; empty when a file caused it
	Note  string // of the person

	Advice advice.Code `json:",omitempty"` // what the person ignored; empty for any other step
}

// Finding is a problem that a rule found in a well-formed claim.
type Finding struct {
	Code    string // names the rule, such as tooth_required
	Field   string // a dotted path in the body of POST /claims
	Message string
	Fix     string
}

// Standing is the figures of a claim that follow from its ledger.
type Standing struct {
	Outcome               remit.PaymentOutcome // of the latest standing adjudication that paid
	ERAID                 billing.ERAID        // of that adjudication; of the latest one when none paid
	PaymentDate           billing.Date         // of that adjudication; zero when its remittance has none
	Paid                  billing.Money        // by all payers, reversals subtracted
	Allowed               *billing.Money       // by the primary payer; nil when its remittances do not say
	PatientResponsibility billing.Money
	Contractual           billing.Money // the write-off: what the primary payer's contract takes off the charge
	NotPaid               billing.Money // what the primary payer refuses to pay

	Capped     bool       `json:",omitempty"` // the payers leave more to the patient than remains of the charge
	Exceeds    bool       `json:",omitempty"` // payments and write-off exceed the charge
	OpenReason OpenReason `json:",omitempty"` // why the rest of the charge is open, if any is
	Act        remit.Act  `json:",omitempty"` // what to do about most of what this claim's payers refuse; empty if nothing is refused

	Late         bool            `json:",omitempty"` // this claim's payers leave to the patient what missed a filing limit
	LateAmount   billing.Money   `json:",omitempty"` // of that, what is part of PatientResponsibility
	PaidLater    billing.Money   `json:",omitempty"` // by the claims to later payers for the same services
	LaterDecided bool            `json:",omitempty"` // a payer after the claim's own has decided the same services
	CrossedOver  bool            `json:",omitempty"` // a payer sent the claim on to the next one
	FirstPass    bool            `json:",omitempty"` // the claim was sent once, and its first decision was no denial and stands
	Refused      []remit.Refusal `json:",omitempty"` // by this claim's payers, as it stands
}

// with returns the standing with what another one knows beside the amounts, which a claim of before may lack.
func (s *Standing) with(o *Standing) *Standing {
	is := *s
	is.PaidLater, is.LaterDecided, is.Late, is.LateAmount = o.PaidLater, o.LaterDecided, o.Late, o.LateAmount
	return &is
}

func (s *Standing) equal(o *Standing) bool { return reflect.DeepEqual(s, o) }

// OpenReason is why a part of the charge is open.
type OpenReason string

// The reasons. Without one, the amounts of the remittances do not add up.
const (
	openTakenBack OpenReason = "taken_back" // a payer took back what it paid, and has not decided again
	openUndecided OpenReason = "undecided"  // a line is in no remittance
	OpenRefused   OpenReason = "refused"
	openDiscount  OpenReason = "discount" // of a payer after the primary one
)

// The codes of findings that end without a correction of the claim.
const (
	FindingNotEnrolled    = "enrollment_not_active" // the payer has not enrolled the office
	FindingNotAdjudicated = "not_adjudicated"       // an earlier payer has not decided
)

// findingOfStatus begins the codes of findings that a payer or clearinghouse reported.
const findingOfStatus = "status_"
