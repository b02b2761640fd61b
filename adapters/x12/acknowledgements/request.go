package acknowledgements

import (
	"cmp"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// listLOINC is C043-04 of a LOINC code.
const listLOINC = "LOI"

// Request is the information that a payer requests about a claim.
type Request struct {
	Reference        string // the payer's reference, which the reply repeats
	ControlNumber    string // the provider's, CLM01
	PayerClaimNumber string
	Codes            []Code       // the requested items, without duplicates
	Requested        string       // the items in the payer's words, or else in this package's
	Due              billing.Date // zero when the payer names no day
}

// Request returns the information that the claim's statuses request. It returns false
// if they request none.
func (c *Claim) Request() (Request, bool) {
	r := Request{
		Reference: cmp.Or(c.PayerReference, c.PayerClaimNumber, c.Trace), ControlNumber: c.ControlNumber,
		PayerClaimNumber: cmp.Or(c.PayerClaimNumber, c.PayerReference), Due: c.Due,
	}
	var words []string
	add := func(statuses []Status, about string) {
		for i := range statuses {
			if w := r.add(&statuses[i]); w != "" && !slices.Contains(words, about+w) {
				words = append(words, about+w)
			}
		}
	}
	add(c.Statuses, "")
	for _, l := range c.Lines {
		about := ""
		if l.Procedure != "" {
			about = l.Procedure + ": "
		}
		add(l.Statuses, about)
	}
	r.Requested = strings.Join(words, "; ")
	return r, len(r.Codes) > 0
}

// add adds the codes of a status that are requests, and returns the status in words.
func (r *Request) add(s *Status) string {
	var asked []string
	for _, c := range s.Codes {
		if Classify(SidePayer, c.Category) != OutcomeRequested {
			continue
		}
		if !slices.Contains(r.Codes, c) {
			r.Codes = append(r.Codes, c)
		}
		asked = append(asked, c.words())
	}
	if len(asked) > 0 && s.Text != "" {
		return s.Text
	}
	return strings.Join(asked, "; ")
}

// words describes the information that a code requests.
func (c Code) words() string {
	what := asks(c.Category)
	switch {
	case c.Status == "":
		return what
	case c.List != listLOINC:
		return what + " (claim status code " + c.Status + ")"
	}
	if name := loinc(c.Status); name != "" {
		return what + ": " + name + " (LOINC " + c.Status + ")"
	}
	return what + " (LOINC " + c.Status + ")"
}

// asks describes the request of a status category.
func asks(category string) string {
	switch category {
	case "R1":
		return "information about a person or an organization"
	case "R3":
		return "information about the claim or a service"
	case "R4":
		return "documentation"
	case "R5":
		return "more detailed information"
	case "R6":
		return "information that a regulation requires"
	case "R7", "R8":
		return "confirmation that the plan covers the care"
	case "R9":
		return "information on the medical necessity"
	case "R10":
		return "support of an appeal"
	case "R11":
		return "information for a review before payment"
	case "R12":
		return "the reason for the procedure"
	case "R13":
		return "documents again, because the first could not be read"
	case "R14":
		return "documents again, because the first were not what was asked for"
	case "R15":
		return "information on workers' compensation"
	case "R16":
		return "information on eligibility"
	case "R17":
		return "information, in place of an earlier request"
	default:
		return "more information"
	}
}

// loinc names the document types that payers request most often. It returns an empty
// string for other codes.
func loinc(code string) string {
	switch code {
	case "11488-4":
		return "consultation note"
	case "11502-2":
		return "laboratory report"
	case "11503-0":
		return "medical records"
	case "11504-8":
		return "operative note"
	case "11506-3":
		return "progress note"
	case "18748-4":
		return "diagnostic imaging report"
	case "18842-5":
		return "discharge summary"
	case "28570-0":
		return "procedure note"
	case "34117-2":
		return "history and physical"
	case "57133-1":
		return "referral note"
	default:
		return ""
	}
}
