package task

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
)

// OfARemittance returns the work that the stored remittance makes, once callers can see it.
func OfARemittance(e *remit.ERA) []Work {
	if e.ReceivedAt.IsZero() {
		return nil
	}
	return apply(remittanceRules, e, e.Decisions, time.Time{}, Work{
		Resource: Resource{OfRemittance, e.ID}, OfficeID: e.OfficeID, Payer: e.Payer, Amount: e.Payment.Total.Abs(), Since: e.ReceivedAt,
	})
}

// remittanceRules are the rules of remittances.
//
//nolint:gochecknoglobals // a constant table
var remittanceRules = []rule[*remit.ERA]{
	{
		RemittanceUnbalanced, func(e *remit.ERA) bool {
			return e.NeedsAttention() && e.PaymentBalance().Failed > 0 && e.Acknowledged == nil
		},
		says[*remit.ERA]("The payment does not add up: ask the payer, or acknowledge it.", "acknowledgeERA"),
	},
	{
		RemittanceUnmatched, func(e *remit.ERA) bool { return e.Stage == remit.Done && e.Stands() && e.Unfinished() > 0 },
		func(e *remit.ERA, w *Work) {
			if e.Waiting != nil {
				w.Amount = e.Waiting.Abs()
			}
			w.Reason, w.Actions = "Claims of the remittance are unfinished: match or ignore each.", []string{"matchERAClaim", "ignoreERAClaim"}
			if e.Counted().NeedsReview > 0 { // only one that matches a claim is applied to it
				w.Reason, w.Actions = "Claims of the remittance are unfinished: match, apply or ignore each.", []string{"matchERAClaim", "applyERAClaim", "ignoreERAClaim"}
			}
		},
	},
	{
		RemittanceCorrection, (*remit.ERA).Undecided,
		says[*remit.ERA]("The remittance corrects an earlier one: replace that one with it, or keep that one.", "replaceERA", "keepERA"),
	},
	{
		RemittanceToPost, func(e *remit.ERA) bool {
			return e.Stage == remit.Done && e.State == remit.NeedsReview && e.Stands() && !e.NeedsAttention()
		},
		says[*remit.ERA]("Every claim of the remittance is applied: post it.", "postERA"),
	},
	{
		DepositMissing, func(e *remit.ERA) bool {
			at := e.BankStatus()
			return e.Stands() && (at == remit.DepositAwaited || at == remit.DepositPartly && !e.Bank.From.IsZero())
		},
		func(e *remit.ERA, w *Work) {
			w.Amount, w.Since = e.Awaited(), limit.Zone("").Begins(e.Due().AddBusinessDays(missingAfter+1))
			w.Reason, w.Actions = "The money of the remittance did not arrive: find the deposit, or ask the payer to trace the payment.", []string{"matchDeposit"}
		},
	},
}

// CorrectsPosted lets the task of a correction say that the remittance that it corrects is posted.
func (t *Task) CorrectsPosted(id billing.ERAID) {
	t.Reason = "The remittance corrects " + id.String() + ", which is posted: unpost that one, then replace it, or keep it as it is."
	t.Actions = []string{"getERA", "keepERA"}
}

// missingAfter is for how many business days after the payment its money may be on the way.
const missingAfter = 5

// OfADeposit returns the work that the stored deposit makes, once its remittance should have come.
func OfADeposit(d *deposit.Deposit) []Work {
	return apply(depositRules, d, d.Decisions, time.Time{}, Work{
		Resource: Resource{OfDeposit, d.ID}, Amount: d.Rest(), Since: limit.Zone("").Begins(d.Date.AddBusinessDays(deposit.Apart + 1)),
	})
}

// depositRules are the rules of deposits.
//
//nolint:gochecknoglobals // a constant table
var depositRules = []rule[*deposit.Deposit]{
	{
		DepositUnmatched, func(d *deposit.Deposit) bool { return d.State == deposit.Unmatched },
		says[*deposit.Deposit]("A payer's money arrived, and no remittance explains it: match it, or ask the payer for the remittance.", "matchDeposit"),
	},
}

// says is a sentence that does not depend on the resource, with its operations.
func says[R any](reason string, actions ...string) func(R, *Work) {
	return func(_ R, w *Work) { w.Reason, w.Actions = reason, actions }
}

// OfAPayerRequest returns the work that the stored payer request makes.
func OfAPayerRequest(r *attachment.PayerRequest) []Work {
	return apply(payerRequestRules, r, r.Decisions, time.Time{}, Work{
		Resource: Resource{OfPayerRequest, r.ID}, OfficeID: r.OfficeID, Payer: r.Payer, Patient: r.PatientID, Since: r.CreatedAt,
	})
}

// payerRequestRules are the rules of payer requests.
//
//nolint:gochecknoglobals // a constant table
var payerRequestRules = []rule[*attachment.PayerRequest]{
	{
		RequestDue, func(r *attachment.PayerRequest) bool { return r.State == attachment.PayerRequestOpen },
		func(r *attachment.PayerRequest, w *Work) {
			w.Reason, w.Actions = "The payer asks for more: answer it with an attachment, or note how you answered.", []string{"answerPayerRequest"}
			if w.DueOn = r.DueDate; !w.DueOn.IsZero() {
				w.DueBy = DueByPayer
			}
		},
	},
}

// OfAnAttachment returns the work that the stored attachment makes: one that nobody closed
// for a day is not sent.
func OfAnAttachment(a *attachment.Attachment) []Work {
	return apply(attachmentRules, a, a.Decisions, time.Time{}, Work{Resource: Resource{OfAttachment, a.ID}, OfficeID: a.OfficeID, Payer: a.Payer, Since: a.UpdatedAt.Add(attachAge)})
}

// attachmentRules are the rules of attachments.
//
//nolint:gochecknoglobals // a constant table
var attachmentRules = []rule[*attachment.Attachment]{
	{
		ImagesUnsent, func(a *attachment.Attachment) bool { return a.State == attachment.Open && a.Sending.IsZero() },
		func(a *attachment.Attachment, w *Work) {
			const left = "The attachment was left open for a day, and the payer does not have it: "
			switch {
			case len(a.Documents) == 0:
				w.Reason, w.Actions = left+"upload what belongs to it.", []string{"uploadDocument"}
			case a.Kind == attachment.Solicited:
				w.Reason, w.Actions = left+"answer the payer's request with it.", []string{"answerPayerRequest"}
			default:
				w.Reason, w.Actions = left+"close it.", []string{"closeAttachment"}
			}
		},
	},
}

// OfAnEnrollment returns the work that the stored enrollment makes.
func OfAnEnrollment(e *network.Enrollment) []Work {
	w := Work{Kind: EnrollmentWaiting, Resource: Resource{OfEnrollment, e.ID}, OfficeID: e.OfficeID, Payer: e.Payer, Since: e.UpdatedAt, Actions: []string{"putEnrollment"}}
	switch e.State {
	case directory.EnrollmentNeeded:
		w.Reason = "The payer needs an enrollment of the office: apply for it, then record that you did."
	case directory.EnrollmentRejected:
		w.Reason = "The payer refused to enroll the office: read its message, then apply again."
	case directory.EnrollmentSubmitted, directory.EnrollmentActive, directory.EnrollmentNotNeeded:
		return nil
	default:
		return nil
	}
	return []Work{w}
}
