package remit

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Relate returns what a new payment is to its siblings: those that it corrects, which stand
// and have one of its claims, and the corrections that it supersedes, because it came
// before a person decided on them. Without either it is another part of the payment.
func (r *Remittance) Relate(siblings []*Remittance) (corrects, superseded []*Remittance) {
	also := map[billing.ERAID]bool{}
	for _, o := range siblings {
		if o.Undecided() && r.Outline.Shares(&o.Outline) {
			superseded = append(superseded, o)
			for _, id := range o.Corrects {
				also[id] = true
			}
		}
	}
	for _, o := range siblings {
		if o.Stands() && (also[o.ID] || r.Outline.Shares(&o.Outline)) {
			corrects, r.Corrects = append(corrects, o), append(r.Corrects, o.ID)
		}
	}
	return corrects, superseded
}

// Undecided reports whether the remittance corrects others, and waits for a decision.
func (e *ERA) Undecided() bool {
	return e.State == NeedsReview && len(e.Corrects) > 0 && e.Decided == nil
}

// Stands reports whether the claims of the remittance count: it was neither replaced nor
// discarded, and is no correction that waits.
func (e *ERA) Stands() bool {
	return (e.State == NeedsReview || e.State == Posted) && !e.Undecided()
}

// mustStand returns CodeConflict when the claims of the remittance do not count.
func (e *ERA) mustStand() error {
	var why string
	switch {
	case e.Undecided():
		why = "It corrects another remittance, and waits for a decision. Replace that one with it, or keep that one."
	case e.State == Replaced:
		why = "It was replaced by " + e.ReplacedBy.String() + "."
	case e.State == Discarded:
		why = "It was discarded. To use it after all, replace the other remittance with it."
	case len(e.TakingBack) > 0:
		why = "Molar is still replacing another remittance with it. Read it again in a minute."
	default:
		return nil
	}
	return &billing.Error{Code: billing.CodeConflict, Message: why}
}

// CanFinishClaims returns CodeConflict when no person can decide about single claims of the
// remittance now.
func (e *ERA) CanFinishClaims() error { return e.mustStand() }

// CanReplace reports whether the decision that the remittance stands in the place of others
// changes anything. It reports false when that was decided before. It returns CodeConflict
// when it corrects none, or the work on it has not ended.
func (e *ERA) CanReplace() (bool, error) {
	p := e.Progress
	switch {
	case e.Stands() && e.Decided != nil:
		return false, nil
	case e.Stands():
		return true, &billing.Error{Code: billing.CodeConflict, Message: "It corrects no other remittance."}
	case e.Stage != Done:
		return true, errBusy(e.ID)
	case p.Applied+p.NeedsReview+p.Unmatched+p.Ignored+p.Forwarded < e.ClaimCount:
		return true, &billing.Error{Code: billing.CodeConflict, Message: "Molar could not read all of its claims. Ask the operator to read it again: molar era retry."}
	default:
		return true, nil
	}
}

func errBusy(id billing.ERAID) error {
	return &billing.Error{Code: billing.CodeConflict, Message: "Molar is still working on " + id.String() + ". Try again in a minute."}
}

// Replace makes the remittance stand in the place of others of its payment, whose claims
// it takes over from now on. It returns CodeConflict while one of them is posted, or the
// work on it has not ended.
func (e *ERA) Replace(others []*ERA, n Note) error {
	for _, o := range others {
		switch {
		case o.State == Posted:
			return &billing.Error{Code: billing.CodeConflict, Message: "The remittance that it corrects is posted: " + o.ID.String() + ". Unpost it first, so that the practice's books can be corrected."}
		case o.Stage != Done || len(o.TakingBack) > 0:
			return errBusy(o.ID)
		}
	}
	e.TakingBack = nil
	for _, o := range others {
		o.State, o.ReplacedBy = Replaced, e.ID
		e.TakingBack = append(e.TakingBack, taking{ERA: o.ID})
	}
	e.State, e.Stage, e.ReplacedBy, e.Decided = NeedsReview, Applying, billing.ERAID{}, &n
	return nil
}

// Supersede records that a later correction came before a person decided on this one.
func (e *ERA) Supersede(by billing.ERAID) { e.State, e.ReplacedBy = Replaced, by }

// Untouched reports whether nothing was made of the remittance: no claim of it was applied,
// matched or ignored, and it is not posted.
func (e *ERA) Untouched() bool {
	return e.State == NeedsReview && e.MatchedCount+e.Progress.Applied+e.Progress.Ignored+e.Progress.Forwarded == 0
}

// Discard records that a person does not accept the correction. It reports false when that
// was recorded before. It returns CodeConflict when it does not wait for a decision.
func (e *ERA) Discard(n Note) (bool, error) {
	switch {
	case e.State == Discarded:
		return false, nil
	case e.Undecided():
		e.State, e.Decided = Discarded, &n
		return true, nil
	case e.State == Replaced:
		return false, e.mustStand()
	case len(e.Corrects) == 0:
		return false, &billing.Error{Code: billing.CodeConflict, Message: "It corrects no other remittance."}
	default:
		return false, &billing.Error{Code: billing.CodeConflict, Message: "It has replaced the other remittance. To undo that, replace it with the other one."}
	}
}

// SetAside records that a remittance claim does not count, because the remittance
// does not stand. What it matches stays, to be shown.
func (e *ERA) SetAside(r *Claim) {
	to := r.ClaimProgress
	to.Status, to.Review, to.AppliedAt = StatusIgnored, ReviewCorrection, time.Time{}
	if e.Undecided() {
		to.Status = StatusNeedsReview
	}
	e.Move(r, to)
}

// TakeUp records that a claim that was set aside is to be matched and applied.
func (e *ERA) TakeUp(r *Claim) { e.Move(r, ClaimProgress{Status: StatusPending}) }
