package storetest

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// testPayees finds verified offices by their numbers.
func testPayees(b *scoped) {
	t := b.t
	office := func(n int, in billing.Scope, npi, taxID string) *directory.Office {
		b.scope = in
		made := b.now.Add(time.Duration(n) * time.Second)
		o := &directory.Office{ID: id[billing.OfficeID](), Scope: in, Name: unicode, NPI: npi, TaxID: taxID, CreatedAt: made, VerifiedAt: made}
		if n < 0 {
			o.VerifiedAt = time.Time{}
		}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, o) })
		return o
	}
	mine, theirs := b.scope, newScope()
	b.organization()
	b.scope = theirs
	b.organization()
	one, two := office(0, mine, "1234567893", "12-3456789"), office(1, theirs, "1234567893", "")
	three := office(2, theirs, "1679576722", "123456789")
	office(3, mine, "", "")
	office(-1, theirs, "1234567893", "12-3456789")
	office(4, billing.Scope{Org: mine.Org, Mode: billing.ModeLive}, "1234567893", "12-3456789")
	for name, test := range map[string]struct {
		npi, taxID string
		want       []*directory.Office
	}{
		"NPI":                     {"1234567893", "", []*directory.Office{one, two}},
		"NPI of one":              {"1679576722", "", []*directory.Office{three}},
		"both":                    {"1234567893", "12 3456789", []*directory.Office{one}},
		"both, of different ones": {"1679576722", "99-9999999", nil},
		"tax ID":                  {"", "123456789", []*directory.Office{one, three}},
		"tax ID with a hyphen":    {"", "12-3456789", []*directory.Office{one, three}},
		"tax ID, NPI of none":     {"1992999999", "12 3456789", nil},
		"neither":                 {"", "", nil},
		"none that anybody knows": {"1992999999", "999999999", nil},
	} {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			got, err := tx.Routes.Payees(ctx, billing.ModeTest, test.npi, test.taxID)
			if len(got)+len(test.want) > 0 {
				equal(t, name, got, test.want)
			}
			return err
		})
	}
}

// testBatchByNumber finds the batch that a file replies to, by the numbers that
// the file repeats.
func testBatchByNumber(b *scoped) {
	t := b.t
	one, two, again := b.batch(0), b.batch(11), b.batch(11)
	again.CreatedAt = again.CreatedAt.Add(time.Hour)
	n := one.File.ControlNumbers
	elsewhere := b.batch(0)
	elsewhere.Network, elsewhere.CreatedAt = "another", again.CreatedAt
	b.insertBatches(one, again, two, elsewhere)
	for name, test := range map[string]struct {
		n    clearing.ControlNumbers
		mode billing.Mode
		want *clearing.Batch
	}{
		"all":                     {n, billing.ModeTest, one},
		"interchange":             {clearing.ControlNumbers{Interchange: n.Interchange}, billing.ModeTest, one},
		"group":                   {clearing.ControlNumbers{Group: n.Group}, billing.ModeTest, one},
		"transaction":             {clearing.ControlNumbers{Transaction: n.Transaction}, billing.ModeTest, one},
		"group, without zeros":    {clearing.ControlNumbers{Group: "1"}, billing.ModeTest, one},
		"one that was used again": {clearing.ControlNumbers{Group: two.File.ControlNumbers.Group}, billing.ModeTest, again},
		"another mode":            {n, billing.ModeLive, nil},
		"an unknown one":          {clearing.ControlNumbers{Group: "77"}, billing.ModeTest, nil},
		"nothing":                 {clearing.ControlNumbers{}, billing.ModeTest, nil},
	} {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			got, err := tx.Routes.Batch(ctx, test.mode, one.Network, test.n)
			if test.want == nil {
				wantCode(t, name, err, billing.CodeNotFound)
				return nil
			}
			equal(t, name, got, test.want)
			return err
		})
	}
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		got, err := tx.Routes.Batch(ctx, billing.ModeTest, elsewhere.Network, n)
		equal(t, "of another network", got, elsewhere)
		return err
	})
}

