package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Claims stores claims.
type Claims interface {
	ClaimLists
	PatientClaims

	// Insert stores a new claim. It returns CodeConflict when another claim in
	// the scope has the control number, compared without case. It also does so
	// for a second void of a claim, unless the first is rejected.
	Insert(ctx context.Context, c *claim.Claim) error

	// Get reads a claim without its attachments. It returns CodeNotFound if there
	// is none.
	Get(ctx context.Context, id billing.ClaimID) (*claim.Record, error)

	// Lock reads like Get, and no other transaction writes the claim until this
	// one ends. It waits for one that does.
	Lock(ctx context.Context, id billing.ClaimID) (*claim.Record, error)

	// Save stores all of a locked claim except its ID, scope, kind and creation
	// time. It returns CodeConflict when another claim has the control number.
	Save(ctx context.Context, c *claim.Claim) error
}

// PatientClaims finds the claims of a patient, and of a family, for rules.
type PatientClaims interface {
	// Similar reads at most a hundred claims of kind claim for the patient with
	// services in the span, the newest of them, in the order of their services. It leaves out drafts, voided and rejected claims and
	// void transactions, and of each claim History.
	Similar(ctx context.Context, patient billing.PatientID, span billing.DateSpan) ([]*claim.Claim, error)

	// Since reads at most a hundred claims of kind claim to the payer of everyone with the
	// member ID, compared without case: those that were first sent at or after since and that
	// the payer still decides, and those whose figures a remittance changed since then. The
	// oldest is the first. It leaves out void transactions, and of each claim History.
	Since(ctx context.Context, member string, payer billing.PayerID, since time.Time) ([]*claim.Claim, error)
}

// ClaimLists finds claims for people.
type ClaimLists interface {
	// List reads a page of claims, newest first, and one extra row when there is
	// a next page. It leaves out History.
	List(ctx context.Context, f claim.Filter, p billing.Page) ([]*claim.Record, error)

	// Search is List for the claims of both kinds with the control number or the member
	// ID of the search, compared without case, and for those of the patients. Of the
	// claims with longer numbers that begin so, it finds the first 200, and returns
	// whether there are more.
	Search(
		ctx context.Context, s billing.Search, patients []billing.PatientID, p billing.Page,
	) (found []*claim.Record, more bool, err error)

	// Owed returns what a patient owes for the claims that were sent and are not voided:
	// what payers leave to the patient and what people billed to them, less what the claims
	// state that the patient has paid. Services billed to several payers count once.
	Owed(ctx context.Context, id billing.PatientID) (billing.Money, error)

	// Count counts the claims that the filter selects, for each state that it names, or
	// for all. Counts are exact up to claim.MaxClaimCount.
	Count(ctx context.Context, f claim.Filter) (map[claim.State]claim.ClaimCount, error)
}

// Clearing reads claims for the files that carry or report on them. It locks
// the claims that it returns, always in the order of their IDs.
type Clearing interface {
	// Queued reads the oldest claims for the payers that wait for a batch since the
	// time or longer, at most limit. The zero time stands for now. It skips claims
	// that another transaction has locked, and in live mode those that claim.Held
	// returns a reason for.
	Queued(ctx context.Context, payers []billing.PayerID, since time.Time, limit int) ([]*claim.Claim, error)

	// Awaiting reads claims that need attention, of an office to a payer, with a finding
	// of the code: those with the next IDs after the given one, at most limit.
	Awaiting(ctx context.Context, code string, office billing.OfficeID, payer billing.PayerID, after billing.ClaimID, limit int) ([]*claim.Claim, error)

	// OfBatch reads the claims of a batch.
	OfBatch(ctx context.Context, id billing.FileID) ([]*claim.Claim, error)

	// Match reads the claims with one of the control numbers, their own or the
	// submitted one, compared without case, or one of the payer's claim numbers. A void transaction has the
	// payer's number of the claim that it voids.
	Match(ctx context.Context, controlNumbers, payerClaimNumbers []string) ([]*claim.Claim, error)

	// Attached reads the closed attachments that the claims' files name.
	Attached(ctx context.Context, claims []billing.ClaimID) ([]*attachment.Attachment, error)

	// Serial returns the next number for a file, across all scopes. A number that
	// is not stored is lost.
	Serial(ctx context.Context) (int64, error)
}

