package billing

import (
	"strings"
	"time"
)

// IncomingFile is a file from a clearinghouse.
type IncomingFile struct {
	Scope   Scope  // the only scope of the file; zero when the clearinghouse does not say
	Name    string // the clearinghouse's name for it, which never changes
	Content []byte
}

// FileKind is the kind of a file from a clearinghouse.
type FileKind string

// The kinds of files.
const (
	FileAcknowledgement FileKind = "acknowledgement" // 997, 999, TA1, 277
	FileRemittance      FileKind = "remittance"      // 835
)

// Acknowledgement is the content of a file about claims, other than a remittance.
type Acknowledgement struct {
	File     FileRef // the control numbers are the file's own
	Verdicts []FileVerdict
	Reports  []ClaimReport
}

// FileVerdict is the verdict of a 997, 999 or TA1 on a file that was sent.
type FileVerdict struct {
	About  ControlNumbers // of the file that was sent; empty where not stated
	Result BatchResult
	Why    []string // the errors in the file, without patient data
}

// Side is the party that reports on a claim.
type Side string

// The sides.
const (
	SideClearinghouse Side = "clearinghouse"
	SidePayer         Side = "payer"
)

// ReportOutcome is the meaning of a claim status (the categories of 277,
// STC01-1).
type ReportOutcome string

// The outcomes.
const (
	ReportAccepted  ReportOutcome = "accepted"
	ReportRejected  ReportOutcome = "rejected"
	ReportNotFound  ReportOutcome = "not_found" // A4
	ReportPending   ReportOutcome = "pending"
	ReportRequested ReportOutcome = "requested" // waits for information from the provider
	ReportFinalized ReportOutcome = "finalized" // the remittance has the decision
)

// ClaimReport is the report of a 277 on one claim, or on all claims of a batch.
type ClaimReport struct {
	Side             Side
	Outcome          ReportOutcome // empty when the status is unknown
	Status           ClaimStatus
	Words            string // the payer's text, STC12; may name the patient
	Effective        Date   // of the status; zero when the file does not say
	Batch            string // BHT03 of the file that was sent (TRN02 of the receiver); empty in 277s that answer no file
	ProviderNPI      string // of the practice that sent the claim; empty when the file does not say
	ProviderTaxID    string // the same
	PayerID          string // the payer's own ID; empty when the file does not say
	ControlNumber    string // the claim's; empty for every claim of the batch
	PayerClaimNumber string // the payer's; empty when the file does not say
	Charge           Money  // of the claim (STC04); zero when the report has none
	PatientFirstName string
	PatientLastName  string
	Request          *Information // the information that the payer requests; nil if none
}

// Mark returns the details that identify the claim for its sender.
func (r *ClaimReport) Mark() ClaimMark {
	return ClaimMark{r.ControlNumber, r.Charge, r.PatientFirstName, r.PatientLastName}
}

// ClaimMark is the details in a file that identify a claim for its sender.
// Several practices may use one NPI, and different practices may use the same
// control numbers.
type ClaimMark struct {
	ControlNumber string
	Charge        Money  // negative in a reversal
	FirstName     string // of the patient
	LastName      string
}

// Fits reports whether the mark has the claim's control number, and either the
// claim's charge, with any sign, or the patient's name.
func (m ClaimMark) Fits(c *Claim) bool {
	if m.ControlNumber == "" || !strings.EqualFold(m.ControlNumber, c.PatientControlNumber) {
		return false
	}
	first, last := c.Subscriber.FirstName, c.Subscriber.LastName
	if c.Patient != nil {
		first, last = c.Patient.FirstName, c.Patient.LastName
	}
	charge := c.Charge()
	return m.Charge == charge || m.Charge == -charge ||
		m.LastName != "" && comparableName(m.LastName) == comparableName(last) && comparableName(m.FirstName) == comparableName(first)
}

// Information is a payer's request for information in a 277.
type Information struct {
	Reference string // the payer's; the answer repeats it
	Requested string // the payer's text, or else ours
	Due       Date   // zero when the payer names no day
}

// trigger returns the trigger of the report and its event. Both are empty when
// the report changes nothing.
func (r *ClaimReport) trigger() (ClaimTrigger, EventType) {
	switch {
	case r.Outcome == ReportAccepted && r.Side == SidePayer:
		return TriggerPayerAccept, EventClaimAccepted
	case r.Outcome == ReportAccepted:
		return TriggerClearinghouseAccept, EventClaimAccepted
	case r.Outcome == ReportRejected:
		return TriggerReject, EventClaimRejected
	case r.Outcome == ReportNotFound:
		return TriggerNotFound, EventClaimNeedsAttention
	case r.Side == SidePayer && r.Outcome != "":
		return TriggerStatus, EventClaimStatusUpdated
	default:
		return "", ""
	}
}

// finding returns the finding for a claim that was rejected or not found.
func (r *ClaimReport) finding() Finding {
	who := "The clearinghouse"
	if r.Side == SidePayer {
		who = "The payer"
	}
	message, fix := who+" rejected the claim with status "+r.Status.String()+".", "Correct what the status names, then submit the claim again."
	if r.Outcome == ReportNotFound {
		message = who + " has no record of the claim (status " + r.Status.String() + ")."
		fix = "Check the payer and the subscriber, correct the claim, then submit it again."
	}
	if r.Words != "" {
		message += " Its message: " + r.Words
	}
	return Finding{Code: "status_" + string(r.Outcome), Message: message, Fix: fix}
}

// Quarantined is a file, or one payment of it, without an organization: it
// names none or several, or cannot be read.
type Quarantined struct {
	ID         FileID
	Mode       Mode
	Name       string
	Reason     string // for the operator, without patient data
	Content    []byte
	ReceivedAt time.Time
}

// Quarantined returns the file as a quarantined file with the reason.
func (f IncomingFile) Quarantined(mode Mode, reason string, at time.Time) *Quarantined {
	return &Quarantined{ID: NewID[FileID](at), Mode: mode, Name: f.Name, Reason: reason, Content: f.Content, ReceivedAt: at}
}
