package intake

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
)

// SnoozeRequest says how long a task is snoozed, as a caller wrote it.
type SnoozeRequest struct {
	Until  *string        // a day; nil until the resource changes
	Faults billing.Faults // found when the body was decoded
}

// Day validates the request and returns the day; zero for until the resource changes.
func (r SnoozeRequest) Day() (day billing.Date, f billing.Faults) {
	f = slices.Clone(r.Faults)
	if r.Until != nil {
		day = dayOf(&f, "until", *r.Until)
	}
	return day, f
}

// AssigneeRequest says who does a task, as a caller wrote it.
type AssigneeRequest struct {
	UserID *string         // nil for nobody
	Given  map[string]bool // the fields in the body, including null ones
	Faults billing.Faults  // found when the body was decoded
}

// User validates the request and returns the user; zero for nobody.
func (r AssigneeRequest) User() (id billing.UserID, f billing.Faults) {
	f = slices.Clone(r.Faults)
	switch {
	case !r.Given["user_id"]:
		f.Add("user_id", billing.FaultRequired, "Name the user who does the task. Send null to give it to nobody.")
	case r.UserID != nil:
		id = optionalID[billing.UserID](&f, "user_id", r.UserID, "user")
	}
	return id, f
}

// SettleRequest says what a person decides about a task, as a caller wrote it.
type SettleRequest struct {
	As     string
	Note   *string
	Faults billing.Faults // found when the body was decoded
}

// Decision validates the request and returns the decision and the note.
func (r SettleRequest) Decision() (as decision.As, note string, f billing.Faults) {
	f = slices.Clone(r.Faults)
	p := claimParser{f: &f, whole: true}
	as = oneOf(&p, "as", p.text("as", r.As, 0), decision.Values()...)
	if r.Note != nil && f.Optional("note", r.Note, maxRemittanceNote) {
		note = strings.TrimSpace(*r.Note)
	}
	return as, note, f
}
