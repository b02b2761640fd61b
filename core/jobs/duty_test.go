package jobs_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

// aTurn is a turn that one holder leases, as ports.Turns has them.
type aTurn struct {
	holder billing.JobID
	until  time.Time
	asked  int
	away   error
}

func (a *aTurn) take(_ context.Context, _ string, holder billing.JobID, lease time.Duration) (time.Duration, error) {
	a.asked++
	if a.away != nil {
		return 0, a.away
	}
	if others := time.Until(a.until); others > 0 && a.holder != holder {
		return others, nil
	}
	a.holder, a.until = holder, time.Now().Add(lease)
	return 0, nil
}

// TestDuty has two processes poll. One has the duty for as long as it polls, and the other
// takes it when the lease has ended. The first asks for the turn to renew it, and the other,
// which looks now and then, only once.
func TestDuty(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn := &aTurn{}
		one, two := jobs.NewDuty("poll"), jobs.NewDuty("poll")
		has := func(d *jobs.Duty) bool {
			others, err := d.Take(t.Context(), turn.take)
			if err != nil || others != d.Others() || d.Mine() != (others == 0) {
				t.Errorf("Take = %v, %v; %v with others, mine: %t", others, err, d.Others(), d.Mine())
			}
			return others == 0
		}
		const polls = 1000
		for i := range polls {
			if i%int(billing.StoreLook/billing.OutboxPoll) == 0 {
				two.See(map[string]time.Time{"poll": turn.until, "another": time.Now().Add(time.Hour)})
			}
			if !has(one) || has(two) {
				t.Fatal("the first to poll does not have the duty alone")
			}
			time.Sleep(billing.OutboxPoll)
		}
		if want := 1 + polls*int(billing.OutboxPoll)/int(billing.DutyRenewal); turn.asked != want+1 {
			t.Errorf("asked %d times in %d polls of two, want %d renewals and one question", turn.asked, polls, want)
		}
		one.See(map[string]time.Time{"poll": turn.until}) // its own lease
		begun := time.Now()
		for !has(two) {
			time.Sleep(two.Others())
		}
		if took := time.Since(begun); took > billing.DutyLease {
			t.Errorf("the other had the duty after %v, want at most %v", took, billing.DutyLease)
		}
		if has(one) {
			t.Error("both have the duty")
		}
	})
}

// TestDutyWithoutStore lets every process poll while the store cannot say who has the turn.
func TestDutyWithoutStore(t *testing.T) {
	t.Parallel()
	turn := &aTurn{away: errors.New("away")}
	d := jobs.NewDuty("poll")
	if _, err := d.Take(t.Context(), turn.take); !errors.Is(err, turn.away) || d.Mine() || d.Others() > 0 {
		t.Errorf("Take = %v, mine: %t", err, d.Mine())
	}
}

// TestQuietDuty polls less often once it has found nothing for a while, and as before after it
// found something. A poll that is rarer stays as it is. Who has the duty renews it in time for
// the looks of the others.
func TestQuietDuty(t *testing.T) {
	const quietPoll, quietAfter = 400 * time.Millisecond, 10 * time.Second
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := jobs.NewDuty("poll")
		pauses := func(found bool, want time.Duration) {
			t.Helper()
			if got := d.Pause(found, billing.OutboxPoll); got != want {
				t.Errorf("the pause is %v, want %v", got, want)
			}
		}
		pauses(false, billing.OutboxPoll)
		time.Sleep(quietAfter)
		pauses(false, quietPoll)
		if got := d.Pause(false, time.Minute); got != time.Minute {
			t.Errorf("a rare poll pauses for %v", got)
		}
		pauses(true, billing.OutboxPoll)
		time.Sleep(quietAfter - 1)
		pauses(false, billing.OutboxPoll)

		turn := &aTurn{}
		for began := time.Now(); time.Since(began) < time.Minute; {
			if _, err := d.Take(t.Context(), turn.take); err != nil {
				t.Fatal(err)
			}
			if time.Sleep(quietPoll); time.Until(turn.until) <= billing.StoreLook {
				t.Fatalf("a look just before a poll sees a lease that ends in %v, before the next look", time.Until(turn.until))
			}
		}
	})
}

// TestDutyEnds wakes up at the end of a lease only if no look comes before.
func TestDutyEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := jobs.NewDuty("poll")
		d.See(map[string]time.Time{"poll": time.Now().Add(billing.StoreLook + 1)})
		if d.Ends() != nil {
			t.Error("it does not wait for the look")
		}
		time.Sleep(time.Second)
		if <-d.Ends(); d.Others() != 0 {
			t.Errorf("the lease of another goes on for %v", d.Others())
		}
	})
}
