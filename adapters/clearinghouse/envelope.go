package clearinghouse

import (
	"regexp"
	"time"
)

// The versions of the CORE rule (CORERuleVersion), by the namespace of their messages.
const (
	version22 = "2.2.0" // vC2.2.0, Phase II
	version40 = "4.0.0" // Phase IV

	namespace22 = "http://www.caqh.org/SOAP/WSDL/CORERule2.2.0.xsd"
	namespace40 = "http://www.caqh.org/SOAP/WSDL/CORERule4.0.0.xsd"
)

// The values of PayloadType.
const (
	payload270 = "X12_270_Request_005010X279A1"
	payload276 = "X12_276_Request_005010X212"
	payload271 = "X12_271_Response_005010X279A1"
	payload277 = "X12_277_Response_005010X212"
	payload999 = "X12_999_Response_005010X231A1"
	payloadTA1 = "X12_TA1_Response_00501X231A1"
)

const (
	realTime   = "RealTime"
	timeLayout = "2006-01-02T15:04:05Z"
)

// envelope is a CORE real-time message in either of its forms. The fields have their
// names in the messages.
type envelope struct {
	PayloadType, ProcessingMode, PayloadID, TimeStamp string
	SenderID, ReceiverID, CORERuleVersion             string
	Payload                                           string
	ErrorCode, ErrorMessage                           string // of a reply

	user, password string // of a request
	signed         bool   // a request has a signature in place of a user
	qualified      bool   // a field of a request is in a namespace, and so does not count
	phase4         bool   // the message is in the namespace of Phase IV
}

// The fields of a request, all of them required, and those that a reply adds, in the
// order of the schema.
//
//nolint:gochecknoglobals // constant tables
var (
	requestFields = [...]string{"PayloadType", "ProcessingMode", "PayloadID", "TimeStamp", "SenderID", "ReceiverID", "CORERuleVersion", "Payload"}
	replyFields   = append(requestFields[:], "ErrorCode", "ErrorMessage")
)

// field returns a field by its name, or nil.
func (e *envelope) field(name string) *string {
	return map[string]*string{
		"PayloadType": &e.PayloadType, "ProcessingMode": &e.ProcessingMode, "PayloadID": &e.PayloadID, "TimeStamp": &e.TimeStamp,
		"SenderID": &e.SenderID, "ReceiverID": &e.ReceiverID, "CORERuleVersion": &e.CORERuleVersion, "Payload": &e.Payload,
		"ErrorCode": &e.ErrorCode, "ErrorMessage": &e.ErrorMessage, "UserName": &e.user, "Password": &e.password,
	}[name]
}

// reply returns the reply to a request, without its payload.
func (e *envelope) reply(now time.Time) *envelope {
	return &envelope{
		ProcessingMode: realTime, PayloadID: e.PayloadID, TimeStamp: now.UTC().Format(timeLayout),
		SenderID: e.ReceiverID, ReceiverID: e.SenderID, CORERuleVersion: e.CORERuleVersion, phase4: e.phase4,
		ErrorCode: "Success", ErrorMessage: "None",
	}
}

// refuse makes the envelope a reply with an error and without a payload.
func (e *envelope) refuse(code, message string) {
	e.PayloadType, e.Payload, e.ErrorCode, e.ErrorMessage = "CoreEnvelopeError", "", code, message
}

var uuid = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// fault returns the error of a request's fields, or empty strings. Strict is the
// account whose identifiers must match; nil accepts any.
func (e *envelope) fault(strict *Account) (code, message string) {
	for _, name := range requestFields {
		switch {
		case *e.field(name) != "":
		case e.qualified:
			return name + "Required", "The field " + name + " is missing. Fields must have no namespace: give " + requestElement + " a prefix, and its fields none."
		default:
			return name + "Required", "The field " + name + " is missing or empty."
		}
	}
	switch {
	case e.CORERuleVersion != version22 && !e.phase4, e.CORERuleVersion != version40 && e.phase4:
		return "VersionMismatch", "CORERuleVersion must be 2.2.0, or 4.0.0 in the namespace of Phase IV."
	case e.PayloadType != payload270 && e.PayloadType != payload276:
		return "PayloadTypeNotUnderstood", "PayloadType must be " + payload270 + " or " + payload276 + "."
	case e.ProcessingMode != realTime:
		return "ProcessingModeNotUnderstood", "ProcessingMode must be RealTime."
	case strict == nil:
		return "", ""
	case !uuid.MatchString(e.PayloadID):
		return "PayloadIDIllegal", "PayloadID must be a UUID."
	case e.SenderID != strict.SenderID:
		return "SenderIDNotUnderstood", "SenderID is not the one of this account."
	case e.ReceiverID != strict.ReceiverID:
		return "ReceiverIDNotUnderstood", "ReceiverID is not the one of this clearinghouse."
	}
	if _, err := time.Parse(timeLayout, e.TimeStamp); err != nil {
		return "TimeStampIllegal", "TimeStamp must be UTC in seconds, such as 2026-01-31T17:05:09Z."
	}
	return "", ""
}
