package claimstatus

import (
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing/claim"
)

// Record keeps on the claim what came of the inquiry. Last is the last inquiry before it whose
// payer found the claim, or nil.
func (i *Inquiry) Record(c *claim.Claim, last *Inquiry, now time.Time) {
	var before claim.Asked
	if a := c.Heard(); a != nil {
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
		said.SaidAt, said.Repeated = before.SaidAt, before.Repeated+1
	}
	c.Asked = &said
}

// Begin keeps on the claim that the payer is being asked, so that no second question follows
// before the answer.
func Begin(c *claim.Claim, now time.Time) {
	a := claim.Asked{}
	if before := c.Heard(); before != nil {
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
