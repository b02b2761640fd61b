package sandboxnet

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// The codes and words of a plan. Implants have no service type: they are a class, under
// prosthodontics.
//
//nolint:gochecknoglobals // constant tables
var (
	serviceTypes = map[coverage.Category]string{
		coverage.CategoryPreventive: "41", coverage.CategoryDiagnostic: "23", coverage.CategoryBasic: "25", coverage.CategoryEndodontics: "26",
		coverage.CategoryPeriodontics: "24", coverage.CategoryOralSurgery: "40", coverage.CategoryMajor: "36",
		coverage.CategoryProsthodontics: "39", coverage.CategoryOrthodontics: orthodontics, coverage.CategoryImplants: implant.code,
	}
	statusCodes  = map[coverage.Status]string{coverage.Active: active, coverage.Inactive: ended, coverage.Unknown: cannotTell}
	networkCodes = map[coverage.NetworkStatus]string{coverage.InNetwork: "Y", coverage.OutOfNetwork: "N", coverage.NetworkUnknown: "U"}
	planTypes    = map[string]string{
		"COMMERCIAL": "C1", "EPO": "EP", "GROUP POLICY": "GP", "HMO": "HM", "INDEMNITY": "IN", "INDIVIDUAL POLICY": "IP",
		"MEDICAID": "MC", "PPO": ppo, "POS": "PS",
	}
	periodCodes = map[string]string{
		"calendar_year": calendarYear, "plan_year": planYear, "lifetime": lifetime,
		"day": "7", "week": "35", "month": months, "year": "21", "plan year": planYear, "calendar year": calendarYear, "visit": "27",
	}
)

// class begins the message with which a payer names a class instead of a service type.
const class = "BENEFITCLASS="

// planned replies with what the plan says on the day of the check.
func (a *answer) planned(plan *scenario.Plan) {
	b, waits, _ := plan.On(a.today())
	if a.aboutProcedures() { // another question of a check, whose first one gets the rest
		asked := slices.DeleteFunc(b.Procedures, func(p coverage.ProcedureBenefit) bool { return !slices.Contains(a.asked(), p.Code) })
		b = &coverage.Benefits{Status: b.Status, Plan: b.Plan, NetworkStatus: b.NetworkStatus, Procedures: asked}
		waits = slices.DeleteFunc(waits, func(w scenario.Wait) bool { return w.Until.IsZero() })
	}
	a.covers(b)
	inside, outside := "", cmp.Or(b.OutOfNetwork, &coverage.OutsideNetwork{})
	if b.OutOfNetwork != nil {
		inside = inNetwork
	}
	a.planAmounts(limitation, inside, b.Maximums)
	a.planAmounts(deductible, inside, b.Deductibles)
	a.planAmounts(limitation, outNetwork, outside.Maximums)
	a.planAmounts(deductible, outNetwork, outside.Deductibles)
	begins := map[string]billing.Date{} // by service type
	for _, w := range waits {
		begins[serviceTypes[w.Category]] = w.Until
	}
	for _, c := range b.Coverage {
		t := serviceTypes[c.Category]
		a.service(within(inside, rowOf(t)), asProcedure(&c), begins[t], unsaid(c.Notes))
	}
	for _, c := range outside.Coverage {
		a.service(within(outNetwork, rowOf(serviceTypes[c.Category])), asProcedure(&c), billing.Date{}, slices.Clone(c.Notes))
	}
	for i := range b.Procedures {
		p := &b.Procedures[i]
		begin := begins[categoryOf(p.Code)]
		if p.Status == coverage.ProcedureNotDueYet && p.Frequency != nil && p.Frequency.Scope != "" && begin.Before(p.NextEligibleDate) {
			begin = p.NextEligibleDate // a limit per tooth leaves other teeth covered
		}
		a.service(within(inside, func(code string) eligibility.Benefit {
			return eligibility.Benefit{Code: code, Level: individual, Procedure: eligibility.Procedure{Qualifier: "AD", Code: p.Code}}
		}), p, begin, messagesOf(p, begin))
	}
	if !a.aboutProcedures() {
		a.says(rowOf(dental)(description), slices.Concat(rulesOf(b, waits), b.PayerNotes))
	}
}

