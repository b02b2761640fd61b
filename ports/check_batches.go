package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// CheckBatches stores the batches of checks of a scope. Who locks a batch, its items and
// checks locks them in this order.
type CheckBatches interface {
	// Insert stores a new batch with its items.
	Insert(ctx context.Context, b *coverage.Batch, items []*coverage.BatchItem) error

	// Get reads a batch with the counts of its items. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.CheckBatchID) (*coverage.Batch, error)

	// Lock reads a batch without counts, and no other transaction locks it until this one ends. It
	// returns CodeNotFound if there is none.
	Lock(ctx context.Context, id billing.CheckBatchID) (*coverage.Batch, error)

	// Save stores what can change of a locked batch.
	Save(ctx context.Context, b *coverage.Batch) error

	// List reads a page of batches with the counts of their items, newest first, and one extra
	// row when there is a next page.
	List(ctx context.Context, p billing.Page) ([]*coverage.Batch, error)
}

// CheckItems stores the items of batches of checks.
type CheckItems interface {
	// List reads a page of items in the order of their batch, and one extra row when there is a
	// next page.
	List(ctx context.Context, f coverage.ItemFilter, p billing.Page) ([]*coverage.BatchItem, error)

	// Lock locks the named items of a locked batch, and reads them; without names all that
	// wait for their time, or are being asked.
	Lock(ctx context.Context, batch billing.CheckBatchID, names ...string) ([]*coverage.BatchItem, error)

	// Of locks the items of checks, and reads them.
	Of(ctx context.Context, checks []billing.CheckID) (map[billing.CheckID]*coverage.BatchItem, error)

	// Save stores what can change of locked items.
	Save(ctx context.Context, items []*coverage.BatchItem) error
}

// CheckFeed finds what batches of checks ask next.
type CheckFeed interface {
	// Outlook tells what is left of a batch.
	Outlook(ctx context.Context, batch billing.CheckBatchID, now time.Time) (Outlook, error)

	// Room returns how many checks more the scope may ask for in each lane, which has at most
	// so many at once. No other transaction gets past Room for one of the lanes until this one
	// ends.
	Room(ctx context.Context, lanes []coverage.Lane, most []int) ([]int, error)

	// Due locks and reads the next items of a batch that are due in lanes, at most as many of each
	// as it has room, and at most limit, and all that are over.
	Due(ctx context.Context, batch billing.CheckBatchID, now time.Time, lanes []coverage.Lane, room []int, limit int) ([]*coverage.BatchItem, error)

	// Rest notes that the payer of a lane did not respond. After coverage.LaneFailures in a row
	// the lane rests for a while.
	Rest(ctx context.Context, l coverage.Lane, rest time.Duration) error

	// Reached notes that the payer of a lane responded.
	Reached(ctx context.Context, l coverage.Lane) error
}

// Outlook is what is left of a batch of checks.
type Outlook struct {
	Lanes []coverage.Lane // with items that are due
	Over  bool            // an item is due whose time is over
	Next  time.Time       // when the next one is due that is not yet; zero for none
	Left  int             // all that wait for their time, or are being asked
}
