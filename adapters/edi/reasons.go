package edi

import (
	"slices"

	"github.com/molar-billing/molar/core/billing/coverage"
)

// loop is the loop that contains an AAA. It identifies the party with the problem.
type loop int

const (
	loopPayer      loop = iota // 2000A, 2100A, 2110A
	loopProvider               // 2100B
	loopSubscriber             // 2100C, 2110C
	loopPatient                // 2100D, 2110D
)

// rule is the meaning of an AAA03. If about is empty, the rule concerns the person
// of the loop. A field that begins with a dot belongs to that person. If field is
// empty, the caller cannot fix the problem by changing a field.
type rule struct {
	code    coverage.ReasonCode
	about   coverage.About
	field   string
	message string
	fix     string
}

// The fixes that several rules share.
const (
	fixBirth    = "Check the date of birth, then send the check again."
	fixCall     = "Call the payer."
	fixDate     = "Choose another service date, then send the check again."
	fixMember   = "Check the member ID and the group number against the insurance card, then send the check again."
	fixProvider = "Check the office's NPI and name, then ask the payer how the provider is enrolled."
	fixRequest  = "Check the request. If it is correct, call the payer."
)

// rules lists every AAA03 that means the same in all loops. The codes come from
// the guide, 005010X279A1, except 95, which some payers send.
//
//nolint:gochecknoglobals // a constant table
var rules = []struct {
	codes []string
	rule
}{
	{[]string{"75"}, rule{
		coverage.ReasonMemberNotFound, coverage.AboutSubscriber, "subscriber.member_id",
		"The payer did not find the subscriber.", fixMember,
	}},
	{[]string{"78"}, rule{
		coverage.ReasonMemberNotFound, coverage.AboutSubscriber, "subscriber.group_number",
		"The payer did not find the subscriber in the group or plan.", fixMember,
	}},
	{[]string{"67", "77"}, rule{
		coverage.ReasonMemberNotFound, coverage.AboutPatient, "patient.first_name",
		"The payer found the subscriber but not the patient.",
		"Check the patient's name, date of birth and relationship, then send the check again.",
	}},
	{[]string{"58"}, rule{
		coverage.ReasonDateOfBirthMismatch, "", ".date_of_birth", "The payer says that the date of birth is missing or invalid.", fixBirth,
	}},
	{[]string{"60"}, rule{
		coverage.ReasonDateOfBirthMismatch, "", ".date_of_birth", "The date of birth is after the service date.", fixBirth,
	}},
	{[]string{"71"}, rule{
		coverage.ReasonDateOfBirthMismatch, "", ".date_of_birth", "The date of birth does not match the payer's records.", fixBirth,
	}},
	{[]string{"64", "72"}, rule{
		coverage.ReasonMemberIDInvalid, "", "subscriber.member_id", "The payer says that the member ID is missing or invalid.",
		"Check the member ID against the insurance card, then send the check again.",
	}},
	{[]string{"68", "76"}, rule{
		coverage.ReasonMemberIDDuplicate, "", "subscriber.member_id", "The payer has several people with this member ID.",
		"Send the group number, and check the member ID, name and date of birth.",
	}},
	{[]string{"65", "73"}, rule{
		coverage.ReasonNameMismatch, "", ".last_name", "The name does not match the payer's records.",
		"Send the name exactly as the insurance card shows it.",
	}},
	{[]string{"56", "57"}, rule{
		coverage.ReasonServiceDateInvalid, coverage.AboutRequest, "service_date", "The payer says that the service date is missing or invalid.", fixDate,
	}},
	{[]string{"62"}, rule{
		coverage.ReasonServiceDateInvalid, coverage.AboutRequest, "service_date",
		"The service date is outside the period that the payer reports on.", fixDate,
	}},
	{[]string{"63"}, rule{
		coverage.ReasonServiceDateInvalid, coverage.AboutRequest, "service_date", "The payer does not report benefits for a future service date.", fixDate,
	}},
	{[]string{"61", "95"}, rule{
		coverage.ReasonPatientNotEligible, coverage.AboutPatient, "", "The payer has no coverage for the patient on the service date.",
		"Ask the patient about other coverage.",
	}},
	{[]string{"33", "66", "74", "AA", "AE", "AF", "AO", "CI", "E8", "IA", "MA"}, rule{
		coverage.ReasonRequestInvalid, coverage.AboutRequest, "", "The payer says that part of the request is invalid.", fixRequest,
	}},
	{[]string{"54", "55", "69", "70", "98", "AG"}, rule{
		coverage.ReasonRequestInvalid, coverage.AboutRequest, "procedure_codes", "The payer does not accept one of the procedures in the request.",
		"Remove the procedure or choose another, then send the check again.",
	}},
	{[]string{"44", "45", "46", "47", "48", "97"}, rule{
		coverage.ReasonRequestInvalid, coverage.AboutProvider, "",
		"The payer says that the provider's details are missing or invalid.", fixProvider,
	}},
	{[]string{"04"}, rule{
		coverage.ReasonRequestNotAccepted, coverage.AboutClearinghouse, "", "The network accepts only one patient in a request.", fixCall,
	}},
	{[]string{"79", "T4"}, rule{
		coverage.ReasonRequestNotAccepted, coverage.AboutPayer, "payer_id",
		"The payer does not accept eligibility checks under this payer ID.", "Check the payer ID. Some payers report benefits only by phone.",
	}},
	{[]string{"43", "51"}, rule{
		coverage.ReasonProviderNotOnFile, coverage.AboutProvider, "office_id", "The payer has no record of the provider.",
		"Check the office's NPI, or enroll the provider with the payer.",
	}},
	{[]string{"35"}, rule{
		coverage.ReasonProviderNotEligible, coverage.AboutProvider, "", "The provider is outside the plan's network.", fixProvider,
	}},
	{[]string{"49"}, rule{
		coverage.ReasonProviderNotEligible, coverage.AboutProvider, "", "The provider is not the patient's primary care provider.", fixProvider,
	}},
	{[]string{"50"}, providerRefused},
	{[]string{"52"}, rule{
		coverage.ReasonProviderNotEligible, coverage.AboutProvider, "", "The provider was not enrolled in the plan on the service date.", fixProvider,
	}},
	{[]string{"53"}, rule{
		coverage.ReasonProviderNotEligible, coverage.AboutProvider, "", "The provider's type does not match the benefits in the request.",
		fixProvider,
	}},
	{[]string{"42", "80"}, payerSilent},
}