// today returns the day of the check at the office. It is the day before that of UTC if the
// check is about services of that day.
func (a *answer) today() billing.Date {
	day := billing.DateOf(a.inquiry.CreatedAt)
	if before := day.AddDays(-1); a.date == before {
		return before
	}
	return day
}

// covers adds the people, the dates, and the status with the plan's names and the network.
func (a *answer) covers(b *coverage.Benefits) {
	a.insured()
	holder, p := &a.reply.Subscriber.Party, a.reply.Patient()
	holder.References = slices.DeleteFunc(slices.Clone(holder.References), func(r eligibility.Reference) bool { return r.Qualifier == "6P" })
	if b.Plan.GroupNumber != "" {
		holder.References = append(holder.References, eligibility.Reference{Qualifier: "6P", Value: b.Plan.GroupNumber})
	}
	if day := b.CoverageEffectiveDate; !day.IsZero() {
		p.Dates = append(p.Dates, eligibility.On("356", day))
	}
	if day := b.CoverageTerminationDate; !day.IsZero() {
		p.Dates = append(p.Dates, eligibility.On("357", day))
	}
	status := rowOf(dental)(statusCodes[b.Status])
	status.Plan, status.InsuranceType = b.Plan.Name, cmp.Or(planTypes[strings.ToUpper(b.Plan.Type)], b.Plan.Type)
	if period := b.Plan.BenefitPeriod; period != "" && period != string(b.YearOfAmounts()) {
		from, to, _ := strings.Cut(period, " to ")
		begin, err := billing.ParseDate(from)
		end, endErr := billing.ParseDate(to)
		switch {
		case err == nil && endErr == nil:
			status.Dates = []eligibility.Date{{Qualifier: "292", Format: "RD8", Value: begin.X12() + "-" + end.X12()}}
		case strings.Contains(strings.ToUpper(period), " TO "):
			status.Messages = []string{"Benefit period is from " + period}
		default:
			status.Messages = []string{"Benefit period is " + period}
		}
	}
	network := networkCodes[b.NetworkStatus]
	if stated := network == "Y" || network == "N"; stated && b.Status != coverage.Unknown {
		status.InNetwork, network = network, ""
	}
	a.add(status)
	if network != "" {
		other := rowOf(dental)(description)
		other.InNetwork = network
		a.add(other)
	}
}

// rowOf returns what makes the EBs of a service type.
func rowOf(serviceType string) func(code string) eligibility.Benefit {
	return func(code string) eligibility.Benefit {
		if serviceType == implant.code {
			return eligibility.Benefit{Code: code, Level: individual, ServiceTypes: []string{"39"}, Messages: []string{class + "IMPLANTS"}}
		}
		return eligibility.Benefit{Code: code, Level: individual, ServiceTypes: []string{serviceType}}
	}
}

// within puts EBs in a network; an empty one is not stated.
func within(network string, row func(code string) eligibility.Benefit) func(code string) eligibility.Benefit {
	return func(code string) eligibility.Benefit {
		b := row(code)
		b.InNetwork = network
		return b
	}
}

// asProcedure returns what a category says in the form of a procedure.
func asProcedure(c *coverage.CategoryCoverage) *coverage.ProcedureBenefit {
	return &coverage.ProcedureBenefit{PercentPaid: c.PercentPaid, Covered: c.Covered, Copay: c.Copay, Frequency: c.Frequency}
}

// cutNetwork returns what an amount of a plan with two networks applies to without the network
// that it names, and that network (EB12) or else the one given.
func cutNetwork(applies, network string) (rest, stated string) {
	for words, code := range map[string]string{"in network": inNetwork, "out of network": outNetwork} {
		if cut, ok := strings.CutSuffix(strings.ToLower(applies), words); ok && (cut == "" || strings.HasSuffix(cut, ", ")) {
			return strings.TrimSuffix(applies[:len(cut)], ", "), code
		}
	}
	return applies, network
}

