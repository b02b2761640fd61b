package attachment

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/directory"
)

// State is the state of an attachment.
type State string

// The states of an attachment. Nothing changes after closing.
const (
	Open   State = "open"
	Closed State = "closed"
)

// Kind is the purpose of an attachment.
type Kind string

// The kinds.
const (
	Unsolicited Kind = "unsolicited" // goes with a claim
	Solicited   Kind = "solicited"   // answers a payer request; never in a claim file
)

// The limits of an attachment.
const (
	MaxDocuments     = 127
	MaxDocumentBytes = 15 << 20 // of all stored images together
)

// Attachment is a set of images with a narrative for a payer.
type Attachment struct {
	ID             billing.AttachmentID
	Scope          billing.Scope
	State          State
	Kind           Kind
	ClaimID        billing.ClaimID // zero for an attachment without a claim
	OfficeID       billing.OfficeID
	Payer          directory.PayerSummary
	PayerRequestID billing.PayerRequestID // zero when unsolicited
	PayerReference string                 // the payer's number for its request; empty when unsolicited
	Narrative      string                 `field:"narrative"`
	About          Subject
	Documents      []*Document // oldest first
	RequestID      billing.RequestID
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Edits          billing.Edits
	Decisions      decision.List // of people, about what the attachment makes them do
	ClosedAt       time.Time     // zero while open

	// Number identifies the attachment on the attachment network. It is set
	// before the first sending, and callers see it after a sending succeeded.
	Number string
	// Sending identifies the job that is sending the attachment; zero if there is
	// none.
	Sending      billing.JobID
	SendingSince time.Time // in real time: patience with a network is
	// Stalled identifies the last job that a fault of the service itself stopped.
	// While it equals Sending, that job keeps trying.
	Stalled billing.JobID
}

// Position returns the place in a list, by the time and the ID.
func (a *Attachment) Position() billing.Position {
	return billing.Position{Time: a.CreatedAt, ID: a.ID}
}

// Subject is the patient, the subscriber and the days of service that
// an attachment is about.
type Subject struct {
	Patient      Patient
	Subscriber   Subscriber
	ServiceDates billing.DateSpan
}

// Patient is the patient in the images.
type Patient struct {
	FirstName   string
	LastName    string
	DateOfBirth billing.Date
}

// Subscriber is the holder of the plan.
type Subscriber struct {
	FirstName    string
	LastName     string
	MemberID     string
	Relationship coverage.Relationship // of the patient to the subscriber
}

// Filter narrows a list of attachments. Zero fields match all.
type Filter struct {
	PatientID      billing.PatientID // of the claim
	ClaimID        billing.ClaimID
	PayerRequestID billing.PayerRequestID
	RequestID      billing.RequestID
	State          State
	OfficeID       billing.OfficeID
	CreatedAfter   time.Time // inclusive
	CreatedBefore  time.Time // exclusive
}

// editable returns nil while the attachment may change, else a CodeConflict.
func (a *Attachment) editable() error {
	switch {
	case a.State == Closed:
		return conflict("The attachment is closed and cannot be changed. Create a new attachment.")
	case !a.Sending.IsZero():
		return conflict("The attachment is being sent and cannot be changed now. Read it again in a moment.")
	}
	return nil
}

func conflict(message string) error {
	return &billing.Error{Code: billing.CodeConflict, Message: message}
}

// changed records a change. It clears the number, so that changed content gets
// a new number. UpdatedAt never goes back, because requests may finish in a
// different order than they began.
func (a *Attachment) changed(now time.Time) {
	a.Number = ""
	if now.After(a.UpdatedAt) {
		a.UpdatedAt = now
	}
}

// Image returns the attachment's document with the same image as d, or nil.
func (a *Attachment) Image(d *Document) *Document {
	i := slices.IndexFunc(a.Documents, func(have *Document) bool { return have.SHA256 == d.SHA256 })
	if i < 0 {
		return nil
	}
	return a.Documents[i]
}

