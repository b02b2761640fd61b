package billing

import (
	"fmt"
	"time"
)

// ControlNumbers identify an X12 file and its parts among those of its sender:
// ISA13, GS06 and ST02. An unknown number is empty.
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

// MaxBatchClaims is the most claims that a batch may have (005010X224A2, 1.3.3).
const MaxBatchClaims = 5000

// BatchState is the state of a batch.
type BatchState string

// The states of a batch.
const (
	BatchPending      BatchState = "pending" // cut, not yet handed to the network
	BatchSent         BatchState = "sent"
	BatchAcknowledged BatchState = "acknowledged"
)

// BatchResult is the verdict of a clearinghouse on a batch file.
type BatchResult string

// The results of a batch.
const (
	BatchAccepted BatchResult = "accepted" // the clearinghouse has its claims
	BatchRejected BatchResult = "rejected" // its claims go back to the queue
)

// Batch is a file of claims (837D) of one organization and mode, for one network.
type Batch struct {
	ID               FileID
	Scope            Scope
	Network          string // the name of the network that carries it
	State            BatchState
	File             FileRef
	ClaimCount       int
	Result           BatchResult // empty until it is acknowledged
	Acknowledgement  string      // the name of the 997 file with the result
	CreatedAt        time.Time
	SendToken        string    // of the step that may have delivered the file: OutgoingFile.Token
	UnknownSince     time.Time // when its network could not say whether it has the file; zero unless that is open
	SentAt           time.Time
	AcknowledgedAt   time.Time
	Acknowledgements []BatchAcknowledgement // the files about it, in the order in which they came; Lock leaves them out
}

// BatchAcknowledgement is a file about a batch: a 997, 999, TA1 or 277CA.
type BatchAcknowledgement struct {
	Number     int // from 1
	Kind       AcknowledgementKind
	Name       string
	ReceivedAt time.Time
}

// NewBatch returns a batch of claims with the serial number, which no other batch
// has. Its name has the default form.
func NewBatch(scope Scope, network string, serial int64, claims int, now time.Time) *Batch {
	control := fmt.Sprintf("%09d", serial%1_000_000_000)
	b := &Batch{
		ID: NewID[FileID](now), Scope: scope, Network: network, State: BatchPending, ClaimCount: claims, CreatedAt: now,
		File: FileRef{ControlNumbers: ControlNumbers{control, control, control}},
	}
	b.File.Name = (&NetworkOptions{}).FileName(b, &Envelope{}, now)
	return b
}

// Sent records that the network has the file. It reports false when that was
// recorded before.
func (b *Batch) Sent(at time.Time) bool {
	if b.State != BatchPending {
		return false
	}
	b.State, b.SentAt, b.UnknownSince = BatchSent, at, time.Time{}
	return true
}

// Delivering records the step that may deliver the file. It reports false, and changes
// nothing, unless the batch waits for that step since the sender read it with the
// token.
func (b *Batch) Delivering(read, token string) bool {
	if b.State != BatchPending || !b.UnknownSince.IsZero() || b.SendToken != read {
		return false
	}
	b.SendToken = token
	return true
}

// Unknown records that the network cannot say whether it has the file. It reports
// false when the batch is sent, or this was recorded before.
func (b *Batch) Unknown(at time.Time) bool {
	if b.State != BatchPending || !b.UnknownSince.IsZero() {
		return false
	}
	b.UnknownSince = at
	return true
}

// Resend records the operator's decision to send the file again. It reports false
// unless the outcome is unknown.
func (b *Batch) Resend() bool {
	if b.UnknownSince.IsZero() {
		return false
	}
	b.SendToken, b.UnknownSince = "", time.Time{}
	return true
}

// Acknowledge applies the verdict of the 997 or 999 with the name. It reports
// false, and changes nothing, when the batch already has one: the first stands.
func (b *Batch) Acknowledge(r BatchResult, name string, at time.Time) bool {
	if b.State == BatchAcknowledged {
		return false
	}
	b.State, b.Result, b.Acknowledgement, b.AcknowledgedAt = BatchAcknowledged, r, name, at
	return true
}

// ClaimsFile is the content of a batch file. The envelope, the route and the options
// are those of the batch's network.
type ClaimsFile struct {
	Batch    *Batch
	Envelope Envelope
	Route    Route // its payer IDs
	Options  NetworkOptions
	Claims   []OutgoingClaim
}

// OutgoingClaim is a claim with the details of the parties that it names. The
// claim's PayerClaimNumber is sent with replacements and voids.
type OutgoingClaim struct {
	Claim       *Claim
	Office      *Office
	Payer       *Payer                   // nil when it has left the directory
	OtherPayers []*Payer                 // of the other coverages; nil for one that is not in the directory
	Provider    *Provider                // nil for none
	Providers   map[ProviderID]*Provider // by ID; those of the lines with one of their own are among them
	Attachments []*Attachment
}
