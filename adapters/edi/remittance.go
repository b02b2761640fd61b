package edi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Payments reads a whole 835 before it returns, so that a broken file is never
// posted in part. It decodes one claim at a time. The returned payments share the
// memory of content. Payments skips other transaction sets. It warns about wrong
// counts and other faults of the original file, because the envelopes of an extracted
// payment are new. A caller that accepts few payments sets most, so that a file of tiny
// ones costs little: 46,000 in 10 MB need a gigabyte.
func (c *Codec) Payments(name string, content []byte, most int) (all []remit.Remittance, err error) {
	defer refuse(&err)
	d := remittance.NewBalancer(bytes.NewReader(content))
	var read []*remittance.Payment
	for {
		p, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if most > 0 && len(all) == most {
			return nil, remit.ErrTooManyPayments
		}
		r, err := payment(d, p)
		if err != nil {
			return nil, err
		}
		r.File.Name = name
		all, read = append(all, r), append(read, p)
	}
	warn(d, read, all)
	c.warned("835", name, d.Warnings())
	if len(all) == 1 {
		all[0].Content, all[0].Balance = content, balanceOf(&read[0].Balance, 0)
		return all, nil
	}
	for i := range all {
		p := read[i]
		var err error
		if all[i].Content, err = remittance.Extract(content, p.Span); err != nil {
			return nil, err
		}
		all[i].Balance = balanceOf(&p.Balance, remittance.ExtractedSegment-p.Span.Segment)
	}
	return all, nil
}

// warn adds the decoder's warnings to the payments. A warning outside all transaction
// sets belongs to every payment of the file.
func warn(d *remittance.Decoder, read []*remittance.Payment, all []remit.Remittance) {
	say := func(r *remit.Remittance, w remit.WarningCode) {
		if w != "" {
			r.Warnings = add(r.Warnings, w)
		}
	}
	for i := range all {
		if d.Miscounted(read[i]) {
			say(&all[i], remit.WarnEnvelopeCounts)
		}
	}
	for _, w := range d.Warnings() {
		in := slices.IndexFunc(read, func(p *remittance.Payment) bool { return p.Span.Start <= w.Offset && w.Offset < p.Span.End })
		if in >= 0 {
			say(&all[in], warningCode(w.Reason))
			continue
		}
		for i := range all {
			say(&all[i], warningCode(w.Reason))
		}
	}
}

// warningCode returns the code of a decoder's warning. It returns an empty string for
// wrong counts, which Miscounted reports for each payment, and for amounts that the
// balance reports.
func warningCode(reason string) remit.WarningCode {
	switch reason {
	case x12.ReasonControl:
		return remit.WarnControlNumbers
	case x12.ReasonMIME, x12.ReasonTrailing:
		return remit.WarnTextOutside
	case x12.ReasonInvalid:
		return remit.WarnSegmentSkipped
	case remittance.ReasonProcedure:
		return remit.WarnProcedureFormat
	case remittance.ReasonResponsibility:
		return remit.WarnAmountUnreadable
	default:
		return ""
	}
}

// payment reads the claims of a payment to check its balance. It returns the payment
// without its claims.
func payment(d *remittance.Decoder, p *remittance.Payment) (remit.Remittance, error) {
	var outline remit.Outline
	var storage arena
	for {
		c, err := d.NextClaim()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return remit.Remittance{}, err
		}
		outline.Add(storage.again().claim(p, c))
	}
	r := remit.Remittance{
		PayerIDs: payerIDs(p),
		PayeeNPI: clip(keep(p.Payee.NPI(), isDigit)), PayeeTaxID: clip(keep(p.Payee.TaxID(), isDigit)), PayeeName: clip(p.Payee.Name),
	}
	r.PayerName, r.File.ControlNumbers = p.Payer.Name, controlNumbers(p)
	r.Payment = remit.Payment{
		Method: clip(p.Method), TraceNumber: clip(p.Trace.Number), Date: p.Date, Total: p.Total, ProviderAdjustmentsTotal: p.AdjustmentsTotal(),
		Account: remit.LastFour(p.Account),
	}
	for _, a := range p.Adjustments {
		r.ProviderAdjustments = append(r.ProviderAdjustments, remit.ProviderAdjustment{
			ProviderID: a.Provider, Reason: a.Reason, Reference: a.Reference, PeriodEnd: a.Period, Amount: a.Amount,
		})
	}
	outline.Close(r.Payment, r.ProviderAdjustments)
	r.Outline, r.Identity = outline, identity(p, outline.Figures)
	r.Balanced, r.ClaimCount = p.Balance.Holds(), p.Balance.Claims.Checked
	return r, nil
}

// controlNumbers returns the payment's control numbers, padded like ISA13.
func controlNumbers(p *remittance.Payment) clearing.ControlNumbers {
	n := clearing.ControlNumbers{Transaction: clip(p.Control)}
	if p.Interchange.Control > 0 {
		n.Interchange = fmt.Sprintf("%0*d", maxControl, p.Interchange.Control)
	}
	if p.Group.Control > 0 {
		n.Group = strconv.Itoa(p.Group.Control)
	}
	return n
}

// payerIDs returns the payer's identifiers, most useful for a look-up first. These
// are its ID, its payer number, and its number at the bank (TRN03). TRN03 is
// usually 1 and a tax ID.
func payerIDs(p *remittance.Payment) (all []string) {
	ids := []string{p.Payer.ID}
	for _, r := range p.Payer.References {
		if r.Qualifier == "2U" {
			ids = append(ids, r.Value)
		}
	}
	ids = append(ids, p.Trace.Originator)
	if rest, ok := strings.CutPrefix(p.Trace.Originator, "1"); ok && len(rest) == 9 {
		ids = append(ids, rest)
	}
	for _, id := range ids {
		if id = clip(strings.ToUpper(id)); id != "" {
			all = add(all, id)
		}
	}
	return all
}

// balanceOf translates the balance of a payment, level by level. A level with an
// unreadable amount does not balance. Further is added to each segment ordinal, so
// that it is a position in the stored file.
func balanceOf(b *remittance.Balance, further int) remit.Balance {
	to := remit.Balance{
		Payment: remit.LevelBalance{Checked: 1, Off: max(b.Payment.Off(), -b.Payment.Off())},
		Claims:  remit.LevelBalance(b.Claims), Lines: remit.LevelBalance(b.Lines),
	}
	if !b.Payment.Holds() {
		to.Payment.Failed = 1
	}
	for i := range b.Findings {
		f := b.Findings[i]
		f.ControlNumber, f.Segment = clip(f.ControlNumber), f.Segment+further
		if f.Level == remittance.LevelPayment {
			to.Payment.Failed = 1
		}
		one := remit.BalanceFinding{
			Level: string(f.Level), Claim: f.Claim, ControlNumber: f.ControlNumber, Line: f.Line, Segment: f.Segment, Unread: f.Unread,
			Explanation: f.String(),
		}
		if !f.Unread {
			one.Expected, one.Stated, one.Off = f.Due(), f.Stated, f.Off()
		}
		to.Findings = append(to.Findings, one)
	}
	if !b.Holds() && to.Payment.Failed+to.Claims.Failed+to.Lines.Failed == 0 {
		to.Payment.Failed = 1
	}
	return to
}
