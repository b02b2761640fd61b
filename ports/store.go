// Package ports declares what the core needs of the outside: a store, a queue,
// the networks to payers, the codec of their messages, and the time. It holds
// no behaviour. Each port has a contract suite in a package beside this one,
// and every adapter of the port passes it.
//
// Errors: a *billing.Error is for the caller of the API; anything else is an
// internal fault.
package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

// Store keeps everything that must not be lost. PostgreSQL is its one adapter.
type Store interface {
	// InTx runs fn in a transaction that sees and writes only rows of scope,
	// and commits when fn returns nil. After a serialization failure or a
	// deadlock it runs fn again, so fn touches nothing but tx, and talks to no
	// network. Jobs staged in tx are published after the commit. An error from
	// the commit itself is resolved by reading back.
	InTx(ctx context.Context, scope billing.Scope, fn func(ctx context.Context, tx Tx) error) error

	// View runs fn in a read-only transaction that sees only rows of scope.
	View(ctx context.Context, scope billing.Scope, fn func(ctx context.Context, tx Tx) error) error

	// System runs fn in a transaction that sees keys, organizations, offices,
	// the outbox and idempotency keys of every scope: for looking up keys,
	// relaying, sweeping and administration. It may run fn again.
	System(ctx context.Context, fn func(ctx context.Context, tx SystemTx) error) error

	// Ready reports whether the database answers and its schema is current.
	Ready(ctx context.Context) error
}

// Tx is what a transaction of one scope can do.
//
// Its Clock shows the database's time at which the transaction began, the same
// all through it, in UTC and microseconds. It is the time of everything that is
// kept or compared with what is kept: processes whose own clocks differ agree
// on it. Only leases, whose lengths alone count, are the store's own business.
type Tx struct {
	Clock         Clock
	Keys          IdempotencyKeys
	Checks        Checks
	Claims        Claims
	Clearing      Clearing
	Batches       Batches
	ERAs          ERAs
	ERAClaims     ERAClaims
	Attachments   Attachments
	Documents     Documents
	PayerRequests PayerRequests
	Patients      Patients
	Offices       Offices
	Providers     Providers
	Events        Events
	Endpoints     WebhookEndpoints
	Deliveries    Deliveries
	Lanes         Lanes
	Outbox        Outbox
}

// SystemTx is what a transaction across scopes can do. Its Clock is that of Tx.
type SystemTx struct {
	Clock      Clock
	Jobs       Jobs
	Leases     Leases
	APIKeys    APIKeys
	Orgs       Organizations
	Images     ImageNames
	Routes     Routes
	Quarantine Quarantine
	Forget     Forgetter
}

// IdempotencyKeys remembers which keys were used for which requests.
type IdempotencyKeys interface {
	// Reserve reserves the key for the rest of the transaction, unless another
	// has it, and never waits. It returns the use that is on record, which says
	// whether this transaction holds the key; nil when the key is new; and
	// billing.ErrKeyInUse when another transaction is about to use it first.
	Reserve(ctx context.Context, key string) (*billing.KeyUse, error)

	// Record keeps the use of a reserved key, in the commit of its effect.
	Record(ctx context.Context, use billing.KeyUse) error

	// Release forgets the use of a key that waits for the work, which came to
	// nothing: the key is as new. Another use of the key stays.
	Release(ctx context.Context, key string, work billing.JobID) error
}

// Checks keeps eligibility checks.
type Checks interface {
	// Insert keeps a new check, pending or completed.
	Insert(ctx context.Context, c *billing.EligibilityCheck) error

	// Get reads a check. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.CheckID) (*billing.EligibilityCheck, error)

	// Find reads checks. Absent ones are not in the result.
	Find(ctx context.Context, ids []billing.CheckID) (map[billing.CheckID]*billing.EligibilityCheck, error)

	// Complete keeps what came of checks that were pending, with the messages
	// exchanged, which are kept encrypted. It returns those that it completed,
	// and changes nothing of one that was completed already.
	Complete(ctx context.Context, done []billing.CheckCompletion) ([]billing.CheckID, error)

	// Recent finds the newest fresh, answered check for the same question that
	// was completed at or after since; nil when there is none.
	Recent(ctx context.Context, digest [32]byte, since time.Time) (*billing.EligibilityCheck, error)

	// List reads a page of checks, newest first, and one row more than asked
	// for when there is a next page.
	List(ctx context.Context, f billing.CheckFilter, p billing.Page) ([]*billing.EligibilityCheck, error)
}

