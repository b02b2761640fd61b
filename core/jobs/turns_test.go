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

// TestTurns takes of each scope in turn, whatever waits of another one, and
// the modes of an organization are two scopes.
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

func TestTurnsRemove(t *testing.T) {
	t.Parallel()
	a, b := scopeOf(1, billing.ModeTest), scopeOf(2, billing.ModeTest)
	var turns jobs.Turns[int]
	turns.Remove(a, func(int) bool { return true })
	for n := range 3 {
		turns.Put(a, n)
		turns.Put(b, 10+n)
	}
	turns.Remove(a, func(n int) bool { return n == 1 })
	turns.Remove(b, func(int) bool { return true })
	var got []int
	for turns.Len() > 0 {
		v, _ := turns.Take()
		got = append(got, v)
	}
	if !slices.Equal(got, []int{0, 2}) {
		t.Errorf("left %v", got)
	}
}
