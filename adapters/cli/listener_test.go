package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// happened makes n events.
func happened(t *testing.T, n int) (events []listedEvent) {
	t.Helper()
	for i := range n {
		id := billing.NewID[billing.EventID](billing.RealAt(time.Unix(int64(1_770_000_000+i), 0)))
		raw := fmt.Sprintf(`{"id":%q,"object":"event","type":"eligibility.completed","sequence":1,"created_at":"2026-02-02T02:40:%02d.000000+00:00","data":{"id":"elg_%d"}}`, id, i, i)
		var e listedEvent
		if err := json.Unmarshal([]byte(raw), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

// scene is a listener in a bubble of virtual time, with what the API has and
// what the receiver answers.
type scene struct {
	*listener
	all      []listedEvent
	api      func() error        // nil: it answers
	receiver func(n int) outcome // to the nth attempt, from 0
	attempts []billing.EventID   // that were made
	times    []time.Duration     // when, since the start
	saved    []position          // in order
	out, err bytes.Buffer
}

func newScene(t *testing.T, n int) *scene {
	t.Helper()
	s := &scene{all: happened(t, n), receiver: func(int) outcome { return outcome{status: 204} }}
	began := time.Now()
	s.listener = &listener{
		fetch: func(_ context.Context, p position) ([]listedEvent, error) {
			if s.api != nil {
				if err := s.api(); err != nil {
					return nil, err
				}
			}
			i := slices.IndexFunc(s.all, func(e listedEvent) bool { return e.ID == p.After }) + 1
			return s.all[i:min(len(s.all), i+2)], nil
		},
		post: func(_ context.Context, e listedEvent) outcome {
			s.attempts, s.times = append(s.attempts, e.ID), append(s.times, time.Since(began))
			return s.receiver(len(s.attempts) - 1)
		},
		save:   func(p position) error { s.saved = append(s.saved, p); return nil },
		wants:  func(event.Type) bool { return true },
		report: &reporter{out: &s.out, err: &s.err},
	}
	return s
}

// runFor runs the listener for a while of virtual time.
func (s *scene) runFor(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	if err := s.run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
}

func ids(events []listedEvent) (list []billing.EventID) {
	for _, e := range events {
		list = append(list, e.ID)
	}
	return list
}

func TestEventsGoInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 5)
		s.runFor(t, time.Second)
		if !slices.Equal(s.attempts, ids(s.all)) {
			t.Errorf("posted %v, want %v", s.attempts, ids(s.all))
		}
		if len(s.saved) != 5 || s.saved[4] != (position{After: s.all[4].ID, At: s.all[4].CreatedAt}) {
			t.Errorf("kept %v", s.saved)
		}
		late := happened(t, 1)
		s.all, s.attempts, s.times = append(s.all, late...), nil, nil
		s.runFor(t, time.Second)
		if !slices.Equal(s.attempts, ids(late)) {
			t.Errorf("the next run posted %v, want only %v", s.attempts, ids(late))
		}
	})
}

func TestOtherTypesArePassedBy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 3)
		s.wants = func(event.Type) bool { return false }
		s.runFor(t, time.Second)
		if len(s.attempts) != 0 || s.at.After != s.all[2].ID {
			t.Errorf("posted %v, and came to %v", s.attempts, s.at)
		}
	})
}

func refused() outcome {
	return outcome{err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
}

// TestReceiverAway waits for a receiver for as long as it takes, and reports
// it once.
func TestReceiverAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 2)
		s.receiver = func(n int) outcome {
			if n < 100 {
				return refused()
			}
			return outcome{status: 200}
		}
		s.runFor(t, 99*time.Second+2*time.Second)
		if n := len(s.attempts); n != 102 || s.attempts[100] != s.all[0].ID || s.attempts[101] != s.all[1].ID {
			t.Errorf("%d attempts, want 101 at the first event and one at the second", n)
		}
		for i := 3; i < 100; i++ {
			if gap := s.times[i] - s.times[i-1]; gap > absentPause {
				t.Fatalf("%s between two attempts", gap)
			}
		}
		if got, want := s.err.String(), "The receiver is not running (connection refused). Waiting for it; no event is lost.\nThe receiver is back.\n"; got != want {
			t.Errorf("printed %q, want %q", got, want)
		}
	})
}