// The rules that depend on the loop or on the inquiry.
//
//nolint:gochecknoglobals // constants; Go has none of struct type
var (
	providerRefused = rule{
		coverage.ReasonProviderNotEligible, coverage.AboutProvider, "", "The payer does not accept eligibility checks from this provider.", fixProvider,
	}
	serviceRefused = rule{
		coverage.ReasonRequestNotAccepted, coverage.AboutClearinghouse, "",
		"The payer does not allow this service to check eligibility.", fixCall,
	}
	payerSilent = rule{
		coverage.ReasonPayerNotAnswering, coverage.AboutPayer, "", "The payer's system is not responding.",
		"No change is needed. Send the check again later.",
	}
	patientIsDependent = rule{
		coverage.ReasonPatientIsDependent, coverage.AboutSubscriber, "patient",
		"The payer lists this person as a dependent, not as the subscriber.",
		"Send the plan holder as the subscriber and this person as the patient.",
	}
	patientDetails = rule{
		coverage.ReasonPatientDetailsRequired, coverage.AboutPatient, "patient", "The payer needs more details about the patient.",
		"Send the patient's name, date of birth and relationship, and the group number.",
	}
	requestIncomplete = rule{
		coverage.ReasonRequestInvalid, coverage.AboutRequest, "", "The payer says that the request is incomplete.", fixRequest,
	}
	otherReason = rule{
		coverage.ReasonPayerRejectedOther, coverage.AboutPayer, "",
		"The payer rejected the check for a reason that only its code names.", fixCall,
	}
)

// ruleFor returns the meaning of an AAA03 in a loop. If the inquiry has no separate
// patient, "patient not found" means the person sent as the subscriber.
func ruleFor(code string, at loop, patientSent bool) rule {
	switch {
	case (code == "67" || code == "77") && !patientSent:
		return patientIsDependent
	case code == "15" && (at == loopSubscriber || at == loopPatient):
		return patientDetails
	case code == "15":
		return requestIncomplete
	case code == "41" && at == loopPayer:
		return serviceRefused
	case code == "41":
		return providerRefused
	}
	for _, r := range rules {
		if slices.Contains(r.codes, code) {
			return r.rule
		}
	}
	return otherReason
}
