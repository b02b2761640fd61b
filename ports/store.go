// Package ports declares the interfaces that the core needs from outside: a
// store, a queue, the networks to payers, the codec of their messages, and the
// time. It has no behavior. The store, the queue, the blobs and the networks have
// contract suites in packages beside this one, and every adapter of them passes.
//
// Errors: a *billing.Error is for the caller of the API; any other error is an
// internal fault.
package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
)

// Store stores everything that must not be lost. PostgreSQL is its one adapter. A
// transaction that cannot begin or end returns billing.ErrStoreAway or
// billing.ErrCommitUnknown.
type Store interface {
	// InTx runs fn in a transaction that reads and writes only rows of scope, and
	// commits when fn returns nil. After a serialization failure or a deadlock it
	// runs fn again, so fn changes nothing outside tx and calls no network. Jobs
	// staged in tx are published after the commit. When the commit itself fails,
	// InTx reads back whether it happened.
	InTx(ctx context.Context, scope billing.Scope, fn func(ctx context.Context, tx Tx) error) error

	// View runs fn in a read-only transaction that sees only rows of scope.
	View(ctx context.Context, scope billing.Scope, fn func(ctx context.Context, tx Tx) error) error

	// System runs fn in a transaction that sees the keys, organizations, offices,
	// connections, outbox and idempotency keys of every scope. It serves key lookup, the
	// relay, the sweeper and administration. It may run fn again.
	System(ctx context.Context, fn func(ctx context.Context, tx SystemTx) error) error

	// Due takes a turn as Turns.Take does, unless the lease is zero, and reports whether
	// Jobs.Due or Jobs.Lanes would find something now. It costs one round trip.
	Due(ctx context.Context, turn string, holder billing.JobID, lease, pause time.Duration) (others time.Duration, due bool, err error)

	// Ready reports whether the database responds and its schema is current.
	Ready(ctx context.Context) error

	// Seen returns what the store saw of the fleet when it last looked, without asking the
	// database. It looks every billing.StoreLook while the database responds.
	Seen() Seen
}

// ScopesStore runs transactions of several scopes, which callers of many organizations share.
type ScopesStore interface {
	// InScopes is Store.InTx for several scopes. What each of them has is out of reach for a
	// transaction that does not name it.
	InScopes(ctx context.Context, scopes []billing.Scope, fn func(ctx context.Context, tx ScopesTx) error) error

	// ViewScopes is Store.View for several scopes.
	ViewScopes(ctx context.Context, scopes []billing.Scope, fn func(ctx context.Context, tx ScopesTx) error) error
}

// CheckStore is the store of eligibility checks.
type CheckStore interface {
	Store
	ScopesStore
}

// Seen is what a store saw of the fleet, so that polls which would find nothing new are left
// out. It is empty before the first look.
type Seen struct {
	Connections string               // differs after a connection was added, changed or removed
	Turns       map[string]time.Time // when the lease of each turn ends, by this process's clock
	Next        <-chan struct{}      // closed at the next look that the database answers
}

// Tx is what a transaction of one scope can do.
//
// Its clocks show the time at which the transaction began, constant throughout, in
// UTC and microseconds. Clock has the time of the business, which in test mode is that
// of the organization's sandbox clock; Real has the database's own. Everything that is
// stored, or compared with stored values, uses one of them, so processes whose own
// clocks differ agree. ADR 104 says what has which. Leases are the exception: only their
// length counts, and the store keeps them itself.
type Tx struct {
	Clock            Clock
	Real             RealClock
	Keys             IdempotencyKeys
	Checks           Checks
	PendingChecks    PendingChecks
	Exchanges        Exchanges
	Claims           Claims
	Clearing         Clearing
	Totals           Totals
	Reports          Reports
	Batches          Batches
	ERAs             ERAs
	RemittanceClaims RemittanceClaims
	Corrections      Corrections
	Adjustments      Adjustments
	Attachments      Attachments
	Documents        Documents
	PayerRequests    PayerRequests
	Patients         Patients
	Offices          Offices
	Providers        Providers
	Enrollments      Enrollments
	FeeSchedules     FeeSchedules
	AttachmentRules  AttachmentRules
	Contracts        Contracts
	Estimates        Estimates
	Tasks            Tasks
	Notes            Notes
	Automation       Automation
	Postings         Postings
	Deposits         Deposits
	DepositAccounts  DepositAccounts
	Additions        Additions
	StatusInquiries  StatusInquiries
	StatusPolicies   StatusPolicies
	Appeals          Appeals
	PayerLimits      PayerLimits
	StatusFeed       StatusFeed
	ImportMappings   ImportMappings
	CheckBatches     CheckBatches
	CheckItems       CheckItems
	CheckFeed        CheckFeed
	Events           Events
	Endpoints        WebhookEndpoints
	Deliveries       Deliveries
	Lanes            Lanes
	Outbox           Outbox
	Organization     OwnOrganization
	ThrowAways       ThrowAways
	Users            Users
	Sessions         Sessions
	APIKeys          APIKeys
	Requests         Requests
	Audit            Audit
	Records          Records
	Quarantine       OwnQuarantine
	Acknowledgements Acknowledgements
	Connections      OwnConnections
	SandboxClock     SandboxClock
	SandboxMail      SandboxMail
	Faults           Faults
	Scenarios        Scenarios
	LiveFiles        LiveFiles
}

