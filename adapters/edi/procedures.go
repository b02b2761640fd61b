package edi

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

func itoa(n int) string { return strconv.Itoa(n) }

// procedures returns the benefits of the requested procedures in order. If the
// check is enhanced or requests no procedures, the payer's other procedures follow.
func (a *answer) procedures(b *coverage.Benefits) []coverage.ProcedureBenefit {
	rows := map[string][]*row{}
	var listed []string
	var ranges []*row
	for _, r := range a.rows {
		switch {
		case r.code == "":
			continue
		case rows[r.code] == nil:
			listed = append(listed, r.code)
		}
		rows[r.code] = append(rows[r.code], r)
		if r.last != "" {
			ranges = append(ranges, r)
		}
	}
	codes := a.inquiry.ProcedureCodes
	if a.inquiry.DetailLevel == coverage.DetailEnhanced || len(codes) == 0 {
		codes = append(slices.Clone(codes), listed...)
		if len(a.inquiry.ProcedureCodes) == 0 {
			codes = slices.DeleteFunc(codes, func(code string) bool { return standsForCategory(code, rows[code]) })
		}
	}
	var out []coverage.ProcedureBenefit
	for i, code := range codes {
		if all := withRanges(code, rows[code], ranges); all != nil && !slices.Contains(codes[:i], code) {
			out = append(out, a.procedure(code, all, b))
		}
	}
	for _, r := range a.rows {
		if r.code != "" {
			r.notes = nil // the notes only make sense with the procedure
		}
	}
	return out
}

// withRanges adds the rows of ranges that include the procedure to its own rows. What
// its own rows state about its coverage, no range states otherwise.
func withRanges(code string, own, ranges []*row) []*row {
	decides := func(r *row) bool { return hasShare(r) || excludes(r) }
	single := slices.ContainsFunc(own, func(r *row) bool { return r.last == "" && decides(r) })
	for _, r := range ranges {
		if r.code < code && code <= r.last {
			own = append(slices.Clone(own), r)
		}
	}
	if !single || len(ranges) == 0 {
		return own
	}
	return slices.DeleteFunc(slices.Clone(own), func(r *row) bool { return r.last != "" && decides(r) })
}

// standsForCategory reports whether the rows of a procedure state only the plan's
// share of implants. Implants have no service type, so payers send a procedure.
func standsForCategory(code string, rows []*row) bool {
	more := func(r *row) bool { return r.share == nil || hasLimit(r) }
	return isImplant(code) && !slices.ContainsFunc(rows, more)
}

func isImplant(code string) bool { return "D6010" <= code && code <= "D6199" }

