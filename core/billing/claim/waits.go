package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// awaitsEnrollment reports whether the claim could be sent, but for the enrollment of
// its office with the payer.
func (c *Claim) awaitsEnrollment() bool { return c.findsOnly(FindingNotEnrolled) }

func (c *Claim) findsOnly(code string) bool {
	return c.State == NeedsAttention && len(c.Findings) > 0 &&
		!slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Code != code })
}

// Rechecked applies the findings of the rules to a claim that waited, after what by
// names has come. A claim without any is queued when a caller has submitted it. It
// returns an event for each new state.
func (c *Claim) Rechecked(by Trigger, findings []Finding, cause Cause) (events []event.Event) {
	if len(findings) == 0 && !c.move(by, &cause) {
		return nil
	}
	if c.Findings, c.UpdatedAt = findings, cause.At; len(findings) > 0 {
		return nil
	}
	events = append(events, c.Event(event.ClaimValidated, cause))
	if !c.SubmitWhenReady || !c.queue(&cause) {
		return events
	}
	return append(events, c.Event(event.ClaimQueued, cause))
}

// queue lets the claim wait for the next batch.
func (c *Claim) queue(cause *Cause) bool {
	if !c.move(TriggerSubmit, cause) {
		return false
	}
	c.BatchID, c.SubmitWhenReady = billing.FileID{}, false
	return true
}

// awaitsEarlier reports whether the claim was made for the services of another one, and
// could be sent, but for the decision of that one's payer.
func (c *Claim) awaitsEarlier() bool {
	return !c.SecondaryTo.IsZero() && c.findsOnly(FindingNotAdjudicated)
}

// WaitsByItself reports whether nothing but a record that is not on the claim holds it: the
// enrollment of its office, or the decision of the payer before.
func (c *Claim) WaitsByItself() bool { return c.awaitsEnrollment() || c.awaitsEarlier() }

// waitStep returns what a biller does about a claim that waits for something that is
// not on the claim; empty for any other.
func (c *Claim) waitStep() string {
	switch {
	case c.awaitsEarlier() && c.SubmitWhenReady:
		return "No action is needed on the claim: it waits for the decision of the payer before it. Molar takes that over from the remittance, and submits the claim."
	case c.awaitsEarlier():
		return "The claim waits for the decision of the payer before it, which Molar takes over from the remittance; then submit the claim."
	case !c.awaitsEnrollment():
		return ""
	case c.SubmitWhenReady:
		return "No action is needed on the claim: Molar submits it by itself once the enrollment of its office with the payer is recorded as active."
	default:
		return "The claim waits for the enrollment of its office with the payer: record it as active once the network confirms it, then submit the claim."
	}
}

// replaceStep returns what a biller does about a claim that was sent with an earlier
// payer's former decision; empty for any other.
func (c *Claim) replaceStep() string {
	if !c.Outdated() {
		return ""
	}
	switch c.State { //nolint:exhaustive // the others are not sent, or final
	case Submitted, AcceptedClearinghouse:
		return "The decision of the payer before changed after the claim was sent: replace the claim once its payer has accepted it."
	case AcceptedPayer, Paid, Denied:
		return "The decision of the payer before changed after the claim was sent: replace the claim."
	default:
		return ""
	}
}
