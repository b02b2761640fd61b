package pgstore

import (
	"context"
	"io/fs"
	"net"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// OpenDialing calls Open with the test's sockets.
func OpenDialing(ctx context.Context, o Options, dial func(ctx context.Context, network, address string) (net.Conn, error)) (*Store, error) {
	return open(ctx, o, dial)
}

// MigrateFiles runs the migrations of a test's release.
func MigrateFiles(ctx context.Context, url string, files fs.FS) error {
	return migrate(ctx, url, files)
}

// StepsOfFiles lists the migrations of a test's release.
func StepsOfFiles(ctx context.Context, url string, files fs.FS) ([]Step, error) {
	return steps(ctx, url, files)
}

// Await makes transactions wait for a server that is away until the test's own
// deadline, because a slow machine may take long to restart one.
func (s *Store) Await() { s.awayTime = time.Hour }

// HoldBack sets how long a transaction of the cluster may run.
func (s *Store) HoldBack(d time.Duration) { s.heldBack.Store(int64(d)) }

// AwaitWaiting returns when n transactions wait for their turn.
func (s *Store) AwaitWaiting(ctx context.Context, n int) {
	for s.turns.length() < n && pause(ctx, time.Millisecond) {
	}
}

// Times returns the time of a transaction's clock, and the database's time of
// that transaction.
func (s *Store) Times(ctx context.Context, scope billing.Scope) (clock, database time.Time, err error) {
	err = s.transact(ctx, session{role: roleApp, scope: scope}, true, func(ctx context.Context, t *tx) error {
		clock = t.ports(ctx).Clock.Now()
		return t.get(ctx, &database, "SELECT now()")
	})
	return clock, database, err
}

// Setting returns a setting of the session, as a transaction finds it.
func (s *Store) Setting(ctx context.Context, name string) (value string, err error) {
	err = s.transact(ctx, session{role: roleSystem}, true, func(ctx context.Context, t *tx) error {
		return t.get(ctx, &value, "SELECT current_setting($1)", name)
	})
	return value, err
}

// FirstStatistics checks once for tables without statistics.
func (s *Store) FirstStatistics(ctx context.Context) error { return s.firstStatistics(ctx) }

// TakeDue returns the statement of Jobs.Due.
const TakeDue = takeDue

// AnyDue is the statement of Store.Due.
var AnyDue = anyDue

// The statements of sweeps.
const (
	ForgetKeyUses    = forgetKeyUses
	ForgetUploads    = forgetUploads
	ForgetDeliveries = forgetDeliveries
	ForgetMail       = forgetMail
	ForgetChanges    = forgetChanges
	ChangesAfter     = changesAfter
	ForgetNotes      = forgetNotes
	ForgetRequests   = forgetRequests
	ForgetSessions   = forgetSessions
	ForgetLinks      = forgetLinks
)

// AddTotals adds some changes of the totals of claims to the totals.
func (s *Store) AddTotals(ctx context.Context) (int, error) { return s.addTotals(ctx) }

// DueColumns lists the columns of what waits for a sandbox clock.
func DueColumns() (all []string) {
	for _, k := range dueWork() {
		all = append(all, k.column)
	}
	return all
}

// MakeDataKeys makes data keys of n organizations, as the keys of the deployment wrap them now.
func (s *Store) MakeDataKeys(ctx context.Context, n int) error {
	return s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		current, err := t.wrappedKeys(ctx, "WHERE org_id IS NULL AND purpose = 'rows'")
		for i := range n {
			key, org := [32]byte{byte(i), byte(i >> 8)}, billing.OrgID{1, byte(i), byte(i >> 8)}
			if err == nil {
				err = t.storeKey(ctx, s.keys.wrapper(current), wrappedKey{org: org, purpose: purposeRows}, key)
			}
		}
		return err
	})
}
