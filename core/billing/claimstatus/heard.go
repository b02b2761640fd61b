package claimstatus

import (
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing/claim"
)

// LastSent returns when a file with the claim was last handed to the network; zero for never.
func LastSent(c *claim.Claim) time.Time {
	for _, m := range slices.Backward(c.History) {
		if m.State == claim.Submitted && m.Cause == claim.TriggerSend {
			return m.At
		}
	}
	return c.SentAt
}

// Heard returns what became of asking the payer about the claim as it was sent last; nil if
// the payer was not asked about it since.
func Heard(c *claim.Claim) *claim.Asked {
	if c.Asked == nil || c.Asked.At.Before(LastSent(c)) {
		return nil
	}
	return c.Asked
}

// Record keeps on the claim what came of the inquiry. Last is the last inquiry before it whose
// payer found the claim, or nil.
func (i *Inquiry) Record(c *claim.Claim, last *Inquiry, now time.Time) {
	var before claim.Asked
	if a := Heard(c); a != nil {
		before = *a
	}
	if i.Outcome == Unavailable || i.Outcome == Failed {
		before.At, before.Missed = now, true
		c.Asked = &before
		return
	}
	code, _ := i.First()
	said := claim.Asked{At: now, SaidAt: now, Outcome: string(i.Outcome), Category: code.Category, Status: code.Status, Entity: code.Entity}
	same := before.Outcome == said.Outcome && CodeOf(&before) == code
	if same && i.Outcome == Found {
		same = last != nil && last.Same(&i.Content)
	}
	if same {
		said.SaidAt, said.LastAt, said.Repeated = before.SaidAt, now, before.Repeated+1
	}
	c.Asked = &said
}

// Begin keeps on the claim that the payer is being asked, so that no second question follows
// before the answer.
func Begin(c *claim.Claim, now time.Time) {
	a := claim.Asked{}
	if before := Heard(c); before != nil {
		a = *before
	}
	a.At, a.Missed = now, false
	c.Asked = &a
}

// Skip keeps on the claim that its payer cannot be asked now.
func Skip(c *claim.Claim, now time.Time) {
	Begin(c, now)
	c.Asked.Missed = true
}

// CodeOf returns the code of what the payer said.
func CodeOf(a *claim.Asked) Code {
	return Code{Category: a.Category, Status: a.Status, Entity: a.Entity}
}

// Decided reports whether the payer says that it has decided the claim.
func Decided(a *claim.Asked) bool {
	return a.Outcome == string(Found) && strings.HasPrefix(strings.ToUpper(a.Category), "F")
}
