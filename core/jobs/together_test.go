package jobs_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

// TestTogether lets callers arrive while a call runs: the first is alone, the
// others share calls of at most four.
func TestTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls [][]int
		g := jobs.NewTogether(4, func(_ context.Context, items []int) error {
			time.Sleep(time.Second)
			calls = append(calls, items)
			return nil
		})
		var all sync.WaitGroup
		for i := range 7 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				if err := g.Do(t.Context(), billing.Scope{}, i); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		synctest.Wait()
		if err := g.Do(t.Context(), billing.Scope{}, 7); err != nil {
			t.Error(err)
		}
		want := [][]int{{0}, {1, 2, 3, 4}, {5, 6}, {7}}
		if !slices.EqualFunc(calls, want, slices.Equal) {
			t.Errorf("calls %v, want %v", calls, want)
		}
	})
}

// TestTogetherKeepsScopesApart has three organizations at once.
func TestTogetherKeepsScopesApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		g := jobs.NewTogetherApart(4, func(_ context.Context, items []byte) error {
			time.Sleep(time.Second)
			if len(slices.Compact(items)) > 1 {
				t.Errorf("a call of several scopes: %v", items)
			}
			return nil
		})
		var all sync.WaitGroup
		for i := range byte(9) {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				_ = g.Do(t.Context(), billing.Scope{Org: billing.OrgID{i % 3}}, i%3)
			})
		}
		all.Wait()
		if took := time.Since(start).Round(time.Second); took != 2*time.Second {
			t.Errorf("two calls of three scopes took %v, want them at the same time", took)
		}
	})
}

// TestTogetherOfSeveralScopes lets callers of three scopes arrive while a call runs. They share the next.
func TestTogetherOfSeveralScopes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls [][]int
		g := jobs.NewTogether(9, func(_ context.Context, items []int) error {
			time.Sleep(10 * time.Millisecond)
			calls = append(calls, items)
			return nil
		})
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				if err := g.Do(t.Context(), billing.Scope{Org: billing.OrgID{byte(i % 3)}}, i); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if want := [][]int{{0}, {1, 2, 3, 4, 5}}; !slices.EqualFunc(calls, want, slices.Equal) {
			t.Errorf("calls %v, want %v", calls, want)
		}
	})
}

// TestTogetherIsHeldUpByOneScope has one scope whose calls take a minute, as when another process holds a lock, and
// fail. The others wait for it once, and for a moment.
func TestTogetherIsHeldUpByOneScope(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		held := billing.Scope{Org: billing.OrgID{1}}
		g := jobs.NewTogether(9, func(_ context.Context, items []billing.Scope) error {
			if slices.Contains(items, held) {
				time.Sleep(time.Minute)
				return errors.New("held up")
			}
			time.Sleep(time.Millisecond)
			return nil
		})
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if err := g.Do(t.Context(), held, held); err == nil {
					t.Error("the scope that is held up has no error")
				}
			})
		}
		time.Sleep(time.Millisecond)
		for i := range byte(100) {
			start := time.Now()
			if err := g.Do(t.Context(), billing.Scope{Org: billing.OrgID{2 + i%3}}, billing.Scope{}); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); i == 0 && took > 50*time.Millisecond || i > 0 && took > time.Millisecond {
				t.Errorf("call %d waited %v", i, took)
			}
		}
		all.Wait()
	})
}

// TestTogetherTakesScopesInTurns has a flood of one scope, and then an item of another one, which is in the next call.
func TestTogetherTakesScopesInTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := jobs.NewTogether(4, func(context.Context, []int) error {
			time.Sleep(10 * time.Millisecond)
			return nil
		})
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() { _ = g.Do(t.Context(), billing.Scope{Org: billing.OrgID{1}}, i) })
		}
		synctest.Wait()
		time.Sleep(time.Millisecond)
		start := time.Now()
		if err := g.Do(t.Context(), billing.Scope{Org: billing.OrgID{2}}, 0); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > 20*time.Millisecond {
			t.Errorf("it waited %v for a flood, want the rest of one call and its own", took)
		}
		all.Wait()
	})
}

// TestTogetherFailsByScope has one scope that fails in a call with others. They are tried by themselves, at the same time.
func TestTogetherFailsByScope(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		g := jobs.NewTogether(9, func(_ context.Context, items []int) error {
			time.Sleep(10 * time.Millisecond)
			if slices.Contains(items, 1) {
				return broken
			}
			return nil
		})
		start := time.Now()
		var all sync.WaitGroup
		for i := range 7 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				if err := g.Do(t.Context(), billing.Scope{Org: billing.OrgID{byte(i)}}, i); errors.Is(err, broken) != (i == 1) || i != 1 && err != nil {
					t.Errorf("item %d: %v", i, err)
				}
			})
		}
		all.Wait()
		if took := time.Since(start); took != 30*time.Millisecond {
			t.Errorf("took %v, want the time of three calls", took)
		}
	})
}

// TestTogetherFailsAlone has one failing and one panicking item in a call with
// others.
func TestTogetherFailsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		g := jobs.NewTogether(9, func(_ context.Context, items []int) error {
			time.Sleep(time.Second)
			if slices.Contains(items, 3) {
				return broken
			}
			if slices.Contains(items, 4) {
				panic("bug")
			}
			return nil
		})
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				err := g.Do(t.Context(), billing.Scope{}, i)
				if (err != nil) != (i == 3 || i == 4) || errors.Is(err, broken) != (i == 3) {
					t.Errorf("item %d: %v", i, err)
				}
			})
		}
		all.Wait()
	})
}

// TestTogetherOutlivesACaller has one caller alone: its call ends with its context. Then two share a call, and one leaves: the call goes on.
func TestTogetherOutlivesACaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var done []int
		g := jobs.NewTogether(4, func(ctx context.Context, items []int) error {
			select {
			case <-time.After(time.Second):
				done = append(done, items...)
			case <-ctx.Done():
			}
			return ctx.Err()
		})
		leaves := func(item int, after time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			start := time.Now()
			if err := g.Do(ctx, billing.Scope{}, item); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != after {
				t.Errorf("the caller that left after %v got %v after %v", after, err, time.Since(start))
			}
		}
		var all sync.WaitGroup
		all.Go(func() { leaves(1, 500*time.Millisecond) })
		synctest.Wait()
		all.Go(func() { leaves(2, 700*time.Millisecond) })
		synctest.Wait()
		all.Go(func() {
			if err := g.Do(t.Context(), billing.Scope{}, 3); err != nil {
				t.Errorf("the caller that stayed got %v", err)
			}
		})
		all.Wait()
		if !slices.Equal(done, []int{2, 3}) {
			t.Errorf("done %v", done)
		}
	})
}
