package workers_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/molar-billing/molar/workers"
)

// TestSweep runs each task until it has nothing left, and continues with the
// next one after an error.
func TestSweep(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	of := map[string][]int{"full": {1000, 1000, 3, 0}, "broken": {7, -1}, "empty": {0}}
	task := func(name string) workers.SweepTask {
		return workers.SweepTask{Things: name, Sweep: func(context.Context) (int, error) {
			n := of[name][0]
			if of[name] = of[name][1:]; n < 0 {
				return 0, errors.New("no disk")
			}
			return n, nil
		}}
	}
	var log bytes.Buffer
	last := workers.SweepTask{Things: "last", Sweep: func(context.Context) (int, error) { cancel(); return 0, nil }}
	tasks := []workers.SweepTask{task("full"), task("broken"), task("empty"), last}
	if err := workers.Sweep(ctx, tasks, time.Hour, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
		t.Fatal(err)
	}
	for name, left := range of {
		if len(left) != 0 {
			t.Errorf("the task %q was not run to its end", name)
		}
	}
	if s := log.String(); !strings.Contains(s, "things=full removed=2003") || !strings.Contains(s, "no disk") || strings.Contains(s, "empty") {
		t.Errorf("log:\n%s", s)
	}
}

// TestSearch goes on after a step that removed nothing, while there is more to look at.
func TestSearch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := []int{0, 3, 0, 4}
	search := func(context.Context) (int, bool, error) {
		n := steps[0]
		steps = steps[1:]
		return n, len(steps) > 0, nil
	}
	var log bytes.Buffer
	last := workers.SweepTask{Things: "last", Sweep: func(context.Context) (int, error) { cancel(); return 0, nil }}
	if err := workers.Sweep(ctx, []workers.SweepTask{{Things: "rows", Search: search}, last}, time.Hour, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
		t.Fatal(err)
	}
	if s := log.String(); len(steps) != 0 || !strings.Contains(s, "things=rows removed=7") {
		t.Errorf("%d steps are left; log:\n%s", len(steps), s)
	}
}

// TestSweepRests rests after each step, nineteen times as long as the step took, but not
// long after one that had to wait.
func TestSweepRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		began := time.Now()
		var at []time.Duration
		took := []time.Duration{10 * time.Millisecond, time.Minute, 0}
		step := func(context.Context) (int, error) {
			at = append(at, time.Since(began))
			time.Sleep(took[len(at)-1])
			if len(at) == len(took) {
				cancel()
				return 0, nil
			}
			return 1, nil
		}
		if err := workers.Sweep(ctx, []workers.SweepTask{{Things: "rows", Sweep: step}}, time.Hour, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{0, 200 * time.Millisecond, 70*time.Second + 200*time.Millisecond}; !slices.Equal(at, want) {
			t.Errorf("the steps began at %v, want %v", at, want)
		}
	})
}
