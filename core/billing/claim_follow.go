package billing

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// FindingEarlierChanged is the code of the finding that an earlier payer has changed its
// decision: since the claim was sent, or since a person entered another one.
const FindingEarlierChanged = "earlier_payer_changed"

// Follow lets the claim to a later payer take over what the payer before it has decided,
// after that one's ledger changed. A claim that was sent keeps what it says, and has a
// finding. Follow returns an event for each new state, and whether anything changed.
func (c *Claim) Follow(was, is *Ledger, cause ClaimCause) (events []Event, changed bool) {
	before, now := was.Adjudication(), is.Adjudication()
	i := c.coverageBy(is.claim)
	switch {
	case i < 0 || c.State == ClaimVoided || now.equal(before):
		return nil, false
	case !c.atHand():
		return nil, c.sentAnother(i, now, cause.At)
	}
	o := &c.OtherCoverage[i]
	more := c.outdated()
	switch words := o.Adjudication.unlike(now); {
	case !o.Adjudication.equal(before) && len(words) > 0:
		more = append(more, c.earlierChanged(i,
			"The "+string(o.Sequence)+" payer's remittances replaced the decision that was entered here. It was: "+strings.Join(words, "; ")+".",
			"Check the decision that the claim now states, then save the claim."))
	case c.State == ClaimQueued && is.takesBack(was):
		more = append(more, c.earlierChanged(i, "The "+string(o.Sequence)+" payer took a decision back after the claim was submitted.",
			"Wait for the payer's next remittance. To send the claim with what still stands, save it, then submit it again."))
	}
	return c.takeOver(i, now, more, cause), true
}

// Renew takes over what the payer before has decided since the claim was sent, once the
// claim has come back. It returns an event for each new state.
func (c *Claim) Renew(is *Ledger, cause ClaimCause) []Event {
	i := c.coverageBy(is.claim)
	if i < 0 || !c.atHand() {
		return nil
	}
	return c.takeOver(i, is.Adjudication(), nil, cause)
}

// Renewed returns the content of a replacement, with what the payer before has decided
// since, unless the content has another decision than the claim.
func (c *Claim) Renewed(content ClaimContent, is *Ledger) ClaimContent {
	next := Claim{SecondaryTo: c.SecondaryTo, ClaimContent: content}
	i, n := c.coverageBy(is.claim), next.coverageBy(is.claim)
	if i >= 0 && n >= 0 && next.OtherCoverage[n].Adjudication.equal(c.OtherCoverage[i].Adjudication) {
		next.OtherCoverage = slices.Clone(next.OtherCoverage)
		next.OtherCoverage[n].Adjudication = is.Adjudication()
	}
	return next.ClaimContent
}

// Outdated reports whether the claim was sent with another decision of the payer before
// than that payer's remittances now give.
func (c *Claim) Outdated() bool { return !c.SecondaryTo.IsZero() && len(c.outdated()) > 0 }

func (c *Claim) outdated() (found []Finding) {
	for _, f := range c.Findings {
		if f.Code == FindingEarlierChanged {
			found = append(found, f)
		}
	}
	return found
}

// atHand reports whether no file has the content of the claim, so that it can change.
func (c *Claim) atHand() bool {
	switch c.State { //nolint:exhaustive // in the others a file has it
	case ClaimDraft, ClaimValidated, ClaimNeedsAttention, ClaimRejected:
		return true
	default:
		return c.State == ClaimQueued && c.BatchID.IsZero()
	}
}

// coverageBy returns the place of the other coverage whose payer has the other claim; -1
// for none.
func (c *Claim) coverageBy(first *Claim) int {
	return slices.IndexFunc(c.OtherCoverage, func(o OtherCoverage) bool { return o.Sequence == first.Turn() })
}

func (c *Claim) earlierChanged(i int, message, fix string) Finding {
	return Finding{FindingEarlierChanged, fmt.Sprintf("other_coverage.%d.adjudication", i), message, fix}
}

// sentAnother notes that the claim was sent with other amounts than now stand, or that
// they are the same again. It reports whether that is new.
func (c *Claim) sentAnother(i int, now *CoverageAdjudication, at time.Time) bool {
	noted, same := len(c.outdated()) > 0, c.OtherCoverage[i].Adjudication.amounts().equal(now.amounts())
	if noted != same {
		return false
	}
	c.UpdatedAt = at
	c.Findings = slices.DeleteFunc(slices.Clone(c.Findings), func(f Finding) bool { return f.Code == FindingEarlierChanged })
	if !same {
		c.Findings = append(c.Findings, c.earlierChanged(i, "The "+string(c.OtherCoverage[i].Sequence)+" payer's decision changed after the claim was sent.",
			"Replace the claim once its payer has accepted it. The replacement states the new decision."))
	}
	return true
}

