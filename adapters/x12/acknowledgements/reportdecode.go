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
	for {
		s, err := d.Next()
		if ended(err) {
			break
		}
		if err == nil {
			err = d.take(s)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if len(d.reports) == 0 {
		return nil, nil, &x12.Error{Segment: 1, Reason: "there is no transaction set 277"}
	}
	return d.reports, append(d.warnings, d.Warnings()...), nil
}

// Bounds for a bad file.
const (
	maxWarnings = 100
	maxAmount   = billing.Money(1_000_000_000_000_00)
)

// reportDecoder reads the segments. The pointers mark the current position. Level is
// the source, receiver or provider. Claim and line are nil outside claims and lines.
type reportDecoder struct {
	*x12.Reader
	reports  []Report
	warnings []x12.Warning

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
		r := d.report
		r.Reference, r.CreatedAt = s.Element(3), x12.ParseTime(s.Element(4), s.Element(5))
		r.Kind = kindOf(r.Version, s.Element(6))
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
	switch {
	case d.claim != nil && s.ID == "TRN":
		d.trn(s)
	case d.claim != nil && s.ID == "SVC":
		d.svc(s)
	case d.line != nil:
		d.inLine(s)
	case d.claim != nil:
		d.inClaim(s)
	case d.level != nil:
		d.above(s)
	}
}

// above reads a segment of a source, receiver or provider level.
func (d *reportDecoder) above(s *x12.Segment) {
	l := d.level
	switch s.ID {
	case "NM1":
		if l.Name == (Name{}) {
			l.Name = nameOf(s)
		}
	case "TRN":
		if l.Trace = s.Element(2); l.Trace == noTrace {
			l.Trace = ""
		}
	case "STC":
		l.Statuses = append(l.Statuses, d.stc(s))
	case "QTY":
		switch s.Element(1) {
		case "90", "QA":
			l.Totals.Accepted = number(s.Element(2))
		case "AA", "QC":
			l.Totals.Rejected = number(s.Element(2))
		}
	case "AMT":
		switch s.Element(1) {
		case "YU":
			l.Totals.AcceptedAmount = d.money(s, 2)
		case "YY":
			l.Totals.RejectedAmount = d.money(s, 2)
		}
	case "REF":
		if id := s.Element(1); d.where == levelProvider && (id == "TJ" || id == "EI" || id == "SY") {
			d.lastProvider().TaxID = s.Element(2)
		}
	case "DTP":
		switch {
		case d.where != levelSource:
		case s.Element(1) == "050":
			d.source.Received = d.day(s)
		case s.Element(1) == "009":
			d.source.Processed = d.day(s)
		}
	}
}

// trn reads the number of the claim. A second TRN starts another claim for the same
// patient.
func (d *reportDecoder) trn(s *x12.Segment) {
	if d.number {
		p := d.lastProvider()
		p.Claims = append(p.Claims, Claim{Patient: d.claim.Patient})
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

func (d *reportDecoder) svc(s *x12.Segment) {
	d.claim.Lines = append(d.claim.Lines, Line{
		Qualifier: s.Component(1, 1), Procedure: s.Component(1, 2), Charge: d.money(s, 2),
	})
	d.line = &d.claim.Lines[len(d.claim.Lines)-1]
}

func (d *reportDecoder) inLine(s *x12.Segment) {
	switch s.ID {
	case "STC":
		d.line.Statuses = append(d.line.Statuses, d.stc(s))
	case "REF":
		if s.Element(1) == "FJ" {
			d.line.Number = s.Element(2)
		}
	case "DTP":
		if s.Element(1) == "472" {
			d.line.Service = d.span(s)
		}
	}
}

func (d *reportDecoder) inClaim(s *x12.Segment) {
	c := d.claim
	switch s.ID {
	case "NM1":
		if name := nameOf(s); c.Patient.Entity == "" {
			if name.ID == "" {
				name.IDQualifier, name.ID = c.Patient.IDQualifier, c.Patient.ID
			}
			c.Patient = name
		}
	case "STC":
		c.Statuses = append(c.Statuses, d.stc(s))
	case "REF":
		d.ref(c, s)
	case "DTP":
		switch s.Element(1) {
		case "472":
			c.Service = d.span(s)
		case "106":
			c.Due = d.day(s)
		}
	}
}

func (d *reportDecoder) ref(c *Claim, s *x12.Segment) {
	value := s.Element(2)
	switch s.Element(1) {
	case "1K":
		c.PayerClaimNumber = value
	case "D9":
		c.ClearinghouseNumber = value
	case "EJ":
		if value == "" {
			return
		}
		if c.ControlNumber != "" && c.Trace == "" { // so TRN02 was not the control number
			c.Trace = c.ControlNumber
		}
		if c.ControlNumber = value; c.Trace == value {
			c.Trace = ""
		}
	}
}

func (d *reportDecoder) stc(s *x12.Segment) Status {
	d.hasSTC = true
	v := Status{Action: s.Element(3), Text: s.Element(12)}
	for _, n := range []int{1, 10, 11} {
		c := Code{Category: s.Component(n, 1), Status: s.Component(n, 2), Entity: s.Component(n, 3), List: s.Component(n, 4)}
		if c != (Code{}) {
			v.Codes = append(v.Codes, c)
		}
	}
	if value := s.Element(2); value != "" {
		v.Effective, _ = d.parse(s, value)
	}
	v.Charge = d.money(s, 4)
	return v
}

func nameOf(s *x12.Segment) Name {
	return Name{
		Entity: s.Element(1), Kind: s.Element(2), Last: s.Element(3), First: s.Element(4), Middle: s.Element(5),
		Suffix: s.Element(7), IDQualifier: s.Element(8), ID: s.Element(9),
	}
}

// money reads an amount. It returns 0 if the amount is absent or malformed.
func (d *reportDecoder) money(s *x12.Segment, element int) billing.Money {
	e := s.Element(element)
	if e == "" {
		return 0
	}
	m, err := billing.ParseX12Money(e)
	if err != nil || m < -maxAmount || m > maxAmount {
		d.warn(s, "the amount is malformed")
		return 0
	}
	return m
}

func (d *reportDecoder) day(s *x12.Segment) billing.Date { return d.span(s).From }

// span reads a DTP with one day or a range of days. It returns zero for a day that
// does not exist.
func (d *reportDecoder) span(s *x12.Segment) (span billing.DateSpan) {
	from, to, ranged := strings.Cut(s.Element(3), "-")
	var ok bool
	if span.From, ok = d.parse(s, from); !ok {
		return billing.DateSpan{}
	}
	if span.To = span.From; ranged {
		if span.To, ok = d.parse(s, to); !ok {
			return billing.DateSpan{}
		}
	}
	return span
}

func (d *reportDecoder) parse(s *x12.Segment, value string) (billing.Date, bool) {
	day, err := billing.ParseX12Date(value)
	if err != nil {
		d.warn(s, "the date does not exist")
		return billing.Date{}, false
	}
	return day, true
}

func (d *reportDecoder) warn(s *x12.Segment, reason string) {
	if len(d.warnings) < maxWarnings {
		d.warnings = append(d.warnings, x12.Warning{Segment: s.Ordinal, Offset: s.Offset, Reason: reason})
	}
}
