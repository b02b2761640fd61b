package billing

import "time"

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

// Office is a place where an organization treats and bills; it belongs to one
// mode.
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
}

// ScopeOf is the scope that all the offices are of. It reports false when they
// are of several, and when there are none: what names them is then nobody's.
func ScopeOf(offices []*Office) (scope Scope, one bool) {
	for i, o := range offices {
		if i > 0 && o.Scope != scope {
			return Scope{}, false
		}
		scope = o.Scope
	}
	return scope, len(offices) > 0
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

// ValidNPI reports whether s is a national provider identifier: ten digits
// whose last is the Luhn check digit over 80840 and the first nine (45 CFR
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

// Today is the day at now in the office's time zone, and in UTC for an office
// without one.
func (o *Office) Today(now time.Time) Date {
	loc, err := time.LoadLocation(o.TimeZone)
	if err != nil {
		loc = time.UTC
	}
	return DateOf(now.In(loc))
}
