package billing

import (
	"slices"
	"time"
)

// Judged settles a claim that was made or changed: findings are what the rules
// found. A draft is told what it lacks and stays a draft. Events tell of a
// state that is new.
func (c *Claim) Judged(findings []Finding, draft bool, at time.Time) ([]Event, error) {
	by, event := TriggerValidate, EventClaimValidated
	switch {
	case draft:
		by, event = TriggerDraft, ""
	case len(findings) > 0:
		by, event = TriggerFindings, EventClaimNeedsAttention
	}
	cause, err := c.ask(by, at)
	if err != nil {
		return nil, err
	}
	c.Findings = findings
	if event == "" || cause.Previous == c.State {
		return nil, nil
	}
	return []Event{c.Event(event, cause)}, nil
}

// Submit queues a validated claim for the next batch.
func (c *Claim) Submit(at time.Time) (Event, error) {
	cause, err := c.ask(TriggerSubmit, at)
	if err != nil {
		return Event{}, err
	}
	c.BatchID = FileID{}
	return c.Event(EventClaimQueued, cause), nil
}

// Replace puts other content in place of what the payer has, under the same ID
// and control number, and queues the claim again. Rules have found nothing in
// the content.
func (c *Claim) Replace(content *Claim, at time.Time) (Event, error) {
	cause, err := c.ask(TriggerReplace, at)
	if err != nil {
		return Event{}, err
	}
	next := *content
	next.ID, next.Scope, next.Kind, next.State, next.ParentID = c.ID, c.Scope, c.Kind, c.State, c.ParentID
	next.PatientControlNumber, next.RequestID, next.CreatedAt, next.UpdatedAt = c.PatientControlNumber, c.RequestID, c.CreatedAt, c.UpdatedAt
	next.SentAt, next.PayerClaimNumber, next.Payments, next.ReconciledAt = c.SentAt, c.PayerClaimNumber, c.Payments, c.ReconciledAt
	next.ConvertedFrom, next.History = c.ConvertedFrom, c.History
	next.Frequency, next.Findings, next.BatchID = FrequencyReplacement, nil, FileID{}
	*c = next
	return c.Event(EventClaimQueued, cause), nil
}

// Void makes the transaction that takes the claim back, under a control number
// of its own, already queued. The claim stays as it is until the payer has
// accepted the void.
func (c *Claim) Void(id ClaimID, controlNumber string, request RequestID, at time.Time) (*Claim, Event, error) {
	if _, err := c.ask(TriggerAskVoid, at); err != nil {
		return nil, Event{}, err
	}
	v := *c
	v.ID, v.Frequency, v.ParentID, v.PatientControlNumber, v.RequestID = id, FrequencyVoid, c.ID, controlNumber, request
	v.State, v.Findings, v.BatchID, v.SentAt, v.Payments = ClaimQueued, nil, FileID{}, time.Time{}, nil
	v.Estimate, v.ConvertedFrom, v.ConvertedTo = nil, ClaimID{}, ClaimID{}
	v.CreatedAt, v.UpdatedAt = at, at
	v.History = []ClaimMove{{State: ClaimQueued, At: at, Cause: TriggerAskVoid}}
	return &v, v.Event(EventClaimQueued, ClaimCause{At: at}), nil
}

// Voided takes the claim back, because the payer has accepted the transaction
// that voids it. It reports false when the claim cannot be voided any more.
func (c *Claim) Voided(cause ClaimCause) (Event, bool) {
	if !c.move(TriggerVoided, &cause) {
		return Event{}, false
	}
	return c.Event(EventClaimVoided, cause), true
}

// Convert makes the claim for services that the predetermination asked about,
// now that they are done. Days are the service dates by line number, from 1;
// lines without one are left out. The claim is yet to be judged.
func (c *Claim) Convert(id ClaimID, controlNumber string, days map[int]Date, request RequestID, at time.Time) (*Claim, error) {
	if !c.ConvertedTo.IsZero() {
		return nil, &Error{Code: CodeConflict, Message: "The predetermination was converted already: see converted_to."}
	}
	if _, err := c.ask(TriggerConvert, at); err != nil {
		return nil, err
	}
	next := *c
	next.ID, next.Kind, next.State, next.Frequency = id, KindClaim, "", FrequencyOriginal
	next.PatientControlNumber, next.RequestID, next.ConvertedFrom = controlNumber, request, c.ID
	next.Findings, next.BatchID, next.SentAt, next.PayerClaimNumber, next.Estimate, next.History = nil, FileID{}, time.Time{}, "", nil, nil
	next.CreatedAt, next.UpdatedAt, next.Lines = at, at, nil
	for i, l := range c.Lines {
		if day, ok := days[i+1]; ok {
			l.ServiceDate = day
			next.Lines = append(next.Lines, l)
		}
	}
	c.ConvertedTo = id
	return &next, nil
}

// Reconcile notes that the user has posted what was paid.
func (c *Claim) Reconcile(at time.Time) error {
	if _, err := c.ask(TriggerReconcile, at); err != nil {
		return err
	}
	c.ReconciledAt = at
	return nil
}

// Sent notes that the batch with the claim was handed to the network. It
// reports false when the claim does not wait for that.
func (c *Claim) Sent(b *Batch, at time.Time) (Event, bool) {
	cause := ClaimCause{File: &b.File, At: at}
	if c.BatchID != b.ID || !c.move(TriggerSend, &cause) {
		return Event{}, false
	}
	if c.SentAt.IsZero() {
		c.SentAt = at
	}
	return c.Event(EventClaimSubmitted, cause), true
}

