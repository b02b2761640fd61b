package storetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/report"
	"github.com/molar-billing/molar/ports"
)

// era returns a remittance that was read, n microseconds after the start of the
// test.
func (b *scoped) era(n int) *remit.ERA {
	return &remit.ERA{
		ID: id[billing.ERAID](), Scope: b.scope, State: remit.NeedsReview, Payer: b.payer(), PayerName: unicode, OfficeID: id[billing.OfficeID](),
		Payment: remit.Payment{
			Method: "ACH", TraceNumber: "T " + unicode, Date: billing.Date{Year: 2026, Month: 5, Day: 4}, Total: 12345, ProviderAdjustmentsTotal: -5,
		},
		ProviderAdjustments: []remit.ProviderAdjustment{{
			ProviderID: "1", Reason: "WO", Reference: "R", PeriodEnd: billing.Date{Year: 2026, Month: 12, Day: 31}, Amount: -5,
		}},
		Balanced: true,
		Balance: remit.Balance{
			Payment: remit.LevelBalance{Checked: 1}, Lines: remit.LevelBalance{Checked: 3, Failed: 1, Off: 7},
			Findings: []remit.BalanceFinding{{Level: "line", Claim: 1, ControlNumber: "A", Line: 2, Segment: 9, Expected: 1, Stated: 8, Off: 7, Explanation: "x"}, {Level: "claim", Claim: 2, Segment: 12, Unread: true, Explanation: "y"}},
		},
		Warnings: []remit.WarningCode{remit.WarnEnvelopeCounts}, Corrects: []billing.ERAID{id[billing.ERAID]()},
		Difference: new(Filled[remit.Difference](b.t)), ClaimCount: 3, MatchedCount: 2,
		Progress: remit.Progress{Applied: 1, Ignored: 1, Forwarded: 1},
		File:     clearing.FileRef{Name: "f.835", ControlNumbers: clearing.ControlNumbers{Interchange: "1", Group: "2", Transaction: "3"}},
		Origin:   clearing.FileFromImport, Stage: remit.Applying, ReceivedAt: b.now.Add(time.Duration(n) * time.Microsecond),
	}
}

// insertERAs stores remittances, and sets the order in which they came.
func (b *scoped) insertERAs(all ...*remit.ERA) {
	b.t.Helper()
	var last int64
	for _, e := range all {
		if known, err := b.insertERA(e, digest(e.ID.String())); !known.IsZero() || err != nil {
			b.t.Fatal(known, err)
		}
		stored, err := b.lockERA(e.ID)
		if err != nil {
			b.t.Fatal(err)
		}
		if stored.Arrival <= last {
			b.t.Errorf("remittance %d came after %d", stored.Arrival, last)
		}
		e.Arrival, last = stored.Arrival, stored.Arrival
	}
}

func (b *scoped) knownERA(identity [32]byte) (known billing.ERAID) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		known, err = tx.Quarantine.Known(ctx, identity)
		return err
	})
	return known
}

func (b *scoped) insertERA(e *remit.ERA, identity [32]byte) (known billing.ERAID, err error) {
	return try(b, e.Scope, func(ctx context.Context, tx ports.Tx) (billing.ERAID, error) {
		return tx.ERAs.Insert(ctx, e, identity, []byte("ISA*"+e.ID.String()))
	})
}

func (b *scoped) lockERA(id billing.ERAID) (e *remit.ERA, err error) {
	return try(b, b.scope, func(ctx context.Context, tx ports.Tx) (*remit.ERA, error) { return tx.ERAs.Lock(ctx, id) })
}

