// Package sandbox has the clock of an organization in test mode, and the work that waits
// for it.
//
// An advance of the clock is a discrete simulation: the clock moves to the next instant at
// which something is due, and stands there until all that is due has been done.
package sandbox

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// The limits of the clock.
const (
	MaxAdvance = 366 * 24 * time.Hour // of one advance
	maxYears   = 10                   // ahead of real time
)

// Clock is the clock of an organization in test mode. The zero Clock runs with real time.
type Clock struct {
	Ahead    time.Duration // of real time, while it runs
	StandsAt time.Time     // zero while it runs
	Advance  *Advance      // nil while it is not advanced
	Reset    *Reset        // nil while test mode is not reset
}

// Until says at which work an advance ends.
type Until string

// The ends of an advance. One without them ends at an instant.
const (
	UntilNext Until = "next" // the next work after that of the present, and then an instant
	UntilIdle Until = "idle" // when no work is pending
)

// State is what happens to a clock.
type State string

// The states of a clock.
const (
	Ready     State = "ready"
	Advancing State = "advancing"
	Resetting State = "resetting" // nothing of test mode can be written
)

// Advance is an advance that is under way. The clock stands meanwhile.
type Advance struct {
	Job          billing.JobID // drives it
	Key          string        // the idempotency key of its request
	Until        Until         // empty for an instant
	Target       time.Time     // the last instant that it may reach
	RunsOn       bool          // whether the clock runs on afterwards
	ProgressedAt time.Time     // by real time, when work was last done
}

// Reset is a reset of test mode that is under way. The clock shows real time meanwhile.
type Reset struct {
	Job     billing.JobID // drives it
	BeganAt time.Time     // by real time
}

// Request is a request to advance a clock; exactly one of its fields is set.
type Request struct {
	By    *time.Duration
	To    time.Time
	Until Until
}

// Now returns the time that the clock shows.
func (c *Clock) Now(wall time.Time) time.Time {
	if !c.StandsAt.IsZero() {
		return c.StandsAt
	}
	return wall.Add(c.Ahead)
}

// Set lets the clock run on, or stops it.
func (c *Clock) Set(running bool, wall time.Time) error {
	if err := c.ready(); err != nil {
		return err
	}
	if running {
		*c = Clock{Ahead: c.Now(wall).Sub(wall)}
	} else {
		*c = Clock{StandsAt: c.Now(wall)}
	}
	return nil
}

// Running reports whether the clock runs. During an advance it reports whether it will.
func (c *Clock) Running() bool { return c.StandsAt.IsZero() || c.Advance != nil && c.Advance.RunsOn }

// State returns the state of the clock.
func (c *Clock) State() State {
	switch {
	case c.Reset != nil:
		return Resetting
	case c.Advance != nil:
		return Advancing
	}
	return Ready
}

// ready returns nil, or the error of a request that must wait until the clock is ready.
func (c *Clock) ready() error {
	switch c.State() {
	case Resetting:
		return ErrResetting()
	case Advancing:
		return ErrAdvancing()
	case Ready:
	}
	return nil
}

// ErrAdvancing returns the error of a request that must wait for the end of an advance.
func ErrAdvancing() error {
	return &billing.Error{
		Code:    billing.CodeClockAdvancing,
		Message: "The clock is being advanced. Wait until its state is ready, or end the advance with POST /sandbox/clock/stop.",
	}
}

// ErrResetting returns the error of a write that must wait for the end of a reset.
func ErrResetting() error {
	return &billing.Error{
		Code:    billing.CodeSandboxResetting,
		Message: "Test mode is being reset. Wait until the state of the clock is ready, which GET /sandbox/clock shows, and send the request again.",
	}
}

// BeginReset begins a reset that the job drives. The clock shows real time from now on.
func (c *Clock) BeginReset(job billing.JobID, wall time.Time) error {
	if err := c.ready(); err != nil {
		return err
	}
	*c = Clock{Reset: &Reset{job, wall}}
	return nil
}

