package claim

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// NextStep returns one sentence for a biller: what happens next, or what to do.
func (c *Claim) NextStep() string {
	if c.Appealing != nil && slices.Contains([]State{Paid, Denied, Reconciled}, c.State) {
		return c.Appealing.NextStep(c.SettledAt, c.Contract.Limits.Zone)
	}
	if open := c.Open(); open != 0 && slices.Contains([]State{Paid, Denied, Reconciled}, c.State) {
		return c.openStep(open)
	}
	if !c.ErasedAt.IsZero() && !slices.Contains([]State{Paid, Denied, Reconciled}, c.State) {
		return "No action is needed: the patient was erased. What remittances still say is counted."
	}
	if c.IsHeld() {
		return c.heldStep()
	}
	switch c.State {
	case Draft:
		return "Complete the draft, then save it as a claim to have it checked."
	case NeedsAttention:
		if c.Frequency == FrequencyVoid {
			return "Call the payer: it did not find the claim that this one voids."
		}
		if step := c.waitStep(); step != "" {
			return step
		}
		return "Correct what the findings name, then save the claim to have it checked again."
	case Validated:
		return "Submit the claim to send it to the payer."
	case Queued:
		if !c.BatchID.IsZero() {
			return "No action is needed today: the claim's file is on its way to the clearinghouse; if that lasts longer, ask your administrator to check the file."
		}
		return "No action is needed: the claim goes out with the next batch."
	case Submitted:
		return "No action is needed: the clearinghouse will report whether it accepts the claim."
	case AcceptedClearinghouse:
		return "No action is needed: the payer will report whether it accepts the claim."
	case AcceptedPayer:
		switch {
		case c.Frequency == FrequencyVoid:
			return "No action is needed: the payer has voided the original claim."
		case c.Kind == KindPredetermination:
			return "No action is needed: the payer will send its estimate with a remittance."
		case c.Standing == nil && !c.SettledAt.IsZero():
			return "No payment stands and " + c.Open().Dollars() + " is open: wait for the payer's next remittance, or replace the claim."
		default:
			return "No action is needed: the payer will decide the claim and send a remittance."
		}
	case Rejected:
		if c.Frequency == FrequencyVoid {
			return "Void the original claim again if the payer must still cancel it; this void needs no action."
		}
		return "Correct what the findings name, then submit the claim again."
	case Voided:
		if c.SentAt.IsZero() {
			return "The claim was voided before it was sent; create a new claim if the services must still be billed."
		}
		if kept := c.Refund(); kept > 0 && c.endedHere() {
			return "The payer paid " + kept.Dollars() + " on this claim, which was voided here after it was rejected: ask the payer whether it must be returned."
		} else if kept > 0 {
			return "The payer has voided the claim and has not taken " + kept.Dollars() + " back: if no remittance does so within 30 days, ask it how to return the money."
		}
		if c.endedHere() {
			return "The claim was voided after it was rejected; create a new claim if the services must still be billed."
		}
		return "The payer has voided the claim; create a new claim if the services must still be billed."
	case Paid:
		if c.Standing != nil && c.Standing.Late {
			return c.tooLateStep()
		}
		if short := c.underpaid(); short > 0 {
			return underpaidStep(short) + ", then post the payment and reconcile the claim."
		}
		return "Post the payment in the practice's books unless it is there already, " + cmp.Or(c.nextPlanStep(), "then reconcile the claim.")
	case Denied:
		if c.Standing == nil || c.Standing.PatientResponsibility == 0 {
			return "Read the adjustments in the remittance, then replace the claim, or reconcile it: nothing is open."
		}
		if c.Standing.Late {
			return c.tooLateStep()
		}
		if step := c.nextPlanStep(); step != "" {
			return "Read the adjustments in the remittance, " + step
		}
		return "Read the adjustments in the remittance, then replace the claim, or bill the patient and reconcile it."
	case Reconciled:
		if c.Unposted() {
			return "The payment changed after the claim was reconciled: post the change and reconcile the claim again, or reopen it."
		}
		if c.Standing == nil && !c.SettledAt.IsZero() {
			return "No payment stands: reopen the claim to replace or void it, unless the charge is written off."
		}
		if short := c.underpaid(); short > 0 {
			return underpaidStep(short) + "."
		}
		return "No action is needed: the claim is settled."
	case Returned:
		if !c.ConvertedTo.IsZero() {
			return "No action is needed here: the predetermination was converted to a claim."
		}
		if c.Estimate != nil && c.Estimate.Pay == 0 {
			return "The payer would pay nothing: read its adjustments, then change the plan, or convert the predetermination once the services are done."
		}
		return "Convert the predetermination to a claim once the services are done."
	default:
		return ""
	}
}

// NextStep returns what a biller does next, as Claim.NextStep. A remittance that was
// not applied comes first.
func (r *Record) NextStep() string {
	if !r.ReviewERA.IsZero() {
		return "A remittance for this claim needs review: " + r.ReviewERA.String() + "."
	}
	if r.State == Queued && r.Hold != "" && !r.IsHeld() {
		return r.Hold.nextStep()
	}
	if step := r.lateStep(); step != "" {
		return step
	}
	if step := r.replaceStep(); step != "" {
		return step
	}
	if slices.Contains([]State{Submitted, AcceptedClearinghouse, AcceptedPayer}, r.State) && r.ForwardedTo != "" {
		return "The payer decided nothing: it sent the claim on to " + r.ForwardedTo + ", whose remittance is the next to come."
	}
	step := r.Claim.NextStep()
	if q := r.Requested; q != nil && Idle(step) && r.ErasedAt.IsZero() {
		step = "The payer asks for more"
		if !q.Due.IsZero() {
			step += " by " + inWords(q.Due)
		}
		return step + ": answer its request " + q.ID.String() + "."
	}
	return step
}

