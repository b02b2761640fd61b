package billing

import "slices"

// ClaimContent is the part of a claim that the caller writes and the payer
// receives. PATCH changes its fields; a replacement, a void and a conversion copy
// it whole.
type ClaimContent struct {
	OfficeID           OfficeID
	Payer              PayerSummary
	ProviderID         ProviderID // the rendering provider; zero on a draft without one
	Subscriber         ClaimSubscriber
	Patient            *ClaimPatient // nil when the subscriber is the patient
	Coverage           Sequence      // of the payer among the payers of the services; empty stands for primary
	OtherCoverage      []OtherCoverage
	PatientID          PatientID // the patient's directory entry; zero while the content does not identify one
	PlaceOfService     string
	PriorAuthorization string
	Accident           *Accident
	Note               string
	Lines              []ClaimLine
	TenantReference    *string

	ClaimDetails
}

// ClaimSubscriber is the holder of the plan on a claim.
type ClaimSubscriber struct {
	FirstName   string
	MiddleName  string `json:",omitzero"`
	LastName    string
	Suffix      string `json:",omitzero"` // such as JR
	DateOfBirth Date
	MemberID    string
	GroupNumber string
	GroupName   string `json:",omitzero"`
	Gender      Gender
	Address     Address
}

// ClaimPatient is a patient who is covered by another person's plan.
type ClaimPatient struct {
	FirstName    string
	MiddleName   string `json:",omitzero"`
	LastName     string
	Suffix       string `json:",omitzero"`
	DateOfBirth  Date
	Relationship Relationship
	Gender       Gender
	Address      Address `json:",omitzero"` // zero for the subscriber's
}

// Gender is the gender on a claim (DMG03).
type Gender string

// The genders.
const (
	GenderFemale  Gender = "female"
	GenderMale    Gender = "male"
	GenderUnknown Gender = "unknown"
)

// Accident is the accident that made the services necessary.
type Accident struct {
	Type  string // auto, employment or other
	Date  Date
	State string // two letters; where an auto accident happened
}

// ClaimLine is one service.
type ClaimLine struct {
	ProcedureCode      string
	ServiceDate        Date // zero on a predetermination
	Fee                Money
	Quantity           int
	Tooth              string   // the only tooth; empty with Teeth
	Teeth              []string `json:",omitzero"` // several teeth; they have no surfaces
	Surfaces           []string // of M O D B F L I
	OralCavity         []string
	Modifiers          []string   `json:",omitzero"` // at most 4
	DiagnosisPointers  []int      `json:",omitzero"` // to DiagnosisCodes, from 1; at most 4
	Prosthesis         Prosthesis `json:",omitzero"`
	PriorPlacementDate Date       // of the prosthesis that is replaced
	PlaceOfService     string     `json:",omitzero"` // empty for the claim's
	ProviderID         ProviderID `json:",omitzero"` // the rendering provider; zero for the claim's
}

// AllTeeth returns the teeth of the line.
func (l *ClaimLine) AllTeeth() []string {
	if l.Tooth != "" {
		return []string{l.Tooth}
	}
	return l.Teeth
}

// Subject returns what an attachment for the claim is about: the dependent, or
// else the subscriber, and the days from the first service to the last.
func (c *ClaimContent) Subject() AttachmentSubject {
	s := c.Subscriber
	about := AttachmentSubject{
		Patient:    AttachmentPatient{s.FirstName, s.LastName, s.DateOfBirth},
		Subscriber: AttachmentSubscriber{s.FirstName, s.LastName, s.MemberID, RelationSelf},
	}
	if p := c.Patient; p != nil {
		about.Patient = AttachmentPatient{p.FirstName, p.LastName, p.DateOfBirth}
		about.Subscriber.Relationship = p.Relationship
	}
	about.ServiceDates = c.ServiceDates()
	return about
}

// ServiceDates returns the span from the first service to the last. It is zero
// when no line has a date.
func (c *ClaimContent) ServiceDates() (span DateSpan) {
	for _, l := range c.Lines {
		span = span.Including(l.ServiceDate)
	}
	return span
}

// Providers returns the rendering providers of the claim and of its lines, each once.
func (c *ClaimContent) Providers() (all []ProviderID) {
	add := func(id ProviderID) {
		if !id.IsZero() && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	add(c.ProviderID)
	for i := range c.Lines {
		add(c.Lines[i].ProviderID)
	}
	return all
}

// Charge returns the sum of the fees.
func (c *ClaimContent) Charge() (sum Money) {
	for _, l := range c.Lines {
		sum += l.Fee
	}
	return sum
}
