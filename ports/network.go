package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Networks are the networks that are open now. Use cases ask for each message,
// because networks open and close while the service runs.
type Networks interface {
	// Available returns nil when a network carries the transaction for the scope
	// to at least one payer, and otherwise the error of For.
	Available(scope billing.Scope, t billing.Transaction) error

	// For returns the network that carries the transaction between the scope and
	// the payer. Without one it returns CodeEligibilityUnavailable,
	// CodeAttachmentsUnavailable or CodeUnavailable.
	For(scope billing.Scope, payer billing.PayerID, t billing.Transaction) (*Network, error)

	// Follow reads the connections as they are now. Processes differ for a moment
	// after a change.
	Follow(ctx context.Context) error

	// Clearinghouses lists the networks that carry claims. Each has its own name.
	Clearinghouses() []*Network
}

// Network is one way to payers. A transaction that it does not carry is nil.
type Network struct {
	Name     string // the source of a check; a batch stores the name of its network
	Route    billing.Route
	Envelope billing.Envelope
	Options  billing.NetworkOptions
	Poll     time.Duration // how often to ask Claims for files

	Eligibility EligibilityNetwork
	Claims      Clearinghouse
	Attachments AttachmentNetwork

	Peer Peer // of a connection; nil for the built-in sandbox
}

// Peer is the other side of a connection.
type Peer interface {
	// Probe tests the connection step by step, and stops at the first step that
	// fails. It changes nothing there for long, and the steps reveal no secret.
	Probe(ctx context.Context) []billing.ProbeStep

	// Close ends sessions with the peer. A call that is under way may fail.
	Close() error
}

// EligibilityNetwork carries inquiries to payers, and their responses back, as
// X12 bytes.
type EligibilityNetwork interface {
	// Inquire sends a 270 once and returns the payer's response unread. It may be
	// called again for the same inquiry. A *billing.LaterError states when to ask
	// again for the response. Any other error means that the network failed, and may
	// come with the bytes of its refusal.
	Inquire(ctx context.Context, request []byte) ([]byte, error)
}

// AttachmentNetwork carries attachments to payers: it opens a transmission,
// receives its files, and commits it. Every step may be repeated, and two
// senders may run the same steps at once. The network identifies a transmission
// by its number, and a number always stands for the same content. A committed
// transmission does not change.
type AttachmentNetwork interface {
	// Open begins a transmission. A *billing.LaterError states when to begin
	// again. Any other error means that the network failed.
	Open(ctx context.Context, t billing.Transmission) error

	// Add sends a file of the transmission. Its bytes are those of the document.
	Add(ctx context.Context, number string, d *billing.Document, content io.Reader) error

	// Commit ends a transmission that has all its files. The payer sees it only
	// after this.
	Commit(ctx context.Context, number string) error
}

// EDI turns billing values into the bytes of EDI messages and back.
type EDI interface {
	// Inquiry returns the 270 with a question of a check. Sequence numbers the
	// questions of one check from 0, and those of another attempt have other numbers.
	Inquiry(q billing.Inquiry270, question billing.Question, sequence int) ([]byte, error)

	// Answer reads the 271s that respond to the 270s of one check, the main one
	// first. An error means that the bytes are no usable 271; it states a
	// position and no patient data.
	Answer(q billing.Inquiry270, replies [][]byte) (billing.CheckResponse, error)
}

// Clearinghouse carries files of claims to payers, and holds the files that
// come back until they are removed.
type Clearinghouse interface {
	// Send hands over a file. It may be called again with the same file. Unless a
	// repeated name changes nothing, Send calls mark before a step that may deliver
	// the file. It delivers nothing when mark fails. The caller stores the token, and
	// a later Send has it: that one delivers the file only when it is certain that no
	// earlier one has. An error that wraps billing.ErrOutcomeUnknown means that
	// nothing shows this, now or later.
	Send(ctx context.Context, f billing.OutgoingFile, mark func(ctx context.Context, token string) error) error

	// Receive returns the files that have come back, the oldest first, at most
	// limit. A file may come only once several calls have seen it unchanged. It comes
	// again until it is removed; from some networks after a while. Files count even
	// when there is an error, which may be about others.
	Receive(ctx context.Context, limit int) ([]billing.IncomingFile, error)

	// Remove removes a file; removing an absent one does nothing.
	Remove(ctx context.Context, name string) error
}

// ClaimsEDI writes claims as EDI files, and reads the files that come back. An
// error of a reader means that the bytes are no usable file; it states a
// position and no patient data.
type ClaimsEDI interface {
	// File returns the 837D of a batch. The same arguments return the same bytes.
	File(f billing.ClaimsFile) ([]byte, error)

	// Kind returns the kind of a file, which selects its reader.
	Kind(content []byte) (billing.FileKind, error)

	// Acknowledgement reads the 997s, 999s, TA1s and 277s of a file.
	Acknowledgement(name string, content []byte) (*billing.Acknowledgement, error)

	// Sets returns each transaction set of a file in an envelope of its own.
	Sets(content []byte) ([][]byte, error)

	// Payments reads an 835 to its end and returns its payments without their
	// claims. If most is not zero, it returns billing.ErrTooManyPayments as soon as it
	// has found more.
	Payments(name string, content []byte, most int) ([]billing.Remittance, error)

	// Claims returns the claims in the content of a billing.Remittance one by
	// one. The caller may keep a claim.
	Claims(content []byte) iter.Seq2[*billing.ERAClaim, error]
}

// Clock shows the time.
type Clock interface {
	Now() time.Time
}