// tooLateStep returns what a biller does about what the payer leaves to the patient because a filing limit was missed.
func (c *Claim) tooLateStep() string {
	return "The payer says that " + c.Standing.LateAmount.Dollars() + " came too late, which is never the patient's to pay: appeal with proof that it was in time, or reconcile it."
}

// Idle reports whether a next step says that nobody has to do anything.
func Idle(step string) bool { return strings.HasPrefix(step, "No action is needed") }

// errClaimState returns the CodeConflict error for a trigger that the claim's
// state does not allow.
func errClaimState(by Trigger, r *Record) error {
	if err := r.HasPatient(); err != nil {
		return err
	}
	if first := r.reopenFirst(by); first != "" {
		return &billing.Error{Code: billing.CodeConflict, Message: first}
	}
	return &billing.Error{Code: billing.CodeConflict, Message: precondition(by) + " The state of this claim is " + string(r.State) + kindWords(r) + ". " + r.NextStep()}
}

// reopenFirst says how a reconciled claim comes to be replaced or voided; empty for any other.
func (r *Record) reopenFirst(by Trigger) string {
	does, ok := map[Trigger]string{triggerReplace: "replace", triggerAskVoid: "void"}[by]
	switch {
	case !ok || r.State != Reconciled:
		return ""
	case r.ReconciledWith.IsZero():
		return "The claim is closed, because it is reconciled. Reopen the claim, then " + does + " it."
	default:
		return "The claim is closed, because it was reconciled when its remittance was posted. Reopen the claim, or unpost " +
			r.ReconciledWith.String() + ", then " + does + " it."
	}
}

// kindWords returns the reason that a claim differs from others in its state.
func kindWords(r *Record) string {
	switch {
	case r.HasVoid:
		return ", and a void was sent for it"
	case r.Frequency == FrequencyVoid:
		return ", and it voids another claim"
	case r.Kind == KindPredetermination:
		return ", and it is a predetermination"
	default:
		return ""
	}
}

// precondition returns a sentence that names the states in which callers can
// use the trigger.
func precondition(by Trigger) string {
	words := map[Trigger]string{
		TriggerSubmit:        "A claim can be submitted once it is validated.",
		triggerReplace:       "A claim can be replaced while it is accepted_payer, paid or denied, and has no void.",
		TriggerReconcile:     "A claim can be reconciled once it is paid or denied, and again when its payment changes.",
		triggerHold:          "A claim can be held while it is validated, or queued and in no batch.",
		TriggerReopen:        "A claim can be reopened once it is reconciled.",
		triggerAskVoid:       "A claim can be voided before it is sent, and once it is rejected, accepted, paid or denied, and only once. If it replaces one that the payer has, correct what the findings name first.",
		triggerBillSecondary: "A claim can be billed to the next payer unless it is a draft or voided.",
		triggerConvert:       "A predetermination can be converted once the payer has accepted or returned it.",
	}
	return cmp.Or(words[by], "A claim can be changed while it is draft, needs_attention or rejected.")
}

// lateStep returns what a biller does when the operator has to look after the claim's
// file; empty otherwise.
func (r *Record) lateStep() string {
	switch b := r.Batch; {
	case b == nil:
	case r.State == Queued && !b.UnknownSince.IsZero():
		return "It has been unknown since " + r.day(b.UnknownSince) +
			" whether the clearinghouse has the claim: ask the operator of the service to ask the clearinghouse."
	case r.State == Queued && b.Delayed():
		return "The clearinghouse has not taken the claim's file since " + r.day(b.DelayedSince) +
			": ask the operator of the service to check the connection."
	case r.State == Submitted && len(b.Overdue) > 0:
		return "The clearinghouse has not acknowledged the claim since it was sent on " + r.day(b.SentAt) +
			": ask the operator of the service to ask the clearinghouse."
	}
	return ""
}

// day returns the day of a time at the claim's office, as a sentence names it.
func (c *Claim) day(t time.Time) string {
	return inWords(c.Contract.Limits.Zone.Day(t))
}

func inWords(d billing.Date) string { return d.Time().Format("January 2, 2006") }

// nextStep returns what a biller does about the reason.
func (h Hold) nextStep() string {
	switch h {
	case HoldNoClearinghouse:
		return "The claim goes out with the next batch once a clearinghouse is configured for live mode."
	case HoldNoRoute:
		return "The claim goes out with the next batch once a clearinghouse is configured for this payer."
	case HoldPaused:
		return "The claim waits for the connection to this payer, which is paused: ask the operator of the service to enable it again."
	case HoldOffice:
		return "The claim waits for its office: ask the operator of the service to verify the office."
	case HoldRestore:
		return "The claim waits because the service was restored from a backup: ask the operator of the service when claims go out again."
	case HoldEnrollment:
		return "The claim waits for the enrollment of its office with the payer: record it as active once the network confirms it."
	}
	return ""
}
