package sandboxnet

import (
	"strconv"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
)

// The codes of EB that the sandbox's plan uses.
const (
	active       = "1"
	ended        = "6"
	coinsurance  = "A"
	copayment    = "B"
	deductible   = "C"
	description  = "D"
	limitation   = "F"
	notCovered   = "I"
	contact      = "U"
	cannotTell   = "V"
	dental       = "35"
	orthodontics = "38"
	individual   = "IND"
	family       = "FAM"
	planYear     = "22"
	calendarYear = "23"
	yearToDate   = "24"
	remaining    = "29"
	lifetime     = "32"
	lifetimeLeft = "33"
	ppo          = "PR"
	planName     = "Sandbox Dental PPO"
	inNetwork    = "Y"
	outNetwork   = "N"
	highestAge   = "S7"
)

// shares lists the patient's share of each category (EB08), by service type.
// Implants have no service type: they are sent as a procedure.
//
//nolint:gochecknoglobals // a constant table
var shares = []struct{ serviceType, share string }{
	{"41", "0"},  // preventive
	{"23", "0"},  // diagnostic
	{"25", ".2"}, // restorative: basic
	{"26", ".2"}, // endodontics
	{"24", ".2"}, // periodontics
	{"40", ".2"}, // oral surgery
	{"36", ".5"}, // crowns: major
	{"39", ".5"}, // prosthodontics
	{orthodontics, ".5"},
	{implant.code, ".5"}, // a procedure
}

// activeFull replies with every kind of benefit.
func (a *answer) activeFull() {
	a.membership()
	if a.aboutProcedures() {
		a.add(a.plan(active))
		a.procedures(plan(), a.asked())
		return
	}
	a.add(a.plan(active, "Benefit period is from January 1 to December 31"))
	a.money(limitation, individual, dental, sum{calendarYear, "2000.00"}, sum{remaining, "1640.00"})
	a.money(limitation, family, dental, sum{calendarYear, "4000.00"}, sum{yearToDate, "600.00"})
	a.money(limitation, individual, orthodontics, sum{lifetime, "1500.00"}, sum{lifetimeLeft, "1500.00"})
	a.money(deductible, individual, dental, sum{calendarYear, "50.00"}, sum{yearToDate, "50.00"}, sum{remaining, "0.00"})
	a.money(deductible, family, dental, sum{yearToDate, "100.00"}, sum{remaining, "50.00"})
	a.categories(inNetwork, true)
	a.procedures(plan(), append(a.asked(), listed()...))
	a.add(eligibility.Benefit{
		Code: description, Level: individual, ServiceTypes: []string{dental},
		Messages: []string{
			"Missing tooth clause applies",
			"Waiting period 12 months for major services",
			"Pre-authorization is recommended for services over 300.00",
			"Coordination of benefits is non-duplication, birthday rule",
			"Major services are paid on the preparation date",
			"Benefits are not a guarantee of payment",
			"This is an answer of the sandbox about no real plan",
		},
	})
}

// activeBasic replies with the plan and the shares only.
func (a *answer) activeBasic() {
	b := a.plan(active)
	b.InNetwork = ""
	a.add(b)
	if !a.aboutProcedures() {
		a.categories("", false)
	}
}

// activeUsedUp replies with a plan whose maximum is spent. It lists a procedure
// that is not due yet, one that is downgraded, one for younger patients, and
// one that is not covered.
func (a *answer) activeUsedUp() {
	a.membership()
	rules := a.problemPlan()
	if a.aboutProcedures() {
		a.add(a.plan(active))
		a.procedures(rules, a.asked())
		return
	}
	a.add(a.plan(active, "Benefit period is from January 1 to December 31"))
	a.money(limitation, individual, dental, sum{calendarYear, "1500.00"}, sum{remaining, "0.00"})
	a.money(deductible, individual, dental, sum{calendarYear, "50.00"}, sum{remaining, "0.00"})
	a.categories(inNetwork, false)
	codes := a.asked()
	for _, p := range rules[:listedProblems] {
		codes = append(codes, p.code)
	}
	a.procedures(rules, codes)
	a.add(eligibility.Benefit{
		Code: description, Level: individual, ServiceTypes: []string{dental},
		Messages: []string{"The annual maximum has been met"},
	})
}

