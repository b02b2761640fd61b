package ports

import (
	"context"

	"github.com/molar-billing/molar/core/jobs"
)

// Queue carries jobs to workers, at least once and in no promised order, and
// may be emptied at any time: what it carries is in the store too.
type Queue interface {
	// Publish hands a job over and returns when the broker has it for sure.
	// An error means that it may or may not have it. It honours ctx even when
	// the connection is blocked.
	Publish(ctx context.Context, j jobs.Job) error

	// Consume calls handle for each job of the kind, at most parallel at once,
	// until ctx ends. Of the jobs that have reached it, it takes one of each
	// scope in turn, so that few jobs of one scope do not wait for many of
	// another. When ctx ends it waits for the calls under way and returns nil. A
	// lost connection is made again behind the scenes. A panic in handle is
	// the caller's to catch. A message that no worker can read goes to the
	// dead letters without a call.
	Consume(ctx context.Context, kind jobs.Kind, parallel int, handle func(context.Context, Message) Verdict) error

	// Reply tells the instance at the address that the work about the subject
	// has an effect to read. It is best effort: an instance that waits also
	// looks by itself.
	Reply(ctx context.Context, address string, subject [16]byte) error

	// Await opens a mailbox at this instance for a reply about the subject.
	Await(subject [16]byte) Mailbox

	// Ready reports whether the broker is connected.
	Ready() error

	// Depth counts messages that wait, for metrics: jobs of the kind, and dead
	// letters of the kind.
	Depth(ctx context.Context, kind jobs.Kind) (waiting, dead int, err error)
}

// Message is a job as it reached a consumer.
type Message struct {
	Job jobs.Job
	// Redelivered is true when the broker has delivered the message before and
	// does not know how that ended.
	Redelivered bool
}

// Verdict says what becomes of a delivered message.
type Verdict int

// The verdicts. Work that failed for now is Finished too: its row in the store
// brings it back.
const (
	Finished Verdict = iota // forget the message
	Dead                    // put it with the dead letters, for a person to look at
)

// Mailbox is where a reply arrives.
type Mailbox struct {
	Address string          // give it with the job; empty while the broker is away
	C       <-chan struct{} // receives when a reply came, and when one may have been missed
	Close   func()          // ends the wait
}
