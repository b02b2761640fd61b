package edi

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
)

// loop is where an AAA stands, by whose problem that makes it.
type loop int

const (
	loopPayer      loop = iota // 2000A, 2100A, 2110A
	loopProvider               // 2100B
	loopSubscriber             // 2100C, 2110C
	loopPatient                // 2100D, 2110D
)

// rule is what an AAA03 means. An empty about stands for the person whom the
// loop is about; a field that begins with a point is one of that person's, and
// an empty field is none that a caller could change.
type rule struct {
	code    billing.ReasonCode
	about   billing.About
	field   string
	message string
	fix     string
}

// The fixes that several rules have in common.
const (
	fixBirth    = "Check the date of birth, then send the check again."
	fixCall     = "Call the payer."
	fixDate     = "Choose another service date, then send the check again."
	fixMember   = "Check the member ID and the group number against the insurance card, then send the check again."
	fixProvider = "Check the office's NPI and name, then ask the payer how the provider is enrolled."
	fixRequest  = "Check the request. When nothing in it is wrong, call the payer."
)

// rules is the meaning of every AAA03 that has one in all loops. The codes are
// those of the guide 005010X279A1, and 95, which some payers send.
//
//nolint:gochecknoglobals // a constant table
var rules = []struct {
	codes []string
	rule
}{
	{[]string{"75"}, rule{
		billing.ReasonMemberNotFound, billing.AboutSubscriber, "subscriber.member_id",
		"The payer found no such subscriber.", fixMember,
	}},
	{[]string{"78"}, rule{
		billing.ReasonMemberNotFound, billing.AboutSubscriber, "subscriber.group_number",
		"The payer found no such subscriber in the group or plan.", fixMember,
	}},
	{[]string{"67", "77"}, rule{
		billing.ReasonMemberNotFound, billing.AboutPatient, "patient.first_name",
		"The payer found the subscriber, but not the patient.",
		"Check the patient's name, date of birth and relationship, then send the check again.",
	}},
	{[]string{"58"}, rule{
		billing.ReasonDateOfBirthMismatch, "", ".date_of_birth", "The payer takes the date of birth for missing or invalid.", fixBirth,
	}},
	{[]string{"60"}, rule{
		billing.ReasonDateOfBirthMismatch, "", ".date_of_birth", "The date of birth lies after the service date.", fixBirth,
	}},
	{[]string{"71"}, rule{
		billing.ReasonDateOfBirthMismatch, "", ".date_of_birth", "The date of birth is not the one that the payer has on file.", fixBirth,
	}},
	{[]string{"64", "72"}, rule{
		billing.ReasonMemberIDInvalid, "", "subscriber.member_id", "The payer takes the member ID for invalid.",
		"Check the member ID against the insurance card, then send the check again.",
	}},
	{[]string{"68", "76"}, rule{
		billing.ReasonMemberIDDuplicate, "", "subscriber.member_id", "Several people have this member ID at the payer.",
		"Send the group number, and check member ID, name and date of birth.",
	}},
	{[]string{"65", "73"}, rule{
		billing.ReasonNameMismatch, "", ".last_name", "The name is not the one that the payer has on file.",
		"Send the name as it stands on the insurance card.",
	}},
	{[]string{"56", "57"}, rule{
		billing.ReasonServiceDateInvalid, billing.AboutRequest, "service_date", "The payer takes the service date for missing or invalid.", fixDate,
	}},
	{[]string{"62"}, rule{
		billing.ReasonServiceDateInvalid, billing.AboutRequest, "service_date",
		"The service date lies outside the time that the payer answers for.", fixDate,
	}},
	{[]string{"63"}, rule{
		billing.ReasonServiceDateInvalid, billing.AboutRequest, "service_date", "The payer does not answer for a service date in the future.", fixDate,
	}},
	{[]string{"61", "95"}, rule{
		billing.ReasonPatientNotEligible, billing.AboutPatient, "", "The payer has no coverage for the patient on the service date.",
		"Ask the patient about other coverage.",
	}},
	{[]string{"33", "66", "74", "AA", "AE", "AF", "AO", "CI", "E8", "IA", "MA"}, rule{
		billing.ReasonRequestInvalid, billing.AboutRequest, "", "The payer takes a part of the request for invalid.", fixRequest,
	}},
	{[]string{"54", "55", "69", "70", "98", "AG"}, rule{
		billing.ReasonRequestInvalid, billing.AboutRequest, "procedure_codes", "The payer does not take a procedure that was asked for.",
		"Leave the procedure out or choose another, then send the check again.",
	}},
	{[]string{"44", "45", "46", "47", "48", "97"}, rule{
		billing.ReasonRequestInvalid, billing.AboutProvider, "",
		"The payer takes what it was told of the provider for missing or invalid.", fixProvider,
	}},
	{[]string{"04"}, rule{
		billing.ReasonRequestNotAccepted, billing.AboutClearinghouse, "", "The network takes no more than one patient in a request.", fixCall,
	}},
	{[]string{"79", "T4"}, rule{
		billing.ReasonRequestNotAccepted, billing.AboutPayer, "payer_id",
		"The payer does not answer eligibility checks under this payer ID.", "Check the payer ID. Some payers can only be called.",
	}},
	{[]string{"43", "51"}, rule{
		billing.ReasonProviderNotOnFile, billing.AboutProvider, "office_id", "The payer does not have the provider on file.",
		"Check the office's NPI, or enrol the provider with the payer.",
	}},
	{[]string{"35"}, rule{
		billing.ReasonProviderNotEligible, billing.AboutProvider, "", "The provider is outside the plan's network.", fixProvider,
	}},
	{[]string{"49"}, rule{
		billing.ReasonProviderNotEligible, billing.AboutProvider, "", "The provider is not the patient's primary care provider.", fixProvider,
	}},
	{[]string{"50"}, providerRefused},
	{[]string{"52"}, rule{
		billing.ReasonProviderNotEligible, billing.AboutProvider, "", "The provider was not enrolled in the plan on the service date.", fixProvider,
	}},
	{[]string{"53"}, rule{
		billing.ReasonProviderNotEligible, billing.AboutProvider, "", "The provider's kind does not fit the benefits that were asked for.",
		fixProvider,
	}},
	{[]string{"42", "80"}, payerSilent},
}

