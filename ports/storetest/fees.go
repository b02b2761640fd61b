package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/ports"
)

// feeSchedule returns a schedule for all, made a while after the others, with two rows.
func (b *scoped) feeSchedule(n int, change func(*fee.Schedule)) *fee.Schedule {
	s := &fee.Schedule{
		ID: id[billing.FeeScheduleID](), Scope: b.scope, CreatedAt: b.now.Add(time.Duration(n) * time.Second), Name: unicode, Kind: fee.OfficeFees,
		EffectiveFrom: billing.Date{Year: 2026, Month: 1, Day: 1}, Count: 2, Rows: []fee.Row{{ProcedureCode: "D0120", Amount: 5800}, {ProcedureCode: "D1110", Amount: 9999_99}},
	}
	change(s)
	return s
}

func (b *scoped) insertFees(all ...*fee.Schedule) {
	b.t.Helper()
	for _, s := range all {
		if err := b.try(s.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.FeeSchedules.Insert(ctx, s) }); err != nil {
			b.t.Fatal(err)
		}
	}
}

// bare returns schedules without their rows.
func bare(all ...*fee.Schedule) []*fee.Schedule {
	out := make([]*fee.Schedule, len(all))
	for i, s := range all {
		out[i] = new(*s)
		out[i].Rows = nil
	}
	return out
}

// testFees stores fee schedules, reads them, and lists them by their filters.
func testFees(b *scoped) {
	t := b.t
	full := Filled[fee.Schedule](t)
	full.Scope, full.CreatedAt, full.Kind, full.Network, full.Replaces = b.scope, b.now, fee.Allowed, fee.In, billing.FeeScheduleID{}
	full.ReplacedBy, full.ReplacedFrom = billing.FeeScheduleID{}, billing.Date{}
	full.Rows = []fee.Row{{ProcedureCode: "D0120", Amount: 1}, {ProcedureCode: "D1110", Amount: 999_999_99}}
	first := &full
	next := b.feeSchedule(1, func(s *fee.Schedule) {
		s.Kind, s.OfficeID, s.Payer, s.Network = fee.Allowed, first.OfficeID, first.Payer, fee.In
		s.EffectiveFrom, s.Replaces = billing.Date{Year: 2027, Month: 1, Day: 1}, first.ID
	})
	all := b.feeSchedule(2, func(s *fee.Schedule) {
		s.Rows = nil
		for n := range fee.MaxRows {
			s.Rows = append(s.Rows, fee.Row{ProcedureCode: "D" + string([]byte{byte('0' + n/1000), byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)}), Amount: billing.Money(n)})
		}
		s.Count = fee.MaxRows
	})
	later := b.feeSchedule(3, func(s *fee.Schedule) { s.EffectiveFrom = billing.Date{Year: 2026, Month: 7, Day: 1} })
	other := b.feeSchedule(4, func(s *fee.Schedule) { s.Scope = b.others()[0] })
	b.insertFees(first, next, all, later, other)
	first.ReplacedBy, first.ReplacedFrom = next.ID, next.EffectiveFrom
	for _, s := range []*fee.Schedule{first, next, all, later} {
		equal(t, "read", read(b, func(ctx context.Context, tx ports.Tx) (*fee.Schedule, error) { return tx.FeeSchedules.Get(ctx, s.ID) }), s)
	}
	b.absent("a fee schedule", func(ctx context.Context, tx ports.Tx) (any, error) { return tx.FeeSchedules.Get(ctx, other.ID) })

	day := func(year int, month time.Month) billing.Date { return billing.Date{Year: year, Month: month, Day: 1} }
	for name, x := range map[string]struct {
		f    fee.Filter
		want []*fee.Schedule
	}{
		"all":                {fee.Filter{}, bare(later, all, next, first)},
		"office":             {fee.Filter{OfficeID: first.OfficeID}, bare(next, first)},
		"payer":              {fee.Filter{PayerID: first.Payer.ID}, bare(next, first)},
		"another payer":      {fee.Filter{PayerID: id[billing.PayerID]()}, nil},
		"kind":               {fee.Filter{Kind: fee.OfficeFees}, bare(later, all)},
		"current in spring":  {fee.Filter{Current: new(true), Day: day(2026, 6)}, bare(all, first)},
		"current in summer":  {fee.Filter{Current: new(true), Day: day(2026, 7)}, bare(later, first)},
		"current next year":  {fee.Filter{Current: new(true), Day: day(2027, 1)}, bare(later, next)},
		"not current then":   {fee.Filter{Current: new(false), Day: day(2027, 1)}, bare(all, first)},
		"current in 2025":    {fee.Filter{Current: new(true), Day: day(2025, 1)}, nil},
		"current, of a kind": {fee.Filter{Current: new(true), Day: day(2027, 1), Kind: fee.Allowed}, bare(next)},
	} {
		got := walk(1, func(p billing.Page) []*fee.Schedule {
			return read(b, func(ctx context.Context, tx ports.Tx) ([]*fee.Schedule, error) {
				return tx.FeeSchedules.List(ctx, x.f, p)
			})
		}, (*fee.Schedule).Position, func() {})
		equal(t, name, got, x.want)
	}
}