// testQuarantine stores each file once, until it is removed.
func testQuarantine(b *scoped) {
	t := b.t
	file := func(n int, content string) *quarantine.File {
		return &quarantine.File{
			ID: id[billing.FileID](), Scope: billing.Scope{Mode: billing.ModeTest}, Origin: clearing.FileFromNetwork, Name: "f" + strconv.Itoa(n), Cause: quarantine.Unplaced, Reason: "no office has the number", Content: []byte(content),
			ReceivedAt: b.now.Add(time.Duration(n) * time.Second),
		}
	}
	one, two, again, live := file(0, "ISA*1~"), file(1, "ISA*2~"), file(2, "ISA*1~"), file(3, "ISA*1~")
	live.Scope.Mode = billing.ModeLive
	two.Payment = quarantinedPayment()
	var got []*quarantine.File
	list := func(ctx context.Context, tx ports.SystemTx) (err error) {
		got, err = tx.Quarantine.List(ctx)
		return err
	}
	bare := func(q *quarantine.File) *quarantine.File {
		without := *q
		without.Content = nil
		return &without
	}
	empty, named := file(4, ""), file(5, "")
	empty.Cause, named.Cause = quarantine.Empty, quarantine.Empty
	hold := func(q, stored *quarantine.File) {
		t.Helper()
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			known, err := tx.Quarantine.Insert(ctx, q)
			equal(t, "the stored file", known, stored.ID)
			return err
		})
	}
	hold(one, one)
	hold(two, two)
	hold(again, one)
	hold(live, live)
	b.system(list)
	equal(t, "files", got, []*quarantine.File{bare(live), bare(two), bare(one)})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		q, err := tx.Quarantine.Get(ctx, one.ID)
		equal(t, "file", q, one)
		_, absent := tx.Quarantine.Get(ctx, again.ID)
		wantCode(t, "an absent file", absent, billing.CodeNotFound)
		return errors.Join(err, tx.Quarantine.Remove(ctx, one.ID), tx.Quarantine.Remove(ctx, again.ID))
	})
	hold(again, again)
	b.system(list)
	equal(t, "after one was removed and came again", got, []*quarantine.File{bare(live), bare(again), bare(two)})
	hold(empty, empty)
	hold(named, named)
	hold(empty, empty)
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		counts, err := tx.Quarantine.Counts(ctx)
		equal(t, "counts", counts, map[quarantine.Cause]int{quarantine.Unplaced: 3, quarantine.Empty: 2})
		return err
	})
}

