package directory

// EnrollmentState is the state of the enrollment of an office with a payer, for a
// transaction. It is what claims and checks must know of the enrollment.
type EnrollmentState string

// The states of an enrollment. People record them as the network reports them, so any
// may follow any other.
const (
	EnrollmentNotNeeded EnrollmentState = "not_needed" // also without a record
	EnrollmentNeeded    EnrollmentState = "needed"     // nothing was sent to the network yet
	EnrollmentSubmitted EnrollmentState = "submitted"
	EnrollmentActive    EnrollmentState = "active"
	EnrollmentRejected  EnrollmentState = "rejected"
)

// EnrollmentStates lists every state of an enrollment.
func EnrollmentStates() []EnrollmentState {
	return []EnrollmentState{EnrollmentNotNeeded, EnrollmentNeeded, EnrollmentSubmitted, EnrollmentActive, EnrollmentRejected}
}

// Blocks reports whether a payer would refuse the office's messages.
func (s EnrollmentState) Blocks() bool {
	return s == EnrollmentNeeded || s == EnrollmentSubmitted || s == EnrollmentRejected
}

// Refusal returns what stops a message that needs the enrollment, and what to do about
// it. Both are empty for a state that stops none.
func (s EnrollmentState) Refusal() (message, fix string) {
	switch s {
	case EnrollmentNeeded:
		return "The payer requires an enrollment of the office, and none was requested.",
			"Request the enrollment from the network, and record it as active once the network confirms it."
	case EnrollmentSubmitted:
		return "The payer requires an enrollment of the office, and the network has not confirmed it yet.",
			"Record the enrollment as active once the network confirms it."
	case EnrollmentRejected:
		return "The payer requires an enrollment of the office, and the network rejected it.",
			"Correct what the network names in the enrollment, request it again, and record it as active once the network confirms it."
	case EnrollmentNotNeeded, EnrollmentActive:
	}
	return "", ""
}