// testFeesBeside finds the schedules that a new one is checked against. Of two transactions
// that store schedules, one waits for the other.
func testFeesBeside(b *scoped) {
	t := b.t
	first := b.feeSchedule(0, func(*fee.Schedule) {})
	office := b.feeSchedule(1, func(s *fee.Schedule) { s.OfficeID = id[billing.OfficeID]() })
	payer := b.feeSchedule(2, func(s *fee.Schedule) { s.Payer = Filled[directory.PayerSummary](t) })
	other := b.feeSchedule(3, func(s *fee.Schedule) { s.Scope = b.others()[0] })
	b.insertFees(first, office, payer, other)
	for name, x := range map[string]struct {
		change func(*fee.Schedule)
		want   []*fee.Schedule
	}{
		"the same":           {func(*fee.Schedule) {}, bare(first)},
		"of an office":       {func(s *fee.Schedule) { s.OfficeID = office.OfficeID }, bare(office)},
		"of a payer":         {func(s *fee.Schedule) { s.Payer.ID = payer.Payer.ID }, bare(payer)},
		"of a network":       {func(s *fee.Schedule) { s.Network = fee.In }, []*fee.Schedule{}},
		"of the other kind":  {func(s *fee.Schedule) { s.Kind = fee.Allowed }, []*fee.Schedule{}},
		"of another day":     {func(s *fee.Schedule) { s.EffectiveFrom = s.EffectiveFrom.AddDays(1) }, []*fee.Schedule{}},
		"of both":            {func(s *fee.Schedule) { s.OfficeID, s.Payer.ID = office.OfficeID, payer.Payer.ID }, []*fee.Schedule{}},
		"that replaces one":  {func(s *fee.Schedule) { s.Network, s.Replaces = fee.In, office.ID }, bare(office)},
		"that replaces both": {func(s *fee.Schedule) { s.Replaces = office.ID }, bare(first, office)},
		"of other scopes":    {func(s *fee.Schedule) { s.Network, s.Replaces = fee.In, other.ID }, []*fee.Schedule{}},
	} {
		equal(t, name, read(b, func(ctx context.Context, tx ports.Tx) ([]*fee.Schedule, error) {
			return tx.FeeSchedules.Beside(ctx, b.feeSchedule(9, x.change))
		}), x.want)
	}
	found := make(chan int, 2)
	b.race(times(2, func(n int) error {
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			s := b.feeSchedule(n, func(s *fee.Schedule) { s.Network = fee.Out })
			beside, err := tx.FeeSchedules.Beside(ctx, s)
			if err != nil || len(beside) > 0 {
				found <- len(beside)
				return err
			}
			return tx.FeeSchedules.Insert(ctx, s)
		})
	})...)
	select {
	case n := <-found:
		equal(t, "the later one finds", n, 1)
	default:
		t.Error("both were stored")
	}
}

