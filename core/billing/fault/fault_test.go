package fault_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/fault"
)

// TestStrikes counts what rules strike: the first times, or a share that follows from the
// seed alone.
func TestStrikes(t *testing.T) {
	t.Parallel()
	twice := fault.Rule{Times: 2}
	for n, want := range []bool{true, true, false} {
		if twice.Strikes(n+1) != want {
			t.Errorf("the rule strikes its match %d: %v", n+1, !want)
		}
	}
	for _, p := range []float64{0.01, 0.3, 1} {
		const all = 20_000
		r := fault.Rule{Probability: p, Seed: 7, Matched: all}
		if got := float64(r.Struck()) / all; got < p*0.8 || got > p*1.2 {
			t.Errorf("a rule of %v struck %v", p, got)
		}
		if other := (fault.Rule{Probability: p, Seed: 8, Matched: all}); p < 1 && other.Struck() == r.Struck() {
			t.Errorf("another seed strikes as often, %d", r.Struck())
		}
	}
}

func TestConcerns(t *testing.T) {
	t.Parallel()
	now := time.Now()
	r := fault.Rule{Kind: fault.Delay, Operation: "createClaim", Times: 2, ExpiresAt: now.Add(time.Second)}
	spent, expired, delivery := r, r, r
	spent.Matched, expired.ExpiresAt, delivery.Kind = 2, now, fault.DelayDelivery
	if !r.Concerns("createClaim", now) || r.Concerns("listClaims", now) || spent.Concerns("createClaim", now) || expired.Concerns("createClaim", now) ||
		delivery.Concerns("createClaim", now) || !delivery.ConcernsDeliveries(now) || r.ConcernsDeliveries(now) {
		t.Error("the rules concern others")
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	good := []fault.Rule{
		{Operation: "*", Kind: fault.Delay, Milliseconds: 20_000, Times: 1},
		{Operation: "*", Kind: fault.Error, Status: 503, Probability: 0.5, Seed: 3},
		{Operation: "createClaim", Kind: fault.DropReply, Probability: 1},
		{Operation: "*", Kind: fault.RateLimit, Times: 3},
		{Operation: "*", Kind: fault.DuplicateDelivery, Times: 3},
		{Operation: "*", Kind: fault.DelayDelivery, Milliseconds: 100, Times: 3},
	}
	for _, r := range good {
		var f billing.Faults
		if r.Judge(&f, ""); len(f) > 0 {
			t.Errorf("%+v: %v", r, f)
		}
	}
	for field, r := range map[string]fault.Rule{
		"kind":         {Operation: "*", Kind: "crash", Times: 1},
		"operation":    {Operation: "createClaim", Kind: fault.DuplicateDelivery, Times: 1},
		"milliseconds": {Operation: "*", Kind: fault.DelayDelivery, Milliseconds: 99, Times: 1},
		"status":       {Operation: "*", Kind: fault.Error, Status: 501, Times: 1},
		"times":        {Operation: "*", Kind: fault.DropReply},
		"probability":  {Operation: "*", Kind: fault.DropReply, Probability: 1.5},
		"seed":         {Operation: "*", Kind: fault.DropReply, Times: 1, Seed: 4},
	} {
		var f billing.Faults
		if r.Judge(&f, "rules.0."); len(f) != 1 || f[0].Field != "rules.0."+field {
			t.Errorf("%s: %v", field, f)
		}
	}
	for _, r := range []fault.Rule{
		{Operation: "*", Kind: fault.RateLimit, Times: 1, Milliseconds: 5},
		{Operation: "*", Kind: fault.Delay, Milliseconds: 20_001, Times: 1},
		{Operation: "*", Kind: fault.RateLimit, Times: 1, Status: 500},
		{Operation: "*", Kind: fault.RateLimit, Times: fault.MaxTimes + 1},
		{Operation: "*", Kind: fault.RateLimit, Times: 1, Probability: 0.1},
	} {
		var f billing.Faults
		if r.Judge(&f, ""); len(f) != 1 {
			t.Errorf("%+v: %v", r, f)
		}
	}
}
