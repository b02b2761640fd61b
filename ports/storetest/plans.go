package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

// testActivePlans has what the payers of two patients answered last: one that is active with dates and one without, and
// payers that said otherwise since, or said nothing.
func testActivePlans(b *scoped) {
	t := b.t
	one, two := id[billing.PatientID](), id[billing.PatientID]()
	on := billing.Date{Year: 2026, Month: 3, Day: 9}
	n := 0
	made := func(patient billing.PatientID, payer byte, change func(*coverage.Check)) *coverage.Check {
		n++
		c := b.answered(n)
		c.PatientID, c.Payer, c.Inquiry.ServiceDate = patient, directory.PayerSummary{ID: billing.PayerID{payer}, PayerID: "P", Name: unicode}, on
		change(c)
		b.insert(c)
		return c
	}
	status := func(s coverage.Status) func(*coverage.Check) {
		return func(c *coverage.Check) { c.Status = s }
	}
	dated := made(one, 1, func(c *coverage.Check) {
		c.Benefits = []byte(`{"coverage_effective_date":"2026-01-01","coverage_termination_date":"2026-12-31"}`)
	})
	made(one, 2, status(coverage.Active))
	made(one, 2, status(coverage.Inactive))
	made(one, 3, status(coverage.Active))
	made(one, 3, status(coverage.Unknown))
	made(one, 4, status(coverage.Inactive))
	again := made(one, 4, func(c *coverage.Check) {
		c.Benefits = []byte(`{"coverage_effective_date":null,"coverage_termination_date":null}`)
	})
	made(one, 4, func(c *coverage.Check) {
		c.Outcome, c.Status, c.Benefits, c.Rejection = coverage.OutcomeRejected, "", nil, &coverage.Rejection{Kind: coverage.RejectionRejected}
	})
	made(one, 5, func(c *coverage.Check) { c.CacheSource = dated.ID })
	begun := made(two, 1, status(coverage.Active))
	b.insert(b.check(n + 1))
	plan := func(c *coverage.Check, from, to billing.Date) coverage.ActivePlan {
		return coverage.ActivePlan{Check: c.ID, Payer: c.Payer, On: on, From: from, To: to, At: c.CompletedAt}
	}
	day := func(m time.Month, d int) billing.Date { return billing.Date{Year: 2026, Month: m, Day: d} }
	var got map[billing.PatientID][]coverage.ActivePlan
	read := func(ctx context.Context, tx ports.Tx) (err error) {
		got, err = tx.Checks.Active(ctx, []billing.PatientID{one, two, id[billing.PatientID]()})
		return err
	}
	b.in(read)
	equal(t, "active plans", got, map[billing.PatientID][]coverage.ActivePlan{
		one: {plan(again, billing.Date{}, billing.Date{}), plan(dated, day(1, 1), day(12, 31))}, two: {plan(begun, day(1, 1), billing.Date{})},
	})
	b.other().in(read)
	equal(t, "active plans of another scope", len(got), 0)
}

// testClaimsBesideACheck has the claims of a patient that checks may show a plan to, and whether the check of a payer finds
// one of them.
func testClaimsBesideACheck(b *scoped) {
	t := b.t
	person, key := b.person(), "ada|beside"
	patient, err := b.find(key, person)
	if err != nil {
		t.Fatal(err)
	}
	var want []billing.ClaimID
	elsewhere := func() (n int) {
		var got []coverage.Background
		b.in(func(ctx context.Context, tx ports.Tx) (err error) {
			p := directory.Person{Key: key, Patient: b.person()}
			got, err = tx.PendingChecks.Background(ctx, []directory.Person{p, p}, []billing.PayerID{{1}, {2}})
			return err
		})
		for i, k := range got {
			if k.Elsewhere {
				n += i + 1
			}
		}
		return n
	}
	for n, x := range []struct {
		change func(*claim.Claim)
		is     bool
		beside int // the sum of the payers beside which there is one
	}{
		{func(c *claim.Claim) { c.State, c.SentAt = claim.Validated, time.Time{} }, false, 0},
		{func(c *claim.Claim) { c.PatientID = id[billing.PatientID]() }, false, 0},
		{func(c *claim.Claim) { c.Kind = claim.KindPredetermination }, false, 0},
		{func(*claim.Claim) {}, true, 2},
		{func(c *claim.Claim) { c.Payer.ID = billing.PayerID{2}; c.State = claim.Paid }, true, 3},
	} {
		c := b.claim(n)
		c.PatientID, c.Payer.ID, c.State, c.SentAt = patient, billing.PayerID{1}, claim.Submitted, b.now
		x.change(c)
		if err := b.insertClaim(c); err != nil {
			t.Fatal(err)
		}
		if x.is {
			want = append(want, c.ID)
		}
		equal(t, "the payers beside which another one has a claim", elsewhere(), x.beside)
	}
	var got []billing.ClaimID
	read := func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Contracts.OfPatient(ctx, patient)
		got = nil
		for _, c := range all {
			got = append(got, c.ID)
			err = errors.Join(err, tx.Claims.Save(ctx, c))
		}
		return err
	}
	b.in(read)
	if !slices.Equal(got, want) {
		t.Errorf("the claims of the patient are %v, want %v", got, want)
	}
	b.other().in(read)
	equal(t, "the claims of the patient in another scope", len(got), 0)
}
