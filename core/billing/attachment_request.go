package billing

import (
	"slices"
	"time"
	"unicode/utf8"
)

// AttachmentRequest is a request for an attachment as a caller wrote it;
// nothing is parsed yet. Nil is a value that was left out or null.
type AttachmentRequest struct {
	OfficeID       *string
	PayerID        *string
	ClaimID        *string
	Kind           *string
	PayerRequestID *string
	Narrative      *string
	About          SubjectInput
	Faults         Faults // what is wrong with the request's form already
}

// SubjectInput is whom and what an attachment is about, as a caller wrote it.
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

// AttachmentNames is what an AttachmentRequest names by ID. Zero IDs were left
// out or malformed.
type AttachmentNames struct {
	Office       OfficeID
	Claim        ClaimID
	PayerRequest PayerRequestID
}

// Names reads the IDs of the request, and what it says of its kind.
func (r AttachmentRequest) Names() (n AttachmentNames, kind AttachmentKind, f Faults) {
	f = slices.Clone(r.Faults)
	n = AttachmentNames{
		Office:       optionalID[OfficeID](&f, "office_id", r.OfficeID, "office"),
		Claim:        optionalID[ClaimID](&f, "claim_id", r.ClaimID, "claim"),
		PayerRequest: optionalID[PayerRequestID](&f, "payer_request_id", r.PayerRequestID, "payer request"),
	}
	if r.PayerID != nil && blank(*r.PayerID) {
		f.Add("payer_id", FaultRequired, "A value is required; leave payer_id out instead.")
	}
	kind = AttachmentUnsolicited
	if r.Kind != nil {
		kind = AttachmentKind(*r.Kind)
		required(&f, "kind", *r.Kind, 0)
	}
	switch {
	case kind != AttachmentUnsolicited && kind != AttachmentSolicited:
		f.Add("kind", FaultNotAllowed, "A kind is unsolicited or solicited.")
	case kind == AttachmentSolicited && r.PayerRequestID == nil:
		f.Add("payer_request_id", FaultRequired, "A solicited attachment names the payer request that it answers.")
	case kind == AttachmentUnsolicited && r.PayerRequestID != nil:
		f.Add("kind", FaultRequired, "An attachment that answers a payer request is solicited.")
	}
	return n, kind, f
}

// Parse judges the request and gives the attachment that it asks for, apart
// from office and payer. Claim and request are what it names, nil for none that
// exists. Today judges dates.
func (r AttachmentRequest) Parse(claim *Claim, request *PayerRequest, today Date) (Attachment, Faults) {
	_, kind, f := r.Names()
	a := Attachment{State: AttachmentOpen, Kind: kind}
	if r.Narrative != nil {
		a.Narrative = *r.Narrative
		validNarrative(&f, a.Narrative)
	}
	if request != nil {
		a.PayerRequestID, a.PayerReference = request.ID, request.ReferenceNumber
		if claim != nil && request.ClaimID != claim.ID {
			f.Add("claim_id", FaultConflict, "The payer request is about another claim, or about none. Leave claim_id out.")
		}
	}
	if r.ClaimID != nil && claim == nil || r.PayerRequestID != nil && request == nil {
		return a, f // what else is needed depends on what the ID was to name
	}
	if claim != nil {
		a.ClaimID = claim.ID
		a.About = claim.Subject()
		r.About.mustBeAbsent(&f)
		return a, f
	}
	if r.OfficeID == nil {
		f.Add("office_id", FaultRequired, "An attachment for no claim names its office.")
	}
	if r.PayerID == nil && request == nil {
		f.Add("payer_id", FaultRequired, "An attachment for no claim and no payer request names its payer.")
	}
	a.About = r.About.parse(&f, today)
	return a, f
}

func validNarrative(f *Faults, narrative string) {
	if utf8.RuneCountInString(narrative) > maxNarrative {
		f.Add("narrative", FaultTooLong, "A narrative has at most 2000 characters.")
	}
}

// ValidNarrative judges a narrative on its own; the error has every fault.
func ValidNarrative(narrative string, faults Faults) error {
	f := slices.Clone(faults)
	validNarrative(&f, narrative)
	return f.Err()
}