// Add adds a document. It reports false when the attachment already has the
// image. The error is CodeConflict when the attachment may not change, and
// CodeInvalidRequest when it is full.
func (a *Attachment) Add(d *Document, now time.Time) (bool, error) {
	if err := a.editable(); err != nil {
		return false, err
	}
	if a.Image(d) != nil {
		return false, nil
	}
	if err := a.fits(d.Size); err != nil {
		return false, err
	}
	d.CreatedAt = now
	a.Documents = append(a.Documents, d)
	a.changed(now)
	return true, nil
}

// Admits returns an error when no image may be added.
func (a *Attachment) Admits() error { return a.editable() }

func (a *Attachment) fits(size int64) error {
	var f billing.Faults
	for _, d := range a.Documents {
		size += d.Size
	}
	switch {
	case len(a.Documents) >= MaxDocuments:
		f.Add("file", billing.FaultTooMany, fmt.Sprintf("An attachment may have at most %d documents.", MaxDocuments))
	case size > MaxDocumentBytes:
		f.Add("file", billing.FaultTooMany, "The stored images of an attachment may have at most 15 MB together.")
	}
	return f.Err()
}

// Remove removes a document. It returns CodeNotFound if there is none.
func (a *Attachment) Remove(id billing.DocumentID, now time.Time) (*Document, error) {
	i := slices.IndexFunc(a.Documents, func(d *Document) bool { return d.ID == id })
	if i < 0 {
		return nil, billing.NotFound("document", "")
	}
	if err := a.editable(); err != nil {
		return nil, err
	}
	d := a.Documents[i]
	a.Documents = slices.Delete(slices.Clone(a.Documents), i, i+1)
	a.changed(now)
	return d, nil
}

// Document returns the document with the ID. It returns CodeNotFound if there
// is none.
func (a *Attachment) Document(id billing.DocumentID) (*Document, error) {
	i := slices.IndexFunc(a.Documents, func(d *Document) bool { return d.ID == id })
	if i < 0 {
		return nil, billing.NotFound("document", "")
	}
	return a.Documents[i], nil
}

// SetNarrative sets the narrative that a user or a program wrote.
func (a *Attachment) SetNarrative(narrative, by string, now time.Time) error {
	if err := a.editable(); err != nil {
		return err
	}
	if was := *a; a.Narrative != narrative {
		a.Narrative = narrative
		a.Edits = was.Edits.After(was, *a, by, now)
		a.changed(now)
	}
	return nil
}

// Closable returns an error unless a caller may close the attachment: it is
// unsolicited and has a document.
func (a *Attachment) Closable() error {
	switch {
	case a.Kind == Solicited:
		return conflict("A solicited attachment closes when its payer request is answered. Answer that request instead.")
	case a.State == Open && len(a.Documents) == 0:
		return conflict("The attachment has no documents. Upload a document, then close the attachment.")
	}
	return a.editable()
}

// Answers returns an error unless the attachment can answer the payer request.
// An answer has a document or a narrative.
func (a *Attachment) Answers(r *PayerRequest) error {
	if a.Kind != Solicited || a.PayerRequestID != r.ID {
		return conflict("This attachment was not created to answer this payer request. Name one that was, or none.")
	}
	if err := a.editable(); err != nil {
		return err
	}
	var f billing.Faults
	if len(a.Documents) == 0 && billing.Blank(a.Narrative) {
		f.Add("narrative", billing.FaultRequired, "An answer must have a narrative or a document. Add one of them.")
	}
	return f.Err()
}

// BeginSending assigns the attachment to the job that sends it. Serial becomes
// the attachment's number if it has none.
func (a *Attachment) BeginSending(job billing.JobID, serial int64, now time.Time) error {
	if err := a.editable(); err != nil {
		return err
	}
	if a.Number == "" {
		a.Number = fmt.Sprintf("MLR%09d", serial)
	}
	a.Sending, a.SendingSince = job, now
	return nil
}

