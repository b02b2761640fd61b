package coverage

// RejectionKind is the kind of a rejection. It shows whether it helps to send
// the check again.
type RejectionKind string

// The rejection kinds.
const (
	RejectionFixAndResend     RejectionKind = "fix_and_resend"
	RejectionPayerUnavailable RejectionKind = "payer_unavailable"
	RejectionRejected         RejectionKind = "rejected"
)

// Rejection is a payer's reply without benefits, with the reasons.
type Rejection struct {
	Kind      RejectionKind
	PayerCode string // the payer's own code: the first AAA03
	Reasons   []RejectionReason
}

// ReasonCode is the code of a reason for a rejection.
type ReasonCode string

// The reasons.
const (
	ReasonMemberNotFound         ReasonCode = "MEMBER_NOT_FOUND"
	ReasonPatientIsDependent     ReasonCode = "PATIENT_IS_DEPENDENT"
	ReasonDateOfBirthMismatch    ReasonCode = "DATE_OF_BIRTH_MISMATCH"
	ReasonMemberIDInvalid        ReasonCode = "MEMBER_ID_INVALID"
	ReasonMemberIDDuplicate      ReasonCode = "MEMBER_ID_DUPLICATE"
	ReasonNameMismatch           ReasonCode = "NAME_MISMATCH"
	ReasonServiceDateInvalid     ReasonCode = "SERVICE_DATE_INVALID"
	ReasonRequestInvalid         ReasonCode = "REQUEST_INVALID"
	ReasonRequestNotAccepted     ReasonCode = "REQUEST_NOT_ACCEPTED"
	ReasonProviderNotOnFile      ReasonCode = "PROVIDER_NOT_ON_FILE"
	ReasonProviderNotEligible    ReasonCode = "PROVIDER_NOT_ELIGIBLE"
	ReasonPatientNotEligible     ReasonCode = "PATIENT_NOT_ELIGIBLE"
	ReasonPatientDetailsRequired ReasonCode = "PATIENT_DETAILS_REQUIRED"
	ReasonPayerNotAnswering      ReasonCode = "PAYER_NOT_ANSWERING"
	ReasonPayerRejectedOther     ReasonCode = "PAYER_REJECTED_OTHER"
)

// ReasonCodes returns every reason in the order of the API contract.
func ReasonCodes() []ReasonCode {
	return []ReasonCode{
		ReasonMemberNotFound, ReasonPatientIsDependent, ReasonDateOfBirthMismatch, ReasonMemberIDInvalid, ReasonMemberIDDuplicate,
		ReasonNameMismatch, ReasonServiceDateInvalid, ReasonRequestInvalid, ReasonRequestNotAccepted, ReasonProviderNotOnFile,
		ReasonProviderNotEligible, ReasonPatientNotEligible, ReasonPatientDetailsRequired, ReasonPayerNotAnswering,
		ReasonPayerRejectedOther,
	}
}

// About is the subject of a reason: the person or thing that it is about.
type About string

// The subjects of a reason.
const (
	AboutSubscriber    About = "subscriber"
	AboutPatient       About = "patient"
	AboutProvider      About = "provider"
	AboutRequest       About = "request"
	AboutClearinghouse About = "clearinghouse"
	AboutPayer         About = "payer"
)

// RejectionReason is one problem that a payer reports.
type RejectionReason struct {
	Code           ReasonCode
	About          About
	Field          string // the request field to change; empty for none
	Message        string
	Fix            string
	SuggestedValue string // the payer's own value, if it sent one; may be patient data
}
