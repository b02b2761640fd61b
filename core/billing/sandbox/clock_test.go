package sandbox_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/sandbox"
)

var (
	wall = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	job  = billing.JobID{1}
)

func due(after time.Duration) *sandbox.Due {
	return &sandbox.Due{At: wall.Add(after), Kind: sandbox.DueERA}
}

func by(d time.Duration) sandbox.Request { return sandbox.Request{By: &d} }

// TestAdvance moves a clock from work to work.
func TestAdvance(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	year := 366 * day
	for name, test := range map[string]struct {
		request sandbox.Request
		work    []time.Duration // that waits, after the beginning
		want    []time.Duration // where the clock stands, in turn
	}{
		"nothing is due":            {by(day), nil, []time.Duration{day}},
		"work on the way":           {by(day), []time.Duration{time.Hour, 2 * time.Hour, 2 * day}, []time.Duration{time.Hour, 2 * time.Hour, day}},
		"work at the end":           {by(day), []time.Duration{day}, []time.Duration{day, day}},
		"to an instant":             {sandbox.Request{To: wall.Add(time.Hour)}, nil, []time.Duration{time.Hour}},
		"to the next work":          {sandbox.Request{Until: sandbox.UntilNext}, []time.Duration{time.Hour, day}, []time.Duration{time.Hour, time.Hour}},
		"the next is never":         {sandbox.Request{Until: sandbox.UntilNext}, []time.Duration{year + 1}, []time.Duration{year}},
		"the work of the present":   {sandbox.Request{Until: sandbox.UntilIdle}, []time.Duration{0}, []time.Duration{0, 0}},
		"until nothing waits":       {sandbox.Request{Until: sandbox.UntilIdle}, []time.Duration{time.Hour, 100 * day}, []time.Duration{time.Hour, 100 * day, 100 * day}},
		"until the end of the year": {sandbox.Request{Until: sandbox.UntilIdle}, []time.Duration{time.Hour, year + 1}, []time.Duration{time.Hour, year}},
	} {
		c := sandbox.Clock{StandsAt: wall}
		next := func() *sandbox.Due {
			if len(test.work) == 0 {
				return nil
			}
			return due(test.work[0])
		}
		if begun, err := c.Begin(test.request, job, "k", len(test.work) == 0, wall); err != nil || !begun {
			t.Fatalf("%s: %t, %v", name, begun, err)
		}
		for i, want := range test.want {
			over := c.Move(next(), wall)
			if at := c.StandsAt.Sub(wall); at != want || over != (i == len(test.want)-1) {
				t.Errorf("%s: move %d is to %v, over %t; want %v", name, i+1, at, over, want)
			}
			for len(test.work) > 0 && test.work[0] <= c.StandsAt.Sub(wall) {
				test.work = test.work[1:]
			}
		}
	}
}

// TestAdvanceRefused has the limits of an advance.
func TestAdvanceRefused(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	ahead := sandbox.Clock{Ahead: 10 * 365 * day}
	for name, test := range map[string]struct {
		clock   sandbox.Clock
		request sandbox.Request
		code    billing.Code
	}{
		"366 days":                 {sandbox.Clock{}, by(366 * day), ""},
		"more than 366 days":       {sandbox.Clock{}, by(366*day + 1), billing.CodeInvalidRequest},
		"back":                     {sandbox.Clock{}, sandbox.Request{To: wall.Add(-1)}, billing.CodeInvalidRequest},
		"now":                      {sandbox.Clock{}, sandbox.Request{To: wall}, ""},
		"ten years ahead":          {ahead, by(2 * day), ""},
		"more than ten years":      {ahead, by(4 * day), billing.CodeInvalidRequest},
		"while it is advanced":     {sandbox.Clock{StandsAt: wall, Advance: &sandbox.Advance{}}, by(day), billing.CodeClockAdvancing},
		"until idle at ten years":  {ahead, sandbox.Request{Until: sandbox.UntilIdle}, ""},
		"until next at long times": {ahead, sandbox.Request{Until: sandbox.UntilNext}, ""},
	} {
		_, err := test.clock.Begin(test.request, job, "k", false, wall)
		if (err == nil) != (test.code == "") || err != nil && billing.CodeOf(err) != test.code {
			t.Errorf("%s: %v, want %q", name, err, test.code)
		}
	}
	c := sandbox.Clock{}
	if begun, err := c.Begin(sandbox.Request{Until: sandbox.UntilIdle}, job, "k", true, wall); begun || err != nil || c != (sandbox.Clock{}) {
		t.Errorf("nothing waits: begun %t, %v, %+v", begun, err, c)
	}
}