var restated = regexp.MustCompile(`(?i)^(?:out of network: ?)?(?:co-payment [0-9.]+|[0-9.]+ percent)$`)

// unsaid returns the notes of a category but those that a check writes of other fields.
func unsaid(notes []string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(n string) bool {
		return restated.MatchString(n)
	})
}

// planAmounts adds a row for each figure of the amounts of a network. EB05 says which one it is.
func (a *answer) planAmounts(code, network string, all []coverage.BenefitAmount) {
	for _, m := range all {
		applies, within := m.AppliesTo, network
		if network != "" {
			applies, within = cutNetwork(m.AppliesTo, network)
		}
		t := serviceTypes[coverage.Category(strings.ToLower(applies))]
		row := rowOf(cmp.Or(t, dental))(code)
		row.InNetwork = within
		if t == "" && applies != "" {
			row.Messages = []string{class + applies}
		}
		row.Level = map[coverage.BenefitLevel]string{coverage.LevelIndividual: individual, coverage.LevelFamily: family}[m.Level]
		row.Period = periodCodes[string(m.Period)]
		for _, figure := range []struct {
			what   string
			amount *billing.Money
		}{{"", m.Amount}, {"USED", m.Used}, {"REMAINING", m.Remaining}} {
			if figure.amount != nil {
				row.Plan, row.Amount = figure.what, figure.amount.String()
				a.add(row)
			}
		}
	}
}

// service adds the EBs of a category or a procedure: the patient's share, the limits, and
// what the payer says in words. Benefits may begin on a later day.
func (a *answer) service(row func(code string) eligibility.Benefit, p *coverage.ProcedureBenefit, begin billing.Date, messages []string) {
	switch {
	case p.PercentPaid != nil:
		b := row(coinsurance)
		share := strconv.FormatFloat(math.Round(10_000-*p.PercentPaid*100)/10_000, 'f', -1, 64)
		if b.Percent = strings.TrimPrefix(share, "0."); b.Percent != share {
			b.Percent = "." + b.Percent
		}
		if !begin.IsZero() {
			b.Dates = []eligibility.Date{eligibility.On("348", begin)}
		}
		if a.add(b); *p.PercentPaid > 0 && categoryOf(p.Code) == implant.code { // a share alone would be that of all implants
			a.add(within("", row)(active))
		}
	case p.Covered != nil && *p.Covered && p.Copay == nil: // a status with a network would be that of the office
		a.add(within("", row)(active))
	case p.Covered != nil && !*p.Covered:
		a.add(row(notCovered))
	}
	if p.Copay != nil {
		b := row(copayment)
		b.Amount = p.Copay.String()
		a.add(b)
	}
	if f := p.Frequency; f != nil || !p.LastServiceDate.IsZero() {
		b := row(limitation)
		if f != nil {
			b.Deliveries = []eligibility.Delivery{often(f)}
		}
		if f != nil && f.Scope != "" {
			said := "Limit is " + f.Scope
			if i := slices.IndexFunc(messages, func(m string) bool { return strings.Contains(strings.ToLower(m), f.Scope) }); i >= 0 {
				said = messages[i]
				messages = slices.Delete(messages, i, i+1)
			}
			b.Messages = append(b.Messages, said)
		}
		if !p.LastServiceDate.IsZero() {
			b.Dates = []eligibility.Date{eligibility.On("304", p.LastServiceDate)}
		}
		a.add(b)
		if f != nil && f.Used != nil {
			used := row(limitation)
			used.Period, used.QuantityQualifier, used.Quantity = yearToDate, "VS", strconv.Itoa(*f.Used)
			a.add(used)
		}
	}
	if p.MaxAge != nil {
		b := row(limitation)
		b.QuantityQualifier, b.Quantity = highestAge, strconv.Itoa(*p.MaxAge)
		a.add(b)
	}
	a.says(row(description), messages)
}

