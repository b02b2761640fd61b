package scenario

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
)

// Action is what a payer, or the clearinghouse, does with a claim.
type Action string

// The actions.
const (
	Accept             Action = "accept"
	Reject             Action = "reject"
	RequestInformation Action = "request_information"
	Pay                Action = "pay"
	Deny               Action = "deny"
	Reverse            Action = "reverse"
	TakeBack           Action = "take_back"
	ForwardClaim       Action = "forward"
	Estimate           Action = "estimate"
)

// Actions returns every action.
func Actions() []Action {
	return []Action{Accept, Reject, RequestInformation, Pay, Deny, Reverse, TakeBack, ForwardClaim, Estimate}
}

// ClaimStep is an action in an organization's own scenario for claims.
type ClaimStep struct {
	After  time.Duration // since the step before, the first one since the claim was sent
	Do     Action
	By     clearing.Side // of Accept and Reject
	Codes  []string      // of Reject: category and status code, such as A7:164
	Group  string        // of Deny: CO or PR
	Reason string        // of Deny, such as 96
	Terms  Terms         // of Pay and Estimate, for all lines
	Lines  []OnLine      // of Pay and Estimate, in place of Terms
}

// Terms are a payment in percent.
type Terms struct {
	Allowed int // of the charge
	Patient int // of what is allowed
}

// OnLine is a payer's decision on a line of a claim.
type OnLine struct {
	Paid        billing.Money
	Allowed     billing.Money
	Adjustments []Adjustment
	Remarks     []string
	Unbalanced  bool // paid and adjustments are not the charge, and stay so
}

// Adjustment is an amount that a line is not paid, with its group and reason.
type Adjustment struct {
	Group, Reason string
	Amount        billing.Money
}

// The limits of steps.
const (
	MaxSteps = 20
	MaxAfter = 366 * 24 * time.Hour
)

// Stage is how far a claim has come by its steps.
type Stage int

// The stages.
const (
	Sent Stage = iota
	Forwarded
	Accepted
	Decided
	Reversed
	Over // nothing can follow
)

// Misplaced returns the index of the first step that cannot follow those before it; -1 if
// every step can.
func Misplaced(steps []ClaimStep) int {
	at := Sent
	for i := range steps {
		next, ok := at.Follow(&steps[i])
		if !ok {
			return i
		}
		at = next
	}
	return -1
}

// Follow returns the stage after the step, and whether the step can come at this one.
func (at Stage) Follow(s *ClaimStep) (next Stage, ok bool) {
	switch s.Do {
	case Accept:
		if s.By == clearing.SideClearinghouse {
			return Forwarded, at == Sent
		}
		return Accepted, at <= Forwarded
	case Reject:
		if s.By == clearing.SideClearinghouse {
			return Over, at == Sent
		}
		return Over, at <= Accepted
	case RequestInformation:
		return at, at == Accepted
	case Pay, Deny, Estimate:
		return Decided, at == Accepted || at == Reversed
	case ForwardClaim:
		return Over, at == Accepted
	case Reverse:
		return Reversed, at == Decided
	case TakeBack:
		return Over, at == Decided
	}
	return at, false
}

// Stored returns the steps as the content of a scenario.
func Stored(steps []ClaimStep) []byte {
	content, _ := json.Marshal(steps) //nolint:musttag // only this package reads it
	return content
}

// Steps reads the content of a scenario for claims.
func (o *Own) Steps() (steps []ClaimStep, err error) {
	return steps, json.Unmarshal(o.Content, &steps) //nolint:musttag // as Stored wrote it
}

// follows returns what the steps do, as a list has it.
func follows(steps []ClaimStep) (all []Step) {
	for _, s := range steps {
		shown, what := s.shows()
		all = append(all, Step{After: s.After, Event: shown, What: what})
	}
	return all
}

// shows returns the event that shows the step, and a sentence.
func (s *ClaimStep) shows() (event.Type, string) {
	who := "The payer "
	if s.By == clearing.SideClearinghouse {
		who = "The clearinghouse "
	}
	switch s.Do {
	case Accept:
		return event.ClaimAccepted, who + "accepts the claim."
	case Reject:
		return event.ClaimRejected, who + "rejects the claim with " + strings.Join(s.Codes, ", ") + "."
	case RequestInformation:
		return event.ClaimStatusUpdated, "The payer asks for a document."
	case Pay:
		return event.ClaimPaid, "A remittance pays the claim."
	case Deny:
		return event.ClaimDenied, "A remittance denies the claim with " + s.Group + "-" + s.Reason + "."
	case Reverse:
		return event.ClaimPaymentReversed, "A remittance takes the payment back."
	case Estimate:
		return event.PredeterminationReturned, "A remittance returns the estimate."
	case TakeBack:
		return event.ERAReceived, "A remittance takes the money back without a claim."
	case ForwardClaim:
		return event.ERAReceived, "The payer forwards the claim to another payer and pays nothing."
	}
	return "", ""
}
