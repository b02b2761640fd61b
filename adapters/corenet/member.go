package corenet

import (
	"slices"
	"strings"
	"unicode"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
)

// person is how a message identifies a member. What it leaves out is empty.
type person struct {
	id          string
	references  []string // payers put an old ID into one
	first, last string
	born        billing.Date
}

func personOf(p *eligibility.Party) person {
	found := person{id: folded(p.Name.ID), first: folded(p.Name.First), last: folded(p.Name.Last), born: p.BirthDate}
	for _, r := range p.References {
		found.references = append(found.references, folded(r.Value))
	}
	return found
}

// folded returns the letters and digits of a value, in capitals, without leading zeros.
func folded(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, s)
	return strings.TrimLeft(s, "0")
}

// strangers reports whether a 271 is about other members than its 270. Payers extend
// IDs, issue new ones, and correct names and birth dates. So the members are others only
// if no ID, name or birth date agrees, and two of them differ.
func strangers(ours, theirs []person) (others bool) {
	for _, a := range ours {
		for _, b := range theirs {
			agree, differ := a.compare(b)
			if agree > 0 {
				return false
			}
			others = others || differ > 1
		}
	}
	return others
}

// compare counts what agrees and what differs. A part that one of the two lacks does
// neither.
func (a person) compare(b person) (agree, differ int) {
	for _, part := range []struct{ known, same bool }{
		{a.id != "" && b.id != "", within(a.id, b.id) || within(b.id, a.id) || slices.Contains(b.references, a.id)},
		{a.last != "" && b.last != "", a.last == b.last && (strings.HasPrefix(a.first, b.first) || strings.HasPrefix(b.first, a.first))},
		{!a.born.IsZero() && !b.born.IsZero(), a.born == b.born},
	} {
		switch {
		case !part.known:
		case part.same:
			agree++
		default:
			differ++
		}
	}
	return agree, differ
}

// within reports whether an ID is in a longer one: payers add prefixes and suffixes.
func within(id, longer string) bool {
	const least = 4 // shorter ones are in too many others
	return id == longer || len(id) >= least && strings.Contains(longer, id)
}
