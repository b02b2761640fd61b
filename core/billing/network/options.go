package network

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Options are the habits of one network: what it wants in inquiries and
// claims, and when files come. Networks and their payers differ, so these
// are data of a connection. The zero value has every default.
//
// The comment of a field states its default and who needs another value. The name in
// a connection's document is in options_json.go.
type Options struct {
	// TraceByExchange accepts a 271 with the trace number (TRN02) of another inquiry,
	// because it came as the reply to ours. By default such a reply is refused: it may
	// be about another patient. Payers that number with their own traces need it.
	TraceByExchange bool

	// Checks is how many checks of batches a payer is asked at once, beside those that were asked
	// alone. The default is 8.
	Checks int

	// NoRepeat leaves a check of a batch at its first outcome. By default a payer that did
	// not respond is asked again later. Networks that charge each request may want it.
	NoRepeat bool

	// ServiceTypes are the service types that a check asks about (EQ01). The default is
	// 35, dental care, to which most dental payers reply with all that they have.
	ServiceTypes []string

	// TypesTogether asks for all ServiceTypes in one 270. By default each has a 270 of
	// its own, because many payers read the first one only.
	TypesTogether bool

	// NoProcedures leaves procedures (EQ02, CDT codes) out of inquiries. By default a
	// check asks about those that it names. Some payers reject them, or reply about
	// something else.
	NoProcedures bool

	// ClaimDate writes the service date in the claim (DTP*472 of loop 2300): the first
	// one of its lines. By default only the lines have dates.
	ClaimDate bool

	// LineDates is which lines state their service date (DTP*472 of loop 2400). By
	// default all do, as Apex and Inmediata require.
	LineDates LineDates

	// Taxonomy is when the billing provider states a taxonomy (PRV*BI). By
	// default it does if its office has one. Washington Medicaid requires one always.
	Taxonomy TaxonomyUse

	// Filings has the filing indicator (SBR09) of payers, by our payer ID. Others have the
	// one of the payer directory, which is CI if it states none.
	Filings map[string]string

	// SubscriberAddressAsPatient leaves out the address and the demographics of a
	// subscriber (N3, N4 and DMG of loop 2010BA) who is not the patient, as the guide
	// requires them only of patients. By default they are always there: most
	// clearinghouses want them.
	SubscriberAddressAsPatient bool

	// RenderingIfOther leaves out a rendering provider (loop 2310B) who has the NPI of the
	// billing provider. Change Healthcare rejects the repetition. By default every
	// rendering provider is there, as Office Ally and Washington Medicaid require.
	RenderingIfOther bool

	// Notes is the most notes (NTE) of a claim, of 80 characters each: 1 to 5. The
	// default is 5, which is the limit of the guide.
	Notes int

	// NoReferences are the numbers of providers that the network refuses. By default it
	// takes all. Denti-Cal takes none.
	NoReferences []ProviderReference

	// ProviderNumbers are numbers that payers and states have assigned to offices and
	// dentists. They precede the numbers of an office itself. By default there are none.
	ProviderNumbers []ProviderNumber

	// NumberLength is the longest control number of a claim (CLM01) that the network
	// returns whole: 12 to 20. The default is 20, which the guide asks of payers.
	// Denti-Cal keeps 17. See SubmittedNumber.
	NumberLength int

	// PlainNumbers allows only letters and digits in CLM01. By default it may have dashes.
	PlainNumbers bool

	// GroupSender and GroupReceiver are the ends of the functional group (GS02, GS03).
	// The defaults are the IDs of the interchange (ISA06, ISA08), as nearly everywhere.
	// Colorado and Washington Medicaid have another receiver here.
	GroupSender   string
	GroupReceiver string

	// SubmitterName, SubmitterID, ReceiverName and ReceiverID are the parties of a file
	// of claims (NM103 and NM109 of loops 1000A and 1000B). The defaults are the IDs of
	// the interchange. Denti-Cal and DentalXChange want a name here, Denti-Cal also its
	// own ID.
	SubmitterName string
	SubmitterID   string
	ReceiverName  string
	ReceiverID    string

	// Claims is the most claims of a batch: 1 to MaxBatchClaims. The default is
	// MaxBatchClaims.
	Claims int

	// Schedule is when batches leave. By default they leave each time that the service
	// cuts batches (MOLAR_BATCH_INTERVAL).
	Schedule Schedule

	// FilePattern is the form of the names of batches: see FileName. The default is
	// DefaultFilePattern. Some networks select the kind or the usage of a file by its name.
	FilePattern string

	// PollInterval is how often the network is asked for files. The default is
	// NetworkPoll.
	PollInterval time.Duration

	// Acknowledgements are the files that the network sends about a batch. The default is
	// 999 and 277CA. Those that do not come are overdue after AcknowledgementAfter, except
	// reports in text, which name no batch.
	Acknowledgements []clearing.AcknowledgementKind

	// AcknowledgementAfter is how long after it was sent a batch has its acknowledgements.
	// The default is AcknowledgementsAfter. Some payers behind a clearinghouse take days
	// for a 277CA.
	AcknowledgementAfter time.Duration

	// Own are the options of the connection's kind that are not the defaults, as in a
	// document. Connection.Load reads them.
	Own map[string]json.RawMessage
}

