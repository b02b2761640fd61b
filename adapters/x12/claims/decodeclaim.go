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
	}
	c.Segment = s.Ordinal
	c.PatientControlNumber = s.Element(1)
	if x12.Text(c.PatientControlNumber) == "" {
		return s.Fault("the claim has no patient control number (CLM01)")
	}
	charge, err := money(s, 2)
	if err != nil {
		return err
	}
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
	d.head = claimHead{segment: s.Ordinal, offset: s.Offset, charge: charge}
	d.line, d.others, d.entity, d.address = nil, false, "", nil
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
			l.ServiceDate = d.head.day
		}
	}
	if sum := c.Charge(); sum < -maxAmount || sum > maxAmount {
		return d.head.fault("the charge of the claim is too large")
	} else if sum != d.head.charge {
		d.warn("the charge of the claim is not the sum of its lines")
	}
	d.claim, d.line, d.others = nil, nil, false
	return nil
}

// inClaim reads a segment between a claim and its lines.
func (d *decoder) inClaim(s *x12.Segment) (err error) {
	c := d.claim
	switch s.ID {
	case "DTP":
		switch {
		case s.Element(1) == "472":
			d.head.day, err = day(s, s.Element(3))
		case s.Element(1) == "439" && c.Accident != nil:
			c.Accident.Date, err = day(s, s.Element(3))
		}
	case "PWK":
		if number := s.Element(6); number != "" {
			c.Attachments = append(c.Attachments, Attachment{ReportType: s.Element(1), Number: number})
		}
	case "REF":
		switch s.Element(1) {
		case "F8":
			c.PayerClaimNumber = s.Element(2)
		case "G1":
			c.PriorAuthorization = s.Element(2)
		}
	case "NTE":
		c.note(s.Element(2))
	case "NM1":
		if d.entity = s.Element(1); d.entity == "82" {
			p := &c.Rendering
			p.LastName, p.FirstName, p.NPI = s.Element(3), s.Element(4), ""
			if s.Element(8) == "XX" {
				p.NPI = s.Element(9)
			}
		}
	case "PRV":
		if d.entity == "82" {
			c.Rendering.Taxonomy = s.Element(3)
		}
	}
	return err
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
	procedure := s.Component(1, 2)
	if x12.Text(procedure) == "" {
		return s.Fault("the service has no procedure (SV301)")
	}
	fee, err := money(s, 2)
	if err != nil {
		return err
	}
	quantity, err := quantity(s, 6)
	if err != nil {
		return err
	}
	if len(d.claim.Lines) >= maxLines {
		return s.Fault("the claim has too many service lines")
	}
	d.claim.Lines = append(d.claim.Lines, Line{
		Procedure: procedure, Fee: fee, Quantity: quantity, OralCavity: present(s.Components(4)),
	})
	d.line = &d.claim.Lines[len(d.claim.Lines)-1]
	return nil
}

// inLine reads a segment of a line.
func (d *decoder) inLine(s *x12.Segment) (err error) {
	l := d.line
	switch s.ID {
	case "TOO":
		if l.Tooth == "" {
			l.Tooth, l.Surfaces = s.Element(2), present(s.Components(3))
		}
	case "DTP":
		switch s.Element(1) {
		case "472":
			l.ServiceDate, err = day(s, s.Element(3))
		case "441":
			l.PriorPlacement, err = day(s, s.Element(3))
		}
	}
	return err
}

// maxQuantity is the highest plausible quantity of a line.
const maxQuantity = 99_999

// quantity reads a whole number, which may have decimals of zero. It returns 1 if the
// element is absent.
func quantity(s *x12.Segment, element int) (int, error) {
	e := s.Element(element)
	if e == "" {
		return 1, nil
	}
	whole, decimals, _ := strings.Cut(e, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < 1 || n > maxQuantity || strings.Trim(decimals, "0") != "" {
		return 0, s.Fault("the quantity must be a whole number above zero")
	}
	return n, nil
}

// present returns the nonempty values.
func present(values []string) []string {
	var all []string
	for _, v := range values {
		if v != "" {
			all = append(all, v)
		}
	}
	return all
}

func causeOf(code string) string {
	switch code {
	case CauseAuto, CauseEmployment:
		return code
	default:
		return CauseOther
	}
}
