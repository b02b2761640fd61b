package edi

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Claims returns the claims of the content, which holds one payment. It stops after
// an error.
func (c *Codec) Claims(content []byte) iter.Seq2[*remit.Claim, error] {
	return func(yield func(*remit.Claim, error) bool) {
		d := remittance.NewDecoder(bytes.NewReader(content))
		p, err := d.Next()
		if err != nil {
			yield(nil, err)
			return
		}
		for {
			claim, err := d.NextClaim()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(remittanceClaim(p, claim), nil) {
				return
			}
		}
		switch second, err := d.Next(); {
		case err == nil:
			yield(nil, &x12.Error{Offset: second.Span.Start, Reason: "there is a second payment (835)"})
		case !errors.Is(err, io.EOF):
			yield(nil, err)
		default:
			c.warned("claims of an 835", p.Control, d.Warnings())
		}
	}
}

func remittanceClaim(p *remittance.Payment, c *remittance.Claim) *remit.Claim {
	return newArena(c).claim(p, c)
}

// claim returns the claim in the storage of the arena.
func (r *arena) claim(p *remittance.Payment, c *remittance.Claim) *remit.Claim {
	r.of = remit.Claim{
		Ordinal: c.Ordinal, ControlNumber: clip(c.ControlNumber), PayerClaimNumber: clip(c.PayerControlNumber),
		Original: clip(c.Reference("F8")), StatusCode: clip(c.Status), Charge: c.Charge, Paid: c.Paid,
		Allowed: allowed(c), PatientResponsibility: c.PatientResponsibility,
		ServiceDates: serviceDates(c), Date: p.Date, Balanced: c.Balanced(),
		Adjustments: r.adjusted(c.Adjustments), Remarks: c.Remarks(),
	}
	identify(&r.of, c.Names)
	for i := range c.Services {
		r.lines = append(r.lines, remit.Line{})
		r.line(&r.lines[len(r.lines)-1], &c.Services[i])
	}
	r.of.Lines = since(r.lines, 0)
	return &r.of
}

// arena holds the shared storage for a claim's lists. Each list is a slice of it. One
// allocation of each kind is faster than one for every line.
type arena struct {
	of          remit.Claim
	lines       []remit.Line
	adjustments []remit.Adjustment
	amounts     []billing.Money
	remarks     []string
}

func newArena(c *remittance.Claim) *arena {
	adjustments, remarks := len(c.Adjustments), 0
	for i := range c.Services {
		adjustments += len(c.Services[i].Adjustments)
		remarks += len(c.Services[i].Remarks)
	}
	return &arena{
		lines:       make([]remit.Line, 0, len(c.Services)),
		adjustments: make([]remit.Adjustment, 0, adjustments), amounts: make([]billing.Money, 0, len(c.Services)), remarks: make([]string, 0, remarks),
	}
}

// again empties the arena for another claim, which takes the place of the last one.
func (r *arena) again() *arena {
	r.lines, r.adjustments, r.amounts, r.remarks = r.lines[:0], r.adjustments[:0], r.amounts[:0], r.remarks[:0]
	return r
}

func (r *arena) adjusted(all []remittance.Adjustment) []remit.Adjustment {
	start := len(r.adjustments)
	for i := range all {
		r.adjustments = append(r.adjustments, remit.Adjustment(all[i]))
	}
	return since(r.adjustments, start)
}

func (r *arena) line(l *remit.Line, s *remittance.Service) {
	l.ControlNumber, l.ProcedureCode, l.ServiceDate = clip(s.Reference("6R")), s.Procedure.Code, s.Date()
	l.Charge, l.Paid, l.Units, l.Adjustments = s.Charge, s.Paid, s.Units, r.adjusted(s.Adjustments)
	if s.Submitted.Code != s.Procedure.Code {
		l.SubmittedCode = s.Submitted.Code
	}
	if m, ok := s.Amount("B6"); ok {
		r.amounts = append(r.amounts, m)
		l.Allowed = &r.amounts[len(r.amounts)-1]
	}
	start := len(r.remarks)
	for _, remark := range s.Remarks {
		if remark.Code != "" {
			r.remarks = append(r.remarks, remark.Code)
		}
	}
	l.Remarks = since(r.remarks, start)
}

// since returns the elements from start on, or nil if there are none. The slice has
// no spare capacity, so appending to it does not overwrite the storage.
func since[T any](all []T, start int) []T {
	if start == len(all) {
		return nil
	}
	return all[start:len(all):len(all)]
}

// allowed returns the allowed amount of a claim. If every line states one (AMT*B6),
// it is their sum. Otherwise it is the claim's own amount, which most payers send
// as AU and some as B6.
func allowed(c *remittance.Claim) *billing.Money {
	var sum billing.Money
	stated := len(c.Services) > 0
	for i := range c.Services {
		m, ok := c.Services[i].Amount("B6")
		stated = stated && ok
		sum += m
	}
	if stated {
		return &sum
	}
	for _, qualifier := range []string{"B6", "AU"} {
		if m, ok := c.Amount(qualifier); ok {
			return &m
		}
	}
	return nil
}

// identify reads the patient, the subscriber's member ID, the corrected patient, and the
// payer that the claim was forwarded to. The first of each counts. Without a
// subscriber, the patient has the member ID.
func identify(r *remit.Claim, all []remittance.Name) {
	member := ""
	for i := len(all) - 1; i >= 0; i-- {
		switch n := &all[i]; n.Entity {
		case "QC":
			r.PatientFirstName, r.PatientLastName, r.MemberID = n.First, n.Last, clip(n.ID)
		case "IL":
			member = clip(n.ID)
		case "74":
			if n.First+n.Last+n.ID != "" {
				r.CorrectedPatient = &remit.CorrectedPatient{FirstName: n.First, LastName: n.Last, MemberID: clip(n.ID)}
			}
		case "TT":
			if n.Last+n.ID != "" {
				r.CrossoverPayer = &remit.CrossoverPayer{Name: n.Last, ID: clip(n.ID)}
			}
		}
	}
	if member != "" {
		r.MemberID = member
	}
}

// serviceDates returns the service dates of the claim (DTM 232 and 233). If the claim
// has none, it returns the span of its lines' dates.
func serviceDates(c *remittance.Claim) (span billing.DateSpan) {
	if span = (billing.DateSpan{From: c.Date("232"), To: c.Date("233")}); span.To.Before(span.From) {
		span.To = span.From
	}
	if !span.From.IsZero() {
		return span
	}
	span = billing.DateSpan{}
	for i := range c.Services {
		span = span.Including(c.Services[i].Date())
	}
	return span
}