// Batches stores files of claims, their bytes encrypted.
type Batches interface {
	// Insert stores a new batch. It returns false and stores nothing when a batch
	// of any scope has the name.
	Insert(ctx context.Context, b *clearing.Batch, content []byte) (bool, error)

	// Get reads a batch. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.FileID) (*clearing.Batch, error)

	// Lock reads like Get, and no other transaction writes the batch until this one ends.
	// A transaction that locks a batch and claims locks the batch first.
	Lock(ctx context.Context, id billing.FileID) (*clearing.Batch, error)

	// Save stores the fields of a locked batch that can change.
	Save(ctx context.Context, b *clearing.Batch) error

	// List reads a page, newest first, and one extra row when there is a next page.
	List(ctx context.Context, p billing.Page) ([]*clearing.Batch, error)

	// Content reads the file. It returns CodeNotFound if there is no such batch.
	Content(ctx context.Context, id billing.FileID) ([]byte, error)
}

// Acknowledgements stores files about claims that the transaction applies, their bytes
// encrypted.
type Acknowledgements interface {
	// Keep stores a file and returns its ID. It returns the zero ID and stores nothing when
	// the scope has one with the same content. It waits for a transaction that stores it.
	// The excerpt is the part that the scope may read; nil stands for the whole file.
	Keep(ctx context.Context, f clearing.IncomingFile, excerpt []byte, at time.Time) (billing.FileID, error)

	// Link adds a stored acknowledgement to a locked batch, under the next number.
	Link(ctx context.Context, id, acknowledgement billing.FileID, kind clearing.AcknowledgementKind) error

	// Of reads those of the batches that exist, with Unreported.
	Of(ctx context.Context, batches []billing.FileID) ([]*clearing.Batch, error)

	// Late reads those of the batches that are undecided or delayed, without
	// acknowledgements.
	Late(ctx context.Context, batches []billing.FileID) ([]*clearing.Batch, error)

	// List reads files with the bytes that the scope may read, by their IDs, beginning
	// after the given one, at most limit.
	List(ctx context.Context, after billing.FileID, limit int) ([]clearing.KeptFile, error)

	// Get reads the acknowledgement of a batch with the number, and its
	// bytes that the scope may read. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.FileID, number int) (*clearing.BatchAcknowledgement, []byte, error)
}

// ERAs stores remittances, their files encrypted.
type ERAs interface {
	// Insert stores a new remittance and returns the zero ID. When the scope has
	// one with the identity it stores nothing and returns that one's ID.
	Insert(ctx context.Context, e *remit.ERA, identity [32]byte, content []byte) (known billing.ERAID, err error)

	// Get reads a remittance that callers may see: one whose claims are all read.
	// It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.ERAID) (*remit.ERA, error)

	// Lock reads a remittance in any stage, and no other transaction writes it
	// until this one ends. The zero ID stands for the scope's first one that is
	// not done. It returns CodeNotFound if there is none.
	Lock(ctx context.Context, id billing.ERAID) (*remit.ERA, error)

	// Save stores the fields of a locked remittance that can change: state, counts,
	// progress, stage, times, balance and remit.Later.
	Save(ctx context.Context, e *remit.ERA) error

	// List reads a page of the remittances that callers may see, the last
	// received first, and one extra row when there is a next page.
	List(ctx context.Context, f remit.Filter, p billing.Page) ([]*remit.ERA, error)

	// Content reads the file. It returns CodeNotFound if there is no such
	// remittance.
	Content(ctx context.Context, id billing.ERAID) ([]byte, error)
}

// RemittanceClaims stores remittance claims. A transaction that writes them
// has locked the remittance.
type RemittanceClaims interface {
	Ledgers

	// Insert stores remittance claims.
	Insert(ctx context.Context, era billing.ERAID, claims []*remit.Claim) error

	// Count returns how many claims of the remittance are stored.
	Count(ctx context.Context, era billing.ERAID) (int, error)

	// Get reads one claim. It returns CodeNotFound if there is none.
	Get(ctx context.Context, era billing.ERAID, ordinal int) (*remit.Claim, error)

	// List reads claims in the order of the file, beginning after the ordinal, at
	// most limit.
	List(ctx context.Context, era billing.ERAID, after, limit int) ([]*remit.Claim, error)

	// Save stores the progress of claims: remit.ClaimProgress.
	Save(ctx context.Context, era billing.ERAID, claims []*remit.Claim) error
}

