package claims

import (
	"cmp"

	"github.com/molar-billing/molar/adapters/x12"
)

// otherPayer writes loops 2320, 2330A and 2330B.
func (e *encoder) otherPayer(c *Claim, o *OtherPayer) {
	e.plan(cmp.Or(code(o.Coverage), coverageUnknown), code(o.Relationship), o.GroupNumber, o.GroupName, o.FilingIndicator)
	e.adjustments(o.Adjustments)
	if o.Paid != nil {
		e.amount("D", *o.Paid)
	}
	if o.Remaining != nil {
		e.amount("EAF", *o.Remaining)
	}
	e.Segment("OI", "", "", cmp.Or(code(o.BenefitsAssigned), BenefitsToProvider), "", "", cmp.Or(code(o.Release), ReleaseSigned))
	s := &o.Subscriber
	e.person("IL", name{s.FirstName, s.MiddleName, s.LastName, s.Suffix}, "MI", x12.Clip(s.MemberID, maxID))
	e.address(addressOf(s.Address))
	id := x12.Clip(o.Payer.PayerID, maxID)
	e.organization("PR", o.Payer.Name, "PI", id)
	if !datedIn(c.Lines, id) {
		e.date("573", o.PaymentDate)
	}
	e.reference("F8", x12.Clip(o.PayerClaimNumber, maxReference))
}

// datedIn reports whether a line states when the payer adjudicated it.
func datedIn(lines []Line, payer x12.Element) bool {
	for i := range lines {
		l := &lines[i]
		for j := range l.Adjudications[:min(len(l.Adjudications), MaxAdjudications)] {
			if a := &l.Adjudications[j]; !a.PaymentDate.IsZero() && x12.Clip(a.PayerID, maxID) == payer && payer != "" {
				return true
			}
		}
	}
	return false
}

// adjudication writes loop 2430. Without a payer's ID it would say nothing.
func (e *encoder) adjudication(l *Line, a *Adjudication) {
	payer := x12.Clip(a.PayerID, maxID)
	if payer == "" {
		return
	}
	procedure := cmp.Or(x12.Clip(a.Procedure, maxProcedure), x12.Clip(l.Procedure, maxProcedure))
	e.Segment("SVD", payer, x12.Cents(int64(a.Paid)), x12.Composite("AD", procedure), "", x12.Int(max(a.Quantity, 0)))
	e.adjustments(a.Adjustments)
	e.date("573", a.PaymentDate)
}

// perCAS is the number of adjustments that one CAS can state.
const perCAS = 6

// adjustments writes the CAS of a level, at most MaxAdjustments. The adjustments of a
// group stand together, at the place of the group's first one.
func (e *encoder) adjustments(all []Adjustment) {
	room := MaxAdjustments
	for i := range all {
		group := code(all[i].Group)
		if group == "" || contains(all[:i], group) {
			continue
		}
		elements, n := [1 + 3*perCAS]x12.Element{group}, 1
		for j := i; j < len(all) && room > 0; j++ {
			a := &all[j]
			reason := x12.Clip(a.Reason, maxReason)
			if reason == "" || code(a.Group) != group {
				continue
			}
			elements[n], elements[n+1], elements[n+2] = reason, x12.Cents(int64(a.Amount)), x12.Clip(a.Quantity, maxQuantity)
			if n += 3; n == len(elements) {
				e.Segment("CAS", elements[:]...)
				room, n = room-1, 1
			}
		}
		if n > 1 {
			e.Segment("CAS", elements[:n]...)
			room--
		}
	}
}

// contains reports whether one of the adjustments has the group.
func contains(all []Adjustment, group x12.Element) bool {
	for i := range all {
		if code(all[i].Group) == group {
			return true
		}
	}
	return false
}
