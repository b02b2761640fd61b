package directory

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Address is a postal address in the United States.
type Address struct {
	Line1 string `field:"line1"`
	Line2 string `field:"line2"`
	City  string `field:"city"`
	State string `field:"state"` // two letters
	ZIP   string `field:"zip"`   // 5 or 9 digits
}

// Office is a place where an organization treats patients and bills for it. It
// belongs to one mode.
type Office struct {
	ID        billing.OfficeID
	Scope     billing.Scope
	Name      string  `field:"name"`
	NPI       string  `field:"npi"`
	TaxID     string  `field:"tax_id"`
	Address   Address `field:"address"`
	Phone     string  `field:"phone"`
	TimeZone  string  `field:"time_zone"` // IANA name
	CreatedAt time.Time
	Edits     billing.Edits

	OfficeDetails

	// VerifiedAt is when the operator confirmed that the NPI and the tax ID are
	// the office's own, or zero. Files from outside go only to verified offices,
	// because anyone can look up an NPI. A test office is verified when it is
	// created.
	VerifiedAt time.Time
}

// Position returns the place in a list, by the time and the ID.
func (o *Office) Position() billing.Position { return billing.Position{Time: o.CreatedAt, ID: o.ID} }

// OfficeDetails are what claim files say about an office besides its name,
// numbers and address.
type OfficeDetails struct {
	Entity          OfficeEntity     `json:",omitzero" field:"entity"`
	FirstName       string           `json:",omitzero" field:"first_name"`     // of a person
	LastName        string           `json:",omitzero" field:"last_name"`      // of a person
	Taxonomy        string           `json:",omitzero" field:"taxonomy"`       // PRV BI
	PayTo           Address          `json:",omitzero" field:"pay_to_address"` // where payments go (loop 2010AB); zero for the address
	ContactName     string           `json:",omitzero" field:"contact_name"`   // empty for the office's name
	ProviderNumbers []ProviderNumber `json:",omitzero" field:"provider_numbers"`
	Retired         bool             `json:",omitzero" field:"retired"` // it takes no new claims
	Pending         *OfficeChange    `json:",omitzero"`                 // what waits for the operator; files do not say it
}

// OfficeChange is a changed name or address for payments of a verified office of live
// mode. It waits until the operator verifies it or a user withdraws it. Otherwise a
// person who may change an office could have the practice's payments sent elsewhere.
type OfficeChange struct {
	Name  string
	PayTo Address
	By    string // the key or the user
	At    time.Time
}

// OfficeEntity is the kind of the billing provider (NM102).
type OfficeEntity string

// The kinds.
const (
	EntityOrganization OfficeEntity = "" // 2
	EntityPerson       OfficeEntity = "person"
)

// ProviderNumber is the number by which a payer knows an office.
type ProviderNumber struct {
	PayerID        string // the payer's own payer ID
	Number         string // REF G2
	LocationNumber string // REF LU
}

// ScopesOf returns the scopes of the offices, each once.
func ScopesOf(offices []*Office) (scopes []billing.Scope) {
	for _, o := range offices {
		if !slices.Contains(scopes, o.Scope) {
			scopes = append(scopes, o.Scope)
		}
	}
	return scopes
}

// Asked returns the office with the change that waits, on which the next change is based.
func (o *Office) Asked() *Office {
	asked := *o
	if p := o.Pending; p != nil {
		asked.Name, asked.PayTo = p.Name, p.PayTo
	}
	return &asked
}

// Changed returns the office with the values of another, which were asked for at a time. An
// operator has to verify again that an office of live mode is the practice with a new NPI
// or tax ID. While it is verified, a new name and a new address for payments wait for the
// operator.
func (o *Office) Changed(to Office, by string, at time.Time) *Office {
	to.Edits = o.Edits.After(*o.Asked(), to, by, at)
	to.ID, to.Scope, to.CreatedAt, to.VerifiedAt, to.Pending = o.ID, o.Scope, o.CreatedAt, o.VerifiedAt, nil
	if o.Scope.Mode != billing.ModeLive || o.VerifiedAt.IsZero() {
		return &to
	}
	if to.NPI != o.NPI || to.TaxID != o.TaxID {
		to.VerifiedAt = time.Time{}
		return &to
	}
	if to.Name != o.Name || to.PayTo != o.PayTo {
		if to.Pending = o.Pending; o.Pending == nil || to.Name != o.Pending.Name || to.PayTo != o.Pending.PayTo {
			to.Pending = &OfficeChange{to.Name, to.PayTo, by, at}
		}
	}
	to.Name, to.PayTo = o.Name, o.PayTo
	return &to
}

