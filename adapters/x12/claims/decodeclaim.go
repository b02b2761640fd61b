package claims

import (
	"strconv"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
)

// clm starts a claim for the subscriber or patient of the current level.
func (d *decoder) clm(s *x12.Segment) error {
	if err := d.endClaim(); err != nil {
		return err
	}
	if d.level != levelSubscriber && d.level != levelPatient {
		return s.Fault("the claim stands outside a subscriber and a patient (HL)")
	}
	c := d.next
	if p := c.Patient; p != nil {
		c.Patient = new(*p)
		if p.Address == c.Subscriber.Address {
			c.Patient.Address = Address{}
		}
	}
	c.Segment = s.Ordinal
	c.fields(&d.fields)
	if x12.Text(c.PatientControlNumber) == "" {
		return s.Fault("the claim has no patient control number (CLM01)")
	}
	d.head = claimHead{segment: s.Ordinal, offset: s.Offset}
	d.fields.Amount(2, &d.head.charge)
	c.PlaceOfService = s.Component(5, 1)
	switch s.Component(5, 3) {
	case "", FrequencyOriginal:
		c.Frequency = FrequencyOriginal
	case "6", FrequencyReplacement: // some networks use 6, corrected
		c.Frequency = FrequencyReplacement
	case FrequencyVoid:
		c.Frequency = FrequencyVoid
	default:
		return s.Fault("the claim's frequency (CLM05) is unknown")
	}
	if a := s.Component(11, 1); a != "" {
		c.Accident = &Accident{Cause: causeOf(a), State: s.Component(11, 4)}
	}
	c.Predetermination = s.Element(19) == "PB"
	d.batch.Claims = append(d.batch.Claims, c)
	d.claim = &d.batch.Claims[len(d.batch.Claims)-1]
	d.line, d.others = nil, false
	d.fields.Enter("")
	return nil
}

// endClaim checks and adds the current claim, if any.
func (d *decoder) endClaim() error {
	c := d.claim
	if c == nil {
		return nil
	}
	if len(c.Lines) == 0 {
		return d.head.fault("the claim has no service line (SV3)")
	}
	for i := range c.Lines {
		if l := &c.Lines[i]; l.ServiceDate.IsZero() {
			l.ServiceDate = c.ServiceDate
		}
	}
	if sum := c.Charge(); sum < -maxAmount || sum > maxAmount {
		return d.head.fault("the charge of the claim is too large")
	} else if sum != d.head.charge {
		d.warnings.AddAt(d.head.segment, d.head.offset, "the charge of the claim is not the sum of its lines")
	}
	d.claim, d.line, d.others = nil, nil, false
	return nil
}

// inClaim reads a segment between a claim and its lines.
func (d *decoder) inClaim(s *x12.Segment) {
	f, c := &d.fields, d.claim
	switch first, second := s.Element(1), s.Element(2); s.ID {
	case "DTP", "DN1":
		if c.Orthodontics == nil && (s.ID == "DN1" || first == "452") {
			c.Orthodontics = &Orthodontics{}
		}
		if c.dates(f); s.ID == "DN1" {
			c.Orthodontics.TotalMonths = d.number(s, first, 0, faultNumber)
			c.Orthodontics.MonthsRemaining = d.number(s, second, 0, faultNumber)
		}
	case "DN2":
		switch {
		case first == "":
		case second == "M":
			c.MissingTeeth = append(c.MissingTeeth, first)
		case second == "E":
			c.TeethToExtract = append(c.TeethToExtract, first)
		}
	case "PWK":
		if number := s.Element(6); number != "" {
			c.Attachments = append(c.Attachments, Attachment{ReportType: first, Number: number})
		}
	case "AMT":
		if first == "F5" {
			f.Amount(2, &c.PatientPaid)
		}
	case "NTE":
		c.note(second)
	case "HI":
		for n := 1; n <= s.Len(); n++ {
			if q := s.Component(n, 1); (q == "ABK" || q == "ABF") && s.Component(n, 2) != "" {
				c.Diagnoses = append(c.Diagnoses, s.Component(n, 2))
			}
		}
	default:
		c.references(f)
		c.providers(f)
	}
}

// note adds an NTE to an attachment if it starts with the attachment's number. As
// the encoder writes them, these notes come first, in the order of the attachments.
// The notes after them belong to the claim.
func (c *Claim) note(text string) {
	if text == "" {
		return
	}
	if c.Note != "" {
		c.Note += " " + text
		return
	}
	first := len(c.Attachments)
	for first > 0 && c.Attachments[first-1].Note == "" {
		first--
	}
	for i := first; i < len(c.Attachments); i++ {
		if a := &c.Attachments[i]; isAbout(text, a.Number) {
			a.Note = text
			return
		}
	}
	c.Note = text
}

// sv3 starts a line.
func (d *decoder) sv3(s *x12.Segment) error {
	if d.claim == nil {
		return s.Fault("the service stands outside a claim (CLM)")
	}
	if x12.Text(s.Component(1, 2)) == "" {
		return s.Fault("the service has no procedure (SV301)")
	}
	l := Line{PlaceOfService: s.Element(3), Quantity: 1}
	l.fields(&d.fields)
	if e := s.Element(6); e != "" {
		l.Quantity = d.number(s, e, 1, "the quantity must be a whole number above zero")
	}
	if len(d.claim.Lines) >= maxLines {
		return s.Fault("the claim has too many service lines")
	}
	for _, p := range present(s.Components(11)) {
		l.DiagnosisPointers = append(l.DiagnosisPointers, d.number(s, p, 1, faultNumber))
	}
	d.claim.Lines = append(d.claim.Lines, l)
	d.line, d.others = &d.claim.Lines[len(d.claim.Lines)-1], false
	d.fields.Enter("")
	return nil
}

// inLine reads a segment of a line. An adjudication begins with its SVD.
func (d *decoder) inLine(s *x12.Segment) error {
	l, f := d.line, &d.fields
	switch {
	case s.ID == "TOO" && s.Element(2) != "":
		if len(l.Teeth) >= MaxTeeth {
			return s.Fault("the service has too many teeth (TOO)")
		}
		x12.List(f, "TOO", &l.Teeth, (*Tooth).fields)
	case s.ID == "SVD":
		if len(l.Adjudications) >= MaxAdjudications {
			return s.Fault("the service has too many adjudications (SVD)")
		}
		a := Adjudication{PayerID: s.Element(1), Procedure: s.Component(3, 2), Quantity: 1}
		if f.Amount(2, &a.Paid); s.Element(5) != "" {
			a.Quantity = d.number(s, s.Element(5), 0, faultNumber)
		}
		l.Adjudications = append(l.Adjudications, a)
	default:
		if l.loop(f, "", false); len(l.Adjudications) > 0 {
			l.Adjudications[len(l.Adjudications)-1].loop(f)
		}
	}
	return nil
}

const (
	mostUnits   = 99_999 // the highest plausible number of units or months
	faultNumber = "the number is malformed"
)

// number reads a whole number, which may have decimals of zero. It returns 0 for an
// empty value.
func (d *decoder) number(s *x12.Segment, value string, least int, fault string) int {
	if value == "" {
		return 0
	}
	whole, decimals, _ := strings.Cut(value, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < least || n > mostUnits || strings.Trim(decimals, "0") != "" {
		d.refuse(s, fault)
		return 0
	}
	return n
}

func causeOf(code string) string {
	switch code {
	case CauseAuto, CauseEmployment:
		return code
	default:
		return CauseOther
	}
}