// testClaimScopes reads and writes one scope's claims and files from other
// scopes.
func testClaimScopes(b *scoped) {
	t := b.t
	c, m, e, said := b.queuedClaim(0), b.batch(0), b.era(0), b.remittanceClaim(1)
	c.BatchID, c.PayerClaimNumber = m.ID, "P-1"
	waits := b.queuedClaim(1)
	rows := []*remit.Claim{said, b.became(b.remittanceClaim(2), remit.StatusUnmatched, c.ID), b.became(b.remittanceClaim(3), remit.StatusApplied, c.ID)}
	b.insertClaims(c, waits)
	b.insertERAs(e)
	b.insertBatches(m)
	b.insertRemittanceClaims(e.ID, rows...)
	changed, posted, moved, paid := *c, *said, *m, *e
	changed.Note, paid.ClaimCount = "changed", 99
	b.became(&posted, remit.StatusIgnored, billing.ClaimID{})
	moved.Sent(b.now)
	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		for what, read := range map[string]func() error{
			"claim to lock":         func() error { _, err := tx.Claims.Lock(ctx, c.ID); return err },
			"batch":                 func() error { _, err := tx.Batches.Get(ctx, m.ID); return err },
			"batch to lock":         func() error { _, err := tx.Batches.Lock(ctx, m.ID); return err },
			"content of a batch":    func() error { _, err := tx.Batches.Content(ctx, m.ID); return err },
			"remittance":            func() error { _, err := tx.ERAs.Get(ctx, e.ID); return err },
			"remittance to lock":    func() error { _, err := tx.ERAs.Lock(ctx, e.ID); return err },
			"next remittance":       func() error { _, err := tx.ERAs.Lock(ctx, billing.ERAID{}); return err },
			"content of remittance": func() error { _, err := tx.ERAs.Content(ctx, e.ID); return err },
			"remittance claim":      func() error { _, err := tx.RemittanceClaims.Get(ctx, e.ID, 1); return err },
		} {
			wantCode(t, what, read(), billing.CodeNotFound)
		}
		seen := 0
		var errs []error
		count := func(n int, err error) { seen, errs = seen+n, append(errs, err) }
		page := billing.Page{Limit: 10}
		list, err := tx.Claims.List(ctx, claim.Filter{Kind: claim.KindClaim}, page)
		count(len(list), err)
		claims, err := tx.Claims.Similar(ctx, c.PatientID, c.ServiceDates())
		count(len(claims), err)
		claims, err = tx.Clearing.Match(ctx, []string{c.PatientControlNumber}, []string{"P-1"})
		count(len(claims), err)
		claims, err = tx.Clearing.Queued(ctx, []billing.PayerID{c.Payer.ID}, time.Time{}, 10)
		count(len(claims), err)
		claims, err = tx.Clearing.OfBatch(ctx, m.ID)
		count(len(claims), err)
		batches, err := tx.Batches.List(ctx, page)
		count(len(batches), err)
		eras, err := tx.ERAs.List(ctx, remit.Filter{}, page)
		count(len(eras), err)
		of, err := tx.RemittanceClaims.List(ctx, e.ID, 0, 10)
		count(len(of), err)
		of, err = tx.RemittanceClaims.Pending(ctx, e.ID, 10)
		count(len(of), err)
		again, err := tx.RemittanceClaims.Again(ctx, e.ID)
		count(again, err)
		ledger, err := tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{c.ID})
		count(len(ledger), err)
		unmatched, err := tx.RemittanceClaims.Unmatched(ctx, []string{said.ControlNumber}, []string{"P2"})
		count(len(unmatched), err)
		kept, err := tx.RemittanceClaims.Count(ctx, e.ID)
		count(kept, err)
		equal(t, "another scope's rows seen by "+string(mode), seen, 0)
		return errors.Join(append(errs, tx.Batches.Save(ctx, &moved), tx.ERAs.Save(ctx, &paid),
			tx.RemittanceClaims.Save(ctx, e.ID, []*remit.Claim{&posted}))...)
	})
	for _, other := range b.others() {
		if err := b.try(other, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Save(ctx, &changed) }); err == nil {
			t.Errorf("a claim of another scope was saved in %s", other.Mode)
		}
	}
	equal(t, "claim", b.getClaim(c.ID).Claim, c)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		gotM, err1 := tx.Batches.Get(ctx, m.ID)
		gotE, err2 := tx.ERAs.Lock(ctx, e.ID)
		of, err3 := tx.RemittanceClaims.List(ctx, e.ID, 0, 10)
		equal(t, "batch", gotM, m)
		equal(t, "remittance", gotE, e)
		equal(t, "its claims", of, rows)
		return errors.Join(err1, err2, err3)
	})
}

func quarantinedPayment() *quarantine.Payment {
	return &quarantine.Payment{
		PayerName: "Payer", Payer: directory.PayerSummary{ID: billing.PayerID{15: 1}, PayerID: "75177", Name: "Payer"}, PayerIDs: []string{"pay_1", "75177"}, PayeeName: unicode, PayeeNPI: "1234567893", PayeeTaxID: "123456789", ClaimCount: 2,
		Payment: remit.Payment{Method: "ACH", TraceNumber: "T", Date: billing.Date{Year: 2026, Month: 2, Day: 3}, Total: 12345, ProviderAdjustmentsTotal: -5},
		Numbers: clearing.ControlNumbers{Interchange: "000000001", Group: "2", Transaction: "0003"},
	}
}