// Verified returns the office as the operator verified it, with what waited. A verified
// office without a change stays as it is.
func (o *Office) Verified(at time.Time) *Office {
	next := *o.Asked()
	if next.Pending = nil; o.Pending != nil || o.VerifiedAt.IsZero() {
		next.VerifiedAt = at
	}
	return &next
}

// Withdrawn returns the office without the change that waits, which a user or a program
// withdrew at a time. It returns CodeConflict if there is none.
func (o *Office) Withdrawn(by string, at time.Time) (*Office, error) {
	if o.Pending == nil {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The office has no change that waits for the operator."}
	}
	next := *o
	next.Pending, next.Edits = nil, o.Edits.After(*o.Asked(), *o, by, at)
	return &next, nil
}

// Provider is a dentist or hygienist who renders services.
type Provider struct {
	ID        billing.ProviderID
	Scope     billing.Scope
	FirstName string `field:"first_name"`
	LastName  string `field:"last_name"`
	NPI       string `field:"npi"`
	Taxonomy  string `field:"taxonomy"`
	Retired   bool   `field:"retired"` // renders no services on new claims
	CreatedAt time.Time
	Edits     billing.Edits
}

// Position returns the place in a list, by the time and the ID.
func (p *Provider) Position() billing.Position { return billing.Position{Time: p.CreatedAt, ID: p.ID} }

// Changed returns the provider with the values of another, which were asked for at a time.
func (p *Provider) Changed(to Provider, by string, at time.Time) *Provider {
	to.Edits = p.Edits.After(*p, to, by, at)
	to.ID, to.Scope, to.CreatedAt = p.ID, p.Scope, p.CreatedAt
	return &to
}

// The forms of a tax ID and of a telephone number, and of what offices and providers have
// besides.
var (
	TaxIDForm    = regexp.MustCompile(`^[0-9]{9}$`)
	PhoneForm    = regexp.MustCompile(`^[0-9]{10}$`)
	taxonomyForm = regexp.MustCompile(`^[0-9A-Z]{10}$`)
	zipForm      = regexp.MustCompile(`^[0-9]{5}(-?[0-9]{4})?$`)
)

// Normalize sets the tax ID to nine digits, the phone number to ten digits without
// the country code, and the states to capital letters.
func (o *Office) Normalize() {
	o.TaxID = strings.NewReplacer("-", "", " ", "").Replace(o.TaxID)
	o.Phone = strings.NewReplacer(" ", "", "+", "", "-", "", ".", "", "(", "", ")", "").Replace(o.Phone)
	if len(o.Phone) == 11 {
		o.Phone = strings.TrimPrefix(o.Phone, "1")
	}
	o.Address.State, o.PayTo.State = strings.ToUpper(o.Address.State), strings.ToUpper(o.PayTo.State)
}

// Judge adds the faults of a normalized office. The tax ID, the address and the
// phone number may be missing.
func (o *Office) Judge(f *billing.Faults) {
	f.Name("name", o.Name)
	judgeNPI(f, o.NPI)
	if o.TaxID != "" && !TaxIDForm.MatchString(o.TaxID) {
		f.Add("tax_id", billing.FaultFormat, "The tax ID must be nine digits.")
	}
	if o.Address != (Address{}) {
		o.Address.Judge(f, "address.")
	}
	if o.Phone != "" && !PhoneForm.MatchString(o.Phone) {
		f.Add("phone", billing.FaultFormat, "The phone number must have ten digits, as in the United States; spaces and + - . ( ) may separate them.")
	}
	if billing.Blank(o.TimeZone) {
		f.Add("time_zone", billing.FaultRequired, "A value is required.")
	} else if _, err := time.LoadLocation(o.TimeZone); err != nil || o.TimeZone == "Local" {
		f.Add("time_zone", billing.FaultFormat, "The time zone must be an IANA name such as America/New_York.")
	}
	o.judgeDetails(f)
}

// The limits of an office's details, in characters.
const (
	maxPersonFirst     = 35  // NM104
	maxPersonLast      = 60  // NM103
	maxContact         = 60  // PER02
	maxProviderNumber  = 50  // REF02
	maxProviderNumbers = 100 // payers that number the office
)

