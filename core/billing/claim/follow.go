package claim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// FindingEarlierChanged is the code of the finding that an earlier payer has changed its
// decision: since the claim was sent, or since a person entered another one.
const FindingEarlierChanged = "earlier_payer_changed"

// Follow lets the claim to a later payer take over what a payer before it has decided,
// after that one's ledger changed. A claim that was sent keeps what it says, and has a
// finding. Follow returns an event for each new state, and whether anything changed.
func (c *Claim) Follow(was, is *Ledger, cause Cause) (events []event.Event, changed bool) {
	before, now := was.Adjudication(), is.Adjudication()
	i := coverageBy(c.OtherCoverage, is.claim)
	switch {
	case i < 0 || c.State == Voided || now.equal(before):
		return nil, false
	case !c.atHand():
		return nil, c.sentAnother(i, is, cause)
	}
	o := &c.OtherCoverage[i]
	more := c.outdated()
	switch words := o.Adjudication.unlike(now); {
	case !o.Adjudication.equal(before) && len(words) > 0:
		more = append(more, c.earlierChanged(i,
			"The "+string(o.Sequence)+" payer's remittances replaced the decision that was entered here. It was: "+strings.Join(words, "; ")+".",
			"Check the decision that the claim now states, then save the claim."))
	case c.State == Queued && is.takesBack(was):
		more = append(more, c.earlierChanged(i, "The "+string(o.Sequence)+" payer took a decision back after the claim was submitted.",
			"Wait for the payer's next remittance. To send the claim with what still stands, save it, then submit it again."))
	}
	return c.takeOver(renewed(c.OtherCoverage, []*Ledger{is}, everyLedger), more, cause), true
}

// Renew takes over what the payers before have decided since the claim was sent, once the
// claim has come back. It returns an event for each new state.
func (c *Claim) Renew(earlier []*Ledger, cause Cause) []event.Event {
	if !c.atHand() {
		return nil
	}
	return c.takeOver(renewed(c.OtherCoverage, earlier, c.outdatedBy), nil, cause)
}

// Renewed returns the content of a replacement, with what the payers before have decided
// since, unless the content has another decision than the claim.
func (c *Claim) Renewed(content Content, earlier []*Ledger) Content {
	content.OtherCoverage = renewed(content.OtherCoverage, earlier, func(l *Ledger) bool {
		i, n := coverageBy(c.OtherCoverage, l.claim), coverageBy(content.OtherCoverage, l.claim)
		return c.outdatedBy(l) && n >= 0 && content.OtherCoverage[n].Adjudication.equal(c.OtherCoverage[i].Adjudication)
	})
	return content
}

// renewed returns the coverages with what the ledgers that count give.
func renewed(coverages []OtherCoverage, ledgers []*Ledger, counts func(*Ledger) bool) []OtherCoverage {
	coverages = slices.Clone(coverages)
	for _, l := range ledgers {
		if i := coverageBy(coverages, l.claim); i >= 0 && counts(l) {
			coverages[i].Adjudication = l.Adjudication()
		}
	}
	return coverages
}

func everyLedger(*Ledger) bool { return true }

// Outdated reports whether the claim was sent with another decision of a payer before
// than that payer's remittances now give.
func (c *Claim) Outdated() bool { return !c.SecondaryTo.IsZero() && len(c.outdated()) > 0 }

// OutdatedSince returns when the decision of a payer before changed last after the claim was sent; zero
// for never, and where the history does not have it.
func (c *Claim) OutdatedSince() time.Time {
	for _, m := range slices.Backward(c.History) {
		if m.Cause == triggerEarlierChanged {
			return m.At
		}
	}
	return time.Time{}
}

func (c *Claim) outdated() (found []Finding) {
	for _, f := range c.Findings {
		if f.Code == FindingEarlierChanged {
			found = append(found, f)
		}
	}
	return found
}

// outdatedBy reports whether the claim was sent with another decision than the ledger of
// an earlier claim now gives.
func (c *Claim) outdatedBy(l *Ledger) bool {
	field := adjudicationAt(coverageBy(c.OtherCoverage, l.claim))
	return slices.ContainsFunc(c.outdated(), func(f Finding) bool { return f.Field == field })
}

// atHand reports whether no file has the content of the claim, so that it can change.
func (c *Claim) atHand() bool {
	switch c.State { //nolint:exhaustive // in the others a file has it
	case Draft, Validated, NeedsAttention, Rejected:
		return true
	default:
		return c.State == Queued && c.BatchID.IsZero()
	}
}

// coverageBy returns the place of the other coverage whose payer has the other claim; -1
// for none.
func coverageBy(coverages []OtherCoverage, other *Claim) int {
	return slices.IndexFunc(coverages, func(o OtherCoverage) bool { return o.Sequence == other.Turn() })
}

func adjudicationAt(i int) (field string) { return fmt.Sprintf("other_coverage.%d.adjudication", i) }

func (c *Claim) earlierChanged(i int, message, fix string) Finding {
	return Finding{FindingEarlierChanged, adjudicationAt(i), message, fix}
}

// sentAnother notes that the claim was sent with other amounts than now stand, or that
// they are the same again. It reports whether that is new. The history has when that began.
func (c *Claim) sentAnother(i int, is *Ledger, cause Cause) bool {
	noted, same := c.outdatedBy(is), c.OtherCoverage[i].Adjudication.amounts().equal(is.Adjudication().amounts())
	if noted != same {
		return false
	}
	c.UpdatedAt = cause.At
	c.Findings = slices.DeleteFunc(slices.Clone(c.Findings), func(f Finding) bool { return f.Code == FindingEarlierChanged && f.Field == adjudicationAt(i) })
	if !same {
		c.Findings = append(c.Findings, c.earlierChanged(i, "The "+string(c.OtherCoverage[i].Sequence)+" payer's decision changed after the claim was sent.",
			"Replace the claim once its payer has accepted it. The replacement states the new decision."))
		c.Noted(triggerEarlierChanged, cause, caller.Principal{}, "")
	}
	return true
}

// takeOver sets the other coverages, and checks the rules for them again. The claim has
// more findings besides. A claim that was rejected is checked when it is changed.
func (c *Claim) takeOver(now []OtherCoverage, more []Finding, cause Cause) []event.Event {
	c.OtherCoverage, c.UpdatedAt = now, cause.At
	found := slices.DeleteFunc(slices.Clone(c.Findings), func(f Finding) bool { return f.Code == FindingEarlierChanged })
	if c.State == Rejected {
		c.Findings = append(found, more...)
		return nil
	}
	found = slices.DeleteFunc(found, func(f Finding) bool {
		return strings.HasPrefix(f.Field, "other_coverage") && !strings.HasPrefix(f.Code, findingOfStatus)
	})
	found = append(c.judgeCoverage(found, &RuleContext{}), more...)
	if c.State == NeedsAttention {
		return c.Rechecked(triggerEarlierDecided, found, cause)
	}
	if c.Findings = found; len(found) == 0 || !c.move(triggerEarlierChanged, &cause) {
		return nil
	}
	return []event.Event{c.Event(event.ClaimNeedsAttention, cause)}
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

func amountsOf(all []remit.Adjustment) (out []remit.Adjustment) {
	for _, a := range all {
		out = append(out, remit.Adjustment{Group: a.Group, Reason: a.Reason, Amount: a.Amount})
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

func amountInWords(paid billing.Money, adjustments []remit.Adjustment) string {
	words := "paid " + paid.Dollars()
	for _, a := range adjustments {
		words += ", " + a.Group + "-" + a.Reason + " " + a.Amount.Dollars()
	}
	return words
}
