package claim_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
)

func TestOfficeRules(t *testing.T) {
	t.Parallel()
	office := func(change func(o *directory.Office)) func(*aClaim, *ruleContext) {
		return func(_ *aClaim, w *ruleContext) { change(w.Office) }
	}
	judging{
		"an NPI alone": {office(func(o *directory.Office) { *o = directory.Office{Name: o.Name, NPI: o.NPI} }), []string{
			"office_id office_tax_id", "office_id office_address", "office_id office_phone",
		}},
		"a tax ID of 8 digits":       {office(func(o *directory.Office) { o.TaxID = "12345678" }), []string{"office_id office_tax_id"}},
		"a city of one letter":       {office(func(o *directory.Office) { o.Address.City = "X" }), nil},
		"a street without a state":   {office(func(o *directory.Office) { o.Address.State = "" }), []string{"office_id office_address"}},
		"a ZIP code of 5 digits":     {office(func(o *directory.Office) { o.Address.ZIP = "62701" }), []string{"office_id office_zip"}},
		"a ZIP code with a dash":     {office(func(o *directory.Office) { o.Address.ZIP = "62701-0001" }), nil},
		"a telephone of 9 digits":    {office(func(o *directory.Office) { o.Phone = "217555010" }), []string{"office_id office_phone"}},
		"a P.O. box":                 {office(func(o *directory.Office) { o.Address.Line1 = "P. O. Box 12" }), []string{"office_id office_po_box"}},
		"a box without points":       {office(func(o *directory.Office) { o.Address.Line1 = "PO BOX 12" }), []string{"office_id office_po_box"}},
		"a box in full":              {office(func(o *directory.Office) { o.Address.Line1 = "Post Office Box 12" }), []string{"office_id office_po_box"}},
		"a box beside the street":    {office(func(o *directory.Office) { o.Address.Line2 = "p.o.box 1" }), []string{"office_id office_po_box"}},
		"a street that sounds alike": {office(func(o *directory.Office) { o.Address.Line1 = "1 Polo Boxwood Lane" }), nil},
		"a box for payments":         {office(func(o *directory.Office) { o.PayTo = directory.Address{Line1: "P.O. Box 12"} }), nil},
		"a street in Cyrillic":       {office(func(o *directory.Office) { o.Address.Line1 = "улица Мира 5" }), []string{"office_id text_not_carried"}},
		"a contact in Japanese":      {office(func(o *directory.Office) { o.ContactName = "歯" }), []string{"office_id text_not_carried"}},
		"a name in Japanese":         {office(func(o *directory.Office) { o.Name = "歯科" }), []string{"office_id name_not_latin"}},
		"a person's name in Latin": {office(func(o *directory.Office) {
			o.Name, o.Entity, o.FirstName, o.LastName = "歯科", directory.EntityPerson, "Ann", "Lee"
		}), nil},
	}.test(t)
}

