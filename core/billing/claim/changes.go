package claim

import (
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/contract"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Judged applies the findings of the rules to a claim that was made or changed.
// A draft keeps them and stays a draft. Judged returns an event for each new
// state.
func (r *Record) Judged(findings []Finding, draft bool, at time.Time) ([]event.Event, error) {
	by, e := triggerValidate, event.ClaimValidated
	switch {
	case draft:
		by, e = TriggerDraft, ""
	case len(findings) > 0:
		by, e = triggerFindings, event.ClaimNeedsAttention
	}
	cause, err := r.ask(by, at)
	if err != nil {
		return nil, err
	}
	if r.Findings = findings; !r.Awaits() {
		r.SetElsewhere(r.Claim.Ledger(nil)) // what the content says of other payers
	}
	if e == "" || cause.Previous == r.State {
		return nil, nil
	}
	return []event.Event{r.Event(e, cause)}, nil
}

// Submit queues a validated claim for the next batch, unless a void of it is on its way: see ask. One that waits for its enrollment
// alone is refused, and queued once the enrollment is active: SubmitWhenReady.
func (r *Record) Submit(at time.Time) (event.Event, error) {
	cause := Cause{At: at}
	if r.HasVoid || !r.queue(&cause) {
		if !r.HasVoid && !r.SubmitWhenReady && r.awaitsEnrollment() {
			r.SubmitWhenReady, r.UpdatedAt = true, at
		}
		return event.Event{}, errClaimState(TriggerSubmit, r)
	}
	return r.Event(event.ClaimQueued, cause), nil
}

// Replace replaces the content that the payer has and queues the claim again,
// with the same ID and control number. The content must have no findings.
func (r *Record) Replace(content Content, at time.Time) (event.Event, error) {
	cause, err := r.ask(triggerReplace, at)
	if err != nil {
		return event.Event{}, err
	}
	r.Content, r.Frequency = content, FrequencyReplacement
	r.Findings, r.BatchID = nil, billing.FileID{}
	return r.Event(event.ClaimQueued, cause), nil
}

// Void returns a queued transaction that voids the claim, with a control number
// of its own. The claim does not change until the payer accepts the void.
func (r *Record) Void(id billing.ClaimID, controlNumber string, request billing.RequestID, at time.Time) (*Record, event.Event, error) {
	if _, err := r.ask(triggerAskVoid, at); err != nil {
		return nil, event.Event{}, err
	}
	v := &Claim{
		ID: id, Scope: r.Scope, Kind: r.Kind, Frequency: FrequencyVoid, ParentID: r.ID, PatientControlNumber: controlNumber,
		RequestID: request, CreatedAt: at, Content: r.Content,
		Progress: Progress{
			State: Queued, PayerClaimNumber: r.PayerClaimNumber, UpdatedAt: at, Contract: contract.Contract{Limits: limit.Set{Zone: r.Contract.Limits.Zone}},
			History: []Move{{State: Queued, At: at, Cause: triggerAskVoid}},
		},
	}
	return &Record{Claim: v, OfficeName: r.OfficeName, Provider: r.Provider}, v.Event(event.ClaimQueued, Cause{At: at}), nil
}

// VoidUnsent voids a claim that no payer has to void: no file has carried it, or it came back. It reports false for
// any other claim.
func (r *Record) VoidUnsent(at time.Time) (event.Event, bool) {
	cause := Cause{At: at}
	if !r.move(triggerVoidUnsent, &cause) {
		return event.Event{}, false
	}
	r.SubmitWhenReady = false
	return r.Event(event.ClaimVoided, cause), true
}

// Convert returns a claim for services of the predetermination that are done. Days
// are the service dates by line number, from 1. Lines without one are left out.
// The rules have not judged the claim.
func (r *Record) Convert(id billing.ClaimID, controlNumber string, days map[int]billing.Date, request billing.RequestID, at time.Time) (*Claim, error) {
	if !r.ConvertedTo.IsZero() {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The predetermination was already converted. converted_to is the ID of the new claim."}
	}
	if _, err := r.ask(triggerConvert, at); err != nil {
		return nil, err
	}
	next := &Claim{
		ID: id, Scope: r.Scope, Kind: KindClaim, Frequency: FrequencyOriginal, ConvertedFrom: r.ID, PatientControlNumber: controlNumber,
		RequestID: request, CreatedAt: at, Content: r.Content, Progress: Progress{UpdatedAt: at},
	}
	if r.PayerClaimNumber != "" { // the payer's number of its estimate
		next.PredeterminationNumber = r.PayerClaimNumber
	}
	next.Lines = nil
	for i, l := range r.Lines {
		if day, ok := days[i+1]; ok {
			l.ServiceDate = day
			next.Lines = append(next.Lines, l)
		}
	}
	r.ConvertedTo = id
	return next, nil
}

// Reconcile records that the user has posted the payment. What is open must be accepted:
// nil accepts nothing. By is the key or the user.
//
// Errors: CodeConflict for another state, or an open amount that is not accepted;
// CodeInvalidRequest for another amount than the open one.
func (r *Record) Reconcile(accept *AcceptedOpen, by string, at time.Time) error {
	if _, err := r.ask(TriggerReconcile, at); err != nil {
		return err
	}
	if err := r.accept(accept); err != nil {
		return err
	}
	r.ReconciledWith = billing.ERAID{}
	if r.ReconciledAt = at; at.Before(r.SettledAt) { // at the same instant; see settledAt
		r.ReconciledAt = r.SettledAt
	}
	step := &r.History[len(r.History)-1]
	if step.By = by; accept != nil {
		step.Note = accept.Note
	}
	return nil
}

// accept keeps what a person accepts of the open amount.
func (r *Record) accept(a *AcceptedOpen) error {
	var f billing.Faults
	c := r.Claim
	open := c.Open()
	switch {
	case a == nil && open == 0:
		return nil
	case a == nil:
		return &billing.Error{Code: billing.CodeConflict, Message: open.Dollars() + " of the claim is open. Send accept_open with lines that add up to this amount. " + c.openStep(open)}
	case open == 0:
		f.Add("accept_open", billing.FaultNotAllowed, "Nothing of the claim is open. Leave accept_open out.")
	case a.Sum() != open:
		f.Add("accept_open.lines", billing.FaultConflict, "The amounts add up to "+a.Sum().Dollars()+", but "+open.Dollars()+" is open. Read the claim again.")
	}
	if line, late := r.late(); late && open > 0 && a.As == AcceptBillPatient {
		f.Add("accept_open.as", billing.FaultNotAllowed, "The payer refuses "+line+" because a filing limit was missed (reason 29), which is never the patient's to pay. "+
			"Send write_off. If a part is the patient's for another reason, send other, and say in the note what becomes of each part.")
	}
	for i, l := range a.Lines {
		if l.Number > len(c.Lines) {
			f.Add("accept_open.lines."+strconv.Itoa(i)+".line_number", billing.FaultRange, "The claim has no line with this number. The first line is 1.")
		}
	}
	c.Accepted = append(slices.Clip(c.Accepted), *a)
	return f.Err()
}

// late returns what is open because a payer says that a filing limit was missed, in words: the first
// such line, or all of the claim.
func (r *Record) late() (what string, is bool) {
	l := r.Ledger
	if l == nil {
		l = r.Claim.Ledger(nil)
	}
	refused := l.tally()
	for _, e := range l.decisions() {
		e.addStanding(refused, remit.Adjustment.Late)
	}
	if refused[0] > 0 {
		return "the claim", true
	}
	for n, open := range l.OpenLines() {
		if open > 0 && refused[n+1] > 0 {
			return "line " + strconv.Itoa(n+1), true
		}
	}
	return "", false
}

// IsHeld reports whether a person holds the claim back. What they said stays when the claim
// goes back to be changed, and holds it again afterwards.
func (c *Claim) IsHeld() bool { return c.Held != nil && c.holdable() }

func (c *Claim) holdable() bool {
	return c.State == Validated || c.State == Queued && c.BatchID.IsZero()
}

// heldStep returns what a biller does about a claim that a person holds back.
func (c *Claim) heldStep() string {
	if c.Held.Until.IsZero() {
		return "The claim is held, and no batch takes it: release it to send it."
	}
	return "The claim is held, and no batch takes it: look at it on " + inWords(c.Held.Until) + ", or release it to send it."
}

// HoldBack keeps the claim out of batches until a person releases it; its state stays. Until
// may be zero; opens is when that day begins at the claim's office.
//
// Errors: CodeConflict for a claim that is neither validated, nor queued and in no batch.
func (r *Record) HoldBack(reason string, until billing.Date, opens time.Time, by caller.Principal, at time.Time) error {
	if !r.holdable() {
		return errClaimState(triggerHold, r)
	}
	r.Held = &HeldBack{Reason: reason, Until: until, Opens: opens, By: by.ID, At: at}
	r.Noted(triggerHold, Cause{At: at}, by, reason)
	return nil
}

// Release lets the claim go out with the next batch once it is queued.
//
// Errors: CodeConflict for a claim that is not held.
func (r *Record) Release(by caller.Principal, at time.Time) error {
	if r.Held == nil {
		return &billing.Error{Code: billing.CodeConflict, Message: "The claim is not held. " + r.NextStep()}
	}
	r.Held = nil
	r.Noted(triggerRelease, Cause{At: at}, by, "")
	return nil
}

// Decide keeps what a person decided about work that the claim makes, or that it is taken back.
func (r *Record) Decide(d decision.Decision, by caller.Principal) {
	cause := TriggerSettle
	if d.As == "" {
		cause = triggerUnsettle
	}
	if payer := r.Shown.PayerID(); d.As == decision.NotBilled && !payer.IsZero() {
		d = r.Decisions.Adding(payer, d)
	}
	r.Decisions = r.Decisions.With(d)
	r.Noted(cause, Cause{At: d.At}, by, d.Note)
}

// Edited records who changed the claim: in the new steps of its history, and for another
// content also in its edits. The history says so once for the changes that one after
// another makes to the content of a claim that stays in its state.
func (c *Claim) Edited(was Claim, by caller.Principal, at time.Time) {
	is := *c
	was.Coverage, is.Coverage = was.Turn(), is.Turn()
	edits := c.Edits.After(was, is, by.ID, at)
	c.History = slices.Clone(c.History)
	c.named(len(was.History), by)
	if edits.Count == c.Edits.Count {
		return
	}
	c.Edits = edits
	last := len(c.History) - 1
	switch {
	case len(c.History) > len(was.History):
	case last >= 0 && c.History[last].Cause == triggerEdit && c.History[last].By == by.ID:
		c.History[last].At = at
	default:
		c.Noted(triggerEdit, Cause{At: at}, by, "")
	}
}

// Made records who made the claim.
func (c *Claim) Made(by caller.Principal) { c.named(0, by) }

// named sets who did the steps of the history from the first one on that name no one.
func (c *Claim) named(first int, by caller.Principal) {
	for i := first; i < len(c.History); i++ {
		if c.History[i].By == "" {
			c.History[i].By = by.ID
		}
	}
}

// ask applies a trigger of a caller. It returns CodeConflict, with the reason,
// when the claim's state does not allow the trigger.
func (r *Record) ask(by Trigger, at time.Time) (Cause, error) {
	cause := Cause{At: at}
	voided := r.HasVoid && by == triggerReplace // the payer may process void and replacement in any order
	if voided || !r.move(by, &cause) {
		return cause, errClaimState(by, r)
	}
	return cause, nil
}
