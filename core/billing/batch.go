package billing

import "time"

// ControlNumbers tell an X12 file and its parts from all others of its sender:
// ISA13, GS06 and ST02. One that is not known is empty.
type ControlNumbers struct {
	Interchange string
	Group       string
	Transaction string
}

// FileRef names an X12 file that was sent or received.
type FileRef struct {
	Name           string
	ControlNumbers ControlNumbers
}

// BatchResult is what a clearinghouse made of a batch file.
type BatchResult string

// The results of a batch.
const (
	BatchAccepted BatchResult = "accepted" // the clearinghouse has its claims
	BatchRejected BatchResult = "rejected" // its claims go back to the queue
)

// Batch is a file of claims (837D) of one organization and mode.
type Batch struct {
	ID              FileID
	Scope           Scope
	File            FileRef
	ClaimCount      int
	Result          BatchResult // empty until it is acknowledged
	Acknowledgement string      // the name of the 997 file that answered
	CreatedAt       time.Time
	AcknowledgedAt  time.Time
}
