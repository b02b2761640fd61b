package remit

import (
	"cmp"
	_ "embed" // the acts that ship with the service
	"slices"
	"strings"
	"sync"

	"github.com/molar-billing/molar/core/billing"
)

// Act is what a practice does about an amount that a payer does not pay.
type Act string

// The acts.
const (
	ActCorrect     Act = "correct_and_replace"
	ActSend        Act = "send_documents"
	ActAppeal      Act = "appeal"
	ActBillPatient Act = "bill_patient" // only of the group PR, and never after a filing limit
	ActBillNext    Act = "bill_next_payer"
	ActWriteOff    Act = "write_off"
	ActNone        Act = "none"
)

// acts lists every act: what brings the most money comes first.
func acts() []Act {
	return []Act{ActCorrect, ActSend, ActAppeal, ActBillNext, ActBillPatient, ActWriteOff, ActNone}
}

//go:embed acts.tsv
var shippedActs string

// actRow is a row of acts.tsv.
type actRow struct {
	group            string
	reasons, remarks []string
	act              Act
}

//nolint:gochecknoglobals // a constant table, read at first use
var actRows = sync.OnceValue(func() (rows []actRow) {
	for line := range strings.Lines(shippedActs) {
		if !strings.HasPrefix(line, "#") {
			c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			rows = append(rows, actRow{c[0], strings.Split(c[1], ","), strings.Split(c[2], ","), Act(c[3])})
		}
	}
	return rows
})

// Act returns what to do about the amount. Remarks are those of its line and of its claim. The first row of acts.tsv
// that fits counts. A reason that is in none asks for an appeal.
func (a Adjustment) Act(remarks []string) Act {
	group, reason := strings.ToUpper(a.Group), strings.ToUpper(a.Reason)
	for _, r := range actRows() {
		fits := func(code string) bool { return slices.Contains(remarks, code) }
		switch {
		case r.group != "*" && r.group != group, r.group == "*" && group == "PR":
		case r.reasons[0] != "*" && !slices.Contains(r.reasons, reason):
		case r.remarks[0] == "-" || slices.ContainsFunc(r.remarks, fits):
			return r.act
		}
	}
	return ActAppeal
}

// Refusal is an amount that is refused for a reason.
type Refusal struct {
	Group  string
	Reason string
	Act    Act // what to do about it
	Amount billing.Money
}

// Acts adds up what is refused by its group, its reason and what to do about it.
type Acts map[Refusal]billing.Money

// Add adds the refusals among the adjustments, with what is left to the patient although it is never the
// patient's.
func (s Acts) Add(all []Adjustment, remarks []string) {
	for _, a := range all {
		if a.NotPaid() || a.LateToPatient() {
			s[Refusal{Group: strings.ToUpper(a.Group), Reason: strings.ToUpper(a.Reason), Act: a.Act(remarks)}] += a.Amount
		}
	}
}

// First returns what to do about the largest amount; empty for none.
func (s Acts) First() (first Act) {
	sums := map[Act]billing.Money{}
	for r, amount := range s {
		sums[r.Act] += amount
	}
	for _, act := range acts() {
		if sums[act] > 0 && (first == "" || sums[act] > sums[first]) {
			first = act
		}
	}
	return first
}

// Refusals returns the sums that are not 0, the largest first.
func (s Acts) Refusals() (all []Refusal) {
	for r, amount := range s {
		if r.Amount = amount; amount != 0 {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Act, b.Act))
	})
	return all
}