func (d *OfficeDetails) judgeDetails(f *billing.Faults) {
	switch d.Entity {
	case EntityPerson:
		f.Required("first_name", d.FirstName, maxPersonFirst)
		f.Shown("first_name", d.FirstName)
		f.Required("last_name", d.LastName, maxPersonLast)
		f.Shown("last_name", d.LastName)
	case EntityOrganization:
		if d.FirstName != "" {
			f.Add("first_name", billing.FaultNotAllowed, "Only a person has a first name. Leave it out, or send person as the entity.")
		}
		if d.LastName != "" {
			f.Add("last_name", billing.FaultNotAllowed, "Only a person has a last name. Leave it out, or send person as the entity.")
		}
	default:
		f.Add("entity", billing.FaultNotAllowed, "The value must be one of organization, person.")
	}
	if d.Taxonomy != "" {
		judgeTaxonomy(f, d.Taxonomy)
	}
	if d.PayTo != (Address{}) {
		d.PayTo.Judge(f, "pay_to_address.")
	}
	f.Optional("contact_name", &d.ContactName, maxContact)
	f.Shown("contact_name", d.ContactName)
	if len(d.ProviderNumbers) > maxProviderNumbers {
		f.Add("provider_numbers", billing.FaultTooMany, "An office may have the numbers of at most 100 payers.")
		return
	}
	for i, n := range d.ProviderNumbers {
		at := "provider_numbers." + strconv.Itoa(i) + "."
		f.Required(at+"payer_id", n.PayerID, 0)
		if n.Number == "" && n.LocationNumber == "" {
			f.Add(at+"number", billing.FaultRequired, "Send the number of the office, or location_number.")
		}
		f.Optional(at+"number", &n.Number, maxProviderNumber)
		f.Shown(at+"number", n.Number)
		f.Optional(at+"location_number", &n.LocationNumber, maxProviderNumber)
		f.Shown(at+"location_number", n.LocationNumber)
	}
}

// Judge adds the faults of an office's address that is not empty. At is the path of
// its fields.
func (a Address) Judge(f *billing.Faults, at string) {
	f.Name(at+"line1", a.Line1)
	f.Shown(at+"line2", a.Line2)
	f.Name(at+"city", a.City)
	if f.Required(at+"state", a.State, 0) && (len(a.State) != 2 || !KnownState(strings.ToUpper(a.State))) {
		f.Add(at+"state", billing.FaultFormat, "The state must be a two-letter postal code, such as NY.")
	}
	if f.Required(at+"zip", a.ZIP, 0) && !ValidZIP(a.ZIP) {
		f.Add(at+"zip", billing.FaultFormat, "The ZIP code must have 5 or 9 digits.")
	}
}

// Judge adds the faults of a provider.
func (p *Provider) Judge(f *billing.Faults) {
	f.Name("first_name", p.FirstName)
	f.Name("last_name", p.LastName)
	judgeNPI(f, p.NPI)
	if f.Required("taxonomy", p.Taxonomy, 0) {
		judgeTaxonomy(f, p.Taxonomy)
	}
}

func judgeTaxonomy(f *billing.Faults, s string) {
	if !taxonomyForm.MatchString(s) {
		f.Add("taxonomy", billing.FaultFormat, "The taxonomy code must be ten digits and capital letters, such as 122300000X.")
	}
}

func judgeNPI(f *billing.Faults, s string) {
	if f.Required("npi", s, 0) && !ValidNPI(s) {
		f.Add("npi", billing.FaultFormat, "The NPI must be ten digits with a valid check digit. Check it in the national registry (NPPES).")
	}
}

// ValidZIP reports whether s has the form of a ZIP code, of 5 or 9 digits.
func ValidZIP(s string) bool { return zipForm.MatchString(s) }

// ValidNPI reports whether s is a national provider identifier: ten digits, of
// which the last is the Luhn check digit of 80840 and the first nine (45 CFR
// 162.406).
func ValidNPI(s string) bool {
	if len(s) != 10 || !billing.AllDigits(s) {
		return false
	}
	sum := 24 // the prefix 80840
	for i := range 10 {
		d := int(s[9-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// DefaultTimeZone is used for an office that names none.
const DefaultTimeZone = "America/New_York"

// NoOffice stands for the office of a thing that has none: its days begin in DefaultTimeZone.
func NoOffice() *Office { return &Office{TimeZone: DefaultTimeZone} }

// Today returns the day at now in the office's time zone. An office without one
// uses UTC.
func (o *Office) Today(now time.Time) billing.Date { return billing.DateOf(now.In(Zone(o.TimeZone))) }

// Begins returns when a day begins in the office's time zone.
func (o *Office) Begins(day billing.Date) time.Time {
	return time.Date(day.Year, day.Month, day.Day, 0, 0, 0, 0, Zone(o.TimeZone))
}

// zones has the time zones in use, by name, because time.LoadLocation reads a
// file each time. There are a few hundred names, and others are not kept.
//
//nolint:gochecknoglobals // a cache of constants
var zones sync.Map

// Zone returns the time zone with the name, or UTC if there is none.
func Zone(name string) *time.Location {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location) // nothing else is in it
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	zones.Store(name, loc)
	return loc
}

// knownStates are the postal codes of states, territories, freely associated
// states and the armed forces, each followed by a space.
const knownStates = "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY " +
	"AS GU MP PR VI FM MH PW AA AE AP "

// KnownState reports whether the code is a state's.
func KnownState(code string) bool { return strings.Contains(knownStates, code+" ") }
