package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// unfitEvery is how often a store looks at a database that does not fit.
const unfitEvery = 500 * time.Millisecond

// UnfitError is the error of a store whose release does not work with the database's
// schema. No transaction begins.
type UnfitError struct {
	Have  int64 // the database's step
	Want  int64 // this release's step
	Least int64 // the oldest step whose release works with the database
}

func (e *UnfitError) Error() string {
	if e.Have < e.Want {
		return fmt.Sprintf("the database is at step %d of %d: run molar migrate", e.Have, e.Want)
	}
	return fmt.Sprintf("the database is at step %d and needs a release of step %d or later; this release is of step %d: install the newer release", e.Have, e.Least, e.Want)
}

// Is makes an UnfitError a reason why the store is unavailable.
func (e *UnfitError) Is(target error) bool { return target == billing.ErrStoreAway }

// Stops reports whether the error stops all work until an operator has done something: a
// release that does not fit the schema, or a database that was restored.
func Stops(err error) bool {
	_, unfit := errors.AsType[*UnfitError](err)
	_, behind := errors.AsType[*BehindError](err)
	return unfit || behind
}

// sight is what a store saw when it last looked at the database.
type sight struct {
	err    error // nil when the release fits, the key is the database's, and no live file is missing
	oldest horizon
	held   bool // a restore is not resumed

	uncounted bool      // there are changes of totals
	replaced  time.Time // when a data key was replaced last

	fleet ports.Seen
}

// horizon is the oldest transaction with an ID, of any session of the cluster. Events
// that are read in order wait for it.
type horizon struct {
	id    string    // empty for none
	since time.Time // when this process first saw it
	long  bool      // it has been seen for at least heldBack
	pid   int       // of its session, once it is long; 0 for a prepared transaction
}

// held returns how long the transaction has been seen.
func (h horizon) held() time.Duration {
	if h.id == "" {
		return 0
	}
	return time.Since(h.since)
}

// errUnseen is the state before the first look that the database answered.
var errUnseen = fmt.Errorf("%w: it has not been reached yet", billing.ErrStoreAway)

// Fit returns nil while this process can work with the database: its release fits the
// schema, its key is the database's, and the database is not behind the live files. The
// store looks every billing.StoreLook. While the database is away, Fit returns what it last saw.
//
// Errors: *UnfitError, *BehindError, ErrMadeBefore, ErrOtherKey, ErrNoKey, and billing.ErrStoreAway before the
// database was reached.
func (s *Store) Fit() error {
	if seen := s.seen.Load(); seen != nil {
		return seen.err
	}
	return errUnseen
}

// Seen returns what the last look saw of the fleet.
func (s *Store) Seen() (fleet ports.Seen) {
	next := *s.looked.Load() // before what was seen, so that no look is missed
	if seen := s.seen.Load(); seen != nil {
		fleet = seen.fleet
	}
	fleet.Next = next
	return fleet
}

// unfit returns the error of the last look if it stops all work.
func (s *Store) unfit() error {
	if seen := s.seen.Load(); seen != nil && Stops(seen.err) {
		return seen.err
	}
	return nil
}

// Ready reports whether the database responds and fits this release. It caches the
// result for a second.
func (s *Store) Ready(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.checked) < readyFor {
		return s.ready
	}
	bounded, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	err := s.look(bounded)
	if ctx.Err() == nil { // do not cache a result if the caller gave up
		s.ready, s.checked = err, time.Now()
	}
	return err
}

// keepFit looks at the database until ctx ends.
func (s *Store) keepFit(ctx context.Context) {
	for {
		every := billing.StoreLook
		if s.Fit() != nil {
			every = unfitEvery
		}
		if !pause(ctx, every) {
			return
		}
		bounded, cancel := context.WithTimeout(ctx, readyTimeout)
		_ = s.look(bounded) // Fit has the result
		cancel()
		if s.seen.Load() != nil && s.seen.Load().uncounted {
			select {
			case s.uncounted <- struct{}{}:
			default: // they are being added
			}
		}
	}
}

// look compares the database's schema and key with this process's. It keeps the result
// for Fit if the database gave one.
func (s *Store) look(ctx context.Context) error {
	now, err := s.compare(ctx)
	if err == nil {
		err = s.prove(ctx)
	}
	if err == nil {
		err = s.lookAtKeys(ctx, now.replaced)
	}
	if err == nil || Stops(err) || errors.Is(err, ErrMadeBefore) || errors.Is(err, ErrOtherKey) || errors.Is(err, ErrNoKey) {
		now.err, now.oldest = err, s.follow(ctx, now.oldest)
		s.sayRestoring(ctx, now.held)
		s.seen.Store(&now)
		next := make(chan struct{})
		close(*s.looked.Swap(&next))
		return err
	}
	return fmt.Errorf("the database is not ready: %w", err)
}

