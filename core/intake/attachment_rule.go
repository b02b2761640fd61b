package intake

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
)

// AttachmentRuleRequest is a rule about what goes with claims, as a caller wrote it; nothing is
// parsed yet. Nil is a value that was left out or null.
type AttachmentRuleRequest struct {
	PayerID        *string // any ID of the payer; nil for all payers
	ProcedureCodes []string
	Needs          []string
	When           *string
	Note           *string
	Given          map[string]bool // the fields in the body, including null ones
	Faults         billing.Faults  // found when the body was decoded
}

// Rule validates the request and returns the requested rule, without ID, scope, payer and times.
func (r AttachmentRuleRequest) Rule() (advice.Rule, billing.Faults) {
	f := slices.Clone(r.Faults)
	made := advice.Rule{When: advice.Initial}
	if r.Needs == nil {
		f.Add("needs", billing.FaultRequired, "Say what goes with the claims. Send an empty list for nothing.")
	}
	for _, c := range r.ProcedureCodes {
		made.Codes = append(made.Codes, procedurePattern(c))
	}
	for _, n := range r.Needs {
		made.Needs = append(made.Needs, advice.Need(n))
	}
	if r.When != nil {
		made.When = advice.When(*r.When)
	}
	if r.Note != nil {
		made.Note = strings.TrimSpace(*r.Note)
	}
	made.Judge(&f)
	return made, f
}

// procedurePattern returns a code in its one spelling: a capital D, and x for any digit.
func procedurePattern(code string) string {
	return strings.ReplaceAll(strings.ToUpper(strings.ReplaceAll(code, " ", "")), "X", "x")
}

// Change validates the body of a PATCH and returns the changed rule. A field in the body replaces
// the whole field; null clears it.
func (r AttachmentRuleRequest) Change(was *advice.Rule) (advice.Rule, billing.Faults) {
	if !r.Given["procedure_codes"] {
		r.ProcedureCodes = was.Codes
	}
	if !r.Given["needs"] {
		r.Needs = []string{}
		for _, n := range was.Needs {
			r.Needs = append(r.Needs, string(n))
		}
	}
	if !r.Given["when"] {
		r.When = new(string(was.When))
	}
	if !r.Given["note"] {
		r.Note = &was.Note
	}
	return r.Rule()
}

// SubmitRequest asks to send a claim, as a caller wrote it.
type SubmitRequest struct {
	AdviceIgnored *IgnoredInput  // nil when it was left out or null
	Faults        billing.Faults // found when the body was decoded
}

// IgnoredInput has the reasons for which a claim goes without what its payer wants to see, by the
// codes of the advice.
type IgnoredInput struct {
	XRayMissing             *string `body:"xray_missing"`
	PeriodontalChartMissing *string `body:"periodontal_chart_missing"`
	PathologyReportMissing  *string `body:"pathology_report_missing"`
	OperativeReportMissing  *string `body:"operative_report_missing"`
	NarrativeMissing        *string `body:"narrative_missing"`
	PrimaryDecisionMissing  *string `body:"primary_decision_missing"`
	PhotoMissing            *string `body:"photo_missing"`
	DocumentsUnwanted       *string `body:"documents_unwanted"`
}

// Ignored validates the request and returns the reasons, by code.
func (r SubmitRequest) Ignored() (map[advice.Code]string, billing.Faults) {
	f := slices.Clone(r.Faults)
	return r.AdviceIgnored.reasons(&f), f
}

// reasons validates the reasons and returns them by code; none for nil.
func (in *IgnoredInput) reasons(f *billing.Faults) map[advice.Code]string {
	if in == nil {
		return nil
	}
	reasons := map[advice.Code]string{}
	for i, text := range []*string{
		in.XRayMissing, in.PeriodontalChartMissing, in.PathologyReportMissing, in.OperativeReportMissing,
		in.NarrativeMissing, in.PrimaryDecisionMissing, in.PhotoMissing, in.DocumentsUnwanted,
	} {
		code := advice.Codes()[i]
		if text != nil && f.Required("advice_ignored."+string(code), *text, maxRemittanceNote) {
			reasons[code] = strings.TrimSpace(*text)
		}
	}
	return reasons
}