// testERAs stores remittances, lists those that are read, and saves their
// states.
func testERAs(b *scoped) {
	t := b.t
	one, bare := b.era(0), b.era(1)
	bare.Payer, bare.OfficeID, bare.Payment, bare.ProviderAdjustments, bare.Balance = directory.PayerSummary{}, billing.OfficeID{}, remit.Payment{}, nil, remit.Balance{}
	b.insertERAs(one, bare)
	get := func(ctx context.Context, tx ports.Tx) (*remit.ERA, error) { return tx.ERAs.Get(ctx, one.ID) }
	equal(t, "remittance", read(b, get), one)
	if e, err := b.lockERA(bare.ID); err != nil {
		t.Error(err)
	} else {
		equal(t, "bare remittance", e, bare)
	}
	equal(t, "the known payment", b.knownERA(digest(one.ID.String())), one.ID)
	equal(t, "an unknown payment", b.knownERA(digest("another")), billing.ERAID{})
	again := b.era(2)
	if known, err := b.insertERA(again, digest(one.ID.String())); known != one.ID || err != nil {
		t.Errorf("the same payment: %v, %v", known, err)
	}
	mine := b.scope
	again.Scope = newScope()
	if b.scope = again.Scope; !b.knownERA(digest(one.ID.String())).IsZero() {
		t.Error("another scope knows the payment")
	}
	b.scope = mine
	if known, err := b.insertERA(again, digest(one.ID.String())); !known.IsZero() || err != nil {
		t.Errorf("the same payment to another scope: %v, %v", known, err)
	}
	one.State, one.ClaimCount, one.MatchedCount, one.Stage = remit.Posted, 7, 6, remit.Done
	one.Progress = remit.Progress{Applied: 1, NeedsReview: 2, Unmatched: 3, Ignored: 4, Forwarded: 5}
	one.ReceivedAt, one.PostedAt = b.now.Add(time.Hour), b.now.Add(2*time.Hour)
	one.Balanced, one.Later = false, Filled[remit.Later](t)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		e, err := tx.ERAs.Lock(ctx, one.ID)
		if err != nil {
			return err
		}
		e.State, e.ClaimCount, e.MatchedCount, e.Progress, e.Stage = one.State, one.ClaimCount, one.MatchedCount, one.Progress, one.Stage
		e.ReceivedAt, e.PostedAt, e.Balanced, e.Later = one.ReceivedAt, one.PostedAt, one.Balanced, one.Later
		return tx.ERAs.Save(ctx, e)
	})
	equal(t, "saved remittance", read(b, get), one)
	equal(t, "content", string(read(b, func(ctx context.Context, tx ports.Tx) ([]byte, error) { return tx.ERAs.Content(ctx, one.ID) })), "ISA*"+one.ID.String())
	nothing := id[billing.ERAID]()
	b.absent("an absent remittance",
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.ERAs.Get(ctx, nothing) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.ERAs.Lock(ctx, nothing) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.ERAs.Content(ctx, nothing) })
}

