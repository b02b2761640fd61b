package coverage

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Standing is where an answer leaves the patient, in a word.
type Standing string

// The standings.
const (
	StandingCovered    Standing = "covered"     // and the payer returned nothing that limits it now
	StandingLimited    Standing = "limited"     // covered, with a limit that the patient should hear of first
	StandingNotCovered Standing = "not_covered" // on the service date
	StandingNotKnown   Standing = "not_known"   // the payer does not say, refused the check, or did not respond
)

// Verdict is what a check comes to, in plain words that can be said to the patient. They are
// our own: no text of a payer and no name of a person is in them, and a code only where we
// have no name for it.
type Verdict struct {
	Standing Standing
	Text     string   // the state and the worst of what is known, such as "Covered. The deductible is met."
	Also     []string // more sentences, the worse first
}

// verdict returns the verdict of a completed check with the benefits that it was answered
// with; nil without an answer.
func (c *Check) verdict(b *Benefits) *Verdict {
	on := c.Inquiry.ServiceDate
	switch {
	case c.State != CheckCompleted:
		return nil
	case c.Outcome == OutcomeRejected && c.Rejection != nil && len(c.Rejection.Reasons) > 0:
		r := c.Rejection.Reasons[0]
		if r.Code == ReasonPatientNotEligible {
			return &Verdict{StandingNotCovered, "Not covered. " + r.Message, []string{r.Fix}}
		}
		return &Verdict{StandingNotKnown, "Not known yet. " + r.Message, []string{r.Fix}}
	case c.Outcome == OutcomePayerUnavailable:
		return &Verdict{StandingNotKnown, "Not known yet. The payer is not responding.", nil}
	case b == nil:
		return &Verdict{StandingNotKnown, "Not known yet. The check did not reach the payer.", nil}
	case c.Status == Inactive:
		return &Verdict{StandingNotCovered, "Not covered. " + b.whyInactive(on, c.answeredOn()), nil}
	case c.Status != Active:
		return &Verdict{StandingNotKnown, "Not known. The payer does not say whether the plan covers the patient.", nil}
	}
	answered := c.answeredOn()
	limits, facts := b.limits(c.Inquiry, answered), b.facts(on, answered)
	standing := StandingCovered
	if len(limits) > 0 {
		standing = StandingLimited
	}
	all := append(limits, facts...)
	return &Verdict{standing, "Covered. " + all[0], all[1:]}
}

func (b *Benefits) whyInactive(on, answered billing.Date) string {
	switch from, to := b.CoverageEffectiveDate, b.CoverageTerminationDate; {
	case !to.IsZero() && to.Before(on) && !to.Before(answered):
		return "The plan ends on " + dayWords(to, answered) + ", before the service."
	case !to.IsZero() && to.Before(on):
		return "The plan ended on " + dayWords(to, billing.Date{}) + "."
	case on.Before(from):
		return "The plan begins on " + dayWords(from, on) + "."
	}
	return "The plan does not cover the patient on " + dayWords(on, billing.Date{}) + "."
}

// limits returns what the patient should hear of first, the worst first. A yearly maximum that
// begins anew between the answer and the service is no limit.
func (b *Benefits) limits(q Inquiry, answered billing.Date) (out []string) {
	on := q.ServiceDate
	general := b.general(b.Maximums, on)
	for _, m := range general {
		if usedUp(m) && b.anewBetween(m, answered, on).IsZero() {
			out = append(out, "The "+amountWords(m, "maximum")+" is used up"+b.until(m, on)+".")
		}
	}
	if b.endsSoon(on) && !b.endsWithYear() {
		out = append(out, "The plan ends on "+dayWords(b.CoverageTerminationDate, on)+".")
	}
	out = append(out, b.askedLimits(q)...)
	out = append(out, b.waits(on)...)
	if b.NetworkStatus == OutOfNetwork {
		out = append(out, "The office is out of the plan's network.")
	}
	others := false
	for _, m := range b.Maximums {
		switch c := Category(strings.ToLower(m.AppliesTo)); {
		case !usedUp(m) || slices.Contains(general, m) || b.elsewhere(m, on) || !b.anewBetween(m, answered, on).IsZero():
		case slices.Contains(Categories(), c):
			out = append(out, "The "+amountWords(m, "maximum")+" for "+c.Words()+" is used up"+b.until(m, on)+".")
		case !others:
			others = true
			out = append(out, "A maximum for some services is used up"+b.until(m, on)+".")
		}
	}
	return out
}

