// Package porttest is the shared part of the tests of use cases: a clock that
// tests move, a store whose calls fail, and a first organization.
package porttest

import (
	"sync"
	"testing"
	"time"
)

// Clock is a clock that tests move. The zero Clock shows the machine's time.
type Clock struct {
	mu    sync.Mutex
	stood time.Time // the time of a stopped clock; zero for a running one
	step  time.Duration
	ahead time.Duration
}

// At returns a stopped clock, which moves on by the step at every reading.
func At(t time.Time, step time.Duration) *Clock { return &Clock{stood: t, step: step} }

// Apart returns a clock of the same kind that differs by d.
func (c *Clock) Apart(d time.Duration) *Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Clock{stood: c.stood, step: c.step, ahead: c.ahead + d}
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += c.step
	if c.stood.IsZero() {
		return time.Now().Add(c.ahead)
	}
	return c.stood.Add(c.ahead)
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// To moves the clock to the time.
func (c *Clock) To(t time.Time) { c.Advance(t.Sub(c.Now())) }

// Await waits until the condition is true.
func Await(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(); <-time.After(2 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("it never became true: %s", what)
		}
	}
}
