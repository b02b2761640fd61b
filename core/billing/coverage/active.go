package coverage

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// ActivePlan is a plan of a patient that is active by the last answer of its payer. A saved answer
// is none: the payer was not asked.
type ActivePlan struct {
	Check    billing.CheckID
	Payer    directory.PayerSummary
	On       billing.Date // the day that the check asked about
	From, To billing.Date // of the coverage; zero was not returned
	At       time.Time    // when the payer answered
}

// Covers reports whether the answer says that the plan covers the day. A payer says so of the dates that it returns. Where it
// returns none, its answer counts for the month that it was asked about: plans begin and end with months.
func (p *ActivePlan) Covers(day billing.Date) bool {
	month := billing.Date{Year: p.On.Year, Month: p.On.Month, Day: 1}
	from, to := p.From, p.To
	if from.IsZero() {
		from = month
	}
	if to.IsZero() {
		to = month.AddMonths(1).AddDays(-1)
	}
	return !p.On.IsZero() && !day.IsZero() && !day.Before(from) && !to.Before(day)
}

// ShownPlan is an active plan beside that of a claim, as the claim keeps it.
type ShownPlan struct {
	Check billing.CheckID // the last one
	Payer directory.PayerSummary
	On    billing.Date // the day that the check asked about
	Since time.Time    // when a payer first answered so; later checks that say the same do not change it
}

// PayerID returns the payer of the plan; zero for no plan.
func (p *ShownPlan) PayerID() (id billing.PayerID) {
	if p != nil {
		id = p.Payer.ID
	}
	return id
}
