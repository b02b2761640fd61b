// Package appeal asks a payer to decide a claim again. An appeal is a letter, or goes through the
// payer's portal: no X12 message has it.
package appeal

import (
	"cmp"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/remit"
)

// State is the state of an appeal.
type State string

// The states.
const (
	Draft   State = "draft"
	Sent    State = "sent"
	Decided State = "decided"
)

// Level is how often the payer was asked, and who decides.
type Level string

// The levels.
const (
	First    Level = "first"
	Second   Level = "second"
	External Level = "external" // a reviewer outside of the payer decides
)

// Levels lists every level.
func Levels() []Level { return []Level{First, Second, External} }

// Way is how an appeal was sent.
type Way string

// The ways.
const (
	Mail   Way = "mail"
	Fax    Way = "fax"
	Portal Way = "portal"
	Other  Way = "other"
)

// Ways lists every way.
func Ways() []Way { return []Way{Mail, Fax, Portal, Other} }

// Outcome is what the payer decided about an appeal.
type Outcome string

// The outcomes.
const (
	Overturned Outcome = "overturned" // the payer pays all that was asked for
	Partly     Outcome = "partly"
	Upheld     Outcome = "upheld"    // the payer stays with its decision
	Withdrawn  Outcome = "withdrawn" // by the practice
)

// Outcomes lists every outcome.
func Outcomes() []Outcome { return []Outcome{Overturned, Partly, Upheld, Withdrawn} }

// Appeal is an appeal of a claim.
type Appeal struct {
	ID        billing.AppealID
	Scope     billing.Scope
	ClaimID   billing.ClaimID
	State     State
	Level     Level
	Words     Words
	Documents []string       // the IDs of attachments of the claim, and of their images
	SendBy    limit.Deadline // until when it is sent
	CreatedAt time.Time
	UpdatedAt time.Time
	MadeBy    string // the key or the user

	SentOn     billing.Date // zero before
	SentBy     Way
	SentAt     time.Time    // when that was recorded
	DecidedOn  billing.Date // zero before
	Outcome    Outcome
	DecidedAt  time.Time // when that was recorded
	RecordedBy string    // who recorded the last of them

	Paid []*remit.LedgerEntry // what remittances paid after it was sent; a use case looks it up
}

// Words are what people wrote. They are about the patient.
type Words struct {
	Reason    string // why the payer should pay
	Letter    string
	Reference string `json:",omitempty"` // under which it was sent
}

// The limits of what people write, in characters.
const (
	MaxReason    = 4_000
	MaxLetter    = 20_000
	MaxReference = 100
	MaxDocuments = 50
)

// Position returns the place in a list, by the time and the ID.
func (a *Appeal) Position() billing.Position { return billing.Position{Time: a.CreatedAt, ID: a.ID} }

// Filter narrows a list of appeals. Zero fields match all.
type Filter struct{ ClaimID billing.ClaimID }

// Change is what a person changes of a draft. Nil leaves a field.
type Change struct {
	Level     *Level
	Reason    *string
	Letter    *string
	Documents *[]string
	SendBy    billing.Date // zero leaves the day
}

// Change changes a draft. A day that a person names confirms a proposal, too. It returns
// CodeConflict for an appeal that was sent.
func (a *Appeal) Change(to Change, now time.Time) error {
	if a.State != Draft {
		return conflict("The appeal was sent and cannot be changed. " + a.next())
	}
	if to.Level != nil {
		a.Level = *to.Level
	}
	if to.Reason != nil {
		a.Words.Reason = *to.Reason
	}
	if to.Letter != nil {
		a.Words.Letter = *to.Letter
	}
	if to.Documents != nil {
		a.Documents = slices.Clone(*to.Documents)
	}
	if !to.SendBy.IsZero() {
		a.SendBy = limit.Deadline{On: to.SendBy, Source: limit.Person}
	}
	a.UpdatedAt = now
	return nil
}

