package remittance

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

const (
	set = "835"

	// maxBytes bounds a claim, and the segments before the first and after the last
	// claim. Each of these is held in memory. A claim of 999 lines has about a third
	// of a megabyte.
	maxBytes = 2 << 20
)

// Decoder reads payments. It holds one claim at a time.
type Decoder struct {
	in       *x12.Reader
	fields   x12.Fields
	unread   bool     // an amount of the segment
	payment  *Payment // nil outside a transaction set
	claim    *Claim   // nil outside a claim; else one of the two
	two      [2]Claim // the current claim, and the last one that was returned
	party    *Party   // the party of the N1 loop; nil outside
	within   Span     // the envelopes
	start    x12.Segment
	total    int          // ordinal of the BPR; 0 before it
	claims   int          // of the payment
	since    int          // offset of the CLP, or of the first segment outside claims
	payments int          // of the input
	listed   bool         // the header of the payment is over
	figures  bool         // read only the amounts of claims
	wrong    map[int]bool // offsets of the headers (ISA, GS, ST) whose trailers have wrong counts
	warnings x12.Warnings
	err      error
}

// NewDecoder returns a Decoder of r. The input may have several interchanges, and
// transaction sets other than 835.
func NewDecoder(r io.Reader) *Decoder {
	d := &Decoder{in: x12.NewReader(r, x12.Limits{SkipInvalid: true}), wrong: make(map[int]bool)}
	d.fields.Rules = x12.Rules{UpperCase: true, Fault: func(_ *x12.Segment, is string) { d.unread = d.unread || is == x12.FaultAmount }}
	return d
}

// NewBalancer returns a faster Decoder that only checks balances. Of claims, it reads
// CLP, SVC, CAS and AMT. The names, dates, references, contacts and remarks of
// claims stay empty. Of claims, only CLP and SVC add warnings.
func NewBalancer(r io.Reader) *Decoder {
	d := NewDecoder(r)
	d.figures = true
	return d
}

// Warnings returns the harmless faults found so far: at most a hundred of the
// envelopes and a hundred of the payments.
func (d *Decoder) Warnings() []x12.Warning {
	return append(slices.Clone(d.in.Warnings()), d.warnings...)
}

// Miscounted reports whether a count around the payment is wrong: that of its SE, or
// of the GE or IEA of its envelopes. It is complete once Next has returned io.EOF,
// because the trailers follow the payments.
func (d *Decoder) Miscounted(p *Payment) bool {
	return d.wrong[p.Span.Start] || d.wrong[p.Span.Group] || d.wrong[p.Span.Interchange]
}

