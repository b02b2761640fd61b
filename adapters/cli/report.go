package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// reporter reports the progress of molar listen: a line for each attempt on out,
// and everything else on err.
type reporter struct {
	out, err io.Writer
	json     bool // lines of JSON
	colour   bool
	data     bool // the events themselves as well
}

// terminal reports whether the output is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (r *reporter) note(format string, args ...any) {
	_, _ = fmt.Fprintf(r.err, format+"\n", args...)
}

// attemptLine is an attempt as a line of JSON.
type attemptLine struct {
	Time       string          `json:"time"`
	Type       event.Type      `json:"type"`
	EventID    billing.EventID `json:"event_id"`
	ResourceID string          `json:"resource_id"`
	Status     int             `json:"status,omitempty"` // omitted when there was no reply
	Error      string          `json:"error,omitempty"`  // why there was none
	DurationMS int64           `json:"duration_ms"`
	Attempt    int             `json:"attempt"`
	Outcome    string          `json:"outcome"` // delivered, retrying or passed_over
	Event      json.RawMessage `json:"event,omitempty"`
}

// attempt reports the nth attempt and what follows it.
func (r *reporter) attempt(e listedEvent, o outcome, n int, wait time.Duration) {
	now := time.Now()
	if r.json {
		r.line(e, o, n, now)
		return
	}
	status, then := paint(r.colour, red, o.String()), fmt.Sprintf("  again in %s", wait)
	switch {
	case o.taken():
		status, then = paint(r.colour, green, o.String()), ""
	case n >= maxAttempts:
		then = paint(r.colour, red, fmt.Sprintf("  SKIPPED after %d attempts; to receive it again: molar listen --since %s", n, e.ID))
	}
	_, _ = fmt.Fprintf(r.out, "%s  %-28s  %s  %s  %s  %d ms%s\n",
		now.Format("15:04:05"), e.Type, e.ID, e.Data.ID, status, o.took.Milliseconds(), then)
	if r.data && n == 1 {
		_, _ = fmt.Fprintf(r.out, "%s\n", e.body())
	}
}

func (r *reporter) line(e listedEvent, o outcome, n int, now time.Time) {
	l := attemptLine{
		Time: event.Timestamp(now), Type: e.Type, EventID: e.ID, ResourceID: e.Data.ID, Status: o.status,
		DurationMS: o.took.Milliseconds(), Attempt: n, Outcome: "retrying",
	}
	switch {
	case o.taken():
		l.Outcome = "delivered"
	case n >= maxAttempts:
		l.Outcome = "passed_over"
	}
	if o.err != nil {
		l.Error = o.String()
	}
	if r.data {
		l.Event = e.body()
	}
	_ = json.NewEncoder(r.out).Encode(l)
}

const (
	red   = "31"
	green = "32"
)

func paint(on bool, colour, s string) string {
	if !on {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}
