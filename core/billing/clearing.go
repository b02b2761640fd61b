package billing

import (
	"strings"
	"time"
)

// IncomingFile is a file that a clearinghouse has for us.
type IncomingFile struct {
	Scope   Scope  // the file concerns this scope alone; zero when the clearinghouse does not say
	Name    string // of the clearinghouse, the same whenever it is given
	Content []byte
}

// FileKind is what a file from a clearinghouse is.
type FileKind string

// The kinds of files.
const (
	FileAcknowledgement FileKind = "acknowledgement" // 997, 999, TA1, 277
	FileRemittance      FileKind = "remittance"      // 835
)

// Acknowledgement is what a file says that came back for claims, before any
// payment.
type Acknowledgement struct {
	File     FileRef // the control numbers are the file's own
	Verdicts []FileVerdict
	Reports  []ClaimReport
}

// FileVerdict is what a 997, 999 or TA1 says of a file that was sent.
type FileVerdict struct {
	About  ControlNumbers // of the file that was sent; what is not told is empty
	Result BatchResult
	Why    []string // what is wrong with it, without patient data
}

// Side is who reports on a claim.
type Side string

// The sides.
const (
	SideClearinghouse Side = "clearinghouse"
	SidePayer         Side = "payer"
)

// ReportOutcome is what a claim status means (the categories of 277, STC01-1).
type ReportOutcome string

// The outcomes.
const (
	ReportAccepted  ReportOutcome = "accepted"
	ReportRejected  ReportOutcome = "rejected"
	ReportNotFound  ReportOutcome = "not_found" // A4
	ReportPending   ReportOutcome = "pending"
	ReportRequested ReportOutcome = "requested" // waits for information from the provider
	ReportFinalized ReportOutcome = "finalized" // the remittance tells how
)

// ClaimReport is what a 277 says of one claim, or of all claims of a batch.
type ClaimReport struct {
	Side             Side
	Outcome          ReportOutcome // empty when nothing that is understood was said
	Status           ClaimStatus
	Words            string // the payer's own, STC12; may name the patient
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
	Request          *Information // what the payer wants to know; nil for nothing
}

// Mark is what the report says by which the claim's sender recognizes it.
func (r *ClaimReport) Mark() ClaimMark {
	return ClaimMark{r.ControlNumber, r.Charge, r.PatientFirstName, r.PatientLastName}
}

// ClaimMark is what a file says of a claim by which the claim's sender
// recognizes it. Several practices may use one NPI, and control numbers repeat
// from practice to practice.
type ClaimMark struct {
	ControlNumber string
	Charge        Money  // negative when a payment is taken back
	FirstName     string // of the patient
	LastName      string
}

// Fits reports whether the mark is of the claim: it has the claim's control
// number, and with it the claim's charge, whatever the sign, or the patient's
// name.
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

// Information is what a payer asks for with a 277.
type Information struct {
	Reference string // the payer's; the answer repeats it
	Requested string // in the payer's words, else in ours
	Due       Date   // zero when the payer names no day
}

// trigger is what the report does to a claim, empty for nothing, and the event
// of that.
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

// finding tells the user of the claim why it came back.
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

// Quarantined is a file, or one payment of it, that cannot be given to an
// organization: it names none or several, or cannot be read.
type Quarantined struct {
	ID         FileID
	Mode       Mode
	Name       string
	Reason     string // for the operator, without patient data
	Content    []byte
	ReceivedAt time.Time
}

// Quarantined puts the file aside, for the reason.
func (f IncomingFile) Quarantined(mode Mode, reason string, at time.Time) *Quarantined {
	return &Quarantined{ID: NewID[FileID](at), Mode: mode, Name: f.Name, Reason: reason, Content: f.Content, ReceivedAt: at}
}
