package claim

import (
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// What tests name of the triggers that nothing outside fires.
const (
	TriggerValidate            = triggerValidate
	TriggerFindings            = triggerFindings
	TriggerReplace             = triggerReplace
	TriggerFileRejected        = triggerFileRejected
	TriggerFileRejectedAgain   = triggerFileRejectedAgain
	TriggerClearinghouseAccept = triggerClearinghouseAccept
	TriggerReject              = triggerReject
	TriggerNotFound            = triggerNotFound
	TriggerStatus              = triggerStatus
	TriggerDeny                = triggerDeny
	TriggerReverse             = triggerReverse
	TriggerReturn              = triggerReturn
	TriggerAskVoid             = triggerAskVoid
	TriggerVoided              = triggerVoided
	TriggerConvert             = triggerConvert
	TriggerEdit                = triggerEdit
	TriggerVoidUnsent          = triggerVoidUnsent
	TriggerEarlierDecided      = triggerEarlierDecided
	TriggerEarlierChanged      = triggerEarlierChanged
	TriggerErase               = triggerErase
)

// Cancels is for tests of reversals.
func (l *Ledger) Cancels(r *remit.LedgerEntry) bool { return l.cancels(r) }

// ReturnedEvent is for the goldens of events.
func (c *Claim) ReturnedEvent(cause Cause, e remit.ClaimEstimate) event.Event {
	return c.returnedEvent(cause, e)
}

// PaymentEvent is for the goldens of events.
func (c *Claim) PaymentEvent(t event.Type, cause Cause, p remit.ClaimPayment, standing *Standing) event.Event {
	return c.paymentEvent(t, cause, p, standing)
}
