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

// TestPlaces has four places for any scope, and one more for a scope without a
// running job.
func TestPlaces(t *testing.T) {
	t.Parallel()
	a, b, c := scopeOf(1, billing.ModeTest), scopeOf(2, billing.ModeTest), scopeOf(1, billing.ModeLive)
	var turns jobs.Turns[string]
	places := jobs.NewPlaces(4)
	for _, step := range []struct {
		ends billing.Scope
		puts map[billing.Scope][]string
		want []string // to start
	}{
		{puts: map[billing.Scope][]string{a: {"a1", "a2", "a3", "a4", "a5", "a6"}}, want: []string{"a1", "a2", "a3", "a4"}},
		{puts: map[billing.Scope][]string{b: {"b1", "b2"}}, want: []string{"b1"}},
		{puts: map[billing.Scope][]string{c: {"c1", "c2"}}}, // no place is left
		{ends: a, want: []string{"c1"}},                     // the others run jobs
		{ends: b, want: []string{"b2"}},
		{ends: b},                       // four are running
		{ends: a, want: []string{"a5"}}, // three were running, and it was the turn of a
		{ends: a, want: []string{"c2"}},
		{ends: c, want: []string{"a6"}},
	} {
		if step.ends != (billing.Scope{}) {
			places.End(step.ends)
		}
		for scope, values := range step.puts {
			for _, v := range values {
				turns.Put(scope, v)
			}
		}
		var got []string
		for v, ok := turns.Start(places); ok; v, ok = turns.Start(places) {
			got = append(got, v)
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("after %+v: started %v", step, got)
		}
	}
	if n := places.Len(); n != 5 {
		t.Errorf("%d places, want 5", n)
	}
	if n := jobs.NewPlaces(1).Len(); n != 1 {
		t.Errorf("%d places, want 1: a job that needs all memory runs alone", n)
	}
}
