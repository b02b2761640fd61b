package acknowledgements

import (
	"io"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// The codes of HL03. Claims are in the level of a patient, a subscriber or a
// dependent.
const (
	levelSource     = "20"
	levelReceiver   = "21"
	levelProvider   = "19"
	levelPatient    = "PT"
	levelSubscriber = "22"
	levelDependent  = "23"
)

// DecodeReports reads the 277s of a file and returns a Report for each. Warnings are
// harmless faults, such as a date that does not exist.
func DecodeReports(r io.Reader) ([]Report, []x12.Warning, error) {
	d := reportDecoder{Reader: x12.NewReader(r, limits)}
	if err := d.Each(d.take); err != nil && !x12.Ended(err) {
		return nil, nil, err
	}
	if len(d.reports) == 0 {
		return nil, nil, &x12.Error{Segment: 1, Reason: "there is no transaction set 277"}
	}
	return d.reports, append(d.warnings, d.Warnings()...), nil
}

// maxAmount is a bound for a bad file.
const maxAmount = billing.Money(1_000_000_000_000_00)

// reportDecoder reads the segments. The pointers mark the current position. Level is
// the source, receiver or provider. Claim and line are nil outside claims and lines.
type reportDecoder struct {
	*x12.Reader
	fields   x12.Fields
	reports  []Report
	warnings x12.Warnings

	report *Report // nil outside a 277
	hasSTC bool    // a status was seen
	source *Source
	level  *Level
	where  string // HL03 of level
	claim  *Claim
	number bool // the claim has its TRN
	line   *Line
}

func (d *reportDecoder) take(s *x12.Segment) error {
	switch {
	case s.ID == "ST" && d.Set().ID == "277":
		d.begin()
	case d.report == nil || s.ID == "ST":
	case s.ID == "SE":
		if !d.hasSTC {
			return s.Fault("the transaction set has no status (STC)")
		}
		d.report = nil
	case s.ID == "BHT":
		d.report.header(d.fields.Read(s), "", "")
		d.report.Kind = kindOf(d.report.Version, s.Element(6))
	case s.ID == "HL":
		return d.hl(s)
	default:
		d.inLevel(s)
	}
	return nil
}

func (d *reportDecoder) begin() {
	r := Report{Interchange: d.Interchange(), Group: d.Group(), Control: d.Set().Control, Version: d.Set().Version}
	if r.Version == "" {
		r.Version = r.Group.Version
	}
	r.Kind = kindOf(r.Version, "")
	*d = reportDecoder{Reader: d.Reader, reports: append(d.reports, r), warnings: d.warnings}
	d.report = &d.reports[len(d.reports)-1]
	d.fields.Rules = x12.Rules{Most: maxAmount, Fault: d.warnings.Add}
}

// kindOf returns the kind of a 277 by its guide, or by BHT06 if the guide is unknown.
func kindOf(version, transaction string) Kind {
	switch {
	case strings.Contains(version, "X214"):
		return KindAcknowledgement
	case strings.Contains(version, "X213"), strings.Contains(version, "X313"):
		return KindRequest
	case strings.Contains(version, "X"):
		return KindResponse
	case transaction == "TH":
		return KindAcknowledgement
	case transaction == "RQ":
		return KindRequest
	default:
		return KindResponse
	}
}

// hl enters a level. It adds any parent levels that the sender omitted.
func (d *reportDecoder) hl(s *x12.Segment) error {
	at := s.Element(3)
	before := d.claim
	d.where, d.claim, d.line, d.number = at, nil, nil, false
	switch at {
	case levelSource:
		d.report.Sources = append(d.report.Sources, Source{})
		d.source = &d.report.Sources[len(d.report.Sources)-1]
		d.level = &d.source.Level
	case levelReceiver:
		d.level = &d.newReceiver().Level
	case levelProvider:
		d.level = &d.newProvider().Level
	case levelPatient, levelSubscriber, levelDependent:
		d.newClaim(s, before, at)
	default:
		return s.Fault("the hierarchical level (HL03) is unknown")
	}
	return nil
}

func (d *reportDecoder) newReceiver() *Receiver {
	if d.source == nil {
		d.report.Sources = append(d.report.Sources, Source{})
		d.source = &d.report.Sources[len(d.report.Sources)-1]
	}
	d.source.Receivers = append(d.source.Receivers, Receiver{})
	return &d.source.Receivers[len(d.source.Receivers)-1]
}

func (d *reportDecoder) newProvider() *Provider {
	r := d.lastReceiver()
	r.Providers = append(r.Providers, Provider{})
	return &r.Providers[len(r.Providers)-1]
}

func (d *reportDecoder) lastReceiver() *Receiver {
	if d.source == nil || len(d.source.Receivers) == 0 {
		return d.newReceiver()
	}
	return &d.source.Receivers[len(d.source.Receivers)-1]
}

func (d *reportDecoder) lastProvider() *Provider {
	if r := d.lastReceiver(); len(r.Providers) > 0 {
		return &r.Providers[len(r.Providers)-1]
	}
	return d.newProvider()
}

// newClaim starts a claim at an HL. If the subscriber's level has no status, the
// dependent's level below replaces it and keeps its member ID.
func (d *reportDecoder) newClaim(s *x12.Segment, before *Claim, level string) {
	p := d.lastProvider()
	c := Claim{Segment: s.Ordinal}
	if n := len(p.Claims); level == levelDependent && n > 0 && before == &p.Claims[n-1] && before.says() == 0 {
		c.Patient = Name{IDQualifier: before.Patient.IDQualifier, ID: before.Patient.ID}
		c.Subscriber = before.Patient
		p.Claims = p.Claims[:n-1]
	}
	p.Claims = append(p.Claims, c)
	d.claim = &p.Claims[len(p.Claims)-1]
}

// says counts the claim's facts, not including the patient.
func (c *Claim) says() int {
	return len(c.Statuses) + len(c.Lines) +
		len(c.ControlNumber) + len(c.Trace) + len(c.PayerReference) + len(c.PayerClaimNumber) + len(c.ClearinghouseNumber)
}

func (d *reportDecoder) inLevel(s *x12.Segment) {
	f := d.fields.Read(s)
	switch {
	case d.claim != nil && f.Segment("TRN"):
		d.trn(s)
	case d.claim != nil && f.Segment("SVC"):
		d.claim.Lines = append(d.claim.Lines, Line{})
		d.line = &d.claim.Lines[len(d.claim.Lines)-1]
		d.line.fields(f, false)
	case d.line != nil:
		d.statuses(&d.line.Statuses)
		d.line.loop(f)
	case d.claim != nil:
		d.inClaim()
	case d.level != nil:
		d.above(s)
	}
}

func (d *reportDecoder) statuses(all *[]Status) {
	x12.List(&d.fields, "STC", all, func(s *Status, f *x12.Fields) {
		d.hasSTC = true
		s.fields(f, false)
	})
}

// above reads a segment of a source, receiver or provider level. Each may have the
// qualifiers of the others.
func (d *reportDecoder) above(s *x12.Segment) {
	l, f := d.level, &d.fields
	if l.Name == (Name{}) && f.Segment("NM1") {
		l.Name.Fields(f)
	}
	if f.Segment("TRN") {
		if l.Trace = s.Element(2); l.Trace == noTrace {
			l.Trace = ""
		}
	}
	d.statuses(&l.Statuses)
	l.Totals.fields(f, "90", "AA")
	l.Totals.fields(f, "QA", "QC")
	switch d.where {
	case levelSource:
		d.source.dates(f)
	case levelProvider:
		for _, qualifier := range []string{"TJ", "EI", "SY"} {
			f.Reference(qualifier, &d.lastProvider().TaxID)
		}
	}
}

// trn reads the number of the claim. A second TRN starts another claim for the same
// patient.
func (d *reportDecoder) trn(s *x12.Segment) {
	if d.number {
		p := d.lastProvider()
		p.Claims = append(p.Claims, Claim{Patient: d.claim.Patient, Subscriber: d.claim.Subscriber})
		d.claim = &p.Claims[len(p.Claims)-1]
	}
	d.line, d.number = nil, true
	c := d.claim
	c.Segment = s.Ordinal
	switch {
	case s.Element(1) == "1":
		c.PayerReference = s.Element(2)
	case d.report.Kind == KindAcknowledgement && c.ControlNumber == "":
		c.ControlNumber = s.Element(2)
	default:
		c.Trace = s.Element(2)
	}
}

func (d *reportDecoder) inClaim() {
	c, f := d.claim, &d.fields
	if c.Patient.Entity == "" && f.Segment("NM1") {
		name := Name{}
		if name.Fields(f); name.ID == "" {
			name.IDQualifier, name.ID = c.Patient.IDQualifier, c.Patient.ID
		}
		c.Patient = name
	}
	d.statuses(&c.Statuses)
	number := ""
	if c.loop(f, &number); number == "" {
		return
	}
	if c.ControlNumber != "" && c.Trace == "" { // so TRN02 was not the control number
		c.Trace = c.ControlNumber
	}
	if c.ControlNumber = number; c.Trace == number {
		c.Trace = ""
	}
}
