package edi

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// plan sets the coverage status and dates, the plan, and the network status.
func (a *answer) plan(b *coverage.Benefits) {
	b.Status = coverage.Unknown
	statuses := a.statusRows()
	if len(statuses) > 0 {
		b.Status = statuses[0].status()
	}
	dates := a.coverageDates(statuses)
	if !dates.covers(a.inquiry.ServiceDate) {
		b.Status = coverage.Inactive
	}
	for _, r := range a.rows {
		stated := r.general() && r.status() != coverage.Unknown
		if r.code == "" && !r.foreign && r.Code != otherPayer && !stated {
			dates = dates.orElse(coveragePeriod(r.Dates, a.inquiry.ServiceDate, false))
		}
	}
	b.CoverageEffectiveDate, b.CoverageTerminationDate = dates.from, dates.to
	for _, r := range statuses {
		b.Plan.Name = cmp.Or(b.Plan.Name, strings.TrimSpace(r.Plan))
		b.Plan.Type = cmp.Or(b.Plan.Type, planType(r.InsuranceType))
	}
	b.Plan.GroupNumber = a.groupNumber()
	b.Plan.BenefitPeriod = a.statedPeriod()
	b.NetworkStatus = a.network(statuses)
}

// coverageDates returns the period of the patient's coverage, or else that of the
// rows about coverage. The rows of a category do not count beside those of the
// plan. If a row includes the service date, the rows of earlier and later plans do
// not count. DTP 307 counts if there is no other date.
func (a *answer) coverageDates(statuses []*row) period {
	day := a.inquiry.ServiceDate
	dates, lead := coveragePeriod(a.member.Dates, day, true), period{}
	whole := slices.ContainsFunc(statuses, (*row).general)
	for _, r := range statuses {
		p := coveragePeriod(r.Dates, day, true)
		if p == (period{}) || whole && !r.general() {
			continue
		}
		if lead == (period{}) {
			if lead = p; p.covers(day) && !dates.covers(day) {
				dates = period{}
			}
		}
		if p.covers(day) || !lead.covers(day) {
			dates = dates.orElse(p)
		}
	}
	if dates != (period{}) {
		return dates
	}
	dates = span(a.member.Dates, "307", day)
	for _, r := range statuses {
		dates = dates.orElse(span(r.Dates, "307", day))
	}
	return dates
}

// statusRows returns the EBs about coverage, most reliable first. It sorts by these
// criteria: dates that include the service date; dental care, then the whole plan,
// then its parts; active before inactive. If an active plan excludes dental care
// (I), coverage is inactive, unless the exclusion is only for out of network.
func (a *answer) statusRows() []*row {
	var statuses []*row
	for _, r := range a.rows {
		if r.code == "" && !r.foreign && r.status() != coverage.Unknown {
			statuses = append(statuses, r)
		}
	}
	rank := func(r *row) int {
		n := 0
		if !coveragePeriod(r.Dates, a.inquiry.ServiceDate, true).covers(a.inquiry.ServiceDate) {
			n += 100
		}
		switch {
		case slices.Contains(r.ServiceTypes, dental):
		case slices.Contains(r.ServiceTypes, "30"):
			n += 10
		default:
			n += 20
		}
		if r.status() != coverage.Active {
			n++
		}
		return n
	}
	slices.SortStableFunc(statuses, func(x, y *row) int { return rank(x) - rank(y) })
	return statuses
}

// status returns the coverage status that the row states.
func (r *row) status() coverage.Status {
	switch r.Code {
	case "1", "2", "3", "4", "5":
		return coverage.Active
	case "6", "7", "8":
		return coverage.Inactive
	case "I":
		if r.class == "" && slices.Contains(r.ServiceTypes, dental) && r.tier.standing != outOfNetwork {
			return coverage.Inactive
		}
	}
	return coverage.Unknown
}

// planType describes EB04 for the types of dental plans. It returns other codes
// unchanged.
func planType(code string) string {
	switch code {
	case "C1":
		return "commercial"
	case "EP":
		return "EPO"
	case "GP":
		return "group policy"
	case "HM":
		return "HMO"
	case "IN":
		return "indemnity"
	case "IP":
		return "individual policy"
	case "MC":
		return "Medicaid"
	case "PR":
		return "PPO"
	case "PS":
		return "POS"
	default:
		return code
	}
}

// groupNumber returns the plan's group number, or else its policy or plan number. The
// numbers of another payer are not the plan's.
func (a *answer) groupNumber() string {
	number := ""
	for _, qualifier := range []string{"6P", "1L", "18"} { // group, group policy, plan
		number = cmp.Or(number, a.member.Reference(qualifier))
		if a.holder != nil {
			number = cmp.Or(number, a.holder.Reference(qualifier))
		}
		for _, r := range a.rows {
			for _, ref := range r.References {
				if ref.Qualifier == qualifier && r.code == "" && r.Code != otherPayer {
					number = cmp.Or(number, ref.Value)
				}
			}
		}
	}
	return number
}

var periodWords = regexp.MustCompile(`(?i)\bBENEFIT (?:PERIOD|YEAR)\s*(?:IS|:|=)\s*(?:FROM\s+)?(\S.*?)\.?$`)

func statesPeriod(message string) bool {
	return mentions(message, "BENEFIT PERIOD", "BENEFIT YEAR") && periodWords.MatchString(message)
}

// statedPeriod returns the benefit period from a message of the payer, or else from
// DTP 292.
func (a *answer) statedPeriod() string {
	take := func(texts []string) string {
		for _, m := range texts {
			if statesPeriod(m) {
				return periodWords.FindStringSubmatch(m)[1]
			}
		}
		return ""
	}
	words := take(a.notes)
	a.notes = slices.DeleteFunc(a.notes, statesPeriod)
	for _, r := range a.rows {
		if r.code != "" || !r.general() {
			continue
		}
		words = cmp.Or(words, take(r.notes))
		r.notes = slices.DeleteFunc(r.notes, statesPeriod)
	}
	if words != "" {
		return words
	}
	if p := a.benefitDates(); !p.from.IsZero() && !p.to.IsZero() {
		return p.from.String() + " to " + p.to.String()
	}
	return ""
}

// benefitDates returns the range of a DTP 292, the benefit dates.
func (a *answer) benefitDates() period {
	p := span(a.member.Dates, "292", billing.Date{})
	for _, r := range a.rows {
		if r.general() && r.code == "" {
			p = p.orElse(span(r.Dates, "292", billing.Date{}))
		}
	}
	return p
}

// network returns the office's network status. A coverage row that states the
// network decides. Otherwise the benefits decide if they are all for one network.
// Benefits for several networks only describe the plan.
func (a *answer) network(statuses []*row) coverage.NetworkStatus {
	for _, r := range statuses {
		switch r.InNetwork {
		case "Y":
			return coverage.InNetwork
		case "N":
			return coverage.OutOfNetwork
		}
	}
	in, out, open, silent := false, false, false, false
	for _, r := range a.rows {
		if r.foreign || !slices.Contains([]string{"A", "B", "C", "D", "E", "F", "I"}, r.Code) {
			continue
		}
		in = in || r.InNetwork == "Y"
		out = out || r.InNetwork == "N"
		open = open || r.InNetwork == "U" || r.InNetwork == "W"
		silent = silent || r.InNetwork == "" && r.Code == "A"
	}
	switch {
	case in && !out:
		return coverage.InNetwork
	case out && !in && !open && !silent:
		return coverage.OutOfNetwork
	case in, out, open:
		return coverage.NetworkUnknown
	default:
		return ""
	}
}
