package claim

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
)

// Erase removes the people from the claim, and what is said of them. Services, amounts,
// control numbers and decisions stay: a later remittance still finds the claim and changes
// its figures. A claim that no payer decides any more, because it was not sent or was
// rejected, is voided; the event is then true.
//
// It returns CodeConflict for a claim on its way to a payer; see Erasable. One that is erased already
// stays as it is, without what was written to it since.
func (r *Record) Erase(by caller.Principal, at time.Time) (voided event.Event, is bool, err error) {
	if !r.ErasedAt.IsZero() {
		r.Content = r.withoutPeople()
		return event.Event{}, false, nil
	}
	before := len(r.History)
	if err := r.Erasable(); err != nil {
		return event.Event{}, false, err
	}
	cause := Cause{At: at}
	r.move(triggerErase, &cause)
	r.Content = r.withoutPeople()
	r.ErasedAt = at
	r.Findings, r.Edits, r.SubmitWhenReady = nil, billing.Edits{}, false
	moves := make([]Move, 0, before+1)
	for _, m := range r.History {
		m.Note = ""
		moves = append(moves, m)
	}
	if r.History = moves; len(moves) == before {
		r.History = append(r.History, Move{State: r.State, At: at, Cause: triggerErase})
	}
	r.named(before, by)
	r.Accepted = slices.Clone(r.Accepted)
	for i := range r.Accepted {
		r.Accepted[i].Note = ""
	}
	r.Appealing, r.Shown = nil, nil // the appeal goes with the letter, the plan with its check
	if r.Decisions = r.Decisions.Erased(); r.Held != nil {
		r.Held = &HeldBack{Until: r.Held.Until, Opens: r.Held.Opens, By: r.Held.By, At: r.Held.At}
	}
	return r.Event(event.ClaimVoided, cause), cause.Previous != r.State, nil
}

// Erasable returns CodeConflict while the claim is on its way to a payer: if its file is rejected,
// it is sent again, and must have its patient.
func (c *Claim) Erasable() error {
	if _, ok := c.may(triggerErase); ok || !c.ErasedAt.IsZero() {
		return nil
	}
	return &billing.Error{Code: billing.CodeConflict, Message: "The claim " + c.ID.String() + " is on its way to its payer." +
		" Void it if it was not sent; otherwise wait until the clearinghouse or the payer has accepted it."}
}

// HasPatient returns CodeConflict for an erased claim: nothing about its patient can be sent.
func (c *Claim) HasPatient() error {
	if c.ErasedAt.IsZero() {
		return nil
	}
	return &billing.Error{Code: billing.CodeConflict, Message: "The patient of this claim was erased, so no payer can get it again. Make a new claim."}
}

// withoutPeople returns what figures, and the remittances of later days, need of the content.
func (c *Content) withoutPeople() Content {
	kept := Content{
		OfficeID: c.OfficeID, Payer: c.Payer, ProviderID: c.ProviderID, Coverage: c.Coverage, PlaceOfService: c.PlaceOfService,
		Details: Details{PatientPaid: c.PatientPaid, PaysPatient: c.PaysPatient, NotAccepted: c.NotAccepted},
	}
	for _, o := range c.OtherCoverage {
		kept.OtherCoverage = append(kept.OtherCoverage, OtherCoverage{
			Sequence: o.Sequence, Payer: o.Payer, Relationship: o.Relationship, FilingIndicator: o.FilingIndicator, Adjudication: o.Adjudication,
		})
	}
	for _, l := range c.Lines {
		l.DiagnosisPointers = nil
		kept.Lines = append(kept.Lines, l)
	}
	return kept
}

// ofErased returns the triggers of callers that an erased claim does not have: payers need a patient.
func ofErased() []Trigger {
	return []Trigger{
		triggerValidate, triggerFindings, TriggerDraft, TriggerSubmit, triggerReplace, triggerAskVoid, triggerConvert, triggerBillSecondary, triggerErase,
	}
}
