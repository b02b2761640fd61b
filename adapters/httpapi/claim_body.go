package httpapi

import (
	"github.com/molar-billing/molar/core/intake"
)

// readClaimRequest reads a claim, or the changes to one.
func readClaimRequest(x *exchange) (in intake.ClaimRequest) {
	doc := x.document(&in.Faults)
	readClaim(doc, &in)
	return in
}

func readClaim(doc *object, in *intake.ClaimRequest) {
	in.Given = doc.given()
	in.Kind = doc.optionalText("kind")
	in.OfficeID = doc.optionalText("office_id")
	in.PayerID = doc.optionalText("payer_id")
	in.RenderingProviderID = doc.optionalText("rendering_provider_id")
	in.Subscriber = readClaimSubscriber(doc)
	if p := doc.optionalObject("patient"); p != nil {
		in.Patient = &intake.ClaimPatientInput{
			FirstName: p.text("first_name"), LastName: p.text("last_name"), DateOfBirth: p.text("date_of_birth"),
			Relationship: p.text("relationship"), Gender: p.text("gender"),
		}
		p.end()
	}
	in.PatientControlNumber = doc.optionalText("patient_control_number")
	in.PlaceOfService = doc.optionalText("place_of_service")
	in.PriorAuthorization = doc.optionalText("prior_authorization")
	if a := doc.optionalObject("accident"); a != nil {
		in.Accident = &intake.AccidentInput{Type: a.text("type"), Date: a.text("date"), State: a.text("state")}
		a.end()
	}
	in.Note = doc.optionalText("note")
	in.Lines = readClaimLines(doc)
	in.TenantReference = doc.optionalText("tenant_reference")
	in.Draft = doc.flag("draft")
	in.Submit = doc.flag("submit")
	doc.end()
}

func readClaimSubscriber(doc *object) *intake.ClaimSubscriberInput {
	s := doc.optionalObject("subscriber")
	if s == nil {
		return nil
	}
	in := &intake.ClaimSubscriberInput{
		FirstName: s.text("first_name"), LastName: s.text("last_name"), DateOfBirth: s.text("date_of_birth"),
		MemberID: s.text("member_id"), GroupNumber: s.text("group_number"), Gender: s.text("gender"),
	}
	if a := s.optionalObject("address"); a != nil {
		in.Address = new(readAddress(a))
	}
	s.end()
	return in
}

func readAddress(a *object) intake.AddressInput {
	in := intake.AddressInput{
		Line1: a.text("line1"), Line2: a.text("line2"), City: a.text("city"), State: a.text("state"), ZIP: a.text("zip"),
	}
	a.end()
	return in
}

func readClaimLines(doc *object) []intake.ClaimLineInput {
	sent := doc.optionalObjects("lines")
	if sent == nil {
		return nil
	}
	return mapped(sent, func(l *object) intake.ClaimLineInput {
		in := intake.ClaimLineInput{
			ProcedureCode: l.text("procedure_code"), ServiceDate: l.optionalText("service_date"), Fee: l.text("fee"),
			Quantity: l.optionalNumber("quantity"), Tooth: l.optionalText("tooth"), Surfaces: l.optionalTexts("surfaces"),
			OralCavity: l.optionalTexts("oral_cavity"), PriorPlacementDate: l.optionalText("prior_placement_date"),
		}
		l.end()
		return in
	})
}

// readConvertRequest reads the performed services of a predetermination.
func readConvertRequest(x *exchange) (in intake.ConvertRequest) {
	doc := x.document(&in.Faults)
	in.Lines = mapped(doc.optionalObjects("lines"), func(l *object) intake.ConvertLineInput {
		line := intake.ConvertLineInput{LineNumber: l.number("line_number"), ServiceDate: l.text("service_date")}
		l.end()
		return line
	})
	doc.end()
	return in
}