// Ledgers finds the remittance claims that are applied to our claims, and those
// that can still be.
type Ledgers interface {
	// Ledger reads the entries of our claims: the remittance claims that are
	// applied to them, with what their remittances say, in the order in which they
	// came. A transaction that changes a claim's entries has locked the claim.
	Ledger(ctx context.Context, claims []billing.ClaimID) (map[billing.ClaimID][]*remit.LedgerEntry, error)

	// Linked locks and reads the claims to other payers for the services of the claims,
	// those to earlier and to later payers: claim.Claim.SecondaryTo and SecondaryID.
	// The given ones are left out. Each ledger counts for the others.
	Linked(ctx context.Context, claims []billing.ClaimID) ([]*claim.Claim, error)

	// Unmatched returns the remittances, in the order in which they came, with
	// unmatched claims that have one of the control numbers, compared without case,
	// or one of the payer claim numbers as their own or as the original one.
	Unmatched(ctx context.Context, controlNumbers, payerClaimNumbers []string) ([]billing.ERAID, error)

	// Pending reads the first claims with remit.StatusPending in the order of the
	// file, at most limit.
	Pending(ctx context.Context, era billing.ERAID, limit int) ([]*remit.Claim, error)

	// Again sets the unmatched claims of a remittance to remit.StatusPending, and
	// returns their number.
	Again(ctx context.Context, era billing.ERAID) (int, error)

	// Reconsider does so for those that need review because our claims have another
	// payment: remit.ReviewPaymentRepeated and remit.ReviewExceedsCharge.
	Reconsider(ctx context.Context, era billing.ERAID, claims []billing.ClaimID) (int, error)
}

// Routes finds the organization that a file belongs to, across scopes.
type Routes interface {
	// Payees reads the verified offices of the mode that match each of the two
	// numbers that is not empty; none when both are empty. It compares tax IDs by
	// their digits.
	Payees(ctx context.Context, mode billing.Mode, npi, taxID string) ([]*directory.Office, error)

	// Batch reads the batch of the mode and network with one of the numbers,
	// which all parts of a file of ours share. It returns CodeNotFound if there
	// is none.
	Batch(ctx context.Context, mode billing.Mode, network string, n clearing.ControlNumbers) (*clearing.Batch, error)

	// Undecided reads the undecided batches, the oldest first, at most a thousand.
	Undecided(ctx context.Context) ([]*clearing.Batch, error)

	// Unsettled reads the network's batches that await something, the oldest first:
	// those that were sent by the time, or all for the zero time.
	Unsettled(ctx context.Context, network string, sent time.Time) ([]*clearing.Batch, error)

	// Queued reads the scopes of the mode in which claims wait for a batch, each
	// with the payers of those claims.
	Queued(ctx context.Context, mode billing.Mode) (map[billing.Scope][]billing.PayerID, error)

	// Unsent returns since when the oldest claim of the mode waits for a batch, without those that a person holds,
	// and when the oldest batch was cut that has not left, without those whose outcome is unknown. Zero stands for none.
	Unsent(ctx context.Context, mode billing.Mode) (claims, batches time.Time, err error)
}

// Quarantine is the quarantine of all scopes and of none, as the operator sees it.
// It stores the bytes of the files encrypted.
type Quarantine interface {
	// Insert stores a file of no organization and returns its ID. When the same content
	// is stored, it stores nothing and returns the ID of that file. Empty files are the
	// same when their names are.
	Insert(ctx context.Context, q *quarantine.File) (billing.FileID, error)

	// Get reads a file. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.FileID) (*quarantine.File, error)

	// List reads all files without their content, the newest first.
	List(ctx context.Context) ([]*quarantine.File, error)

	// Counts returns how many files of all scopes and of none have each cause.
	Counts(ctx context.Context) (map[quarantine.Cause]int, error)

	// Remove removes a file; removing an absent one does nothing.
	Remove(ctx context.Context, id billing.FileID) error
}

// OwnQuarantine is the quarantine of one scope: files of its own connections, and
// its imports.
type OwnQuarantine interface {
	// Insert stores a file and returns its ID. When the scope holds the same content
	// it stores nothing and returns the ID of that file. Empty files are the same when
	// their names are.
	Insert(ctx context.Context, q *quarantine.File) (billing.FileID, error)

	// Get reads a file without its content. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.FileID) (*quarantine.File, error)

	// List reads a page of files without their content, the last received first, and
	// one extra row when there is a next page.
	List(ctx context.Context, p billing.Page) ([]*quarantine.File, error)

	// Take removes a file and returns it. It waits for a transaction that removes
	// it. It returns CodeNotFound if there is none.
	Take(ctx context.Context, id billing.FileID) (*quarantine.File, error)

	// Known returns the ID of the scope's remittance with the identity, such as one
	// that was assigned; zero for none.
	Known(ctx context.Context, identity [32]byte) (billing.ERAID, error)
}
