package fee_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/limit"
)

// TestLimits finds each limit in the narrowest contract in force that has it.
func TestLimits(t *testing.T) {
	t.Parallel()
	payer, office := billing.PayerID{15: 1}, billing.OfficeID{15: 2}
	from := func(year int) billing.Date { return billing.Date{Year: year, Month: 1, Day: 1} }
	term := func(days int) limit.Term { return limit.Term{Days: days, Stated: "page 12"} }
	contract := func(n byte, change func(*fee.Schedule)) *fee.Schedule {
		s := &fee.Schedule{ID: billing.FeeScheduleID{15: n}, Kind: fee.Allowed, Payer: directory.PayerSummary{ID: payer}, EffectiveFrom: from(2025), Limits: limit.Terms{Filing: term(int(n))}}
		change(s)
		return s
	}
	all := []*fee.Schedule{
		contract(10, func(s *fee.Schedule) { s.Limits.Appeal = term(100) }),
		contract(20, func(s *fee.Schedule) {
			s.EffectiveFrom, s.Limits = from(2026), limit.Terms{Filing: term(20), Secondary: term(200)}
		}),
		contract(30, func(s *fee.Schedule) { s.OfficeID = office }),
		contract(40, func(s *fee.Schedule) { s.Kind = fee.OfficeFees; s.OfficeID = office }),
		contract(50, func(s *fee.Schedule) { s.Network = fee.Out }),
		contract(60, func(s *fee.Schedule) { s.Payer.ID = billing.PayerID{15: 9} }),
		contract(70, func(s *fee.Schedule) { s.OfficeID = billing.OfficeID{15: 8} }),
		contract(80, func(s *fee.Schedule) { s.Payer.ID, s.Limits = billing.PayerID{}, limit.Terms{Appeal: term(80)} }),
		contract(90, func(s *fee.Schedule) {
			s.OfficeID, s.ReplacedBy, s.ReplacedFrom = office, billing.FeeScheduleID{15: 1}, from(2025)
		}),
	}
	for name, x := range map[string]struct {
		office billing.OfficeID
		on     billing.Date
		want   limit.Terms
	}{
		"before any":          {office, from(2024), limit.Terms{}},
		"the first version":   {billing.OfficeID{}, from(2025), limit.Terms{Filing: term(10), Appeal: term(100)}},
		"the second one":      {billing.OfficeID{}, from(2026), limit.Terms{Filing: term(20), Secondary: term(200), Appeal: term(80)}},
		"that of the office":  {office, from(2026), limit.Terms{Filing: term(30), Secondary: term(200), Appeal: term(80)}},
		"the office's at new": {office, from(2025), limit.Terms{Filing: term(30), Appeal: term(100)}},
	} {
		if got := (fee.Question{OfficeID: x.office, PayerID: payer, Network: fee.In}).Limits(all, x.on); got != x.want {
			t.Errorf("%s: %+v, want %+v", name, got, x.want)
		}
	}
	set := limit.Over(limit.Terms{Filing: term(5)}, limit.Terms{Filing: term(6), Appeal: term(7)})
	if set.Filing.Of != limit.Contract || set.Filing.Days != 5 || set.Appeal.Of != limit.Payer || set.Appeal.Days != 7 || set.Secondary != (limit.Known{}) {
		t.Errorf("a contract comes before the payer's limits: %+v", set)
	}
}
