package jobs_test

import (
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

func scopeOf(n byte, mode billing.Mode) billing.Scope {
	return billing.Scope{Org: billing.OrgID{n}, Mode: mode}
}

// TestTurns takes turns between scopes, however much of another one waits. The
// modes of an organization are two scopes.
func TestTurns(t *testing.T) {
	t.Parallel()
	a, b, live := scopeOf(1, billing.ModeTest), scopeOf(2, billing.ModeTest), scopeOf(1, billing.ModeLive)
	var turns jobs.Turns[string]
	take := func(n int) (got []string) {
		for range n {
			if v, ok := turns.Take(); ok {
				got = append(got, v)
			}
		}
		return got
	}
	for _, v := range []string{"a1", "a2", "a3", "a4"} {
		turns.Put(a, v)
	}
	turns.Put(b, "b1")
	turns.Put(live, "live1")
	turns.Put(b, "b2")
	if got, want := take(4), []string{"a1", "b1", "live1", "a2"}; !slices.Equal(got, want) {
		t.Errorf("took %v, want %v", got, want)
	}
	turns.Put(live, "live2")
	if got, want := take(9), []string{"b2", "a3", "live2", "a4"}; !slices.Equal(got, want) || turns.Len() != 0 {
		t.Errorf("took %v, want %v; %d are left", got, want, turns.Len())
	}
}
