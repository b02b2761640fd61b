package jobs_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/molar-billing/molar/core/jobs"
)

func TestWaitLooksWithoutReplies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var looks []time.Duration
		err := jobs.Wait(t.Context(), nil, func(context.Context) bool {
			looks = append(looks, time.Since(start))
			return len(looks) == 4
		})
		want := []time.Duration{500 * time.Millisecond, 1500 * time.Millisecond, 3500 * time.Millisecond, 7500 * time.Millisecond}
		if err != nil || !slices.Equal(looks, want) {
			t.Errorf("looked after %v with %v, want %v", looks, err, want)
		}
	})
}

func TestWaitLooksAtEachReply(t *testing.T) {
	t.Parallel()
	replies := make(chan struct{}, 3)
	for range 3 {
		replies <- struct{}{}
	}
	looks := 0
	if err := jobs.Wait(t.Context(), replies, func(context.Context) bool { looks++; return looks == 3 }); err != nil || looks != 3 {
		t.Errorf("%d looks, %v", looks, err)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := jobs.Wait(ctx, nil, func(context.Context) bool { return false })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Wait = %v", err)
	}
}
