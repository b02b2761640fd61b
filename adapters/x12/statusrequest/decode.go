package statusrequest

import (
	"bytes"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing"
)

// limits are far above an inquiry about one patient.
//
//nolint:gochecknoglobals // a constant; Go has none of struct type
var limits = x12.Limits{Bytes: 1 << 20, Segments: 5_000}

// maxResponse is the size of the longest response that is read. A payer returns a few claims.
const maxResponse = 4 << 20

// maxAmount is a bound for a bad file.
const maxAmount = billing.Money(1_000_000_000_000_00)

// Decode reads a 276 about one patient. The error is an *x12.Error.
func Decode(b []byte) (*Inquiry, error) {
	d := &decoder{Reader: x12.NewReader(bytes.NewReader(b), limits)}
	d.fields.Rules = x12.Rules{Most: maxAmount, Fault: d.warn}
	if err := d.Each(d.take); err != nil {
		return nil, err
	}
	switch {
	case d.start.Ordinal == 0:
		return nil, &x12.Error{Segment: 1, Reason: "there is no transaction set 276"}
	case !d.subscriber:
		return nil, d.start.Fault("the inquiry names no subscriber")
	}
	d.inquiry.Warnings = append(d.inquiry.Warnings, d.Warnings()...)
	return &d.inquiry, nil
}

// DecodeResponse reads the 277s of a response. An acknowledgement of claims or a request of
// its own is no response. The error is an *x12.Error.
func DecodeResponse(b []byte) ([]acknowledgements.Report, []x12.Warning, error) {
	if len(b) > maxResponse {
		return nil, nil, &x12.Error{Segment: 1, Reason: "the response is too long"}
	}
	all, warnings, err := acknowledgements.DecodeReports(bytes.NewReader(b))
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		if all[i].Kind != acknowledgements.KindResponse {
			return nil, nil, &x12.Error{Segment: 1, Reason: "the transaction set 277 does not respond to an inquiry"}
		}
	}
	return all, warnings, nil
}

// decoder reads the segments of one transaction set. The pointers mark the current position.
type decoder struct {
	*x12.Reader
	fields  x12.Fields
	inquiry Inquiry

	start      x12.Segment // the ST; zero before it
	at         string      // HL03 of the loop; empty before the first
	subscriber bool        // the subscriber's level was seen
	person     *Person     // nil above the subscriber
	claim      *Claim      // nil before the first TRN
	line       *Line       // nil outside lines
}

func (d *decoder) warn(s *x12.Segment, is string) {
	d.inquiry.Warnings = append(d.inquiry.Warnings, x12.Warning{Segment: s.Ordinal, Offset: s.Offset, Reason: is})
}

func (d *decoder) take(s *x12.Segment) error {
	switch {
	case d.Set().ID != "276":
	case s.ID == "ST" && d.start.Ordinal != 0:
		return s.Fault("there is a second transaction set 276")
	case s.ID == "ST":
		d.start = *s
		d.inquiry.Interchange, d.inquiry.Group = d.Interchange(), d.Group()
	case x12.IsEnvelope(s.ID):
	case s.ID == "BHT":
		d.inquiry.header(d.fields.Read(s))
	case s.ID == "HL":
		return d.hl(s)
	case s.ID == "NM1":
		if to := d.name(); to != nil && *to == (Name{}) {
			to.Fields(d.fields.Read(s))
		}
	default:
		d.detail(s)
	}
	return nil
}

// hl enters the loop that HL03 names.
func (d *decoder) hl(s *x12.Segment) error {
	d.at, d.person, d.claim, d.line = s.Element(3), nil, nil, nil
	switch d.at {
	case levelSource, levelReceiver, levelProvider:
		if d.subscriber {
			return s.Fault("there is more than one subscriber or dependent")
		}
	case levelSubscriber:
		if d.subscriber {
			return s.Fault("there is more than one subscriber or dependent")
		}
		d.subscriber, d.person = true, &d.inquiry.Subscriber
	case levelDependent:
		if !d.subscriber || d.inquiry.Dependent != nil || len(d.inquiry.Claims) > 0 {
			return s.Fault("there is more than one subscriber or dependent")
		}
		d.inquiry.Dependent = &Person{}
		d.person = d.inquiry.Dependent
	default:
		return s.Fault("the hierarchical level (HL03) is unknown")
	}
	return nil
}

// name returns the name that an NM1 of the loop states.
func (d *decoder) name() *Name {
	switch {
	case d.person != nil:
		return &d.person.Name
	case d.at == levelSource:
		return &d.inquiry.Payer
	case d.at == levelReceiver:
		return &d.inquiry.Receiver
	case d.at == levelProvider:
		return &d.inquiry.Provider
	}
	return nil
}

// detail reads a segment of a person, a claim or a line. It ignores segments that have no
// field.
func (d *decoder) detail(s *x12.Segment) {
	if d.person == nil {
		return
	}
	f := d.fields.Read(s)
	switch {
	case s.ID == "TRN":
		d.inquiry.Claims = append(d.inquiry.Claims, Claim{Trace: s.Element(2)})
		d.claim, d.line = &d.inquiry.Claims[len(d.inquiry.Claims)-1], nil
	case d.claim == nil:
		d.person.loop(f)
	case s.ID == "SVC":
		d.claim.Lines = append(d.claim.Lines, Line{})
		d.line = &d.claim.Lines[len(d.claim.Lines)-1]
		f.Segment("SVC")
		d.line.fields(f)
	case d.line != nil:
		d.line.loop(f)
	default:
		d.claim.loop(f)
	}
}
