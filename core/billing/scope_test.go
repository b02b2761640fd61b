package billing_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// TestTurn has an organization and those that it made take turns as one, each mode by
// itself. Others do not.
func TestTurn(t *testing.T) {
	t.Parallel()
	now := billing.RealAt(time.Now())
	maker, other := billing.NewID[billing.OrgID](now), billing.NewID[billing.OrgID](now)
	in := func(org billing.OrgID) billing.Scope { return billing.Scope{Org: org, Mode: billing.ModeTest} }
	seen := map[billing.OrgID]bool{}
	for range 100 {
		made := billing.NewThrowAway(now, maker)
		if !billing.IsThrowAway(made) || made.Time() != maker.Time() || in(made).Turn() != in(maker).Turn() {
			t.Errorf("%s is no throw-away organization of %s", made, maker)
		}
		seen[made] = true
	}
	live := billing.Scope{Org: maker, Mode: billing.ModeLive}
	if len(seen) < 95 || billing.IsThrowAway(maker) || in(other).Turn() == in(maker).Turn() || live.Turn() == in(maker).Turn() || in(maker).Turn().Turn() != in(maker).Turn() {
		t.Errorf("%d IDs; turns %v, %v, %v", len(seen), in(maker).Turn(), in(other).Turn(), live.Turn())
	}
	if small := in(billing.OrgID{1}); small.Turn() != small {
		t.Errorf("an ID without a version takes turns as %v", small.Turn())
	}
}
