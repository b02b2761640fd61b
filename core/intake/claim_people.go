package intake

import (
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// The limits of people and addresses, in characters.
const (
	maxMiddleName  = 25 // NM105
	maxSuffix      = 10 // NM107
	maxGroupName   = 60 // SBR04
	maxAddressLine = 55 // N301
	maxCity        = 30 // N401
)

// PersonInput is a person on a claim, as a caller wrote it.
type PersonInput struct {
	FirstName, MiddleName, LastName, Suffix, DateOfBirth, Gender string
	Address                                                      *AddressInput
}

// ClaimSubscriberInput is a subscriber as a caller wrote it.
type ClaimSubscriberInput struct {
	PersonInput

	MemberID, GroupNumber, GroupName string
}

// ClaimPatientInput is a patient as a caller wrote it.
type ClaimPatientInput struct {
	PersonInput

	Relationship string
}

// AddressInput is an address as a caller wrote it.
type AddressInput struct{ Line1, Line2, City, State, ZIP string }

func (p *claimParser) subscriber(at string, in *ClaimSubscriberInput) claim.Subscriber {
	if !p.there(at, in != nil) {
		return claim.Subscriber{Gender: claim.GenderUnknown}
	}
	s := p.person(at+".", &in.PersonInput, p.day)
	s.MemberID = p.text(at+".member_id", in.MemberID, maxMemberID)
	s.GroupNumber = p.maybe(at+".group_number", &in.GroupNumber, maxMemberID)
	s.GroupName = p.maybe(at+".group_name", &in.GroupName, maxGroupName)
	s.Address = p.address(at+".address.", in.Address)
	return s
}

func (p *claimParser) patient(at string, in *ClaimPatientInput) *claim.Patient {
	if in == nil {
		return nil
	}
	s := p.person(at+".", &in.PersonInput, p.day)
	out := &claim.Patient{
		FirstName: s.FirstName, MiddleName: s.MiddleName, LastName: s.LastName, Suffix: s.Suffix, DateOfBirth: s.DateOfBirth,
		Gender: s.Gender, Relationship: coverage.Relationship(p.text(at+".relationship", in.Relationship, 0)),
	}
	if out.Relationship == coverage.RelationSelf {
		p.f.Add(at+".relationship", billing.FaultNotAllowed, "Leave out patient when the subscriber is the patient.")
	}
	oneOf(p, at+".relationship", in.Relationship, coverage.RelationSpouse, coverage.RelationChild, coverage.RelationOther)
	out.Address = p.address(at+".address.", in.Address)
	return out
}

// person reads the names, the date of birth and the gender.
func (p *claimParser) person(at string, in *PersonInput, birthday func(field, value string) billing.Date) claim.Subscriber {
	return claim.Subscriber{
		FirstName:   p.text(at+"first_name", in.FirstName, maxName),
		MiddleName:  p.maybe(at+"middle_name", &in.MiddleName, maxMiddleName),
		LastName:    p.text(at+"last_name", in.LastName, maxName),
		Suffix:      p.maybe(at+"suffix", &in.Suffix, maxSuffix),
		DateOfBirth: birthday(at+"date_of_birth", in.DateOfBirth),
		Gender:      p.gender(at+"gender", in.Gender),
	}
}

// address reads an address, which must be complete in a whole request.
func (p *claimParser) address(at string, in *AddressInput) directory.Address {
	if in == nil {
		return directory.Address{}
	}
	return directory.Address{
		Line1: p.text(at+"line1", in.Line1, maxAddressLine), Line2: p.maybe(at+"line2", &in.Line2, maxAddressLine),
		City: p.text(at+"city", in.City, maxCity), State: p.state(at+"state", in.State, p.whole), ZIP: p.zip(at+"zip", in.ZIP),
	}
}

func (p *claimParser) gender(field, value string) claim.Gender {
	if value == "" {
		return claim.GenderUnknown
	}
	return oneOf(p, field, value, claim.GenderFemale, claim.GenderMale, claim.GenderUnknown)
}

func (p *claimParser) state(field, value string, needed bool) string {
	if needed {
		p.text(field, value, 0)
	}
	return strings.ToUpper(p.form(field, value, stateForm.MatchString, "The state must be two letters."))
}

func (p *claimParser) zip(field, value string) string {
	p.text(field, value, 0)
	return strings.ReplaceAll(p.form(field, value, directory.ValidZIP, "The ZIP code must have 5 or 9 digits."), "-", "")
}
