package httpapi

import (
	"github.com/molar-billing/molar/core/intake"
)

// readOtherCoverage reads the other plans of a claim's patient.
func readOtherCoverage(doc *object) []intake.OtherCoverageInput {
	sent := doc.optionalObjects("other_coverage")
	if sent == nil {
		return nil
	}
	return mapped(sent, func(o *object) intake.OtherCoverageInput {
		in := intake.OtherCoverageInput{
			Sequence: o.text("sequence"), PayerID: o.text("payer_id"), PayerName: o.text("payer_name"), Relationship: o.text("relationship"),
			GroupNumber: o.text("group_number"), GroupName: o.text("group_name"), FilingIndicator: o.text("filing_indicator"),
			Adjudication: readAdjudication(o),
		}
		if s := o.optionalObject("subscriber"); s != nil {
			in.Subscriber = &intake.ClaimSubscriberInput{PersonInput: readPerson(s), MemberID: s.text("member_id")}
			s.end()
		}
		o.end()
		return in
	})
}

func readAdjudication(o *object) *intake.CoverageAdjudicationInput {
	a := o.optionalObject("adjudication")
	if a == nil {
		return nil
	}
	in := &intake.CoverageAdjudicationInput{
		PaymentDate: a.text("payment_date"), PayerClaimNumber: a.text("payer_claim_number"), Paid: a.text("paid"), Adjustments: readAdjustments(a),
		Lines: mapped(a.optionalObjects("lines"), func(l *object) intake.CoverageLineInput {
			line := intake.CoverageLineInput{
				LineNumber: l.optionalNumber("line_number"), ProcedureCode: l.text("procedure_code"), Paid: l.text("paid"),
				Units: l.optionalNumber("units"), Adjustments: readAdjustments(l),
			}
			l.end()
			return line
		}),
	}
	a.end()
	return in
}

func readAdjustments(level *object) []intake.AdjustmentInput {
	return mapped(level.optionalObjects("adjustments"), func(a *object) intake.AdjustmentInput {
		in := intake.AdjustmentInput{Group: a.text("group"), Reason: a.text("reason"), Amount: a.text("amount"), Quantity: a.text("quantity")}
		a.end()
		return in
	})
}

// readClaimDetails reads the fields that few claims have.
func readClaimDetails(doc *object) intake.ClaimDetailsInput {
	in := intake.ClaimDetailsInput{
		PredeterminationNumber: doc.optionalText("predetermination_number"), ReferralNumber: doc.optionalText("referral_number"),
		MissingTeeth: doc.optionalTexts("missing_teeth"), TeethToExtract: doc.optionalTexts("teeth_to_extract"),
		DiagnosisCodes: doc.optionalTexts("diagnosis_codes"), PatientPaid: doc.optionalText("patient_paid"),
		AssignmentOfBenefits: doc.optionalFlag("assignment_of_benefits"), AcceptAssignment: doc.optionalFlag("accept_assignment"),
		ReleaseOfInformation: doc.optionalText("release_of_information"),
	}
	if r := doc.optionalObject("referring_provider"); r != nil {
		in.ReferringProvider = &intake.ReferringProviderInput{FirstName: r.text("first_name"), LastName: r.text("last_name"), NPI: r.text("npi")}
		r.end()
	}
	if f := doc.optionalObject("facility"); f != nil {
		in.Facility = &intake.FacilityInput{Name: f.text("name"), NPI: f.text("npi"), Address: readAddress(f, "address")}
		f.end()
	}
	if o := doc.optionalObject("orthodontics"); o != nil {
		in.Orthodontics = &intake.OrthodonticsInput{
			TotalMonths: o.optionalNumber("total_months"), MonthsRemaining: o.optionalNumber("months_remaining"), ApplianceDate: o.text("appliance_date"),
		}
		o.end()
	}
	return in
}
