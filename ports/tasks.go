package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/task"
)

// Tasks stores the tasks of resources. The store applies the rules whenever it writes a
// resource that has some, in the same transaction, so that no use case can forget it.
type Tasks interface {
	// List reads a page of the tasks that have come by the clock of the scope, in the order of
	// Task.Position. It reads one row more than the page has.
	List(ctx context.Context, f task.Filter, p billing.Page) ([]*task.Task, error)

	// Count counts the open tasks that have come.
	Count(ctx context.Context) (task.Counts, error)

	// Get reads a task. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.TaskID) (*task.Task, error)

	// Lock reads a task and keeps other transactions from writing it.
	Lock(ctx context.Context, id billing.TaskID) (*task.Task, error)

	// Save stores what people did with a task.
	Save(ctx context.Context, t *task.Task) error

	// Renew applies the rules to the next resources after one, up to limit. It begins with the
	// zero resource, and has no resources after the last.
	Renew(ctx context.Context, after task.Resource, limit int) (task.Renewed, error)
}
