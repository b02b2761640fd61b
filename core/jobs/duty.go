package jobs

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// A duty that has found nothing for quietAfter polls every quietPoll. Two of these renew its
// lease before the others look.
const (
	quietPoll  = 400 * time.Millisecond
	quietAfter = 10 * time.Second
)

// Duty is a poll that one process of the fleet makes for all: each would find the same. The
// process leases the turn of that name and renews the lease for as long as it polls. The
// others ask again when that lease ends, unless they see that it was renewed. Two that poll at once, such as after a pause, do no
// harm: what is found has leases of its own. It is not safe for concurrent use.
type Duty struct {
	Name   string
	Holder billing.JobID

	lease, renewal time.Duration

	mine, others time.Time // when the lease ends that this process, or another, was seen to have
	found        time.Time // when a poll last found something, or the first one was
}

// NewDuty returns a duty whose holder is not known yet.
func NewDuty(name string) *Duty { return NewRareDuty(name, billing.DutyLease, billing.DutyRenewal) }

// NewRareDuty returns a duty for a poll that may come late: with a lease of its own, which
// is renewed so long after it began.
func NewRareDuty(name string, lease, renewal time.Duration) *Duty {
	return &Duty{Name: name, Holder: billing.NewID[billing.JobID](billing.RealAt(time.Now())), lease: lease, renewal: renewal}
}

// Take returns zero while this process has the duty, and otherwise for how long another has
// it. It asks take, which is ports.Turns.Take, only when its own lease is to be renewed, or
// another's has ended.
func (d *Duty) Take(
	ctx context.Context, take func(ctx context.Context, name string, holder billing.JobID, lease time.Duration) (time.Duration, error),
) (others time.Duration, err error) {
	if others, known := d.Known(); known {
		return others, nil
	}
	now := time.Now() // before the lease begins
	if others, err = take(ctx, d.Name, d.Holder, d.lease); err != nil {
		return 0, err
	}
	d.mine, d.others = time.Time{}, now.Add(others)
	if others == 0 {
		d.mine = now.Add(d.lease)
	}
	return others, nil
}

// Known returns what Take does, and whether Take asks for nothing.
func (d *Duty) Known() (others time.Duration, known bool) {
	others = d.Others()
	return others, others > 0 || time.Until(d.mine) > d.lease-d.renewal
}

// See tells of leases that were seen, by the names of their turns, so that the holder's
// renewals need not be asked for.
func (d *Duty) See(ends map[string]time.Time) {
	if end := ends[d.Name]; !d.Mine() && end.After(d.others) {
		d.others = end
	}
}

// Others returns for how long another process is known to have the duty.
func (d *Duty) Others() time.Duration { return max(0, time.Until(d.others)) }

// Ends returns a channel that receives when another's lease ends, unless the store looks
// before that, and shows whether it was renewed. It is nil then, so that an idle process
// wakes up once for all that waits for a look.
func (d *Duty) Ends() <-chan time.Time {
	if left := d.Others(); left <= billing.StoreLook {
		return time.After(left)
	}
	return nil
}

// Pause returns the time until the next poll: poll, or quietPoll if that is
// longer, once polls have found nothing for a while.
func (d *Duty) Pause(found bool, poll time.Duration) time.Duration {
	now := time.Now()
	if found || d.found.IsZero() {
		d.found = now
	}
	if now.Sub(d.found) < quietAfter {
		return poll
	}
	return max(poll, quietPoll)
}

// Mine reports whether this process was last seen to have the duty.
func (d *Duty) Mine() bool { return !d.mine.IsZero() }
