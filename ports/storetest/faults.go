package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/fault"
	"github.com/molar-billing/molar/ports"
)

// testFaults replaces, reads and counts the fault rules of two organizations.
func testFaults(b *scoped) {
	t, other := b.t, billing.Scope{Org: id[billing.OrgID](), Mode: billing.ModeTest}
	b.scope.Mode = billing.ModeTest
	b.practice(b.scope.Org)
	b.practice(other.Org)
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	mine := []fault.Rule{
		{Operation: "createClaim", Kind: fault.Error, Status: 503, Times: 2, ExpiresAt: until},
		{Operation: fault.AnyOperation, Kind: fault.DelayDelivery, Milliseconds: 100, Probability: 0.25, Seed: -3, ExpiresAt: until},
		{Operation: "listClaims", Kind: fault.RateLimit, Times: 1, ExpiresAt: time.Now().Add(-time.Hour)},
	}
	list := func() (rules []fault.Rule, serials []int64) {
		for _, r := range read(b, func(ctx context.Context, tx ports.Tx) ([]fault.Rule, error) { return tx.Faults.List(ctx) }) {
			serials = append(serials, r.Serial)
			r.Serial = 0
			rules = append(rules, r)
		}
		return rules, serials
	}
	match := func(scope billing.Scope, serial int64) int {
		n, err := try(b, scope, func(ctx context.Context, tx ports.Tx) (int, error) { return tx.Faults.Match(ctx, serial) })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	replace := func(scope billing.Scope, rules []fault.Rule) {
		if err := b.try(scope, func(ctx context.Context, tx ports.Tx) error { return tx.Faults.Replace(ctx, rules) }); err != nil {
			t.Fatal(err)
		}
	}
	replace(b.scope, mine)
	rules, serials := list()
	equal(t, "rules", rules, mine[:2]) // the third has expired
	for n := 1; n <= 3; n++ {
		equal(t, "match", match(b.scope, serials[0]), n)
	}
	equal(t, "a match of another organization", match(other, serials[0]), 0)
	replace(other, nil)
	rules, _ = list()
	equal(t, "matched", []int{rules[0].Matched, rules[1].Matched}, []int{3, 0})
	replace(b.scope, mine[1:2])
	equal(t, "a match of a replaced rule", match(b.scope, serials[0]), 0)
	rules, _ = list()
	equal(t, "replaced", rules, mine[1:2])
}
