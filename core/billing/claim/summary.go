package claim

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Summary is the state of an organization's work at one moment: what needs a person,
// and where the money is.
type Summary struct {
	At                time.Time
	Claims            Totals
	Overpaid          Count    // claims with Claim.Overpaid
	Changed           Count    // claims with Claim.PaymentChanged
	Unrouted          []ToSend // queued claims that wait for the operator
	Waiting           Waiting
	PayerRequests     OpenRequests
	EndpointsWorking  int
	EndpointsFailing  int // enabled, and the last delivery failed
	EndpointsDisabled int
	PendingOffices    []*directory.Office // with a change that waits for the operator
	Checks            []DayCount          // each day of the activity, the earliest first
}

// Waiting counts what waits for a person beside claims.
type Waiting struct {
	NotPosted        Count // remittances
	NeedAttention    Count // remittances
	UnfinishedClaims Count // of remittances, which a person must finish
	Quarantined      Count // files
	OpenAttachments  Count
}

// ToSend counts the queued claims to a payer that are in no batch.
type ToSend struct {
	PayerID   billing.PayerID
	PayerName string
	Hold      Hold
	Count
}

// MaxToSend is the number of rows of queued claims in a summary. A payer has two if some of its claims wait for their
// office.
const MaxToSend = 100

// Count is a number of resources, or with More the least that it can be.
type Count struct {
	Count int
	More  bool
}

// UpTo returns the count as a number that is known up to a maximum.
func UpTo(most, counted int) Count { return Count{Count: min(counted, most), More: counted > most} }

// MaxCount is the highest number to which a summary counts anything but the states of
// claims.
const MaxCount = 10_000

// Totals counts the claims, and has their money by age.
type Totals struct {
	States map[Kind]map[State]int
	Ages   []AgeTotal // of each of Ages
	Sent   []DayCount // claims first sent, on each day of the activity, the earliest first
}

// ClaimMoney is the money of claims that were sent and are not voided. Services that
// were billed to a primary and to a secondary payer count once. Predeterminations and
// void transactions have no money.
type ClaimMoney struct {
	Charged               billing.Money
	Paid                  billing.Money // by all remittances, reversals subtracted
	PaidElsewhere         billing.Money // as claims state it, while no remittance says it
	PatientResponsibility billing.Money // as payers say
	BilledToPatient       billing.Money // what people accepted as the patient's, as far as no payer paid it later
	Outstanding           billing.Money // none once the payment is posted
	Overpaid              billing.Money // what payments and write-offs have beyond the charge, accepted or not
}

// WrittenOff returns what payers write off, and what people accepted otherwise than as
// the patient's. So the charge and what is overpaid are the sum of the other amounts.
func (m ClaimMoney) WrittenOff() billing.Money {
	return m.Charged + m.Overpaid - m.Paid - m.PaidElsewhere - m.PatientResponsibility - m.BilledToPatient - m.Outstanding
}

// Add returns the sum.
func (m ClaimMoney) Add(o ClaimMoney) ClaimMoney {
	return ClaimMoney{
		m.Charged + o.Charged, m.Paid + o.Paid, m.PaidElsewhere + o.PaidElsewhere, m.PatientResponsibility + o.PatientResponsibility,
		m.BilledToPatient + o.BilledToPatient, m.Outstanding + o.Outstanding, m.Overpaid + o.Overpaid,
	}
}

// Age is a span of days since a claim was first sent. Days begin at midnight UTC.
type Age struct {
	From int
	To   int // inclusive; 0 for the last age, which has no end
}

// Ages returns the ages that a summary separates, the youngest first.
func Ages() []Age { return []Age{{0, 30}, {31, 60}, {61, 90}, {91, 0}} }

// Sent returns the time from which claims of the age were first sent, and the time before
// which they were. A zero time is no bound: the first age has also what was sent later than
// today, by clocks that differ.
func (a Age) Sent(today billing.Date) (from, before time.Time) {
	if a.To > 0 {
		from = today.AddDays(-a.To).Time()
	}
	if a.From > 0 {
		before = today.AddDays(1 - a.From).Time()
	}
	return from, before
}

// AgeTotal is the money of the claims of an age.
type AgeTotal struct {
	Age
	ClaimMoney
}

// DayCount counts what happened on a day, in UTC.
type DayCount struct {
	Day billing.Date
	Count
}

// The activity of a summary: the number of days with today, and the highest number to
// which it counts the checks of a day.
const (
	ActivityDays   = 30
	MaxDailyChecks = 2_000
)

// OpenRequests counts the open payer requests by the day on which they are due.
type OpenRequests struct {
	Open    Count
	Due     []DayCount // the earliest first, at most MaxDueDays
	Later   Count      // due after these days
	Undated Count      // the payer named no day
}

// MaxDueDays is the number of days on which a summary counts requests separately.
const MaxDueDays = 60
