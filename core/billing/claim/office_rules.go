package claim

import (
	"regexp"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// officeRules are the rules for the practice and the payer. Clearinghouses reject
// every claim whose billing provider is incomplete (005010X224A2, 2010AA).
//
//nolint:gochecknoglobals // a constant table
var officeRules = []rule[*Claim]{
	// The NPI has a check digit (45 CFR 162.406).
	ofOffice("office_npi", "The office's NPI fails its check digit.", npiFix, func(o *directory.Office) bool {
		return !directory.ValidNPI(o.NPI)
	}),
	ofOffice("name_not_latin", "The office's name has no Latin letters, and files to payers can carry no others.", "Give the office a name in Latin letters.", func(o *directory.Office) bool {
		if o.Entity == directory.EntityPerson {
			return notLatin(o.FirstName) || notLatin(o.LastName)
		}
		return notLatin(o.Name)
	}),
	ofOffice("office_tax_id", "The office has no tax ID of nine digits.", "Add the office's tax ID, as the IRS issued it.", func(o *directory.Office) bool {
		return !directory.TaxIDForm.MatchString(o.TaxID)
	}),
	ofOffice("office_address", "The office has no complete address.", "Add the office's street, city, state and 9-digit ZIP code.", func(o *directory.Office) bool {
		return billing.Blank(o.Address.Line1) || billing.Blank(o.Address.City) || o.Address.State == ""
	}),
	ofOffice("office_po_box", "The office's address is a P.O. box, and payers need a street.", "Set the office's address to its street. A P.O. box can be its pay-to address.", func(o *directory.Office) bool {
		return poBox.MatchString(o.Address.Line1) || poBox.MatchString(o.Address.Line2)
	}),
	// N403 of 2010AA has nine digits.
	ofOffice("office_zip", "The ZIP code of the office's address does not have nine digits.", "Add the last four digits (ZIP+4) to the office's ZIP code. The postal service's website has them.", func(o *directory.Office) bool {
		return o.Address != directory.Address{} && !zip9Form.MatchString(o.Address.ZIP)
	}),
	ofOffice("text_not_carried", "Files to payers cannot carry some of the characters in the office's address or contact name.", "Use Latin letters, digits and plain punctuation.", func(o *directory.Office) bool {
		return !spellable(o.Address) || !spellable(o.PayTo) || !billing.Spellable(o.ContactName)
	}),
	ofOffice("office_phone", "The office has no telephone number of ten digits.", "Add the office's telephone number, with its area code.", func(o *directory.Office) bool {
		return !directory.PhoneForm.MatchString(o.Phone)
	}),
	{"office_not_verified", "office_id", "The office is not verified, and live claims are sent only for verified offices.", "Ask the operator of the service to verify that the NPI and the tax ID are the office's own.", func(_ *Claim, w *RuleContext) bool {
		return w.Sent && w.Office != nil && w.Office.VerifiedAt.IsZero()
	}},
	{"payer_takes_no_claims", "payer_id", "The payer does not accept electronic claims.", "Choose another payer, or mail the claim on paper.", func(_ *Claim, w *RuleContext) bool {
		return w.Payer != nil && !w.Payer.Capabilities.Claims
	}},
	ofEnrollment(directory.EnrollmentNeeded),
	ofEnrollment(directory.EnrollmentSubmitted),
	ofEnrollment(directory.EnrollmentRejected),
	{"required", "rendering_provider_id", "The claim has no provider, and the organization has none on file.", "Add the provider who rendered the services, then choose that provider.", func(_ *Claim, w *RuleContext) bool {
		return w.Provider == nil
	}},
	{"provider_npi", "rendering_provider_id", "The provider's NPI fails its check digit.", npiFix, func(_ *Claim, w *RuleContext) bool {
		return w.Provider != nil && !directory.ValidNPI(w.Provider.NPI)
	}},
}

var (
	poBox    = regexp.MustCompile(`(?i)\bp\W*o\W*box\b|\bpost\W+office\W+box\b`)
	zip9Form = regexp.MustCompile(`^[0-9]{5}-?[0-9]{4}$`)
)

// ofOffice returns a rule for the claim's office.
func ofOffice(code, message, fix string, broken func(o *directory.Office) bool) rule[*Claim] {
	return rule[*Claim]{code, "office_id", message, fix, func(_ *Claim, w *RuleContext) bool { return w.Office != nil && broken(w.Office) }}
}

// ofEnrollment returns the rule for an enrollment in a state that stops claims.
func ofEnrollment(state directory.EnrollmentState) rule[*Claim] {
	message, fix := state.Refusal()
	return rule[*Claim]{FindingNotEnrolled, "payer_id", message, fix, func(_ *Claim, w *RuleContext) bool {
		return w.Sent && w.Enrollment == state
	}}
}

// spellable reports whether X12 can carry the address.
func spellable(a directory.Address) bool {
	return billing.Spellable(a.Line1) && billing.Spellable(a.Line2) && billing.Spellable(a.City)
}