func (a *answer) procedure(code string, all []*row, b *coverage.Benefits) coverage.ProcedureBenefit {
	p := coverage.ProcedureBenefit{Code: code}
	limits := agesOf(all)
	rows, age := all, fitAll(limits, a.age)
	if len(limits) > 1 && age == fits {
		rows = slices.DeleteFunc(slices.Clone(all), func(r *row) bool { return len(r.ages()) > 0 && fitAll(r.ages(), a.age) == outside })
	}
	coveredAs(&p, rows, b)
	shown := best(rows, hasShare)
	if len(limits) == 0 && age == fits {
		age = a.ageInClass(rows, shown)
	}
	if i := slices.IndexFunc(limits, func(x ages) bool { return x.to < anyAge }); i >= 0 && (len(limits) == 1 || !bands(limits)) {
		p.MaxAge = new(limits[i].to)
	}
	var l *limit
	if r := best(rows, hasLimit); r != nil {
		l = limitOf(r)
		p.Frequency = l.frequency()
		p.Frequency.Used = usedOf(rows, r)
	}
	h := historyOf(rows, l)
	if len(h.visits) > 0 {
		p.LastServiceDate = h.visits[0]
	}
	guessed := false
	if p.NextEligibleDate = statedNext(rows); p.NextEligibleDate.IsZero() {
		p.NextEligibleDate = a.nextEligible(l, h)
		guessed = l != nil && l.ofPlanYear() && a.guessed && a.planYear().IsZero()
	}
	begin := a.beginOf(rows, shown)
	waits := a.inquiry.ServiceDate.Before(begin)
	if waits && p.NextEligibleDate.Before(begin) {
		p.NextEligibleDate = begin
	}
	spent := l != nil && l.unit == "32" && l.count > 0 && len(h.visits) >= l.count
	renewed := !guessed && a.countedOn().Before(p.NextEligibleDate) && !a.inquiry.ServiceDate.Before(p.NextEligibleDate)
	early := h.usedUp && !renewed || spent || a.inquiry.ServiceDate.Before(p.NextEligibleDate)
	switch {
	case p.Covered != nil && !*p.Covered:
		p.Status = coverage.ProcedureNotCovered
	case age == outside:
		p.Status = coverage.ProcedureAgeLimit
	case waits, early && (l == nil || l.scope == ""): // a limit per tooth leaves other teeth covered
		p.Status = coverage.ProcedureNotDueYet
	case age == unsure || inDoubt(rows, shown): // the note has the payer's words
	case downgraded(rows):
		p.Status = coverage.ProcedureDowngraded
	case p.Covered != nil:
		p.Status = coverage.ProcedureCoveredNow
	}
	p.Copay, p.AlternateCode = copayOf(rows, shown), alternateOf(code, rows)
	p.Note = procedureNote(all, shown)
	return p
}

// beginOf returns the day on which the benefits of the procedure begin, as the row with
// its share states it (DTP 348), or else that of its category. It may be zero.
func (a *answer) beginOf(rows []*row, shown *row) billing.Date {
	if shown == nil {
		shown = best(a.classOf(rows, nil), hasShare)
	}
	if shown == nil {
		return billing.Date{}
	}
	return span(shown.Dates, "348", billing.Date{}).from
}

// coveredAs sets the procedure's coverage and the plan's share from its rows, or
// else from its service type. A procedure with only a frequency is covered.
func coveredAs(p *coverage.ProcedureBenefit, rows []*row, b *coverage.Benefits) {
	share, excluded := best(rows, hasShare), best(rows, excludes)
	if excluded != nil && (share == nil || excluded.tier.standing < share.tier.standing) {
		p.Covered = new(false)
		return
	}
	if share != nil {
		p.PercentPaid, p.Covered = share.share, new(*share.share > 0)
		return
	}
	for _, r := range rows {
		for _, c := range b.Coverage {
			if len(r.categories) == 1 && r.categories[0] == c.Category && r.subject == "" {
				p.PercentPaid, p.Covered = c.PercentPaid, c.Covered
			}
		}
	}
	paid := func(r *row) bool { return r.status() == coverage.Active || r.Code == "B" || hasLimit(r) }
	if p.Covered == nil && best(rows, paid) != nil {
		p.Covered = new(true)
	}
}

// historyOf collects the dates of visits. It also reads the counts of visits that
// the payer reports as remaining (29), used this year (24) or used (99).
func historyOf(rows []*row, l *limit) history {
	var h history
	for _, r := range rows {
		h.visits = append(h.visits, r.visits...)
		if r.quantity == nil || !counts(r.QuantityQualifier) && r.QuantityQualifier != "99" {
			continue
		}
		switch {
		case r.Period == "29" && counts(r.QuantityQualifier):
			h.usedUp = h.usedUp || *r.quantity == 0
		case r.Period == "24", r.QuantityQualifier == "99":
			h.usedUp = h.usedUp || l != nil && l.count > 0 && *r.quantity >= l.count
		}
	}
	sortLatestFirst(&h.visits)
	return h
}

