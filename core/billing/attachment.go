package billing

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// AttachmentState is where an attachment stands.
type AttachmentState string

// The states of an attachment. Nothing changes after closing.
const (
	AttachmentOpen   AttachmentState = "open"
	AttachmentClosed AttachmentState = "closed"
)

// AttachmentKind is what an attachment is for.
type AttachmentKind string

// The kinds.
const (
	AttachmentUnsolicited AttachmentKind = "unsolicited" // goes with a claim
	AttachmentSolicited   AttachmentKind = "solicited"   // answers a payer request; never on a claim file
)

// The limits of an attachment.
const (
	MaxDocuments     = 127
	MaxDocumentBytes = 15 << 20 // of all stored images together
)

// Attachment is a set of images with a narrative for a payer.
type Attachment struct {
	ID             AttachmentID
	Scope          Scope
	State          AttachmentState
	Kind           AttachmentKind
	ClaimID        ClaimID // zero when it was made for no claim
	OfficeID       OfficeID
	Payer          PayerSummary
	PayerRequestID PayerRequestID // set exactly when it is solicited
	PayerReference string         // the payer's number, of a solicited one
	Narrative      string
	About          AttachmentSubject
	Documents      []*Document // oldest first
	RequestID      RequestID
	CreatedAt      time.Time
	UpdatedAt      time.Time
	ClosedAt       time.Time // zero while open

	// Number is what the attachment network knows the attachment by. It is
	// given before the first sending and told to callers once that went well.
	Number string
	// Sending is the job that sends the attachment now; zero for none.
	Sending      JobID
	SendingSince time.Time
	// Stalled is the last job that could not send the attachment because of a
	// fault of the service itself. While it is Sending too, the job goes on.
	Stalled JobID
}

// AttachmentSubject is whom and what an attachment is about.
type AttachmentSubject struct {
	Patient      AttachmentPatient
	Subscriber   AttachmentSubscriber
	ServiceDates DateSpan
}

// AttachmentPatient is the patient shown.
type AttachmentPatient struct {
	FirstName   string
	LastName    string
	DateOfBirth Date
}

// AttachmentSubscriber is the holder of the plan.
type AttachmentSubscriber struct {
	FirstName    string
	LastName     string
	MemberID     string
	Relationship Relationship // of the patient to the subscriber
}

// AttachmentFilter narrows a list of attachments; zero fields do not.
type AttachmentFilter struct {
	ClaimID        ClaimID
	PayerRequestID PayerRequestID
	RequestID      RequestID
	State          AttachmentState
	OfficeID       OfficeID
	CreatedAfter   time.Time // inclusive
	CreatedBefore  time.Time // exclusive
}

// editable is nil while the attachment may change, else a CodeConflict.
func (a *Attachment) editable() error {
	switch {
	case a.State == AttachmentClosed:
		return conflict("The attachment is closed, and nothing changes after closing. Make another one.")
	case !a.Sending.IsZero():
		return conflict("The attachment is being sent. Read it in a moment, then decide.")
	}
	return nil
}

func conflict(message string) error { return &Error{Code: CodeConflict, Message: message} }

// changed notes a change. What was sent before under the number is not what
// will be sent next, so it goes under another. A request that began earlier may
// come to its change later.
func (a *Attachment) changed(now time.Time) {
	a.Number = ""
	if now.After(a.UpdatedAt) {
		a.UpdatedAt = now
	}
}

// Image finds the document that has the image; nil when there is none.
func (a *Attachment) Image(d *Document) *Document {
	i := slices.IndexFunc(a.Documents, func(have *Document) bool { return have.SHA256 == d.SHA256 })
	if i < 0 {
		return nil
	}
	return a.Documents[i]
}

// Add adds a document, and reports false when the attachment has its image
// already. An attachment that may not change is CodeConflict, one that is full
// CodeInvalidRequest.
func (a *Attachment) Add(d *Document, now time.Time) (bool, error) {
	if err := a.editable(); err != nil {
		return false, err
	}
	if a.Image(d) != nil {
		return false, nil
	}
	if err := a.room(d.Size); err != nil {
		return false, err
	}
	d.CreatedAt = now
	a.Documents = append(a.Documents, d)
	a.changed(now)
	return true, nil
}

// Admits judges whether images may be added at all, before one is looked at.
func (a *Attachment) Admits() error { return a.editable() }

func (a *Attachment) room(size int64) error {
	var f Faults
	for _, d := range a.Documents {
		size += d.Size
	}
	switch {
	case len(a.Documents) >= MaxDocuments:
		f.Add("file", FaultTooMany, fmt.Sprintf("An attachment has at most %d documents.", MaxDocuments))
	case size > MaxDocumentBytes:
		f.Add("file", FaultTooMany, "The images of an attachment have at most 15 MB together, as they are stored.")
	}
	return f.Err()
}

// Remove takes a document off. An unknown one is CodeNotFound.
func (a *Attachment) Remove(id DocumentID, now time.Time) (*Document, error) {
	i := slices.IndexFunc(a.Documents, func(d *Document) bool { return d.ID == id })
	if i < 0 {
		return nil, NotFound("document", "")
	}
	if err := a.editable(); err != nil {
		return nil, err
	}
	d := a.Documents[i]
	a.Documents = slices.Delete(slices.Clone(a.Documents), i, i+1)
	a.changed(now)
	return d, nil
}

// Document finds a document by its ID; an unknown one is CodeNotFound.
func (a *Attachment) Document(id DocumentID) (*Document, error) {
	i := slices.IndexFunc(a.Documents, func(d *Document) bool { return d.ID == id })
	if i < 0 {
		return nil, NotFound("document", "")
	}
	return a.Documents[i], nil
}