// testNextERA locks remittances in the order of arrival. Callers do not see one
// that is being read.
func testNextERA(b *scoped) {
	t := b.t
	first, second, done := b.era(0), b.era(1), b.era(2)
	first.Stage, first.ReceivedAt = remit.Reading, time.Time{}
	done.Stage = remit.Done
	b.insertERAs(first, second, done)
	b.view(func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.ERAs.Get(ctx, first.ID)
		wantCode(t, "a remittance that is being read", err, billing.CodeNotFound)
		all, err := tx.ERAs.List(ctx, remit.Filter{}, billing.Page{Limit: 10})
		equal(t, "those that are read", all, []*remit.ERA{done, second})
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
			e.Read(3, b.now.Add(time.Second))
			e.Stage = remit.Done
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
func testERAFilters(b *scoped) {
	t := b.t
	wanted, other := b.era(10), b.era(5)
	wanted.State, wanted.PostedAt, wanted.Payment.Date = remit.Posted, b.now, billing.Date{Year: 2026, Month: 5, Day: 9}
	wanted.Progress.Unmatched, wanted.Balanced, wanted.OfficeID, wanted.Payment.TraceNumber = 1, !other.Balanced, id[billing.OfficeID](), "Trace-1"
	other.Payment.Date = billing.Date{Year: 2026, Month: 5, Day: 7}
	dateless := b.era(0)
	dateless.Payment.Date = billing.Date{}
	b.insertERAs(wanted, other, dateless)
	list := func(f remit.Filter, p billing.Page) []*remit.ERA {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*remit.ERA, error) { return tx.ERAs.List(ctx, f, p) })
	}
	pages := func(f remit.Filter) []*remit.ERA {
		return walk(1, func(p billing.Page) []*remit.ERA { return list(f, p) }, func(e *remit.ERA) billing.Position {
			return billing.Position{Time: e.ReceivedAt, ID: e.ID}
		}, func() {})
	}
	day := wanted.Payment.Date
	for name, f := range map[string]remit.Filter{
		"state":     {State: remit.Posted},
		"unmatched": {NeedsAttention: new(true)},
		"payer":     {PayerID: wanted.Payer.ID},
		"paid":      {PaidFrom: day, PaidTo: day},
		"since":     {PaidFrom: day},
		"received":  {ReceivedFrom: wanted.ReceivedAt, ReceivedTo: wanted.ReceivedAt.Add(time.Microsecond)},
		"office":    {OfficeID: wanted.OfficeID},
		"trace":     {TraceNumber: "Trace-1"},
		"balanced":  {Balanced: &wanted.Balanced},
		"all":       {State: remit.Posted, NeedsAttention: new(true), PayerID: wanted.Payer.ID, PaidFrom: day, PaidTo: day, ReceivedFrom: wanted.ReceivedAt},
	} {
		equal(t, name, list(f, billing.Page{Limit: 10}), []*remit.ERA{wanted})
	}
	equal(t, "paid before", list(remit.Filter{PaidTo: other.Payment.Date}, billing.Page{Limit: 10}), []*remit.ERA{other})
	equal(t, "received before", list(remit.Filter{ReceivedTo: wanted.ReceivedAt}, billing.Page{Limit: 10}), []*remit.ERA{other, dateless})
	equal(t, "page by page", pages(remit.Filter{}), []*remit.ERA{wanted, other, dateless})

	unbalanced := b.era(7)
	unbalanced.Balance.Payment.Failed = 1
	b.insertERAs(unbalanced)
	wanted.Progress.Unmatched, other.Progress.NeedsReview = 0, 2
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.ERAs.Save(ctx, wanted), tx.ERAs.Save(ctx, other), tx.ERAs.Save(ctx, unbalanced))
	})
	equal(t, "those that do not", pages(remit.Filter{NeedsAttention: new(false)}), []*remit.ERA{wanted, dateless})
	equal(t, "another trace number", len(pages(remit.Filter{TraceNumber: "trace-1"})), 0)

	applied, review, ignored := b.remittanceClaim(1), b.remittanceClaim(1), b.remittanceClaim(1)
	of := b.claim(1)
	of.PatientID = id[billing.PatientID]()
	b.insertClaims(of)
	ours := of.ID
	applied.ClaimProgress = remit.ClaimProgress{Status: remit.StatusApplied, ClaimID: ours, AppliedAt: b.now}
	review.ClaimProgress = remit.ClaimProgress{Status: remit.StatusNeedsReview, ClaimID: ours}
	ignored.ClaimProgress = remit.ClaimProgress{Status: remit.StatusIgnored}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.RemittanceClaims.Insert(ctx, wanted.ID, []*remit.Claim{applied}), tx.RemittanceClaims.Insert(ctx, other.ID, []*remit.Claim{review}),
			tx.RemittanceClaims.Insert(ctx, dateless.ID, []*remit.Claim{ignored}))
	})
	for e, p := range map[*remit.ERA]remit.Progress{wanted: {Applied: 1}, unbalanced: {Applied: 1}, other: {NeedsReview: 1}, dateless: {Ignored: 1}} {
		e.ClaimCount, e.MatchedCount, e.Progress = 1, p.Applied+p.NeedsReview, p
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.ERAs.Save(ctx, e) })
	}
	equal(t, "with ignored claims", pages(remit.Filter{With: remit.WithIgnored}), []*remit.ERA{dateless})
	equal(t, "with unfinished claims", pages(remit.Filter{With: remit.WithUnfinished}), []*remit.ERA{other})
	one := remit.UnappliedSum{Paid: -50, Claims: 1}
	b.view(func(ctx context.Context, tx ports.Tx) error {
		of, err := tx.Reports.UnappliedOf(ctx, other.ID)
		equal(t, "unapplied of a remittance", of, remit.Unapplied{Unfinished: one})
		all, err2 := tx.Reports.Payments(ctx, remit.Filter{})
		equal(t, "unapplied of all", all.Unapplied, remit.Unapplied{Ignored: one, Unfinished: one})
		none, err3 := tx.Reports.Payments(ctx, remit.Filter{PaidFrom: day})
		equal(t, "unapplied of a day", none.Unapplied, remit.Unapplied{})
		return errors.Join(err, err2, err3)
	})
	equal(t, "of a claim", pages(remit.Filter{ClaimID: ours}), []*remit.ERA{wanted, other})
	equal(t, "of a patient", pages(remit.Filter{PatientID: of.PatientID}), []*remit.ERA{wanted, other})
	equal(t, "of another patient", len(pages(remit.Filter{PatientID: id[billing.PatientID]()})), 0)
	equal(t, "of another claim", len(pages(remit.Filter{ClaimID: id[billing.ClaimID]()})), 0)
	equal(t, "those that need attention", pages(remit.Filter{NeedsAttention: new(true)}), []*remit.ERA{unbalanced, other})
}

