package coverage

import (
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/directory"
)

// The limits of batches.
const (
	MaxBatchItems   = 1000
	MaxBatchDays    = 30              // until not_after, and of recheck
	BatchPatience   = 24 * time.Hour  // until not_after if it is left out
	BatchRetryAfter = 5 * time.Minute // before a payer that did not answer is asked again
	LaneChecks      = 8               // of a lane at once, unless its connection says otherwise
	LaneRest        = time.Minute     // before a payer that is down is tried again
	LaneFailures    = 3               // in a row, after which a payer is down
)

// Batch is a list of checks that a practice asks for together, such as those of tomorrow's
// patients.
type Batch struct {
	ID         billing.CheckBatchID
	Scope      billing.Scope
	Name       string
	CreatedAt  time.Time
	NotAfter   time.Time         // nothing is asked after it, except rechecks
	Recheck    time.Duration     // how long before an appointment its check is repeated; zero for none
	RequestID  billing.RequestID // as of checks
	OfPerson   billing.RequestID
	Feed       billing.JobID // the job that asks; zero while nothing is left to ask
	CanceledAt time.Time

	Counts BatchCounts // of its items, as they are now; they are not stored with it
}

// BatchCounts counts the items of a batch.
type BatchCounts struct {
	Pending      int
	Outcomes     map[ItemOutcome]int
	Waiting      int // of those with an outcome, how many are checked again before the appointment
	NeedsAPerson int
	Latest       time.Time // when the last item is asked that waits for its time; zero for none
	Completed    time.Time // when the last outcome came; zero for none
}

// Items counts all items.
func (c *BatchCounts) Items() int {
	n := c.Pending
	for _, of := range c.Outcomes {
		n += of
	}
	return n
}

// Count counts items that are new.
func Count(items []*BatchItem) BatchCounts {
	c := BatchCounts{Outcomes: map[ItemOutcome]int{}}
	for _, i := range items {
		if i.Outcome == "" {
			c.Pending++
			continue
		}
		c.Outcomes[i.Outcome]++
		c.Completed = i.CompletedAt
		if i.NeedsAPerson {
			c.NeedsAPerson++
		}
	}
	return c
}

// BatchState is the state of a batch.
type BatchState string

// The states of a batch.
const (
	BatchRunning  BatchState = "running"
	BatchWaiting  BatchState = "waiting" // every item has an outcome, and some are checked again
	BatchDone     BatchState = "done"
	BatchCanceled BatchState = "canceled" // nothing more is asked
)

// BatchStates lists every state of a batch.
func BatchStates() []BatchState {
	return []BatchState{BatchRunning, BatchWaiting, BatchDone, BatchCanceled}
}

// State returns the state.
func (b *Batch) State() BatchState {
	switch {
	case !b.CanceledAt.IsZero():
		return BatchCanceled
	case b.Counts.Pending > 0:
		return BatchRunning
	case b.Counts.Waiting > 0:
		return BatchWaiting
	default:
		return BatchDone
	}
}

// CompletedAt returns when the last outcome came; zero while one is missing.
func (b *Batch) CompletedAt() time.Time {
	if s := b.State(); s == BatchRunning || s == BatchWaiting || b.Counts.Pending > 0 {
		return time.Time{}
	}
	return b.Counts.Completed
}

// ExpectedAt estimates when the last outcome will come, from the time that the others took; zero
// if nothing tells it yet, or nothing is left to ask.
func (b *Batch) ExpectedAt(now time.Time) (at time.Time) {
	left, made := b.Counts.Pending, b.Counts.Items()-b.Counts.Pending
	switch {
	case left == 0 && b.Counts.Waiting == 0, !b.CanceledAt.IsZero(), left > 0 && made == 0:
		return at
	case left > 0:
		at = now.Add(now.Sub(b.CreatedAt) / time.Duration(made) * time.Duration(left))
	}
	if b.Counts.Latest.After(at) {
		at = b.Counts.Latest
	}
	return at
}

// Position returns the place in a list, by the time and the ID.
func (b *Batch) Position() billing.Position { return billing.Position{Time: b.CreatedAt, ID: b.ID} }

// ItemOutcome is the outcome of an item: that of its check, or why it has none.
type ItemOutcome string