// Tell sets the narrative.
func (a *Attachment) Tell(narrative string, now time.Time) error {
	if err := a.editable(); err != nil {
		return err
	}
	if a.Narrative != narrative {
		a.Narrative = narrative
		a.changed(now)
	}
	return nil
}

// Closable judges whether the attachment can be closed by its caller: an
// unsolicited one with a document.
func (a *Attachment) Closable() error {
	switch {
	case a.Kind == AttachmentSolicited:
		return conflict("A solicited attachment is closed by answering its payer request.")
	case a.State == AttachmentOpen && len(a.Documents) == 0:
		return conflict("The attachment has no document yet. Upload one, then close it.")
	}
	return a.editable()
}

// Answers judges whether the attachment can answer the payer request. An
// answer needs a document or a narrative.
func (a *Attachment) Answers(r *PayerRequest) error {
	if a.Kind != AttachmentSolicited || a.PayerRequestID != r.ID {
		return conflict("The attachment was not made for this payer request.")
	}
	if err := a.editable(); err != nil {
		return err
	}
	var f Faults
	if len(a.Documents) == 0 && Blank(a.Narrative) {
		f.Add("narrative", FaultRequired, "An answer needs a narrative, or an attachment with a document.")
	}
	return f.Err()
}

// BeginSending gives the attachment to the job that sends it. Serial is the
// next number of the service, which is used when the attachment has none yet.
func (a *Attachment) BeginSending(job JobID, serial int64, now time.Time) error {
	if err := a.editable(); err != nil {
		return err
	}
	if a.Number == "" {
		a.Number = fmt.Sprintf("MLR%09d", serial)
	}
	a.Sending, a.SendingSince = job, now
	return nil
}

// Sent closes the attachment that the network has taken under the number,
// whoever sent it and whatever was thought of it since: an edit would have
// taken the number away, so what is there now is what was sent. It reports
// false, and does nothing, when the attachment is another one by now.
func (a *Attachment) Sent(number string, now time.Time) bool {
	if a.State != AttachmentOpen || number == "" || a.Number != number {
		return false
	}
	a.State, a.ClosedAt, a.UpdatedAt = AttachmentClosed, now, now
	a.Sending, a.SendingSince, a.Stalled = JobID{}, time.Time{}, JobID{}
	return true
}

// NotSent leaves the attachment open after the network failed the job. It
// reports false, and does nothing, when the job is not the one that sends it.
func (a *Attachment) NotSent(job JobID) bool {
	if a.Sending != job || job.IsZero() {
		return false
	}
	a.Sending, a.SendingSince, a.Stalled = JobID{}, time.Time{}, JobID{}
	return true
}

// Stall notes that the job cannot read the images now; the attachment stays the
// job's. It reports false, and does nothing, when the job is not the one that
// sends it.
func (a *Attachment) Stall(job JobID) bool {
	if a.Sending != job || job.IsZero() {
		return false
	}
	a.Stalled = job
	return true
}

// GiveUp leaves the attachment open after the job failed for a fault of the
// service itself. It reports false, and does nothing, when the job is not the
// one that sends it.
func (a *Attachment) GiveUp(job JobID) bool {
	if !a.Stall(job) {
		return false
	}
	a.Sending, a.SendingSince = JobID{}, time.Time{}
	return true
}

// ClaimFile is what a claim file carries of a closed attachment.
type ClaimFile struct {
	PWK     string // PWK06 of loop 2300
	NTE     string // the NTE note of loop 2300
	Partial bool   // the note has characters that files leave out
}

// maxNTE is the length of NTE02 (005010X224A2).
const maxNTE = 80

// ClaimFile is what a claim file carries; nil while the attachment is open. The
// note starts with the number, because that is where payers look for it, and
// has as much of the narrative as fits, cut at a word. A first word that is
// longer is cut itself.
func (a *Attachment) ClaimFile() *ClaimFile {
	if a.State != AttachmentClosed {
		return nil
	}
	note := a.Number
	for _, word := range strings.Fields(a.Narrative) {
		room := maxNTE - utf8.RuneCountInString(note) - 1
		if utf8.RuneCountInString(word) > room {
			if note == a.Number {
				note += " " + string([]rune(word)[:room])
			}
			break
		}
		note += " " + word
	}
	return &ClaimFile{PWK: a.Number, NTE: note, Partial: !Spellable(note[len(a.Number):])}
}

// Transmission is what an attachment network is told of an attachment, before
// its files.
type Transmission struct {
	Number         string // ours; the network knows the transmission by it
	Kind           AttachmentKind
	Payer          PayerSummary
	Office         Office
	About          AttachmentSubject
	Narrative      string
	ControlNumber  string // of the claim, when there is one
	PayerReference string // of the payer request that it answers
	EarlierNumber  string // of the claim's earlier attachment, when it answers a request about the claim
	Documents      int
	SendingSince   time.Time
}

// Transmission is what the network is told of the attachment. Claim is its
// claim and earlier the number of the claim's earlier attachment, if any.
func (a *Attachment) Transmission(office *Office, claim *Claim, earlier string) Transmission {
	t := Transmission{
		Number: a.Number, Kind: a.Kind, Payer: a.Payer, Office: *office, About: a.About, Narrative: a.Narrative,
		PayerReference: a.PayerReference, EarlierNumber: earlier, Documents: len(a.Documents), SendingSince: a.SendingSince,
	}
	if claim != nil {
		t.ControlNumber = claim.PatientControlNumber
	}
	return t
}
