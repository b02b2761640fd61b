package clearing

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// OutgoingFile is a file of claims for a clearinghouse. A name always stands for the
// same content.
type OutgoingFile struct {
	Scope   billing.Scope
	Name    string
	Content []byte
	At      time.Time // by the clock of its scope; zero stands for now
	Token   string    // of the step of an earlier Send that may have delivered it; empty if there was none
}

// IncomingFile is a file from a clearinghouse.
type IncomingFile struct {
	Scope   billing.Scope // the only scope of the file; zero when the clearinghouse does not say
	Name    string        // the clearinghouse's name for it, which never changes
	Content []byte
}

// FileKind is the kind of a file from a clearinghouse.
type FileKind string

// The kinds of files.
const (
	FileAcknowledgement FileKind = "acknowledgement" // 997, 999, TA1, 277
	FileRemittance      FileKind = "remittance"      // 835
	FileOther           FileKind = "other"           // EDI for which Molar has no use
)

// FilePart is a part of a file that is taken by itself.
type FilePart struct {
	Kind    FileKind // empty for a part that cannot be read
	Sets    []string // the transaction sets, each once, such as 999 or TA1
	Content []byte   // a file of its own
	Err     error    // why it cannot be read, without patient data
}

// AcknowledgementKind is the kind of a file about claims, other than a remittance.
type AcknowledgementKind string

// The kinds of acknowledgements.
const (
	Acknowledgement997   AcknowledgementKind = "997"
	Acknowledgement999   AcknowledgementKind = "999"
	AcknowledgementTA1   AcknowledgementKind = "TA1"
	Acknowledgement277CA AcknowledgementKind = "277CA"
	Acknowledgement277   AcknowledgementKind = "277"  // any other 277
	AcknowledgementText  AcknowledgementKind = "text" // a report in a network's own text; people read it
)

// Acknowledgement is the content of a file about claims, other than a remittance.
type Acknowledgement struct {
	Kind     AcknowledgementKind // of the first part
	File     FileRef             // the control numbers are the file's own
	Verdicts []FileVerdict
	Reports  []ClaimReport
}

// FileVerdict is the verdict of a 997, 999 or TA1 on a file that was sent.
type FileVerdict struct {
	About  ControlNumbers // of the file that was sent; empty where not stated
	Result BatchResult    // empty for an accepted interchange (TA1): its groups have verdicts of their own
	Why    []string       // the errors in the file, without patient data
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
	Reasons          []ReportReason // of a claim that was rejected or not found
	Effective        billing.Date   // of the status; zero when the file does not say
	Batch            string         // BHT03 of the file that was sent (TRN02 of the receiver); empty in 277s that answer no file
	ProviderNPI      string         // of the practice that sent the claim; empty when the file does not say
	ProviderTaxID    string         // the same
	PayerID          string         // the payer's own ID; empty when the file does not say
	ControlNumber    string         // the claim's; empty for every claim of the batch
	PayerClaimNumber string         // the payer's; empty when the file does not say
	Charge           billing.Money  // of the claim (STC04); zero when the report has none
	PatientFirstName string
	PatientLastName  string
	Request          *Information // the information that the payer requests; nil if none
}

// Mark returns the details that identify the claim for its sender.
func (r *ClaimReport) Mark() ClaimMark {
	return ClaimMark{r.ControlNumber, r.Charge, r.PatientFirstName, r.PatientLastName}
}

// Information is a payer's request for information in a 277.
type Information struct {
	Reference string       // the payer's; the answer repeats it
	Requested string       // the payer's text, or else ours
	Due       billing.Date // zero when the payer names no day
}

// ReportReason is a status that explains why a claim was rejected or not found.
type ReportReason struct {
	Status ClaimStatus
	Party  ClaimParty
	Payer  billing.Sequence // of PartyPayer; empty when the file does not say
	Line   int              // number of the line that it concerns, from 1; zero for the whole claim
	Words  string           // the sender's text, STC12; may name the patient
}

// ClaimParty is the party of a claim that a status concerns. The zero ClaimParty is
// none of these.
type ClaimParty string

// The parties.
const (
	PartyOffice     ClaimParty = "office"
	PartyRendering  ClaimParty = "rendering_provider"
	PartySubscriber ClaimParty = "subscriber"
	PartyPatient    ClaimParty = "patient"
	PartyPayer      ClaimParty = "payer"
)

// FileOrigin is the way in which a file came.
type FileOrigin string

// The origins of files.
const (
	FileFromNetwork FileOrigin = "network"
	FileFromImport  FileOrigin = "import" // a person or a program of the organization imported it
)

// ClaimMark is the details in a file that identify a claim for its sender.
// Several practices may use one NPI, and different practices may use the same
// control numbers.
type ClaimMark struct {
	ControlNumber string
	Charge        billing.Money // negative in a reversal
	FirstName     string        // of the patient
	LastName      string
}
