package claims

import (
	"bufio"
	"cmp"
	"io"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// The longest values that the guide allows, in characters.
const (
	maxReference = 50
	maxControl   = 38 // CLM01; payers need to keep only 20
	maxLast      = 60
	maxFirst     = 35
	maxMiddle    = 25
	maxSuffix    = 10
	maxID        = 80
	maxLine      = 55
	maxCity      = 30
	maxState     = 2
	maxZIP       = 15
	maxContact   = 256
	maxNote      = 80
	maxProcedure = 48
	maxModifier  = 2
	maxDiagnosis = 30
	maxReason    = 5
	maxQuantity  = 15
	maxCode      = 3 // for values of code lists
	maxCavities  = 5
	maxSurfaces  = 5
)

// The codes of HL03.
const (
	levelBilling    = "20"
	levelSubscriber = "22"
	levelPatient    = "23"
)

// bufferSize is the number of bytes that the encoder collects for one write.
const bufferSize = 64 << 10

// Encode writes the batch as an interchange of one transaction set. The error is the
// writer's. A name without ASCII letters becomes X, because it must not be empty.
// Encode cuts values to the guide's lengths.
func Encode(w io.Writer, b *Batch) error {
	out := bufio.NewWriterSize(w, bufferSize)
	var e encoder
	e.open(b)
	for i := range b.Claims {
		e.claim(&b.Claims[i])
		if err := e.Flush(out); err != nil {
			return err
		}
	}
	if _, err := out.Write(e.Bytes()); err != nil {
		return err
	}
	return out.Flush()
}

// encoder writes loops. Consecutive claims of the same billing provider share one
// level.
type encoder struct {
	x12.Writer
	notesOf int // the most NTE segments of a claim
	levels  int // HL segments so far
	billing int // the HL of the billing provider; 0 before the first
	from    biller
	source  sender // the billing provider that from was converted from
}

// sender is the billing provider as the claim states it. Biller is the same provider
// as the file states it.
type (
	sender struct {
		provider BillingProvider
		payTo    Address
	}
	biller struct {
		kind, name, first, npi, taxID, license, taxonomy, contact, phone x12.Element
		at, payTo                                                        address
	}
	address struct{ line1, line2, city, state, zip x12.Element }
)

func (e *encoder) open(b *Batch) {
	if e.notesOf = MaxNotes; b.MostNotes > 0 {
		e.notesOf = min(b.MostNotes, MaxNotes)
	}
	control := cmp.Or(x12.Clip(b.Control, 9), "0001")
	e.OpenInterchange(b.Interchange)
	g := b.Group
	g.FunctionalID, g.Version = "HC", Version
	e.OpenGroup(g)
	e.OpenSet(x12.Set{ID: "837", Control: string(control), Version: Version})
	at := b.CreatedAt.UTC()
	// 0019 nests information source, subscriber and dependent. 00 is an original.
	// CH marks claims for payment.
	e.Segment("BHT", "0019", "00", cmp.Or(x12.Clip(b.Reference, maxReference), control),
		x12.Element(at.Format("20060102")), x12.Element(at.Format("150405")), "CH")
	s := b.Submitter
	e.organization("41", s.Name, "46", x12.Clip(s.ID, maxID))
	e.contact(x12.Clip(s.Contact, maxLast), phone(s.Phone), x12.Clip(s.Email, maxContact))
	e.organization("40", b.Receiver.Name, "46", x12.Clip(b.Receiver.ID, maxID))
}

func (e *encoder) claim(c *Claim) {
	e.biller(c)
	e.subscriber(c)
	if c.Patient != nil {
		e.patient(c)
	}
	e.detail(c)
	e.provider("DN", "RF", &c.Referring)
	e.provider("82", "PE", &c.Rendering)
	e.facility(&c.Facility)
	for i := range c.OtherPayers[:min(len(c.OtherPayers), MaxOtherPayers)] {
		e.otherPayer(c, &c.OtherPayers[i])
	}
	for i := range c.Lines {
		e.line(c, i)
	}
}

// level writes HL.
func (e *encoder) level(code x12.Element, parent int, hasChild bool) {
	e.levels++
	up, below := x12.Element(""), x12.Element("0")
	if parent > 0 {
		up = x12.Int(parent)
	}
	if hasChild {
		below = "1"
	}
	e.Segment("HL", x12.Int(e.levels), up, code, below)
}

func (e *encoder) biller(c *Claim) {
	source := sender{c.Billing, c.PayTo}
	if e.billing > 0 && source == e.source {
		return
	}
	from := billerOf(source)
	e.source = source
	if e.billing > 0 && from == e.from {
		return // the provider is spelled differently, but has the same form in the file
	}
	e.from = from
	e.level(levelBilling, 0, true)
	e.billing = e.levels
	e.specialty("BI", from.taxonomy)
	qualifier := x12.Element("XX")
	if from.npi == "" {
		qualifier = ""
	}
	e.Segment("NM1", "85", from.kind, from.name, from.first, "", "", "", qualifier, from.npi)
	e.address(from.at)
	e.reference("EI", from.taxID)
	e.reference("0B", from.license)
	e.contact(from.contact, from.phone, "")
	if from.payTo != (address{}) {
		e.Segment("NM1", "87", "2")
		e.address(from.payTo)
	}
}

func billerOf(s sender) biller {
	o := s.provider
	b := biller{
		kind: "2", name: cmp.Or(x12.Clip(o.Name, maxLast), "X"), npi: x12.Clip(o.NPI, maxID),
		taxID: x12.Clip(strings.ReplaceAll(o.TaxID, "-", ""), maxReference), taxonomy: x12.Clip(o.Taxonomy, maxReference),
		license: x12.Clip(o.License, maxReference), phone: phone(o.Phone), at: addressOf(o.Address), payTo: addressOf(s.payTo),
	}
	full := b.name
	if o.Person {
		b.kind, b.name, b.first = "1", cmp.Or(x12.Clip(o.LastName, maxLast), "X"), x12.Clip(o.FirstName, maxFirst)
		full = x12.Clip(string(b.first+" "+b.name), maxLast)
	}
	b.contact = cmp.Or(x12.Clip(o.Contact, maxLast), full)
	return b
}

func (e *encoder) subscriber(c *Claim) {
	e.level(levelSubscriber, e.billing, c.Patient != nil)
	s := &c.Subscriber
	self := x12.Element("")
	if c.Patient == nil {
		self = "18"
	}
	e.plan(cmp.Or(code(c.Coverage), CoveragePrimary), self, s.GroupNumber, s.GroupName, c.FilingIndicator)
	e.person("IL", name{s.FirstName, s.MiddleName, s.LastName, s.Suffix}, "MI", x12.Clip(s.MemberID, maxID))
	e.address(addressOf(s.Address))
	e.demographics(s.DateOfBirth, s.Gender)
	e.organization("PR", c.Payer.Name, "PI", x12.Clip(c.Payer.PayerID, maxID))
	e.reference("G2", x12.Clip(c.ProviderNumber, maxReference))
	e.reference("LU", x12.Clip(c.ProviderLocation, maxReference))
}

// plan writes SBR. The name of a group replaces a missing number.
func (e *encoder) plan(rank, relationship x12.Element, number, groupName, filing string) {
	group, groupOf := x12.Clip(number, maxReference), x12.Element("")
	if group == "" {
		groupOf = x12.Clip(groupName, maxLast)
	}
	e.Segment("SBR", rank, relationship, group, groupOf, "", "", "", "", cmp.Or(code(filing), FilingCommercial))
}

func (e *encoder) patient(c *Claim) {
	e.level(levelPatient, e.levels, false)
	p := c.Patient
	e.Segment("PAT", cmp.Or(code(p.Relationship), RelationOther))
	e.person("QC", name{p.FirstName, p.MiddleName, p.LastName, p.Suffix}, "", "")
	at := addressOf(p.Address)
	if at == (address{}) {
		at = addressOf(c.Subscriber.Address)
	}
	e.address(at)
	e.demographics(p.DateOfBirth, p.Gender)
}

// organization writes the NM1 of an organization.
func (e *encoder) organization(entity x12.Element, name string, qualifier, id x12.Element) {
	if id == "" {
		qualifier = ""
	}
	e.Segment("NM1", entity, "2", cmp.Or(x12.Clip(name, maxLast), "X"), "", "", "", "", qualifier, id)
}

// name is the name of a person.
type name struct{ first, middle, last, suffix string }

func (e *encoder) person(entity x12.Element, of name, qualifier, id x12.Element) {
	if id == "" {
		qualifier = ""
	}
	e.Segment("NM1", entity, "1", cmp.Or(x12.Clip(of.last, maxLast), "X"), x12.Clip(of.first, maxFirst), x12.Clip(of.middle, maxMiddle), "",
		x12.Clip(of.suffix, maxSuffix), qualifier, id)
}

// provider writes the NM1, PRV and REF of a person, or nothing for a zero provider.
func (e *encoder) provider(entity, role x12.Element, p *Provider) {
	if p.FirstName == "" && p.LastName == "" && p.NPI == "" {
		return
	}
	e.person(entity, name{first: p.FirstName, last: p.LastName}, "XX", x12.Clip(p.NPI, maxID))
	e.specialty(role, x12.Clip(p.Taxonomy, maxReference))
	e.reference("0B", x12.Clip(p.License, maxReference))
	e.reference("G2", x12.Clip(p.Number, maxReference))
	e.reference("LU", x12.Clip(p.Location, maxReference))
}

func (e *encoder) facility(f *Facility) {
	if *f == (Facility{}) {
		return
	}
	e.organization("77", f.Name, "XX", x12.Clip(f.NPI, maxID))
	e.address(addressOf(f.Address))
}

func (e *encoder) specialty(role, taxonomy x12.Element) {
	if taxonomy != "" {
		e.Segment("PRV", role, "PXC", taxonomy)
	}
}

func (e *encoder) address(a address) {
	f := e.Fields()
	if f.Optional("N3") {
		f.Put(1, a.line1).Put(2, a.line2)
	}
	if f.Optional("N4") {
		f.Put(1, a.city).Put(2, a.state).Put(3, a.zip)
	}
}

func addressOf(a Address) address {
	return address{
		x12.Clip(a.Line1, maxLine), x12.Clip(a.Line2, maxLine), x12.Clip(a.City, maxCity), x12.Clip(a.State, maxState),
		x12.Clip(strings.ReplaceAll(a.ZIP, "-", ""), maxZIP),
	}
}

func (e *encoder) demographics(born billing.Date, gender string) {
	if born.IsZero() && gender == "" {
		return
	}
	var format, day x12.Element
	if !born.IsZero() {
		format, day = "D8", x12.Element(born.X12())
	}
	e.Segment("DMG", format, day, cmp.Or(code(gender), GenderUnknown))
}

// contact writes PER if there is a number. A name alone is no contact.
func (e *encoder) contact(who, telephone, email x12.Element) {
	switch {
	case telephone != "" && email != "":
		e.Segment("PER", "IC", who, "TE", telephone, "EM", email)
	case telephone != "":
		e.Segment("PER", "IC", who, "TE", telephone)
	case email != "":
		e.Segment("PER", "IC", who, "EM", email)
	}
}

func (e *encoder) reference(qualifier, value x12.Element) {
	if value != "" {
		e.Segment("REF", qualifier, value)
	}
}

func (e *encoder) date(qualifier x12.Element, day billing.Date) {
	if !day.IsZero() {
		e.Segment("DTP", qualifier, "D8", x12.Element(day.X12()))
	}
}

// phone returns the digits of a telephone number in the United States.
func phone(s string) x12.Element {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	if len(digits) == 11 && digits[0] == '1' {
		digits = digits[1:]
	}
	return x12.Clip(digits, maxContact)
}

// amount writes AMT.
func (e *encoder) amount(qualifier x12.Element, m billing.Money) {
	e.Segment("AMT", qualifier, x12.Cents(int64(m)))
}

func code(s string) x12.Element { return x12.Clip(s, maxCode) }
