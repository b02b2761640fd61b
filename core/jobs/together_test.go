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
		g := jobs.NewTogether(4, func(_ context.Context, _ billing.Scope, items []int) error {
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

// TestTogetherKeepsScopesApart has two organizations at once.
func TestTogetherKeepsScopesApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		g := jobs.NewTogether(4, func(_ context.Context, scope billing.Scope, items []byte) error {
			time.Sleep(time.Second)
			for _, i := range items {
				if scope.Org[0] != i {
					t.Errorf("item %d in a call for %d", i, scope.Org[0])
				}
			}
			return nil
		})
		var all sync.WaitGroup
		for i := range byte(3) {
			all.Go(func() { _ = g.Do(t.Context(), billing.Scope{Org: billing.OrgID{i}}, i) })
		}
		all.Wait()
		if took := time.Since(start); took != time.Second {
			t.Errorf("three scopes took %v, want them at the same time", took)
		}
	})
}

// TestTogetherFailsAlone has one failing and one panicking item in a call with
// others.
func TestTogetherFailsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		g := jobs.NewTogether(9, func(_ context.Context, _ billing.Scope, items []int) error {
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

// TestTogetherOutlivesACaller has the caller of a running item leave.
func TestTogetherOutlivesACaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var done []int
		g := jobs.NewTogether(4, func(ctx context.Context, _ billing.Scope, items []int) error {
			time.Sleep(time.Second)
			done = append(done, items...)
			return ctx.Err()
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := g.Do(ctx, billing.Scope{}, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller that left got %v", err)
		}
		if err := g.Do(t.Context(), billing.Scope{}, 2); err != nil {
			t.Errorf("the next one got %v", err)
		}
		if !slices.Equal(done, []int{1, 2}) {
			t.Errorf("done %v", done)
		}
	})
}
