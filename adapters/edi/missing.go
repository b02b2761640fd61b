package edi

import (
	"slices"

	"github.com/molar-billing/molar/core/billing/coverage"
)

// missing lists the paths of the fields that the payer did not return. It never lists
// the coverage status, because unknown is a status.
func missing(b *coverage.Benefits, q coverage.Inquiry) []string {
	var out []string
	unless := func(returned bool, path string) {
		if !returned {
			out = append(out, path)
		}
	}
	unless(!b.CoverageEffectiveDate.IsZero(), "coverage_effective_date")
	unless(!b.CoverageTerminationDate.IsZero(), "coverage_termination_date")
	unless(b.Plan.Name != "", "plan.name")
	unless(b.Plan.Type != "", "plan.type")
	unless(b.Plan.GroupNumber != "", "plan.group_number")
	unless(b.Plan.BenefitPeriod != "", "plan.benefit_period")
	unless(b.NetworkStatus != "", "network_status")
	unless(len(b.Maximums) > 0, "maximums")
	unless(len(b.Deductibles) > 0, "deductibles")
	for _, c := range coverage.Categories() {
		unless(slices.ContainsFunc(b.Coverage, func(x coverage.CategoryCoverage) bool { return x.Category == c }), "coverage."+string(c))
	}
	for i, code := range q.ProcedureCodes {
		returned := slices.ContainsFunc(b.Procedures, func(p coverage.ProcedureBenefit) bool { return p.Code == code })
		unless(returned || slices.Contains(q.ProcedureCodes[:i], code), "procedures."+code)
	}
	r := b.PlanRules
	unless(r.MissingToothClause != "", "plan_rules.missing_tooth_clause")
	unless(r.WaitingPeriod != "", "plan_rules.waiting_period")
	unless(r.PreAuthorization != "", "plan_rules.pre_authorization")
	unless(r.CoordinationOfBenefits != "", "plan_rules.coordination_of_benefits")
	unless(r.MajorServicesPaidOn != "", "plan_rules.major_services_paid_on")
	return out
}
