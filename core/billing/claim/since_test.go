package claim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestRefusedLines has the lines that the payer refused: they are no earlier services.
func TestRefusedLines(t *testing.T) {
	t.Parallel()
	k := crownClaim()
	lines := slices.Clone(primaryLines())
	lines[0] = paying("D2740", 0, cas("CO", "96", 950_00))
	lines[1] = paying("D0120", 0, cas("PR", "1", 60_50)) // the deductible takes all of it
	lines[2] = paying("D2392", 0, cas("PR", "96", 150_00))
	r := remitted("1", "ICN-1", lines)
	if got := k.Refused([]*remit.LedgerEntry{{Claim: &r, ERA: remit.Source{ID: billing.ERAID{15: 1}, PayerName: "Delta"}}}); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("refused are %v", got)
	}
	if got := k.Refused(nil); got != nil {
		t.Errorf("without a decision, refused are %v", got)
	}
}

// TestSince has what a claim uses that its payer could not know of when it answered a check at noon of March 3.
func TestSince(t *testing.T) {
	t.Parallel()
	answered := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	// came is a remittance that came days after the answer, with a payment dated on a day of March.
	type came struct {
		after int
		dated int
		payer string
		claim remit.Claim
	}
	paid := remitted("1", "ICN-1", primaryLines())
	lower := slices.Clone(primaryLines())
	lower[0] = paying("D2740", 600_00, cas("PR", "1", 50_00), cas("PR", "2", 150_00), cas("CO", "45", 150_00))
	all := "D2740 650.00, D0120 60.50, D2392 100.00, D1110 50.00"
	one := remitted("1", "ICN-1", primaryLines()[:1])
	level := remitted("1", "ICN-1", nil, cas("PR", "1", 50_00), cas("CO", "45", 350_50))
	level.Charge, level.Paid = 1260_50, 860_00
	for name, c := range map[string]struct {
		sent  int // days after the answer
		state claim.State
		came  []came
		want  string
		open  []int
	}{
		"sent after, not decided":                  {1, claim.Submitted, nil, "", []int{0, 1, 2, 3}},
		"sent before, not decided":                 {-1, claim.AcceptedPayer, nil, "", nil},
		"sent after, rejected":                     {1, claim.Rejected, nil, "", nil},
		"sent before, decided after":               {-1, claim.Paid, []came{{2, 5, "Delta", paid}}, all, nil},
		"sent after, decided after":                {1, claim.Reconciled, []came{{2, 5, "Delta", paid}}, all, nil},
		"decided before":                           {-5, claim.Paid, []came{{-1, 2, "Delta", paid}}, "", nil},
		"came after, and dated before":             {-5, claim.Paid, []came{{1, 2, "Delta", paid}}, "", nil},
		"came after, and dated on the day":         {-5, claim.Paid, []came{{1, 3, "Delta", paid}}, all, nil},
		"sent after, and dated before by mistake":  {1, claim.Paid, []came{{2, 2, "Delta", paid}}, all, nil},
		"one line decided":                         {1, claim.Paid, []came{{2, 5, "Delta", one}}, "D2740 650.00", []int{1, 2, 3}},
		"one line decided, and a person closed it": {1, claim.Reconciled, []came{{2, 5, "Delta", one}}, "D2740 650.00", nil},
		"decided again for less": {
			-5, claim.Paid,
			[]came{{-1, 2, "Delta", paid}, {1, 4, "Delta", takenBack(paid)}, {1, 4, "Delta", remitted("1", "ICN-2", lower)}},
			"D2740 -50.00 deductible 50.00", nil, // 600 - 650
		},
		"taken back, and to be decided again": {-5, claim.AcceptedPayer, []came{{-1, 2, "Delta", paid}, {1, 4, "Delta", takenBack(paid)}}, "", nil},
		"taken back, and voided": {
			-5, claim.Voided, []came{{-1, 2, "Delta", paid}, {1, 4, "Delta", takenBack(paid)}}, "D2740 -650.00, D0120 -60.50, D2392 -100.00, D1110 -50.00", nil,
		},
		"decided as a whole":       {1, claim.Paid, []came{{2, 5, "Delta", level}}, " 860.00 deductible 50.00", nil},
		"decided by a later payer": {1, claim.Paid, []came{{2, 5, "Delta", paid}, {3, 6, "Cigna", remitted("2", "C-1", secondaryLines())}}, all, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := crownClaim()
			k.State, k.SentAt = c.state, answered.AddDate(0, 0, c.sent)
			var entries []*remit.LedgerEntry
			for i, e := range c.came {
				r := e.claim
				r.Ordinal, r.Date = 1, billing.Date{Year: 2026, Month: 3, Day: e.dated}
				entries = append(entries, &remit.LedgerEntry{Claim: &r, ERA: remit.Source{
					ID: billing.ERAID{15: byte(i + 1)}, PayerName: e.payer, Arrival: int64(i), ReceivedAt: answered.AddDate(0, 0, e.after),
				}})
			}
			decided, open := k.Since(entries, answered, billing.DateOf(answered))
			var got []string
			for _, d := range decided {
				text := d.Code + " " + d.Pays.Most.String()
				if d.Deductible.Most != 0 {
					text += fmt.Sprint(" deductible ", d.Deductible.Most)
				}
				if got = append(got, text); d.Pays.Least != d.Pays.Most || d.ServiceDate != k.Lines[0].ServiceDate {
					t.Errorf("%+v", d)
				}
			}
			if strings.Join(got, ", ") != c.want || !slices.Equal(open, c.open) {
				t.Errorf("used %q, open %v; want %q, %v", got, open, c.want, c.open)
			}
		})
	}
}
