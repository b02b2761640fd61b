package sandboxnet

import (
	"slices"
	"strconv"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

const months = "34"

// procedure is the plan's rule for a procedure.
type procedure struct {
	code       string
	notCovered bool
	count      int // visits in n periods; 0 means no limit
	period     string
	n          int
	maxAge     int   // the last age covered; negative means no limit
	history    []int // months before the service date
	done       []billing.Date
	messages   []string
}

// implant is the procedure that represents the category of implants, which has no
// service type.
//
//nolint:gochecknoglobals // a constant; Go has none of struct type
var implant = procedure{code: "D6010", count: 1, period: lifetime, n: 1, maxAge: -1, messages: []string{"Once per tooth"}}

// plan returns the plan's rules for certain procedures; see general for the
// others.
func plan() []procedure {
	return []procedure{
		{code: "D0120", count: 2, period: calendarYear, n: 1, maxAge: -1, history: []int{7}},
		{code: "D0150", count: 1, period: months, n: 36, maxAge: -1, history: []int{38}},
		{code: "D0210", count: 1, period: months, n: 60, maxAge: -1, history: []int{64}},
		{code: "D0274", count: 1, period: months, n: 12, maxAge: -1, history: []int{13}},
		{code: "D1110", count: 2, period: calendarYear, n: 1, maxAge: -1, history: []int{7}},
		{code: "D1206", count: 2, period: calendarYear, n: 1, maxAge: 18},
		{code: "D1351", count: 1, period: months, n: 36, maxAge: 15, messages: []string{"Once per tooth, unfilled permanent molars only"}},
		{code: "D2740", count: 1, period: months, n: 60, maxAge: -1, history: []int{75}, messages: []string{"Limit is per tooth"}},
		{code: "D4341", count: 1, period: months, n: 24, maxAge: -1, history: []int{30}, messages: []string{"Limit is per quadrant"}},
		{code: "D4910", count: 2, period: calendarYear, n: 1, maxAge: -1},
		implant,
		{code: "D8080", count: 1, period: lifetime, n: 1, maxAge: 19},
	}
}

// listed returns the procedures that a reply lists even if the inquiry names none.
func listed() []string {
	var codes []string
	for _, p := range plan() {
		codes = append(codes, p.code)
	}
	return codes
}

// listedProblems is the number of procedures of problemPlan that a reply always
// lists.
const listedProblems = 4

// problemPlan returns the plan with four procedures that would not be paid as
// billed: a cleaning two months after the last, a filling paid as a cheaper
// one, fluoride for a patient who is too old, and whitening. A reply always
// lists these. Similar procedures have the same problems when asked for.
func (a *answer) problemPlan() []procedure {
	downgraded := func(code, to string) procedure {
		return procedure{code: code, count: 1, period: months, n: 60, maxAge: -1, messages: []string{"Alternate benefit, downgraded to " + to}}
	}
	return append([]procedure{
		{code: "D1110", count: 1, period: months, n: 6, maxAge: -1, history: []int{2}},
		{code: "D2392", count: 1, period: months, n: 24, maxAge: -1, messages: []string{
			"Alternate benefit, downgraded to D2150",
		}},
		{code: "D1206", count: 2, period: calendarYear, n: 1, maxAge: a.ageBelow(18)},
		{code: "D9972", notCovered: true, messages: []string{"Cosmetic services are not covered"}},
		{code: "D0120", count: 1, period: months, n: 6, maxAge: -1, history: []int{2}},
		{code: "D0274", count: 1, period: months, n: 12, maxAge: -1, history: []int{2}},
		downgraded("D2391", "D2140"), downgraded("D2393", "D2160"), downgraded("D2740", "D2791"), downgraded("D2750", "D2791"),
		{code: "D1208", count: 2, period: calendarYear, n: 1, maxAge: a.ageBelow(18)},
		{code: "D1351", count: 1, period: months, n: 36, maxAge: a.ageBelow(15)},
		{code: "D9975", notCovered: true, messages: []string{"Cosmetic services are not covered"}},
	}, plan()...)
}

// ageBelow returns an age limit that the patient exceeds: the usual limit, or
// last year's age for a younger patient.
func (a *answer) ageBelow(usual int) int {
	born := a.inquiry.Patient().BirthDate
	if born.IsZero() {
		return usual
	}
	return max(min(usual, born.AgeOn(a.date)-1), 0)
}

// general returns the rule of a procedure by its category.
func general(code string) procedure {
	p := procedure{code: code, maxAge: -1}
	switch c := categoryOf(code); c {
	case "41", "23":
		p.count, p.period, p.n, p.history = 1, months, 12, []int{14}
	case "25":
		p.count, p.period, p.n, p.history, p.messages = 1, months, 24, []int{30}, []string{"Limit is per tooth"}
	case "24":
		p.count, p.period, p.n, p.history = 1, months, 24, []int{30}
	case "36", "39":
		p.count, p.period, p.n, p.history = 1, months, 60, []int{75}
	case orthodontics:
		p.count, p.period, p.n, p.maxAge = 1, lifetime, 1, 19
	case "26", "40", implant.code:
		p.count, p.period, p.n, p.messages = 1, lifetime, 1, []string{"Limit is per tooth"}
	}
	return p
}

// categoryOf returns the service type of a code, as in shares, by its leading
// digits.
func categoryOf(code string) string {
	switch {
	case code < "D1000":
		return "23"
	case code < "D2000":
		return "41"
	case code < "D2400":
		return "25"
	case code < "D3000":
		return "36"
	case code < "D4000":
		return "26"
	case code < "D5000":
		return "24"
	case code < "D6000":
		return "39"
	case code < "D6200":
		return implant.code
	case code < "D7000":
		return "39"
	case code < "D8000":
		return "40"
	case code < "D9000":
		return orthodontics
	default:
		return "28" // adjunctive
	}
}

// asked returns the procedures in the inquiry, each once.
func (a *answer) asked() []string {
	var codes []string
	for _, q := range a.inquiry.Queries {
		if c := q.Procedure.Code; coverage.ValidProcedureCode(c) && !slices.Contains(codes, c) {
			codes = append(codes, c)
		}
	}
	return codes
}

// aboutProcedures reports whether the inquiry asks only about procedures.
func (a *answer) aboutProcedures() bool {
	for _, q := range a.inquiry.Queries {
		if len(q.ServiceTypes) > 0 {
			return false
		}
	}
	return len(a.asked()) > 0
}

// procedures adds the rules of the codes, each once, in their order. The first
// entry of a code counts.
func (a *answer) procedures(entries []procedure, codes []string) {
	for i, code := range codes {
		if slices.Contains(codes[:i], code) {
			continue
		}
		at := slices.IndexFunc(entries, func(p procedure) bool { return p.code == code })
		if at < 0 {
			a.procedure(general(code))
		} else {
			a.procedure(entries[at])
		}
	}
}

// procedure adds the EBs of one: the patient's share, the limits of visits, the
// last visit, and the age limit.
func (a *answer) procedure(p procedure) {
	row := func(code string) eligibility.Benefit {
		return eligibility.Benefit{
			Code: code, Level: individual, InNetwork: inNetwork, Procedure: eligibility.Procedure{Qualifier: "AD", Code: p.code},
		}
	}
	if p.notCovered {
		b := row(notCovered)
		b.Messages = p.messages
		a.add(b)
		return
	}
	if p.code != implant.code || a.aboutProcedures() { // otherwise categories has added the share
		b := row(coinsurance)
		b.Percent = shareOf(p.code)
		a.add(b)
	}
	if p.count > 0 {
		b := row(limitation)
		b.Deliveries = []eligibility.Delivery{visits(p.count, p.period, p.n)}
		for _, m := range p.history {
			if day := a.date.AddMonths(-m); !day.Before(a.inquiry.Patient().BirthDate) {
				b.Dates = append(b.Dates, eligibility.On("304", day))
			}
		}
		for _, day := range p.done {
			b.Dates = append(b.Dates, eligibility.On("304", day))
		}
		b.Messages = p.messages
		a.add(b)
	}
	if p.maxAge >= 0 {
		b := row(limitation)
		b.QuantityQualifier, b.Quantity = highestAge, strconv.Itoa(p.maxAge)
		a.add(b)
	}
}

// shareOf returns the patient's share of the procedure's category. Adjunctive
// services are paid like basic ones.
func shareOf(code string) string {
	category := categoryOf(code)
	for _, s := range shares {
		if s.serviceType == category {
			return s.share
		}
	}
	return ".2"
}
