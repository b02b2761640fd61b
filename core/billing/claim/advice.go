package claim

import (
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
)

// Advice returns what the payer wants to see with the claim and the claim does not have, while
// the claim is in no file, and again while its payer refuses a part that is open: that is what a
// replacement lacks. An X-ray that fits ends its advice. Nothing of it is stored. Ignored is what
// the claim was sent without, with the last reason for each code.
func (r *Record) Advice() (open []advice.Advice, ignored []advice.Ignored) {
	return r.advice(), r.ignored()
}

func (r *Record) advice() []advice.Advice {
	unsent := r.State == Draft || r.State == Validated || r.State == NeedsAttention || r.State == Rejected || r.State == Queued && r.BatchID.IsZero()
	if !unsent && !r.refuses() || r.Frequency == FrequencyVoid || !r.ErasedAt.IsZero() {
		return nil
	}
	k := advice.Case{Payer: r.Payer, Later: r.Turn() != billing.SequencePrimary, Rejected: r.State == Rejected, Narrative: !billing.Blank(r.Note)}
	for i := range r.Lines {
		k.Procedures = append(k.Procedures, strings.ToUpper(r.Lines[i].ProcedureCode))
	}
	for _, a := range r.Attachments {
		if a.Kind != attachment.Unsolicited {
			continue
		}
		k.Narrative = k.Narrative || !billing.Blank(a.Narrative)
		for _, d := range a.Documents {
			k.Documents = append(k.Documents, d.Type)
		}
	}
	k.Itemized = slices.ContainsFunc(r.OtherCoverage, func(o OtherCoverage) bool {
		return o.Sequence.Rank() < r.Turn().Rank() && o.Adjudication != nil && len(o.Adjudication.Lines) > 0
	})
	return k.Advise(r.Rules)
}

// refuses reports whether the payer refuses a part of the claim, which is open.
func (c *Claim) refuses() bool {
	return (c.State == Paid || c.State == Denied) && c.Standing != nil && c.Standing.OpenReason == OpenRefused && c.Open() > 0
}

func (c *Claim) ignored() (all []advice.Ignored) {
	for _, code := range advice.Codes() {
		for _, m := range slices.Backward(c.History) {
			if m.Cause == triggerIgnoreAdvice && m.Advice == code {
				all = append(all, advice.Ignored{Code: code, Reason: m.Note, By: m.By, At: m.At})
				break
			}
		}
	}
	return all
}

// IgnoreAdvice keeps in the history why a person sends the claim without what its payer wants to
// see. A reason for advice that the claim no longer has is left out.
func (r *Record) IgnoreAdvice(reasons map[advice.Code]string, by caller.Principal, at time.Time) {
	for _, a := range r.advice() {
		if reason := reasons[a.Code]; reason != "" {
			r.Noted(triggerIgnoreAdvice, Cause{At: at}, by, reason)
			r.History[len(r.History)-1].Advice = a.Code
		}
	}
}
