package task

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/molar-billing/molar/core/billing"
)

// Counts counts open tasks. Those without an office or a payer are in none of its counts.
type Counts struct {
	Kinds   map[Kind]int
	Offices map[billing.OfficeID]int
	Payers  map[billing.PayerID]int
	Mine    int // of the user who asks
	Nobody  int // without an assignee
}

// MaxCount is the highest number to which open tasks are shown as counted.
const MaxCount = 10_000

// MaxPayers is how many payers a list of counts has at most.
const MaxPayers = 100

// MostOf returns the payers with the most tasks, the most first, and up to MaxPayers of them.
func (c Counts) MostOf() []billing.PayerID {
	all := slices.SortedFunc(maps.Keys(c.Payers), func(a, b billing.PayerID) int {
		return cmp.Or(cmp.Compare(c.Payers[b], c.Payers[a]), bytes.Compare(a[:], b[:]))
	})
	return all[:min(len(all), MaxPayers)]
}

// None reports whether no open task is of the office, the payer or a kind of a filter, so that a list
// need not look for one through all that are open.
func (c Counts) None(f Filter) bool {
	if f.State != Open && f.State != "" {
		return false
	}
	ofKind := len(f.Kinds) == 0 || slices.ContainsFunc(f.Kinds, func(k Kind) bool { return c.Kinds[k] > 0 })
	return !ofKind || !f.OfficeID.IsZero() && c.Offices[f.OfficeID] == 0 || !f.PayerID.IsZero() && c.Payers[f.PayerID] == 0
}