// testPayments adds up what remittances that stand pay, and by what provider adjustments changed it.
func testPayments(b *scoped) {
	plain, two, later, correction, replaced := b.era(0), b.era(1), b.era(2), b.era(3), b.era(4)
	for _, e := range []*remit.ERA{plain, two, later} {
		e.Corrects, e.Difference = nil, nil
	}
	plain.ProviderAdjustments = nil
	two.Payment.Total = 100
	two.ProviderAdjustments = []remit.ProviderAdjustment{{Reason: "WO", Amount: 30}, {Reason: "L6", Amount: -7}, {Reason: "WO", Amount: 5}}
	later.Payment.Date.Day, later.Payment.Total = 9, 10
	replaced.State = remit.Replaced
	b.insertERAs(plain, two, later, correction, replaced)
	b.view(func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Reports.Payments(ctx, remit.Filter{})
		equal(b.t, "all", all, report.Payments{Total: 12345 + 100 + 10, Remittances: 3, Adjusted: []report.Adjusted{{Reason: "L6", Amount: -7, Remittances: 1}, {Reason: "WO", Amount: 30, Remittances: 2}}})
		equal(b.t, "adjusted", all.AdjustedTotal(), billing.Money(23))
		day, err2 := tx.Reports.Payments(ctx, remit.Filter{PaidFrom: later.Payment.Date})
		equal(b.t, "of a day", day, report.Payments{Total: 10, Remittances: 1, Adjusted: []report.Adjusted{{Reason: "WO", Amount: -5, Remittances: 1}}})
		none, err3 := tx.Reports.Payments(ctx, remit.Filter{PayerID: id[billing.PayerID]()})
		equal(b.t, "of another payer", none, report.Payments{})
		return errors.Join(err, err2, err3)
	})
}

