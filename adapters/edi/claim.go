package edi

import (
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
)

// outgoingClaim converts a claim to its form in the file. It leaves out the IDs,
// statuses and times that an 837D does not carry.
func outgoingClaim(o *billing.OutgoingClaim) claims.Claim {
	c := o.Claim
	out := claims.Claim{
		Billing: claims.BillingProvider{
			Name: o.Office.Name, NPI: o.Office.NPI, TaxID: o.Office.TaxID, Phone: o.Office.Phone, Address: claims.Address(o.Office.Address),
		},
		Subscriber: claims.Subscriber{
			FirstName: c.Subscriber.FirstName, LastName: c.Subscriber.LastName, MemberID: c.Subscriber.MemberID,
			GroupNumber: c.Subscriber.GroupNumber, DateOfBirth: c.Subscriber.DateOfBirth, Gender: genderCode(c.Subscriber.Gender),
			Address: claims.Address(c.Subscriber.Address),
		},
		Payer:                claims.Payer{Name: c.Payer.Name, PayerID: c.Payer.PayerID},
		PatientControlNumber: c.PatientControlNumber, PlaceOfService: c.PlaceOfService, Frequency: frequencyCode(c.Frequency),
		Predetermination: c.Kind == billing.KindPredetermination, PriorAuthorization: c.PriorAuthorization, Note: c.Note,
		Lines: make([]claims.Line, len(c.Lines)),
	}
	if p := c.Patient; p != nil {
		out.Patient = &claims.Patient{
			FirstName: p.FirstName, LastName: p.LastName, Relationship: relationshipCode(p.Relationship), DateOfBirth: p.DateOfBirth,
			Gender: genderCode(p.Gender),
		}
	}
	if a := c.Accident; a != nil {
		out.Accident = &claims.Accident{Cause: causeCode(a.Type), Date: a.Date, State: a.State}
	}
	if p := o.Provider; p != nil {
		out.Rendering = claims.Provider{FirstName: p.FirstName, LastName: p.LastName, NPI: p.NPI, Taxonomy: p.Taxonomy}
	}
	if c.Frequency != billing.FrequencyOriginal { // an original refers to no earlier claim
		out.PayerClaimNumber = c.PayerClaimNumber
	}
	for i, l := range c.Lines {
		out.Lines[i] = claims.Line{
			Procedure: l.ProcedureCode, Fee: l.Fee, Quantity: l.Quantity, OralCavity: l.OralCavity, Tooth: l.Tooth, Surfaces: l.Surfaces,
			ServiceDate: l.ServiceDate, PriorPlacement: l.PriorPlacementDate,
		}
	}
	for _, a := range o.Attachments {
		if about, ok := outgoingAttachment(a); ok {
			out.Attachments = append(out.Attachments, about)
		}
	}
	return out
}

func frequencyCode(f billing.ClaimFrequency) string {
	switch f {
	case billing.FrequencyReplacement:
		return claims.FrequencyReplacement
	case billing.FrequencyVoid:
		return claims.FrequencyVoid
	case billing.FrequencyOriginal:
	}
	return claims.FrequencyOriginal
}

func relationshipCode(r billing.Relationship) string {
	switch r {
	case billing.RelationSpouse:
		return claims.RelationSpouse
	case billing.RelationChild:
		return claims.RelationChild
	case billing.RelationSelf, billing.RelationOther:
	}
	return claims.RelationOther
}

func genderCode(g billing.Gender) string {
	switch g {
	case billing.GenderFemale:
		return claims.GenderFemale
	case billing.GenderMale:
		return claims.GenderMale
	case billing.GenderUnknown:
		return claims.GenderUnknown
	}
	return ""
}

func causeCode(accident string) string {
	switch accident {
	case "auto":
		return claims.CauseAuto
	case "employment":
		return claims.CauseEmployment
	default:
		return claims.CauseOther
	}
}

// outgoingAttachment returns the claim's reference to an attachment. It returns
// false if the attachment is open or is for a payer request: claims carry neither.
func outgoingAttachment(a *billing.Attachment) (claims.Attachment, bool) {
	file := a.ClaimFile()
	if file == nil || a.Kind == billing.AttachmentSolicited {
		return claims.Attachment{}, false
	}
	return claims.Attachment{ReportType: reportType(a.Documents), Number: file.PWK, Note: file.NTE}, true
}

// The report types (data element 755) that cover several types of documents.
const (
	reportModels      = "DA"
	reportRadiographs = "RB"
	reportPerio       = "P6"
	reportEOB         = "EB"
)

// reportType returns the single code for all documents of an attachment. If their
// types differ, models have priority, then radiographs. A periodontal chart has
// priority over an explanation of benefits. Any other mix is ReportOther.
func reportType(documents []*billing.Document) string {
	has := map[string]bool{}
	var last string
	for _, d := range documents {
		t, known := billing.FindDocumentType(d.Type)
		if !known {
			t.PWK01 = claims.ReportOther
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
		return claims.ReportOther
	}
}
