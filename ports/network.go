package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Networks are the networks that are open now. Use cases ask for each message,
// because networks open and close while the service runs.
type Networks interface {
	// Available returns nil when a network carries the transaction for the scope
	// to at least one payer, and otherwise the error of For.
	Available(scope billing.Scope, t network.Transaction) error

	// For returns the network that carries the transaction between the scope and
	// the payer. Without one it returns CodeEligibilityUnavailable,
	// CodeAttachmentsUnavailable or, for claims and their status, CodeUnavailable.
	For(scope billing.Scope, payer billing.PayerID, t network.Transaction) (*Network, error)

	// Follow reads the connections as they are now. Processes differ for a moment
	// after a change.
	Follow(ctx context.Context) error

	// Clearinghouses lists the networks that carry claims. Each has its own name.
	Clearinghouses() []*Network
}

// Network is one way to payers. A transaction that it does not carry is nil.
type Network struct {
	Name     string // the source of a check; a batch stores the name of its network
	Route    network.Route
	Envelope network.Envelope
	Options  network.Options
	Poll     time.Duration // how often to ask for files

	Eligibility Eligibility
	Claims      Sender
	Replies     Replies // the files that come back for Claims; nil if they come to
	Inbox       Inbox
	Attachments AttachmentNetwork
	ClaimStatus ClaimStatus

	Peer Peer // of a connection; nil for the built-in sandbox
}

// Peer is the other side of a connection.
type Peer interface {
	// Probe tests the connection step by step, and stops at the first step that
	// fails. It changes nothing there for long, and the steps reveal no secret. Unless
	// write is set, it stores nothing there, and reports steps that need it as not tried.
	Probe(ctx context.Context, write bool) []network.ProbeStep

	// Close ends sessions with the peer. A call that is under way may fail.
	Close() error
}

// Origins finds where the values of a check come from.
type Origins interface {
	// Origins returns the segments of the replies to an inquiry that each of the values
	// comes from, by reading the replies again. It leaves out what it cannot tell.
	Origins(q network.Inquiry, replies [][]byte, of []coverage.Value) []coverage.Origin
}

// Eligibility asks payers about coverage.
type Eligibility interface {
	// Ask asks the payer the question of a check, and what else it needs to be answered in
	// full. It may be called again for the same question. It returns every exchange that
	// was sent, also beside an error, and also those without a reply.
	//
	// With a response, an error states why the response has less than was asked for. An
	// error without one is a *billing.LaterError, which states when to ask again for the
	// response; a *network.UnaskableError; a *network.UnreadableError; or else it means
	// that the network failed. The caller sets Network and LatencyMS of the response.
	Ask(ctx context.Context, q network.Inquiry) (coverage.CheckResponse, []coverage.Exchange, error)
}

// ClaimStatus asks payers about claims that were sent.
type ClaimStatus interface {
	// AskStatus asks the payer of a claim where it is. While the payer finds nothing, it asks
	// again with less, within the same call. It may be called again for the same inquiry. It
	// returns every exchange that was sent, also beside an error, and also those without a
	// reply.
	//
	// With an outcome, an error states why the payer was not asked as often as it should be.
	// Errors without one are those of Eligibility. The caller sets Network of the answer.
	AskStatus(ctx context.Context, q network.StatusInquiry) (claimstatus.Answer, []coverage.Exchange, error)
}

// Inquire carries a 270 or a 276 to a payer once, and returns the payer's response unread. It may
// be called again for the same inquiry. A *billing.LaterError states when to ask again for
// the response. Any other error means that the network failed, and may come with the
// bytes of its refusal.
type Inquire func(ctx context.Context, request []byte) ([]byte, error)

// AttachmentNetwork carries attachments to payers: it opens a transmission,
// receives its files, and commits it. Every step may be repeated, and two
// senders may run the same steps at once. The network identifies a transmission
// by its number, and a number always stands for the same content. A committed
// transmission does not change.
type AttachmentNetwork interface {
	// Open begins a transmission. A *billing.LaterError states when to begin
	// again. Any other error means that the network failed.
	Open(ctx context.Context, t attachment.Transmission) error

	// Add sends a file of the transmission. Its bytes are those of the document.
	Add(ctx context.Context, number string, d *attachment.Document, content io.Reader) error

	// Commit ends a transmission that has all its files. The payer sees it only
	// after this.
	Commit(ctx context.Context, number string) error
}

