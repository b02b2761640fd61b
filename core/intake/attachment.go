package intake

import (
	"slices"
	"time"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// maxNarrative bounds a narrative, in characters.
const maxNarrative = 2000

// AttachmentRequest is a request for an attachment as a caller wrote it;
// nothing is parsed yet. Nil is a value that was left out or null.
type AttachmentRequest struct {
	OfficeID       *string
	PayerID        *string
	ClaimID        *string
	Kind           *string
	PayerRequestID *string
	Narrative      *string
	About          SubjectInput   `body:"."`
	Faults         billing.Faults // found when the body was decoded
}

// SubjectInput is the subject of an attachment as a caller wrote it.
type SubjectInput struct {
	Patient      *AttachmentPatientInput
	Subscriber   *AttachmentSubscriberInput
	ServiceDates *DateSpanInput
}

// AttachmentPatientInput is a patient as a caller wrote it.
type AttachmentPatientInput struct{ FirstName, LastName, DateOfBirth string }

// AttachmentSubscriberInput is a subscriber as a caller wrote it.
type AttachmentSubscriberInput struct{ FirstName, LastName, MemberID, Relationship string }

// DateSpanInput is a span of days as a caller wrote it.
type DateSpanInput struct{ From, To string }

// AttachmentIDs are the IDs in an AttachmentRequest. An ID that was left out or
// malformed is zero.
type AttachmentIDs struct {
	Office       billing.OfficeID
	Claim        billing.ClaimID
	PayerRequest billing.PayerRequestID
}

// IDs reads the IDs in the request. Attachment reports their faults.
func (r AttachmentRequest) IDs() AttachmentIDs {
	ids, _, _ := r.names()
	return ids
}

// names reads the IDs and the kind of the request.
func (r AttachmentRequest) names() (ids AttachmentIDs, kind attachment.Kind, f billing.Faults) {
	f = slices.Clone(r.Faults)
	ids = AttachmentIDs{
		Office:       optionalID[billing.OfficeID](&f, "office_id", r.OfficeID, "office"),
		Claim:        optionalID[billing.ClaimID](&f, "claim_id", r.ClaimID, "claim"),
		PayerRequest: optionalID[billing.PayerRequestID](&f, "payer_request_id", r.PayerRequestID, "payer request"),
	}
	if r.PayerID != nil && billing.Blank(*r.PayerID) {
		f.Add("payer_id", billing.FaultRequired, "A value is required. Send one, or leave out payer_id.")
	}
	kind = attachment.Unsolicited
	if r.Kind != nil {
		kind = attachment.Kind(*r.Kind)
		f.Required("kind", *r.Kind, 0)
	}
	switch {
	case kind != attachment.Unsolicited && kind != attachment.Solicited:
		f.Add("kind", billing.FaultNotAllowed, "The kind must be unsolicited or solicited.")
	case kind == attachment.Solicited && r.PayerRequestID == nil:
		f.Add("payer_request_id", billing.FaultRequired, "A solicited attachment must name the payer request that it answers.")
	case kind == attachment.Unsolicited && r.PayerRequestID != nil:
		f.Add("kind", billing.FaultRequired, "An attachment that answers a payer request must be solicited.")
	}
	return ids, kind, f
}

// Attachment validates the request and returns the requested attachment,
// without its office and payer. Claim and request are those that the body
// names; nil if there is none. Dates are compared with today.
func (r AttachmentRequest) Attachment(c *claim.Claim, request *attachment.PayerRequest, today billing.Date) (attachment.Attachment, billing.Faults) {
	_, kind, f := r.names()
	a := attachment.Attachment{State: attachment.Open, Kind: kind}
	if r.Narrative != nil {
		a.Narrative = *r.Narrative
		validNarrative(&f, a.Narrative)
	}
	if request != nil {
		a.PayerRequestID, a.PayerReference = request.ID, request.ReferenceNumber
		if c != nil && request.ClaimID != c.ID {
			f.Add("claim_id", billing.FaultConflict, "The payer request is about another claim, or about none. Leave out claim_id.")
		}
	}
	if r.ClaimID != nil && c == nil || r.PayerRequestID != nil && request == nil {
		return a, f // the other required fields depend on the malformed ID
	}
	if c != nil {
		a.ClaimID = c.ID
		a.About = c.Subject()
		r.About.mustBeAbsent(&f)
		return a, f
	}
	if r.OfficeID == nil {
		f.Add("office_id", billing.FaultRequired, "An attachment without a claim must name its office.")
	}
	if r.PayerID == nil && request == nil {
		f.Add("payer_id", billing.FaultRequired, "An attachment without a claim or a payer request must name its payer.")
	}
	a.About = r.About.parse(&f, today)
	return a, f
}

func validNarrative(f *billing.Faults, narrative string) {
	if utf8.RuneCountInString(narrative) > maxNarrative {
		f.Add("narrative", billing.FaultTooLong, "The narrative may have at most 2000 characters.")
	}
}

// NarrativeRequest is a change of an attachment's narrative as a caller wrote it;
// nothing is parsed yet.
type NarrativeRequest struct {
	Narrative *string        // nil when it was left out or null
	Faults    billing.Faults // found when the body was decoded
}

// Text validates the request and returns the new narrative.
func (r NarrativeRequest) Text() (string, billing.Faults) {
	f := slices.Clone(r.Faults)
	if r.Narrative == nil {
		f.Add("narrative", billing.FaultRequired, "Send the narrative. It is the only field that can be changed.")
		return "", f
	}
	validNarrative(&f, *r.Narrative)
	return *r.Narrative, f
}

// mustBeAbsent adds a fault for each value of a subject, which the claim has
// already.
func (in SubjectInput) mustBeAbsent(f *billing.Faults) {
	for _, part := range []struct {
		field string
		given bool
	}{{"patient", in.Patient != nil}, {"subscriber", in.Subscriber != nil}, {"service_dates", in.ServiceDates != nil}} {
		if part.given {
			f.Add(part.field, billing.FaultNotAllowed, "The value is copied from the claim. Leave it out.")
		}
	}
}

// parse reads a subject that is required.
func (in SubjectInput) parse(f *billing.Faults, today billing.Date) attachment.Subject {
	for _, part := range []struct {
		field  string
		absent bool
	}{{"patient", in.Patient == nil}, {"subscriber", in.Subscriber == nil}, {"service_dates", in.ServiceDates == nil}} {
		if part.absent {
			f.Add(part.field, billing.FaultRequired, "An attachment without a claim must have a value here.")
		}
	}
	return in.judge(f, today)
}

// judge reads the parts of a subject that are present.
func (in SubjectInput) judge(f *billing.Faults, today billing.Date) (out attachment.Subject) {
	if p := in.Patient; p != nil {
		f.Required("patient.first_name", p.FirstName, maxName)
		f.Required("patient.last_name", p.LastName, maxName)
		out.Patient = attachment.Patient{
			FirstName: p.FirstName, LastName: p.LastName, DateOfBirth: birthday(f, "patient.date_of_birth", p.DateOfBirth, today),
		}
	}
	if s := in.Subscriber; s != nil {
		f.Required("subscriber.first_name", s.FirstName, maxName)
		f.Required("subscriber.last_name", s.LastName, maxName)
		f.Required("subscriber.member_id", s.MemberID, maxMemberID)
		out.Subscriber = attachment.Subscriber{
			FirstName: s.FirstName, LastName: s.LastName, MemberID: s.MemberID, Relationship: coverage.Relationship(s.Relationship),
		}
		if f.Required("subscriber.relationship", s.Relationship, 0) {
			switch out.Subscriber.Relationship {
			case coverage.RelationSelf, coverage.RelationSpouse, coverage.RelationChild, coverage.RelationOther:
			default:
				f.Add("subscriber.relationship", billing.FaultNotAllowed, "The relationship must be self, spouse, child or other.")
			}
		}
	}
	if d := in.ServiceDates; d != nil {
		out.ServiceDates = billing.DateSpan{From: day(f, "service_dates.from", d.From), To: day(f, "service_dates.to", d.To)}
		if !out.ServiceDates.From.IsZero() && !out.ServiceDates.To.IsZero() && out.ServiceDates.To.Before(out.ServiceDates.From) {
			f.Add("service_dates.to", billing.FaultRange, "The last day must not be before the first.")
		}
	}
	return out
}

// AnswerRequest is an answer to a payer request as a caller wrote it; nothing
// is parsed yet. Nil is a value that was left out or null.
type AnswerRequest struct {
	AttachmentID *string
	OfficeID     *string
	Narrative    *string
	About        SubjectInput   `body:"."`
	Elsewhere    bool           `body:"answered_elsewhere"` // it was answered in another way
	Note         *string        // how; only with Elsewhere
	Faults       billing.Faults // found when the body was decoded
}

// maxAnswerNote bounds the note of an answer elsewhere, in characters.
const maxAnswerNote = 2000

// AnswerNote validates an answer elsewhere and returns its note.
func (r AnswerRequest) AnswerNote() (string, billing.Faults) {
	f := slices.Clone(r.Faults)
	about := r.About
	for _, x := range []struct {
		field string
		given bool
	}{
		{"attachment_id", r.AttachmentID != nil},
		{"office_id", r.OfficeID != nil},
		{"narrative", r.Narrative != nil},
		{"patient", about.Patient != nil},
		{"subscriber", about.Subscriber != nil},
		{"service_dates", about.ServiceDates != nil},
	} {
		if x.given {
			f.Add(x.field, billing.FaultNotAllowed, "An answer elsewhere has no attachment. Leave out this field, or answered_elsewhere.")
		}
	}
	if r.Note == nil {
		f.Add("note", billing.FaultRequired, "Say in the note how the request was answered.")
		return "", f
	}
	f.Required("note", *r.Note, maxAnswerNote)
	return *r.Note, f
}

// Named returns the ID of the attachment that the answer names, or zero, and
// the faults that the answer has for any attachment.
func (r AnswerRequest) Named() (billing.AttachmentID, billing.Faults) {
	f := r.faults()
	if r.Narrative != nil {
		validNarrative(&f, *r.Narrative)
	}
	optionalID[billing.OfficeID](&f, "office_id", r.OfficeID, "office")
	r.About.judge(&f, billing.Date{Year: 9999, Month: time.December, Day: 31}) // today depends on an office that may not be named
	return optionalID[billing.AttachmentID](&f, "attachment_id", r.AttachmentID, "attachment"), f
}

// faults returns the faults of an answer with an attachment.
func (r AnswerRequest) faults() billing.Faults {
	f := slices.Clone(r.Faults)
	if r.Note != nil {
		f.Add("note", billing.FaultNotAllowed, "Only an answer elsewhere has a note. Send narrative, or answered_elsewhere with the note.")
	}
	return f
}

// AttachmentRequest returns the request for a new attachment for the answer.
func (r AnswerRequest) AttachmentRequest(request *attachment.PayerRequest) AttachmentRequest {
	return AttachmentRequest{
		OfficeID: r.OfficeID, Kind: new(string(attachment.Solicited)), PayerRequestID: new(request.ID.String()),
		Narrative: r.Narrative, About: r.About, Faults: r.faults(),
	}
}
