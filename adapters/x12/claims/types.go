package claims

import (
	"log/slog"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// Version is the implementation guide that is written.
const Version = "005010X224A2"

// What a claim has room for; the encoder leaves out what is beyond.
const (
	MaxAttachments = 10 // PWK segments of loop 2300
	MaxNotes       = 5  // NTE segments of loop 2300, of 80 characters each
)

// Batch is a transaction set of claims: what a submitter sends to a receiver
// at once. The guide recommends at most 5,000 claims.
type Batch struct {
	Interchange x12.Interchange // the version is the encoder's; Test is ISA15
	Group       x12.Group       // functional ID and version are the encoder's
	Control     string          // ST02, four to nine characters; empty stands for 0001
	Reference   string          // BHT03, at most 50 characters; empty stands for Control
	CreatedAt   time.Time       // BHT04 and BHT05, UTC, cut to seconds
	Submitter   Submitter
	Receiver    Receiver
	Claims      []Claim
}

// Submitter is who sends the file (loop 1000A), and whom to call about it.
type Submitter struct {
	Name    string
	ID      string // as agreed with the receiver
	Contact string
	Phone   string
	Email   string
}

// Receiver is whom the file is for (loop 1000B).
type Receiver struct {
	Name string
	ID   string
}

// Claim is a claim with what its file says of those whom the noun only names.
// What the file has no place for, such as IDs, states and times, is ignored by
// the encoder and zero after decoding.
//
// An address for a dependent is mandatory in the file: the encoder gives the
// subscriber's.
type Claim struct {
	billing.Claim
	Office           billing.Office   // the billing provider: name, NPI, tax ID, address and phone (loop 2010AA)
	PayTo            billing.Address  // where payments go (loop 2010AB); zero when that is the office's address
	Provider         billing.Provider // who rendered the services (loop 2310B); zero for none
	PayerClaimNumber string           // REF F8 of a replacement or a void: the payer's number of the claim it is about
	Attachments      []Attachment     // at most MaxAttachments
	Segment          int              // ordinal of the CLM; encoders ignore it
}

// Attachment is what a claim tells of an attachment that goes another way (PWK
// and NTE of loop 2300).
type Attachment struct {
	ReportType string // PWK01, such as RB for radiographs
	Number     string // PWK06, at most 50 characters
	Note       string // NTE02, at most 80 characters, starting with Number; empty for none
}

// AttachmentOf is what a claim tells of the attachment. It reports false for
// one that no claim carries: an open one, or one that answers a payer request.
func AttachmentOf(a *billing.Attachment) (Attachment, bool) {
	file := a.ClaimFile()
	if file == nil || a.Kind == billing.AttachmentSolicited {
		return Attachment{}, false
	}
	return Attachment{ReportType: reportType(a.Documents), Number: file.PWK, Note: file.NTE}, true
}

// Report type codes of X12 data element 755 that several documents go under.
const (
	reportModels      = "DA"
	reportRadiographs = "RB"
	reportPerio       = "P6"
	reportEOB         = "EB"
	reportOther       = "OZ"
)

// reportType is the one code for all documents. When they differ models come
// before radiographs, these before anything else, a periodontal chart before an
// explanation of benefits.
func reportType(documents []*billing.Document) string {
	has := map[string]bool{}
	var last string
	for _, d := range documents {
		t, known := billing.FindDocumentType(d.Type)
		if !known {
			t.PWK01 = reportOther
		}
		last, has[t.PWK01] = t.PWK01, true
	}
	switch {
	case len(has) == 1:
		return last
	case has[reportModels]:
		return reportModels
	case has[reportRadiographs]:
		return reportRadiographs
	case len(has) == 2 && has[reportPerio] && has[reportEOB]:
		return reportPerio
	default:
		return reportOther
	}
}

// LogValue keeps patient data out of logs.
func (b Batch) LogValue() slog.Value { return slog.StringValue("837") }

// LogValue keeps patient data out of logs.
func (c Claim) LogValue() slog.Value { return slog.StringValue("claim of an 837") }

var (
	_ slog.LogValuer = Batch{}
	_ slog.LogValuer = Claim{}
)
