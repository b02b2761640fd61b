package x12

import (
	"log/slog"

	"github.com/molar-billing/molar/core/billing"
)

// The longest values that the guides allow, in characters.
const (
	MaxReference   = 50
	MaxLast        = 60 // also the name of an organization
	MaxFirst       = 35
	MaxID          = 80
	MaxState       = 2
	MaxContact     = 256
	MaxReason      = 5 // of adjustments
	MaxQuantity    = 15
	MaxProcedure   = 48
	MaxMessage     = 264
	MaxDescription = 80

	maxCode = 3 // for values of code lists
)

// Name is an NM1 segment.
type Name struct {
	Entity      string // NM101: PR payer, 1P provider, IL insured, QC patient, 03 dependent, ...
	Kind        string // NM102: 1 person, 2 organization
	Last        string // NM103: the last name, or the organization's
	First       string
	Middle      string
	Suffix      string
	IDQualifier string // NM108: PI payer ID, XX NPI, MI member ID, ...
	ID          string
}

// Fields goes through the elements of the NM1.
func (n *Name) Fields(f *Fields) {
	f.Code(1, &n.Entity).Text(2, &n.Kind, maxCode)
	f.Person(3, &n.Last, &n.First, &n.Middle, &n.Suffix)
	f.Code(8, &n.IDQualifier).Text(9, &n.ID, MaxID)
}

// Person is a name of several elements, as in NM1.
func (f *Fields) Person(n int, last, first, middle, suffix *string) *Fields {
	return f.Text(n, last, MaxLast).Text(n+1, first, MaxFirst).Text(n+2, middle, 25).Text(n+4, suffix, 10)
}

// LogValue keeps patient data out of logs.
func (n Name) LogValue() slog.Value { return slog.StringValue("name of a party") }

// Address is N3 and N4.
type Address struct{ Line1, Line2, City, State, ZIP string }

// Loop goes through the N3 and the N4.
func (a *Address) Loop(f *Fields) {
	if f.Optional("N3") {
		f.Text(1, &a.Line1, 55).Text(2, &a.Line2, 55)
	}
	if f.Optional("N4") {
		f.Text(1, &a.City, 30).Text(2, &a.State, MaxState).Text(3, &a.ZIP, 15)
	}
}

// Contact is a PER segment: CX for questions about claims, BL for technical ones.
type Contact struct {
	Function string
	Name     string
	Numbers  []Number
}

// fields goes through the elements of the PER.
func (c *Contact) fields(f *Fields, most int) {
	f.Code(1, &c.Function).Text(2, &c.Name, MaxLast)
	at := 3
	if f.Reading() {
		for ; at < min(f.in.Len(), 3+2*most); at += 2 {
			var n Number
			if n.fields(f, at); n != (Number{}) {
				c.Numbers = append(c.Numbers, n)
			}
		}
		return
	}
	for i := range c.Numbers[:min(len(c.Numbers), most)] {
		if n := &c.Numbers[i]; Text(n.Qualifier+n.Value) != "" {
			n.fields(f, at)
			at += 2
		}
	}
}

func (n *Number) fields(f *Fields, at int) { f.Code(at, &n.Qualifier).Text(at+1, &n.Value, MaxContact) }

// Number is a way to reach a Contact: TE telephone, EM e-mail, UR web address.
type Number struct {
	Qualifier, Value string
}

// Contacts goes through the PER segments of a party, with the first numbers of each.
func (f *Fields) Contacts(all *[]Contact, most int) {
	if f.at("PER") {
		f.contacts(all, most)
	}
}

func (f *Fields) contacts(all *[]Contact, most int) {
	first := 0
	if f.Reading() {
		first = len(*all)
		*all = append(*all, Contact{})
	}
	for i := range (*all)[first:] {
		f.Segment("PER")
		(*all)[first+i].fields(f, most)
	}
}

// Reference goes through a REF with the qualifier.
func (f *Fields) Reference(qualifier string, value *string) {
	if f.at("REF") {
		f.reference(qualifier, value)
	}
}

func (f *Fields) reference(qualifier string, value *string) {
	if f.qualified("REF", qualifier) {
		f.Text(2, value, MaxReference)
	}
}

// Adjustment is one triple of a CAS segment: the reason and the amount by which a
// payment is less than the charge. A negative amount raises the payment.
type Adjustment struct {
	Group    string // CO contract, PR patient, OA other, PI payer, CR correction (4010)
	Reason   string // such as 45, over the fee schedule
	Amount   billing.Money
	Quantity string
}

// PerCAS is the number of adjustments that one CAS can state.
const PerCAS = 6

// Adjustments goes through the CAS segments of a level. Those of one group that follow
// one another share a segment. A limit, as claims have one, is the most segments. It also
// makes the amounts mandatory.
func (f *Fields) Adjustments(all *[]Adjustment, limit int) {
	if f.at("CAS") {
		f.adjustments(all, limit)
	}
}

func (f *Fields) adjustments(all *[]Adjustment, limit int) {
	if f.in != nil {
		f.readAdjustments(all, limit)
	} else {
		f.writeAdjustments(*all, limit)
	}
}

func (f *Fields) writeAdjustments(all []Adjustment, limit int) {
	for segments := 0; len(all) > 0 && (limit == 0 || segments < limit); segments++ {
		group, n := all[0].Group, 0
		f.Segment("CAS")
		f.Code(1, &group)
		for ; n < min(len(all), PerCAS) && all[n].Group == group; n++ {
			a := &all[n]
			f.LongCode(2+3*n, &a.Reason, MaxReason).Amount(3+3*n, &a.Amount).Text(4+3*n, &a.Quantity, MaxQuantity)
		}
		all = all[n:]
	}
}

// readAdjustments reads a CAS. Any of its triples may be empty.
func (f *Fields) readAdjustments(all *[]Adjustment, limit int) {
	f.id = ""
	group := f.inCase(f.in.Element(1))
	for n := 2; n <= f.in.Len() && (limit == 0 || n < 2+3*PerCAS); n += 3 {
		reason, amount := f.in.Element(n), f.in.Element(n+1)
		if reason == "" && amount == "" {
			continue
		}
		a := Adjustment{Group: group, Reason: f.inCase(reason), Quantity: f.in.Element(n + 2)}
		if amount != "" || limit > 0 {
			a.Amount = f.money(amount)
		}
		if limit > 0 && len(*all) >= limit*PerCAS {
			f.fault("there are too many adjustments (CAS)")
		}
		*all = append(*all, a)
	}
}