func (b *scoped) remittanceClaim(n int) *remit.Claim {
	return &remit.Claim{
		Ordinal: n, ControlNumber: unicode, PayerClaimNumber: "P" + strconv.Itoa(n), Original: "O", StatusCode: "1",
		Charge: 100, Paid: -50, Allowed: new(billing.Money(0)), PatientResponsibility: new(billing.Money(7)), PatientFirstName: "A", PatientLastName: unicode,
		MemberID: "M", CorrectedPatient: &remit.CorrectedPatient{FirstName: "A", LastName: unicode, MemberID: "M"}, CrossoverPayer: &remit.CrossoverPayer{Name: unicode, ID: "X"},
		ServiceDates: billing.DateSpan{From: billing.Date{Year: 2026, Month: 5, Day: 4}}, Date: billing.Date{Year: 2026, Month: 5, Day: 9}, Balanced: true,
		Adjustments: []remit.Adjustment{{Group: "CO", Reason: "45", Amount: 5, Quantity: "1"}}, Remarks: []string{"N1"},
		Lines: []remit.Line{{
			ControlNumber: "1", ProcedureCode: "D2740", SubmittedCode: "D2750", ServiceDate: billing.Date{Year: 2026, Month: 5, Day: 4}, Charge: 100, Paid: -50,
			Allowed: new(billing.Money(1)), Units: "1", Adjustments: []remit.Adjustment{{Group: "PR", Reason: "1", Amount: 2}}, Remarks: []string{"M1"},
		}},
		ClaimProgress: remit.ClaimProgress{Status: remit.StatusPending},
	}
}

// became sets what became of a remittance claim.
func (b *scoped) became(r *remit.Claim, status remit.Status, c billing.ClaimID) *remit.Claim {
	r.ClaimProgress = remit.ClaimProgress{Status: status, ClaimID: c}
	if status == remit.StatusApplied {
		r.AppliedAt = b.now
	}
	return r
}

func (b *scoped) insertRemittanceClaims(era billing.ERAID, all ...*remit.Claim) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.RemittanceClaims.Insert(ctx, era, all) })
}

func (b *scoped) saveRemittanceClaims(era billing.ERAID, all ...*remit.Claim) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.RemittanceClaims.Save(ctx, era, all) })
}

