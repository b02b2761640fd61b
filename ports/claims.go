package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Claims keeps claims.
type Claims interface {
	// Insert keeps a new claim. A control number that another claim of the
	// scope has, compared without case, is CodeConflict, and so is a second
	// void of a claim while the first is not rejected.
	Insert(ctx context.Context, c *billing.Claim) error

	// Get reads a claim without its attachments. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.ClaimID) (*billing.ClaimRecord, error)

	// Lock reads like Get, and no other transaction writes the claim until this
	// one ends. It waits for one that does.
	Lock(ctx context.Context, id billing.ClaimID) (*billing.ClaimRecord, error)

	// Save keeps all of a claim that is locked, apart from its ID, scope, kind
	// and creation. A control number of another claim is CodeConflict.
	Save(ctx context.Context, c *billing.Claim) error

	// List reads a page of claims, newest first, and one row more than asked
	// for when there is a next page. Findings and History are left out.
	List(ctx context.Context, f billing.ClaimFilter, p billing.Page) ([]*billing.ClaimRecord, error)

	// Similar reads claims of kind claim for the patient with services in the
	// span, at most a hundred: no drafts, voided or rejected claims, and no
	// void transactions. Findings and History are left out.
	Similar(ctx context.Context, patient billing.PatientID, span billing.DateSpan) ([]*billing.Claim, error)
}

// Clearing reads claims for the files that carry them or report on them. The
// claims that it returns are locked, always in the order of their IDs.
type Clearing interface {
	// Queued reads claims for the payers that wait for a batch, the oldest, at
	// most limit. Claims that another transaction has locked are passed over.
	Queued(ctx context.Context, payers []billing.PayerID, limit int) ([]*billing.Claim, error)

	// OfBatch reads the claims whose batch it is.
	OfBatch(ctx context.Context, id billing.FileID) ([]*billing.Claim, error)

	// Match reads the claims that have one of the control numbers, compared
	// without case, or one of the payer's claim numbers; void transactions
	// have the payer's number of the claim that they void.
	Match(ctx context.Context, controlNumbers, payerClaimNumbers []string) ([]*billing.Claim, error)

	// Attached reads the closed attachments of claims that their files name.
	Attached(ctx context.Context, claims []billing.ClaimID) ([]*billing.Attachment, error)

	// Serial returns the next number for a file, across all scopes. A number that
	// was returned and not kept is lost.
	Serial(ctx context.Context) (int64, error)

	// Keep keeps an acknowledgement that the transaction applies, its bytes
	// encrypted. It reports false, and keeps nothing, when the scope has one
	// with the same content; it waits for a transaction that is keeping it.
	Keep(ctx context.Context, f billing.IncomingFile, at time.Time) (bool, error)
}

// Batches keeps files of claims, their bytes encrypted.
type Batches interface {
	// Insert keeps a new batch. It reports false, and keeps nothing, when
	// another batch of any scope has the name.
	Insert(ctx context.Context, b *billing.Batch, content []byte) (bool, error)

	// Get reads a batch. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.FileID) (*billing.Batch, error)

	// Lock reads like Get, and no other transaction writes the batch until this
	// one ends. A transaction that locks a batch and claims locks the batch first.
	Lock(ctx context.Context, id billing.FileID) (*billing.Batch, error)

	// Save keeps what can change of a batch that is locked.
	Save(ctx context.Context, b *billing.Batch) error

	// List reads a page of batches, newest first, and one row more than asked
	// for when there is a next page.
	List(ctx context.Context, p billing.Page) ([]*billing.Batch, error)

	// Content reads the file. That of an absent batch is CodeNotFound.
	Content(ctx context.Context, id billing.FileID) ([]byte, error)
}

// ERAs keeps remittances, the files encrypted.
type ERAs interface {
	// Insert keeps a new remittance. When the scope has one with the identity it
	// keeps nothing, and returns the ID of that; otherwise the zero ID.
	Insert(ctx context.Context, e *billing.ERA, identity [32]byte, content []byte) (known billing.ERAID, err error)

	// Get reads a remittance that callers may see: one that is read. An absent
	// one is CodeNotFound.
	Get(ctx context.Context, id billing.ERAID) (*billing.ERA, error)

	// Lock reads a remittance, whatever its progress, and no other transaction
	// writes it until this one ends; for the zero ID the one of the scope that came
	// first of those that are not done. An absent one is CodeNotFound.
	Lock(ctx context.Context, id billing.ERAID) (*billing.ERA, error)

	// Save keeps what can change of a remittance that is locked: state, counts,
	// progress and times.
	Save(ctx context.Context, e *billing.ERA) error

	// List reads a page of the remittances that callers may see, the last
	// received first, and one row more than asked for when there is a next page.
	List(ctx context.Context, f billing.ERAFilter, p billing.Page) ([]*billing.ERA, error)

	// Content reads the file. That of an absent remittance is CodeNotFound.
	Content(ctx context.Context, id billing.ERAID) ([]byte, error)
}

// ERAClaims keeps the claims of remittances. Who writes them has locked the
// remittance.
type ERAClaims interface {
	// Insert keeps claims of a remittance.
	Insert(ctx context.Context, era billing.ERAID, claims []*billing.ERAClaim) error

	// Count returns how many claims of the remittance are kept, and how many of
	// them have a claim of ours.
	Count(ctx context.Context, era billing.ERAID) (kept, matched int, err error)

	// List reads claims in the order of the file, from the one after the
	// ordinal on, at most limit. Unapplied leaves out what was applied and what
	// matches no claim of ours or does not add up.
	List(ctx context.Context, era billing.ERAID, after int, unapplied bool, limit int) ([]*billing.ERAClaim, error)

	// Save keeps of claims what can change: ClaimID and Applied.
	Save(ctx context.Context, era billing.ERAID, claims []*billing.ERAClaim) error
}

// Routes finds out whose a file is, across scopes.
type Routes interface {
	// Payees reads the verified offices of the mode that have each of the two
	// numbers that is not empty; none when both are. Tax IDs are compared by
	// their digits.
	Payees(ctx context.Context, mode billing.Mode, npi, taxID string) ([]*billing.Office, error)

	// Batch reads the batch of the mode and network with one of the numbers,
	// which are the same for all parts of a file of ours. An absent one is
	// CodeNotFound.
	Batch(ctx context.Context, mode billing.Mode, network string, n billing.ControlNumbers) (*billing.Batch, error)

	// Queued reads the scopes of the mode in which claims wait for a batch, each
	// with the payers of those claims.
	Queued(ctx context.Context, mode billing.Mode) (map[billing.Scope][]billing.PayerID, error)
}

// Quarantine keeps files that could not be given to an organization, their
// bytes encrypted, until an operator sees to them.
type Quarantine interface {
	// Insert keeps a file, unless one with the same content is kept.
	Insert(ctx context.Context, q *billing.Quarantined) error

	// Get reads a file. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.FileID) (*billing.Quarantined, error)

	// List reads all files without their content, the newest first.
	List(ctx context.Context) ([]*billing.Quarantined, error)

	// Remove takes a file away; removing an absent one does nothing.
	Remove(ctx context.Context, id billing.FileID) error
}
