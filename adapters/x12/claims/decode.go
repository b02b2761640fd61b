package claims

import (
	"io"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// limits are far above the 5,000 claims that the guide recommends.
//
//nolint:gochecknoglobals // a constant; Go has none of struct type
var limits = x12.Limits{Bytes: 256 << 20, Segments: 5_000_000}

// Decode reads the 837s of a file, one Batch for each transaction set. Warnings are
// harmless faults. The error is an *x12.Error, or the reader's.
func Decode(r io.Reader) ([]Batch, []x12.Warning, error) {
	d := decoder{Reader: x12.NewReader(r, limits)}
	d.fields.Rules = x12.Rules{FirstOfTwo: true, Most: maxAmount, Fault: d.refuse}
	err := d.Each(func(s *x12.Segment) error {
		if err := d.segment(s); d.fault == nil {
			return err
		}
		return d.fault
	})
	if err != nil {
		return nil, nil, err
	}
	if len(d.batches) == 0 {
		return nil, nil, &x12.Error{Segment: 1, Reason: "there is no transaction set 837"}
	}
	return d.batches, append(d.warnings, d.Warnings()...), nil
}

// Bounds for a bad file. No real file of claims exceeds them.
const (
	maxLines  = 999
	maxAmount = billing.Money(1_000_000_000_00)
)

// decoder reads the segments. Next has the data of the current levels for the next
// CLM. Claim and line are the current ones.
type decoder struct {
	*x12.Reader
	fields   x12.Fields
	fault    *x12.Error // of a value
	batches  []Batch
	warnings x12.Warnings

	batch  *Batch
	level  string // HL03; empty before the first
	next   Claim
	claim  *Claim
	line   *Line
	head   claimHead
	others bool        // inside the loops of other payers (2320)
	other  *OtherPayer // the current one, or nil if it is one too many
}

// refuse makes a value the fault of the file, unless there is another before it.
func (d *decoder) refuse(s *x12.Segment, reason string) {
	if d.fault == nil {
		d.fault = s.Fault(reason)
	}
}

// claimHead holds the data of a claim that comes before its lines.
type claimHead struct {
	segment, offset int // of the CLM
	charge          billing.Money
}

func (h claimHead) fault(reason string) *x12.Error {
	return &x12.Error{Segment: h.segment, Offset: h.offset, Reason: reason}
}

func (d *decoder) segment(s *x12.Segment) error {
	f := d.fields.Read(s)
	switch {
	case s.ID == "ST" && d.Set().ID == "837":
		*d = decoder{Reader: d.Reader, fields: d.fields, batches: append(d.batches, d.newBatch()), warnings: d.warnings}
		d.batch = &d.batches[len(d.batches)-1]
		return nil
	case d.batch == nil || s.ID == "ST":
		return nil
	}
	switch s.ID {
	case "SE":
		return d.endBatch(s)
	case "GE", "IEA", "GS", "ISA", "TA1":
		return nil
	case "BHT":
		d.batch.header(f)
		return nil
	case "HL":
		return d.hl(s)
	case "CLM":
		return d.clm(s)
	case "SBR":
		d.sbr(s)
		return nil
	case "LX":
		d.others, d.line = false, nil
		f.Enter("")
		return nil
	case "SV1", "SV2", "SV4", "SV5":
		return s.Fault("the service must be a dental service (SV3)")
	case "SV3":
		return d.sv3(s)
	case "NM1":
		f.Enter(s.Element(1))
	}
	switch {
	case d.line != nil:
		return d.inLine(s)
	case d.others:
		if d.other != nil {
			d.other.loop(f, false)
		}
	case d.claim != nil:
		d.inClaim(s)
	default:
		d.inLevel(s)
	}
	return nil
}

func (d *decoder) newBatch() Batch {
	return Batch{Interchange: d.Interchange(), Group: d.Group(), Control: d.Set().Control}
}

func (d *decoder) endBatch(s *x12.Segment) error {
	if err := d.endClaim(); err != nil {
		return err
	}
	if len(d.batch.Claims) == 0 {
		return s.Fault("the transaction set has no claim (CLM)")
	}
	d.batch = nil
	return nil
}

// hl enters a level. It ends the earlier levels below the same parent.
func (d *decoder) hl(s *x12.Segment) error {
	if err := d.endClaim(); err != nil {
		return err
	}
	above := d.level
	d.level = s.Element(3)
	d.fields.Enter("")
	switch d.level {
	case levelBilling:
		d.next = Claim{}
	case levelSubscriber:
		if above == "" {
			return s.Fault("a subscriber stands outside a billing provider (HL)")
		}
		d.next = Claim{Billing: d.next.Billing, PayTo: d.next.PayTo}
	case levelPatient:
		if above != levelSubscriber && above != levelPatient {
			return s.Fault("a patient stands outside a subscriber (HL)")
		}
		d.next.Patient = &Patient{}
	default:
		return s.Fault("the hierarchical level (HL03) must be a billing provider, subscriber or patient")
	}
	return nil
}

// inLevel reads a segment of the header, or of a level before its claims.
func (d *decoder) inLevel(s *x12.Segment) {
	f, c := &d.fields, &d.next
	d.batch.header(f)
	if d.level == levelBilling && s.Element(1) == "BI" {
		specialty(f, "BI", &c.Billing.Taxonomy)
	}
	c.Billing.loop(f)
	c.payTo(f)
	c.parties(f)
	if c.Patient != nil {
		c.Patient.loop(f)
	}
	demographics(f, new(billing.Date), new(string)) // a date of birth must exist, even under another party
}

// sbr reads the plan of the claim's payer, or starts another payer of a claim. Those above
// MaxOtherPayers are skipped.
func (d *decoder) sbr(s *x12.Segment) {
	f, c := &d.fields, d.claim
	if c == nil {
		n := &d.next
		plan(f, &n.Coverage, "", &n.Subscriber.GroupNumber, &n.Subscriber.GroupName, &n.FilingIndicator)
		return
	}
	d.others, d.other, d.line = true, nil, nil
	f.Enter("")
	if len(c.OtherPayers) >= MaxOtherPayers {
		return
	}
	var o OtherPayer
	if o.Relationship = s.Element(2); o.Relationship != "" && o.Relationship != RelationSelf {
		o.Relationship = relationshipOf(o.Relationship)
	}
	plan(f, &o.Coverage, "", &o.GroupNumber, &o.GroupName, &o.FilingIndicator)
	c.OtherPayers = append(c.OtherPayers, o)
	d.other = &c.OtherPayers[len(c.OtherPayers)-1]
}
