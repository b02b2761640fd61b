package claims

import (
	"math"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// The codes of parties (NM101) whose segments have fields.
const (
	submitter     = "41"
	receiver      = "40"
	billingParty  = "85"
	payTo         = "87"
	insured       = "IL"
	payerParty    = "PR"
	patientParty  = "QC"
	referring     = "DN"
	rendering     = "82"
	facilityParty = "77"
)

// header goes through BHT and the parties of the file. 0019 nests information source,
// subscriber and dependent. 00 is an original. CH marks claims for payment.
func (b *Batch) header(f *x12.Fields) {
	if f.Segment("BHT") {
		f.Const(1, "0019").Const(2, "00").Text(3, &b.Reference, x12.MaxReference)
		f.Time(4, &b.CreatedAt, "20060102", "150405").Const(6, "CH")
	}
	if t := &b.Submitter; f.Within(submitter) {
		fullName(f, submitter, &t.Name, "46", &t.ID)
		contact(f, &t.Contact, &t.Phone, &t.Email)
	}
	if f.Within(receiver) {
		fullName(f, receiver, &b.Receiver.Name, "46", &b.Receiver.ID)
	}
}

// loop goes through the name, the address and the numbers of the billing provider.
func (o *BillingProvider) loop(f *x12.Fields) {
	if !f.Within(billingParty) {
		return
	}
	if f.Qualified("NM1", billingParty) {
		o.fields(f)
	}
	address(f, &o.Address)
	f.Reference("EI", &o.TaxID)
	if f.Reading() && o.TaxID == "" {
		f.Reference("SY", &o.TaxID)
	}
	f.Reference("0B", &o.License)
	contact(f, &o.Contact, &o.Phone, new(string))
}

// fields goes through the elements of the NM1.
func (o *BillingProvider) fields(f *x12.Fields) {
	if !f.Reading() {
		if o.Person {
			f.Const(2, "1").Text(3, &o.LastName, x12.MaxLast).Text(4, &o.FirstName, x12.MaxFirst)
		} else {
			f.Const(2, "2").Text(3, &o.Name, x12.MaxLast)
		}
		f.ID(8, "XX", &o.NPI, x12.MaxID)
		return
	}
	var n x12.Name
	n.Fields(f)
	o.Name = strings.TrimSpace(n.First + " " + n.Last)
	if o.Person, o.FirstName, o.LastName = n.Kind == "1", "", ""; o.Person {
		o.FirstName, o.LastName = n.First, n.Last
	}
	switch n.IDQualifier {
	case "XX":
		o.NPI = n.ID
	case "24", "34": // before 5010: employer's and social security numbers
		o.TaxID = n.ID
	}
}

// payTo goes through the address for payments.
func (c *Claim) payTo(f *x12.Fields) {
	if (f.Reading() || !blank(&c.PayTo)) && f.Within(payTo) {
		if f.Qualified("NM1", payTo) {
			f.Put(2, "2")
		}
		address(f, &c.PayTo)
	}
}

// plan goes through the elements of an SBR, except the relationship. The name of a group
// replaces a missing number.
func plan(f *x12.Fields, rank *string, unknown x12.Element, number, group, filing *string) {
	f.OneOf(1, rank, unknown, CoveragePrimary, CoverageSecondary, CoverageTertiary)
	if f.Text(3, number, x12.MaxReference); f.Reading() || x12.Text(*number) == "" {
		f.Text(4, group, x12.MaxLast)
	}
	f.CodeOr(9, filing, FilingCommercial)
}

// parties goes through the subscriber and the payer.
func (c *Claim) parties(f *x12.Fields) {
	if s := &c.Subscriber; f.Within(insured) {
		person(f, insured, &s.LastName, &s.FirstName, &s.MiddleName, &s.Suffix, "MI", &s.MemberID)
		address(f, &s.Address)
		demographics(f, &s.DateOfBirth, &s.Gender)
	}
	if f.Within(payerParty) {
		fullName(f, payerParty, &c.Payer.Name, "PI", &c.Payer.PayerID)
		f.Reference("G2", &c.ProviderNumber)
		f.Reference("LU", &c.ProviderLocation)
	}
}

// loop goes through the segments of a dependent.
func (p *Patient) loop(f *x12.Fields) {
	if f.Segment("PAT") {
		if f.CodeOr(1, &p.Relationship, RelationOther); f.Reading() {
			p.Relationship = relationshipOf(p.Relationship)
		}
	}
	if f.Within(patientParty) {
		var none string
		person(f, patientParty, &p.LastName, &p.FirstName, &p.MiddleName, &p.Suffix, "", &none)
		address(f, &p.Address)
		demographics(f, &p.DateOfBirth, &p.Gender)
	}
}

// fields goes through the elements of the CLM that are the same in both directions.
func (c *Claim) fields(f *x12.Fields) {
	f.Text(1, &c.PatientControlNumber, 38) // payers need to keep only 20
	f.OneOf(7, &c.Assignment, AssignmentAccepted, AssignmentAccepted, AssignmentRefused)
	consent(f, 8, &c.BenefitsAssigned, 9, &c.Release)
}

func consent(f *x12.Fields, n int, benefits *string, m int, release *string) {
	f.OneOf(n, benefits, BenefitsToProvider, BenefitsToProvider, BenefitsToPatient, BenefitsRefused)
	f.OneOf(m, release, ReleaseSigned, ReleaseSigned, ReleaseInformed)
}

// dates goes through the dates of the claim. That of services belongs to no
// predetermination.
func (c *Claim) dates(f *x12.Fields) {
	if c.Accident != nil {
		date(f, "439", &c.Accident.Date)
	}
	if c.Orthodontics != nil {
		date(f, "452", &c.Orthodontics.ApplianceDate)
	}
	if f.Reading() || !c.Predetermination {
		date(f, "472", &c.ServiceDate)
	}
}

// references goes through the numbers of the claim.
func (c *Claim) references(f *x12.Fields) {
	f.Reference("G3", &c.PredeterminationNumber)
	f.Reference("F8", &c.PayerClaimNumber)
	f.Reference("9F", &c.ReferralNumber)
	f.Reference("G1", &c.PriorAuthorization)
}

// providers goes through the people and the place of the services.
func (c *Claim) providers(f *x12.Fields) {
	c.Referring.loop(f, referring, "RF")
	c.Rendering.loop(f, rendering, "PE")
	if p := &c.Facility; f.Within(facilityParty) && (f.Reading() || *p != (Facility{})) {
		if organization(f, facilityParty, &p.Name, "XX", &p.NPI) && f.Reading() {
			*p = Facility{Name: p.Name, NPI: npi(f, p.NPI)}
		}
		address(f, &p.Address)
	}
}

// loop goes through the segments of a person. A zero provider has none. The numbers of a
// referring provider are not read.
func (p *Provider) loop(f *x12.Fields, entity, role string) {
	if !f.Within(entity) || !f.Reading() && p.FirstName == "" && p.LastName == "" && p.NPI == "" {
		return
	}
	var middle, suffix string
	if person(f, entity, &p.LastName, &p.FirstName, &middle, &suffix, "XX", &p.NPI) && f.Reading() {
		*p = Provider{FirstName: p.FirstName, LastName: p.LastName, NPI: npi(f, p.NPI)}
	}
	specialty(f, role, &p.Taxonomy)
	if f.Reading() && entity == referring {
		return
	}
	f.Reference("0B", &p.License)
	f.Reference("G2", &p.Number)
	f.Reference("LU", &p.Location)
}

func specialty(f *x12.Fields, role string, taxonomy *string) {
	if f.Optional("PRV") {
		f.Const(1, x12.Element(role)).Const(2, "PXC").Text(3, taxonomy, x12.MaxReference)
	}
}

// loop goes through the segments of a line under its SV3.
func (l *Line) loop(f *x12.Fields, number string, predetermination bool) {
	if f.Reading() || !predetermination {
		date(f, "472", &l.ServiceDate)
	}
	date(f, "441", &l.PriorPlacement)
	if !f.Reading() {
		f.Reference("6R", &number)
	}
	l.Rendering.loop(f, rendering, "PE")
}

// fields goes through the elements of the SV3, except the place and the pointers. The
// quantity is only written here.
func (l *Line) fields(f *x12.Fields) {
	f.PutComponent(1, 1, "AD").Component(1, 2, &l.Procedure, x12.MaxProcedure)
	f.Amount(2, &l.Fee)
	some(f, 1, 3, MaxModifiers, &l.Modifiers, 2)
	some(f, 4, 1, maxCavities, &l.OralCavity, maxCode)
	f.OneOf(5, &l.Prosthesis, "", ProsthesisInitial, ProsthesisReplacement).Put(6, x12.Int(max(l.Quantity, 1)))
}

// fields goes through the elements of the TOO.
func (t *Tooth) fields(f *x12.Fields) {
	f.Const(1, "JP").Code(2, &t.Number)
	some(f, 3, 1, maxSurfaces, &t.Surfaces, maxCode)
}

// loop goes through the segments of another payer under its SBR. Its payment date is not
// written if a line states it.
func (o *OtherPayer) loop(f *x12.Fields, dated bool) {
	adjustments(f, &o.Adjustments)
	amount(f, "D", &o.Paid)
	amount(f, "EAF", &o.Remaining)
	if f.Segment("OI") {
		consent(f, 3, &o.BenefitsAssigned, 6, &o.Release)
	}
	if s := &o.Subscriber; f.Within(insured) {
		if person(f, insured, &s.LastName, &s.FirstName, &s.MiddleName, &s.Suffix, "MI", &s.MemberID) && f.Reading() {
			s.Address = Address{}
		}
		address(f, &s.Address)
	}
	if f.Within(payerParty) {
		organization(f, payerParty, &o.Payer.Name, "PI", &o.Payer.PayerID)
		if f.Reading() || !dated {
			date(f, "573", &o.PaymentDate)
		}
		f.Reference("F8", &o.PayerClaimNumber)
	}
}

// loop goes through the segments under the SVD.
func (a *Adjudication) loop(f *x12.Fields) {
	adjustments(f, &a.Adjustments)
	date(f, "573", &a.PaymentDate)
}

// noName stands for a name without ASCII letters, which must not be empty.
const noName = "X"

// organization goes through the NM1 of an organization.
func organization(f *x12.Fields, entity string, name *string, qualifier x12.Element, id *string) bool {
	if !f.Qualified("NM1", entity) {
		return false
	}
	f.Const(2, "2").Text(3, name, x12.MaxLast).Otherwise(3, noName).ID(8, qualifier, id, x12.MaxID)
	return true
}

// fullName is organization for a party that may have the first name of a person.
func fullName(f *x12.Fields, entity string, name *string, qualifier x12.Element, id *string) {
	if organization(f, entity, name, qualifier, id) && f.Reading() {
		var first string
		f.Text(4, &first, x12.MaxFirst)
		*name = strings.TrimSpace(first + " " + *name)
	}
}

// person goes through the NM1 of a person.
func person(f *x12.Fields, entity string, last, first, middle, suffix *string, qualifier x12.Element, id *string) bool {
	if !f.Qualified("NM1", entity) {
		return false
	}
	f.Const(2, "1").Person(3, last, first, middle, suffix).Otherwise(3, noName).ID(8, qualifier, id, x12.MaxID)
	return true
}

// npi returns an ID that was read if it is a National Provider Identifier.
func npi(f *x12.Fields, id string) string {
	var qualifier string
	if f.Code(8, &qualifier); qualifier != "XX" {
		return ""
	}
	return id
}

// address goes through N3 and N4. The ZIP code is written without a dash.
func address(f *x12.Fields, a *Address) {
	if f.Reading() {
		a.Loop(f)
		return
	}
	written := *a
	written.ZIP = strings.ReplaceAll(a.ZIP, "-", "")
	written.Loop(f)
}

// blank reports whether nothing of the address can be written.
func blank(a *Address) bool {
	for _, s := range [...]string{a.Line1, a.Line2, a.City, a.State, strings.ReplaceAll(a.ZIP, "-", "")} {
		if x12.Text(s) != "" {
			return false
		}
	}
	return true
}

func demographics(f *x12.Fields, born *billing.Date, gender *string) {
	if !f.Reading() && born.IsZero() && *gender == "" || !f.Segment("DMG") {
		return
	}
	if f.Day(2, born); !born.IsZero() {
		f.Const(1, "D8")
	}
	if f.CodeOr(3, gender, GenderUnknown); f.Reading() {
		*gender = genderOf(*gender)
	}
}

// contact goes through a PER with a number. A name alone is no contact.
func contact(f *x12.Fields, name, telephone, email *string) {
	var all []x12.Contact
	if !f.Reading() && f.Optional("PER") {
		f.Const(1, "IC").Const(2, x12.Clip(*name, x12.MaxLast))
		if f.ID(3, "TE", telephone, x12.MaxContact); x12.Text(*telephone) == "" {
			f.ID(3, "EM", email, x12.MaxContact)
		} else {
			f.ID(5, "EM", email, x12.MaxContact)
		}
	} else if f.Contacts(&all, math.MaxInt16); all != nil {
		*name, *telephone, *email = all[0].Name, "", ""
		for _, n := range all[0].Numbers {
			switch n.Qualifier {
			case "TE":
				*telephone = n.Value
			case "EM":
				*email = n.Value
			}
		}
	}
}

func date(f *x12.Fields, qualifier string, day *billing.Date) {
	if f.Qualified("DTP", qualifier) {
		f.Const(2, "D8").Day(3, day)
	}
}

// amount goes through an AMT that states an amount, or none.
func amount(f *x12.Fields, qualifier string, m **billing.Money) {
	if (f.Reading() || *m != nil) && f.Qualified("AMT", qualifier) {
		if f.Reading() {
			*m = new(billing.Money)
		}
		f.Amount(2, *m)
	}
}

// adjustments goes through the CAS of a level, at most MaxAdjustments. The adjustments of
// a group stand together, at the place of the group's first one.
func adjustments(f *x12.Fields, all *[]Adjustment) {
	if f.Reading() {
		f.Adjustments(all, MaxAdjustments)
		return
	}
	sorted := make([]Adjustment, 0, len(*all))
	for i, first := range *all {
		group := string(x12.Clip(first.Group, maxCode))
		if group == "" || slices.ContainsFunc(sorted, func(a Adjustment) bool { return a.Group == group }) {
			continue
		}
		for _, a := range (*all)[i:] {
			if string(x12.Clip(a.Group, maxCode)) == group && x12.Text(a.Reason) != "" {
				a.Group = group
				sorted = append(sorted, a)
			}
		}
	}
	f.Adjustments(&sorted, MaxAdjustments)
}

// some goes through up to so many components of an element, from the first on, without
// empty ones.
func some(f *x12.Fields, n, first, most int, values *[]string, length int) {
	if f.Reading() {
		f.Components(n, first, values, length)
		if first > 1 { // other components follow
			*values = (*values)[:min(len(*values), most)]
		}
		*values = present(*values)
		return
	}
	at := first
	for _, v := range *values {
		if e := x12.Clip(v, length); e != "" && at < first+most {
			f.PutComponent(n, at, e)
			at++
		}
	}
}

// present returns the nonempty values.
func present(values []string) []string {
	if all := slices.DeleteFunc(values, func(v string) bool { return v == "" }); len(all) > 0 {
		return all
	}
	return nil
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