// Next reads up to the first claim of the next payment. It skips the rest of the
// previous payment's claims. The error is io.EOF after the last payment of a
// complete input with at least one. Once one has failed, Next and NextClaim
// return the same error again.
func (d *Decoder) Next() (*Payment, error) {
	for d.payment != nil {
		if _, err := d.NextClaim(); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	var p *Payment
	for p == nil || d.payment != nil && d.claim == nil {
		if _, err := d.step(); err != nil {
			return nil, err
		}
		if p == nil {
			p = d.payment
		}
	}
	return p, nil
}

// NextClaim reads the next claim of the payment that Next returned last. The Claim
// and its lists are valid until the next call of Next or NextClaim; use Claim.Clone
// to keep them. Strings stay valid. The error is io.EOF after the payment's last
// claim. The payment is complete then.
func (d *Decoder) NextClaim() (*Claim, error) {
	for d.payment != nil {
		c, err := d.step()
		if c != nil || err != nil {
			return c, err
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	return nil, io.EOF
}

// step reads a segment. It returns a claim if the segment ends one.
func (d *Decoder) step() (*Claim, error) {
	if d.err != nil {
		return nil, d.err
	}
	s, err := d.in.Next()
	if err != nil {
		d.err = d.ending(err)
		d.payment, d.claim = nil, nil
		return nil, d.err
	}
	done, err := d.segment(s)
	if err != nil {
		d.err = err
		d.payment, d.claim = nil, nil
		return nil, err
	}
	return done, nil
}

// ending returns the error of Next at the end of the input.
func (d *Decoder) ending(err error) error {
	if e, ok := errors.AsType[*x12.Error](err); ok && e.Reason == x12.ReasonTrailing && d.payments > 0 {
		d.warnings.AddAt(e.Segment, e.Offset, e.Reason)
		return io.EOF
	}
	if errors.Is(err, io.EOF) && d.payments == 0 {
		return &x12.Error{Segment: 1, Reason: "there is no transaction set " + set}
	}
	return err
}

// segment handles a segment. Outside a payment, only an ST matters.
func (d *Decoder) segment(s *x12.Segment) (*Claim, error) {
	if d.payment == nil {
		d.outside(s)
		return nil, nil
	}
	if s.Offset-d.since > maxBytes {
		return nil, s.Fault("a claim, or the text outside claims, is too long")
	}
	switch s.ID {
	case "CLP":
		done, err := d.leaveClaim(s)
		if err == nil {
			d.enterClaim(s)
		}
		return done, err
	case "LX", "PLB":
		done, err := d.leaveClaim(s)
		if s.ID == "PLB" {
			d.plb(s)
		}
		return done, err
	case "SE":
		done, err := d.leaveClaim(s)
		if err == nil {
			d.end()
		}
		return done, err
	}
	if d.claim != nil {
		if !d.figures || s.ID == "SVC" || s.ID == "CAS" || s.ID == "AMT" {
			d.claimSegment(s)
		}
		return nil, nil
	}
	if d.listed {
		return nil, nil
	}
	return nil, d.header(s)
}

// outside handles a segment outside payments, which may start one or end an
// envelope.
func (d *Decoder) outside(s *x12.Segment) {
	switch s.ID {
	case "ISA":
		d.within.Interchange = s.Offset
	case "GS":
		d.within.Group = s.Offset
	case "ST":
		if d.in.Set().ID == set {
			d.begin(s)
		}
	case "GE":
		d.count(d.within.Group)
	case "IEA":
		d.count(d.within.Interchange)
	}
}

// count records whether the latest segment, the trailer of the header at the offset,
// has a wrong count.
func (d *Decoder) count(header int) {
	if d.in.Miscounted() {
		d.wrong[header] = true
	}
}

func (d *Decoder) begin(s *x12.Segment) {
	d.start, d.total, d.claims, d.since, d.party, d.listed = *s, 0, 0, s.Offset, nil, false
	d.payments++
	d.payment = &Payment{
		Interchange: d.in.Interchange(), Group: d.in.Group(), Control: d.in.Set().Control, Version: d.in.Set().Version,
		Span: Span{Start: s.Offset, Interchange: d.within.Interchange, Group: d.within.Group, Segment: s.Ordinal},
	}
	if d.payment.Version == "" {
		d.payment.Version = d.payment.Group.Version
	}
}

// leaveClaim ends the current claim, if any. It fails if no BPR came before it.
func (d *Decoder) leaveClaim(s *x12.Segment) (*Claim, error) {
	if d.total == 0 {
		return nil, d.start.Fault("the transaction set has no payment (BPR)")
	}
	done := d.claim
	d.claim, d.listed = nil, true
	if done != nil {
		d.since = s.Offset
		d.payment.Balance.weigh(done)
		if !d.figures {
			d.compare(done)
		}
	}
	return done, nil
}

// compare warns about amounts that usually agree, though the guide does not require
// it.
func (d *Decoder) compare(c *Claim) {
	if c.PatientResponsibility != nil && c.Status != StatusReversal && *c.PatientResponsibility != c.Adjusted(GroupPatient, "") {
		d.warnings.AddAt(c.Segment, c.Offset, "the patient's responsibility is not the sum of the patient's adjustments")
	}
	if len(c.Services) == 0 {
		return
	}
	var sum billing.Money
	for i := range c.Services {
		sum += c.Services[i].Charge
	}
	if sum != c.Charge {
		d.warnings.AddAt(c.Segment, c.Offset, "the charge of the claim is not the sum of its lines' charges")
	}
}

func (d *Decoder) end() {
	p := d.payment
	p.Span.End = d.in.Offset()
	d.count(p.Span.Start)
	p.Balance.conclude(p, d.total)
	d.payment = nil
}

// read prepares a segment for reading.
func (d *Decoder) read(s *x12.Segment) *x12.Fields {
	d.unread = false
	return d.fields.Read(s)
}

// header reads a segment before the first claim. The N1 loops describe the payer and
// the payee. A REF before them belongs to the payment.
func (d *Decoder) header(s *x12.Segment) error {
	f, p := d.read(s), d.payment
	switch s.ID {
	case "N1":
		d.party = &Party{} // discarded if it is neither payer nor payee
		switch strings.ToUpper(s.Element(1)) {
		case "PR":
			d.party = &p.Payer
		case "PE":
			d.party = &p.Payee
		}
		d.party.fields(f)
		return nil
	case "BPR":
		if d.total != 0 {
			return s.Fault("there is a second payment (BPR) in the transaction set")
		}
		d.total = s.Ordinal
	}
	if d.party != nil {
		d.party.loop(f)
	}
	if p.header(f); d.unread {
		return s.Fault("the amount of the payment (BPR02) cannot be read")
	}
	return nil
}

// plb reads the pairs of a PLB. Each has its own reference; slots may be empty.
func (d *Decoder) plb(s *x12.Segment) {
	b := &d.payment.Balance
	for n := 3; n <= s.Len(); n += 2 {
		if s.Element(n)+s.Element(n+1) == "" {
			continue
		}
		var a ProviderAdjustment
		f := d.read(s)
		a.provider(f)
		a.pair(f, n)
		if d.unread {
			b.Unread++
			b.add(Finding{Level: LevelPayment, Segment: s.Ordinal, Unread: true})
		}
		a.Reason = strings.ToUpper(a.Reason)
		d.payment.Adjustments = append(d.payment.Adjustments, a)
	}
}
