package claim

import "github.com/molar-billing/molar/core/billing"

// Judge applies every rule and returns the findings in the order of the fields of
// POST /claims. A rule finds nothing when it is not sure: payers report what it
// misses, but a wrong finding stops a good claim.
func (c *Claim) Judge(with RuleContext) (found []Finding) {
	found = apply(found, c, &with, officeRules)
	found = apply(found, c, &with, personRules)
	found = c.judgeCoverage(found, &with)
	found = apply(found, c, &with, detailRules)
	found = c.judgeNote(found, with.Attached)
	for i := range c.Lines {
		found = apply(found, lineOf{&c.Lines[i], c, i}, &with, lineRules)
	}
	return found
}

// judgeCoverage applies the rules for the other coverages and their payers' decisions.
func (c *Claim) judgeCoverage(found []Finding, with *RuleContext) []Finding {
	found = apply(found, c, with, coverageRules)
	for i := range c.OtherCoverage {
		o := coverageOf{&c.OtherCoverage[i], c, i}
		found = apply(found, o, with, otherCoverageRules)
		for j := range o.lines() {
			found = apply(found, decisionOf{&o.Adjudication.Lines[j], o, j}, with, decisionRules)
		}
	}
	return found
}

// FindingFaults returns findings as the faults of a rejected request. The
// values are well formed, so the code is always FaultNotAllowed.
func FindingFaults(findings []Finding) (f billing.Faults) {
	for _, x := range findings {
		f.Add(x.Field, billing.FaultNotAllowed, x.Message+" "+x.Fix)
	}
	return f
}