// mustBeAbsent refuses a subject beside a claim, which has one.
func (in SubjectInput) mustBeAbsent(f *Faults) {
	for _, part := range []struct {
		field string
		given bool
	}{{"patient", in.Patient != nil}, {"subscriber", in.Subscriber != nil}, {"service_dates", in.ServiceDates != nil}} {
		if part.given {
			f.Add(part.field, FaultNotAllowed, "It is copied from the claim. Leave it out.")
		}
	}
}

// parse judges a subject that must be there.
func (in SubjectInput) parse(f *Faults, today Date) AttachmentSubject {
	for _, part := range []struct {
		field  string
		absent bool
	}{{"patient", in.Patient == nil}, {"subscriber", in.Subscriber == nil}, {"service_dates", in.ServiceDates == nil}} {
		if part.absent {
			f.Add(part.field, FaultRequired, "An attachment for no claim needs it.")
		}
	}
	return in.judge(f, today)
}

// judge judges the parts of a subject that are there.
func (in SubjectInput) judge(f *Faults, today Date) (out AttachmentSubject) {
	if p := in.Patient; p != nil {
		required(f, "patient.first_name", p.FirstName, maxName)
		required(f, "patient.last_name", p.LastName, maxName)
		out.Patient = AttachmentPatient{p.FirstName, p.LastName, birthday(f, "patient.date_of_birth", p.DateOfBirth, today)}
	}
	if s := in.Subscriber; s != nil {
		required(f, "subscriber.first_name", s.FirstName, maxName)
		required(f, "subscriber.last_name", s.LastName, maxName)
		required(f, "subscriber.member_id", s.MemberID, maxMemberID)
		out.Subscriber = AttachmentSubscriber{s.FirstName, s.LastName, s.MemberID, Relationship(s.Relationship)}
		if required(f, "subscriber.relationship", s.Relationship, 0) {
			switch out.Subscriber.Relationship {
			case RelationSelf, RelationSpouse, RelationChild, RelationOther:
			default:
				f.Add("subscriber.relationship", FaultNotAllowed, "A relationship is self, spouse, child or other.")
			}
		}
	}
	if d := in.ServiceDates; d != nil {
		out.ServiceDates = DateSpan{day(f, "service_dates.from", d.From), day(f, "service_dates.to", d.To)}
		if !out.ServiceDates.From.IsZero() && !out.ServiceDates.To.IsZero() && out.ServiceDates.To.Before(out.ServiceDates.From) {
			f.Add("service_dates.to", FaultRange, "The last day is not before the first.")
		}
	}
	return out
}

// day reads a date that must be there.
func day(f *Faults, field, value string) Date {
	if !required(f, field, value, 0) {
		return Date{}
	}
	d, err := ParseDate(value)
	if err != nil {
		f.Add(field, FaultFormat, "A date has the form YYYY-MM-DD and exists.")
	}
	return d
}

// AnswerRequest is an answer to a payer request as a caller wrote it; nothing
// is parsed yet. Nil is a value that was left out or null.
type AnswerRequest struct {
	AttachmentID *string
	OfficeID     *string
	Narrative    *string
	About        SubjectInput
	Faults       Faults // what is wrong with the request's form already
}

// Attachment is the ID of the attachment that the answer names, zero for none,
// and what is wrong with the answer whichever attachment it takes.
func (r AnswerRequest) Attachment() (AttachmentID, Faults) {
	f := slices.Clone(r.Faults)
	if r.Narrative != nil {
		validNarrative(&f, *r.Narrative)
	}
	optionalID[OfficeID](&f, "office_id", r.OfficeID, "office")
	r.About.judge(&f, Date{9999, time.December, 31}) // today depends on an office that may not be named
	return optionalID[AttachmentID](&f, "attachment_id", r.AttachmentID, "attachment"), f
}

// Making is the request for the attachment that the answer needs when it takes
// none that is there.
func (r AnswerRequest) Making(request *PayerRequest) AttachmentRequest {
	return AttachmentRequest{
		OfficeID: r.OfficeID, Kind: new(string(AttachmentSolicited)), PayerRequestID: new(request.ID.String()),
		Narrative: r.Narrative, About: r.About, Faults: r.Faults,
	}
}
