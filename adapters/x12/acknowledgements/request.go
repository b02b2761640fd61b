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
	what := cmp.Or(wordsOf("asks", c.Category), "more information")
	switch {
	case c.Status == "":
		return what
	case c.List != listLOINC:
		return what + " (claim status code " + c.Status + ")"
	}
	if name := wordsOf("LOINC", c.Status); name != "" {
		return what + ": " + name + " (LOINC " + c.Status + ")"
	}
	return what + " (LOINC " + c.Status + ")"
}