// testPricing compares what counts among the schedules that Pricing and Considered read with
// what counts among all.
func testPricing(b *scoped) {
	t := b.t
	offices := []billing.OfficeID{{}, id[billing.OfficeID](), id[billing.OfficeID]()}
	payers := []directory.PayerSummary{{}, Filled[directory.PayerSummary](t), Filled[directory.PayerSummary](t)}
	codes := []string{"D0120", "D1110", "D2740"}
	day := func(month int) billing.Date { return billing.Date{Year: 2026, Month: time.Month(month), Day: 1} }
	var all []*fee.Schedule
	for n, kind := range fee.Kinds() {
		for o := range offices {
			for p := range payers {
				for _, network := range []fee.Network{"", fee.In} {
					for month := 1; month <= 3; month += 2 {
						amount := billing.Money(len(all) * 100)
						all = append(all, b.feeSchedule(len(all), func(s *fee.Schedule) {
							s.Kind, s.OfficeID, s.Payer, s.Network, s.EffectiveFrom = kind, offices[o], payers[p], network, day(month)
							s.Rows = nil
							for i, code := range codes {
								if (len(all)+n)%(i+2) != 0 {
									s.Rows = append(s.Rows, fee.Row{ProcedureCode: code, Amount: amount + billing.Money(i)})
								}
							}
							s.Count = len(s.Rows)
						}))
					}
				}
			}
		}
	}
	replacing := b.feeSchedule(len(all), func(s *fee.Schedule) {
		s.OfficeID, s.Replaces, s.EffectiveFrom = offices[1], all[4].ID, day(2)
	})
	b.insertFees(append(all, replacing)...)
	all[4].ReplacedBy, all[4].ReplacedFrom = replacing.ID, replacing.EffectiveFrom
	all = append(all, replacing)
	for _, q := range questions(append(offices, id[billing.OfficeID]()), payers) {
		lines := []fee.Line{{ProcedureCode: "D0120", On: day(1)}, {ProcedureCode: "D1110", On: day(2)}, {ProcedureCode: "D0120", On: day(4)}, {ProcedureCode: "D2740", On: day(1).AddDays(-1)}, {ProcedureCode: "D9999", On: day(4)}}
		found := read(b, func(ctx context.Context, tx ports.Tx) ([]*fee.Schedule, error) {
			return tx.FeeSchedules.Pricing(ctx, q, lines)
		})
		want := q.Prices(all, lines)
		equal(t, "prices", q.Prices(found, lines), want)
		for i, l := range lines {
			considered := read(b, func(ctx context.Context, tx ports.Tx) ([]*fee.Schedule, error) {
				return tx.FeeSchedules.Considered(ctx, q, l, len(all)+1)
			})
			equal(t, "considered", len(considered), len(all))
			equal(t, "price", q.Prices(considered, []fee.Line{l})[0], want[i])
			few := read(b, func(ctx context.Context, tx ports.Tx) ([]*fee.Schedule, error) {
				return tx.FeeSchedules.Considered(ctx, q, l, 40)
			})
			equal(t, "few of them", len(few), 40)
			equal(t, "price by few", q.Prices(few, []fee.Line{l})[0], want[i])
		}
	}
	equal(t, "no lines", len(read(b, func(ctx context.Context, tx ports.Tx) ([]*fee.Schedule, error) {
		return tx.FeeSchedules.Pricing(ctx, fee.Question{}, nil)
	})), 0)
}

func questions(offices []billing.OfficeID, payers []directory.PayerSummary) (all []fee.Question) {
	for _, o := range offices {
		for _, p := range payers {
			for _, n := range []fee.Network{"", fee.In, fee.Out} {
				all = append(all, fee.Question{OfficeID: o, PayerID: p.ID, Network: n})
			}
		}
	}
	return all
}