// TestRunsOn stops a clock and lets it run, and advances it in both states.
func TestRunsOn(t *testing.T) {
	t.Parallel()
	c := sandbox.Clock{}
	if _, err := c.Begin(by(time.Hour), job, "k", true, wall); err != nil || !c.Running() || c.State() != sandbox.Advancing {
		t.Fatalf("%+v, %v", c, err)
	}
	if err := c.Set(false, wall); billing.CodeOf(err) != billing.CodeClockAdvancing {
		t.Errorf("set while it advances: %v", err)
	}
	c.Move(nil, wall)
	c.Stop(wall.Add(time.Second))
	if now := c.Now(wall.Add(time.Minute)); !now.Equal(wall.Add(time.Hour+59*time.Second)) || !c.Running() || c.State() != sandbox.Ready {
		t.Errorf("a running clock shows %v after its advance", now)
	}
	if err := c.Set(false, wall.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	stood := c.Now(wall.Add(time.Minute))
	if !c.Now(wall.Add(time.Hour)).Equal(stood) || c.Running() {
		t.Error("a clock that was stopped goes on")
	}
	if _, err := c.Begin(by(time.Hour), job, "k", true, wall); err != nil {
		t.Fatal(err)
	}
	c.Move(nil, wall)
	c.Stop(wall)
	if c.Running() || !c.Now(wall).Equal(stood.Add(time.Hour)) {
		t.Errorf("a standing clock after its advance: %+v", c)
	}
	if err := c.Set(true, wall); err != nil || !c.Now(wall.Add(time.Second)).Equal(stood.Add(time.Hour+time.Second)) {
		t.Errorf("it does not run on from where it stood: %+v, %v", c, err)
	}
}

// TestBlocked has an advance that has done nothing for a minute.
func TestBlocked(t *testing.T) {
	t.Parallel()
	delivery := sandbox.Due{At: wall, Kind: sandbox.DueDelivery}
	for name, test := range map[string]struct {
		work  sandbox.Work
		lasts time.Duration
		want  sandbox.Blocked
	}{
		"for less":   {sandbox.Work{Jobs: map[string]int{"era": 1}}, 59 * time.Second, ""},
		"a job":      {sandbox.Work{Jobs: map[string]int{"era": 1}}, time.Minute, sandbox.BlockedByBroker},
		"a delivery": {sandbox.Work{Waiting: []sandbox.Due{delivery}}, time.Minute, sandbox.BlockedByBroker},
		"an image":   {sandbox.Work{Jobs: map[string]int{"era": 1, "png_convert": 1}}, time.Minute, sandbox.BlockedByImages},
		"a file":     {sandbox.Work{Waiting: []sandbox.Due{*due(0)}}, time.Minute, sandbox.BlockedByDatabase},
		"its driver": {sandbox.Work{Waiting: []sandbox.Due{*due(time.Hour)}}, time.Minute, sandbox.BlockedByBroker},
	} {
		c := sandbox.Clock{StandsAt: wall, Advance: &sandbox.Advance{Job: job, ProgressedAt: wall}}
		if got := c.BlockedBy(&test.work, wall.Add(test.lasts)); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if c.Progress(billing.JobID{2}, wall.Add(test.lasts)) || !c.Progress(job, wall.Add(test.lasts)) || c.BlockedBy(&test.work, wall.Add(test.lasts)) != "" {
			t.Errorf("%s: progress does not count", name)
		}
	}
}

// TestWork counts what waits: the claims of one network go out as one batch.
func TestWork(t *testing.T) {
	t.Parallel()
	w := sandbox.Work{Counted: 3, Waiting: []sandbox.Due{
		{At: wall.Add(time.Hour), Kind: sandbox.DueBatch, Payer: billing.PayerID{1}, Network: "sandbox"},
		{At: wall, Kind: sandbox.DueBatch, Payer: billing.PayerID{2}, Network: "sandbox"},
		{At: wall.Add(time.Minute), Kind: sandbox.DueDelivery},
	}}
	if n, next := w.Pending(), w.Next(); n != 4 || next != &w.Waiting[1] {
		t.Errorf("%d wait, and next is %+v", n, next)
	}
	for after, busy := range map[time.Duration]bool{-1: false, 0: true} {
		if w.Busy(wall.Add(after)) != busy {
			t.Errorf("busy at %v, want %t", after, busy)
		}
	}
	if files, payers := w.Files(wall.Add(time.Minute)); !files || len(payers) != 1 || payers[0] != (billing.PayerID{2}) {
		t.Errorf("files %t, payers %v", files, payers)
	}
	if w.Idle(sandbox.UntilIdle) || w.Idle(sandbox.UntilNext) {
		t.Error("idle while claims wait")
	}
	inquiry := sandbox.Work{Waiting: []sandbox.Due{{At: wall, Kind: sandbox.DueStatusInquiry}}}
	if inquiry.Pending() != 0 || !inquiry.Idle(sandbox.UntilIdle) || inquiry.Idle(sandbox.UntilNext) || !inquiry.Busy(wall) {
		t.Error("a question by a policy is pending, or no work")
	}
	if inquiry.Jobs = map[string]int{"claim_status": 1}; inquiry.Idle(sandbox.UntilIdle) {
		t.Error("idle while a payer is asked")
	}
	if files, _ := inquiry.Files(wall); files {
		t.Error("a question by a policy counts as a file")
	}
	w.Waiting = w.Waiting[2:]
	if files, _ := w.Files(wall.Add(time.Hour)); files {
		t.Error("a delivery counts as a file")
	}
}

// TestData shows a clock that advances.
func TestData(t *testing.T) {
	t.Parallel()
	s := sandbox.Status{
		Clock: sandbox.Clock{StandsAt: wall, Advance: &sandbox.Advance{Target: wall.Add(time.Hour), RunsOn: true}}, Real: wall.Add(-time.Hour),
		Next: &sandbox.Due{At: wall.Add(time.Minute), Kind: sandbox.DueBatch}, Pending: 2, Blocked: sandbox.BlockedByBroker,
	}
	const want = `{"object":"sandbox_clock","now":"2026-11-26T12:00:00.000000+00:00","real_now":"2026-11-26T11:00:00.000000+00:00","running":true,` +
		`"state":"advancing","target":"2026-11-26T13:00:00.000000+00:00","blocked":"broker",` +
		`"next":{"at":"2026-11-26T12:01:00.000000+00:00","kind":"batch","resource":null},"pending":2}`
	if got := s.Data(); string(got) != want || !json.Valid(got) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	s.Clock.Advance.Until = sandbox.UntilIdle
	var shown struct {
		Target *string `json:"target"`
	}
	if err := json.Unmarshal(s.Data(), &shown); err != nil || shown.Target != nil {
		t.Errorf("an advance until nothing waits has the target %v, %v", shown.Target, err)
	}
}
