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
		in.Patient = &intake.ClaimPatientInput{PersonInput: readPerson(p), Relationship: p.text("relationship")}
		p.end()
	}
	in.Coverage = doc.optionalText("coverage")
	in.OtherCoverage = readOtherCoverage(doc)
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
	in.ClaimDetailsInput = readClaimDetails(doc)
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
		PersonInput: readPerson(s), MemberID: s.text("member_id"), GroupNumber: s.text("group_number"), GroupName: s.text("group_name"),
	}
	s.end()
	return in
}

// readPerson reads what the people of a claim have in common.
func readPerson(p *object) intake.PersonInput {
	return intake.PersonInput{
		FirstName: p.text("first_name"), MiddleName: p.text("middle_name"), LastName: p.text("last_name"), Suffix: p.text("suffix"),
		DateOfBirth: p.text("date_of_birth"), Gender: p.text("gender"), Address: readAddress(p, "address"),
	}
}

// readAddress reads an address, or nil if it is missing or null.
func readAddress(doc *object, name string) *intake.AddressInput {
	a := doc.optionalObject(name)
	if a == nil {
		return nil
	}
	in := &intake.AddressInput{
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
			Quantity: l.optionalNumber("quantity"), Tooth: l.optionalText("tooth"), Teeth: l.optionalTexts("teeth"),
			Surfaces: l.optionalTexts("surfaces"), OralCavity: l.optionalTexts("oral_cavity"), Modifiers: l.optionalTexts("modifiers"),
			DiagnosisPointers: l.optionalNumbers("diagnosis_pointers"), Prosthesis: l.optionalText("prosthesis"),
			PriorPlacementDate: l.optionalText("prior_placement_date"), PlaceOfService: l.optionalText("place_of_service"),
			RenderingProviderID: l.optionalText("rendering_provider_id"),
		}
		_ = l.optionalText("open") // replies show it
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

// readReconcileRequest reads what a user accepts of the open amount.
func readReconcileRequest(x *exchange) (in intake.ReconcileRequest) {
	doc := x.document(&in.Faults)
	if a := doc.optionalObject("accept_open"); a != nil {
		in.AcceptOpen = &intake.AcceptOpenInput{As: a.text("as"), Note: a.optionalText("note")}
		in.AcceptOpen.Lines = mapped(a.optionalObjects("lines"), func(l *object) intake.AcceptLineInput {
			line := intake.AcceptLineInput{LineNumber: l.optionalNumber("line_number"), Amount: l.text("amount")}
			l.end()
			return line
		})
		a.end()
	}
	doc.end()
	return in
}

// readSecondaryRequest reads the plan of the secondary payer.
func readSecondaryRequest(x *exchange) (in intake.SecondaryRequest) {
	doc := x.document(&in.Faults)
	in.PayerID, in.Relationship = doc.text("payer_id"), doc.text("relationship")
	in.Subscriber = readClaimSubscriber(doc)
	in.GroupNumber, in.GroupName = doc.optionalText("group_number"), doc.optionalText("group_name")
	doc.end()
	return in
}
