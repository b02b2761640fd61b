package connections

import (
	"context"
	"log/slog"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// outage is a run of failures of a connection. It lasts until each call that failed has
// succeeded: a clearinghouse may have files for us, and refuse ours.
type outage struct {
	revision int // of the connection
	since    time.Time
	failing  map[network.Call]bool
	logged   map[network.Reason]bool
	failures int
}

// pause is a pause to store.
type pause struct {
	of    *network.Connection
	value network.Pause
}

// Observe judges the result of a call of a connection's adapter: nil, or why it
// failed. It counts every failure, and logs the first of an outage and each new
// reason. A refused sign-in pauses the connection. An unknown outcome is no outage, and
// whoever sent the file logs it.
func (s *Service) Observe(ctx context.Context, c *network.Connection, call network.Call, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, o := time.Now(), s.outages[c.ID]
	reason := network.ReasonOf(err)
	if err != nil {
		s.failed(c.Name, reason)
	}
	if err == nil || reason == network.ReasonUnknownOutcome {
		if o == nil {
			return
		}
		if delete(o.failing, call); len(o.failing) > 0 {
			return
		}
		if now.Sub(o.since) >= billing.ConnectionOutage {
			s.log.InfoContext(ctx, "connection works again", attrs(c, slog.Int("failures", o.failures), slog.String("after", now.Sub(o.since).Round(time.Second).String()))...)
		}
		delete(s.outages, c.ID)
		return
	}
	if o == nil || o.revision != c.Revision {
		o = &outage{revision: c.Revision, since: now, failing: map[network.Call]bool{}, logged: map[network.Reason]bool{}}
		s.outages[c.ID] = o
	}
	o.failures++
	o.failing[call] = true
	if o.logged[reason] {
		return
	}
	o.logged[reason] = true
	if reason != network.ReasonUnauthorized {
		s.log.WarnContext(ctx, "connection failed", attrs(c, slog.String("reason", string(reason)), slog.Any("error", err))...)
		return
	}
	s.log.ErrorContext(ctx, "connection paused: the network refuses its sign-in. Correct the account, then run molar connections enable or replace",
		attrs(c, slog.String("reason", string(reason)), slog.Any("error", err))...)
	s.pauses[c.ID] = pause{c, network.Pause{At: now, Reason: reason, Detail: err.Error()}}
}

func attrs(c *network.Connection, more ...any) []any {
	return append([]any{slog.String("connection", c.Name), slog.String("connection_id", c.ID.String())}, more...)
}

// pausesWait reports whether pauses of this process are not stored yet.
func (s *Service) pausesWait() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pauses) > 0
}

// storePauses stores the pauses of this process. A connection that was changed since
// stays as it is.
func (s *Service) storePauses(ctx context.Context) error {
	s.mu.Lock()
	waiting := make([]pause, 0, len(s.pauses))
	for _, p := range s.pauses {
		waiting = append(waiting, p)
	}
	s.mu.Unlock()
	for _, p := range waiting {
		err := s.locked(ctx, p.of.Name, func(ctx context.Context, tx ports.SystemTx, c *network.Connection) error {
			if c.ID != p.of.ID || c.Revision != p.of.Revision {
				return nil
			}
			c.Pause = p.value
			c.Pause.At = tx.Real.Now().Time
			return tx.Connections.Save(ctx, c)
		})
		if err != nil && !billing.IsNotFound(err) {
			return err
		}
		s.mu.Lock()
		delete(s.pauses, p.of.ID)
		s.mu.Unlock()
	}
	return nil
}