// testRemittanceClaims stores hundreds of remittance claims in chunks, and reads
// them in the order of the file.
func testRemittanceClaims(b *scoped) {
	t := b.t
	e, other := b.era(0), b.era(1)
	b.insertERAs(e, other)
	var all []*remit.Claim
	for n := range 500 {
		c := b.remittanceClaim(n + 1)
		switch n % 5 {
		case 1:
			c.ClaimProgress = Filled[remit.ClaimProgress](t)
			c.Status = remit.StatusApplied
		case 2:
			b.became(c, remit.StatusNeedsReview, id[billing.ClaimID]()).LineNumbers = []int{}
		case 3:
			b.became(c, remit.StatusUnmatched, billing.ClaimID{})
			c.Adjustments, c.Remarks, c.Lines, c.Allowed, c.CorrectedPatient, c.CrossoverPayer = nil, nil, nil, nil, nil, nil
		default:
		}
		all = append(all, c)
	}
	for _, chunk := range [][]*remit.Claim{all[250:], all[:250]} {
		b.insertRemittanceClaims(e.ID, chunk...)
	}
	b.insertRemittanceClaims(other.ID, b.remittanceClaim(1), b.became(b.remittanceClaim(2), remit.StatusUnmatched, billing.ClaimID{}))
	list := func(after, limit int) []*remit.Claim {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*remit.Claim, error) {
			return tx.RemittanceClaims.List(ctx, e.ID, after, limit)
		})
	}
	pending := func(limit int) []*remit.Claim {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*remit.Claim, error) {
			return tx.RemittanceClaims.Pending(ctx, e.ID, limit)
		})
	}
	withStatus := func(s remit.Status) []*remit.Claim {
		return slices.DeleteFunc(slices.Clone(all), func(c *remit.Claim) bool { return c.Status != s })
	}
	equal(t, "all", list(0, 1000), all)
	equal(t, "some", list(100, 3), all[100:103])
	equal(t, "one", read(b, func(ctx context.Context, tx ports.Tx) (*remit.Claim, error) {
		return tx.RemittanceClaims.Get(ctx, e.ID, 7)
	}), all[6])
	left := withStatus(remit.StatusPending)
	equal(t, "pending", pending(1000), left)
	equal(t, "the first pending ones", pending(3), left[:3])
	for _, c := range left[2:] {
		c.ClaimProgress = Filled[remit.ClaimProgress](t)
		c.Status = remit.StatusIgnored
	}
	b.became(all[1], remit.StatusNeedsReview, all[1].ClaimID)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.RemittanceClaims.Save(ctx, e.ID, left[2:]), tx.RemittanceClaims.Save(ctx, e.ID, all[1:2]))
	})
	equal(t, "after they were saved", list(0, 1000), all)
	equal(t, "left", pending(1000), left[:2])
	unmatched := withStatus(remit.StatusUnmatched)
	for _, want := range []int{len(unmatched), 0} {
		n, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (int, error) { return tx.RemittanceClaims.Again(ctx, e.ID) })
		if n != want || err != nil {
			t.Errorf("%d claims are pending again, %v, want %d", n, err, want)
		}
	}
	for _, c := range unmatched {
		c.Status = remit.StatusPending
	}
	b.became(all[1], remit.StatusNeedsReview, all[1].ClaimID).Review = remit.ReviewPaymentRepeated
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.RemittanceClaims.Save(ctx, e.ID, all[1:2]) })
	for _, want := range []struct {
		era   billing.ERAID
		claim billing.ClaimID
		n     int
	}{{other.ID, all[1].ClaimID, 0}, {e.ID, id[billing.ClaimID](), 0}, {e.ID, all[1].ClaimID, 1}, {e.ID, all[1].ClaimID, 0}} {
		n, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (int, error) {
			return tx.RemittanceClaims.Reconsider(ctx, want.era, []billing.ClaimID{want.claim})
		})
		if n != want.n || err != nil {
			t.Errorf("%d claims are reviewed again, %v, want %d", n, err, want.n)
		}
	}
	all[1].Status = remit.StatusPending
	beside := b.became(all[6], remit.StatusNeedsReview, all[6].ClaimID)
	beside.Review = remit.ReviewExceedsCharge
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if err := tx.RemittanceClaims.Save(ctx, e.ID, all[6:7]); err != nil {
			return err
		}
		n, err := tx.RemittanceClaims.Reconsider(ctx, e.ID, []billing.ClaimID{beside.ClaimID})
		equal(t, "those beyond the charge that are reviewed again", n, 1)
		return err
	})
	beside.Status = remit.StatusPending
	equal(t, "after they are pending again", list(0, 1000), all)
	b.view(func(ctx context.Context, tx ports.Tx) error {
		kept, err := tx.RemittanceClaims.Count(ctx, e.ID)
		none, err2 := tx.RemittanceClaims.Count(ctx, id[billing.ERAID]())
		equal(t, "counted", []int{kept, none}, []int{500, 0})
		return errors.Join(err, err2)
	})
	b.absent("an absent remittance claim", func(ctx context.Context, tx ports.Tx) (any, error) { return tx.RemittanceClaims.Get(ctx, e.ID, 501) })
}

