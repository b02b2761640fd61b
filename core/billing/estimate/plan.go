package estimate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Plan is what one plan says about a patient: the answer of a check in the terms of the
// rules.
type Plan struct {
	Status      coverage.Status
	CheckedOn   billing.Date
	Born        billing.Date // of the patient; zero if unknown
	Effective   billing.Date // zero if it was not returned
	Terminates  billing.Date // zero if it was not returned
	InNetwork   bool
	Period      Period
	Deductibles []Limit
	Maximums    []Limit
	General     *Share // for procedures that neither Procedures nor Categories has; nil for none
	Categories  map[coverage.Category]Share
	Procedures  map[string]Share
	Waits       []Wait
	Rules       coverage.PlanRules
	NotReturned []string // paths, as a check lists them
	Unmatched   []string // classes of services, in the payer's words, whose amounts are not used
	// NoWriteOffBeyondLimits lets the office bill its whole fee once the maximum, a
	// frequency or an age limit strikes.
	NoWriteOffBeyondLimits bool
}

// Limit is a deductible or a maximum. A nil amount was not returned.
type Limit struct {
	Level     coverage.BenefitLevel
	Period    coverage.BenefitPeriod
	Amount    *billing.Money
	Remaining *billing.Money
	Category  coverage.Category // empty for all
	Code      string            // of the only procedure that it counts for; empty for all
	Alone     bool              // what it pays does not use the general maximum
	Span      billing.DateSpan  // the benefit period that the payer names for it; zero for none
	Path      string            // in the check, such as "maximums.0"
}

// Share is the coverage of a category or a procedure. A nil value was not returned.
type Share struct {
	Percent          *float64 // the plan's share, 0 to 100
	Covered          *bool
	Copay            *billing.Money // for each unit; nil is none
	DeductibleWaived bool
	Downgraded       bool // to an alternate benefit
	Frequency        *coverage.Frequency
	MaxAge           *int
	LastService      billing.Date
	NextEligible     billing.Date
	LimitedPerPlace  bool // a frequency that counts by tooth, quadrant or arch
	Path             string
}

// Wait is a waiting period. From is the first day of benefits, Months its length from the
// begin of the coverage; either may be zero.
type Wait struct {
	Category coverage.Category
	From     billing.Date
	Months   int
}

// PlanOf reads the plan of an answered check. In says whether the office is in network; nil
// takes what the payer says. For a check without an answer it returns coverage.ErrNotAnswered.
func PlanOf(c *coverage.Check, in *bool) (*Plan, error) {
	b, err := c.Answer()
	if err != nil {
		return nil, err
	}
	_, _, born := c.Inquiry.Person()
	if in != nil { // before the amounts of the other network are left out
		b.NetworkStatus = map[bool]coverage.NetworkStatus{true: coverage.InNetwork, false: coverage.OutOfNetwork}[*in]
	}
	p := FromBenefits(b, billing.DateOf(c.CompletedAt), born)
	return p, nil
}

// FromBenefits returns the plan that benefits of a day describe, for a patient who was born
// on the other day.
func FromBenefits(b *coverage.Benefits, on, born billing.Date) *Plan {
	p := &Plan{
		Status: b.Status, CheckedOn: on, Born: born, Effective: b.CoverageEffectiveDate, Terminates: b.CoverageTerminationDate,
		InNetwork: b.NetworkStatus == coverage.InNetwork, Period: periodOf(b, on), Rules: b.PlanRules, NotReturned: b.NotReturned,
		Categories: map[coverage.Category]Share{}, Procedures: map[string]Share{}, Waits: waitsOf(b.PlanRules.WaitingPeriod),
	}
	p.Deductibles = p.limitsOf("deductibles", b.Deductibles)
	p.Maximums = p.limitsOf("maximums", b.Maximums)
	for _, c := range b.Coverage {
		p.Categories[c.Category] = Share{
			Percent: c.PercentPaid, Covered: c.Covered, Frequency: c.Frequency, Path: "coverage." + string(c.Category),
			DeductibleWaived: slices.ContainsFunc(c.Notes, waives), LimitedPerPlace: c.Frequency != nil && c.Frequency.Scope != "",
		}
	}
	for i := range b.Procedures {
		r := &b.Procedures[i]
		p.Procedures[r.Code] = Share{
			Percent: r.PercentPaid, Covered: r.Covered, Frequency: r.Frequency, MaxAge: r.MaxAge, LastService: r.LastServiceDate,
			NextEligible: r.NextEligibleDate, Downgraded: r.Status == coverage.ProcedureDowngraded, DeductibleWaived: waives(r.Note),
			LimitedPerPlace: r.Frequency != nil && r.Frequency.Scope != "", Path: "procedures." + r.Code,
		}
	}
	return p
}