// Requeue puts the claim back into the queue, because its file was rejected
// (cause.File is the answer). It reports false when another file is on its way.
func (c *Claim) Requeue(b *Batch, cause ClaimCause) (Event, bool) {
	if c.BatchID != b.ID || !c.move(TriggerFileRejected, &cause) {
		return Event{}, false
	}
	c.BatchID = FileID{}
	return c.Event(EventClaimQueued, cause), true
}

// Reported applies what a 277 says of the claim. It reports false when that
// changes nothing: it is no news, or it comes too late.
func (c *Claim) Reported(r *ClaimReport, cause ClaimCause) (Event, bool) {
	by, event := r.trigger()
	if by == TriggerNotFound && c.Frequency == FrequencyVoid {
		by, event = TriggerReject, EventClaimRejected // nobody could mend the transaction: the claim is voided once more
	}
	cause.Status = &r.Status
	moved := by != "" && c.move(by, &cause)
	if !moved && by == TriggerPayerAccept { // once more, from a payer that has the claim
		event, moved = EventClaimStatusUpdated, c.move(TriggerStatus, &cause)
	}
	if !moved {
		return Event{}, false
	}
	if r.PayerClaimNumber != "" && r.Side == SidePayer {
		c.PayerClaimNumber = r.PayerClaimNumber
	}
	if by == TriggerReject || by == TriggerNotFound {
		c.Findings = []Finding{r.finding()}
	}
	return c.Event(event, cause), true
}

// Returned applies a payer's answer to a predetermination. It reports false
// when the claim is none, or does not wait for one.
func (c *Claim) Returned(e ClaimEstimate, cause ClaimCause) (Event, bool) {
	if !c.move(TriggerReturn, &cause) {
		return Event{}, false
	}
	e.ReturnedAt = cause.At
	c.Estimate = &e
	return c.ReturnedEvent(cause, e), true
}

// Takes reports whether a payment, or for an estimate an answer, could be
// applied to the claim as it stands.
func (c *Claim) Takes(r *ERAClaim) bool {
	if r.Estimates() {
		_, ok := c.may(TriggerReturn)
		return ok
	}
	if _, ok := c.may(TriggerPay); !ok {
		return false
	}
	return !r.Reverses() || c.reversed(r.Payment(ERAID{})) >= 0
}

// Pay applies what a remittance says of the claim: a payment, a denial, or a
// reversal of one of them. It reports false, and changes nothing, when the
// claim is not in a state for it, or has nothing that the reversal cancels.
func (c *Claim) Pay(p ClaimPayment, cause ClaimCause) (Event, bool) {
	cancels := -1
	if p.Reverses() {
		if cancels = c.reversed(p); cancels < 0 {
			return Event{}, false
		}
	}
	next := *c
	next.Payments = append(slices.Clone(c.Payments), p)
	if cancels >= 0 {
		next.Payments[cancels].Cancelled, next.Payments[len(c.Payments)].Cancelled = true, true
	}
	standing := next.Standing()
	by, event := TriggerReverse, EventClaimPaymentReversed
	switch {
	case standing == nil:
	case standing.Outcome == OutcomeDenied:
		by = TriggerDeny
	default:
		by = TriggerPay
	}
	switch {
	case p.Reverses():
	case p.Denied:
		event = EventClaimDenied
	default:
		event = EventClaimPaid
	}
	if !next.move(by, &cause) {
		return Event{}, false
	}
	if p.PayerClaimNumber != "" {
		next.PayerClaimNumber = p.PayerClaimNumber
	}
	*c = next
	return c.PaymentEvent(event, cause, p, standing), true
}

// reversed finds the payment that a reversal cancels: the latest that stands,
// for the same amount, preferably under the payer's same number (005010X221A1,
// 1.10.2.8: a reversal repeats the claim with every sign turned round). It is
// -1 for none.
func (c *Claim) reversed(p ClaimPayment) int {
	found := -1
	for i, have := range slices.Backward(c.Payments) {
		if have.Cancelled || have.Reverses() || have.Paid != -p.Paid {
			continue
		}
		if number := have.PayerClaimNumber; number != "" && (number == p.PayerClaimNumber || number == p.Original) {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

// Standing is the claim's own figures after all that was applied; nil when
// nothing stands. A payment and the reversal that cancels it count for nothing:
// what they pay adds up to that, and with what they leave to the patient payers
// are not always so careful to turn the sign round. A denial that tells no
// allowed amount does not make that of a payment unknown.
func (c *Claim) Standing() *ClaimStanding {
	var s ClaimStanding
	known, told := true, false
	var allowed Money
	for i := range c.Payments {
		p := &c.Payments[i]
		if p.Cancelled {
			continue
		}
		s.Paid += p.Paid
		s.PatientResponsibility += p.PatientResponsibility
		s.ERAID, s.PaymentDate, s.Outcome = p.ERAID, p.Date, OutcomePaid
		if p.Denied {
			s.Outcome = OutcomeDenied
		}
		switch {
		case p.Allowed != nil:
			allowed += *p.Allowed
			told = true
		case !p.Denied:
			known = false
		}
	}
	if s.Outcome == "" {
		return nil
	}
	if known && told {
		s.Allowed = &allowed
	}
	return &s
}