// Begin begins an advance that the job drives. It reports whether there is anything to do:
// until there is work, an idle organization has nothing.
func (c *Clock) Begin(r Request, job billing.JobID, key string, idle bool, wall time.Time) (begun bool, err error) {
	if err := c.ready(); err != nil {
		return false, err
	}
	now := c.Now(wall)
	a := &Advance{Job: job, Key: key, Until: r.Until, RunsOn: c.Running(), ProgressedAt: wall}
	field := "until"
	switch {
	case r.By != nil:
		field, a.Target = "by", now.Add(*r.By)
	case !r.To.IsZero():
		field, a.Target = "to", r.To
	case idle:
		return false, nil
	default:
		a.Target = now.Add(MaxAdvance)
	}
	var faults billing.Faults
	switch limit := wall.AddDate(maxYears, 0, 0); {
	case a.Target.Before(now):
		faults.Add(field, billing.FaultRange, "The clock does not go back. Send an instant that is not before now, which GET /sandbox/clock shows.")
	case a.Target.Sub(now) > MaxAdvance:
		faults.Add(field, billing.FaultRange, "The clock may be advanced by at most 366 days at once.")
	case a.Target.After(limit) && r.Until != "" && now.Before(limit):
		a.Target = limit
	case a.Target.After(limit):
		faults.Add(field, billing.FaultRange, "The clock may be at most 10 years ahead of real time.")
	}
	if err := faults.Err(); err != nil {
		return false, err
	}
	c.StandsAt, c.Ahead, c.Advance = now, 0, a
	return true, nil
}

// Move moves the clock when all work that was due has been done, to the next work or to
// the end of the advance. It reports whether that is reached, and nothing is due there.
func (c *Clock) Move(next *Due, wall time.Time) (over bool) {
	a := c.Advance
	a.ProgressedAt = wall
	if a.Until == UntilNext && next != nil {
		a.Until, a.Target = "", earlier(next.At, a.Target)
	}
	switch {
	case next != nil && !next.At.After(a.Target):
		c.StandsAt = later(c.StandsAt, next.At)
		return false
	case next == nil && a.Until != "":
		return true
	default:
		c.StandsAt = later(c.StandsAt, a.Target)
		return true
	}
}

// Progress records that the job of the advance has done work. It reports whether the
// advance is the job's.
func (c *Clock) Progress(job billing.JobID, wall time.Time) bool {
	if c.Advance == nil || c.Advance.Job != job {
		return false
	}
	c.Advance.ProgressedAt = wall
	return true
}

// Stop ends an advance where the clock is.
func (c *Clock) Stop(wall time.Time) {
	if a := c.Advance; a != nil {
		c.Advance = nil
		if a.RunsOn {
			*c = Clock{Ahead: c.StandsAt.Sub(wall)}
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Status is a clock with the work that waits for it.
type Status struct {
	Clock   Clock
	Real    time.Time
	Next    *Due // nil for none
	Pending int
	Blocked Blocked // empty if it is not
}

// Data returns the status as clients see it.
func (s *Status) Data() json.RawMessage {
	shown := statusData{
		Object: "sandbox_clock", Now: event.Timestamp(s.Clock.Now(s.Real)), RealNow: event.Timestamp(s.Real),
		Running: s.Clock.Running(), State: s.Clock.State(), Pending: s.Pending,
	}
	if a := s.Clock.Advance; a != nil && a.Until == "" {
		shown.Target = new(event.Timestamp(a.Target))
	}
	if s.Blocked != "" {
		shown.Blocked = &s.Blocked
	}
	if s.Next != nil {
		shown.Next = &dueData{At: event.Timestamp(s.Next.At), Kind: s.Next.Kind}
		if s.Next.Resource != "" {
			shown.Next.Resource = &s.Next.Resource
		}
	}
	data, err := json.Marshal(shown)
	if err != nil {
		panic(fmt.Sprintf("sandbox: %v", err)) // every field is text or a number
	}
	return data
}

type statusData struct {
	Object  string   `json:"object"`
	Now     string   `json:"now"`
	RealNow string   `json:"real_now"`
	Running bool     `json:"running"`
	State   State    `json:"state"`
	Target  *string  `json:"target"`
	Blocked *Blocked `json:"blocked"`
	Next    *dueData `json:"next"`
	Pending int      `json:"pending"`
}

type dueData struct {
	At       string  `json:"at"`
	Kind     DueKind `json:"kind"`
	Resource *string `json:"resource"`
}
