package task

import (
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Kind says what a person has to do.
type Kind string

// The kinds.
const (
	ClaimRejected         Kind = "claim_rejected"          // a rejection is not answered
	ClaimHeld             Kind = "claim_held"              // findings hold the claim
	DraftOld              Kind = "draft_old"               // a draft was left
	Unacknowledged        Kind = "unacknowledged"          // nobody acknowledged the claim
	NoDecision            Kind = "no_decision"             // the payer accepted the claim, or took its decision back, and does not decide
	Denied                Kind = "denied"                  // the payer refuses, and money is open
	FilingLimit           Kind = "filing_limit"            // the payer accepts the claim only for some days more
	AppealDue             Kind = "appeal_due"              // an appeal must be sent, or its decision is due
	Underpaid             Kind = "underpaid"               // the payer allows less than its contract
	Overpaid              Kind = "overpaid"                // payments and write-offs exceed the charge
	ChangedAfterReconcile Kind = "changed_after_reconcile" // the payment changed later
	SecondaryToBill       Kind = "secondary_to_bill"       // the patient has another plan, and something is left
	SecondaryOutdated     Kind = "secondary_outdated"      // the decision of the payer before changed after the claim was sent
	RequestDue            Kind = "request_due"             // the payer asks for something
	RemittanceUnbalanced  Kind = "remittance_unbalanced"   // the payment does not add up
	RemittanceUnmatched   Kind = "remittance_unmatched"    // claims of it are unfinished
	RemittanceCorrection  Kind = "remittance_correction"   // it corrects another one, and waits for a decision
	RemittanceToPost      Kind = "remittance_to_post"      // everything is applied
	DepositMissing        Kind = "deposit_missing"         // the money of a remittance did not arrive
	DepositUnmatched      Kind = "deposit_unmatched"       // money of a payer arrived that no remittance explains
	ImagesUnsent          Kind = "images_unsent"           // an attachment was left open
	CheckNeedsPerson      Kind = "check_needs_person"      // a check of a batch was not asked, or its answer needs a look
	EnrollmentWaiting     Kind = "enrollment_waiting"      // a payer has not enrolled the office
	ConnectionPaused      Kind = "connection_paused"       // a network refused the sign-in of a connection
	Quarantined           Kind = "quarantined"             // a file of the organization waits in quarantine
)

// Kinds lists every kind, in the order in which a list of counts shows them.
func Kinds() []Kind {
	return []Kind{
		FilingLimit, ClaimRejected, ClaimHeld, DraftOld, Unacknowledged, NoDecision, Denied, AppealDue, Underpaid, Overpaid, ChangedAfterReconcile,
		SecondaryToBill, SecondaryOutdated, RequestDue, RemittanceUnbalanced, RemittanceUnmatched, RemittanceCorrection,
		RemittanceToPost, DepositMissing, DepositUnmatched, ImagesUnsent, CheckNeedsPerson, EnrollmentWaiting,
		ConnectionPaused, Quarantined,
	}
}

// settles returns what a person may decide about work of the kind, instead of doing it.
func (k Kind) settles() []decision.As {
	switch k { //nolint:exhaustive // the others end only when their cause does
	case Denied:
		return []decision.As{decision.Accepted, decision.Handled}
	case Underpaid:
		return []decision.As{decision.Accepted}
	case FilingLimit:
		return []decision.As{decision.Handled}
	case SecondaryToBill:
		return []decision.As{decision.NotBilled}
	case RequestDue, ImagesUnsent:
		return []decision.As{decision.WillNotSend}
	case DepositMissing:
		return []decision.As{decision.ReceivedElsewhere}
	case DepositUnmatched:
		return []decision.As{decision.NotInsurance}
	case CheckNeedsPerson:
		return []decision.As{decision.Handled, decision.Canceled}
	default:
		return nil
	}
}

// ResourceKind is the kind of resource that has a task, as the field object names it.
type ResourceKind string

// The kinds of resources.
const (
	OfClaim        ResourceKind = "claim"
	OfRemittance   ResourceKind = "era"
	OfPayerRequest ResourceKind = "payer_request"
	OfAttachment   ResourceKind = "attachment"
	OfEnrollment   ResourceKind = "enrollment"
	OfDeposit      ResourceKind = "deposit"
	OfCheckItem    ResourceKind = "eligibility_batch_item"
	OfConnection   ResourceKind = "connection"
	OfFile         ResourceKind = "quarantined_file"
)

// ResourceKinds lists every kind of resource.
func ResourceKinds() []ResourceKind {
	return []ResourceKind{
		OfClaim, OfRemittance, OfPayerRequest, OfAttachment, OfEnrollment, OfDeposit, OfCheckItem,
		OfConnection, OfFile,
	}
}

// Resource identifies what a task is about.
type Resource struct {
	Kind ResourceKind
	ID   [16]byte
}

// String returns the ID that clients see.
func (r Resource) String() string {
	switch r.Kind {
	case OfClaim:
		return billing.ClaimID(r.ID).String()
	case OfRemittance:
		return billing.ERAID(r.ID).String()
	case OfPayerRequest:
		return billing.PayerRequestID(r.ID).String()
	case OfAttachment:
		return billing.AttachmentID(r.ID).String()
	case OfEnrollment:
		return billing.EnrollmentID(r.ID).String()
	case OfDeposit:
		return billing.DepositID(r.ID).String()
	case OfCheckItem:
		return billing.CheckItemID(r.ID).String()
	case OfConnection:
		return billing.ConnectionID(r.ID).String()
	case OfFile:
		return billing.FileID(r.ID).String()
	default:
		return ""
	}
}

// DueBy is the origin of the day on which a task is due.
type DueBy string

// The origins.
const (
	DueByPayer       DueBy = "payer"       // the payer named the day
	DueByPractice    DueBy = "practice"    // usual practice, not a rule of the payer
	DueByPerson      DueBy = "person"      // a person named the day
	DueByAppointment DueBy = "appointment" // the patient comes on the day
)

// Work is what a rule says: that there is a task, and what it is.
type Work struct {
	Kind     Kind
	Resource Resource
	OfficeID billing.OfficeID       // zero for none, or for an unknown one
	Payer    directory.PayerSummary // zero for none, or for an unknown one
	Patient  billing.PatientID      // zero for none
	Person   Person                 // the patient, whom the store looks for in the directory; zero if Patient is set, or for none
	Amount   billing.Money          // what is at stake; 0 for none
	Since    time.Time              // may lie in the future: the task exists from then on
	Until    time.Time              // the task exists until then; zero for as long as its cause
	DueOn    billing.Date           // zero for none
	DueBy    DueBy                  // empty without a day
	Reason   string                 // a sentence for a biller, without patient data
	Actions  []string               // operations of the API that are allowed, the one to do first
	Settles  []decision.As          // what a person may decide instead; empty for nothing

	next billing.PayerID // a decision ends the work if it is about this payer; zero for any
}

// Person is a patient as the directory knows people; see directory.PatientKey.
type Person struct {
	Key  string
	Born billing.Date
}

// State is the state of a task.
type State string

// The states.
const (
	Open    State = "open"
	Snoozed State = "snoozed"
	Done    State = "done" // its cause has ended
)

// States lists every state of a task.
func States() []State { return []State{Open, Snoozed, Done} }

// Task is work for a person, with what people did with it.
type Task struct {
	ID    billing.TaskID
	Scope billing.Scope
	Work

	Assignee     billing.UserID     // zero for nobody
	SnoozedUntil time.Time          // zero for none
	UntilChange  bool               // it is snoozed until the resource changes
	EndedAt      time.Time          // zero while it exists
	Settled      *decision.Decision // the last one about it; nil for none. When its amount changed, the task came again.

	PatientName string        // of the patient; lists have it
	ForwardedTo string        // of a claim without a decision, the payer that its payer sent it on to; lists have it
	ReviewERA   billing.ERAID // of a claim without a decision, the first remittance that needs review for it; lists have it
	Voiding     bool          // a void of its claim, which can be voided, is on its way; lists have it
	Item        Item          // of an item of a batch of checks; zero for other resources
}

// Item is how clients find an item of a batch of checks.
type Item struct {
	Batch    billing.CheckBatchID
	Name     string // the practice's own ID of the item
	Canceled bool   // the batch is, so nothing of it is asked again
}

// Allows reports whether what clients may do about the task includes an operation. Of what is not
// stored with the resource, it knows whether the batch of a check was canceled, and whether a void of
// a claim is on its way.
func (t *Task) Allows(action string) bool {
	return (!t.Item.Canceled || action != AskAgain) && (!t.Voiding || action != askVoid)
}

// Pass ends the task if its Until has come at a time.
func (t *Task) Pass(at time.Time) {
	if t.EndedAt.IsZero() && !t.Until.IsZero() && !t.Until.After(at) {
		t.EndedAt = t.Until
	}
}

// State returns the state at a time, to which the task has passed.
func (t *Task) State(at time.Time) State {
	switch {
	case !t.EndedAt.IsZero():
		return Done
	case t.UntilChange || t.SnoozedUntil.After(at):
		return Snoozed
	default:
		return Open
	}
}

// Assign gives the task to a user; the zero ID gives it to nobody.
func (t *Task) Assign(to billing.UserID) error {
	if err := t.exists(); err != nil {
		return err
	}
	t.Assignee = to
	return nil
}

// Snooze takes the task from the list until a time, or with the zero time until its
// resource changes.
func (t *Task) Snooze(until time.Time) error {
	if err := t.exists(); err != nil {
		return err
	}
	t.SnoozedUntil, t.UntilChange = until, until.IsZero()
	return nil
}

// SnoozedDay returns the day that SnoozedUntil begins at its office. The stored time has no
// zone: the day is the one whose midnight in UTC is nearest, as it is for every office of the
// United States, from Guam to American Samoa.
func (t *Task) SnoozedDay() billing.Date {
	return billing.DateOf(t.SnoozedUntil.UTC().Add(12*time.Hour + 30*time.Minute))
}

// Wake brings the task back to the list. TakeBack goes first for one that a decision settled.
func (t *Task) Wake() error {
	if !t.EndedAt.IsZero() {
		return t.over()
	}
	t.SnoozedUntil, t.UntilChange = time.Time{}, false
	return nil
}

// Settle returns what a person decided about the work. The resource keeps it.
//
// Errors: CodeConflict for a task that is done; CodeInvalidRequest for what is not among Settles.
func (t *Task) Settle(as decision.As, note, by string, at time.Time) (decision.Decision, error) {
	d := decision.Decision{Of: string(t.Kind), As: as, Amount: t.Amount, Note: note, By: by, At: at}
	if err := t.exists(); err != nil {
		return d, err
	}
	if !slices.Contains(t.Settles, as) {
		var f billing.Faults
		f.Add("as", billing.FaultNotAllowed, "A task of this kind cannot be settled so. "+t.howSettled())
		return d, f.Err()
	}
	return d, nil
}

// TakeBack returns what takes back the decision that settled the work. The resource forgets it, and
// the task comes again.
//
// Errors: CodeConflict for a task that no decision ended.
func (t *Task) TakeBack(by string, at time.Time) (decision.Decision, error) {
	if t.EndedAt.IsZero() || t.Settled == nil {
		return decision.Decision{}, t.over()
	}
	return decision.Decision{Of: string(t.Kind), By: by, At: at}, nil
}

func (t *Task) howSettled() string {
	if len(t.Settles) == 0 {
		return "It ends when its cause does: do what actions names first."
	}
	words := make([]string, len(t.Settles))
	for i, as := range t.Settles {
		words[i] = string(as)
	}
	return "Send " + strings.Join(words, " or ") + ", or do what actions names first."
}

// exists returns CodeConflict for a task that is done.
func (t *Task) exists() error {
	switch {
	case t.EndedAt.IsZero():
		return nil
	case t.Settled != nil && !t.EndedAt.Equal(t.Until):
		return &billing.Error{
			Code:    billing.CodeConflict,
			Message: "The task is done: it was settled as " + string(t.Settled.As) + ". Wake it to take that back. If its cause has ended since, " + t.Resource.String() + " shows how.",
		}
	default:
		return t.over()
	}
}

func (t *Task) over() error {
	return &billing.Error{Code: billing.CodeConflict, Message: "The task is done, because its cause has ended. Read " + t.Resource.String() + " to see how."}
}

// Filter narrows a list of tasks. Zero fields match all.
type Filter struct {
	State      State
	Kinds      []Kind // one of them
	Resource   [16]byte
	OfficeID   billing.OfficeID
	PayerID    billing.PayerID
	Assignee   billing.UserID
	Nobody     bool          // only tasks without an assignee
	DueBefore  billing.Date  // inclusive; tasks without a day are left out
	AmountFrom billing.Money // inclusive
}

// undated is the day of a task without one, in a Position.
const undated = 1 << 40

// Position returns the place of the task in a list: by the day on which it is due, those
// without one last; then by the amount, the largest first; then by time and ID, the oldest
// first.
func (t *Task) Position() billing.Position {
	day := int64(undated)
	if !t.DueOn.IsZero() {
		day = t.DueOn.Time().Unix()
	}
	return billing.Position{Time: t.Since, ID: t.ID, Order: [2]int64{day, -int64(t.Amount)}}
}

// DueAt returns the day of a position; zero for none.
func DueAt(p billing.Position) billing.Date {
	if p.Order[0] == undated {
		return billing.Date{}
	}
	return billing.DateOf(time.Unix(p.Order[0], 0).UTC())
}

// Renewed is what a step did that applied the rules to stored resources.
type Renewed struct {
	Last      Resource // of the step
	Resources int
	Differed  int // resources whose tasks were not as the rules say
}

// Rules is the version of the rules. Who changes what they say of a resource that is stored raises
// it, and the tasks of every organization are computed again.
const Rules = 14

// Rebuild is how far the tasks of a scope are computed by a version of the rules.
type Rebuild struct {
	Scope billing.Scope
	Rules int
	Last  Resource // zero before the first
	Done  bool
	Asked int // how often a change of the fee schedules has asked for it
}

// Same reports whether the kept tasks of a resource are what the rules say.
func Same(kept []*Task, resource [16]byte, found []Work) bool {
	n := 0
	for _, t := range kept {
		if t.Resource.ID != resource {
			continue
		}
		n++
		if !slices.ContainsFunc(found, t.same) {
			return false
		}
	}
	return n == len(found)
}

// same compares what a rule says with what is kept of it, to the microsecond.
func (t *Task) same(w Work) bool {
	patient := t.Patient == w.Patient || w.Person != Person{} // who may have come to the directory since
	return t.Kind == w.Kind && t.OfficeID == w.OfficeID && t.Payer == w.Payer && patient && t.Amount == w.Amount &&
		t.Since.Equal(w.Since.Truncate(time.Microsecond)) && t.Until.Equal(w.Until.Truncate(time.Microsecond)) && t.DueOn == w.DueOn && t.DueBy == w.DueBy && t.Reason == w.Reason && slices.Equal(t.Actions, w.Actions) &&
		slices.Equal(t.Settles, w.Settles)
}

// rule is a row of a table: there is a task of the kind while is says so, and say says what it is.
type rule[R any] struct {
	kind Kind
	is   func(r R) bool
	say  func(r R, w *Work)
}

// apply returns the work that the rules find, each as a copy of what all of it has. There is none
// while a decision of a person about it holds, of a resource that changed last at the time.
func apply[R any](rules []rule[R], r R, decided decision.List, changed time.Time, common Work) (all []Work) {
	for _, rule := range rules {
		if !rule.is(r) {
			continue
		}
		w := common
		w.Kind = rule.kind
		rule.say(r, &w)
		if of := string(w.Kind); decided.Ends(of, w.Amount, changed) && decided.About(of, w.next) {
			continue
		}
		if w.Settles = append(w.Settles, w.Kind.settles()...); len(w.Settles) > 0 {
			w.Actions = append(slices.Clip(w.Actions), "settleTask")
		}
		all = append(all, w)
	}
	return all
}
