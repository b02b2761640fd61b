package sandbox

import (
	"maps"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// DueKind is a kind of work that waits for its time by the clock.
type DueKind string

// The kinds of work that waits. The store has a table of where each is found.
const (
	DueBatch           DueKind = "batch"           // claims that wait for a batch
	DueAcknowledgement DueKind = "acknowledgement" // a file about a batch
	DueERA             DueKind = "era"
	DuePayerRequest    DueKind = "payer_request"
	DueDelivery        DueKind = "delivery"          // of a webhook
	DueCheck           DueKind = "eligibility_check" // a retry or a recheck of a batch of checks
	DueStatusInquiry   DueKind = "claim_status"      // a question about a claim by a policy: it is not pending, since it may follow for months
)

// Due is work that waits for its time.
type Due struct {
	At       time.Time
	Kind     DueKind
	Resource string          // the ID of what the work is about; empty for none
	Payer    billing.PayerID // of claims that wait for a batch
	Network  string          // that carries them, once it is known
}

// Work is what an organization in test mode has to do: the earliest work of each kind, and
// the jobs that are under way.
type Work struct {
	Waiting []Due          // claims that wait for a batch, by payer
	Counted int            // all that waits but claims and questions about claims, if it was counted
	Jobs    map[string]int // by kind
}

// Next returns the earliest work that waits; nil for none.
func (w *Work) Next() (next *Due) {
	for i := range w.Waiting {
		if d := &w.Waiting[i]; next == nil || d.At.Before(next.At) {
			next = d
		}
	}
	return next
}

// Pending counts the work that waits. Claims that one network carries go out as one batch.
func (w *Work) Pending() int {
	batches := map[string]bool{}
	for _, d := range w.Waiting {
		if d.Kind == DueBatch {
			batches[d.Network] = true
		}
	}
	return w.Counted + len(batches)
}

// Toward returns the earliest work to which an advance moves; nil for none. One until nothing is
// pending also does the inquiries on its way, and ends when only inquiries wait.
func (w *Work) Toward(until Until) *Due {
	pends := func(d Due) bool { return d.Kind != DueStatusInquiry }
	if until == UntilIdle && !slices.ContainsFunc(w.Waiting, pends) {
		return nil
	}
	return w.Next()
}

// Idle reports whether an advance has nothing to do, and nothing is under way.
func (w *Work) Idle(until Until) bool { return len(w.Jobs) == 0 && w.Toward(until) == nil }

// Busy reports whether anything is due, or under way, at the time.
func (w *Work) Busy(now time.Time) bool {
	next := w.Next()
	return len(w.Jobs) > 0 || next != nil && !next.At.After(now)
}

// Files reports whether claims wait for a batch, or files to be applied, at the time, and
// for which payers claims wait. Workers do everything else that is due by themselves.
func (w *Work) Files(now time.Time) (due bool, payers []billing.PayerID) {
	for _, d := range w.Waiting {
		if d.At.After(now) || d.Kind == DueDelivery || d.Kind == DueCheck || d.Kind == DueStatusInquiry {
			continue
		}
		due = true
		if d.Kind == DueBatch {
			payers = append(payers, d.Payer)
		}
	}
	return due, payers
}

// Equal reports whether the work is the same. If it is not, some was done.
func (w *Work) Equal(o *Work) bool {
	return slices.Equal(w.Waiting, o.Waiting) && maps.Equal(w.Jobs, o.Jobs)
}

// Blocked is what an advance waits for that does no work.
type Blocked string

// What an advance may wait for.
const (
	BlockedByDatabase Blocked = "database"
	BlockedByBroker   Blocked = "broker"
	BlockedByImages   Blocked = "images"
)

// patience is how long an advance may do nothing before it is said to be blocked.
const patience = time.Minute

// BlockedBy returns what the advance is blocked by, or nothing. Jobs and deliveries come to
// the workers over the broker; everything else is between a worker and the database.
func (c *Clock) BlockedBy(w *Work, wall time.Time) Blocked {
	if c.Advance == nil || wall.Sub(c.Advance.ProgressedAt) < patience {
		return ""
	}
	for _, kind := range []string{"png_convert", "thumbnail", "attachment_send"} {
		if w.Jobs[kind] > 0 {
			return BlockedByImages
		}
	}
	if next := w.Next(); len(w.Jobs) > 0 || next == nil || next.Kind == DueDelivery || next.Kind == DueCheck || next.Kind == DueStatusInquiry || next.At.After(c.StandsAt) {
		return BlockedByBroker
	}
	return BlockedByDatabase
}