// The outcomes of items. The first four are those of their checks.
const (
	ItemAnswered         ItemOutcome = "answered"
	ItemRejected         ItemOutcome = "rejected"
	ItemPayerUnavailable ItemOutcome = "payer_unavailable"
	ItemError            ItemOutcome = "error"

	ItemInvalid  ItemOutcome = "invalid"   // the request has faults, or nothing carries it to the payer
	ItemNotAsked ItemOutcome = "not_asked" // the time of the batch was over
	ItemCanceled ItemOutcome = "canceled"
)

// ItemOutcomes lists every outcome of items.
func ItemOutcomes() []ItemOutcome {
	return []ItemOutcome{
		ItemAnswered, ItemRejected, ItemPayerUnavailable, ItemError, ItemInvalid, ItemNotAsked, ItemCanceled,
	}
}

// Lane is the way of checks to a payer: a network and the payer. All organizations share it.
type Lane struct {
	Network string // the name of the network
	Payer   billing.PayerID
}

// BatchItem is an item of a batch: a check, or why there is none. It has one check at a time,
// which stays pending while the payer is asked again.
type BatchItem struct {
	ID            billing.CheckItemID // sorts as the items of the request
	Scope         billing.Scope
	BatchID       billing.CheckBatchID
	CreatedAt     time.Time // of the batch
	ItemID        string    // the practice's own
	AppointmentAt time.Time // zero for none
	AppointmentID *string
	Request       json.RawMessage // the requested check, as the API has it
	PersonKey     string          // as directory.PatientKey; empty for none
	PersonBorn    billing.Date
	Lane          Lane // zero for an invalid item
	ParentID      billing.CheckID
	CheckID       billing.CheckID // zero until the payer is first asked
	Fresh         bool            // the cache does not answer
	Attempts      int             // of the check
	Asking        billing.JobID   // the job that is asking; zero for none
	NextAt        time.Time       // when the payer is asked; zero while it is, and when nothing is left to ask
	Until         time.Time       // the payer is not asked after it
	RecheckAt     time.Time       // when the check is repeated, once it has an outcome; zero for never
	Outcome       ItemOutcome     // empty while it is pending
	NeedsAPerson  bool
	Faults        billing.Faults // of an invalid item
	CompletedAt   time.Time      // when the outcome came

	// What its task says of it.
	OfficeID      billing.OfficeID       // zero while the request names none that is known
	Payer         directory.PayerSummary // as OfficeID
	AppointmentOn billing.Date           // of AppointmentAt at the office
	Patient       billing.PatientID      // zero while the patient is not in the directory
	Status        Status                 // of its check; empty without an answer
	Differs       bool                   // the payer answered about other details than were sent
	Decisions     decision.List
}

// ItemAt returns the ID of the item at a place of a batch.
func (b *Batch) ItemAt(place int) billing.CheckItemID {
	id := billing.CheckItemID(b.ID)
	binary.BigEndian.PutUint16(id[len(id)-2:], uint16(place)) //nolint:gosec // G115: at most MaxBatchItems
	return id
}

// Position returns the place in a list: that of the request.
func (i *BatchItem) Position() billing.Position {
	return billing.Position{Time: i.CreatedAt, ID: i.ID}
}

// ItemState is the state of an item.
type ItemState string

// The states of an item.
const (
	ItemPending   ItemState = "pending"
	ItemWaiting   ItemState = "waiting" // it has an outcome, and is checked again before the appointment
	ItemCompleted ItemState = "completed"
)

// ItemStates lists every state of items.
func ItemStates() []ItemState { return []ItemState{ItemPending, ItemWaiting, ItemCompleted} }

// State returns the state.
func (i *BatchItem) State() ItemState {
	switch {
	case i.Outcome == "":
		return ItemPending
	case !i.NextAt.IsZero():
		return ItemWaiting
	default:
		return ItemCompleted
	}
}

// Begin makes the item due for its first attempt.
func (i *BatchItem) Begin(b *Batch, now time.Time) {
	i.NextAt, i.Until = now, b.NotAfter
	if at := i.AppointmentAt.Add(-b.Recheck); b.Recheck > 0 && !i.AppointmentAt.IsZero() && at.After(now) {
		i.RecheckAt = at
	}
}

// Concerns notes the office and the payer of the item, and the day of its appointment. An office
// without an ID stands for an unknown one, a payer without an ID for no payer.
func (i *BatchItem) Concerns(office *directory.Office, payer directory.PayerSummary) {
	i.OfficeID, i.Payer, i.AppointmentOn = office.ID, payer, billing.Date{}
	if i.AppointmentAt.IsZero() {
		return
	}
	if office.ID.IsZero() {
		office = directory.NoOffice()
	}
	i.AppointmentOn = office.Today(i.AppointmentAt)
}

