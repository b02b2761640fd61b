package edi

import (
	"cmp"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// best returns the row with the best standing among those that satisfy ok. It
// returns the first one in a tie, or nil if there is none.
func best(rows []*row, ok func(*row) bool) *row {
	var found *row
	for _, r := range rows {
		if ok(r) && (found == nil || r.tier.standing < found.tier.standing) {
			found = r
		}
	}
	return found
}

func hasShare(r *row) bool { return r.share != nil }
func hasLimit(r *row) bool { return limitOf(r) != nil }
func excludes(r *row) bool { return r.Code == "I" || r.Code == "E" }

// group holds the rows of one category. Some rows cover the whole category; others
// cover a part, such as X-rays within diagnostic services.
type group struct {
	category   coverage.Category
	own, parts []*row
}

// coverage returns the coverage of each category that the payer mentions.
func (a *answer) coverage() []coverage.CategoryCoverage {
	var out []coverage.CategoryCoverage
	for _, c := range coverage.Categories() {
		g := a.group(c)
		item := g.benefit()
		if item.PercentPaid != nil || item.Covered != nil || item.Frequency != nil || len(item.Notes) > 0 {
			out = append(out, item)
		}
	}
	if invertedShares(out) {
		a.remarks = append(a.remarks, "The percentages may be the patient's share instead of the plan's: "+
			"preventive care would be paid less than major care. Ask the payer.")
	}
	a.otherShares()
	a.otherFacts()
	return out
}

func (a *answer) group(c coverage.Category) group {
	g := group{category: c}
	for _, r := range a.rows {
		switch {
		case r.foreign:
		case r.code != "":
			// Implants have no service type, so payers send procedure codes.
			if c == coverage.CategoryImplants && isImplant(r.code) && r.share != nil {
				g.parts = append(g.parts, r)
			}
		case !slices.Contains(r.categories, c):
		case r.subject == "", c == coverage.CategoryImplants:
			g.own = append(g.own, r)
		default:
			g.parts = append(g.parts, r)
		}
	}
	return g
}

func (g *group) benefit() coverage.CategoryCoverage {
	out, from := g.values()
	out.Notes = g.notes(from)
	return out
}

// values returns the coverage without its notes, and the row that has the share; nil for none.
func (g *group) values() (out coverage.CategoryCoverage, from *row) {
	out.Category = g.category
	from = best(g.own, hasShare)
	if from == nil {
		from = best(g.parts, func(r *row) bool { return r.share != nil && g.shareIn(r.tier) != nil })
	}
	excluded := best(g.own, excludes)
	switch {
	case excluded != nil && (from == nil || excluded.tier.standing < from.tier.standing):
		out.Covered = new(false)
	case from != nil:
		out.PercentPaid = g.shareIn(from.tier)
		out.Covered = new(*out.PercentPaid > 0)
	case best(g.own, func(r *row) bool { return r.status() == coverage.Active || r.Code == "B" || hasLimit(r) }) != nil:
		out.Covered = new(true)
	}
	if r := best(g.own, hasLimit); r != nil {
		out.Frequency = limitOf(r).frequency()
		out.Frequency.Used = usedOf(g.own, r)
	}
	out.Copay = copayOf(g.own, from)
	return out, from
}

// copayOf returns the co-payment of the network shown; nil if no row has one.
func copayOf(rows []*row, shown *row) *billing.Money {
	r := best(rows, func(r *row) bool { return r.Code == "B" && r.money != nil })
	if r == nil || shown != nil && r.where(shown) != "" {
		return nil
	}
	return r.money
}

// shareIn returns the plan's share of the category in a network. If no row states a
// share for the whole category, shareIn returns the share that all parts agree on.
func (g *group) shareIn(t tier) *float64 {
	for _, r := range g.own {
		if r.tier == t && r.share != nil {
			return r.share
		}
	}
	var share *float64
	for _, r := range g.parts {
		switch {
		case r.tier != t || r.share == nil:
		case share == nil:
			share = r.share
		case *share != *r.share:
			return nil
		}
	}
	return share
}

// partShare returns the plan's share of one part of the category in a network.
func (g *group) partShare(of *row, t tier) *float64 {
	for _, r := range g.parts {
		if r.tier == t && r.share != nil && r.label() == of.label() {
			return r.share
		}
	}
	return nil
}

// label names the part of a category that the row covers.
func (r *row) label() string {
	if r.code != "" {
		return r.code
	}
	return r.subject
}

// notes describes the facts that have no field: parts with another share, other
// networks, and age limits. The payer's messages follow.
func (g *group) notes(shown *row) []string {
	var notes []string
	for _, r := range g.parts {
		if n := g.partNote(r, shown); n != "" {
			notes = add(notes, n)
		}
	}
	for _, r := range shownFirst(g.own, shown) {
		g.describe(r, r.prefix("", shown), false, &notes)
	}
	for _, r := range shownFirst(g.parts, shown) {
		if r.code == "" {
			g.describe(r, r.prefix(r.label(), shown), true, &notes)
		}
	}
	for _, r := range slices.Concat(g.own, g.parts) {
		if share := g.shareIn(r.tier); shown != nil && r.tier != shown.tier && share != nil && *share != *g.shareIn(shown.tier) {
			notes = add(notes, r.tier.label()+": "+percent(*share))
		}
	}
	return notes
}

// describe adds the facts and the messages of a row, unless the notes have them for
// the network shown.
func (g *group) describe(r *row, prefix string, frequency bool, notes *[]string) {
	plain := ""
	if r.label() != "" {
		plain = r.label() + ": "
	}
	add := func(n string) {
		if !slices.Contains(*notes, plain+n) && !slices.Contains(*notes, prefix+n) {
			*notes = append(*notes, prefix+n)
		}
	}
	for _, n := range r.facts(frequency) {
		add(n)
	}
	g.take(r, add)
}

// where names the row's network, for a note beside a row that is shown. It returns an
// empty string if the row has the network shown or names none.
func (r *row) where(shown *row) string {
	switch {
	case r.tier.open() || shown == nil && r.tier.standing != outOfNetwork:
		return ""
	case shown != nil && r.tier.same(shown.tier):
		return ""
	case shown != nil && r.tier.standing == unstated && shown.tier.open(): // EB05 may name the plan
		return ""
	default:
		return r.tier.label()
	}
}

// prefix introduces a note beside a row that is shown.
func (r *row) prefix(subject string, shown *row) string { return introduce(subject, r.where(shown)) }

// introduce starts a note with its subject and its network; both may be empty.
func introduce(subject, where string) string {
	switch {
	case subject != "" && where != "":
		return subject + " (" + where + "): "
	case subject+where != "":
		return subject + where + ": "
	default:
		return ""
	}
}

// shownFirst returns the rows with those of other networks at the end.
func shownFirst(rows []*row, shown *row) []*row {
	if !slices.ContainsFunc(rows, func(r *row) bool { return r.where(shown) != "" }) {
		return rows
	}
	elsewhere := func(r *row) int { return min(len(r.where(shown)), 1) }
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(x, y *row) int { return elsewhere(x) - elsewhere(y) })
	return rows
}

