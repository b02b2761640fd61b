package edi

import (
	"slices"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
)

// ages is a range of ages that are covered. Both ends count.
type ages struct {
	from, to int
	open     int // the payer's words leave open whether this age is covered; or never
}

const (
	anyAge = 999 // the upper end of a range without one
	never  = -1
)

// fit is whether a patient's age is covered.
type fit int

const (
	fits fit = iota
	unsure
	outside
)

// fit reports whether the age is in the range. A negative age is unknown.
func (a ages) fit(age int) fit {
	switch {
	case age < 0 || age == a.open:
		return unsure
	case a.from <= age && age <= a.to:
		return fits
	default:
		return outside
	}
}

// others returns the ages that are not in the range, and reports false if these are no
// range.
func (a ages) others() (ages, bool) {
	switch {
	case a.from == 0 && a.to < anyAge:
		from := a.to + 1
		if a.open == a.to {
			from = a.to
		}
		return ages{from, anyAge, a.open}, true
	case a.from > 0 && a.to == anyAge:
		to := a.from - 1
		if a.open == a.from {
			to = a.from
		}
		return ages{0, to, a.open}, true
	default:
		return a, false
	}
}

// fitAll reports whether the age is covered, as all ranges state it. Ranges that share
// no age are bands of one benefit: one of them is enough. Ranges that share ages but
// disagree leave it open.
func fitAll(all []ages, age int) fit {
	var found [outside + 1]int
	for _, a := range all {
		found[a.fit(age)]++
	}
	switch {
	case found[fits] == len(all), found[fits] > 0 && bands(all):
		return fits
	case found[outside] == len(all):
		return outside
	default:
		return unsure
	}
}

// bands reports whether no two of the ranges share an age for sure.
func bands(all []ages) bool {
	for i, a := range all {
		if slices.ContainsFunc(all[:i], func(b ages) bool { return a.first() <= b.last() && b.first() <= a.last() }) {
			return false
		}
	}
	return true
}

// first returns the lowest age that is covered for sure.
func (a ages) first() int {
	if a.open == a.from {
		return a.from + 1
	}
	return a.from
}

// last returns the highest age that is covered for sure.
func (a ages) last() int {
	if a.open == a.to {
		return a.to - 1
	}
	return a.to
}

// ages returns the ranges of ages that the row states, in codes and then in messages.
func (r *row) ages() []ages {
	all := r.codedAges()
	for _, s := range r.stated() {
		all = append(all, s.ages...)
	}
	return all
}

func (r *row) codedAges() []ages {
	switch {
	case r.quantity == nil:
		return nil
	case r.QuantityQualifier == highestAge:
		return []ages{{0, *r.quantity, never}}
	case r.QuantityQualifier == lowestAge:
		return []ages{{*r.quantity, anyAge, never}}
	default:
		return nil
	}
}

// agesOf returns the ranges of the rows of the best network that states any.
func agesOf(rows []*row) []ages {
	stating := best(rows, func(r *row) bool { return len(r.ages()) > 0 })
	if stating == nil {
		return nil
	}
	var all []ages
	for _, r := range rows {
		if r.tier.standing == stating.tier.standing {
			all = append(all, r.ages()...)
		}
	}
	return all
}

// ageInClass reports whether the age is covered by the limits of the procedure's whole
// category. It is unsure if the procedure has a share of its own, because it may then
// have other limits too.
func (a *answer) ageInClass(rows []*row, shown *row) fit {
	var all []ages
	for _, o := range a.classOf(rows, shown) {
		all = append(all, o.codedAges()...)
		for _, s := range o.stated() {
			switch {
			case s.whole:
				all = append(all, s.ages...)
			case s.doubt && shown == nil:
				return unsure
			}
		}
	}
	if found := fitAll(all, a.age); found != outside || shown == nil {
		return found
	}
	return unsure
}

// classOf returns the rows about the whole category of a procedure's rows.
func (a *answer) classOf(rows []*row, shown *row) []*row {
	var all []*row
	for _, o := range a.rows {
		if o.code == "" && !o.foreign && o.subject == "" && len(o.categories) == 1 && o.where(shown) == "" &&
			slices.ContainsFunc(rows, func(r *row) bool { return slices.Equal(r.categories, o.categories) }) {
			all = append(all, o)
		}
	}
	return all
}

// inDoubt reports whether a row of the network shown may limit the procedure in a way
// that cannot be read for sure.
func inDoubt(rows []*row, shown *row) bool {
	return slices.ContainsFunc(rows, func(r *row) bool {
		if r.where(shown) != "" {
			return false
		}
		counted := slices.ContainsFunc(r.Deliveries, func(d eligibility.Delivery) bool { return d.Quantity != uncounted })
		return counted && limitOf(r) == nil || slices.ContainsFunc(r.stated(), func(s stated) bool { return s.doubt })
	})
}