// Sending says how an appeal was sent.
type Sending struct {
	On        billing.Date // zero for today
	By        Way
	Reference string // empty for none
}

// Send records that the appeal was sent. Days are compared with today at the office of the claim. It
// returns CodeConflict for one that was sent before, and CodeInvalidRequest for a day to come.
func (a *Appeal) Send(s Sending, by string, today billing.Date, now time.Time) error {
	if a.State != Draft {
		return conflict("The appeal was sent already. " + a.next())
	}
	s.On = cmp.Or(s.On, today)
	if err := past(s.On, billing.Date{}, today); err != nil {
		return err
	}
	a.State, a.SentOn, a.SentBy, a.Words.Reference = Sent, s.On, s.By, s.Reference
	a.SentAt, a.UpdatedAt, a.RecordedBy = now, now, by
	return nil
}

// Decide records what became of the appeal on a day, which is zero for today. One that was not sent
// can be withdrawn. Days are compared with today at the office of the claim.
//
// Errors: CodeConflict for one that is decided, or was not sent; CodeInvalidRequest for a day
// before it was sent, or to come.
func (a *Appeal) Decide(on billing.Date, o Outcome, by string, today billing.Date, now time.Time) error {
	switch {
	case a.State == Decided:
		return conflict("The decision of the appeal is recorded already. " + a.next())
	case a.State == Draft && o != Withdrawn:
		return conflict("The appeal was not sent. Record that it was sent first, or withdraw it.")
	}
	on = cmp.Or(on, today)
	if err := past(on, a.SentOn, today); err != nil {
		return err
	}
	a.State, a.DecidedOn, a.Outcome = Decided, on, o
	a.DecidedAt, a.UpdatedAt, a.RecordedBy = now, now, by
	return nil
}

// past returns CodeInvalidRequest for a day that is to come, or before another, which may be zero.
func past(on, after, today billing.Date) error {
	var f billing.Faults
	switch {
	case today.Before(on):
		f.Add("on", billing.FaultRange, "The day must not be in the future.")
	case !after.IsZero() && on.Before(after):
		f.Add("on", billing.FaultRange, "The appeal was sent on "+after.String()+". Send that day or a later one.")
	}
	return f.Err()
}

// next says what can be done with an appeal that was sent.
func (a *Appeal) next() string {
	if a.State == Sent {
		return "Record its decision, then make another appeal."
	}
	return "Make another appeal."
}

// DueOn returns the day on which the appeal must be sent, or decided once it was; zero when it is
// decided.
func (a *Appeal) DueOn() billing.Date {
	switch a.State {
	case Draft:
		return a.SendBy.On
	case Sent:
		return limit.DecisionDue(a.SentOn)
	case Decided:
	}
	return billing.Date{}
}

// OnClaim returns what the claim keeps of the appeal; nil once it is decided.
func (a *Appeal) OnClaim() *limit.Appealing {
	if a.State == Decided {
		return nil
	}
	return &limit.Appealing{ID: a.ID, SendBy: a.SendBy, MadeAt: a.CreatedAt, SentOn: a.SentOn, SentAt: a.SentAt}
}

// SetPaid keeps, of what remittances say of the claim, the payments after the day on which the
// appeal was sent. Payers write days to come, so a payment that was applied by then is none of them.
// Days are those of the zone.
func (a *Appeal) SetPaid(entries []*remit.LedgerEntry, in limit.Zone) {
	a.Paid = nil
	for _, e := range entries {
		came := e.AppliedAt.IsZero() || a.SentOn.Before(in.Day(e.AppliedAt)) || e.AppliedAt.After(a.SentAt)
		if !a.SentOn.IsZero() && e.Paid != 0 && a.SentOn.Before(e.Date) && came {
			a.Paid = append(a.Paid, e)
		}
	}
}

func conflict(message string) error {
	return &billing.Error{Code: billing.CodeConflict, Message: message}
}