// Invalid completes an item whose request has faults.
func (i *BatchItem) Invalid(faults billing.Faults, now time.Time) {
	i.Faults = faults
	i.end(ItemInvalid, true, now)
}

// Renews reports whether the item needs a new check for its next attempt.
func (i *BatchItem) Renews() bool { return i.CheckID.IsZero() || i.Outcome != "" }

// Ask notes that the job asks the payer the question of the check.
func (i *BatchItem) Ask(check billing.CheckID, job billing.JobID) {
	if i.CheckID != check {
		i.CheckID = check
		i.reopen()
	}
	i.Asking, i.NextAt = job, time.Time{}
	i.Attempts++
}

// Repeats reports whether the payer is asked again after such an answer.
func (i *BatchItem) Repeats(a *CheckResponse, now time.Time) bool {
	return a.Transient() && !now.Add(BatchRetryAfter).After(i.Until)
}

// Repeat makes the item due again after a while. Its check stays pending.
func (i *BatchItem) Repeat(now time.Time) {
	i.Asking, i.NextAt = billing.JobID{}, now.Add(BatchRetryAfter)
}

// Complete gives the item the outcome of its check. If it is to be checked again before the
// appointment, it is due then, and is tried until the appointment.
func (i *BatchItem) Complete(c *Check, differs bool, now time.Time) {
	i.end(ItemOutcome(c.Outcome), c.Outcome != OutcomeAnswered || c.Status != Active || differs, now)
	i.Status, i.Differs = c.Status, differs
	if !c.PatientID.IsZero() {
		i.Patient = c.PatientID
	}
	if i.RecheckAt.After(now) {
		i.NextAt, i.Until, i.Fresh = i.RecheckAt, i.AppointmentAt, true
	}
	i.RecheckAt = time.Time{}
}

// Over ends an item whose time is over, unless it has a check, which has to be completed: an item
// that was never asked, and the repetition of a check.
func (i *BatchItem) Over(now time.Time) (hasCheck bool) {
	switch {
	case i.Outcome != "":
		i.NextAt = time.Time{}
	case i.CheckID.IsZero():
		i.end(ItemNotAsked, true, now)
	default:
		return true
	}
	return false
}

// Cancel stops what is left to ask. An answer that is under way still counts, and completes the
// item; otherwise a check that is pending has to be completed.
func (i *BatchItem) Cancel(now time.Time) (hasCheck bool) {
	i.RecheckAt = time.Time{}
	switch {
	case !i.Asking.IsZero():
		i.Until = now
	case i.Outcome != "":
		i.NextAt = time.Time{}
	default:
		hasCheck = !i.CheckID.IsZero()
		i.end(ItemCanceled, false, now)
	}
	return hasCheck
}

// Decide keeps what a person decided about an item that has an outcome, which stays. When the visit
// is off, the payer is not asked again before it.
func (i *BatchItem) Decide(d decision.Decision) {
	i.Decisions = i.Decisions.With(d)
	if d.As == decision.Canceled {
		i.NextAt, i.RecheckAt = time.Time{}, time.Time{}
	}
}

func (i *BatchItem) end(outcome ItemOutcome, needsAPerson bool, now time.Time) {
	i.Outcome, i.NeedsAPerson, i.CompletedAt = outcome, needsAPerson, now
	i.Asking, i.NextAt = billing.JobID{}, time.Time{}
}

// Again makes a completed item due once more, with a new check that the cache does not answer. A
// check that the payer rejected becomes the parent of the new one.
func (i *BatchItem) Again(b *Batch, now time.Time) {
	if i.Outcome == ItemRejected {
		i.ParentID = i.CheckID
	}
	i.CheckID, i.Faults, i.Patient = billing.CheckID{}, nil, billing.PatientID{}
	i.reopen()
	i.Fresh = true
	i.Begin(b, now)
}

// reopen takes the outcome from the item. What people decided about it stays with it.
func (i *BatchItem) reopen() {
	i.Attempts, i.Outcome, i.NeedsAPerson, i.CompletedAt = 0, "", false, time.Time{}
	i.Status, i.Differs = "", false
}

// ItemFilter narrows the items of a batch. Zero fields match all.
type ItemFilter struct {
	BatchID      billing.CheckBatchID
	Outcome      ItemOutcome
	NeedsAPerson *bool
	ItemID       string

	// PatientID is the patient of the check, or one with the name and the date of birth of the item.
	PatientID billing.PatientID
}