// ScopesTx is what a transaction of several scopes can do. Jobs, events and checks are of the
// scopes that they name.
type ScopesTx struct {
	ClockOf       func(billing.Scope) Clock // the clock of the business of a scope
	Real          RealClock
	Checks        CheckFinder
	PendingChecks PendingChecks
	Events        EventAppender
	Outbox        Outbox
}

// SystemTx is what a transaction across scopes can do. It has no time of the business,
// because each organization has its own.
type SystemTx struct {
	Real        RealClock
	Jobs        Jobs
	Leases      Leases
	Outbox      Outbox // of jobs in any scope, or in none
	Turns       Turns
	Received    Received
	Contents    ReceivedContents
	KeyFinder   KeyFinder
	Orgs        Organizations
	Images      ImageNames
	Routes      Routes
	Quarantine  Quarantine
	Forget      Forgetter
	Accounts    Accounts
	SignedIn    SignedIn
	Origin      Origin
	RequestLog  RequestLog
	AuditLog    AuditLog
	Changes     Changes
	Connections Connections
	Resets      Resets
	Restores    Restores
	Retention   Retention
	Deletions   Deletions
	Erasures    Erasures
	TaskRules   TaskRules
}

// IdempotencyKeys stores which keys were used for which requests.
type IdempotencyKeys interface {
	// Reserve reserves the key until the transaction ends, unless another
	// transaction has it; it never waits. It returns the recorded use, which
	// states whether this transaction holds the key; nil for a new key. It
	// returns caller.ErrKeyInUse while another transaction is about to use the
	// key first.
	Reserve(ctx context.Context, key string) (*caller.KeyUse, error)

	// Record stores the use of a reserved key, in the commit of its effect, and the
	// entry of the audit that the use has.
	Record(ctx context.Context, use caller.KeyUse) error

	// Release deletes the use of a key that waits for the work, after the work
	// failed: the key counts as new. Another use of the key stays.
	Release(ctx context.Context, key string, work billing.JobID) error

	// Answer stores the reply to the request whose key waits for the work. Another use of
	// the key stays.
	Answer(ctx context.Context, key string, work billing.JobID, reply caller.Reply) error
}

// CheckFinder reads eligibility checks.
type CheckFinder interface {
	// Find reads checks. It leaves out absent ones.
	Find(ctx context.Context, ids []billing.CheckID) (map[billing.CheckID]*coverage.Check, error)
}

// Checks stores eligibility checks.
type Checks interface {
	CheckFinder

	// Insert stores a new check, pending or completed.
	Insert(ctx context.Context, c *coverage.Check) error

	// Get reads a check. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.CheckID) (*coverage.Check, error)

	// Recent returns the newest fresh, answered check for the same question that
	// was completed at or after since; nil when there is none.
	Recent(ctx context.Context, digest [32]byte, since time.Time) (*coverage.Check, error)

	// Active returns the plans of patients that are active by the last answer of their payer, which is not a saved
	// one, by patient: the newest answers first.
	Active(ctx context.Context, patients []billing.PatientID) (map[billing.PatientID][]coverage.ActivePlan, error)

	// List reads a page of checks, newest first, and one extra row when there is
	// a next page.
	List(ctx context.Context, f coverage.CheckFilter, p billing.Page) ([]*coverage.Check, error)
}

