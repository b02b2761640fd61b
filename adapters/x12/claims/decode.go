package claims

import (
	"errors"
	"io"
	"slices"
	"strings"

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
	for {
		s, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = d.segment(s)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if len(d.batches) == 0 {
		return nil, nil, &x12.Error{Segment: 1, Reason: "there is no transaction set 837"}
	}
	return d.batches, append(d.warnings, d.Warnings()...), nil
}

// Bounds for a bad file. No real file of claims exceeds them.
const (
	maxWarnings = 100
	maxLines    = 999
	maxAmount   = billing.Money(1_000_000_000_00)
)

// decoder reads the segments. Next has the data of the current levels for the next
// CLM. Entity is the code of the latest NM1. Claim and line are the current ones.
type decoder struct {
	*x12.Reader
	batches  []Batch
	warnings []x12.Warning

	batch   *Batch
	level   string // HL03; empty before the first
	next    Claim
	entity  string // NM101 of the loop
	address *Address
	claim   *Claim
	line    *Line
	head    claimHead
	others  bool        // inside the loops of other payers (2320)
	other   *OtherPayer // the current one, or nil if it is one too many
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
	switch {
	case s.ID == "ST" && d.Set().ID == "837":
		*d = decoder{Reader: d.Reader, batches: append(d.batches, d.newBatch()), warnings: d.warnings}
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
		d.batch.Reference, d.batch.CreatedAt = s.Element(3), x12.ParseTime(s.Element(4), s.Element(5))
		return nil
	case "HL":
		return d.hl(s)
	case "CLM":
		return d.clm(s)
	case "SBR":
		d.sbr(s)
		return nil
	case "LX":
		d.others, d.line, d.entity, d.address = false, nil, "", nil
		return nil
	case "SV1", "SV2", "SV4", "SV5":
		return s.Fault("the service must be a dental service (SV3)")
	case "SV3":
		return d.sv3(s)
	}
	switch {
	case d.line != nil:
		return d.inLine(s)
	case d.others:
		return d.inOther(s)
	case d.claim != nil:
		return d.inClaim(s)
	default:
		return d.inLevel(s)
	}
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
	d.level, d.entity, d.address = s.Element(3), "", nil
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
func (d *decoder) inLevel(s *x12.Segment) error {
	switch s.ID {
	case "NM1":
		d.nm1(s)
	case "PER":
		d.per(s)
	case "N3", "N4":
		d.place(s)
	case "REF":
		d.levelReference(s)
	case "PRV":
		if d.level == levelBilling && s.Element(1) == "BI" {
			d.next.Billing.Taxonomy = s.Element(3)
		}
	case "PAT":
		if p := d.next.Patient; p != nil {
			p.Relationship = relationshipOf(s.Element(1))
		}
	case "DMG":
		return d.dmg(s)
	}
	return nil
}

// place reads N3 or N4 of the current address, if the loop has one.
func (d *decoder) place(s *x12.Segment) {
	switch a := d.address; {
	case a == nil:
	case s.ID == "N3":
		a.Line1, a.Line2 = s.Element(1), s.Element(2)
	default:
		a.City, a.State, a.ZIP = s.Element(1), s.Element(2), s.Element(3)
	}
}

func (d *decoder) levelReference(s *x12.Segment) {
	value, o := s.Element(2), &d.next.Billing
	switch qualifier := s.Element(1); {
	case d.entity == "85" && (qualifier == "EI" || qualifier == "SY" && o.TaxID == ""):
		o.TaxID = value
	case d.entity == "85" && qualifier == "0B":
		o.License = value
	case d.entity == "PR" && qualifier == "G2":
		d.next.ProviderNumber = value
	case d.entity == "PR" && qualifier == "LU":
		d.next.ProviderLocation = value
	}
}

// sbr reads the plan of the claim's payer, or starts another payer of a claim.
func (d *decoder) sbr(s *x12.Segment) {
	rank := known(s.Element(1), CoveragePrimary, CoverageSecondary, CoverageTertiary)
	if d.claim != nil {
		d.startOther(s, rank)
		return
	}
	d.next.Coverage, d.next.FilingIndicator = rank, s.Element(9)
	d.next.Subscriber.GroupNumber, d.next.Subscriber.GroupName = s.Element(3), s.Element(4)
}

func (d *decoder) nm1(s *x12.Segment) {
	d.entity, d.address = s.Element(1), nil
	name := strings.TrimSpace(s.Element(4) + " " + s.Element(3))
	id := s.Element(9)
	switch d.entity {
	case "41":
		d.batch.Submitter.Name, d.batch.Submitter.ID = name, id
	case "40":
		d.batch.Receiver = Receiver{name, id}
	case "85":
		o := &d.next.Billing
		o.Name, d.address = name, &o.Address
		if o.Person, o.FirstName, o.LastName = s.Element(2) == "1", "", ""; o.Person {
			o.FirstName, o.LastName = s.Element(4), s.Element(3)
		}
		switch s.Element(8) {
		case "XX":
			o.NPI = id
		case "24", "34": // before 5010: employer's and social security numbers
			o.TaxID = id
		}
	case "87":
		d.address = &d.next.PayTo
	case "IL":
		p := &d.next.Subscriber
		p.LastName, p.FirstName, p.MiddleName, p.Suffix = s.Element(3), s.Element(4), s.Element(5), s.Element(7)
		p.MemberID, d.address = id, &p.Address
	case "PR":
		d.next.Payer.Name, d.next.Payer.PayerID = name, id
	case "QC":
		if p := d.next.Patient; p != nil {
			p.LastName, p.FirstName, p.MiddleName, p.Suffix = s.Element(3), s.Element(4), s.Element(5), s.Element(7)
			d.address = &p.Address
		}
	}
}

func (d *decoder) per(s *x12.Segment) {
	phone, email := "", ""
	for n := 3; n < s.Len(); n += 2 {
		switch s.Element(n) {
		case "TE":
			phone = s.Element(n + 1)
		case "EM":
			email = s.Element(n + 1)
		}
	}
	switch d.entity {
	case "41":
		t := &d.batch.Submitter
		t.Contact, t.Phone, t.Email = s.Element(2), phone, email
	case "85":
		d.next.Billing.Contact, d.next.Billing.Phone = s.Element(2), phone
	}
}

func (d *decoder) dmg(s *x12.Segment) error {
	born, err := day(s, s.Element(2))
	if err != nil {
		return err
	}
	switch p := d.next.Patient; {
	case d.entity == "IL":
		d.next.Subscriber.DateOfBirth, d.next.Subscriber.Gender = born, genderOf(s.Element(3))
	case d.entity == "QC" && p != nil:
		p.DateOfBirth, p.Gender = born, genderOf(s.Element(3))
	}
	return nil
}

// warn records a harmless fault of the claim.
func (d *decoder) warn(reason string) {
	if len(d.warnings) < maxWarnings {
		d.warnings = append(d.warnings, x12.Warning{Segment: d.head.segment, Offset: d.head.offset, Reason: reason})
	}
}

// day reads a date, or the first date of a range. It returns zero if the element is
// empty.
func day(s *x12.Segment, value string) (billing.Date, error) {
	first, _, _ := strings.Cut(value, "-")
	if first == "" {
		return billing.Date{}, nil
	}
	d, err := billing.ParseX12Date(first)
	if err != nil {
		return d, s.Fault("the date does not exist")
	}
	return d, nil
}

func money(s *x12.Segment, element int) (billing.Money, error) {
	m, err := billing.ParseX12Money(s.Element(element))
	if err != nil || m < -maxAmount || m > maxAmount {
		return 0, s.Fault("the amount is malformed")
	}
	return m, nil
}

// known returns a code if it is one of codes, and otherwise the empty string.
func known(code string, codes ...string) string {
	if slices.Contains(codes, code) {
		return code
	}
	return ""
}

func relationshipOf(code string) string {
	switch code {
	case RelationSpouse, RelationChild:
		return code
	default:
		return RelationOther
	}
}

func genderOf(code string) string {
	switch code {
	case "", GenderFemale, GenderMale:
		return code
	default:
		return GenderUnknown
	}
}
