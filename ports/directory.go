package ports

// The directory: organizations with their offices, providers, patients, enrollments and fee
// schedules.

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/network"
)

// Organizations stores organizations.
type Organizations interface {
	Insert(ctx context.Context, o *caller.Organization) error
	// Get reads an organization. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.OrgID) (*caller.Organization, error)
	List(ctx context.Context) ([]*caller.Organization, error)
	// Expired returns up to limit throw-away organizations that have expired and are not
	// being removed.
	Expired(ctx context.Context, at time.Time, limit int) ([]*caller.Organization, error)
	// Office reads an office of any organization. It returns CodeNotFound if there
	// is none.
	Office(ctx context.Context, id billing.OfficeID) (*directory.Office, error)
}

// Patients is the patient directory.
type Patients interface {
	// Find returns the ID of each person, and adds an entry for a new one.
	Find(ctx context.Context, people []directory.Person) ([]billing.PatientID, error)

	// Get reads a patient. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.PatientID) (*directory.Patient, error)

	// List reads a page of patients, newest first, and one extra row when there is
	// a next page.
	List(ctx context.Context, p billing.Page) ([]*directory.Patient, error)

	// Search returns patients that match, at most billing.MaxSearchPatients of them, and
	// whether there may be more. These are the patients with the words and the date of
	// birth, and those of claims and checks with the member ID.
	Search(ctx context.Context, s billing.Search) (found []billing.PatientID, more bool, err error)

	// Alike reads up to limit patients who were born on the same day as the patient, and of
	// whom a check or a claim has a member ID of the patient's, newest first: the same person
	// under another name, or a twin.
	Alike(ctx context.Context, p *directory.Patient, limit int) ([]*directory.Patient, error)

	// Read is List for some patients.
	Read(ctx context.Context, ids []billing.PatientID, p billing.Page) ([]*directory.Patient, error)
}

// Offices stores the offices of a scope.
type Offices interface {
	Insert(ctx context.Context, o *directory.Office) error

	// Get reads an office. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.OfficeID) (*directory.Office, error)

	// Lock reads like Get, and no other transaction writes the office until this one
	// ends.
	Lock(ctx context.Context, id billing.OfficeID) (*directory.Office, error)

	// Save stores all of a locked office except its ID, scope and creation time.
	Save(ctx context.Context, o *directory.Office) error

	// Numbered returns the offices with the NPI. Without an NPI, or without a
	// match, it returns those with the tax ID, compared by its digits.
	Numbered(ctx context.Context, npi, taxID string) ([]*directory.Office, error)

	// List reads a page of offices, newest first, and one extra row when there is
	// a next page.
	List(ctx context.Context, p billing.Page) ([]*directory.Office, error)
}

// Providers stores the providers of a scope.
type Providers interface {
	Insert(ctx context.Context, p *directory.Provider) error

	// Get reads a provider. The zero ID stands for the oldest of the scope that is
	// not retired. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.ProviderID) (*directory.Provider, error)

	// Lock reads like Get, and no other transaction writes the provider until this
	// one ends.
	Lock(ctx context.Context, id billing.ProviderID) (*directory.Provider, error)

	// Save stores all of a locked provider except its ID, scope and creation time.
	Save(ctx context.Context, p *directory.Provider) error

	// List reads a page of providers, newest first, and one extra row when there
	// is a next page.
	List(ctx context.Context, p billing.Page) ([]*directory.Provider, error)
}

// Enrollments stores the enrollments of offices with payers. Those without a record
// are not needed.
type Enrollments interface {
	// Put stores an enrollment, in place of the one that its office has with its payer
	// for its transaction. It returns the stored one, which keeps its first ID and
	// creation time, and has the next version if what a caller writes differs.
	Put(ctx context.Context, e *network.Enrollment) (*network.Enrollment, error)

	// Find reads the enrollments for the transaction of any of the offices with any of
	// the payers.
	Find(ctx context.Context, t network.Transaction, offices []billing.OfficeID, payers []billing.PayerID) ([]*network.Enrollment, error)

	// Share reads like Find, and no other transaction writes the enrollments that it
	// returns until this one ends. It waits for one that does.
	Share(ctx context.Context, t network.Transaction, offices []billing.OfficeID, payers []billing.PayerID) ([]*network.Enrollment, error)

	// Get reads an enrollment. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.EnrollmentID) (*network.Enrollment, error)

	// List reads a page of enrollments, newest first, and one extra row when there
	// is a next page.
	List(ctx context.Context, f network.EnrollmentFilter, p billing.Page) ([]*network.Enrollment, error)
}

// Estimates stores the estimates of a scope. They never change.
type Estimates interface {
	// Insert stores a new estimate.
	Insert(ctx context.Context, r *estimate.Record) error

	// Get reads an estimate. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.EstimateID) (*estimate.Record, error)

	// List reads a page of estimates, newest first, and one extra row when there is a next
	// page.
	List(ctx context.Context, f estimate.Filter, p billing.Page) ([]*estimate.Record, error)

	// Accuracy compares each estimate that a claim to its payer names with what the patient owes
	// now, by payer: the one with the most estimates first. Claims without a payment that stands
	// do not count, and with a second plan those that its payer has not decided.
	Accuracy(ctx context.Context) ([]estimate.PayerAccuracy, error)
}

// FeeSchedules stores the fee schedules of a scope. They never change.
type FeeSchedules interface {
	// Beside returns, without rows, the schedules that a new one is checked against: the one
	// that it replaces, and those for the same offices, payers and networks from the same
	// date. No other transaction of the scope gets past Beside until this one ends.
	Beside(ctx context.Context, s *fee.Schedule) ([]*fee.Schedule, error)

	// Insert stores a new schedule with its rows.
	Insert(ctx context.Context, s *fee.Schedule) error

	// Get reads a schedule with its rows. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.FeeScheduleID) (*fee.Schedule, error)

	// List reads a page of schedules without their rows, newest first, and one extra row
	// when there is a next page.
	List(ctx context.Context, f fee.Filter, p billing.Page) ([]*fee.Schedule, error)

	// Pricing reads every schedule that can count for a line of the question, with the rows
	// for the procedures of the lines, in one round trip.
	Pricing(ctx context.Context, q fee.Question, lines []fee.Line) ([]*fee.Schedule, error)

	// Considered reads up to limit schedules with the row for the procedure of the line, if
	// they have one: first those that Pricing reads, then those with such a row, then the
	// others, each the latest date first.
	Considered(ctx context.Context, q fee.Question, l fee.Line, limit int) ([]*fee.Schedule, error)
}

// ImportMappings stores what the files of other programs mean, one for each kind of a scope.
type ImportMappings interface {
	// Get reads a mapping. It returns one without rows if there is none.
	Get(ctx context.Context, kind directory.ImportKind) (*directory.ImportMapping, error)

	// Put stores a mapping in place of the one for its kind.
	Put(ctx context.Context, m *directory.ImportMapping) error
}