// compare compares the schema's step with the release's, and the number of live files with
// the highest that was seen. It also returns what else it saw.
func (s *Store) compare(ctx context.Context) (now sight, err error) {
	want, err := version()
	if err != nil {
		return now, err
	}
	unfit, behind := UnfitError{Want: want}, BehindError{}
	var replaced sql.NullTime
	var leases []byte
	begun := time.Now() // before the leases are read: none seems longer than it is
	var first int64
	err = s.attempt(ctx, &tx{store: s}, session{role: roleSystem}, true, func(ctx context.Context, t *tx) error {
		read := t.row // by the first look, which must not fail for a COMMIT that gets no reply
		if s.seen.Load() != nil {
			read = t.last
		}
		return read(ctx, []any{
			&first, &unfit.Have, &unfit.Least, &now.oldest.id, &behind.Have, &now.held, &now.uncounted, &replaced, &now.fleet.Connections, &leases,
		}, schemaFit)
	})
	if e, ok := errors.AsType[*serverError](err); ok && strings.HasPrefix(string(e.Code), classUnknown) { // the schema is of another step
		unread := err
		err = s.attempt(ctx, &tx{store: s}, session{role: roleSystem}, true, func(ctx context.Context, t *tx) error {
			return t.row(ctx, []any{&first, &unfit.Have}, schemaSteps)
		})
		if err == nil && firstStep <= first && want <= unfit.Have {
			err = unread
		}
	}
	if err == nil && unfit.Have > 0 && first < firstStep {
		err = ErrMadeBefore
	}
	if e, ok := errors.AsType[*serverError](err); ok && (e.Code == codeInvalidParameter || e.Code == codeNoTable) {
		return now, &unfit // of an empty database
	}
	if err == nil && (unfit.Have < want || want < unfit.Least) {
		return now, &unfit
	}
	if err != nil || unfit.Have == 0 {
		return now, err
	}
	now.replaced = replaced.Time
	if now.fleet.Turns, err = turnsSince(begun, leases); err != nil {
		return now, err
	}
	if behind.Want = s.raise(behind.Have); behind.Have < behind.Want {
		return now, &behind
	}
	return now, nil
}

// schemaSteps reads the first and the last step of the schema.
const schemaSteps = `
SELECT coalesce(min(version_id), 0) AS first, coalesce(max(version_id), 0) AS last
FROM goose_db_version
WHERE is_applied AND version_id > 0`

// schemaFit reads the steps of the schema, the oldest step whose release works with it, the
// oldest transaction that runs, the number of live files, whether a restore is open, whether totals are
// to be added up, when a data key was replaced last, a digest of the connections, and the
// leases of turns in seconds. Every process asks all the time, so it is one statement.
const schemaFit = `
SELECT v.first, v.last, f.least, CASE WHEN pg_snapshot_xmin(s) < pg_snapshot_xmax(s) THEN pg_snapshot_xmin(s)::text ELSE '' END AS oldest, l.number, ` + openRestore + ` AS held,
	EXISTS (SELECT FROM claim_changes) AS uncounted, (SELECT max(replaced_at) FROM data_keys WHERE replaced_at IS NOT NULL) AS replaced,
	(SELECT md5(coalesce(string_agg(id || ' ' || revision, ' ' ORDER BY id), '')) FROM connections) AS connections,
	(SELECT json_object_agg(name, extract(epoch FROM lease_until - clock_timestamp())) FROM turns WHERE lease_until > clock_timestamp()) AS leases
FROM (` + schemaSteps + `) v, schema_fit f, live_files l, pg_current_snapshot() s`

// heldBack is how long a transaction may run before the operator must know of it. Tests
// shorten it.
const heldBack = 30 * time.Second

// follow returns since when the transaction is the oldest, and logs once that it is
// long.
func (s *Store) follow(ctx context.Context, now horizon) horizon {
	seen := s.seen.Load()
	if now.id == "" || seen == nil || seen.oldest.id != now.id {
		now.since = time.Now()
		return now
	}
	now = seen.oldest
	if now.long || now.held() < time.Duration(s.heldBack.Load()) {
		return now
	}
	now.long = true
	_ = s.attempt(ctx, &tx{store: s}, session{role: roleSystem}, true, func(ctx context.Context, t *tx) error {
		return t.get(ctx, &now.pid, "SELECT pid FROM pg_locks WHERE locktype = 'transactionid' AND granted AND transactionid = $1::xid8::xid AND pid IS NOT NULL", now.id)
	})
	s.log.WarnContext(ctx, "a long transaction holds back GET /events?order=asc: end it, or wait for it",
		"pid", now.pid, "seconds_at_least", int(now.held().Seconds()))
	return now
}

// sayRestoring logs once that live claims and webhooks wait, and once that they do no longer.
func (s *Store) sayRestoring(ctx context.Context, held bool) {
	was := s.Restoring() != nil
	switch {
	case held && !was:
		s.log.WarnContext(ctx, restoring)
	case was && !held:
		s.log.InfoContext(ctx, "the restore is resumed: live claims and webhooks leave again")
	}
}

// HeldBack reports the transaction of the cluster, of any database and program, that
// has been holding back events in order for at least half a minute; nil without one.
func (s *Store) HeldBack() error {
	seen := s.seen.Load()
	if seen == nil || !seen.oldest.long {
		return nil
	}
	return fmt.Errorf("the transaction of process %d has been running for at least %d s, and GET /events?order=asc shows nothing newer: end it, or wait for it",
		seen.oldest.pid, int(seen.oldest.held().Seconds()))
}

// Restoring returns an error while a restore is not resumed.
func (s *Store) Restoring() error {
	if seen := s.seen.Load(); seen == nil || !seen.held {
		return nil
	}
	return errRestoring
}

const restoring = "live claims and webhooks wait for molar restore resume"

var errRestoring = errors.New(restoring)