// endsSoon reports whether the plan ends within 30 days after the service date.
func (b *Benefits) endsSoon(on billing.Date) bool {
	to := b.CoverageTerminationDate
	return !to.IsZero() && to.Before(on.AddDays(31))
}

// endsWithYear reports whether the plan ends with the calendar year, as payers write it for
// plans that go on.
func (b *Benefits) endsWithYear() bool {
	to := b.CoverageTerminationDate
	return to.Month == time.December && to.Day == 31
}

// waits returns from when the plan pays for the categories that wait, the earliest first.
func (b *Benefits) waits(on billing.Date) (out []string) {
	from := map[billing.Date][]string{}
	for _, w := range b.WaitingPeriods {
		until := w.Until
		if until.IsZero() && w.Months > 0 && !b.CoverageEffectiveDate.IsZero() {
			until = b.CoverageEffectiveDate.AddMonths(w.Months)
		}
		if on.Before(until) {
			from[until] = append(from[until], w.Category.Words())
		}
	}
	for _, until := range slices.SortedFunc(maps.Keys(from), billing.Date.Compare) {
		out = append(out, "From "+dayWords(until, on)+" on, the plan pays for "+listWords(from[until])+".")
	}
	return out
}

// askedLimits returns what limits the procedures that the check asked for. Those that a plan
// lists without being asked are too many to say.
func (b *Benefits) askedLimits(q Inquiry) (out []string) {
	names := map[string][]string{} // by the sentence that has them at its %
	for i := range b.Procedures {
		if p := &b.Procedures[i]; q.Asks(p.Code) {
			sentence := p.limit(q.ServiceDate)
			names[sentence] = append(names[sentence], cmp.Or(ProcedureName(p.Code), p.Code))
		}
	}
	delete(names, "")
	for _, begin := range []string{"The plan does not pay for", "At", "The plan does not pay yet", "From", "For"} {
		for _, sentence := range slices.Sorted(maps.Keys(names)) {
			if strings.HasPrefix(sentence, begin) {
				out = append(out, strings.Replace(sentence, "%", listWords(names[sentence]), 1))
			}
		}
	}
	return out
}

// limit returns what limits the procedure on a day, as a sentence with a % for its name; empty
// for nothing.
func (p *ProcedureBenefit) limit(on billing.Date) string {
	switch p.Status {
	case ProcedureNotCovered:
		return "The plan does not pay for %."
	case ProcedureAgeLimit:
		return "At the patient's age, the plan does not pay for %."
	case ProcedureNotDueYet:
		if on.Before(p.NextEligibleDate) {
			return "From " + dayWords(p.NextEligibleDate, on) + " on, the plan pays for %."
		}
		return "The plan does not pay yet for %."
	case ProcedureDowngraded:
		return "For %, the plan pays only as much as for a cheaper service."
	case ProcedureCoveredNow:
	}
	return ""
}

