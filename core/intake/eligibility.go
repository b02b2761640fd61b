package intake

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// EligibilityRequest is a request for a check as a caller wrote it: nothing is
// parsed yet, so that every fault can be listed at once. Nil is a value that was
// left out or null.
type EligibilityRequest struct {
	OfficeID        string          `json:"office_id"`
	PayerID         string          `json:"payer_id"`
	Subscriber      SubscriberInput `json:"subscriber"`
	Patient         *PatientInput   `json:"patient"`
	ServiceDate     *string         `json:"service_date"`
	ProcedureCodes  []string        `json:"procedure_codes"`
	DetailLevel     *string         `json:"detail_level"`
	TenantReference *string         `json:"tenant_reference"`
	ParentID        *string         `json:"parent_id"`
	NoCache         bool            `body:"-" json:"-"` // ask the payer even when a recent result is saved
	Faults          billing.Faults  `json:"-"`          // found when the body was decoded
}

// SubscriberInput is the subscriber as a caller wrote it.
type SubscriberInput struct {
	FirstName   string  `json:"first_name"`
	LastName    string  `json:"last_name"`
	DateOfBirth string  `json:"date_of_birth"`
	MemberID    string  `json:"member_id"`
	GroupNumber *string `json:"group_number"`
	Gender      *string `json:"gender"`
}

// PatientInput is a dependent as a caller wrote it.
type PatientInput struct {
	FirstName    string  `json:"first_name"`
	LastName     string  `json:"last_name"`
	DateOfBirth  string  `json:"date_of_birth"`
	Relationship string  `json:"relationship"`
	Gender       *string `json:"gender"`
}

// The limits of the API on an eligibility request, in characters.
const (
	maxName            = 120
	maxMemberID        = 80
	maxTenantReference = 255
	maxProcedureCodes  = 10
	maxServiceMonths   = 12
)

