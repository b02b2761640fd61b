package billing

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Organization is a dental practice, or a group of practices, that bills
// through the service.
type Organization struct {
	ID        OrgID
	Name      string
	CreatedAt time.Time
}

// Address is a postal address in the United States.
type Address struct {
	Line1 string
	Line2 string
	City  string
	State string // two letters
	ZIP   string // 5 or 9 digits
}

// Office is a place where an organization treats patients and bills for it. It
// belongs to one mode.
type Office struct {
	ID        OfficeID
	Scope     Scope
	Name      string
	NPI       string
	TaxID     string
	Address   Address
	Phone     string
	TimeZone  string // IANA name
	CreatedAt time.Time

	// VerifiedAt is when the operator confirmed that the NPI and the tax ID are
	// the office's own, or zero. Files from outside go only to verified offices,
	// because anyone can look up an NPI. A test office is verified when it is
	// created.
	VerifiedAt time.Time
}

// ScopesOf returns the scopes of the offices, each once.
func ScopesOf(offices []*Office) (scopes []Scope) {
	for _, o := range offices {
		if !slices.Contains(scopes, o.Scope) {
			scopes = append(scopes, o.Scope)
		}
	}
	return scopes
}

// Provider is a dentist or hygienist who renders services.
type Provider struct {
	ID        ProviderID
	Scope     Scope
	FirstName string
	LastName  string
	NPI       string
	Taxonomy  string
	CreatedAt time.Time
}

var (
	taxIDForm    = regexp.MustCompile(`^[0-9]{9}$`)
	phoneForm    = regexp.MustCompile(`^[0-9]{10}$`)
	taxonomyForm = regexp.MustCompile(`^[0-9A-Z]{10}$`)
	zipForm      = regexp.MustCompile(`^[0-9]{5}(-?[0-9]{4})?$`)
)

// Normalize sets the tax ID to nine digits, the phone number to ten digits without
// the country code, and the state to capital letters.
func (o *Office) Normalize() {
	o.TaxID = strings.NewReplacer("-", "", " ", "").Replace(o.TaxID)
	o.Phone = strings.NewReplacer(" ", "", "+", "", "-", "", ".", "", "(", "", ")", "").Replace(o.Phone)
	if len(o.Phone) == 11 {
		o.Phone = strings.TrimPrefix(o.Phone, "1")
	}
	o.Address.State = strings.ToUpper(o.Address.State)
}

// Judge adds the faults of a normalized office. The tax ID, the address and the
// phone number may be missing.
func (o *Office) Judge(f *Faults) {
	f.Name("name", o.Name)
	judgeNPI(f, o.NPI)
	if o.TaxID != "" && !taxIDForm.MatchString(o.TaxID) {
		f.Add("tax_id", FaultFormat, "The tax ID must be nine digits.")
	}
	if o.Address != (Address{}) {
		o.Address.Judge(f)
	}
	if o.Phone != "" && !phoneForm.MatchString(o.Phone) {
		f.Add("phone", FaultFormat, "The phone number must have ten digits, as in the United States; spaces and + - . ( ) may separate them.")
	}
	if Blank(o.TimeZone) {
		f.Add("time_zone", FaultRequired, "A value is required.")
	} else if _, err := time.LoadLocation(o.TimeZone); err != nil || o.TimeZone == "Local" {
		f.Add("time_zone", FaultFormat, "The time zone must be an IANA name such as America/New_York.")
	}
}

// Judge adds the faults of an office's address that is not empty.
func (a Address) Judge(f *Faults) {
	f.Name("address.line1", a.Line1)
	f.shown("address.line2", a.Line2)
	f.Name("address.city", a.City)
	if f.Required("address.state", a.State, 0) && (len(a.State) != 2 || !knownState(strings.ToUpper(a.State))) {
		f.Add("address.state", FaultFormat, "The state must be a two-letter postal code, such as NY.")
	}
	if f.Required("address.zip", a.ZIP, 0) && !ValidZIP(a.ZIP) {
		f.Add("address.zip", FaultFormat, "The ZIP code must have 5 or 9 digits.")
	}
}

// Judge adds the faults of a provider.
func (p *Provider) Judge(f *Faults) {
	f.Name("first_name", p.FirstName)
	f.Name("last_name", p.LastName)
	judgeNPI(f, p.NPI)
	if f.Required("taxonomy", p.Taxonomy, 0) && !taxonomyForm.MatchString(p.Taxonomy) {
		f.Add("taxonomy", FaultFormat, "The taxonomy code must be ten digits and capital letters, such as 122300000X.")
	}
}

func judgeNPI(f *Faults, s string) {
	if f.Required("npi", s, 0) && !ValidNPI(s) {
		f.Add("npi", FaultFormat, "The NPI must be ten digits with a valid check digit. Check it in the national registry (NPPES).")
	}
}

// maxShown bounds names that operators and callers choose, in characters.
const maxShown = 200

// Name adds the faults of a name that is required.
func (f *Faults) Name(field, value string) {
	if Blank(value) {
		f.Add(field, FaultRequired, "A value is required.")
	}
	f.shown(field, value)
}

// shown adds the faults of a text for people.
func (f *Faults) shown(field, value string) {
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		f.Add(field, FaultFormat, "The value must be UTF-8 text without control characters.")
	case utf8.RuneCountInString(value) > maxShown:
		f.Add(field, FaultTooLong, "The value may have at most 200 characters.")
	}
}

// ValidZIP reports whether s has the form of a ZIP code, of 5 or 9 digits.
func ValidZIP(s string) bool { return zipForm.MatchString(s) }

// ValidNPI reports whether s is a national provider identifier: ten digits, of
// which the last is the Luhn check digit of 80840 and the first nine (45 CFR
// 162.406).
func ValidNPI(s string) bool {
	if len(s) != 10 || !allDigits(s) {
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

// Today returns the day at now in the office's time zone. An office without one
// uses UTC.
func (o *Office) Today(now time.Time) Date {
	loc, err := time.LoadLocation(o.TimeZone)
	if err != nil {
		loc = time.UTC
	}
	return DateOf(now.In(loc))
}
