package pgstore_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/migrations"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// pairs are the claims that the writers of TestTotals change: each to a primary payer,
// with one to the secondary payer after a while.
type pairs struct {
	t     *testing.T
	store *pgstore.Store
	in    billing.Scope
	rule  sync.RWMutex // a transaction reads, a recount writes

	mu     sync.Mutex
	second map[billing.ClaimID]billing.ClaimID // by the first one; zero for none
}

// change makes a random change in one transaction.
func (p *pairs) change(r *rand.Rand) error {
	p.rule.RLock()
	defer p.rule.RUnlock()
	p.mu.Lock()
	var first billing.ClaimID
	for first = range p.second { // any
		if r.IntN(3) == 0 {
			break
		}
	}
	second := p.second[first]
	n := len(p.second)
	p.mu.Unlock()
	made := newClaim()
	made.PatientControlNumber = made.ID.String()
	create, bill := r.IntN(10) == 0 && n < 30, second.IsZero() && r.IntN(4) == 0
	err := p.store.InTx(p.t.Context(), p.in, func(ctx context.Context, tx ports.Tx) error {
		made.SecondaryTo = billing.ClaimID{}
		if create {
			vary(r, made)
			return tx.Claims.Insert(ctx, made)
		}
		of := []billing.ClaimID{first, second}
		if r.IntN(2) == 0 {
			of = of[:1]
		} else if r.IntN(2) == 0 {
			of = of[1:]
		}
		for _, id := range of {
			if id.IsZero() {
				continue
			}
			c, err := tx.Claims.Lock(ctx, id)
			if err != nil {
				return err
			}
			vary(r, c.Claim)
			if id == first && bill && c.SecondaryID.IsZero() {
				made.SecondaryTo, made.Coverage, made.Lines, made.SentAt, made.State = first, billing.SequenceSecondary, c.Lines, time.Time{}, claim.Validated
				made.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequencePrimary, Adjudication: &claim.CoverageAdjudication{Paid: 1000}}}
				c.SecondaryID = made.ID
				if err := tx.Claims.Insert(ctx, made); err != nil {
					return err
				}
			}
			if err := tx.Claims.Save(ctx, c.Claim); err != nil {
				return err
			}
		}
		return nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if create && err == nil {
		p.second[made.ID] = billing.ClaimID{}
	} else if !made.SecondaryTo.IsZero() && err == nil {
		p.second[first] = made.ID
	}
	return err
}

// vary sets what the totals depend on.
func vary(r *rand.Rand, c *claim.Claim) {
	states := []claim.State{
		claim.Validated, claim.Submitted, claim.AcceptedPayer, claim.Paid, claim.Denied, claim.Reconciled, claim.Voided,
	}
	c.State, c.Standing = states[r.IntN(len(states))], nil
	if c.SentAt.IsZero() && r.IntN(2) == 0 {
		c.SentAt = time.Now().UTC().Add(-time.Duration(r.IntN(120*24)) * time.Hour)
	}
	if r.IntN(3) > 0 {
		c.Standing = &claim.Standing{Paid: billing.Money(r.IntN(15000)), PatientResponsibility: billing.Money(r.IntN(3000)), Contractual: billing.Money(r.IntN(3000))}
	}
	c.Accepted, c.SettledAt, c.ReconciledAt = nil, time.Time{}, time.Time{}
	if r.IntN(3) == 0 {
		as := []claim.AcceptAs{claim.AcceptWriteOff, claim.AcceptBillPatient, claim.AcceptOther}
		c.Accepted = []claim.AcceptedOpen{
			{As: as[r.IntN(3)], Lines: []claim.LineAmount{{Number: 1, Amount: billing.Money(r.IntN(2000))}, {Amount: 5}}},
			{As: as[r.IntN(3)], Lines: []claim.LineAmount{{Number: 1, Amount: billing.Money(r.IntN(2000) - 1000)}}},
		}
		c.SettledAt = time.Now().UTC()
		c.ReconciledAt = c.SettledAt.Add(time.Duration(r.IntN(3)-1) * time.Hour)
	}
	c.Lines = []claim.Line{{ProcedureCode: "D2740", Fee: billing.Money(r.IntN(10000)), Quantity: 1}, {ProcedureCode: "D0120", Fee: 6000, Quantity: 2}}
}