// inactive replies with a plan that ended two months before the service date.
func (a *answer) inactive() {
	a.membership()
	firstOfMonth := billing.Date{Year: a.date.Year, Month: a.date.Month, Day: 1}
	p := a.reply.Patient()
	p.Dates = append(p.Dates, eligibility.On("357", firstOfMonth.AddMonths(-1).AddDays(-1)))
	b := a.plan(ended, "Coverage has ended")
	b.InNetwork = ""
	a.add(b)
}

// unknown replies that the payer has no benefits here, and asks for a call.
func (a *answer) unknown() {
	a.add(eligibility.Benefit{Code: cannotTell, Level: individual, ServiceTypes: []string{dental}})
	a.add(eligibility.Benefit{
		Code: contact, Level: individual, ServiceTypes: []string{dental}, Messages: []string{"Call the payer for benefits"},
		Related: []eligibility.Party{{Name: a.inquiry.Payer.Name, Contacts: []eligibility.Contact{help()}}},
	})
}

func (a *answer) add(b eligibility.Benefit) {
	p := a.reply.Patient()
	p.Benefits = append(p.Benefits, b)
}

// membership adds the group, the date on which coverage began (ten years ago,
// or at birth), and whether the patient is the subscriber.
func (a *answer) membership() {
	holder, p := &a.reply.Subscriber.Party, a.reply.Patient()
	if holder.Reference("6P") == "" {
		holder.References = append(holder.References, eligibility.Reference{Qualifier: "6P", Value: "SANDBOX-100", Description: "Sandbox Group"})
	}
	a.insured()
	begin := billing.Date{Year: a.date.Year, Month: 1, Day: 1}.AddMonths(-120)
	if begin.Before(p.BirthDate) {
		begin = p.BirthDate
	}
	p.Dates = append(p.Dates, eligibility.On("356", begin))
}

// insured says whether the patient is the subscriber.
func (a *answer) insured() {
	p := a.reply.Patient()
	if p.Insured, p.Relationship = "Y", "18"; a.inquiry.Dependent != nil {
		p.Insured, p.Relationship = "N", a.inquiry.Dependent.Relationship
	}
}

func (a *answer) plan(status string, messages ...string) eligibility.Benefit {
	return eligibility.Benefit{
		Code: status, Level: individual, ServiceTypes: []string{dental}, InsuranceType: ppo, Plan: planName,
		InNetwork: inNetwork, Messages: messages,
	}
}

// sum is an amount (EB07) and its period (EB06).
type sum struct{ period, amount string }

// money adds a row for each sum.
func (a *answer) money(code, level, serviceType string, sums ...sum) {
	for _, s := range sums {
		a.add(eligibility.Benefit{
			Code: code, Level: level, ServiceTypes: []string{serviceType}, Period: s.period, Amount: s.amount, InNetwork: inNetwork,
		})
	}
}

// categories adds the patient's share of each category and, in detail, how
// often check-ups are paid for.
func (a *answer) categories(network string, inDetail bool) {
	for _, c := range shares {
		b := eligibility.Benefit{Code: coinsurance, Level: individual, Percent: c.share, InNetwork: network}
		if c.serviceType == implant.code {
			b.Procedure = eligibility.Procedure{Qualifier: "AD", Code: implant.code}
		} else {
			b.ServiceTypes = []string{c.serviceType}
		}
		if inDetail && c.share == "0" {
			b.Deliveries = []eligibility.Delivery{visits(2, calendarYear, 1)}
			b.Messages = []string{"Deductible waived"}
		}
		a.add(b)
	}
}

// visits returns a limit of count visits in n periods.
func visits(count int, period string, n int) eligibility.Delivery {
	return eligibility.Delivery{Quantifier: "VS", Quantity: strconv.Itoa(count), Period: period, Periods: strconv.Itoa(n)}
}
