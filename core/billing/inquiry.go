package billing

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// EligibilityRequest is a request for a check as a caller wrote it: nothing is
// parsed yet, so that every fault can be told at once. Nil is a value that was
// left out or null.
type EligibilityRequest struct {
	OfficeID        string
	PayerID         string
	Subscriber      SubscriberInput
	Patient         *PatientInput
	ServiceDate     *string
	ProcedureCodes  []string
	DetailLevel     *string
	TenantReference *string
	ParentID        *string
	NoCache         bool   // ask the payer even when a recent answer is saved
	Faults          Faults // what is wrong with the request's form already
}

// SubscriberInput is the subscriber as a caller wrote it.
type SubscriberInput struct {
	FirstName   string
	LastName    string
	DateOfBirth string
	MemberID    string
	GroupNumber *string
}

// PatientInput is a dependent as a caller wrote it.
type PatientInput struct {
	FirstName    string
	LastName     string
	DateOfBirth  string
	Relationship string
}

// The limits of the interface on an eligibility request, in characters.
const (
	maxName            = 120
	maxMemberID        = 80
	maxTenantReference = 255
	maxProcedureCodes  = 10
	maxServiceMonths   = 12
)

var procedureCode = regexp.MustCompile(`^D[0-9]{4}$`)

// ValidProcedureCode reports whether s has the form of a CDT code.
func ValidProcedureCode(s string) bool { return procedureCode.MatchString(s) }

// Parse judges the request and gives the inquiry that it asks for, with the
// IDs that it names. Today is the day in the office's time zone: the default
// service date, and what it is judged by. The faults have every fault; with
// any, the other results mean nothing.
func (r EligibilityRequest) Parse(today Date) (q Inquiry, office OfficeID, parent CheckID, faults Faults) {
	f := slices.Clone(r.Faults)
	var err error
	if required(&f, "office_id", r.OfficeID, 0) {
		if office, err = ParseID[OfficeID](r.OfficeID); err != nil {
			f.Add("office_id", FaultFormat, "An office ID starts with off_ and has 26 more characters.")
		}
	}
	required(&f, "payer_id", r.PayerID, 0)

	s := r.Subscriber
	required(&f, "subscriber.first_name", s.FirstName, maxName)
	required(&f, "subscriber.last_name", s.LastName, maxName)
	required(&f, "subscriber.member_id", s.MemberID, maxMemberID)
	optional(&f, "subscriber.group_number", s.GroupNumber, maxMemberID)
	q.Subscriber = Subscriber{
		FirstName: s.FirstName, LastName: s.LastName, MemberID: s.MemberID, GroupNumber: s.GroupNumber,
		DateOfBirth: birthday(&f, "subscriber.date_of_birth", s.DateOfBirth, today),
	}
	if p := r.Patient; p != nil {
		required(&f, "patient.first_name", p.FirstName, maxName)
		required(&f, "patient.last_name", p.LastName, maxName)
		q.Patient = &Dependent{
			FirstName: p.FirstName, LastName: p.LastName, Relationship: Relationship(p.Relationship),
			DateOfBirth: birthday(&f, "patient.date_of_birth", p.DateOfBirth, today),
		}
		if required(&f, "patient.relationship", p.Relationship, 0) {
			switch q.Patient.Relationship {
			case RelationSpouse, RelationChild, RelationOther:
			case RelationSelf:
				f.Add("patient.relationship", FaultNotAllowed, "Leave patient out when the subscriber is the patient.")
			default:
				f.Add("patient.relationship", FaultNotAllowed, "A relationship is spouse, child or other.")
			}
		}
	}

	q.ServiceDate = today
	if r.ServiceDate != nil {
		switch q.ServiceDate = day(&f, "service_date", *r.ServiceDate); {
		case q.ServiceDate.IsZero(): // a fault is recorded already
		case q.ServiceDate.Before(today.AddMonths(-maxServiceMonths)), today.AddMonths(maxServiceMonths).Before(q.ServiceDate):
			f.Add("service_date", FaultRange, "The service date is within 12 months of today.")
		case q.ServiceDate.Before(q.patientBorn()):
			f.Add("service_date", FaultRange, "The patient was not born yet on the service date. Correct one of the two dates.")
		}
	}
	for i, code := range r.ProcedureCodes {
		if at := "procedure_codes." + strconv.Itoa(i); required(&f, at, code, 0) && !ValidProcedureCode(code) {
			f.Add(at, FaultFormat, "A procedure code is D and four digits.")
		}
	}
	if len(r.ProcedureCodes) > maxProcedureCodes {
		f.Add("procedure_codes", FaultTooMany, "At most 10 procedure codes can be asked for at once.")
	}
	q.ProcedureCodes = r.ProcedureCodes
	q.DetailLevel = DetailStandard
	if r.DetailLevel != nil {
		q.DetailLevel = DetailLevel(*r.DetailLevel)
		if required(&f, "detail_level", *r.DetailLevel, 0) && q.DetailLevel != DetailStandard && q.DetailLevel != DetailEnhanced {
			f.Add("detail_level", FaultNotAllowed, "A detail level is standard or enhanced.")
		}
	}
	optional(&f, "tenant_reference", r.TenantReference, maxTenantReference)
	if r.ParentID != nil && required(&f, "parent_id", *r.ParentID, 0) {
		if parent, err = ParseID[CheckID](*r.ParentID); err != nil {
			f.Add("parent_id", FaultFormat, "A check ID starts with elg_ and has 26 more characters.")
		}
	}
	return q, office, parent, f
}