// Attachments keeps attachments.
type Attachments interface {
	// Insert keeps a new attachment without documents. A second open one for
	// the same payer request is CodeConflict.
	Insert(ctx context.Context, a *billing.Attachment) error

	// Get reads an attachment with its documents. An absent one is
	// CodeNotFound.
	Get(ctx context.Context, id billing.AttachmentID) (*billing.Attachment, error)

	// Lock reads like Get, and nobody else writes the attachment or its
	// documents until the transaction ends. It waits for whoever does.
	Lock(ctx context.Context, id billing.AttachmentID) (*billing.Attachment, error)

	// Save keeps what can change of an attachment, apart from its documents.
	Save(ctx context.Context, a *billing.Attachment) error

	// List reads a page of attachments with their documents, newest first, and
	// one row more than asked for when there is a next page.
	List(ctx context.Context, f billing.AttachmentFilter, p billing.Page) ([]*billing.Attachment, error)

	// Serial gives the next number for an attachment, across all scopes. A
	// number that was given and not kept is lost.
	Serial(ctx context.Context) (int64, error)
}

// Documents keeps the documents of attachments, and uploads on their way to
// become documents.
type Documents interface {
	// Insert adds a document to an attachment that is locked.
	Insert(ctx context.Context, a billing.AttachmentID, d *billing.Document) error

	// Delete removes a document of an attachment that is locked.
	Delete(ctx context.Context, id billing.DocumentID) error

	// Receive keeps a new upload.
	Receive(ctx context.Context, u *billing.Upload) error

	// Upload reads an upload. An absent one is CodeNotFound.
	Upload(ctx context.Context, id billing.DocumentID) (*billing.Upload, error)

	// Settle keeps the state of an upload that was pending, with the refusal
	// if there is one. It reports false, and changes nothing, when the upload
	// is pending no more.
	Settle(ctx context.Context, u *billing.Upload) (bool, error)
}

// PayerRequests keeps payer requests.
type PayerRequests interface {
	// Insert keeps a new payer request.
	Insert(ctx context.Context, r *billing.PayerRequest) error

	// Get reads a payer request. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.PayerRequestID) (*billing.PayerRequest, error)

	// Lock reads like Get, and nobody else writes the request until the
	// transaction ends. Whoever locks a request and its attachment locks the
	// request first.
	Lock(ctx context.Context, id billing.PayerRequestID) (*billing.PayerRequest, error)

	// Save keeps the state of a payer request, and its answer.
	Save(ctx context.Context, r *billing.PayerRequest) error

	// List reads a page of payer requests, newest first, and one row more than
	// asked for when there is a next page.
	List(ctx context.Context, f billing.PayerRequestFilter, p billing.Page) ([]*billing.PayerRequest, error)

	// Received reports whether the payer's request with the reference came
	// through the network before, about the claim, or about none when claim is zero.
	Received(ctx context.Context, payer billing.PayerID, claim billing.ClaimID, reference string) (bool, error)
}

// Patients is the patient directory.
type Patients interface {
	// Find returns the ID of each person, and makes an entry for a new one.
	Find(ctx context.Context, people []billing.Person) ([]billing.PatientID, error)

	// Get reads a patient. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.PatientID) (*billing.Patient, error)
}

// Offices keeps the offices of a scope.
type Offices interface {
	Insert(ctx context.Context, o *billing.Office) error

	// Get reads an office. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.OfficeID) (*billing.Office, error)

	// Numbered gives the offices with the NPI; without an NPI, or when none has
	// it, those with the tax ID, digits compared.
	Numbered(ctx context.Context, npi, taxID string) ([]*billing.Office, error)

	// List reads a page of offices, newest first, and one row more than asked
	// for when there is a next page.
	List(ctx context.Context, p billing.Page) ([]*billing.Office, error)
}

// Providers keeps the providers of a scope.
type Providers interface {
	Insert(ctx context.Context, p *billing.Provider) error

	// Get reads a provider; for the zero ID the oldest of the scope. An absent
	// one is CodeNotFound.
	Get(ctx context.Context, id billing.ProviderID) (*billing.Provider, error)

	// List reads a page of providers, newest first, and one row more than
	// asked for when there is a next page.
	List(ctx context.Context, p billing.Page) ([]*billing.Provider, error)
}

// Events keeps what happened.
type Events interface {
	// Append keeps an event and gives it the next sequence of its resource.
	// The caller holds the resource's row, or has just made it.
	Append(ctx context.Context, e billing.Event) error

	// Get reads an event. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.EventID) (*billing.Event, error)

	// List reads a page of events, newest first, and one row more than asked
	// for when there is a next page.
	List(ctx context.Context, f billing.EventFilter, p billing.Page) ([]*billing.Event, error)

	// Tail reads up to limit+1 events after the given one (all, when it is
	// zero), in an order in which no event ever appears before one that was
	// read. An unknown event is CodeNotFound.
	Tail(ctx context.Context, f billing.EventFilter, after billing.EventID, limit int) ([]*billing.Event, error)
}

