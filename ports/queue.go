package ports

import (
	"context"

	"github.com/molar-billing/molar/core/jobs"
)

// Queue carries jobs to workers: at least once, in no promised order. It may
// lose everything at any time, because the store has the jobs too.
type Queue interface {
	// Publish hands a job over and returns once the broker has stored it. After
	// an error the broker may or may not have it. Publish ends with ctx even when
	// the connection is blocked.
	Publish(ctx context.Context, j jobs.Job) error

	// Consume calls handle for each job of the kind until ctx ends, as many at
	// once as jobs.NewPlaces(parallel) allows: a quarter more than parallel if
	// these are of scopes without a running call. Of the jobs that have arrived it
	// picks one of each scope in turn: few jobs of one scope do not wait for many
	// of another. Of jobs with Together set, the calls of Consume that began first may
	// fill an eighth of their places before others get one. When ctx ends it waits for
	// the running calls and returns nil. It reconnects by itself. The caller recovers
	// panics in handle. A message that no worker can read goes to the dead letters
	// without a call.
	Consume(ctx context.Context, kind jobs.Kind, parallel int, handle func(context.Context, Message) Verdict) error

	// Reply notifies the instance at the address that the work on the subject has
	// had its effect. It is best effort: a waiting instance also polls.
	Reply(ctx context.Context, address string, subject [16]byte) error

	// Await opens a mailbox on this instance for replies about the subject.
	Await(subject [16]byte) Mailbox

	// Ready reports whether the broker is connected.
	Ready() error

	// Depth counts the waiting jobs of the kind, its dead letters, and the calls of
	// Consume for it, of all processes.
	Depth(ctx context.Context, kind jobs.Kind) (waiting, dead, consumers int, err error)
}

// Message is a job as a consumer receives it.
type Message struct {
	Job jobs.Job
	// Redelivered is true when the broker has delivered the message before and
	// does not know the outcome.
	Redelivered bool
}

// Verdict decides what happens to a delivered message.
type Verdict int

// The verdicts. A job that failed for now is Finished too: its row in the store
// starts it again.
const (
	Finished Verdict = iota // delete the message
	Dead                    // move it to the dead letters, for a person to look at
)

// Mailbox receives replies.
type Mailbox struct {
	Address string          // to be sent with the job; empty while the broker is down
	C       <-chan struct{} // receives when a reply arrived or may have been missed
	Close   func()          // ends the wait
}
