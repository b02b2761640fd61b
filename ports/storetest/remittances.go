package storetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// era returns a remittance that was read, n microseconds after the start of the
// test.
func (b *bench) era(n int) *billing.ERA {
	return &billing.ERA{
		ID: id[billing.ERAID](), Scope: b.scope, State: billing.ERANeedsReview, Payer: b.payer(), PayerName: unicode, OfficeID: id[billing.OfficeID](),
		Payment: billing.ERAPayment{
			Method: "ACH", TraceNumber: "T " + unicode, Date: billing.Date{Year: 2026, Month: 5, Day: 4}, Total: 12345, ProviderAdjustmentsTotal: -5,
		},
		ProviderAdjustments: []billing.ProviderAdjustment{{
			ProviderID: "1", Reason: "WO", Reference: "R", PeriodEnd: billing.Date{Year: 2026, Month: 12, Day: 31}, Amount: -5,
		}},
		Balanced: true,
		Balance: billing.Balance{
			Payment: billing.LevelBalance{Checked: 1}, Lines: billing.LevelBalance{Checked: 3, Failed: 1, Off: 7},
			Findings: []billing.BalanceFinding{{Level: "line", Claim: 1, ControlNumber: "A", Line: 2, Segment: 9, Expected: 1, Stated: 8, Off: 7, Explanation: "x"}, {Level: "claim", Claim: 2, Segment: 12, Unread: true, Explanation: "y"}},
		},
		ClaimCount: 3, MatchedCount: 2,
		File:     billing.FileRef{Name: "f.835", ControlNumbers: billing.ControlNumbers{Interchange: "1", Group: "2", Transaction: "3"}},
		Progress: billing.ERAApplying, ReceivedAt: b.now.Add(time.Duration(n) * time.Microsecond),
	}
}

func (b *bench) insertERAs(all ...*billing.ERA) {
	b.t.Helper()
	for _, e := range all {
		if known, err := b.insertERA(e, digest(e.ID.String())); !known.IsZero() || err != nil {
			b.t.Fatal(known, err)
		}
	}
}

func (b *bench) insertERA(e *billing.ERA, identity [32]byte) (known billing.ERAID, err error) {
	return try(b, e.Scope, func(ctx context.Context, tx ports.Tx) (billing.ERAID, error) {
		return tx.ERAs.Insert(ctx, e, identity, []byte("ISA*"+e.ID.String()))
	})
}

func (b *bench) lockERA(id billing.ERAID) (e *billing.ERA, err error) {
	return try(b, b.scope, func(ctx context.Context, tx ports.Tx) (*billing.ERA, error) { return tx.ERAs.Lock(ctx, id) })
}

// testERAs stores remittances, lists those that are read, and saves their
// states.
func testERAs(b *bench) {
	t := b.t
	one, bare := b.era(0), b.era(1)
	bare.Payer, bare.OfficeID, bare.Payment, bare.ProviderAdjustments, bare.Balance = billing.PayerSummary{}, billing.OfficeID{}, billing.ERAPayment{}, nil, billing.Balance{}
	b.insertERAs(one, bare)
	get := func(ctx context.Context, tx ports.Tx) (*billing.ERA, error) { return tx.ERAs.Get(ctx, one.ID) }
	equal(t, "remittance", read(b, get), one)
	if e, err := b.lockERA(bare.ID); err != nil {
		t.Error(err)
	} else {
		equal(t, "bare remittance", e, bare)
	}
	again := b.era(2)
	if known, err := b.insertERA(again, digest(one.ID.String())); known != one.ID || err != nil {
		t.Errorf("the same payment: %v, %v", known, err)
	}
	again.Scope = newScope()
	if known, err := b.insertERA(again, digest(one.ID.String())); !known.IsZero() || err != nil {
		t.Errorf("the same payment to another scope: %v, %v", known, err)
	}
	one.State, one.ClaimCount, one.MatchedCount, one.Progress = billing.ERAPosted, 7, 6, billing.ERADone
	one.ReceivedAt, one.PostedAt = b.now.Add(time.Hour), b.now.Add(2*time.Hour)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		e, err := tx.ERAs.Lock(ctx, one.ID)
		if err != nil {
			return err
		}
		e.State, e.ClaimCount, e.MatchedCount, e.Progress, e.ReceivedAt, e.PostedAt = one.State, one.ClaimCount, one.MatchedCount, one.Progress, one.ReceivedAt, one.PostedAt
		return tx.ERAs.Save(ctx, e)
	})
	equal(t, "saved remittance", read(b, get), one)
	equal(t, "content", string(read(b, func(ctx context.Context, tx ports.Tx) ([]byte, error) { return tx.ERAs.Content(ctx, one.ID) })), "ISA*"+one.ID.String())
	nothing := id[billing.ERAID]()
	b.absent("an absent remittance",
		func(ctx context.Context, tx ports.Tx) error { _, err := tx.ERAs.Get(ctx, nothing); return err },
		func(ctx context.Context, tx ports.Tx) error { _, err := tx.ERAs.Lock(ctx, nothing); return err },
		func(ctx context.Context, tx ports.Tx) error { _, err := tx.ERAs.Content(ctx, nothing); return err })
}