// listWords returns words as a sentence lists them, such as "a, b and c".
func listWords(all []string) string {
	last := len(all) - 1
	if last < 1 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// facts returns what is left and what is met. Without a limit it is never empty.
func (b *Benefits) facts(on, answered billing.Date) (out []string) {
	least := b.least(on)
	anew := func(m BenefitAmount, kind string) string {
		day := b.anewBetween(m, answered, on)
		switch {
		case b.mayBeAnew(m, answered, on):
			return "The payer does not say whether the " + amountWords(m, kind) + " begins anew before the service."
		case day.IsZero():
			return ""
		}
		return "The " + amountWords(m, kind) + " begins anew on " + dayWords(day, billing.Date{}) + ", before the service."
	}
	switch {
	case least != nil && anew(*least, "maximum") != "":
		out = append(out, anew(*least, "maximum"))
	case least == nil:
		out = append(out, "The payer does not say how much of the maximum is left.")
	case least.Remaining == nil:
		out = append(out, "The "+amountWords(*least, "maximum")+" is "+least.Amount.Dollars()+". The payer does not say how much of it is left.")
	case *least.Remaining > 0:
		out = append(out, least.Remaining.Dollars()+" of the "+amountWords(*least, "maximum")+" is left.")
	}
	for _, d := range b.general(b.Deductibles, on) {
		if d.Period == PeriodLifetime || d.Remaining == nil || d.Amount != nil && *d.Amount == 0 {
			continue
		}
		switch {
		case anew(d, "deductible") != "":
			out = append(out, anew(d, "deductible"))
		case *d.Remaining > 0:
			out = append(out, d.Remaining.Dollars()+" of the "+amountWords(d, "deductible")+" is left to pay.")
		default:
			out = append(out, "The "+amountWords(d, "deductible")+" is met.")
		}
	}
	var not []string
	for _, c := range b.Coverage {
		if c.Covered != nil && !*c.Covered {
			not = append(not, c.Category.Words())
		}
	}
	if len(not) > 0 {
		out = append(out, "The plan does not pay for "+listWords(not)+".")
	}
	if b.endsSoon(on) && b.endsWithYear() {
		out = append(out, "The plan ends on "+dayWords(b.CoverageTerminationDate, on)+".")
	}
	return out
}

// least returns the yearly maximum of which the least is left: the patient's own, or the
// family's if less of that is left; a plan without one may have one for life. Nil was not returned.
func (b *Benefits) least(on billing.Date) (found *BenefitAmount) {
	for _, m := range b.general(b.Maximums, on) {
		switch {
		case m.Amount == nil && m.Remaining == nil || m.Amount != nil && *m.Amount == 0:
		case found == nil:
			found = &m
		case m.Period == PeriodLifetime && found.Period != PeriodLifetime:
		case m.Remaining != nil && found.Remaining != nil && *m.Remaining < *found.Remaining:
			found = &m
		}
	}
	return found
}

// general returns the amounts that count for all services on a day, in the network that the
// payer says, the patient's before the family's and a year's before a lifetime's.
func (b *Benefits) general(rows []BenefitAmount, on billing.Date) (out []BenefitAmount) {
	for _, m := range rows {
		words := strings.ToLower(m.AppliesTo)
		theirs := words == "in network" && b.NetworkStatus == InNetwork || words == "out of network" && b.NetworkStatus == OutOfNetwork
		if words == "" || theirs || periodWords.MatchString(words) && !b.elsewhere(m, on) {
			out = append(out, m)
		}
	}
	rank := func(m BenefitAmount) (n int) {
		if m.Period == PeriodLifetime {
			n += 2
		}
		if m.Level == LevelFamily {
			n++
		}
		return n
	}
	slices.SortStableFunc(out, func(x, y BenefitAmount) int { return rank(x) - rank(y) })
	return out
}

// periodWords finds a benefit period in words, such as "PLAN YEAR FROM 2025-07-01 TO 2026-06-30".
var periodWords = regexp.MustCompile(`(?i)(\d{4}-\d{2}-\d{2})\s+to\s+(\d{4}-\d{2}-\d{2})`)

// period reads a benefit period in words; zero for none.
func period(words string) (from, to billing.Date) {
	if m := periodWords.FindStringSubmatch(words); m != nil {
		from, _ = billing.ParseDate(m[1])
		to, _ = billing.ParseDate(m[2])
	}
	return from, to
}

// elsewhere reports whether an amount is of another benefit period than the day's, or of the
// other network.
func (b *Benefits) elsewhere(m BenefitAmount, on billing.Date) bool {
	from, to := period(m.AppliesTo)
	other := map[string]NetworkStatus{"in network": OutOfNetwork, "out of network": InNetwork}[strings.ToLower(m.AppliesTo)]
	return on.Before(from) || !to.IsZero() && to.Before(on) || other != "" && other == b.NetworkStatus
}

// usedUp reports whether nothing is left of a maximum. Some payers send an amount of 0 for a
// plan without a maximum, which says nothing.
func usedUp(m BenefitAmount) bool {
	return m.Remaining != nil && *m.Remaining <= 0 && (m.Amount == nil || *m.Amount > 0)
}

// until returns when a used-up maximum begins anew, such as " until January 1"; empty for a
// lifetime's, and " for this benefit year" if the payer does not say when that ends.
func (b *Benefits) until(m BenefitAmount, on billing.Date) string {
	if m.Period == PeriodLifetime {
		return ""
	}
	if day := b.anew(m, on); !day.IsZero() {
		return " until " + dayWords(day, on)
	}
	return " for this benefit year"
}

// anew returns the first day of the benefit period after the one that a day is in; zero if the payer
// does not say when that ends, and for a lifetime's amount.
func (b *Benefits) anew(m BenefitAmount, on billing.Date) billing.Date {
	_, to := period(m.AppliesTo)
	if _, plans := period(b.Plan.BenefitPeriod); to.IsZero() && !plans.Before(on) {
		to = plans
	}
	from := b.YearFrom(on)
	if from.IsZero() && m.Period == PeriodCalendarYear {
		from = billing.Date{Year: on.Year, Month: time.January, Day: 1}
	}
	switch {
	case m.Period == PeriodLifetime || to.IsZero() && from.IsZero():
		return billing.Date{}
	case !to.IsZero():
		return to.AddDays(1)
	}
	for from = from.AddMonths(12); !on.Before(from); { // a period that the payer named may be an earlier one
		from = from.AddMonths(12)
	}
	return from
}

// anewBetween returns the day on which an amount begins anew after the answer and not after the
// service; zero if it does not. What the payer says of a period in its words is of that period.
func (b *Benefits) anewBetween(m BenefitAmount, answered, on billing.Date) billing.Date {
	day := b.anew(m, answered)
	if named, _ := period(m.AppliesTo); day.IsZero() || on.Before(day) || !named.IsZero() {
		return billing.Date{}
	}
	return day
}

// mayBeAnew reports whether nobody knows if an amount begins anew between the answer and a service of another
// calendar year, because the payer does not say when the benefit year begins.
func (b *Benefits) mayBeAnew(m BenefitAmount, answered, on billing.Date) bool {
	return m.Period != PeriodLifetime && on.Year > answered.Year && b.anew(m, answered).IsZero()
}

// amountWords names an amount of a plan: the "year's maximum", the "family's lifetime
// deductible". A yearly deductible is just that.
func amountWords(m BenefitAmount, kind string) string {
	words := kind
	if m.Period == PeriodLifetime {
		words = "lifetime " + kind
	}
	switch {
	case m.Level == LevelFamily && m.Period != PeriodLifetime && kind == "maximum":
		return "family's maximum for the year"
	case m.Level == LevelFamily:
		return "family's " + words
	case m.Period != PeriodLifetime && kind == "maximum":
		return "year's maximum"
	}
	return words
}

// Words returns the category as a sentence has it.
func (c Category) Words() string {
	switch c { //nolint:exhaustive // the others are nouns already
	case CategoryPreventive, CategoryDiagnostic, CategoryBasic, CategoryMajor:
		return string(c) + " services"
	}
	return strings.ReplaceAll(string(c), "_", " ")
}

// dayWords returns a day as people say it: without the year from the day that is spoken of
// until eleven months after it. A visit is checked up to a month ahead, and December 15 would be read as the next one.
func dayWords(day, from billing.Date) string {
	if from.IsZero() || day.Before(from) || !day.Before(from.AddMonths(11)) {
		return day.Time().Format("January 2, 2006")
	}
	return day.Time().Format("January 2")
}

// Summary is what a list of patients says of a check. The amounts are those for the service date: in
// a later benefit period than the answer's, all of the yearly amount is left, as an estimate has it. They are nil
// where the payer did not return them, or when the benefit year begins, and for a patient who is not covered.
type Summary struct {
	Verdict        *Verdict       // nil while the check is pending
	MaximumLeft    *billing.Money // of the patient's general maximum; nil if the payer does not say
	DeductibleLeft *billing.Money // of the patient's general deductible
}

// Summary returns what a list says of the check.
func (c *Check) Summary() (s Summary) {
	b, _ := c.Answer() // without benefits that can be read, the verdict says so
	if s.Verdict = c.verdict(b); b == nil || c.Status == Inactive {
		return s
	}
	on, answered := c.Inquiry.ServiceDate, c.answeredOn()
	left := func(all []BenefitAmount) *billing.Money {
		for _, a := range b.general(all, on) {
			switch {
			case a.Level != LevelIndividual || a.Period == PeriodLifetime:
			case !b.anewBetween(a, answered, on).IsZero():
				return a.Amount
			case b.mayBeAnew(a, answered, on):
				return nil
			case a.Remaining != nil:
				return a.Remaining
			}
		}
		return nil
	}
	s.MaximumLeft, s.DeductibleLeft = left(b.Maximums), left(b.Deductibles)
	return s
}