// LineDates is which lines of a claim state their service date.
type LineDates string

// The values of LineDates.
const (
	LineDatesAlways    LineDates = ""          // all
	LineDatesDifferent LineDates = "different" // those whose date is not the claim's
)

// TaxonomyUse is when the billing provider states a taxonomy.
type TaxonomyUse string

// The values of TaxonomyUse.
const (
	TaxonomyOfOffice    TaxonomyUse = ""          // the office's, if it has one
	TaxonomyAlways      TaxonomyUse = "always"    // the office's, or else the rendering provider's
	TaxonomyIfRendering TaxonomyUse = "rendering" // as always, if the billing provider renders the services
	TaxonomyNever       TaxonomyUse = "never"
)

// ProviderReference is a kind of number of a provider (REF01).
type ProviderReference string

// The kinds.
const (
	ReferencePayer    ProviderReference = "G2" // assigned by the payer
	ReferenceLocation ProviderReference = "LU" // assigned by the payer to a location
	ReferenceLicense  ProviderReference = "0B" // the license of a state
)

// ProviderNumber is a number by which a payer or a state knows an office or a
// dentist.
type ProviderNumber struct {
	NPI       string            `json:"npi"`
	PayerID   string            `json:"payer_id,omitempty"` // ours; empty for all payers
	Reference ProviderReference `json:"reference"`
	Number    string            `json:"number"`
}

// Filing returns the filing indicator of a payer, or else the one given.
func (o *Options) Filing(payerID, otherwise string) string {
	if code, own := o.Filings[strings.ToUpper(payerID)]; own {
		return code
	}
	return otherwise
}

// ProviderNumber returns the number of a provider for a payer, or else the one given.
// A number for the payer precedes a number for all. It is empty if the network refuses
// the kind.
func (o *Options) ProviderNumber(kind ProviderReference, npi, payerID, otherwise string) string {
	if slices.Contains(o.NoReferences, kind) {
		return ""
	}
	found := otherwise
	for i := range o.ProviderNumbers {
		switch n := &o.ProviderNumbers[i]; {
		case n.Reference != kind || n.NPI != npi:
		case n.PayerID == "":
			found = n.Number
		case strings.EqualFold(n.PayerID, payerID):
			return n.Number
		}
	}
	return found
}

// MaxNotes returns the most notes of a claim.
func (o *Options) MaxNotes() int { return cmp.Or(o.Notes, maxNotes) }

// ChecksAtOnce returns how many checks of batches a payer is asked at once.
func (o *Options) ChecksAtOnce() int { return cmp.Or(o.Checks, coverage.LaneChecks) }

// MostClaims returns the most claims of a batch.
func (o *Options) MostClaims() int { return cmp.Or(o.Claims, clearing.MaxBatchClaims) }

// Poll returns how often to ask the network for files.
func (o *Options) Poll() time.Duration { return cmp.Or(o.PollInterval, billing.NetworkPoll) }

// Expected lists the files that the network sends about a batch.
func (o *Options) Expected() []clearing.AcknowledgementKind {
	if len(o.Acknowledgements) == 0 {
		return []clearing.AcknowledgementKind{clearing.Acknowledgement999, clearing.Acknowledgement277CA}
	}
	return o.Acknowledgements
}

