// Package audit keeps the log of the requests with an API key, and the audit: the
// requests of people and of keys, and what operators do.
package audit

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of the request log and of the audit.
//
// Record adds an entry to a buffer, and Run writes the buffer to the log and to the
// audit. So no request of a key waits for its entry. The use of an idempotency key is committed with what the entry of
// its request needs. Restore writes the entries that a stopped process did not.
type Service struct {
	store ports.Store
	keep  time.Duration
	log   *slog.Logger

	entries  chan *caller.LoggedRequest
	dropped  atomic.Uint64
	restored time.Time // entries of earlier writes are in the log

	// A batch whose write failed, and how often. Only Run uses them.
	unwritten []*caller.LoggedRequest
	failed    int

	audit group
}

// LeastRetention is the time for which the database keeps the services from deleting
// an entry of the audit.
const LeastRetention = 30 * 24 * time.Hour

// KeepRequests is how long an entry of the request log is kept. The audit has what it says of the
// use of keys for longer.
const KeepRequests = 30 * 24 * time.Hour

const (
	buffered   = 16384
	batch      = 500 // entries of one transaction
	writeEvery = 200 * time.Millisecond
	writeTime  = 20 * time.Second // of one write of the buffer
	attempts   = 25               // to write a batch: a store that is back within seconds loses none
	settleTime = 2 * time.Minute  // after it no request of a write still runs
)

// New creates the use cases. Entries of the audit are kept for the given time.
func New(store ports.Store, keep time.Duration, log *slog.Logger) *Service {
	s := &Service{store: store, keep: keep, log: log, entries: make(chan *caller.LoggedRequest, buffered)}
	s.audit.write = s.insertEntries
	return s
}

// Record adds an entry to the log and to the audit. It never waits: when the buffer is full, it
// drops the entry. Restore brings back a dropped entry of a write, without its
// reply.
func (s *Service) Record(e *caller.LoggedRequest) {
	select {
	case s.entries <- e:
	default:
		s.dropped.Add(1)
	}
}

// Dropped returns the number of entries that Record and Run have dropped.
func (s *Service) Dropped() uint64 { return s.dropped.Load() }

// Run writes recorded entries until ctx ends, and then those that remain. Without any it
// rests.
func (s *Service) Run(ctx context.Context) error {
	for reported := uint64(0); ; {
		if len(s.unwritten) == 0 {
			select {
			case e := <-s.entries:
				s.unwritten = append(s.unwritten, e)
			case <-ctx.Done():
			}
		}
		ended := false
		select { // until there are several
		case <-time.After(writeEvery):
		case <-ctx.Done():
			ended = true
		}
		s.write(context.WithoutCancel(ctx)) // the end of ctx interrupts no transaction
		if ended {
			s.dropped.Add(uint64(len(s.unwritten) + len(s.entries)))
		}
		if n := s.dropped.Load(); n > reported {
			s.log.WarnContext(ctx, "the request log dropped entries", "entries", n-reported)
			reported = n
		}
		if ended {
			s.audit.wait()
			return nil
		}
	}
}

// write writes the recorded entries. It keeps a batch that the store does not accept for
// the next write, and drops it after the last attempt.
func (s *Service) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	for {
		entries := s.next()
		if len(entries) == 0 {
			return
		}
		if err := s.insert(ctx, entries); err != nil {
			s.log.ErrorContext(ctx, "the request log was not written", "error", err)
			if s.failed++; s.failed < attempts {
				s.unwritten = entries
			} else {
				s.dropped.Add(uint64(len(entries)))
				s.failed = 0
			}
			return
		}
		s.failed = 0
	}
}

// next returns the next batch, which begins with what was not written.
func (s *Service) next() []*caller.LoggedRequest {
	entries := s.unwritten
	s.unwritten = nil
	for len(entries) < batch {
		select {
		case e := <-s.entries:
			entries = append(entries, e)
		default:
			return entries
		}
	}
	return entries
}

func (s *Service) insert(ctx context.Context, entries []*caller.LoggedRequest) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return insert(ctx, tx, entries) })
}

// insert stores the entries in the log and in the audit.
func insert(ctx context.Context, tx ports.SystemTx, entries []*caller.LoggedRequest) error {
	audited := make([]*caller.AuditEntry, len(entries))
	for i, e := range entries {
		audited[i] = e.Audited()
	}
	if err := tx.RequestLog.Insert(ctx, entries); err != nil {
		return err
	}
	return tx.AuditLog.Insert(ctx, audited)
}

// Restore writes the entries that were committed with a write, for those requests
// that the log does not have. It checks all writes whose keys are kept, and later
// only those since the last call. It is not safe for concurrent use.
func (s *Service) Restore(ctx context.Context) error {
	for {
		more, err := s.restore(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// restore checks the next writes, a limited number in one transaction, and returns
// whether there are more.
func (s *Service) restore(ctx context.Context) (more bool, err error) {
	var next time.Time
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		settled := tx.Real.Now().Add(-settleTime)
		var entries []*caller.LoggedRequest
		if entries, next, err = tx.RequestLog.Written(ctx, s.restored, settled); err != nil {
			return err
		}
		more = !next.Equal(settled)
		return insert(ctx, tx, entries)
	})
	if err != nil {
		return false, err
	}
	s.restored = next
	return more, nil
}

// Forget deletes old entries, a limited number in one transaction, and returns how
// many.
func (s *Service) Forget(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Forget.Requests(ctx, tx.Real.Now().Add(-KeepRequests))
	})
}

// Get reads an entry. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.RequestID) (*caller.LoggedRequest, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*caller.LoggedRequest, error) {
		return tx.Requests.Get(ctx, id)
	})
}

// List reads a page of entries, newest first, and the start of the next page: nil
// after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f caller.RequestFilter, p billing.Page,
) ([]*caller.LoggedRequest, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*caller.LoggedRequest, error) {
		return tx.Requests.List(ctx, f, p)
	})
}