var (
	downgradeWords = regexp.MustCompile(`(?i)DOWNGRADE|ALTERNATE BENEFIT|ALTERNATIVE BENEFIT|LEAST (?:EXPENSIVE|COSTLY)`)
	noDowngrade    = regexp.MustCompile(`(?i)\b(?:NO|NOT) (?:BE )?(?:DOWNGRADE|SUBJECT TO (?:DOWNGRADE|ALTERNAT|LEAST))`)
	codeWords      = regexp.MustCompile(`\bD\d{4}\b`)
	nextWords      = regexp.MustCompile(`(?i)NEXT ELIGIBLE\b[^0-9]*(\d{4}-\d{2}-\d{2}|\d{8}|\d{2}/\d{2}/\d{4})`)
)

func downgraded(rows []*row) bool {
	return slices.ContainsFunc(rows, func(r *row) bool { return slices.ContainsFunc(r.Messages, downgrades) })
}

// downgrades reports whether the message says that another procedure is paid instead.
func downgrades(m string) bool {
	return mentions(m, "DOWNGRADE", "BENEFIT", "LEAST") && downgradeWords.MatchString(m) && !noDowngrade.MatchString(m)
}

// alternateOf returns the only other procedure that messages about a downgrade name.
func alternateOf(code string, rows []*row) string {
	var named []string
	for _, r := range rows {
		for _, m := range r.Messages {
			if !downgrades(m) {
				continue
			}
			for _, c := range codeWords.FindAllString(strings.ToUpper(m), -1) {
				if c != code {
					named = add(named, c)
				}
			}
		}
	}
	if len(named) != 1 {
		return ""
	}
	return named[0]
}

// statedNext returns the next eligible date that the payer states.
func statedNext(rows []*row) billing.Date {
	for _, r := range rows {
		for _, m := range r.Messages {
			if next, _ := nextIn(m); !next.IsZero() {
				return next
			}
		}
	}
	return billing.Date{}
}

// nextIn returns the next eligible date that the message states, and the message without
// it. The date is zero if there is none.
func nextIn(message string) (next billing.Date, rest string) {
	if !mentions(message, "NEXT") {
		return next, message
	}
	message = strings.Join(strings.Fields(message), " ")
	found := nextWords.FindStringSubmatch(message)
	if found == nil {
		return next, message
	}
	if next = dayIn(found[1]); next.IsZero() {
		return next, message
	}
	return next, strings.Replace(message, found[0], "", 1)
}

// band describes the age range of a row. It returns an empty string if the row
// applies to all ages.
func (r *row) band() string {
	if r.ageNote() == "" {
		return ""
	}
	often, share := "", ""
	if l := limitOf(r); l != nil {
		often = l.String()
	}
	if r.share != nil {
		share = percent(*r.share)
	}
	return join(": ", r.ageNote(), join(", ", often, share))
}

// procedureNote joins the payer's messages about the procedure with the facts that
// have no field: minimum ages, amounts, and networks with another share.
func procedureNote(rows []*row, shown *row) string {
	var notes []string
	add := func(n string) {
		if n != "" && !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	split := slices.ContainsFunc(rows, func(r *row) bool { return r.quantity != nil && r.QuantityQualifier == lowestAge })
	for _, r := range shownFirst(rows, shown) {
		if r.last != "" {
			add(r.prefix("", shown) + r.code + " to " + r.last)
		}
		for _, m := range r.notes {
			if !slices.Contains(notes, m) {
				add(r.prefix("", shown) + m)
			}
		}
		if split {
			add(r.band())
		}
		if r.Authorization == "Y" {
			add("Authorization is needed")
		}
		switch {
		case r.Code == "B" && r.money != nil:
			add(r.prefix("", shown) + "Co-payment " + r.money.String())
		case r.Code == "CB" && r.money != nil:
			add("Coverage is based on " + r.money.String())
		}
		if shown != nil && r.tier != shown.tier && r.share != nil && *r.share != *shown.share {
			add(r.tier.label() + ": " + percent(*r.share))
		}
	}
	return strings.Join(notes, "; ")
}
