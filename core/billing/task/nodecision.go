package task

import (
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/decision"
)

// AskPayer is the operation that asks a payer where a claim is. A list leaves it out where the
// payer cannot be asked.
const AskPayer = "createStatusInquiry"

// undecided reports whether the claim waits for a decision of its payer for long, or the payer
// has said why there is none.
func undecided(c *claim.Claim) bool {
	switch c.State { //nolint:exhaustive // the others wait for no payer
	case claim.AcceptedClearinghouse, claim.AcceptedPayer:
		return c.Frequency != claim.FrequencyVoid
	case claim.Submitted:
		return c.Frequency != claim.FrequencyVoid && pressing(c)
	default:
		return answered(c) != nil
	}
}

// answered returns the decision that a denial was answered, while the payer has not decided again;
// nil for none.
func answered(c *claim.Claim) *decision.Decision {
	if d := c.Decisions.Of(string(Denied)); d != nil && d.As == decision.Handled && denied(c) && c.Decisions.Ends(d.Of, c.DeniedAmount(), changed(c)) {
		return d
	}
	return nil
}

// pressing reports whether the payer's last answer is one that a person acts on at once: it has
// no such claim, or waits for the practice or the patient.
func pressing(c *claim.Claim) bool {
	a := claimstatus.Heard(c)
	if a == nil {
		return false
	}
	category := strings.ToUpper(a.Category)
	return a.Outcome == string(claimstatus.NotFound) || a.Outcome == string(claimstatus.Found) && (category == "P3" || category == "P4")
}

// whyUndecided says why there is no decision, what to do, and since when.
func whyUndecided(c *claim.Claim, w *Work) {
	zone := c.Contract.Limits.Zone
	said := claimstatus.Heard(c)
	if d := answered(c); d != nil {
		w.Amount, w.Since = d.Amount, d.At.Add(decideAge)
		w.Reason = "The denial was answered 30 days ago, and the payer has not decided again: ask it about the claim, or reconcile what is open."
		if said != nil && said.LastSaid().After(d.At) && said.Category != "" {
			w.Reason += " On " + words(zone.Day(said.LastSaid())) + " the payer said: " + claimstatus.CodeOf(said).Words() + "."
		}
		w.Actions = []string{AskPayer, "reconcileClaim", "replaceClaim"}
		w.DueOn, w.DueBy = zone.Day(w.Since), DueByPractice
		return
	}
	w.Since = w.Since.Add(decideAge)
	w.Reason, w.Actions = "The payer has not decided the claim for 30 days: ask it about the claim.", []string{AskPayer, "getClaim"}
	switch {
	case c.Kind == claim.KindPredetermination:
		w.Reason, w.Actions = "The payer has not estimated the treatment for 30 days: call the payer.", []string{"getClaim"}
	case !c.SettledAt.IsZero():
		w.Reason = "The payer took its decision back 30 days ago and has not decided again: ask it about the claim, or replace the claim."
		w.Actions = []string{AskPayer, "replaceClaim"}
	}
	if said != nil && said.Outcome != "" {
		w.Reason = saidOf(said, zone.Day(said.LastSaid()), claimstatus.LastSent(c))
		if pressing(c) {
			w.Since = said.SaidAt
		}
	}
	w.DueOn, w.DueBy = zone.Day(w.Since), DueByPractice
}

// Review lets the task of a claim without a decision lead to the remittance that has come for it, and
// that a person must finish, or to the payer that has the claim now. The task of a check whose batch was canceled asks for a new one. The
// resources themselves do not know of either.
func (t *Task) Review() {
	if t.Item.Canceled {
		t.Reason = strings.Replace(t.Reason, "ask again", "ask in a new list, because this one was canceled", 1)
	}
	switch {
	case t.Kind != NoDecision || !t.EndedAt.IsZero():
		return
	case !t.ReviewERA.IsZero():
		t.Reason = "A remittance of the claim has come and needs review: finish " + t.ReviewERA.String() + " before you ask the payer."
	case t.ForwardedTo != "":
		t.Reason = "The payer decided nothing: it sent the claim on to " + t.ForwardedTo + ", and no remittance of it has come. Call " + t.ForwardedTo + " to learn when it decides."
	default:
		return
	}
	t.Actions = append([]string{"getClaim"}, slices.DeleteFunc(slices.Clone(t.Actions), func(a string) bool { return a == "getClaim" })...)
}

// saidOf says what the payer said last on a day, when it was asked, and what to do about it.
func saidOf(a *claim.Asked, day billing.Date, sent time.Time) string {
	on := "On " + words(day) + " "
	words := claimstatus.CodeOf(a).Words()
	switch claimstatus.Outcome(a.Outcome) {
	case claimstatus.NotFound:
		if a.At.Before(sent.AddDate(0, 0, claimstatus.LeastAfter)) {
			return on + "the payer found no such claim, and may not have loaded it yet: ask again a week after it was sent. If the payer still finds nothing, call it."
		}
		return on + "the payer found no such claim, also with wider dates: call the payer by telephone. If it never got the claim, ask where to send it."
	case claimstatus.Refused:
		return on + "the payer refused to search (" + words + "): check the payer, the office's NPI and the member ID, or call the payer."
	case claimstatus.Found:
	case claimstatus.Unavailable, claimstatus.Failed:
	}
	if a.Category == "" {
		return on + "the payer returned claims, and nothing says which of them is this one: read its answers on the claim's page, or call the payer."
	}
	return on + "the payer said: " + words + ". " + nextOf(a)
}

// nextOf says what to do about a status of the claim.
func nextOf(a *claim.Asked) string {
	category := strings.ToUpper(a.Category)
	switch {
	case category == "P3", strings.HasPrefix(category, "R"):
		return "Send what it asks for, or call the payer to learn what it needs."
	case category == "P4":
		return "Ask the patient to answer the payer, then ask the payer again."
	case claimstatus.Decided(a):
		return "No remittance of it is applied: see on the claim whether one needs review, else ask the payer for it, or import it."
	case strings.HasPrefix(category, "P"), strings.HasPrefix(category, "A"):
		return "Ask it again, or call the payer to learn when it decides."
	default:
		return "Call the payer."
	}
}