// takeOver sets the decision of other coverage i, and checks the rules for it again. The
// claim has more findings besides. A claim that was rejected is checked when it is changed.
func (c *Claim) takeOver(i int, now *CoverageAdjudication, more []Finding, cause ClaimCause) []Event {
	c.OtherCoverage = slices.Clone(c.OtherCoverage)
	c.OtherCoverage[i].Adjudication = now
	c.UpdatedAt = cause.At
	found := slices.DeleteFunc(slices.Clone(c.Findings), func(f Finding) bool { return f.Code == FindingEarlierChanged })
	if c.State == ClaimRejected {
		c.Findings = append(found, more...)
		return nil
	}
	found = slices.DeleteFunc(found, func(f Finding) bool {
		return strings.HasPrefix(f.Field, "other_coverage") && !strings.HasPrefix(f.Code, findingOfStatus)
	})
	found = append(c.judgeCoverage(found, &RuleContext{}), more...)
	if c.State == ClaimNeedsAttention {
		return c.Rechecked(TriggerEarlierDecided, found, cause)
	}
	if c.Findings = found; len(found) == 0 || !c.move(TriggerEarlierChanged, &cause) {
		return nil
	}
	return []Event{c.Event(EventClaimNeedsAttention, cause)}
}

// takesBack reports whether a decision of the ledger before no longer stands, and none is
// new.
func (l *Ledger) takesBack(was *Ledger) bool {
	for _, e := range l.entries {
		if !e.Reverses() && was.find(e.LedgerEntry) == nil {
			return false
		}
	}
	return slices.ContainsFunc(was.entries, func(e *ledgerEntry) bool {
		now := l.find(e.LedgerEntry)
		return e.stand() && !e.Reverses() && (now == nil || !now.stand() || now.left() < e.left())
	})
}

func (a *CoverageAdjudication) equal(b *CoverageAdjudication) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.PaymentDate == b.PaymentDate && a.PayerClaimNumber == b.PayerClaimNumber && a.Paid == b.Paid &&
		slices.Equal(a.Adjustments, b.Adjustments) && slices.EqualFunc(a.Lines, b.Lines, CoverageLine.equal)
}

func (l CoverageLine) equal(o CoverageLine) bool {
	return l.LineNumber == o.LineNumber && l.ProcedureCode == o.ProcedureCode && l.Paid == o.Paid && l.Units == o.Units &&
		slices.Equal(l.Adjustments, o.Adjustments)
}

// amounts returns what the decision pays and adjusts, and nothing else of it.
func (a *CoverageAdjudication) amounts() *CoverageAdjudication {
	if a == nil {
		return nil
	}
	out := &CoverageAdjudication{Paid: a.Paid, Adjustments: amountsOf(a.Adjustments)}
	for i := range a.Lines {
		out.Lines = append(out.Lines, CoverageLine{
			LineNumber: a.Lines[i].LineNumber, Paid: a.Lines[i].Paid, Adjustments: amountsOf(a.Lines[i].Adjustments),
		})
	}
	return out
}

func amountsOf(all []Adjustment) (out []Adjustment) {
	for _, a := range all {
		out = append(out, Adjustment{Group: a.Group, Reason: a.Reason, Amount: a.Amount})
	}
	return out
}

// maxUnlike is the number of differences that a finding names.
const maxUnlike = 6

// unlike returns the parts of a decision that another one has otherwise, in words.
func (a *CoverageAdjudication) unlike(b *CoverageAdjudication) (words []string) {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		return []string{"no decision"}
	case b == nil:
		b = &CoverageAdjudication{}
	}
	if a.PaymentDate != b.PaymentDate && !a.PaymentDate.IsZero() {
		words = append(words, "decided on "+a.PaymentDate.String())
	}
	if a.PayerClaimNumber != b.PayerClaimNumber && a.PayerClaimNumber != "" {
		words = append(words, "payer's number "+a.PayerClaimNumber)
	}
	if a.Paid != b.Paid || !slices.Equal(a.Adjustments, b.Adjustments) {
		words = append(words, amountInWords(a.Paid, a.Adjustments))
	}
	for i := range a.Lines {
		if l := &a.Lines[i]; !slices.ContainsFunc(b.Lines, l.equal) {
			words = append(words, fmt.Sprintf("line %d %s", l.LineNumber, amountInWords(l.Paid, l.Adjustments)))
		}
	}
	if len(words) > maxUnlike {
		words = append(words[:maxUnlike], "and more")
	}
	return words
}

func amountInWords(paid Money, adjustments []Adjustment) string {
	words := "paid " + paid.String()
	for _, a := range adjustments {
		words += ", " + a.Group + "-" + a.Reason + " " + a.Amount.String()
	}
	return words
}