// testNextERA locks remittances in the order of arrival. Callers do not see one
// that is being read.
func testNextERA(b *bench) {
	t := b.t
	first, second, done := b.era(0), b.era(1), b.era(2)
	first.Progress, first.ReceivedAt = billing.ERAReading, time.Time{}
	done.Progress = billing.ERADone
	b.insertERAs(first, second, done)
	b.view(func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.ERAs.Get(ctx, first.ID)
		wantCode(t, "a remittance that is being read", err, billing.CodeNotFound)
		all, err := tx.ERAs.List(ctx, billing.ERAFilter{}, billing.Page{Limit: 10})
		equal(t, "those that are read", all, []*billing.ERA{done, second})
		return err
	})
	locked, finish := make(chan struct{}), make(chan struct{})
	var next billing.ERAID
	b.race(func() error {
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			e, err := tx.ERAs.Lock(ctx, billing.ERAID{})
			if err != nil {
				return err
			}
			equal(t, "the first to do", e, first)
			close(locked)
			<-finish
			e.Read(3, 2, b.now.Add(time.Second))
			e.Progress = billing.ERADone
			return tx.ERAs.Save(ctx, e)
		})
	}, func() error {
		<-locked
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			select {
			case <-finish:
			default:
				close(finish)
			}
			e, err := tx.ERAs.Lock(ctx, billing.ERAID{}) // waits for the first, and skips it
			if err == nil {
				next = e.ID
			}
			return err
		})
	})
	equal(t, "the next to do", next, second.ID)
	b.scope = newScope()
	_, err := b.lockERA(billing.ERAID{})
	wantCode(t, "nothing to do", err, billing.CodeNotFound)
}

// testERAFilters finds one remittance of several by each filter, page by page.
func testERAFilters(b *bench) {
	t := b.t
	wanted, other := b.era(10), b.era(5)
	wanted.State, wanted.PostedAt, wanted.Payment.Date = billing.ERAPosted, b.now, billing.Date{Year: 2026, Month: 5, Day: 9}
	other.Payment.Date = billing.Date{Year: 2026, Month: 5, Day: 7}
	dateless := b.era(0)
	dateless.Payment.Date = billing.Date{}
	b.insertERAs(wanted, other, dateless)
	list := func(f billing.ERAFilter, p billing.Page) []*billing.ERA {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*billing.ERA, error) { return tx.ERAs.List(ctx, f, p) })
	}
	day := wanted.Payment.Date
	for name, f := range map[string]billing.ERAFilter{
		"state":    {State: billing.ERAPosted},
		"payer":    {PayerID: wanted.Payer.ID},
		"paid":     {PaidFrom: day, PaidTo: day},
		"since":    {PaidFrom: day},
		"received": {ReceivedFrom: wanted.ReceivedAt, ReceivedTo: wanted.ReceivedAt.Add(time.Microsecond)},
		"all":      {State: billing.ERAPosted, PayerID: wanted.Payer.ID, PaidFrom: day, PaidTo: day, ReceivedFrom: wanted.ReceivedAt},
	} {
		equal(t, name, list(f, billing.Page{Limit: 10}), []*billing.ERA{wanted})
	}
	equal(t, "paid before", list(billing.ERAFilter{PaidTo: other.Payment.Date}, billing.Page{Limit: 10}), []*billing.ERA{other})
	equal(t, "received before", list(billing.ERAFilter{ReceivedTo: wanted.ReceivedAt}, billing.Page{Limit: 10}), []*billing.ERA{other, dateless})
	equal(t, "page by page", walk(1, func(p billing.Page) []*billing.ERA { return list(billing.ERAFilter{}, p) }, func(e *billing.ERA) billing.Position {
		return billing.Position{Time: e.ReceivedAt, ID: e.ID}
	}, func() {}), []*billing.ERA{wanted, other, dateless})
}

