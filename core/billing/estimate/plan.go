package estimate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/fee"
)

// Plan is what one plan says about a patient: the answer of a check in the terms of the
// rules.
type Plan struct {
	Status      coverage.Status
	CheckedOn   billing.Date // the day of the answer
	AskedFor    billing.Date // the day that the payer was asked about; the one of the answer if it is zero
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
	CopayPath        string         // of what has it
	DeductibleWaived bool
	MaximumExempt    bool   // what it pays uses no general maximum
	MaximumSeparate  bool   // what it pays uses a maximum of its own only, which may not be returned
	Downgraded       bool   // to an alternate benefit
	Alternate        string // the code of the procedure that the plan pays instead; empty was not returned
	Frequency        *coverage.Frequency
	FrequencyPath    string
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

// PlansOf reads the plan of a check that was answered on a day, and its other readings. In says
// whether the office is in network; nil takes what the payer says. For a check without an answer
// it returns coverage.ErrNotAnswered.
func PlansOf(c *coverage.Amended, on billing.Date, in *bool) (all []*Plan, err error) {
	readings, err := c.Readings()
	if err != nil {
		return nil, err
	}
	_, _, born := c.Inquiry.Person()
	for _, b := range readings {
		if in != nil { // before the amounts of the other network are left out
			b.NetworkStatus = map[bool]coverage.NetworkStatus{true: coverage.InNetwork, false: coverage.OutOfNetwork}[*in]
		}
		p := FromBenefits(b, on, born)
		p.AskedFor = c.Inquiry.ServiceDate
		all = append(all, p)
	}
	return all, nil
}

// Network returns whether the office is in the plan's network.
func (p *Plan) Network() fee.Network {
	if p.InNetwork {
		return fee.In
	}
	return fee.Out
}

// SaidOf returns what people added to the check.
func SaidOf(c *coverage.Amended) (out []Said) {
	for _, a := range c.Additions {
		if a.StruckAt.IsZero() {
			out = append(out, Said{a.Path, a.Source, a.On, a.Contradicts})
		}
	}
	return out
}

// FromBenefits returns the plan that benefits of a day describe, for a patient who was born
// on the other day.
func FromBenefits(b *coverage.Benefits, on, born billing.Date) *Plan {
	p := &Plan{
		Status: b.Status, CheckedOn: on, Born: born, Effective: b.CoverageEffectiveDate, Terminates: b.CoverageTerminationDate,
		InNetwork: b.NetworkStatus == coverage.InNetwork, Period: Period{From: b.YearFrom(on)}, Rules: b.PlanRules, NotReturned: b.NotReturned,
		Categories: map[coverage.Category]Share{}, Procedures: map[string]Share{}, Waits: waitsIn(b),
	}
	outside := b.OutOfNetwork
	if p.InNetwork || outside == nil {
		outside = new(coverage.OutsideNetwork)
	}
	p.Deductibles = p.limitsOf("deductibles", b.Deductibles, outside.Deductibles)
	p.Maximums = p.limitsOf("maximums", b.Maximums, outside.Maximums)
	for i := range b.Coverage {
		p.Categories[b.Coverage[i].Category] = categoryShare("coverage.", &b.Coverage[i])
	}
	for i := range outside.Coverage {
		p.Categories[outside.Coverage[i].Category] = outsideShare(&outside.Coverage[i], p.Categories[outside.Coverage[i].Category])
	}
	for i := range b.Procedures {
		r := &b.Procedures[i]
		if c := outsideOf(outside, r.Code); c != nil { // the procedure's are those inside
			if r.PercentPaid != nil && c.PercentPaid != nil {
				r.PercentPaid, r.Covered = nil, nil
			}
			if c.Copay != nil {
				r.Copay = nil
			}
		}
		p.Procedures[r.Code] = Share{
			Percent: r.PercentPaid, Covered: r.Covered, Copay: r.Copay, MaximumExempt: exempts(r.Note), MaximumSeparate: separates(r.Note), Frequency: r.Frequency, MaxAge: r.MaxAge, LastService: r.LastServiceDate,
			NextEligible: r.NextEligibleDate, Downgraded: r.Status == coverage.ProcedureDowngraded || r.AlternateCode != "", DeductibleWaived: waives(r.Note),
			LimitedPerPlace: r.Frequency != nil && r.Frequency.Scope != "", Path: "procedures." + r.Code, FrequencyPath: "procedures." + r.Code + ".frequency",
			Alternate: r.AlternateCode, CopayPath: "procedures." + r.Code,
		}
	}
	return p
}

// categoryShare reads the coverage of a category, whose path begins with that of its list.
func categoryShare(list string, c *coverage.CategoryCoverage) Share {
	return Share{
		Percent: c.PercentPaid, Covered: c.Covered, Copay: c.Copay, CopayPath: list + string(c.Category), Frequency: c.Frequency, Path: list + string(c.Category), FrequencyPath: list + string(c.Category) + ".frequency",
		DeductibleWaived: slices.ContainsFunc(c.Notes, waives), MaximumExempt: slices.ContainsFunc(c.Notes, exempts), MaximumSeparate: slices.ContainsFunc(c.Notes, separates),
		LimitedPerPlace: c.Frequency != nil && c.Frequency.Scope != "",
	}
}

// outsideShare reads the coverage of a category out of network. What the payer did not
// return for there is as inside.
func outsideShare(c *coverage.CategoryCoverage, inside Share) Share {
	s := categoryShare("out_of_network.coverage.", c)
	s.DeductibleWaived, s.MaximumExempt, s.MaximumSeparate = inside.DeductibleWaived, inside.MaximumExempt, inside.MaximumSeparate
	if s.Percent == nil && (s.Covered == nil || *s.Covered) {
		s.Percent = inside.Percent
	}
	if s.Covered == nil {
		s.Covered = inside.Covered
	}
	if s.Copay == nil {
		s.Copay, s.CopayPath = inside.Copay, inside.CopayPath
	}
	if s.Frequency == nil {
		s.Frequency, s.FrequencyPath, s.LimitedPerPlace = inside.Frequency, inside.FrequencyPath, inside.LimitedPerPlace
	}
	return s
}

// outsideOf returns what the payer returned out of network for the category of a procedure;
// nil for nothing.
func outsideOf(outside *coverage.OutsideNetwork, code string) *coverage.CategoryCoverage {
	category := CategoryOf(code)
	for i := range outside.Coverage {
		if outside.Coverage[i].Category == category {
			return &outside.Coverage[i]
		}
	}
	return nil
}

// exempts reports whether the note says that a service does not use the maximum.
func exempts(note string) bool { return exemptWords.MatchString(note) }

var exemptWords = regexp.MustCompile(`(?i)\b(?:EXEMPT|EXCLUDED) FROM (?:THE )?(?:\w+ ){0,2}MAX(?:IMUM)?S?\b|` +
	`\bNOT (?:APPLY|COUNT|APPLIED|COUNTED|SUBJECT) (?:TO|TOWARDS?|AGAINST) (?:THE )?(?:\w+ ){0,2}MAX(?:IMUM)?S?\b|\bNO (?:ANNUAL )?MAXIMUM\b`)

// separates reports whether the note says that a service has a maximum of its own, which does not use the general one.
func separates(note string) bool {
	return separateWords.MatchString(note) && !commonWords.MatchString(note)
}

var (
	separateWords = regexp.MustCompile(`(?i)\bSEPARATE (?:FROM (?:THE )?)?(?:\w+ ){0,2}MAX(?:IMUM)?S?\b`)
	commonWords   = regexp.MustCompile(`(?i)\b(?:NO|NOT)(?: A)? SEPARATE|\bNETWORK\b`) // separate by network is another thing
)

func waives(note string) bool {
	note = strings.ToUpper(note)
	return strings.Contains(note, "DEDUCTIBLE WAIVED") || strings.Contains(note, "DEDUCTIBLE DOES NOT APPLY") || strings.Contains(note, "NO DEDUCTIBLE")
}

var spanWords = regexp.MustCompile(`(\d{4}-\d{2}-\d{2})\s+(?i:to)\s+(\d{4}-\d{2}-\d{2})`)

// limitsOf reads amounts. It leaves out those of the other network. Those for a class of services in
// the payer's own words, which no line can be matched with, are named; where a plan has no others, what
// it has for a line counts as not returned.
// Those that the payer returned for out of network stand in for those inside.
func (p *Plan) limitsOf(path string, rows, outside []coverage.BenefitAmount) (out []Limit) {
	unmatched := len(p.Unmatched)
	for i := range outside {
		out = p.limit(out, "out_of_network."+path+"."+strconv.Itoa(i), &outside[i])
	}
	for i := range rows {
		if r := &rows[i]; len(outside) == 0 || !networkWords.MatchString(r.AppliesTo) && !slices.ContainsFunc(outside, func(o coverage.BenefitAmount) bool {
			return o.Level == r.Level && o.Period == r.Period && o.AppliesTo == r.AppliesTo
		}) {
			out = p.limit(out, path+"."+strconv.Itoa(i), r)
		}
	}
	if len(out) == 0 && len(p.Unmatched) > unmatched && !p.lacks(path) {
		p.NotReturned = append(slices.Clone(p.NotReturned), path)
	}
	return out
}

// networkWords end the words of an amount that counts in one network only.
var networkWords = regexp.MustCompile(`(?i)(?:^|, )(in|out of) network$`)

// limit adds what an amount limits.
func (p *Plan) limit(out []Limit, path string, r *coverage.BenefitAmount) []Limit {
	applies := r.AppliesTo
	if m := networkWords.FindStringSubmatch(applies); m != nil {
		if strings.EqualFold(m[1], "in") != p.InNetwork {
			return out
		}
		applies = strings.TrimSuffix(applies, m[0])
	}
	l := Limit{Level: r.Level, Period: r.Period, Amount: r.Amount, Remaining: r.Remaining, Path: path}
	words := strings.ToLower(strings.TrimSpace(applies))
	switch span := spanWords.FindStringSubmatch(applies); {
	case words == "":
	case slices.Contains(coverage.Categories(), coverage.Category(words)):
		l.Category = coverage.Category(words)
		l.Alone = l.Category == coverage.CategoryOrthodontics
	case coverage.ValidProcedureCode(applies):
		l.Code, l.Alone = applies, true
	case span != nil:
		l.Span.From, _ = billing.ParseDate(span[1])
		l.Span.To, _ = billing.ParseDate(span[2])
	default:
		p.Unmatched = append(p.Unmatched, r.AppliesTo)
		return out
	}
	return append(out, l)
}

var (
	waitFrom   = regexp.MustCompile(`(?i)\b([a-z_ ]+?) from (\d{4}-\d{2}-\d{2})`)
	waitMonths = regexp.MustCompile(`(?i)(\d{1,3}) MONTHS? FOR ([a-z_ ]+?)(?: SERVICES)?$`)
)

// waitsIn returns the waiting periods that the payer returned by category, and those of other
// categories that it states in words only.
func waitsIn(b *coverage.Benefits) (out []Wait) {
	for _, w := range b.WaitingPeriods {
		out = append(out, Wait{Category: w.Category, From: w.Until, Months: w.Months})
	}
	coded := len(out)
	for _, w := range waitsOf(b.PlanRules.WaitingPeriod) {
		if !slices.ContainsFunc(out[:coded], func(o Wait) bool { return o.Category == w.Category }) {
			out = append(out, w)
		}
	}
	return out
}

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
