package edi

import (
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
)

// outgoingClaim is a claim as its file has it. What the file has no place for,
// such as IDs, states and times, is left out.
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
	if c.Frequency != billing.FrequencyOriginal { // an original is about no claim that the payer has
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

// outgoingAttachment is what a claim says of the attachment. It reports false
// for one that no claim carries: an open one, or one for a payer request.
func outgoingAttachment(a *billing.Attachment) (claims.Attachment, bool) {
	file := a.ClaimFile()
	if file == nil || a.Kind == billing.AttachmentSolicited {
		return claims.Attachment{}, false
	}
	return claims.Attachment{ReportType: reportType(a.Documents), Number: file.PWK, Note: file.NTE}, true
}

// Report types (data element 755) that documents of several types go under.
const (
	reportModels      = "DA"
	reportRadiographs = "RB"
	reportPerio       = "P6"
	reportEOB         = "EB"
)

// reportType is the one code for all documents. When they differ models come
// before radiographs, these before anything else, a periodontal chart before an
// explanation of benefits.
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