// testUnmatched finds the remittances that a claim or a payment may match.
func testUnmatched(b *scoped) {
	t := b.t
	var eras []*remit.ERA
	for n := range 5 {
		eras = append(eras, b.era(n))
	}
	b.insertERAs(eras...)
	row := func(ordinal int, control, payer, original string) *remit.Claim {
		r := b.became(b.remittanceClaim(ordinal), remit.StatusUnmatched, billing.ClaimID{})
		r.ControlNumber, r.PayerClaimNumber, r.Original = control, payer, original
		return r
	}
	matched := b.became(row(1, "Abc-1", "P-7", "P-7"), remit.StatusIgnored, billing.ClaimID{})
	b.insertRemittanceClaims(eras[4].ID, row(1, "ABC-1", "P-1", ""), row(2, "abc-1", "P-7", ""))
	b.insertRemittanceClaims(eras[1].ID, row(1, "X", "P-7", "P-7"), row(2, "Y", "", "P-8"))
	b.insertRemittanceClaims(eras[0].ID, row(1, "Abc-1", "", ""))
	b.insertRemittanceClaims(eras[2].ID, row(1, "", "p-7", "P-70"), row(2, "abc-10", "P", "abc-1"))
	b.insertRemittanceClaims(eras[3].ID, matched)
	for name, c := range map[string]struct {
		control, payer []string
		want           []int
	}{
		"no number":                      {nil, nil, nil},
		"empty numbers":                  {[]string{""}, []string{""}, nil},
		"a control number, in any case":  {[]string{"aBC-1"}, nil, []int{0, 4}},
		"the payer's number":             {nil, []string{"P-7"}, []int{1, 4}},
		"the payer's original number":    {nil, []string{"P-8"}, []int{1}},
		"several numbers of either kind": {[]string{"abc-10", "abc-1", "none"}, []string{"P-8", "P-7"}, []int{0, 1, 2, 4}},
		"absent numbers":                 {[]string{"abc"}, []string{"abc-1-", "X"}, nil},
	} {
		var want []billing.ERAID
		for _, n := range c.want {
			want = append(want, eras[n].ID)
		}
		equal(t, name, read(b, func(ctx context.Context, tx ports.Tx) ([]billing.ERAID, error) {
			return tx.RemittanceClaims.Unmatched(ctx, c.control, c.payer)
		}), want)
	}
}

// testReviewERA reads claims with the first remittance that needs review for them.
func testReviewERA(b *scoped) {
	t := b.t
	c, other := b.claim(0), b.claim(1)
	for _, c := range []*claim.Claim{c, other} { // their payers do not decide
		c.State, c.History = claim.AcceptedPayer, []claim.Move{{State: claim.AcceptedPayer, At: b.now.AddDate(0, 0, -31)}}
	}
	b.insertClaims(c, other)
	first, second := b.era(0), b.era(1)
	b.insertERAs(first, second)
	has := func(what string, want billing.ERAID) {
		t.Helper()
		equal(t, what+", by the tasks", []billing.ERAID{b.taskOf(c.ID).ReviewERA, b.taskOf(other.ID).ReviewERA}, []billing.ERAID{want, {}})
		b.in(func(ctx context.Context, tx ports.Tx) error {
			one, err1 := tx.Claims.Get(ctx, c.ID)
			locked, err2 := tx.Claims.Lock(ctx, c.ID)
			list, err3 := tx.Claims.List(ctx, claim.Filter{Kind: claim.KindClaim}, billing.Page{Limit: 10})
			if err := errors.Join(err1, err2, err3); err != nil || len(list) != 2 {
				return err
			}
			equal(t, what, []billing.ERAID{one.ReviewERA, locked.ReviewERA, list[1].ReviewERA, list[0].ReviewERA}, []billing.ERAID{want, want, want, {}})
			return nil
		})
	}
	has("a claim without remittances", billing.ERAID{})
	early, late := b.became(b.remittanceClaim(1), remit.StatusNeedsReview, c.ID), b.became(b.remittanceClaim(1), remit.StatusNeedsReview, c.ID)
	b.insertRemittanceClaims(second.ID, late)
	has("a remittance that needs review", second.ID)
	b.insertRemittanceClaims(first.ID, b.became(b.remittanceClaim(2), remit.StatusApplied, c.ID), early)
	has("the first of two", first.ID)
	b.saveRemittanceClaims(first.ID, b.became(early, remit.StatusApplied, c.ID))
	has("the one that is left", second.ID)
	b.saveRemittanceClaims(second.ID, b.became(late, remit.StatusIgnored, c.ID))
	has("none left", billing.ERAID{})
}