func waives(note string) bool {
	note = strings.ToUpper(note)
	return strings.Contains(note, "DEDUCTIBLE WAIVED") || strings.Contains(note, "DEDUCTIBLE DOES NOT APPLY") || strings.Contains(note, "NO DEDUCTIBLE")
}

var spanWords = regexp.MustCompile(`(\d{4}-\d{2}-\d{2})\s+(?i:to)\s+(\d{4}-\d{2}-\d{2})`)

// limitsOf reads amounts. It leaves out those of the other network. Those for a class of services in
// the payer's own words, which no line can be matched with, are named; where a plan has no others, what
// it has for a line counts as not returned.
func (p *Plan) limitsOf(path string, rows []coverage.BenefitAmount) (out []Limit) {
	in, unmatched := p.InNetwork, len(p.Unmatched)
	for i, r := range rows {
		l := Limit{Level: r.Level, Period: r.Period, Amount: r.Amount, Remaining: r.Remaining, Path: path + "." + strconv.Itoa(i)}
		words := strings.ToLower(strings.TrimSpace(r.AppliesTo))
		switch span := spanWords.FindStringSubmatch(r.AppliesTo); {
		case words == "":
		case slices.Contains(coverage.Categories(), coverage.Category(words)):
			l.Category = coverage.Category(words)
			l.Alone = l.Category == coverage.CategoryOrthodontics && l.Period == coverage.PeriodLifetime
		case coverage.ValidProcedureCode(r.AppliesTo):
			l.Code = r.AppliesTo
		case words == "out of network" && !in, words == "in network" && in:
		case span != nil:
			l.Span.From, _ = billing.ParseDate(span[1])
			l.Span.To, _ = billing.ParseDate(span[2])
		case words == "out of network", words == "in network":
			continue
		default:
			p.Unmatched = append(p.Unmatched, r.AppliesTo)
			continue
		}
		out = append(out, l)
	}
	if len(out) == 0 && len(p.Unmatched) > unmatched && !p.lacks(path) {
		p.NotReturned = append(slices.Clone(p.NotReturned), path)
	}
	return out
}

var (
	waitFrom   = regexp.MustCompile(`(?i)\b([a-z_ ]+?) from (\d{4}-\d{2}-\d{2})`)
	waitMonths = regexp.MustCompile(`(?i)(\d{1,3}) MONTHS? FOR ([a-z_ ]+?)(?: SERVICES)?$`)
)

// waitsOf reads the waiting periods that a check states in words, such as "WAITING PERIOD
// 12 MONTHS FOR MAJOR SERVICES; major from 2026-12-01". A date wins over months.
func waitsOf(rule string) (out []Wait) {
	dated := map[coverage.Category]bool{}
	for part := range strings.SplitSeq(rule, ";") {
		part = strings.TrimSpace(part)
		if m := waitFrom.FindStringSubmatch(part); m != nil {
			day, err := billing.ParseDate(m[2])
			if c := categoryNamed(m[1]); c != "" && err == nil {
				dated[c] = true
				out = append(out, Wait{Category: c, From: day})
			}
		} else if m := waitMonths.FindStringSubmatch(part); m != nil {
			months, err := strconv.Atoi(m[1])
			if c := categoryNamed(m[2]); c != "" && err == nil {
				out = append(out, Wait{Category: c, Months: months})
			}
		}
	}
	return slices.DeleteFunc(out, func(w Wait) bool { return w.From.IsZero() && dated[w.Category] })
}

func categoryNamed(words string) coverage.Category {
	c := coverage.Category(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(words)), " ", "_"))
	if slices.Contains(coverage.Categories(), c) {
		return c
	}
	return ""
}

func (p *Plan) lacks(path string) bool { return slices.Contains(p.NotReturned, path) }
