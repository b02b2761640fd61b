package task

import "github.com/molar-billing/molar/core/billing/coverage"

// AskAgain is the operation that asks again for items of a batch of checks.
const AskAgain = "retryEligibilityBatch"

// OfACheckItem returns the work that the stored item of a batch of checks makes. It is due when the
// patient comes, and a day later nobody needs it any more.
func OfACheckItem(i *coverage.BatchItem) []Work {
	w := Work{
		Resource: Resource{OfCheckItem, i.ID}, OfficeID: i.OfficeID, Payer: i.Payer, Patient: i.Patient, Since: i.CompletedAt, DueOn: i.AppointmentOn,
	}
	if !i.AppointmentAt.IsZero() {
		w.Until = i.AppointmentAt.AddDate(0, 0, 1)
	}
	if w.Patient.IsZero() {
		w.Person = Person{i.PersonKey, i.PersonBorn}
	}
	if !w.DueOn.IsZero() {
		w.DueBy = DueByAppointment
	}
	return apply(checkItemRules, i, i.Decisions, i.CompletedAt, w)
}

// checkItemRules are the rules of items of batches of checks.
//
//nolint:gochecknoglobals // a constant table
var checkItemRules = []rule[*coverage.BatchItem]{
	{
		CheckNeedsPerson, func(i *coverage.BatchItem) bool { return i.NeedsAPerson },
		func(i *coverage.BatchItem, w *Work) {
			w.Reason, w.Actions = whyAPerson(i), []string{AskAgain}
			if !i.CheckID.IsZero() {
				w.Actions = append(w.Actions, "getEligibilityCheck")
			}
			if i.Outcome == coverage.ItemAnswered { // the same question has the same answer
				w.Actions = []string{"getEligibilityCheck", AskAgain}
			}
			if i.State() == coverage.ItemWaiting {
				w.Actions = append(w.Actions, "cancelEligibilityBatchItem")
			}
		},
	},
}

// whyAPerson says why the item needs a person, and what to do before the visit.
func whyAPerson(i *coverage.BatchItem) string {
	switch i.Outcome {
	case coverage.ItemRejected:
		return "The payer rejected the check: see why, correct what was sent, and ask again."
	case coverage.ItemInvalid:
		return "The check has faults, and the payer was not asked: correct them, and ask again."
	case coverage.ItemNotAsked:
		return "The payer was not asked before the time of the list was over: ask again, or call the payer."
	case coverage.ItemPayerUnavailable:
		return "The payer did not respond: ask again, or call the payer."
	case coverage.ItemError, coverage.ItemCanceled:
		return "The check failed: ask again, or call the payer."
	case coverage.ItemAnswered:
	}
	switch {
	case i.Status == coverage.Inactive:
		return "The payer says that the patient is not covered: ask the patient for another plan before the visit."
	case i.Status != coverage.Active:
		return "The payer does not say whether the patient is covered: call the payer before the visit."
	default:
		return "The payer has other details on file than were sent: open the check, and compare them before you bill."
	}
}
