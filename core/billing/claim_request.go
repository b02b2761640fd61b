package billing

// ClaimRequest is a claim as a caller wrote it, the body of POST and PATCH;
// nothing is parsed yet. Nil is a value that was left out or null.
type ClaimRequest struct {
	Kind                 *string
	OfficeID             *string
	PayerID              *string
	RenderingProviderID  *string
	Subscriber           *ClaimSubscriberInput
	Patient              *ClaimPatientInput
	PatientControlNumber *string
	PlaceOfService       *string
	PriorAuthorization   *string
	Accident             *AccidentInput
	Note                 *string
	Lines                []ClaimLineInput
	TenantReference      *string
	Draft                bool
	Submit               bool
	Given                map[string]bool // the fields of the body, those with null too
	Faults               Faults          // what is wrong with the request's form already
}

// ClaimSubscriberInput is a subscriber as a caller wrote it.
type ClaimSubscriberInput struct {
	FirstName, LastName, DateOfBirth, MemberID, GroupNumber, Gender string
	Address                                                         *AddressInput
}

// AddressInput is an address as a caller wrote it.
type AddressInput struct{ Line1, Line2, City, State, ZIP string }

// ClaimPatientInput is a patient as a caller wrote it.
type ClaimPatientInput struct{ FirstName, LastName, DateOfBirth, Relationship, Gender string }

// AccidentInput is an accident as a caller wrote it.
type AccidentInput struct{ Type, Date, State string }

// ClaimLineInput is a line as a caller wrote it.
type ClaimLineInput struct {
	ProcedureCode      string
	ServiceDate        *string
	Fee                string
	Quantity           *int
	Tooth              *string
	Surfaces           []string
	OralCavity         []string
	PriorPlacementDate *string
}

// ConvertRequest is which services of a predetermination are done, as a caller
// wrote it.
type ConvertRequest struct {
	Lines  []ConvertLineInput
	Faults Faults // what is wrong with the request's form already
}

// ConvertLineInput is the day on which a line was done, as a caller wrote it.
type ConvertLineInput struct {
	LineNumber  int
	ServiceDate string
}

// ClaimRecord is a claim with what belongs to it.
type ClaimRecord struct {
	*Claim

	Attachments []*Attachment // made for it, the newest first, at most a hundred
}