func TestDetailRules(t *testing.T) {
	t.Parallel()
	claims := func(change func(c *aClaim)) func(*aClaim, *ruleContext) {
		return func(c *aClaim, _ *ruleContext) { change(c) }
	}
	braces := func(o claim.Orthodontics) func(*aClaim, *ruleContext) {
		return claims(func(c *aClaim) { c.Lines[1].ProcedureCode, c.Orthodontics = "D8080", &o })
	}
	judging{
		"all details": {claims(func(c *aClaim) {
			c.PredeterminationNumber, c.ReferralNumber, c.DiagnosisCodes = "P 1", "R-1", []string{"K021", "K0381"}
			c.ReferringProvider = &claim.ReferringProvider{FirstName: "Bo", LastName: "Ng", NPI: "1234567893"}
			c.Facility = &claim.Facility{Name: "Surgery", NPI: "1234567893", Address: c.Subscriber.Address}
			c.Orthodontics = &claim.Orthodontics{TotalMonths: 24, MonthsRemaining: 24, ApplianceDate: on(2026, 3, 9)}
			c.MissingTeeth, c.TeethToExtract = []string{"1", "16"}, []string{"17", "B", "51"}
			c.Subscriber.MiddleName, c.Subscriber.Suffix, c.Subscriber.GroupName = "Q", "JR", "Springfield Schools"
			c.Patient.MiddleName, c.Patient.Suffix, c.Patient.Address = "X", "III", c.Subscriber.Address
		}), nil},
		"texts that files cannot carry": {claims(func(c *aClaim) {
			c.PredeterminationNumber, c.ReferralNumber, c.Subscriber.GroupName, c.Subscriber.Suffix, c.Patient.Suffix = "№1", "№2", "歯科", "世", "世"
			c.Subscriber.MiddleName, c.Patient.MiddleName = "李", "龙"
			c.ReferringProvider, c.Facility = &claim.ReferringProvider{FirstName: "李", LastName: "龙"}, &claim.Facility{Name: "歯科", Address: c.Subscriber.Address}
			c.Facility.Address.City = "Москва"
		}), []string{
			"subscriber.middle_name name_not_latin", "subscriber.suffix text_not_carried", "subscriber.group_name text_not_carried",
			"patient.middle_name name_not_latin", "patient.suffix text_not_carried",
			"predetermination_number text_not_carried", "referral_number text_not_carried",
			"referring_provider.first_name name_not_latin", "referring_provider.last_name name_not_latin",
			"facility.name name_not_latin", "facility.address.city text_not_carried",
		}},
		"parts with nothing in them": {claims(func(c *aClaim) {
			c.ReferringProvider, c.Facility, c.Orthodontics = &claim.ReferringProvider{}, &claim.Facility{}, &claim.Orthodontics{}
		}), []string{"referring_provider.last_name required", "facility.name required", "facility.address required"}},
		"NPIs of others": {claims(func(c *aClaim) {
			c.ReferringProvider = &claim.ReferringProvider{LastName: "Ng", NPI: "1234567890"}
			c.Facility = &claim.Facility{Name: "Surgery", NPI: "1", Address: c.Subscriber.Address}
		}), []string{"referring_provider.npi provider_npi", "facility.npi provider_npi"}},
		"half an address of the patient": {claims(func(c *aClaim) { c.Patient.Address = directory.Address{Line1: "3 Elm St", City: "Peoria"} }), []string{
			"patient.address.state required", "patient.address.zip required",
		}},

		"orthodontics without their course": {line(func(l *service) { l.ProcedureCode, l.Tooth, l.Surfaces = "D8080", "", nil }), []string{"orthodontics orthodontics_required"}},
		"a visit without the course":        {line(func(l *service) { l.ProcedureCode, l.Tooth, l.Surfaces = "D8670", "", nil }), []string{"orthodontics orthodontics_required"}},
		"a visit before the treatment":      {line(func(l *service) { l.ProcedureCode, l.Tooth, l.Surfaces = "D8660", "", nil }), nil},
		"braces on the day of the service":  {braces(claim.Orthodontics{TotalMonths: 24, MonthsRemaining: 24, ApplianceDate: on(2026, 3, 9)}), nil},
		"more months than all":              {braces(claim.Orthodontics{TotalMonths: 24, MonthsRemaining: 25, ApplianceDate: on(2026, 3, 9)}), []string{"orthodontics.months_remaining months_remaining_many"}},
		"months of a course of no length":   {braces(claim.Orthodontics{MonthsRemaining: 25, ApplianceDate: on(2026, 3, 9)}), nil},
		"braces after the service":          {braces(claim.Orthodontics{ApplianceDate: on(2026, 3, 10)}), []string{"orthodontics.appliance_date appliance_date_late"}},
		"braces that were never placed":     {braces(claim.Orthodontics{TotalMonths: 24}), []string{"orthodontics.appliance_date required"}},
		"an estimate for braces": {claims(func(c *aClaim) {
			c.Kind, c.Lines[1].ProcedureCode, c.Orthodontics = claim.KindPredetermination, "D8080", &claim.Orthodontics{TotalMonths: 24}
		}), nil},
		"braces that are planned": {claims(func(c *aClaim) {
			c.Kind, c.Orthodontics = claim.KindPredetermination, &claim.Orthodontics{ApplianceDate: on(2026, 4, 10)}
		}), nil},

		"teeth that are none": {claims(func(c *aClaim) { c.MissingTeeth, c.TeethToExtract = []string{"33"}, []string{"U"} }), []string{
			"missing_teeth tooth_unknown", "teeth_to_extract tooth_unknown",
		}},
		"one missing, another extracted": {claims(func(c *aClaim) { c.MissingTeeth, c.TeethToExtract = []string{"1"}, []string{"2"} }), nil},
		"missing and extracted":          {claims(func(c *aClaim) { c.MissingTeeth, c.TeethToExtract = []string{"1"}, []string{"1"} }), []string{"teeth_to_extract tooth_missing"}},
		"35 teeth":                       {claims(func(c *aClaim) { c.MissingTeeth, c.TeethToExtract = permanent(30), strings.Fields("C D E F G") }), nil},
		"36 teeth": {claims(func(c *aClaim) { c.MissingTeeth, c.TeethToExtract = permanent(30), strings.Fields("C D E F G H") }), []string{
			"missing_teeth teeth_too_many",
		}},
		"a pointer to none":       {line(func(l *service) { l.DiagnosisPointers = []int{1} }), []string{"lines.0.diagnosis_pointers diagnosis_unknown"}},
		"a pointer past the last": {claims(func(c *aClaim) { c.DiagnosisCodes, c.Lines[0].DiagnosisPointers = []string{"K021"}, []int{1, 2} }), []string{"lines.0.diagnosis_pointers diagnosis_unknown"}},
		"a pointer to the last":   {claims(func(c *aClaim) { c.DiagnosisCodes, c.Lines[0].DiagnosisPointers = []string{"K021"}, []int{1} }), nil},

		"a note of 400 letters":      {claims(func(c *aClaim) { c.Note = strings.Repeat("x", 400) }), nil},
		"a note of 401 letters":      {claims(func(c *aClaim) { c.Note = strings.Repeat("x", 401) }), []string{"note note_too_long"}},
		"320 beside an attachment":   {func(c *aClaim, w *ruleContext) { c.Note, w.Attached = strings.Repeat("x", 320), 1 }, nil},
		"321 beside an attachment":   {func(c *aClaim, w *ruleContext) { c.Note, w.Attached = strings.Repeat("x", 321), 1 }, []string{"note note_too_long"}},
		"a note beside attachments":  {func(_ *aClaim, w *ruleContext) { w.Attached = 5 }, []string{"note note_too_long"}},
		"no note beside attachments": {func(c *aClaim, w *ruleContext) { c.Note, w.Attached = " ", 7 }, nil},
		"ligatures that become two":  {claims(func(c *aClaim) { c.Note = strings.Repeat("x", 399) + "ß" }), []string{"note note_too_long"}},
	}.test(t)
}

func TestNoteFindingCounts(t *testing.T) {
	t.Parallel()
	c, with := goodClaim()
	c.Note, with.Attached = strings.Repeat("secret", 58), 1 // 348 characters for 320
	list := c.Judge(with)
	if len(list) != 1 || !strings.Contains(list[0].Message, " last 28 characters ") || strings.Contains(list[0].Message, "secret") {
		t.Errorf("%+v", list)
	}
}

// permanent returns the first n permanent teeth.
func permanent(n int) (teeth []string) {
	return strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32")[:n]
}
