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
	c.Assignment = known(s.Element(7), AssignmentAccepted, AssignmentRefused)
	c.BenefitsAssigned = known(s.Element(8), BenefitsToProvider, BenefitsToPatient, BenefitsRefused)
	c.Release = known(s.Element(9), ReleaseSigned, ReleaseInformed)
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
			l.ServiceDate = c.ServiceDate
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
			c.ServiceDate, err = day(s, s.Element(3))
		case s.Element(1) == "439" && c.Accident != nil:
			c.Accident.Date, err = day(s, s.Element(3))
		case s.Element(1) == "452":
			c.treatment().ApplianceDate, err = day(s, s.Element(3))
		}
	case "DN1":
		o := c.treatment()
		if o.TotalMonths, err = number(s, s.Element(1), 0); err == nil {
			o.MonthsRemaining, err = number(s, s.Element(2), 0)
		}
	case "DN2":
		switch tooth := s.Element(1); {
		case tooth == "":
		case s.Element(2) == "M":
			c.MissingTeeth = append(c.MissingTeeth, tooth)
		case s.Element(2) == "E":
			c.TeethToExtract = append(c.TeethToExtract, tooth)
		}
	case "PWK":
		if number := s.Element(6); number != "" {
			c.Attachments = append(c.Attachments, Attachment{ReportType: s.Element(1), Number: number})
		}
	case "AMT":
		if s.Element(1) == "F5" {
			c.PatientPaid, err = money(s, 2)
		}
	case "REF":
		if d.entity == "82" {
			c.Rendering.reference(s.Element(1), s.Element(2))
		}
		c.reference(s.Element(1), s.Element(2))
	case "NTE":
		c.note(s.Element(2))
	case "HI":
		for n := 1; n <= s.Len(); n++ {
			if q := s.Component(n, 1); (q == "ABK" || q == "ABF") && s.Component(n, 2) != "" {
				c.Diagnoses = append(c.Diagnoses, s.Component(n, 2))
			}
		}
	case "NM1":
		d.claimEntity(s)
	case "N3", "N4":
		d.place(s)
	case "PRV":
		switch d.entity {
		case "DN":
			c.Referring.Taxonomy = s.Element(3)
		case "82":
			c.Rendering.Taxonomy = s.Element(3)
		}
	}
	return err
}

// claimEntity reads the NM1 of a provider or of the facility.
func (d *decoder) claimEntity(s *x12.Segment) {
	d.entity, d.address = s.Element(1), nil
	switch c := d.claim; d.entity {
	case "DN":
		c.Referring = providerOf(s)
	case "82":
		c.Rendering = providerOf(s)
	case "77":
		c.Facility = Facility{Name: s.Element(3), NPI: npiOf(s)}
		d.address = &c.Facility.Address
	}
}

func providerOf(s *x12.Segment) Provider {
	return Provider{FirstName: s.Element(4), LastName: s.Element(3), NPI: npiOf(s)}
}

func npiOf(s *x12.Segment) string {
	if s.Element(8) != "XX" {
		return ""
	}
	return s.Element(9)
}

func (p *Provider) reference(qualifier, value string) {
	switch qualifier {
	case "0B":
		p.License = value
	case "G2":
		p.Number = value
	case "LU":
		p.Location = value
	}
}

func (c *Claim) reference(qualifier, value string) {
	switch qualifier {
	case "G3":
		c.PredeterminationNumber = value
	case "F8":
		c.PayerClaimNumber = value
	case "9F":
		c.ReferralNumber = value
	case "G1":
		c.PriorAuthorization = value
	}
}

// treatment returns the orthodontics, which DTP 452 or DN1 may start.
func (c *Claim) treatment() *Orthodontics {
	if c.Orthodontics == nil {
		c.Orthodontics = &Orthodontics{}
	}
	return c.Orthodontics
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
	l := Line{
		Procedure: procedure, Fee: fee, PlaceOfService: s.Element(3), OralCavity: present(s.Components(4)),
		Prosthesis: known(s.Element(5), ProsthesisInitial, ProsthesisReplacement), Quantity: quantity,
	}
	for n := 3; n < 3+MaxModifiers; n++ {
		if m := s.Component(1, n); m != "" {
			l.Modifiers = append(l.Modifiers, m)
		}
	}
	for _, p := range present(s.Components(11)) {
		to, err := number(s, p, 1)
		if err != nil {
			return err
		}
		l.DiagnosisPointers = append(l.DiagnosisPointers, to)
	}
	d.claim.Lines = append(d.claim.Lines, l)
	d.line, d.others, d.entity = &d.claim.Lines[len(d.claim.Lines)-1], false, ""
	return nil
}

// inLine reads a segment of a line.
func (d *decoder) inLine(s *x12.Segment) (err error) {
	l := d.line
	switch s.ID {
	case "TOO":
		if tooth := s.Element(2); tooth != "" {
			if len(l.Teeth) >= MaxTeeth {
				return s.Fault("the service has too many teeth (TOO)")
			}
			l.Teeth = append(l.Teeth, Tooth{tooth, present(s.Components(3))})
		}
	case "DTP":
		switch s.Element(1) {
		case "472":
			l.ServiceDate, err = day(s, s.Element(3))
		case "441":
			l.PriorPlacement, err = day(s, s.Element(3))
		case "573":
			if a := l.adjudication(); a != nil {
				a.PaymentDate, err = day(s, s.Element(3))
			}
		}
	case "NM1":
		if d.entity = s.Element(1); d.entity == "82" {
			l.Rendering = providerOf(s)
		}
	case "PRV":
		if d.entity == "82" {
			l.Rendering.Taxonomy = s.Element(3)
		}
	case "REF":
		if d.entity == "82" {
			l.Rendering.reference(s.Element(1), s.Element(2))
		}
	case "SVD":
		err = l.svd(s)
	case "CAS":
		if a := l.adjudication(); a != nil {
			a.Adjustments, err = adjustments(a.Adjustments, s)
		}
	}
	return err
}

// mostUnits is the highest plausible number of units or months.
const mostUnits = 99_999

// quantity reads a quantity above zero. It returns 1 if the element is absent.
func quantity(s *x12.Segment, element int) (int, error) {
	e := s.Element(element)
	if e == "" {
		return 1, nil
	}
	n, err := number(s, e, 1)
	if err != nil {
		return 0, s.Fault("the quantity must be a whole number above zero")
	}
	return n, nil
}

// number reads a whole number, which may have decimals of zero. It returns 0 for an
// empty value.
func number(s *x12.Segment, value string, least int) (int, error) {
	if value == "" {
		return 0, nil
	}
	whole, decimals, _ := strings.Cut(value, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < least || n > mostUnits || strings.Trim(decimals, "0") != "" {
		return 0, s.Fault("the number is malformed")
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