// recount counts every claim, by the functions of the triggers. The claims for the same
// services are counted with the first of them.
const recount = `
INSERT INTO claim_totals
SELECT org_id, mode, kind, state, day, sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding), sum(elsewhere), sum(billed), sum(overpaid)
FROM (
	SELECT s.* FROM claims c CROSS JOIN LATERAL share_of(1, c) s
	UNION ALL
	SELECT c.org_id, c.mode, '', '', m.day, 0, m.charged, m.paid, m.patient, m.outstanding, m.elsewhere, m.billed, m.overpaid
	FROM claims c
	LEFT JOIN claims two ON two.id = c.secondary_id
	LEFT JOIN claims three ON three.id = two.secondary_id
	CROSS JOIN LATERAL money_together(money_of(c), money_of(two), money_of(three)) m
	WHERE num_nonnulls(c.secondary_to, c.secondary_id) > 0 AND m.day IS NOT NULL
		AND NOT EXISTS (SELECT FROM claims before WHERE before.id = c.secondary_to AND before.secondary_id = c.id)
) counted
GROUP BY org_id, mode, kind, state, day`

// TestTotals counts the claims again and again, while several writers change them and
// two processes add up the totals. In the end the totals are those of the claims.
func TestTotals(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := pgtest.OpenAt(t, url)
	p := &pairs{t: t, store: s, in: scope(), second: map[billing.ClaimID]billing.ClaimID{}}
	first := newClaim()
	porttest.In(t, s, p.in, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, first) })
	p.second[first.ID] = billing.ClaimID{}
	ctx, stop := context.WithCancel(t.Context())
	var writers, adders sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			for range 150 {
				if err := p.change(r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		adders.Go(func() {
			for ctx.Err() == nil {
				if _, err := s.AddTotals(ctx); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	adders.Go(func() {
		for ctx.Err() == nil {
			p.rule.Lock()
			porttest.Totals(t, s, p.in) //nolint:contextcheck // it counts after the end, too
			p.rule.Unlock()
		}
	})
	writers.Wait()
	stop()
	adders.Wait()
	want := porttest.Totals(t, s, p.in)
	for r := rand.New(rand.NewPCG(9, 7)); !ofEachKind(want); want = porttest.Totals(t, s, p.in) { // what chance left out
		if err := p.change(r); err != nil {
			t.Fatal(err)
		}
	}

	db := admin(t, url)
	exec(t, db, "TRUNCATE claim_totals, claim_changes")
	exec(t, db, recount)
	if got := porttest.Totals(t, s, p.in); !reflect.DeepEqual(got, want) {
		t.Errorf("counted from the claims, it is %+v, want %+v", got, want)
	}
	exec(t, db, "UPDATE claim_totals SET elsewhere = 0, billed = 0, overpaid = 0") // as the release before left it
	text, err := migrations.FS.ReadFile("0106_totals_of_what_is_accepted.sql")
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, regexp.MustCompile(`(?s)INSERT INTO claim_changes\nSELECT .*?;`).FindString(string(text)))
	if got := porttest.Totals(t, s, p.in); !reflect.DeepEqual(got, want) {
		t.Errorf("after the migration it is %+v, want %+v", got, want)
	}
	if n := scan[int](t, db, "SELECT count(*) FROM claims WHERE secondary_to IS NOT NULL"); n == 0 {
		t.Error("no services were billed to two payers")
	}
}

// ofEachKind tells whether some claim is overpaid, one has an amount that is billed to the patient, and one is paid elsewhere.
func ofEachKind(t claim.Totals) bool {
	var all claim.ClaimMoney
	for _, age := range t.Ages {
		all = all.Add(age.ClaimMoney)
	}
	return all.Overpaid != 0 && all.BilledToPatient != 0 && all.PaidElsewhere != 0
}

// TestOtherScopesHaveTotalsOfTheirOwn reads the totals of another scope.
func TestOtherScopesHaveTotalsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s, in := pgtest.Open(t), scope()
	c := newClaim()
	c.SentAt, c.State = time.Now(), claim.Submitted
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
	if got := porttest.Totals(t, s, in); got.Ages[0].Charged != c.Charge() || got.States[claim.KindClaim][claim.Submitted] != 1 || got.Sent[29].Count.Count != 1 {
		t.Errorf("the totals are %+v", got)
	}
	other := billing.Scope{Org: in.Org, Mode: billing.ModeLive}
	if got := porttest.Totals(t, s, other); got.Ages[0].Charged != 0 || len(got.States[claim.KindClaim]) != 0 {
		t.Errorf("another mode has %+v", got)
	}
}