// Outbox holds the work that a transaction makes necessary.
type Outbox interface {
	// Stage keeps a job in the commit of its cause. One with a time rests until
	// then; any other is published after the commit.
	Stage(ctx context.Context, j jobs.Job) error

	// Done removes a job in the commit of its effect; removing it twice does
	// nothing.
	Done(ctx context.Context, id billing.JobID) error

	// Pending reports whether the job is still to be done.
	Pending(ctx context.Context, id billing.JobID) (bool, error)

	// Postpone gives the job back, to rest until the given time.
	Postpone(ctx context.Context, id billing.JobID, until time.Time) error
}

// Jobs is the outbox as the relay and the runners see it, across scopes.
type Jobs interface {
	// Due takes up to limit jobs that rested until now or whose lease has run
	// out, and leases them: for lease at the first time, and for twice as long
	// at each further one, up to billing.JobMaxLease. It takes them in turn, one of each
	// stream and then the next of each, and none of the streams that are full.
	Due(ctx context.Context, now time.Time, lease time.Duration, limit int, full ...jobs.Stream) ([]jobs.Job, error)

	// Renew extends the lease of a job that is being worked on.
	Renew(ctx context.Context, id billing.JobID, lease time.Duration) error

	// Attempt counts an attempt at a job that failed, or again, one whose
	// message was delivered before: that counts only when nobody holds the
	// lease, so that somebody died with it. It answers how many there have been.
	Attempt(ctx context.Context, id billing.JobID, again bool) (int, error)

	// Release ends the leases that were taken or renewed longer ago than age,
	// when what was published then may be lost.
	Release(ctx context.Context, age time.Duration) error

	// Backlog counts jobs that are due, and the age of the oldest.
	Backlog(ctx context.Context) ([]Backlog, error)

	// Lanes calls up to limit lanes of enabled endpoints that have deliveries
	// due and no holder, and that were not called within the pause: it answers
	// the jobs that call them. An open circuit whose time has not come is not
	// called.
	Lanes(ctx context.Context, now time.Time, pause time.Duration, limit int) ([]jobs.Job, error)
}

// Leases is the leases of jobs under way, across scopes.
type Leases interface {
	// Held returns which of the jobs have a lease: they were published, and no
	// worker has done or postponed them yet.
	Held(ctx context.Context, ids []billing.JobID) ([]billing.JobID, error)

	// Again leases those of the jobs whose lease has run out, as Jobs.Due does,
	// and returns them.
	Again(ctx context.Context, ids []billing.JobID, lease time.Duration) ([]jobs.Job, error)
}

// Backlog is how much work of a kind waits.
type Backlog struct {
	Kind   jobs.Kind
	Jobs   int           // all that are not done
	Oldest time.Duration // since the oldest of them was due; zero when none is
}

// APIKeys keeps keys, across scopes.
type APIKeys interface {
	// Insert keeps a key under the digest of its secret, with its event.
	Insert(ctx context.Context, k *billing.APIKey, digest [32]byte) error

	// Find looks a key up by its digest, revoked ones too. An absent one is
	// CodeNotFound.
	Find(ctx context.Context, digest [32]byte) (*billing.APIKey, error)

	// Revoke ends a key. It answers the key as it is then, and false when it
	// had been revoked before. An absent one is CodeNotFound.
	Revoke(ctx context.Context, id billing.KeyID, at time.Time) (*billing.APIKey, bool, error)

	List(ctx context.Context, org billing.OrgID) ([]*billing.APIKey, error)

	// Append keeps the event of a key.
	Append(ctx context.Context, e billing.Event) error
}

// Organizations keeps organizations.
type Organizations interface {
	Insert(ctx context.Context, o *billing.Organization) error
	// Get reads an organization. An absent one is CodeNotFound.
	Get(ctx context.Context, id billing.OrgID) (*billing.Organization, error)
	List(ctx context.Context) ([]*billing.Organization, error)
	// VerifyOffice gives an office its VerifiedAt, unless it has one. An absent
	// office is CodeNotFound.
	VerifyOffice(ctx context.Context, id billing.OfficeID, at time.Time) (*billing.Office, error)
}

// ImageNames tells which images have a row, across scopes.
type ImageNames interface {
	// Kept answers which of the IDs are documents, and which are uploads that
	// are pending.
	Kept(ctx context.Context, ids []billing.DocumentID) (documents, pending []billing.DocumentID, err error)
}

// Forgetter removes what is kept for a while only.
type Forgetter interface {
	// Deliveries removes deliveries whose last attempt was made before the
	// given time, a bounded number a call, and answers how many.
	Deliveries(ctx context.Context, before time.Time) (int, error)

	// Uploads removes uploads that are pending no more and were made before
	// the given time, a bounded number a call, and answers how many.
	Uploads(ctx context.Context, before time.Time) (int, error)

	// Answers removes the answers saved for other checks that were completed
	// before the given time, a bounded number a call, and returns how many.
	// The checks stay.
	Answers(ctx context.Context, before time.Time) (int, error)

	// KeyUses removes idempotency keys used before the given time, a bounded
	// number a call, and answers how many.
	KeyUses(ctx context.Context, before time.Time) (int, error)
}