// Clearinghouse is a simulated clearinghouse.
type Clearinghouse interface {
	Sender
	Replies
}

// Sender carries files of claims to payers.
type Sender interface {
	// Send hands over a file. It may be called again with the same file. Unless it is the
	// sandbox, where a repeated name changes nothing, Send calls mark before a step that may deliver
	// the file, such as writing its last part, and delivers nothing when mark fails.
	// The caller stores the token, unless another sender has stored one since, and a
	// later Send has it. From then on nothing begins again by itself: a later Send
	// ends what was begun, and delivers the file only when it is certain that no
	// earlier one has. An error that wraps network.ErrOutcomeUnknown means that nothing
	// shows this, now or later. A mark with an empty token takes the last one back: the
	// network itself has refused the step.
	Send(ctx context.Context, f clearing.OutgoingFile, mark func(ctx context.Context, token string) error) error
}

// Replies holds the files that come back until they are removed. It loses none.
type Replies interface {
	// Receive returns the files that have come back, the oldest first, at most
	// limit. A file comes again until it is removed, after a while.
	Receive(ctx context.Context, limit int) ([]clearing.IncomingFile, error)

	// Remove removes a file; removing an absent one does nothing.
	Remove(ctx context.Context, name string) error
}

// Inbox is where a clearinghouse leaves files for us. It may remove a file that is read,
// or replace one at any time. An error about one file alone is a clearing.FileError,
// clearing.ErrFileGone or clearing.ErrFileChanged.
type Inbox interface {
	// List returns the files that are there, the oldest first.
	List(ctx context.Context) ([]clearing.RemoteFile, error)

	// Read passes the content of a file that List returned to take, in parts of at most a
	// megabyte, which are valid during the call. It returns nil once all of it was passed,
	// even if the file is gone since; clearing.ErrFileChanged if the bytes may be of
	// several versions; and an error of take as it is.
	Read(ctx context.Context, f clearing.RemoteFile, take func(part []byte) error) error

	// Remove removes or archives a file of which a copy with the digest is stored, or
	// leaves it, as the account says. It leaves other versions.
	Remove(ctx context.Context, f clearing.RemoteFile, digest [32]byte) error
}

// ClaimsEDI writes claims as EDI files, and reads the files that come back. An
// error of a reader means that the bytes are no usable file; it states a
// position and no patient data.
type ClaimsEDI interface {
	Envelopes

	// File returns the 837D of a batch. The same arguments return the same bytes.
	File(f network.ClaimsFile) ([]byte, error)

	// Acknowledgement reads the 997s, 999s, TA1s and 277s of a file.
	Acknowledgement(name string, content []byte) (*clearing.Acknowledgement, error)

	// Payments reads an 835 to its end and returns its payments without their
	// claims. If most is not zero, it returns remit.ErrTooManyPayments as soon as it
	// has found more.
	Payments(name string, content []byte, most int) ([]remit.Remittance, error)

	// Claims returns the claims in the content of a remit.Remittance one by
	// one. The caller may keep a claim.
	Claims(content []byte) iter.Seq2[*remit.Claim, error]
}

// Envelopes reads the envelopes of EDI files, and not what their transaction sets say.
type Envelopes interface {
	// Whole returns nil if all of a file can be read. Otherwise the file is empty, still
	// grows, or has a part that can never be read. A file that rests will grow no more:
	// its other parts count. A file that is no EDI, such as a text, is whole.
	Whole(content []byte) error

	// Parts takes a file apart by the kind of what it has, so that each part is taken by
	// itself. A file that can all be read and is of one kind is one part, with the same
	// content. A file that is no EDI has no parts.
	Parts(content []byte) iter.Seq[clearing.FilePart]

	// Apart takes a file apart by transaction set. TA1 segments, which stand outside sets,
	// are a part for each interchange.
	Apart(content []byte) iter.Seq[clearing.FilePart]
}

// Clock shows the time.
type Clock interface {
	Now() time.Time
}

// RealClock shows the real time.
type RealClock interface {
	Now() billing.Real
}
