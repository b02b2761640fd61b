package sandboxnet

import (
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// ownSteps finds the steps of an organization's own scenario for a member ID; nil if it has
// none.
type ownSteps func(memberID string) ([]scenario.ClaimStep, error)

// steps returns the steps that the organization of the scope has for claims.
func (c *Clearinghouse) steps(find func(endings []string) (*scenario.Own, error)) ownSteps {
	known := map[string][]scenario.ClaimStep{}
	return func(memberID string) ([]scenario.ClaimStep, error) {
		endings := scenario.Endings(memberID)
		if len(endings) == 0 || longestOfClaim(memberID) == len(endings[0]) {
			return nil, nil
		}
		if have, ok := known[endings[0]]; ok {
			return have, nil
		}
		own, err := find(endings)
		if err != nil || own == nil || longestOfClaim(memberID) > len(own.Ending) {
			return nil, err
		}
		steps, err := own.Steps()
		known[endings[0]] = steps
		return steps, err
	}
}

// perform writes the messages of a claim's own steps, each in a file of its own.
func (o *outbox) perform(b *batch, r *received) {
	at := time.Duration(0)
	for i := range r.own {
		at += r.own[i].After
		o.do(b, r, &r.own[i], at)
	}
}

// do writes the message of a step. What the payer has decided by then is in r.stated.
func (o *outbox) do(b *batch, r *received, s *scenario.ClaimStep, at time.Duration) {
	of := []*received{r}
	remit := func(what string, all []remittance.Claim) { o.remit(what, at, b, r, r.Payer, all) }
	r.onLines = nil
	switch s.Do {
	case scenario.Accept:
		if s.By == clearing.SideClearinghouse {
			o.edited(b, of, at)
		} else {
			o.accepted(b, of, at)
		}
	case scenario.Reject:
		o.rejected(b, r, s, at)
	case scenario.RequestInformation:
		o.request(b, of, at)
	case scenario.Pay, scenario.Deny, scenario.ForwardClaim, scenario.Estimate:
		if s.Do == scenario.Estimate && !r.Predetermination {
			return
		}
		r.stated = whole(r.byStep(s, billing.DateOf(o.sent)))
		remit("payment", append(r.takeBack, r.stated...))
	case scenario.Reverse:
		if !r.Predetermination {
			remit("reversal", reversals(r.stated))
		}
		r.stated = nil
	case scenario.TakeBack:
		o.takeBack(b, r, at)
		r.stated = nil
	}
}

// reversals returns the reversals of claims.
func reversals(of []remittance.Claim) (all []remittance.Claim) {
	for i := range of {
		all = append(all, *of[i].Reversed())
	}
	return all
}

// byStep returns the payer's decision of a step.
func (r *received) byStep(s *scenario.ClaimStep, came billing.Date) *remittance.Claim {
	t := &terms{status: statusPrimary, contract: int64(100 - s.Terms.Allowed), patient: int64(s.Terms.Patient), rounds: true}
	switch s.Do { //nolint:exhaustive // the others pay
	case scenario.Deny:
		t = &terms{status: remittance.StatusDenied, refused: &remittance.Adjustment{Group: s.Group, Reason: s.Reason}}
	case scenario.ForwardClaim:
		t = elsewhere
	}
	c := decision(r, t, came)
	for i := range min(len(s.Lines), len(c.Services)) {
		l, line := &s.Lines[i], &c.Services[i]
		line.Adjustments, line.Remarks = nil, nil
		for _, a := range l.Adjustments {
			adjust(line, a.Group, a.Reason, a.Amount)
		}
		if rest := line.Charge - l.Paid - line.Adjusted("", ""); !l.Unbalanced {
			adjust(line, groupContract, reasonFee, rest)
		}
		line.Amounts = []remittance.Amount{{Qualifier: "B6", Amount: l.Allowed}}
		for _, code := range l.Remarks {
			line.Remarks = append(line.Remarks, remittance.Remark{Qualifier: "HE", Code: code})
		}
	}
	r.onLines = s.Lines
	settled := remittance.Remittance{Claims: []remittance.Claim{*c}}
	settled.Settle()
	return &settled.Claims[0]
}

// restate gives the lines of a remittance the payments that a step states, although they
// do not add up.
func (r *received) restate(to *remittance.Remittance) {
	for i := range to.Claims {
		c := &to.Claims[i]
		for k := range min(len(r.onLines), len(c.Services)) {
			if l := &r.onLines[k]; l.Unbalanced {
				more := l.Paid - c.Services[k].Paid
				c.Services[k].Paid, c.Paid, to.Total = l.Paid, c.Paid+more, to.Total+more
			}
		}
	}
}

// rejected writes a rejection with the codes of a step.
func (o *outbox) rejected(b *batch, r *received, s *scenario.ClaimStep, after time.Duration) {
	what, source := "payer", payerName([]*received{r})
	if s.By == clearing.SideClearinghouse {
		what, source = "clearinghouse", o.house(b)
	}
	l := o.letter(what, "277", after)
	o.report(l, acknowledgements.KindAcknowledgement, b, []*received{r}, source, func(r *received, c *acknowledgements.Claim) {
		stated := status(l.day(), actionReject, r.Charge(), acknowledgements.Code{})
		stated.Codes = nil
		for _, code := range s.Codes {
			category, number, _ := strings.Cut(code, ":")
			stated.Codes = append(stated.Codes, acknowledgements.Code{Category: category, Status: number})
		}
		c.Statuses = []acknowledgements.Status{stated}
	})
}

// takeBack writes a remittance without claims that takes the payment back.
func (o *outbox) takeBack(b *batch, r *received, after time.Duration) {
	if r.Predetermination {
		return
	}
	var paid billing.Money
	for i := range r.stated {
		paid += r.stated[i].Paid
	}
	r.withheld = []remittance.ProviderAdjustment{{
		Provider: payeeOf(&r.Billing).ID, Period: billing.Date{Year: o.sent.Year(), Month: time.December, Day: 31}, Reason: "WO",
		Reference: r.PatientControlNumber, Amount: paid,
	}}
	o.remit("payment", after, b, r, r.Payer, nil)
	r.withheld = nil
}

// longestOfClaim returns the length of the longest ending of the sandbox for claims in a
// member ID, or 0.
func longestOfClaim(memberID string) (most int) {
	for i := range claimScenarios {
		if e := claimScenarios[i].ending; strings.HasSuffix(strings.ToUpper(memberID), e) {
			most = max(most, len(e))
		}
	}
	return most
}

// isVoid reports whether the claim cancels one, which every payer accepts.
func isVoid(c *claims.Claim) bool { return c.Frequency == claims.FrequencyVoid }