func (b *bench) eraClaim(n int) *billing.ERAClaim {
	return &billing.ERAClaim{
		Ordinal: n, ClaimID: id[billing.ClaimID](), ControlNumber: unicode, PayerClaimNumber: "P" + strconv.Itoa(n), Original: "O", StatusCode: "1",
		Charge: 100, Paid: -50, Allowed: new(billing.Money(0)), PatientResponsibility: new(billing.Money(7)), PatientFirstName: "A", PatientLastName: unicode,
		MemberID: "M", ServiceDates: billing.DateSpan{From: billing.Date{Year: 2026, Month: 5, Day: 4}}, Date: billing.Date{Year: 2026, Month: 5, Day: 9}, Balanced: true,
		Adjustments: []billing.Adjustment{{Group: "CO", Reason: "45", Amount: 5, Quantity: "1"}}, Remarks: []string{"N1"},
		Lines: []billing.ERALine{{
			Number: 1, ProcedureCode: "D2740", SubmittedCode: "D2750", ServiceDate: billing.Date{Year: 2026, Month: 5, Day: 4}, Charge: 100, Paid: -50,
			Allowed: new(billing.Money(1)), Units: "1", Adjustments: []billing.Adjustment{{Group: "PR", Reason: "1", Amount: 2}}, Remarks: []string{"M1"},
		}},
	}
}

// testERAClaims stores hundreds of claims of a remittance in chunks, and reads
// them in the order of the file.
func testERAClaims(b *bench) {
	t := b.t
	e, other := b.era(0), b.era(1)
	b.insertERAs(e, other)
	var all []*billing.ERAClaim
	for n := range 500 {
		c := b.eraClaim(n + 1)
		switch n % 5 {
		case 1:
			c.ClaimID = billing.ClaimID{}
		case 2:
			c.Balanced = false
		case 3:
			c.Applied, c.Adjustments, c.Remarks, c.Lines, c.Allowed = true, nil, nil, nil, nil
		default:
		}
		all = append(all, c)
	}
	for _, chunk := range [][]*billing.ERAClaim{all[250:], all[:250]} {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.ERAClaims.Insert(ctx, e.ID, chunk) })
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return tx.ERAClaims.Insert(ctx, other.ID, []*billing.ERAClaim{b.eraClaim(1)})
	})
	list := func(after int, unapplied bool, limit int) []*billing.ERAClaim {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*billing.ERAClaim, error) {
			return tx.ERAClaims.List(ctx, e.ID, after, unapplied, limit)
		})
	}
	equal(t, "all", list(0, false, 1000), all)
	equal(t, "some", list(100, false, 3), all[100:103])
	left := slices.DeleteFunc(slices.Clone(all), func(c *billing.ERAClaim) bool { return c.Applied || !c.Balanced || c.ClaimID.IsZero() })
	equal(t, "unapplied", list(0, true, 1000), left)
	equal(t, "unapplied after", list(left[0].Ordinal, true, 2), left[1:3])
	for _, c := range left {
		c.Applied = true
	}
	all[1].ClaimID = id[billing.ClaimID]()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.ERAClaims.Save(ctx, e.ID, left), tx.ERAClaims.Save(ctx, e.ID, all[1:2]))
	})
	equal(t, "after they were saved", list(0, false, 1000), all)
	equal(t, "left", list(0, true, 1000), all[1:2])
	b.view(func(ctx context.Context, tx ports.Tx) error {
		kept, matched, err := tx.ERAClaims.Count(ctx, e.ID)
		equal(t, "kept and matched", [2]int{kept, matched}, [2]int{500, 401})
		none, ours, err2 := tx.ERAClaims.Count(ctx, id[billing.ERAID]())
		equal(t, "of an absent one", none+ours, 0)
		return errors.Join(err, err2)
	})
}
