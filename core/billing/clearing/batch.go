package clearing

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// ControlNumbers identify an X12 file and its parts among those of its sender:
// ISA13, GS06 and ST02. An unknown number is empty.
type ControlNumbers struct {
	Interchange string
	Group       string
	Transaction string
}

// FileRef names an X12 file that was sent or received.
type FileRef struct {
	Name           string
	ControlNumbers ControlNumbers
}

// MaxBatchClaims is the most claims that a batch may have (005010X224A2, 1.3.3).
const MaxBatchClaims = 5000

// BatchState is the state of a batch.
type BatchState string

// The states of a batch.
const (
	BatchPending      BatchState = "pending" // cut, not yet handed to the network
	BatchSent         BatchState = "sent"
	BatchAcknowledged BatchState = "acknowledged"
)

// BatchResult is the verdict of a clearinghouse on a batch file.
type BatchResult string

// The results of a batch.
const (
	BatchAccepted BatchResult = "accepted" // the clearinghouse has its claims
	BatchRejected BatchResult = "rejected" // its claims go back to the queue
)

// Batch is a file of claims (837D) of one organization and mode, for one network.
type Batch struct {
	ID               billing.FileID
	Scope            billing.Scope
	Network          string // the name of the network that carries it
	State            BatchState
	File             FileRef
	ClaimCount       int
	Result           BatchResult // empty until it is acknowledged
	Acknowledgement  string      // the name of the 997 file with the result
	CreatedAt        time.Time
	SendToken        string    // of the step that may have delivered the file: OutgoingFile.Token
	UnknownSince     time.Time // when its network could not say whether it has the file; zero unless that is open
	DelayedSince     time.Time // since when its network does not take the file: see Delayed
	SentAt           time.Time
	AcknowledgedAt   time.Time
	Overdue          []AcknowledgementKind  // those that its network should have sent by now
	SettledAt        time.Time              // when none was awaited any more; zero until then
	Acknowledgements []BatchAcknowledgement // the files about it, in the order in which they came; Lock leaves them out
	Unreported       bool                   // a claim of it is still submitted; only ports.Acknowledgements.Of reads it
}

// Position returns the place in a list, by the time and the ID.
func (b *Batch) Position() billing.Position { return billing.Position{Time: b.CreatedAt, ID: b.ID} }

// KeptFile is a file about claims that is kept, with the bytes that its scope may read.
type KeptFile struct {
	ID         billing.FileID
	Name       string
	ReceivedAt time.Time
	Content    []byte
}

// BatchAcknowledgement is a file about a batch: a 997, 999, TA1 or 277CA.
type BatchAcknowledgement struct {
	Number     int // from 1
	Kind       AcknowledgementKind
	Name       string
	ReceivedAt time.Time
}

// NewBatch returns a batch of claims with the serial number, which no other batch
// has. Its name has the default form.
func NewBatch(scope billing.Scope, network string, serial int64, claims int, stamp billing.Real, now time.Time) *Batch {
	control := fmt.Sprintf("%09d", serial%1_000_000_000)
	return &Batch{
		ID: billing.NewID[billing.FileID](stamp), Scope: scope, Network: network, State: BatchPending, ClaimCount: claims, CreatedAt: now,
		File: FileRef{Name: BatchTime(now) + ".837", ControlNumbers: ControlNumbers{control, control, control}},
	}
}

// BatchTime returns the millisecond that is in the names of most batches: 17 digits, in
// UTC.
func BatchTime(at time.Time) string {
	return strings.Replace(at.UTC().Format("20060102150405.000"), ".", "", 1)
}

// Sent records that the network has the file. It reports false when that was
// recorded before.
func (b *Batch) Sent(at time.Time) bool {
	if b.State != BatchPending {
		return false
	}
	b.State, b.SentAt, b.UnknownSince, b.DelayedSince = BatchSent, at, time.Time{}, time.Time{}
	return true
}

// Delivering records the step that may deliver the file, or with an empty token that the
// network has refused it. It reports false, and changes nothing, unless the batch waits
// for that step, and still has the token that the sender read or recorded last.
func (b *Batch) Delivering(last, token string) bool {
	if b.State != BatchPending || !b.UnknownSince.IsZero() || b.SendToken != last {
		return false
	}
	b.SendToken = token
	return true
}