// Additions stores what people added to the checks of a scope. They go with their checks.
type Additions interface {
	// Of returns the additions to a check, and those to other checks of its patient with its
	// payer: those of earlier checks first, and then by their numbers.
	Of(ctx context.Context, c *coverage.Check) ([]*coverage.Addition, error)

	// Lock returns the additions to a check by their numbers. Until the end of the
	// transaction, no other one changes them.
	Lock(ctx context.Context, id billing.CheckID) ([]*coverage.Addition, error)

	// Insert stores new additions to one check.
	Insert(ctx context.Context, all []*coverage.Addition) error

	// Save stores that an addition is struck.
	Save(ctx context.Context, a *coverage.Addition) error
}

// PendingChecks ends checks.
type PendingChecks interface {
	// Complete stores the results of pending checks, with the messages exchanged,
	// encrypted. If one of them is absent or not pending, the transaction fails with
	// coverage.ErrNotPending, at the latest when it is committed.
	Complete(ctx context.Context, done []coverage.CheckCompletion) error

	// Background returns the patient of each person, whom it adds if they are new, with
	// the last answer about them of the payer beside them, and whether another payer has a claim of theirs. Both lists are
	// of one length.
	Background(ctx context.Context, people []directory.Person, payers []billing.PayerID) ([]coverage.Background, error)

	// Lock locks those of the checks that are pending until the end of the transaction,
	// and returns them.
	Lock(ctx context.Context, ids []billing.CheckID) ([]billing.CheckID, error)
}

// Exchanges has the messages exchanged for checks, which PendingChecks.Complete stores
// encrypted.
type Exchanges interface {
	// Get reads and decrypts the messages exchanged for a check. A check that was
	// not sent has none. It returns CodeNotFound if there is no such check.
	Get(ctx context.Context, id billing.CheckID) (coverage.CheckExchange, error)
}

// Attachments stores attachments.
type Attachments interface {
	// Insert stores a new attachment without documents. It returns CodeConflict
	// for a second open attachment of the same payer request.
	Insert(ctx context.Context, a *attachment.Attachment) error

	// Get reads an attachment with its documents. It returns CodeNotFound if
	// there is none.
	Get(ctx context.Context, id billing.AttachmentID) (*attachment.Attachment, error)

	// Lock reads like Get, and no other transaction writes the attachment or its
	// documents until this one ends. It waits for one that does.
	Lock(ctx context.Context, id billing.AttachmentID) (*attachment.Attachment, error)

	// Save stores the fields of an attachment that can change, without its
	// documents.
	Save(ctx context.Context, a *attachment.Attachment) error

	// List reads a page of attachments with their documents, newest first, and
	// one extra row when there is a next page.
	List(ctx context.Context, f attachment.Filter, p billing.Page) ([]*attachment.Attachment, error)

	// Serial returns the next number for an attachment, across all scopes. A
	// number that is not stored is lost.
	Serial(ctx context.Context) (int64, error)
}

// Documents stores the documents of attachments, and uploads that may become
// documents.
type Documents interface {
	// Insert adds a document to a locked attachment.
	Insert(ctx context.Context, a billing.AttachmentID, d *attachment.Document) error

	// Delete removes a document of a locked attachment.
	Delete(ctx context.Context, id billing.DocumentID) error

	// Receive stores a new upload.
	Receive(ctx context.Context, u *attachment.Upload) error

	// Upload reads an upload. It returns CodeNotFound if there is none.
	Upload(ctx context.Context, id billing.DocumentID) (*attachment.Upload, error)

	// Settle stores the final state of a pending upload, with its refusal if
	// there is one. It returns false and changes nothing when the upload is no
	// longer pending.
	Settle(ctx context.Context, u *attachment.Upload) (bool, error)
}

// PayerRequests stores payer requests.
type PayerRequests interface {
	// Insert stores a new payer request.
	Insert(ctx context.Context, r *attachment.PayerRequest) error

	// Get reads a payer request. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.PayerRequestID) (*attachment.PayerRequest, error)

	// Lock reads like Get, and no other transaction writes the request until this
	// one ends. A transaction that locks a request and its attachment locks the
	// request first.
	Lock(ctx context.Context, id billing.PayerRequestID) (*attachment.PayerRequest, error)

	// Save stores the state of a payer request, and its answer.
	Save(ctx context.Context, r *attachment.PayerRequest) error

	// List reads a page of payer requests, newest first, and one extra row when
	// there is a next page.
	List(ctx context.Context, f attachment.PayerRequestFilter, p billing.Page) ([]*attachment.PayerRequest, error)

	// Received reports whether the network delivered the payer's request with the
	// reference before, about the claim. A zero claim stands for a request
	// without one.
	Received(ctx context.Context, payer billing.PayerID, claim billing.ClaimID, reference string) (bool, error)
}