// often returns the frequency as a delivery.
func often(f *coverage.Frequency) eligibility.Delivery {
	n, unit := 1, f.Period
	if number, name, ok := strings.Cut(f.Period, " "); ok {
		n, _ = strconv.Atoi(number)
		unit = strings.TrimSuffix(name, "s")
	}
	return visits(*f.Count, periodCodes[unit], n)
}

// mostMessages is the number of MSGs that the guide allows under an EB, less one for a class.
const mostMessages = 9

// says adds the messages in rows like the one given.
func (a *answer) says(row eligibility.Benefit, messages []string) {
	for some := range slices.Chunk(messages, mostMessages) {
		b := row
		b.Messages = slices.Concat(row.Messages, some)
		a.add(b)
	}
}

// messagesOf returns what a payer says in words about a procedure whose benefits may begin
// on a later day.
func messagesOf(p *coverage.ProcedureBenefit, begin billing.Date) []string {
	messages := unsaid(partsOf(p.Note))
	says := func(words string) bool { return strings.Contains(strings.ToUpper(p.Note), strings.ToUpper(words)) }
	switch to := p.AlternateCode; {
	case to != "" && (!says(to) || !says("downgrade")):
		messages = append(messages, "Alternate benefit, downgraded to "+to)
	case to == "" && p.Status == coverage.ProcedureDowngraded && !says("downgrade") && !says("alternate benefit") && !says("least"):
		messages = append(messages, "Alternate benefit applies")
	}
	next, computed := p.NextEligibleDate, p.Frequency.Renewed(p.LastServiceDate)
	if said := "Next eligible " + next.String(); !next.IsZero() && next != begin && next != computed && !says(said) {
		messages = append(messages, said)
	}
	return messages
}

// partsOf returns the messages that a reply has joined.
func partsOf(text string) []string {
	return slices.DeleteFunc(strings.Split(text, ";"), billing.Blank)
}

// rulesOf returns the plan's rules as messages. A rule that does not name its subject gets
// it as its first words.
func rulesOf(b *coverage.Benefits, waits []scenario.Wait) (messages []string) {
	for _, rule := range []struct {
		text, subject string
		words         []string // any of which names it
	}{
		{b.PlanRules.MissingToothClause, "Missing tooth clause", []string{"MISSING TOOTH", "MISSING TEETH"}},
		{b.PlanRules.WaitingPeriod, "Waiting period", []string{"WAIT PERIOD", "WAITING PERIOD"}},
		{b.PlanRules.PreAuthorization, "Pre-authorization", []string{"PRE-AUTHORI", "PREAUTHORI", "PRIOR AUTHORI", "PREDETERMIN", "PRE-DETERMIN"}},
		{b.PlanRules.CoordinationOfBenefits, "Coordination of benefits", []string{"COORDINATION OF BENEFITS", "DUPLICATION", "BIRTHDAY RULE"}},
	} {
		for _, m := range partsOf(rule.text) {
			if !slices.ContainsFunc(rule.words, func(w string) bool { return strings.Contains(strings.ToUpper(m), w) }) {
				m = rule.subject + " " + m
			}
			messages = append(messages, m)
		}
	}
	switch b.PlanRules.MajorServicesPaidOn {
	case "prep_date":
		messages = append(messages, "Major services are paid on the preparation date")
	case "seat_date":
		messages = append(messages, "Major services are paid on the seating date")
	}
	for _, w := range waits {
		category := strings.ReplaceAll(string(w.Category), "_", " ")
		if w.Months > 0 {
			messages = append(messages, "Waiting period "+strconv.Itoa(w.Months)+" months for "+category)
		}
		dated := slices.ContainsFunc(b.Coverage, func(c coverage.CategoryCoverage) bool { return c.Category == w.Category && c.PercentPaid != nil })
		if !w.Until.IsZero() && !dated {
			messages = append(messages, "Waiting period for "+category+" until "+w.Until.String())
		}
	}
	return messages
}
