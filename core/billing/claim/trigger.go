package billing

// ClaimTrigger is a cause that can move a claim from one state to another.
type ClaimTrigger string

// The triggers. Files apply theirs as they arrive, in any order.
const (
	TriggerValidate            ClaimTrigger = "validation"             // made or changed, without findings
	TriggerFindings            ClaimTrigger = "findings"               // made or changed, with findings
	TriggerDraft               ClaimTrigger = "draft"                  // made or changed as a draft
	TriggerSubmit              ClaimTrigger = "submit"                 // a caller sends it
	TriggerReplace             ClaimTrigger = "replace"                // a caller replaces the content that the payer has
	TriggerSend                ClaimTrigger = "send"                   // the network has its file
	TriggerFileRejected        ClaimTrigger = "file_rejected"          // a 997 or 999 rejects the file
	TriggerFileRejectedAgain   ClaimTrigger = "file_rejected_again"    // so does one of live mode with the next file
	TriggerClearinghouseAccept ClaimTrigger = "clearinghouse_accepted" // a 277CA of the clearinghouse
	TriggerPayerAccept         ClaimTrigger = "payer_accepted"         // a 277CA of the payer
	TriggerReject              ClaimTrigger = "rejected"               // a 277CA, of either
	TriggerNotFound            ClaimTrigger = "not_found"              // a 277CA with category A4
	TriggerStatus              ClaimTrigger = "status"                 // a later 277
	TriggerPay                 ClaimTrigger = "payment"                // an 835, after which a payment stands
	TriggerDeny                ClaimTrigger = "denial"                 // an 835, after which a denial stands
	TriggerReverse             ClaimTrigger = "reversal"               // an 835, after which nothing stands
	TriggerReturn              ClaimTrigger = "estimate"               // an 835 with CLP02 25
	TriggerReconcile           ClaimTrigger = "reconcile"              // the user has posted the payment, again if it changed or is open
	TriggerAskVoid             ClaimTrigger = "void"                   // a void transaction is made
	TriggerVoided              ClaimTrigger = "voided"                 // the payer has accepted the void transaction
	TriggerConvert             ClaimTrigger = "convert"                // the predetermination becomes a claim
	TriggerBillSecondary       ClaimTrigger = "bill_secondary"         // the services are billed to the next payer, too
	TriggerReopen              ClaimTrigger = "reopen"                 // the user opens a reconciled claim again
	TriggerMatch               ClaimTrigger = "match"                  // a person matched a remittance claim
	TriggerApply               ClaimTrigger = "apply"                  // a person applied one that needed review
	TriggerIgnore              ClaimTrigger = "ignore"                 // a person finished one without applying it
	TriggerUnapply             ClaimTrigger = "unapply"                // a person took an application back
	TriggerEnrolled            ClaimTrigger = "enrollment"             // the enrollment that it waited for is active
	TriggerWithdraw            ClaimTrigger = "submit_withdrawn"       // it is no longer submitted by itself
	TriggerVoidUnsent          ClaimTrigger = "void_unsent"            // a caller voids a claim that was never sent
	TriggerEarlierDecided      ClaimTrigger = "earlier_payer_decided"  // it has the decision of the payer before
	TriggerEarlierChanged      ClaimTrigger = "earlier_payer_changed"  // it lacks one that it can be sent with
	TriggerCorrect             ClaimTrigger = "correct"                // a person replaced a remittance by its correction
)