// Inquiry validates the request and returns the requested inquiry, with the IDs
// in the request. Today is the day in the office's time zone. It is the default
// service date, and dates are compared with it. When there are faults, ignore
// the other results.
func (r EligibilityRequest) Inquiry(today billing.Date) (q coverage.Inquiry, office billing.OfficeID, parent billing.CheckID, faults billing.Faults) {
	f := slices.Clone(r.Faults)
	var err error
	if f.Required("office_id", r.OfficeID, 0) {
		if office, err = billing.ParseID[billing.OfficeID](r.OfficeID); err != nil {
			f.Add("office_id", billing.FaultFormat, "An office ID must be off_ and 26 more characters.")
		}
	}
	f.Required("payer_id", r.PayerID, 0)

	s := r.Subscriber
	called(&f, "subscriber.first_name", s.FirstName)
	called(&f, "subscriber.last_name", s.LastName)
	if f.Required("subscriber.member_id", s.MemberID, maxMemberID) && !billing.Spellable(s.MemberID) {
		f.Add("subscriber.member_id", billing.FaultFormat, "Requests to payers cannot carry some of these characters. Send the member ID as the insurance card has it.")
	}
	f.Optional("subscriber.group_number", s.GroupNumber, maxMemberID)
	q.Subscriber = coverage.Subscriber{
		FirstName: s.FirstName, LastName: s.LastName, MemberID: s.MemberID, GroupNumber: s.GroupNumber,
		Gender:      gender(&f, "subscriber.gender", s.Gender),
		DateOfBirth: birthday(&f, "subscriber.date_of_birth", s.DateOfBirth, today),
	}
	if p := r.Patient; p != nil {
		called(&f, "patient.first_name", p.FirstName)
		called(&f, "patient.last_name", p.LastName)
		q.Patient = &coverage.Dependent{
			FirstName: p.FirstName, LastName: p.LastName, Relationship: coverage.Relationship(p.Relationship),
			DateOfBirth: birthday(&f, "patient.date_of_birth", p.DateOfBirth, today), Gender: gender(&f, "patient.gender", p.Gender),
		}
		if f.Required("patient.relationship", p.Relationship, 0) {
			switch q.Patient.Relationship {
			case coverage.RelationSpouse, coverage.RelationChild, coverage.RelationOther:
			case coverage.RelationSelf:
				f.Add("patient.relationship", billing.FaultNotAllowed, "Leave out patient when the subscriber is the patient.")
			default:
				f.Add("patient.relationship", billing.FaultNotAllowed, "The relationship must be spouse, child or other.")
			}
		}
	}

	q.ServiceDate = today
	if r.ServiceDate != nil {
		switch q.ServiceDate = day(&f, "service_date", *r.ServiceDate); {
		case q.ServiceDate.IsZero(): // a fault is recorded already
		case q.ServiceDate.Before(today.AddMonths(-maxServiceMonths)), today.AddMonths(maxServiceMonths).Before(q.ServiceDate):
			f.Add("service_date", billing.FaultRange, "The service date must be within 12 months of today.")
		case q.ServiceDate.Before(patientBorn(q)):
			f.Add("service_date", billing.FaultRange, "The service date is before the patient's birth. Correct one of the two dates.")
		}
	}
	for i, code := range r.ProcedureCodes {
		if at := "procedure_codes." + strconv.Itoa(i); f.Required(at, code, 0) && !coverage.ValidProcedureCode(code) {
			f.Add(at, billing.FaultFormat, "A procedure code must be D and four digits.")
		}
	}
	if len(r.ProcedureCodes) > maxProcedureCodes {
		f.Add("procedure_codes", billing.FaultTooMany, "A check may have at most 10 procedure codes.")
	}
	q.ProcedureCodes = r.ProcedureCodes
	q.DetailLevel = coverage.DetailStandard
	if r.DetailLevel != nil {
		q.DetailLevel = coverage.DetailLevel(*r.DetailLevel)
		if f.Required("detail_level", *r.DetailLevel, 0) && q.DetailLevel != coverage.DetailStandard && q.DetailLevel != coverage.DetailEnhanced {
			f.Add("detail_level", billing.FaultNotAllowed, "The detail level must be standard or enhanced.")
		}
	}
	f.Optional("tenant_reference", r.TenantReference, maxTenantReference)
	if r.ParentID != nil && f.Required("parent_id", *r.ParentID, 0) {
		if parent, err = billing.ParseID[billing.CheckID](*r.ParentID); err != nil {
			f.Add("parent_id", billing.FaultFormat, "A check ID must be elg_ and 26 more characters.")
		}
	}
	return q, office, parent, f
}

// called reads a required name. Of its letters and digits, requests to payers must carry one.
func called(f *billing.Faults, field, name string) {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	carried := func(r rune) bool { return letter(r) && billing.SpelledLength(r) > 0 }
	if f.Required(field, name, maxName) && strings.ContainsFunc(name, letter) && !strings.ContainsFunc(name, carried) {
		f.Add(field, billing.FaultFormat, "Requests to payers cannot carry any letter of this name. Send it in Latin letters, as the plan has it.")
	}
}

// gender reads an optional gender.
func gender(f *billing.Faults, field string, value *string) coverage.Gender {
	if value == nil {
		return coverage.GenderUnknown
	}
	switch g := coverage.Gender(*value); {
	case !f.Required(field, *value, 0), *value == "unknown": // as on claims
	case g == coverage.GenderFemale, g == coverage.GenderMale:
		return g
	default:
		f.Add(field, billing.FaultNotAllowed, "The gender must be female, male or unknown.")
	}
	return coverage.GenderUnknown
}

// patientBorn returns the patient's date of birth.
func patientBorn(q coverage.Inquiry) billing.Date {
	if q.Patient != nil {
		return q.Patient.DateOfBirth
	}
	return q.Subscriber.DateOfBirth
}