// Sent closes the attachment after the network accepted it under the number. An
// edit would have cleared the number, so the content is the one that was sent.
// Sent reports false, and changes nothing, when the number has changed.
func (a *Attachment) Sent(number string, now time.Time) bool {
	if a.State != Open || number == "" || a.Number != number {
		return false
	}
	a.State, a.ClosedAt, a.UpdatedAt = Closed, now, now
	a.Sending, a.SendingSince, a.Stalled = billing.JobID{}, time.Time{}, billing.JobID{}
	return true
}

// NotSent leaves the attachment open after the network failed the job. It reports
// false, and changes nothing, when another job sends the attachment.
func (a *Attachment) NotSent(job billing.JobID) bool {
	if a.Sending != job || job.IsZero() {
		return false
	}
	a.Sending, a.SendingSince, a.Stalled = billing.JobID{}, time.Time{}, billing.JobID{}
	return true
}

// Stall records that the job cannot read the images now. The job keeps the
// attachment. Stall reports false, and changes nothing, when another job sends
// the attachment.
func (a *Attachment) Stall(job billing.JobID) bool {
	if a.Sending != job || job.IsZero() {
		return false
	}
	a.Stalled = job
	return true
}

// GiveUp leaves the attachment open after the job failed because of a fault of
// the service itself. It reports false, and changes nothing, when another job
// sends the attachment.
func (a *Attachment) GiveUp(job billing.JobID) bool {
	if !a.Stall(job) {
		return false
	}
	a.Sending, a.SendingSince = billing.JobID{}, time.Time{}
	return true
}

// ClaimFile is the part of a closed attachment that a claim file carries.
type ClaimFile struct {
	PWK     string // PWK06 of loop 2300
	NTE     string // the NTE note of loop 2300
	Partial bool   // files leave out some of the narrative
}

// MaxNTE is the length of NTE02 (005010X224A2).
const MaxNTE = 80

// ClaimFile returns the part of the attachment that a claim file carries, or
// nil while the attachment is open. The note starts with the number, where
// payers look for it. As much of the narrative as fits follows, cut at a word.
// A longer first word is cut.
func (a *Attachment) ClaimFile() *ClaimFile {
	if a.State != Closed {
		return nil
	}
	note, cut := a.Number, false
	for _, word := range strings.Fields(a.Narrative) {
		room := MaxNTE - utf8.RuneCountInString(note) - 1
		if cut = utf8.RuneCountInString(word) > room; cut {
			if note == a.Number {
				note += " " + string([]rune(word)[:room])
			}
			break
		}
		note += " " + word
	}
	return &ClaimFile{PWK: a.Number, NTE: note, Partial: cut || !billing.Spellable(note[len(a.Number):])}
}

// Transmission describes an attachment to an attachment network, without its
// files.
type Transmission struct {
	Number         string // ours; it identifies the transmission on the network
	Kind           Kind
	Payer          directory.PayerSummary
	Office         directory.Office
	About          Subject
	Narrative      string
	ControlNumber  string // of the claim; empty without one
	PayerReference string // of the payer request that it answers
	EarlierNumber  string // of the claim's earlier attachment, when it answers a request about the claim
	Documents      int
	SendingSince   time.Time // in real time
}

// Transmission describes the attachment to the network. ControlNumber is the claim's, empty
// without one. Earlier is the number of the claim's earlier attachment, or empty.
func (a *Attachment) Transmission(office *directory.Office, controlNumber, earlier string) Transmission {
	return Transmission{
		Number: a.Number, Kind: a.Kind, Payer: a.Payer, Office: *office, About: a.About, Narrative: a.Narrative,
		PayerReference: a.PayerReference, EarlierNumber: earlier, Documents: len(a.Documents), SendingSince: a.SendingSince,
		ControlNumber: controlNumber,
	}
}
