package claim

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