// Unknown records that the network cannot say whether it has the file. It reports
// false when the batch is sent, or this was recorded before.
func (b *Batch) Unknown(at time.Time) bool {
	if b.State != BatchPending || !b.UnknownSince.IsZero() {
		return false
	}
	b.UnknownSince, b.DelayedSince = at, time.Time{}
	return true
}

// Delay records that the network did not take the file. A failure that mostly passes by
// itself counts once the batch is BatchLate old. It reports false, and changes nothing,
// when it does not count yet, or the batch does not wait for the network or is delayed
// already.
func (b *Batch) Delay(passes bool, at time.Time) bool {
	if b.State != BatchPending || !b.UnknownSince.IsZero() || !b.DelayedSince.IsZero() || passes && at.Before(b.CreatedAt.Add(billing.BatchLate)) {
		return false
	}
	b.DelayedSince = at
	return true
}

// Delayed reports whether the operator has to look why the network does not take the
// file.
func (b *Batch) Delayed() bool { return b.State == BatchPending && !b.DelayedSince.IsZero() }

// Undecided reports whether the operator has to ask the clearinghouse: the outcome is
// unknown, or an acknowledgement is overdue.
func (b *Batch) Undecided() bool { return !b.UnknownSince.IsZero() || len(b.Overdue) > 0 }

// Resend records the operator's decision to send the file again. It reports false
// unless the batch is undecided.
func (b *Batch) Resend() bool {
	if !b.Undecided() {
		return false
	}
	b.State, b.SendToken, b.UnknownSince, b.DelayedSince, b.SentAt, b.Overdue = BatchPending, "", time.Time{}, time.Time{}, time.Time{}, nil
	b.Result, b.Acknowledgement, b.AcknowledgedAt = "", "", time.Time{}
	return true
}

// Awaits lists the acknowledgements of a batch that its network is expected to send, and
// that have not come. The verdict on the file stands for a TA1, a 997 and a 999. A
// 277CA is awaited while the clearinghouse has not reported on each claim. A report in
// text names no batch, so it is never awaited.
func (b *Batch) Awaits(expected []AcknowledgementKind) (all []AcknowledgementKind) {
	for _, kind := range []AcknowledgementKind{AcknowledgementTA1, Acknowledgement997, Acknowledgement999, Acknowledgement277CA} {
		awaited := b.Unreported
		if kind != Acknowledgement277CA {
			came := slices.ContainsFunc(b.Acknowledgements, func(a BatchAcknowledgement) bool { return a.Kind == kind })
			awaited = b.State == BatchSent && !came
		}
		if awaited && slices.Contains(expected, kind) {
			all = append(all, kind)
		}
	}
	return all
}

// Review records which of the expected acknowledgements are overdue at the time, that
// long after the batch was sent, or that none is awaited any more. It returns those that became overdue, and whether anything changed.
func (b *Batch) Review(expected []AcknowledgementKind, after time.Duration, at time.Time) (news []AcknowledgementKind, changed bool) {
	if b.State == BatchPending || !b.SettledAt.IsZero() {
		return nil, false
	}
	overdue := b.Awaits(expected)
	if len(overdue) == 0 {
		b.Settle(at)
		return nil, true
	}
	if at.Before(b.SentAt.Add(after)) {
		overdue = nil
	}
	for _, kind := range overdue {
		if !slices.Contains(b.Overdue, kind) {
			news = append(news, kind)
		}
	}
	changed = !slices.Equal(overdue, b.Overdue)
	b.Overdue = overdue
	return news, changed
}

// Settle records that no acknowledgement of a sent batch is awaited any more. One that
// comes still counts.
func (b *Batch) Settle(at time.Time) { b.SettledAt, b.Overdue = at, nil }

// Acknowledge applies the verdict of the 997 or 999 with the name. It reports
// false, and changes nothing, when the batch already has one: the first stands.
func (b *Batch) Acknowledge(r BatchResult, name string, at time.Time) bool {
	if b.State == BatchAcknowledged {
		return false
	}
	b.State, b.Result, b.Acknowledgement, b.AcknowledgedAt, b.DelayedSince = BatchAcknowledged, r, name, at, time.Time{}
	return true
}