// testOwnQuarantine stores files in the quarantine of a scope, where no other scope sees
// them. Each scope, and the operator, may hold the same content once.
func testOwnQuarantine(b *scoped) {
	t := b.t
	mine := b.scope
	file := func(n int, in billing.Scope, content string) *quarantine.File {
		return &quarantine.File{
			ID: id[billing.FileID](), Scope: in, Origin: clearing.FileFromImport, Name: "f" + strconv.Itoa(n), Cause: quarantine.Unplaced, Reason: "no office has the number",
			Payment: quarantinedPayment(), Content: []byte(content), ReceivedAt: b.now.Add(time.Duration(n) * time.Second),
		}
	}
	hold := func(q *quarantine.File) (stored billing.FileID) {
		b.scope = q.Scope
		b.in(func(ctx context.Context, tx ports.Tx) (err error) {
			stored, err = tx.Quarantine.Insert(ctx, q)
			return err
		})
		return stored
	}
	list := func(in billing.Scope, p billing.Page) (got []*quarantine.File) {
		b.scope = in
		b.in(func(ctx context.Context, tx ports.Tx) (err error) {
			got, err = tx.Quarantine.List(ctx, p)
			return err
		})
		return got
	}
	take := func(in billing.Scope, f billing.FileID) (q *quarantine.File, err error) {
		return try(b, in, func(ctx context.Context, tx ports.Tx) (*quarantine.File, error) {
			return tx.Quarantine.Take(ctx, f)
		})
	}
	bare := func(q *quarantine.File) *quarantine.File {
		without := *q
		without.Content = nil
		return &without
	}
	others := b.others()
	one, two, three := file(0, mine, "ISA*1~"), file(1, mine, "ISA*2~"), file(2, mine, "ISA*3~")
	two.Payment, two.Origin = nil, clearing.FileFromNetwork
	for _, q := range []*quarantine.File{one, two, three} {
		equal(t, "a new file", hold(q), q.ID)
	}
	equal(t, "the same content again", hold(file(4, mine, "ISA*1~")), one.ID)
	equal(t, "the first page", list(mine, billing.Page{Limit: 1}), []*quarantine.File{bare(three), bare(two)})
	after := &billing.Position{Time: two.ReceivedAt, ID: two.ID}
	equal(t, "the last page", list(mine, billing.Page{Limit: 1, After: after}), []*quarantine.File{bare(one)})
	for _, other := range others {
		theirs := file(5, other, "ISA*1~")
		equal(t, "the same content of another", hold(theirs), theirs.ID)
		equal(t, "the files of another", list(other, billing.Page{Limit: 9}), []*quarantine.File{bare(theirs)})
		_, err := take(other, one.ID)
		wantCode(t, "a file of another", err, billing.CodeNotFound)
	}
	nobodys := file(6, billing.Scope{Mode: mine.Mode}, "ISA*1~")
	nobodys.Origin = clearing.FileFromNetwork
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Quarantine.Insert(ctx, nobodys)
		got, err2 := tx.Quarantine.Get(ctx, nobodys.ID)
		equal(t, "the operator's file", got, nobodys)
		seen, err3 := tx.Quarantine.Get(ctx, one.ID)
		equal(t, "a scope's file, as the operator sees it", seen, one)
		all, err4 := tx.Quarantine.List(ctx)
		equal(t, "files that the operator sees", len(all), 4+len(others))
		return errors.Join(err, err2, err3, err4)
	})
	_, err := take(mine, nobodys.ID)
	wantCode(t, "the operator's file", err, billing.CodeNotFound)
	var taken [4]*quarantine.File
	b.race(times(len(taken), func(n int) (err error) {
		if taken[n], err = take(mine, one.ID); billing.IsNotFound(err) {
			err = nil
		}
		return err
	})...)
	n := 0
	for _, q := range taken {
		if q != nil {
			n++
			equal(t, "taken", q, one)
		}
	}
	equal(t, "times that it was taken", n, 1)
	again := file(7, mine, "ISA*1~")
	equal(t, "taken, and here again", hold(again), again.ID)
}
