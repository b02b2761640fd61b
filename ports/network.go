package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Networks is the networks that are open now. Use cases ask it anew for each
// message, because networks open and close while the service runs.
type Networks interface {
	// Available is nil when a network carries the transaction for the scope, to
	// one payer at least. The error is that of For.
	Available(scope billing.Scope, t billing.Transaction) error

	// For returns the network that carries the transaction between the scope and
	// the payer. When there is none the error, with CodeEligibilityUnavailable,
	// CodeAttachmentsUnavailable or CodeUnavailable, is for the caller.
	For(scope billing.Scope, payer billing.PayerID, t billing.Transaction) (*Network, error)

	// Clearinghouses lists the networks that carry claims. Their names differ.
	Clearinghouses() []*Network
}

// Network is one way to payers. What it does not carry is nil.
type Network struct {
	Name     string // for a check's source; a batch keeps the one that carries it
	Route    billing.Route
	Envelope billing.Envelope
	Poll     time.Duration // how often Claims is asked for files

	Eligibility EligibilityNetwork
	Claims      Clearinghouse
	Attachments AttachmentNetwork
}

// EligibilityNetwork carries inquiries to payers and their answers back, as
// X12 bytes.
type EligibilityNetwork interface {
	// Inquire sends a 270 and returns the payer's reply, whatever its bytes.
	// It may be called again for the same inquiry. A *billing.LaterError error says when the
	// answer can be fetched by asking again. Any other error means that the
	// network failed.
	Inquire(ctx context.Context, request []byte) ([]byte, error)
}

// AttachmentNetwork carries attachments to payers: it opens a transmission,
// takes its files, and commits it. Every step may be repeated, and two senders
// may take the same steps at once: a network knows a transmission by its number,
// under which the same is always sent, and one that is committed stays as it is.
type AttachmentNetwork interface {
	// Open begins a transmission. A *billing.LaterError says when to begin
	// anew. Any other error means that the network failed.
	Open(ctx context.Context, t billing.Transmission) error

	// Add gives the transmission a file, whose bytes are those of the
	// document.
	Add(ctx context.Context, number string, d *billing.Document, content io.Reader) error

	// Commit ends a transmission that has all its files. Only now does the
	// payer see it.
	Commit(ctx context.Context, number string) error
}

// EDI turns billing values into the bytes of EDI messages and back.
type EDI interface {
	// Inquiry is the 270 for a check. Procedure, when not empty, asks about
	// that procedure alone; sequence numbers the 270s of one check from 0.
	Inquiry(q billing.Inquiry270, procedure string, sequence int) ([]byte, error)

	// Answer reads the 271s that answered the 270s of one check, the main one
	// first. An error means that the bytes are no usable 271; it has a
	// position and no patient data.
	Answer(q billing.Inquiry270, replies [][]byte) (billing.CheckAnswer, error)
}

// Clearinghouse takes files of claims to payers, and has what comes back until
// it is taken away.
type Clearinghouse interface {
	// Send hands a file of the scope over. It may be called again with the same
	// file: one whose name was sent before stays as it is.
	Send(ctx context.Context, scope billing.Scope, name string, content []byte) error

	// Receive gives files that have come, the oldest first, at most limit. A
	// file that is not removed is given again, by some networks after a while.
	Receive(ctx context.Context, limit int) ([]billing.IncomingFile, error)

	// Remove takes a file away; removing an absent one does nothing.
	Remove(ctx context.Context, name string) error
}

// ClaimsEDI turns claims into the bytes of EDI files, and files that come back
// into billing values. An error of a reader means that the bytes are no usable
// file; it has a position and no patient data.
type ClaimsEDI interface {
	// File is the 837D of a batch. The same arguments give the same bytes.
	File(f billing.ClaimsFile) ([]byte, error)

	// Kind tells which of the readers a file is for.
	Kind(content []byte) (billing.FileKind, error)

	// Acknowledgement reads the 997s, 999s, TA1s and 277s of a file.
	Acknowledgement(name string, content []byte) (*billing.Acknowledgement, error)

	// Payments reads an 835 to its end, and gives its payments without their
	// claims.
	Payments(name string, content []byte) ([]billing.Remittance, error)

	// Claims gives the claims of the content of a billing.Remittance one by
	// one. A claim is the caller's to keep.
	Claims(content []byte) iter.Seq2[*billing.ERAClaim, error]
}

// Clock tells the time.
type Clock interface {
	Now() time.Time
}