// EventAppender stores new events.
type EventAppender interface {
	// Append stores an event with the next sequence number of its resource. The
	// caller has locked the resource's row or just inserted it.
	Append(ctx context.Context, e event.Event) error
}

// Events stores what happened.
type Events interface {
	EventAppender

	// Get reads an event. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.EventID) (*event.Event, error)

	// List reads a page of events, newest first, and one extra row when there is
	// a next page.
	List(ctx context.Context, f event.Filter, p billing.Page) ([]*event.Event, error)

	// Tail reads up to limit+1 events after the given one; from the first when it
	// is zero. No event ever appears before one that was read. An unknown event
	// is CodeNotFound.
	Tail(ctx context.Context, f event.Filter, after billing.EventID, limit int) ([]*event.Event, error)
}

// KeyFinder finds API keys, even revoked ones, across organizations.
type KeyFinder interface {
	// Find returns the key with the digest. It returns CodeNotFound if there is none.
	Find(ctx context.Context, digest [32]byte) (*caller.APIKey, error)

	// Get returns the key with the ID. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.KeyID) (*caller.APIKey, error)

	// Valid returns those of the keys that are not revoked.
	Valid(ctx context.Context, ids []billing.KeyID) ([]billing.KeyID, error)

	// Used stores when and from where keys were used last. An earlier use than the
	// stored one changes nothing.
	Used(ctx context.Context, all []caller.KeyUsed) error
}

// ImageNames finds the images that have a row, across scopes.
type ImageNames interface {
	// Kept returns which of the IDs are documents, and which are pending uploads.
	Kept(ctx context.Context, ids []billing.DocumentID) (documents, pending []billing.DocumentID, err error)

	// After reads the next documents after the given one, by their IDs, at most limit.
	After(ctx context.Context, after billing.DocumentID, limit int) ([]billing.DocumentID, error)
}

// RecordForgetter deletes what people made, and nobody needs any longer.
type RecordForgetter interface {
	// Uploads deletes uploads that are no longer pending and were made before the
	// given time, a limited number a call, and returns how many.
	Uploads(ctx context.Context, before time.Time) (int, error)

	// Estimates deletes estimates that were made before the given time, that no claim names
	// and no hold keeps, a limited number a call, and returns how many.
	Estimates(ctx context.Context, before time.Time) (int, error)

	// CheckBatches deletes batches of checks that were made before the given time and that no
	// hold keeps, a limited number a call, and returns how many. Their checks stay.
	CheckBatches(ctx context.Context, before time.Time) (int, error)
}

// DeliveryForgetter deletes deliveries, by the month and one by one.
type DeliveryForgetter interface {
	// DeliveryMonths drops a month of deliveries whose last attempts were all made before
	// the given time, if no hold keeps one of them, and makes the months to come. A call
	// does a part of it. It returns how many deliveries went, and whether to call it again.
	DeliveryMonths(ctx context.Context, before time.Time) (removed int, more bool, err error)

	// Deliveries deletes deliveries whose last attempt was made before the given
	// time, a limited number a call, and returns how many. It leaves those of months that
	// DeliveryMonths may still drop.
	Deliveries(ctx context.Context, before time.Time) (int, error)
}

// Forgetter deletes rows that are stored for a limited time.
type Forgetter interface {
	RecordForgetter
	DeliveryForgetter

	// Answers deletes the answers saved for other checks that were completed
	// before the given time, a limited number a call, and returns how many. The
	// checks stay.
	Answers(ctx context.Context, before time.Time) (int, error)

	// Sessions deletes sessions and sign-in links made before the given time, a
	// limited number a call, and returns how many.
	Sessions(ctx context.Context, before time.Time) (int, error)

	// Requests deletes entries of the request log made before the given time and
	// more than 30 days ago, a limited number a call, and returns how many.
	Requests(ctx context.Context, before time.Time) (int, error)

	// KeyUses deletes idempotency keys used before the given time, a limited
	// number a call, and returns how many.
	KeyUses(ctx context.Context, before time.Time) (int, error)
}