// partNote describes a part whose share differs from the whole category. It skips
// another network if the part's share is the same in the network shown.
func (g *group) partNote(r, shown *row) string {
	if r.share == nil {
		return ""
	}
	whole := g.shareIn(r.tier)
	if whole != nil && *whole == *r.share {
		return ""
	}
	if shown == nil || r.tier == shown.tier {
		return r.label() + ": " + percent(*r.share)
	}
	if there := g.partShare(r, shown.tier); there != nil && *there == *r.share {
		return ""
	}
	return r.label() + " (" + r.tier.label() + "): " + percent(*r.share)
}

// facts describes the row's age limit, co-payment and latest visit. With frequency set, it also
// describes the frequency.
func (r *row) facts(frequency bool) []string {
	var out []string
	if n := r.ageNote(); n != "" {
		out = append(out, n)
	}
	if r.Code == "B" && r.money != nil {
		out = append(out, "Co-payment "+r.money.String())
	}
	last := ""
	if len(r.visits) > 0 {
		last = "last " + r.visits[0].String()
	}
	if l := limitOf(r); l != nil && frequency {
		last = join(", ", l.String(), last)
	}
	if last != "" {
		out = append(out, last)
	}
	return out
}

func (r *row) ageNote() string {
	switch {
	case r.quantity == nil:
		return ""
	case r.QuantityQualifier == highestAge:
		return "up to age " + itoa(*r.quantity)
	case r.QuantityQualifier == lowestAge:
		return "from age " + itoa(*r.quantity)
	default:
		return ""
	}
}

// take moves the messages of a row to the notes, if the row covers only this
// category.
func (g *group) take(r *row, add func(string)) {
	if len(r.categories) != 1 {
		return
	}
	for _, m := range r.notes {
		add(m)
	}
	r.notes = nil
}

// invertedShares reports whether the percentages look like the patient's share. No
// plan pays a lower share of preventive care than of major care.
func invertedShares(all []coverage.CategoryCoverage) bool {
	var preventive, major *float64
	for _, c := range all {
		if c.Category == coverage.CategoryPreventive {
			preventive = c.PercentPaid
		}
		if c.Category == coverage.CategoryMajor {
			major = c.PercentPaid
		}
	}
	return preventive != nil && major != nil && *preventive <= 20 && *major >= 80
}

// otherShares adds remarks on the shares that belong to no category.
func (a *answer) otherShares() {
	var rows []*row
	for _, r := range a.rows {
		if r.share != nil && r.code == "" && !r.foreign && len(r.categories) == 0 {
			rows = append(rows, r)
		}
	}
	whole := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.subject != "" })
	for _, r := range whole {
		name := r.className()
		if name != "" && slices.ContainsFunc(whole, func(o *row) bool { return o.tier == r.tier && *o.share != *r.share }) {
			r.subject, r.notes = name, nil
		} else {
			r.subject = "Dental care"
		}
	}
	for _, r := range rows {
		shown := best(rows, func(o *row) bool { return o.subject == r.subject })
		switch {
		case shown.tier == r.tier:
			a.remarks = append(a.remarks, r.subject+": "+percent(*r.share))
		case *shown.share != *r.share:
			a.remarks = append(a.remarks, r.subject+" ("+r.tier.label()+"): "+percent(*r.share))
		}
	}
}

// otherFacts adds remarks on the ages and co-payments that belong to no category, such
// as those of a payer's own class.
func (a *answer) otherFacts() {
	for _, r := range a.rows {
		if r.code != "" || r.foreign || len(r.categories) > 0 {
			continue
		}
		prefix := r.prefix(cmp.Or(r.subject, "Dental care"), nil)
		if n := r.ageNote(); n != "" {
			a.remarks = append(a.remarks, prefix+n)
		}
		if r.Code == "B" && r.money != nil {
			a.remarks = append(a.remarks, prefix+"Co-payment "+r.money.String())
		}
	}
}
