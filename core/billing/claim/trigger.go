package claim

// Trigger is a cause that can move a claim from one state to another.
type Trigger string

// The triggers. Files apply theirs as they arrive, in any order.
const (
	triggerValidate            Trigger = "validation"             // made or changed, without findings
	triggerFindings            Trigger = "findings"               // made or changed, with findings
	TriggerDraft               Trigger = "draft"                  // made or changed as a draft
	TriggerSubmit              Trigger = "submit"                 // a caller sends it
	triggerReplace             Trigger = "replace"                // a caller replaces the content that the payer has
	TriggerSend                Trigger = "send"                   // the network has its file
	triggerFileRejected        Trigger = "file_rejected"          // a 997 or 999 rejects the file
	triggerFileRejectedAgain   Trigger = "file_rejected_again"    // so does one of live mode with the next file
	triggerClearinghouseAccept Trigger = "clearinghouse_accepted" // a 277CA of the clearinghouse
	TriggerPayerAccept         Trigger = "payer_accepted"         // a 277CA of the payer
	triggerReject              Trigger = "rejected"               // a 277CA, of either
	triggerNotFound            Trigger = "not_found"              // a 277CA with category A4
	triggerStatus              Trigger = "status"                 // a later 277
	TriggerPay                 Trigger = "payment"                // an 835, after which a payment stands
	triggerDeny                Trigger = "denial"                 // an 835, after which a denial stands
	triggerReverse             Trigger = "reversal"               // an 835, after which nothing stands; in the history, also one that takes a part back
	triggerReturn              Trigger = "estimate"               // an 835 with CLP02 25
	TriggerReconcile           Trigger = "reconcile"              // the user has posted the payment, again if it changed or is open
	triggerAskVoid             Trigger = "void"                   // a void transaction is made
	triggerVoided              Trigger = "voided"                 // the payer has accepted the void transaction
	triggerConvert             Trigger = "convert"                // the predetermination becomes a claim
	triggerBillSecondary       Trigger = "bill_secondary"         // the services are billed to the next payer, too
	TriggerReopen              Trigger = "reopen"                 // the user opens a reconciled claim again
	TriggerMatch               Trigger = "match"                  // a person matched a remittance claim
	TriggerApply               Trigger = "apply"                  // a person applied one that needed review
	TriggerIgnore              Trigger = "ignore"                 // a person finished one without applying it
	TriggerUnapply             Trigger = "unapply"                // a person took an application back
	TriggerEnrolled            Trigger = "enrollment"             // the enrollment that it waited for is active
	TriggerWithdraw            Trigger = "submit_withdrawn"       // it is no longer submitted by itself
	triggerEdit                Trigger = "edit"                   // a person or a program changed the content, and the state stayed
	triggerVoidUnsent          Trigger = "void_unsent"            // a caller voids a claim that no payer has
	triggerEarlierDecided      Trigger = "earlier_payer_decided"  // it has the decision of the payer before
	triggerEarlierChanged      Trigger = "earlier_payer_changed"  // it lacks one that it can be sent with
	TriggerCorrect             Trigger = "correct"                // a person replaced a remittance by its correction
	triggerHold                Trigger = "hold"                   // a person holds it back from batches
	triggerRelease             Trigger = "release"                // a person releases it
	TriggerSettle              Trigger = "settle"                 // a person decided about a task of it
	triggerUnsettle            Trigger = "unsettle"               // a person took such a decision back
	triggerIgnoreAdvice        Trigger = "advice_ignored"         // a person sends it without what the payer wants to see
	triggerErase               Trigger = "patient_erased"         // an operator removed the people from it
)