// TestBadReplies passes an event over, aloud, after the last of them.
func TestBadReplies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 2)
		broken := []outcome{{status: 500}, {status: 302}, {err: io.EOF}, {status: 404}, {err: context.DeadlineExceeded}, {status: 400}}
		s.receiver = func(n int) outcome {
			if n < len(broken) {
				return broken[n]
			}
			return outcome{status: 202}
		}
		s.runFor(t, time.Minute)
		if want := append(slices.Repeat(ids(s.all)[:1], maxAttempts), s.all[1].ID); !slices.Equal(s.attempts, want) {
			t.Errorf("posted %v, want %v", s.attempts, want)
		}
		for i, ms := range []int64{0, 250, 750, 1750, 3750, 7750, 7750} {
			if s.times[i].Milliseconds() != ms {
				t.Errorf("attempt %d at %s, want %d ms", i, s.times[i], ms)
			}
		}
		out := s.out.String()
		for _, w := range []string{"500  0 ms  again in 250ms", "302", "connection closed without a reply", "no reply within 15s", "SKIPPED after 6 attempts", "--since " + s.all[0].ID.String(), "202"} {
			if !strings.Contains(out, w) {
				t.Errorf("%q is not among\n%s", w, out)
			}
		}
		if len(s.saved) != 2 || s.saved[0].After != s.all[0].ID {
			t.Errorf("kept %v", s.saved)
		}
	})
}

// TestKilledBetween keeps the place behind what was taken, and not further.
func TestKilledBetween(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 3)
		s.receiver = func(n int) outcome {
			if n == 1 {
				return outcome{status: 500}
			}
			return outcome{status: 200}
		}
		s.runFor(t, 100*time.Millisecond) // it ends while the second event waits to be posted again
		if len(s.saved) != 1 || s.saved[0].After != s.all[0].ID {
			t.Errorf("kept %v, want the first event alone", s.saved)
		}
	})
}

func TestAPIAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 1)
		asked := 0
		s.api = func() error {
			switch asked++; {
			case asked > 40:
				return nil
			case asked%2 == 0:
				return &apiError{Status: 503, Code: "INTERNAL"}
			}
			return &awayError{"http://x/api/v1", syscall.ECONNREFUSED}
		}
		s.runFor(t, time.Minute)
		if !slices.Equal(s.attempts, ids(s.all)) {
			t.Errorf("posted %v", s.attempts)
		}
		printed := s.err.String()
		if strings.Count(printed, "Waiting") != 1 || !strings.HasSuffix(printed, "The API responds again.\n") {
			t.Errorf("printed %q", printed)
		}
	})
}

// TestLastingErrors end the command: they would be the same the next time.
func TestLastingErrors(t *testing.T) {
	t.Parallel()
	for status, lasting := range map[int]bool{301: true, 401: true, 403: true, 404: true, 422: true, 408: false, 429: false, 500: false, 502: false, 503: false} {
		if e := (&apiError{Status: status}); e.lasting() != lasting {
			t.Errorf("%d: lasting %t", status, e.lasting())
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 1)
		gone := fmt.Errorf("wrapped: %w", &apiError{Status: 401, Code: "UNAUTHORIZED"})
		s.api = func() error { return gone }
		if err := s.run(t.Context()); !errors.Is(err, gone) {
			t.Errorf("ended with %v", err)
		}
		s.api, s.receiver = nil, func(int) outcome { return outcome{err: &net.OpError{Op: "dial", Err: errNotLoopback}} }
		if err := s.run(t.Context()); !errors.Is(err, errNotLoopback) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	var got []time.Duration
	for n := range 8 {
		got = append(got, backoff(n, badPause))
	}
	want := []time.Duration{250e6, 500e6, 1e9, 2e9, 4e9, 5e9, 5e9, 5e9}
	if !slices.Equal(got, want) || backoff(1_000_000, badPause) != badPause {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestParseBeginning(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	id := billing.NewID[billing.EventID](billing.RealAt(now))
	for flag, want := range map[string]beginning{
		"": {}, "now": {now: true}, "10m": {from: now.Add(-10 * time.Minute)}, "0s": {from: now},
		id.String(): {id: id}, strings.ToLower(id.String()): {id: id},
		"2026-01-02T10:00:00-05:00": {from: now},
	} {
		if got, err := parseBeginning(flag, now); err != nil || got.now != want.now || got.id != want.id || !got.from.Equal(want.from) {
			t.Errorf("%q: %v, %v; want %v", flag, got, err, want)
		}
	}
	for _, flag := range []string{"yesterday", "-5m", "10", "evt_1", "elg_" + id.String()[4:], "2026-01-02", "2026-01-02T10:00:00"} {
		_, err := parseBeginning(flag, now)
		check(t, err, []string{"--since", "10m", "evt_", "now"})
	}
}
