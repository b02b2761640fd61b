package scenario

import (
	"log/slog"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// Simulation is a step that comes now, for a claim that was sent, with what the payer has to
// know of the claim.
type Simulation struct {
	Step    ClaimStep
	Follows bool                  // the step can follow what has been applied
	Number  int64                 // of the message, new for the batch
	Batch   clearing.OutgoingFile // the last file with the claim; At is when it was sent
	Numbers []string              // the control numbers, of which the file has one
	Decided []DecidedClaim        // the payer's latest decision that stands, with the reversals
	Waiting []Message             // what the clearinghouse has about all files with the claim, also if it has come
	Now     time.Time             // when the message is due
}

// DecidedClaim is a claim of an 835.
type DecidedClaim struct {
	File    []byte
	Ordinal int // in the file's only payment, from 1
}

// Message is a file that the sandbox's clearinghouse returns once it is due.
type Message struct {
	Name    string
	Content []byte // nil: it is not returned any more
	Due     time.Time
	Given   bool // it was returned, and the receiver may still have to apply it
}

// ErrUnderWay is the error of a claim about which a message has come that is not applied yet.
var ErrUnderWay = &billing.Error{
	Code: billing.CodeConflict, Message: "A file about the claim has come and is still being applied. Send the request again.",
}

// CannotFollow returns the error of a step that cannot come now.
func (s *ClaimStep) CannotFollow() error {
	var f billing.Faults
	f.Add(string(s.Do), billing.FaultConflict, "This step cannot follow what has happened to the claim. A payer decides a claim that it has accepted, and reverses what it has decided.")
	return f.Err()
}

// LogValue hides the content.
func (m Message) LogValue() slog.Value { return slog.StringValue(m.Name) }

// Note is what the clearinghouse remembers for later files. Key is the digest of the
// subject. By is the maker: a file, or a claim of one.
type Note struct {
	Scope   billing.Scope // whose it is
	Key     [32]byte
	By      string
	Content []byte
}

// Simulated is what becomes of a simulation.
type Simulated struct {
	ClaimID billing.ClaimID
	Step    ClaimStep
	Message Message   // of the step
	Changed []Message // of those that waited, now without the claim
	Dropped []Dropped // the steps of the claim that were in them, the first due first
	Note    *Note     // nil if no later file depends on the step
}

// Dropped is a step that was due later and does not come any more.
type Dropped struct {
	Do  Action
	By  clearing.Side
	Due time.Time
}