// Expects reports whether the network sends files of the kind about a batch.
func (o *Options) Expects(kind clearing.AcknowledgementKind) bool {
	return slices.Contains(o.Expected(), kind)
}

// AcknowledgedAfter returns how long to wait for the acknowledgements of a batch.
func (o *Options) AcknowledgedAfter() time.Duration {
	return cmp.Or(o.AcknowledgementAfter, billing.AcknowledgementsAfter)
}

// The limits of the options that are numbers. The shortest control number still
// distinguishes all claims that an organization can have.
const (
	maxNotes        = 5
	maxChecksAtOnce = 100
	minNumberLength = 12
	maxNumberLength = 20
)

// alphabet has the characters of derived numbers: none is taken for another.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// SubmittedNumber returns the CLM01 of a claim: its control number, if the network
// takes that. Otherwise it is a number that follows from the claim's ID, so that it is
// the same each time that the claim is sent.
func (o *Options) SubmittedNumber(c *claim.Claim) string {
	length := cmp.Or(o.NumberLength, maxNumberLength)
	if len(c.PatientControlNumber) <= length && (!o.PlainNumbers || !strings.Contains(c.PatientControlNumber, "-")) {
		return c.PatientControlNumber
	}
	sum := sha256.Sum256(append([]byte("claim number:"), c.ID[:]...))
	number := make([]byte, length)
	for i := range number {
		number[i] = alphabet[sum[i]&31]
	}
	return string(number)
}

// Schedule is when batches leave: at multiples of Every, or each day at the times
// At. The zero schedule is whenever batches are cut.
type Schedule struct {
	Every    time.Duration
	At       []DayTime
	TimeZone string // IANA name, of At
}

// DayTime is a time of day, in minutes after midnight.
type DayTime int

// Last returns the last time at which batches left, which may be now. Claims that were
// queued later wait for the next one. It is zero for the zero schedule: no claim waits.
func (s *Schedule) Last(now time.Time) (last time.Time) {
	if s.Every > 0 {
		return now.UTC().Truncate(s.Every)
	}
	local := now.In(directory.Zone(s.TimeZone))
	for _, at := range s.At {
		for day := range 2 { // today, or else yesterday
			t := time.Date(local.Year(), local.Month(), local.Day()-day, int(at)/60, int(at)%60, 0, 0, local.Location())
			if !t.After(now) && t.After(last) {
				last = t
			}
		}
	}
	return last
}

// DefaultFilePattern names a batch after a millisecond.
const DefaultFilePattern = "{time}.837"

// The placeholders of a file pattern. A pattern has at least one of the first two,
// because each name is used once.
const (
	placeTime   = "{time}"   // the millisecond, 17 digits, in UTC
	placeSerial = "{serial}" // the control number of the file, 9 digits
	placeDate   = "{date}"   // the day, 8 digits, in UTC
	placeUsage  = "{usage}"  // P or T (ISA15)
)

// FileName returns the name of a batch that is named at the time.
func (o *Options) FileName(b *clearing.Batch, e *Envelope, at time.Time) string {
	usage := UsageProduction
	if e.Test(b.Scope.Mode) {
		usage = UsageTest
	}
	at = at.UTC()
	return strings.NewReplacer(
		placeTime, clearing.BatchTime(at), placeDate, at.Format("20060102"),
		placeSerial, b.File.ControlNumbers.Interchange, placeUsage, usage,
	).Replace(cmp.Or(o.FilePattern, DefaultFilePattern))
}

// Next returns when a claim leaves that was queued at the time. By the zero schedule it
// leaves at once.
func (s *Schedule) Next(queued time.Time) (next time.Time) {
	if s.Every > 0 {
		if next = queued.UTC().Truncate(s.Every); next.Before(queued) {
			next = next.Add(s.Every)
		}
		return next
	}
	next = queued
	local := queued.In(directory.Zone(s.TimeZone))
	for i, at := range s.At {
		t := time.Date(local.Year(), local.Month(), local.Day(), int(at)/60, int(at)%60, 0, 0, local.Location())
		if t.Before(queued) {
			t = time.Date(local.Year(), local.Month(), local.Day()+1, int(at)/60, int(at)%60, 0, 0, local.Location())
		}
		if i == 0 || t.Before(next) {
			next = t
		}
	}
	return next
}
