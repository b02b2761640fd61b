package edi

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strconv"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// Claims gives the claims of the one payment of the content. After an error
// nothing more comes.
func (*Codec) Claims(content []byte) iter.Seq2[*billing.ERAClaim, error] {
	return func(yield func(*billing.ERAClaim, error) bool) {
		d := remittance.NewDecoder(bytes.NewReader(content))
		p, err := d.Next()
		if err != nil {
			yield(nil, err)
			return
		}
		for {
			c, err := d.NextClaim()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(eraClaim(p, c), nil) {
				return
			}
		}
		switch p, err := d.Next(); {
		case err == nil:
			yield(nil, &x12.Error{Offset: p.Span.Start, Reason: "there is a second payment (835)"})
		case !errors.Is(err, io.EOF):
			yield(nil, err)
		}
	}
}

func eraClaim(p *remittance.Payment, c *remittance.Claim) *billing.ERAClaim {
	patient := c.Name("QC")
	r := &billing.ERAClaim{
		Ordinal: c.Ordinal, ControlNumber: clip(c.ControlNumber), PayerClaimNumber: clip(c.PayerControlNumber),
		Original: clip(c.Reference("F8")), StatusCode: clip(c.Status), Charge: c.Charge, Paid: c.Paid,
		Allowed: allowed(c), PatientResponsibility: c.PatientResponsibility,
		PatientFirstName: patient.First, PatientLastName: patient.Last, MemberID: memberOf(c, patient),
		ServiceDates: serviceDates(c), Date: p.Date, Balanced: c.Balanced(),
		Adjustments: adjustments(c.Adjustments), Remarks: c.Remarks(),
	}
	if len(c.Services) > 0 {
		r.Lines = make([]billing.ERALine, len(c.Services))
	}
	for i := range c.Services {
		r.Lines[i] = eraLine(&c.Services[i], i+1)
	}
	return r
}

func eraLine(s *remittance.Service, place int) billing.ERALine {
	l := billing.ERALine{
		Number: lineNumber(s.Reference("6R"), place), ProcedureCode: s.Procedure.Code,
		ServiceDate: s.Date(), Charge: s.Charge, Paid: s.Paid, Units: s.Units, Adjustments: adjustments(s.Adjustments),
	}
	if s.Submitted.Code != s.Procedure.Code {
		l.SubmittedCode = s.Submitted.Code
	}
	if m, ok := s.Amount("B6"); ok {
		l.Allowed = &m
	}
	for _, r := range s.Remarks {
		if r.Code != "" {
			l.Remarks = append(l.Remarks, r.Code)
		}
	}
	return l
}

// maxLines is how many lines a claim of ours has at most.
const maxLines = 50

// lineNumber is the number that a line was billed under, which payers repeat.
// Others than ours make numbers up, in words or far too long.
func lineNumber(told string, place int) int {
	if keep(told, isDigit) == told {
		if n, err := strconv.Atoi(told); err == nil && n >= 1 && n <= maxLines {
			return n
		}
	}
	return place
}

// allowed is what the plan recognises of the charge: the sum of the lines', when
// each tells it (AMT B6), else the claim's own, of which some payers tell it as
// B6 and most as what is covered (AU).
func allowed(c *remittance.Claim) *billing.Money {
	var sum billing.Money
	told := len(c.Services) > 0
	for i := range c.Services {
		m, ok := c.Services[i].Amount("B6")
		told = told && ok
		sum += m
	}
	if told {
		return &sum
	}
	for _, qualifier := range []string{"B6", "AU"} {
		if m, ok := c.Amount(qualifier); ok {
			return &m
		}
	}
	return nil
}

// memberOf is the member ID: the subscriber's, whom the claim names when the
// patient is another.
func memberOf(c *remittance.Claim, patient remittance.Name) string {
	if id := c.Name("IL").ID; id != "" {
		return clip(id)
	}
	return clip(patient.ID)
}

// serviceDates are the claim's (DTM 232 and 233), else from the first to the
// last of its lines'.
func serviceDates(c *remittance.Claim) (span billing.DateSpan) {
	if span = (billing.DateSpan{From: c.Date("232"), To: c.Date("233")}); span.To.Before(span.From) {
		span.To = span.From
	}
	if !span.From.IsZero() {
		return span
	}
	span = billing.DateSpan{}
	for i := range c.Services {
		day := c.Services[i].Date()
		if day.IsZero() {
			continue
		}
		if span.From.IsZero() || day.Before(span.From) {
			span.From = day
		}
		if span.To.IsZero() || span.To.Before(day) {
			span.To = day
		}
	}
	return span
}

func adjustments(all []remittance.Adjustment) []billing.Adjustment {
	if len(all) == 0 {
		return nil
	}
	to := make([]billing.Adjustment, len(all))
	for i, a := range all {
		to[i] = billing.Adjustment(a)
	}
	return to
}