// The rules that depend on the loop or on what was sent.
//
//nolint:gochecknoglobals // constants; Go has none of struct type
var (
	providerRefused = rule{
		billing.ReasonProviderNotEligible, billing.AboutProvider, "", "The payer does not answer this provider.", fixProvider,
	}
	serviceRefused = rule{
		billing.ReasonRequestNotAccepted, billing.AboutClearinghouse, "",
		"The payer does not let this service ask about eligibility.", fixCall,
	}
	payerSilent = rule{
		billing.ReasonPayerNotAnswering, billing.AboutPayer, "", "The payer's system is not answering.",
		"Nothing needs to be changed. Send the check again later.",
	}
	patientIsDependent = rule{
		billing.ReasonPatientIsDependent, billing.AboutSubscriber, "patient",
		"The payer has this person as a dependent, not as the subscriber.",
		"Send the plan's holder as subscriber and this person as patient.",
	}
	patientDetails = rule{
		billing.ReasonPatientDetailsRequired, billing.AboutPatient, "patient", "The payer needs more about the patient.",
		"Send the patient with name, date of birth and relationship, and the group number.",
	}
	requestIncomplete = rule{
		billing.ReasonRequestInvalid, billing.AboutRequest, "", "The payer misses something in the request.", fixRequest,
	}
	otherReason = rule{
		billing.ReasonPayerRejectedOther, billing.AboutPayer, "",
		"The payer rejected the check for a reason of its own; payer_code has it.", fixCall,
	}
)

// ruleFor is the meaning of an AAA03 in a loop. A patient who was not found
// where none was sent is the person sent as the subscriber.
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
