package billing

import "strings"

// ClaimContext is what rules know of a claim besides the claim.
type ClaimContext struct {
	Today    Date      // in the office's time zone
	Office   *Office   // nil leaves its rules out
	Provider *Provider // who rendered the services; nil for none
	Payer    *Payer    // nil leaves its rules out
	Similar  []*Claim  // of the same patient, with services in the same days; the claim itself may be among them
}

// FindingFaults tells findings as faults, for a request that is refused because
// of them.
func FindingFaults(findings []Finding) (f Faults) {
	for _, x := range findings {
		code := FaultNotAllowed
		switch {
		case strings.HasSuffix(x.Code, "required"):
			code = FaultRequired
		case strings.HasPrefix(x.Code, "duplicate"):
			code = FaultConflict
		}
		f.Add(x.Field, code, x.Message+" "+x.Fix)
	}
	return f
}

// Judge applies every rule to the claim. The findings are in the order of the
// fields of POST /claims.
func (c *Claim) Judge(with ClaimContext) (found []Finding) {
	return found
}