// patientBorn is the date of birth of the patient.
func (q Inquiry) patientBorn() Date {
	if q.Patient != nil {
		return q.Patient.DateOfBirth
	}
	return q.Subscriber.DateOfBirth
}

// required reports whether the value is there and not too long; limit 0 is no
// limit.
func required(f *Faults, field, value string, limit int) bool {
	if blank(value) {
		f.Add(field, FaultRequired, "A value is required.")
		return false
	}
	return optional(f, field, &value, limit)
}

func optional(f *Faults, field string, value *string, limit int) bool {
	if value != nil && limit > 0 && utf8.RuneCountInString(*value) > limit {
		f.Add(field, FaultTooLong, fmt.Sprintf("A value has at most %d characters.", limit))
		return false
	}
	return true
}

func birthday(f *Faults, field, value string, today Date) Date {
	if !required(f, field, value, 0) {
		return Date{}
	}
	d, err := ParseDate(value)
	switch {
	case err != nil:
		f.Add(field, FaultFormat, "A date has the form YYYY-MM-DD and exists.")
	case today.Before(d):
		f.Add(field, FaultRange, "A date of birth is not in the future.")
	}
	return d
}

// Digest is what makes two checks ask the same question: office, payer,
// subscriber, patient, service date, the set of procedure codes and the detail
// level, after trimming, and folding the case of names and IDs.
func (c *EligibilityCheck) Digest() [sha256.Size]byte {
	q := c.Inquiry
	fold := func(s string) string { return cases.Fold().String(strings.TrimSpace(s)) }
	group := ""
	if q.Subscriber.GroupNumber != nil {
		group = *q.Subscriber.GroupNumber
	}
	parts := []string{
		c.OfficeID.UUID(), c.Payer.ID.UUID(),
		fold(q.Subscriber.FirstName), fold(q.Subscriber.LastName), q.Subscriber.DateOfBirth.String(),
		fold(q.Subscriber.MemberID), fold(group), q.ServiceDate.String(), string(q.DetailLevel),
	}
	if p := q.Patient; p != nil {
		parts = append(parts, "patient", fold(p.FirstName), fold(p.LastName), p.DateOfBirth.String(), string(p.Relationship))
	}
	codes := slices.Clone(q.ProcedureCodes)
	slices.Sort(codes)
	parts = append(append(parts, "procedures"), slices.Compact(codes)...)
	h := sha256.New()
	for _, p := range parts {
		h.Write(strconv.AppendQuote(nil, p))
	}
	return [sha256.Size]byte(h.Sum(nil))
}
