package edi

import (
	"slices"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// answer collects the content of the payer's replies to one check.
type answer struct {
	inquiry   coverage.Inquiry
	asked     billing.Date        // the day at the office on which the check was made
	age       int                 // the patient's on the service date; negative if unknown
	member    *eligibility.Member // of the main reply
	holder    *eligibility.Member // the subscriber of the main reply; supplies a dependent's group number
	dependent *eligibility.Member // of the main reply; nil for none
	rows      []*row
	rules     coverage.PlanRules
	waits     []coverage.WaitingPeriod
	notes     []string // messages of the payer that no other field holds
	remarks   []string // facts that have no field

	maximums, deductibles []*sum       // set by benefits
	year                  billing.Date // the first day of the benefit year; set by benefits
	guessed               bool         // the year is that of the amounts, and the payer names none
}

func newAnswer(q network.Inquiry, r *eligibility.Reply, member *eligibility.Member) *answer {
	office := directory.Office{TimeZone: q.Inquiry.Office.TimeZone}
	a := &answer{inquiry: q.Inquiry, asked: office.Today(q.CreatedAt), age: -1, member: member, holder: r.Subscriber, dependent: r.Dependent}
	if _, _, born := q.Inquiry.Person(); !born.IsZero() {
		a.age = born.AgeOn(q.Inquiry.ServiceDate)
	}
	general := &row{Benefit: &eligibility.Benefit{}, notes: slices.Clone(member.Messages)}
	a.takeRules(general)
	a.notes = append(a.notes, general.notes...)
	a.add(member)
	for _, x := range r.Rejections() {
		t := ruleFor(x.Reason, loopOf(x.Loop), q.Inquiry.Patient != nil)
		a.remarks = append(a.remarks, join(" ", "The payer did not respond to part of the request:", t.message, x.Reason))
	}
	return a
}

// add adds the rows of another reply about the same patient. It skips duplicates,
// because some payers return all benefits when asked about one procedure.
func (a *answer) add(m *eligibility.Member) {
	for _, r := range rowsOf(m, a.age) {
		if slices.ContainsFunc(a.rows, func(have *row) bool { return same(have, r) }) {
			continue
		}
		a.takeRules(r)
		a.rows = append(a.rows, r)
	}
}

// same reports whether two EBs have the same content. For speed, it first compares
// the fields that differ most often: each row is compared with all others.
func same(a, b *row) bool {
	return a.code == b.code && a.Code == b.Code && a.Amount == b.Amount && slices.Equal(a.ServiceTypes, b.ServiceTypes) &&
		a.Period == b.Period && a.Level == b.Level && a.Percent == b.Percent && a.InNetwork == b.InNetwork &&
		a.QuantityQualifier == b.QuantityQualifier && a.Quantity == b.Quantity && a.Authorization == b.Authorization &&
		a.InsuranceType == b.InsuranceType && a.Plan == b.Plan &&
		slices.Equal(a.Deliveries, b.Deliveries) && slices.Equal(a.Dates, b.Dates) && slices.Equal(a.Messages, b.Messages) &&
		a.Procedure.Qualifier == b.Procedure.Qualifier && a.Procedure.Code == b.Procedure.Code &&
		slices.Equal(a.Procedure.Modifiers, b.Procedure.Modifiers) && slices.Equal(a.References, b.References) &&
		slices.Equal(a.Information, b.Information) && slices.EqualFunc(a.Related, b.Related, sameParty)
}

func sameParty(a, b eligibility.Party) bool { return a.Name == b.Name }

// benefits builds the benefits. The order of its steps matters: each step removes
// the notes that it uses, and PayerNotes gets the rest.
func (a *answer) benefits() *coverage.Benefits {
	b := &coverage.Benefits{}
	a.plan(b)
	a.maximums, a.deductibles = a.amounts("F"), a.amounts("C")
	b.Maximums, b.Deductibles = list(a.maximums), list(a.deductibles)
	if a.guessed = b.Plan.BenefitPeriod == ""; a.guessed {
		b.Plan.BenefitPeriod = string(b.YearOfAmounts())
	}
	a.year = b.YearFrom(a.inquiry.ServiceDate)
	b.Coverage = a.coverage()
	b.Procedures = a.procedures(b)
	a.waitingPeriods()
	a.authorizations()
	a.otherPayers()
	b.PlanRules, b.WaitingPeriods = a.rules, a.waiting()
	b.OutOfNetwork = a.outside(b)
	b.Differences = a.differences(b.Plan.GroupNumber)
	b.PayerNotes = a.payerNotes()
	b.NotReturned = missing(b, a.inquiry)
	return b
}
