package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/task"
)

// Tasks stores the tasks of resources. The store applies the rules whenever it writes a
// resource that has some, in the same transaction, so that no use case can forget it. It reads tasks
// as they are by the clock of the scope: one whose Until has come has ended then.
type Tasks interface {
	// List reads a page of the tasks that have come by the clock of the scope, in the order of
	// Task.Position. It reads one row more than the page has. A task whose cause ended before it
	// came is not among those that are done, unless a person decided it.
	List(ctx context.Context, f task.Filter, p billing.Page) ([]*task.Task, error)

	// Count counts the open tasks that have come, for a user; for the zero ID, none are the user's.
	// An office or a payer without tasks is left out.
	Count(ctx context.Context, by billing.UserID) (task.Counts, error)

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

// Notes stores what people write about the resources that have tasks. A note goes with its
// resource.
type Notes interface {
	// Insert stores a new note. Its resource exists.
	Insert(ctx context.Context, n *task.Note) error

	// Lock reads a note and keeps other transactions from writing it. It returns CodeNotFound if
	// there is none.
	Lock(ctx context.Context, id billing.NoteID) (*task.Note, error)

	// Save stores that a note is struck.
	Save(ctx context.Context, n *task.Note) error

	// List reads a page of the notes of a resource, or with the zero ID of all that the scope has,
	// and one extra row when there is a next page.
	List(ctx context.Context, resource [16]byte, p billing.Page) ([]*task.Note, error)

	// Newest reads the newest notes of each resource, without those that are struck. It leaves
	// out resources that have none.
	Newest(ctx context.Context, resources [][16]byte) (map[[16]byte]task.Notes, error)
}

// TaskRules knows by which version of the rules the tasks of each scope were computed.
type TaskRules interface {
	// Behind returns a scope whose tasks are not all computed by the version of the rules, and how
	// far they are; nil if there is none.
	Behind(ctx context.Context, rules int) (*task.Rebuild, error)

	// Of returns how far the tasks of a scope are computed.
	Of(ctx context.Context, scope billing.Scope) (*task.Rebuild, error)

	// Rebuilt stores how far the tasks of a scope are computed, unless Contracts.Changed has asked
	// for more since the place was read.
	Rebuilt(ctx context.Context, to task.Rebuild) error
}
