package billing

import "time"

// This file holds the delays after which Molar tries work again or checks for
// it again. Others are elsewhere: an operator's settings, such as the sandbox's
// ERA delay, in cmd/internal/wire/settings.go; the back-off of a broken
// connection or a lost transaction in its adapter; a time limit next to what it
// limits.

// Jobs. A job that is not done when its lease ends is published again, with a
// lease of twice the length. This is the retry delay of every kind of job. A use
// case that wants another one postpones its job (tx.Outbox.Postpone).
const (
	JobLease    = 3 * time.Second // a busy worker renews it; it is short so that a killed worker's jobs start again soon
	JobMaxLease = time.Minute
	JobAttempts = 5 // then the job is given up

	DutyLease      = 2500 * time.Millisecond // of the process that polls for all; shorter than a job's, so that a killed one holds up nothing
	DutyRenewal    = 750 * time.Millisecond  // after it began; a poll, and a look of the others, fit into what is left
	OutboxPoll     = 250 * time.Millisecond  // half the time by which a delayed job may be late
	OutboxBusyPoll = 100 * time.Millisecond  // while more jobs are due than one poll returns
	ReplyPoll      = 500 * time.Millisecond  // before the first poll without a reply; each later poll waits twice as long
)

// Batches and the files that come back for them.
const (
	BatchRetry       = 10 * time.Second // after the network refused a batch
	BatchFailedRetry = time.Minute      // after its job failed JobAttempts times
	BatchLate        = 15 * time.Minute // after it was cut; then a network that is out of reach is the operator's concern
	FilesRetry       = 2 * time.Second  // after a failed poll for files
	NetworkPoll      = 10 * time.Second // between polls of a connection that states no other interval
	FilesLease       = 5 * time.Second  // of the process that fetches files from a connection, or applies them; it renews it
	FilesHeldUp      = time.Second      // until a job looks again, while another one applies the files of its connection
	FilePartialRest  = 15 * time.Minute // until a received file that is not whole goes to the quarantine
	FileRefusedRetry = time.Hour        // until a file that the clearinghouse does not send is asked for again

	AcknowledgementsAfter = 24 * time.Hour // after a batch was sent, unless its connection states another time
	AcknowledgementsPoll  = time.Minute    // between looks for those that are overdue
)

// RememberKeys is how long a process remembers a key or a session: half of the two seconds
// within which it stops.
const RememberKeys = time.Second

// StoreLook is how often each process looks at the database: at its schema, and at what
// ports.Seen has. Services use a change of a connection within two seconds.
const StoreLook = 1500 * time.Millisecond

// ConnectionOutage is how long an outage of a connection is that has a log line at its end.
const ConnectionOutage = 10 * time.Second

// Steps of a claim that come now.
const (
	SimulateWait = 20 * time.Second      // of a request until what came before is applied
	SimulatePoll = 30 * time.Millisecond // between looks
)

// Advances of a sandbox clock.
const (
	AdvanceWait      = 25 * time.Second      // of its request, which then replies that it goes on
	AdvanceLeastPoll = 2 * time.Millisecond  // between looks whether the work that is due is done; each is longer
	AdvanceMostPoll  = 50 * time.Millisecond // than the last
	AdvanceProgress  = 5 * time.Second       // between records that it makes progress
	AdvanceRetry     = 10 * time.Second      // after its job failed JobAttempts times
	AdvanceAttempt   = 2 * time.Second       // of a delivery while a clock stands, also as its length
)

// Resets of test mode.
const (
	ResetLeastPoll = 5 * time.Millisecond // between looks whether what goes on has ended; each is longer
	ResetMostPoll  = 250 * time.Millisecond
	ResetPatience  = time.Minute            // with what goes on
	ResetJobRest   = 500 * time.Millisecond // of a job that was refused, until the reset has removed it
	RemovalRest    = 3 * time.Second        // until an organization that is being removed is looked at again: longer than keys are remembered
	ResetRetry     = 10 * time.Second       // after its job failed JobAttempts times
)

// Remittances.
const (
	ERARetry     = time.Second      // while a remittance waits for a batch, or for another job
	ERAHeldUp    = 10 * time.Second // while the work on an earlier remittance fails
	ERABatchWait = 10 * time.Minute // until a remittance stops waiting for its batch to be recorded as sent
)

// Attachments. A job that cannot read its images rests for as long as it has
// waited, within these bounds. The lower bound is also the Retry-After of the
// reply.
const (
	AttachmentLeastRest = 5 * time.Second
	AttachmentMostRest  = 30 * time.Second
)

// AttachmentCommitPauses returns the pause before each attempt to commit a
// transmission, which is repeated because its reply may be lost.
func AttachmentCommitPauses() []time.Duration {
	return []time.Duration{0, 50 * time.Millisecond, 200 * time.Millisecond}
}

// Webhooks.
const (
	LaneLease      = 5 * time.Second        // of the dispatcher that works off an endpoint's deliveries
	LaneCall       = time.Second            // until a lane with something due is called again
	LaneStoreRetry = 200 * time.Millisecond // after the store failed

	CircuitFailures = 10                 // failures in a row that open the circuit
	CircuitPause    = 30 * time.Second   // until the circuit is probed
	DisableAfter    = 5 * 24 * time.Hour // without a success
	MaxRetryAfter   = 24 * time.Hour     // that a receiver may ask for
)

// DeliveryRetries returns the delay after each failed attempt. After the last
// retry, a delivery has failed for good.
func DeliveryRetries() []time.Duration {
	return []time.Duration{
		5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}
