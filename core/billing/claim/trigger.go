package claim

// Trigger is a cause that can move a claim from one state to another.
type Trigger string

// The triggers. Files apply theirs as they arrive, in any order.
const (
	TriggerValidate            Trigger = "validation"             // made or changed, without findings
	TriggerFindings            Trigger = "findings"               // made or changed, with findings
	TriggerDraft               Trigger = "draft"                  // made or changed as a draft
	TriggerSubmit              Trigger = "submit"                 // a caller sends it
	TriggerReplace             Trigger = "replace"                // a caller replaces the content that the payer has
	TriggerSend                Trigger = "send"                   // the network has its file
	TriggerFileRejected        Trigger = "file_rejected"          // a 997 or 999 rejects the file
	TriggerFileRejectedAgain   Trigger = "file_rejected_again"    // so does one of live mode with the next file
	TriggerClearinghouseAccept Trigger = "clearinghouse_accepted" // a 277CA of the clearinghouse
	TriggerPayerAccept         Trigger = "payer_accepted"         // a 277CA of the payer
	TriggerReject              Trigger = "rejected"               // a 277CA, of either
	TriggerNotFound            Trigger = "not_found"              // a 277CA with category A4
	TriggerStatus              Trigger = "status"                 // a later 277
	TriggerPay                 Trigger = "payment"                // an 835, after which a payment stands
	TriggerDeny                Trigger = "denial"                 // an 835, after which a denial stands
	TriggerReverse             Trigger = "reversal"               // an 835, after which nothing stands; in the history, also one that takes a part back
	TriggerReturn              Trigger = "estimate"               // an 835 with CLP02 25
	TriggerReconcile           Trigger = "reconcile"              // the user has posted the payment, again if it changed or is open
	TriggerAskVoid             Trigger = "void"                   // a void transaction is made
	TriggerVoided              Trigger = "voided"                 // the payer has accepted the void transaction
	TriggerConvert             Trigger = "convert"                // the predetermination becomes a claim
	TriggerBillSecondary       Trigger = "bill_secondary"         // the services are billed to the next payer, too
	TriggerReopen              Trigger = "reopen"                 // the user opens a reconciled claim again
	TriggerMatch               Trigger = "match"                  // a person matched a remittance claim
	TriggerApply               Trigger = "apply"                  // a person applied one that needed review
	TriggerIgnore              Trigger = "ignore"                 // a person finished one without applying it
	TriggerUnapply             Trigger = "unapply"                // a person took an application back
	TriggerEnrolled            Trigger = "enrollment"             // the enrollment that it waited for is active
	TriggerWithdraw            Trigger = "submit_withdrawn"       // it is no longer submitted by itself
	TriggerEdit                Trigger = "edit"                   // a person or a program changed the content, and the state stayed
	TriggerVoidUnsent          Trigger = "void_unsent"            // a caller voids a claim that was never sent
	TriggerEarlierDecided      Trigger = "earlier_payer_decided"  // it has the decision of the payer before
	TriggerEarlierChanged      Trigger = "earlier_payer_changed"  // it lacks one that it can be sent with
	TriggerCorrect             Trigger = "correct"                // a person replaced a remittance by its correction
	TriggerHold                Trigger = "hold"                   // a person holds it back from batches
	TriggerRelease             Trigger = "release"                // a person releases it
	TriggerSettle              Trigger = "settle"                 // a person decided about a task of it
	triggerIgnoreAdvice        Trigger = "advice_ignored"         // a person sends it without what the payer wants to see
	TriggerErase               Trigger = "patient_erased"         // an operator removed the people from it
)
