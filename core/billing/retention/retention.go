// Package retention has how long data stays, and what stops its removal.
package retention

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Kind names data that stays equally long.
type Kind string

// The kinds.
const (
	Records    Kind = "records"    // claims, remittances, attachments with images, payer requests, batches, acknowledgements, checks, patients
	Audit      Kind = "audit"      // who did and saw what
	Exchanges  Kind = "exchanges"  // the messages of checks, as they were sent and received
	Events     Kind = "events"     // what happened to resources
	Files      Kind = "files"      // files from and to clearinghouses
	Deliveries Kind = "deliveries" // webhooks that were delivered or given up
	Requests   Kind = "requests"   // the request log
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Records, Audit, Exchanges, Events, Files, Deliveries, Requests} }

const day = 24 * time.Hour

// Least is the shortest age that can be set.
const Least = 30 * day

// Age is how long data of a kind and a mode stays. It counts in real time.
type Age struct {
	Kind   Kind
	Mode   billing.Mode
	Org    billing.OrgID // zero for all that have no age of their own
	Keep   time.Duration
	Minors bool // what names a patient younger than 18 stays for Keep after the 18th birthday
}

// Check returns an error that says what of the age cannot be set.
func (a Age) Check() error {
	var faults billing.Faults
	if !slices.Contains([]Kind{Records, Exchanges, Events}, a.Kind) {
		faults.Add("kind", billing.FaultUnknown, "The ages that can be set are those of records, exchanges and events.")
	}
	if a.Keep < Least {
		faults.Add("age", billing.FaultRange, "The age must be at least 30 days.")
	}
	if a.Minors && a.Kind != Records {
		faults.Add("minors", billing.FaultUnknown, "Only records can count from the 18th birthday.")
	}
	return faults.Err()
}

// Changed says in words what it changes, for the audit. Before is the age until then; nil if
// there was none.
func (a Age) Changed(before *Age) string {
	was := "no own age"
	if before != nil {
		was = before.words()
	}
	return string(a.Kind) + ", " + string(a.Mode) + ": from " + was + " to " + a.words()
}

func (a Age) words() string {
	text := strconv.Itoa(int(a.Keep/day)) + " days"
	if a.Minors {
		text += " from the 18th birthday"
	}
	return text
}

// Old counts what is older than an age.
type Old struct {
	Of   string // a table, or "exchanges"
	Old  int64
	Held int64 // of these, because of a hold on their organization or on one of its patients
}

// Hold stops every removal of an organization's data, or of a patient's. Data that does not
// name one patient, such as a remittance, is held for the organization.
type Hold struct {
	Org      billing.OrgID
	Patient  billing.PatientID // zero for the whole organization
	Reason   string
	PlacedAt time.Time
}

// Keeps reports whether it stops a removal of what the patient has, or of all that the organization
// has for the zero ID: a hold on any of its patients stops that.
func (h Hold) Keeps(org billing.OrgID, patient billing.PatientID) bool {
	return h.Org == org && (h.Patient.IsZero() || patient.IsZero() || h.Patient == patient)
}

// Reason returns the reason of a hold or an erasure without space around it, and an error unless it
// has 1 to 200 bytes.
func Reason(text string) (string, error) {
	if text = strings.TrimSpace(text); text == "" || len(text) > 200 {
		var faults billing.Faults
		faults.Add("reason", billing.FaultRequired, "Give a reason of 1 to 200 bytes. It is not encrypted: name the matter, not the patient.")
		return "", faults.Err()
	}
	return text, nil
}

// Place counts what is swept, each table in each mode, in the order of removal.
type Place int
