package claim_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/billingtest"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

func on(year int, month time.Month, day int) billing.Date {
	return billing.Date{Year: year, Month: month, Day: day}
}

// goodClaim is a claim that no rule finds anything wrong with, and what rules
// know besides.
func goodClaim() (*claim.Claim, claim.RuleContext) {
	c := claim.Claim{ID: billing.ClaimID{15: 12}, Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal, PatientControlNumber: "pcn-1"}
	c.Content = claim.Content{
		Payer: directory.PayerSummary{ID: billing.PayerID{15: 4}}, PlaceOfService: "22", PriorAuthorization: "AUTH1", Note: "A note.",
		Subscriber: claim.Subscriber{
			FirstName: "Jane", LastName: "Roe", DateOfBirth: on(1985, 4, 12), MemberID: "W1", GroupNumber: "G1", Gender: claim.GenderFemale,
			Address: directory.Address{Line1: "2 Oak Street", Line2: "Flat 1", City: "Springfield", State: "IL", ZIP: "627010001"},
		},
		Patient: &claim.Patient{
			FirstName: "Kim", LastName: "Poe", DateOfBirth: on(2016, 5, 6), Relationship: coverage.RelationChild, Gender: claim.GenderUnknown,
		},
		Accident: &claim.Accident{Type: "auto", Date: on(2026, 3, 1), State: "TX"},
		Lines: []claim.Line{
			{ProcedureCode: "D2392", ServiceDate: on(2026, 3, 2), Fee: 100_00, Quantity: 1, Tooth: "A", Surfaces: []string{"M", "O"}},
			{
				ProcedureCode: "D4341", ServiceDate: on(2026, 3, 9), Fee: 12_50, Quantity: 2, OralCavity: []string{"10"},
				PriorPlacementDate: on(2020, 1, 31),
			},
		},
	}
	return &c, claim.RuleContext{
		Today: on(2026, 3, 20), Provider: &directory.Provider{NPI: "1679576722"}, Payer: &directory.Payer{Capabilities: directory.Capabilities{Claims: true}},
		Office: &directory.Office{
			Name: "Main Street", NPI: "1234567893", TaxID: "123456789", Phone: "2175550100", VerifiedAt: noon,
			Address: directory.Address{Line1: "1 Main Street", City: "Springfield", State: "IL", ZIP: "627010001"},
		},
	}
}

// enrolled is a live claim with an enrollment.
func enrolled(state directory.EnrollmentState) func(*claim.Claim, *claim.RuleContext) {
	return func(_ *claim.Claim, w *claim.RuleContext) {
		w.Sent, w.Enrollment = true, state
	}
}

// found lists findings as "field code".
func found(list []claim.Finding) (all []string) {
	for _, x := range list {
		all = append(all, x.Field+" "+x.Code)
	}
	return all
}

func line(change func(l *claim.Line)) func(*claim.Claim, *claim.RuleContext) {
	return func(c *claim.Claim, _ *claim.RuleContext) { change(&c.Lines[0]) }
}

type (
	aClaim      = claim.Claim
	ruleContext = claim.RuleContext
	service     = claim.Line
)

// judging are changes of a good claim with their findings, by name.
type judging map[string]struct {
	change func(c *aClaim, with *ruleContext)
	want   []string
}

func (all judging) test(t *testing.T) {
	t.Helper()
	for name, x := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, with := goodClaim()
			x.change(c, &with)
			if got := found(c.Judge(with)); !slices.Equal(got, x.want) {
				t.Errorf("%q\nwant %q", got, x.want)
			}
		})
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	judging{
		"nothing": {func(*aClaim, *ruleContext) {}, nil},
		"NPIs": {func(_ *aClaim, w *ruleContext) { w.Office.NPI, w.Provider.NPI = "1234567890", "" }, []string{
			"office_id office_npi", "rendering_provider_id provider_npi",
		}},
		"no provider":                    {func(_ *aClaim, w *ruleContext) { w.Provider = nil }, []string{"rendering_provider_id required"}},
		"what is not known":              {func(_ *aClaim, w *ruleContext) { w.Office, w.Payer = nil, nil }, nil},
		"a payer without claims":         {func(_ *aClaim, w *ruleContext) { w.Payer.Capabilities.Claims = false }, []string{"payer_id payer_takes_no_claims"}},
		"an office that is not verified": {func(_ *aClaim, w *ruleContext) { w.Sent, w.Office.VerifiedAt = true, time.Time{} }, []string{"office_id office_not_verified"}},
		"no network yet": {func(_ *aClaim, w *ruleContext) {
			w.Office.VerifiedAt, w.Enrollment = time.Time{}, directory.EnrollmentRejected
		}, nil},
		"a verified office":       {func(_ *aClaim, w *ruleContext) { w.Sent = true }, nil},
		"an enrollment needed":    {enrolled(directory.EnrollmentNeeded), []string{"payer_id enrollment_not_active"}},
		"an enrollment submitted": {enrolled(directory.EnrollmentSubmitted), []string{"payer_id enrollment_not_active"}},
		"an enrollment rejected":  {enrolled(directory.EnrollmentRejected), []string{"payer_id enrollment_not_active"}},
		"an enrollment active":    {enrolled(directory.EnrollmentActive), nil},
		"no enrollment needed":    {enrolled(directory.EnrollmentNotNeeded), nil},
		"a draft with nothing": {func(c *aClaim, _ *ruleContext) { *c = aClaim{Kind: claim.KindClaim} }, []string{
			"subscriber.first_name required", "subscriber.last_name required", "subscriber.date_of_birth required", "subscriber.member_id required",
			"subscriber.address required", "lines required",
		}},
		"empty parts": {func(c *aClaim, _ *ruleContext) {
			c.Subscriber.Address, c.Patient, c.Accident = directory.Address{Line2: "x"}, &claim.Patient{}, &claim.Accident{}
			c.Lines = []service{{}}
		}, []string{
			"subscriber.address.line1 required", "subscriber.address.city required", "subscriber.address.state required", "subscriber.address.zip required",
			"patient.first_name required", "patient.last_name required", "patient.date_of_birth required", "patient.relationship required",
			"accident.type required", "accident.date required",
			"lines.0.procedure_code required", "lines.0.service_date required", "lines.0.fee fee_zero",
		}},
		"blank names": {func(c *aClaim, _ *ruleContext) { c.Subscriber.FirstName, c.Patient.LastName = " ", "\t" }, []string{
			"subscriber.first_name required", "patient.last_name required",
		}},

		"names in other letters": {func(c *aClaim, _ *ruleContext) { c.Subscriber.LastName, c.Patient.FirstName = "李小龙", "🦷" }, []string{
			"subscriber.last_name name_not_latin", "patient.first_name name_not_latin",
		}},
		"names with accents": {func(c *aClaim, _ *ruleContext) { c.Subscriber.LastName, c.Patient.FirstName = "Łęcki", "Ø" }, nil},

		"a dependent born after the first service":           {func(c *aClaim, _ *ruleContext) { c.Patient.DateOfBirth = on(2026, 3, 3) }, []string{"patient.date_of_birth date_of_birth_late"}},
		"a dependent born that day":                          {func(c *aClaim, _ *ruleContext) { c.Patient.DateOfBirth = on(2026, 3, 2) }, nil},
		"a subscriber born after the service of a dependent": {func(c *aClaim, _ *ruleContext) { c.Subscriber.DateOfBirth = on(2026, 3, 3) }, nil},
		"a subscriber of the future":                         {func(c *aClaim, _ *ruleContext) { c.Subscriber.DateOfBirth = on(2026, 3, 21) }, []string{"subscriber.date_of_birth date_of_birth_late"}},
		"a subscriber born after the first service": {func(c *aClaim, _ *ruleContext) { c.Patient, c.Subscriber.DateOfBirth = nil, on(2026, 3, 3) }, []string{
			"subscriber.date_of_birth date_of_birth_late",
		}},
		"121 years": {func(c *aClaim, _ *ruleContext) {
			c.Subscriber.DateOfBirth, c.Patient.DateOfBirth = on(1905, 3, 20), on(1800, 1, 1)
		}, []string{"subscriber.date_of_birth date_of_birth_early", "patient.date_of_birth date_of_birth_early"}},
		"120 years": {func(c *aClaim, _ *ruleContext) { c.Subscriber.DateOfBirth = on(1905, 3, 21) }, nil},

		"a state that is none":  {func(c *aClaim, _ *ruleContext) { c.Subscriber.Address.State, c.Accident.State = "XX", "AP" }, []string{"subscriber.address.state state_unknown"}},
		"a ZIP code of nowhere": {func(c *aClaim, _ *ruleContext) { c.Subscriber.Address.ZIP = "000001234" }, []string{"subscriber.address.zip zip_unknown"}},
		"the lowest ZIP code":   {func(c *aClaim, _ *ruleContext) { c.Subscriber.Address.ZIP = "00501" }, nil},
		"a street in Cyrillic":  {func(c *aClaim, _ *ruleContext) { c.Subscriber.Address.Line1 = "улица Мира 5" }, []string{"subscriber.address.line1 text_not_carried"}},
		"a note in Japanese":    {func(c *aClaim, _ *ruleContext) { c.Note = "歯" }, []string{"note text_not_carried"}},
		"a note with accents":   {func(c *aClaim, _ *ruleContext) { c.Note = "Zoë’s crown – 2:1" }, nil},
		"other texts": {func(c *aClaim, _ *ruleContext) {
			c.Subscriber.Address.Line2, c.Subscriber.Address.City, c.PriorAuthorization = "歯", "Москва", "№7"
		}, []string{"subscriber.address.line2 text_not_carried", "subscriber.address.city text_not_carried", "prior_authorization text_not_carried"}},
		"a line of dashes": {func(c *aClaim, _ *ruleContext) { c.Subscriber.Address.Line1 = "--" }, []string{"subscriber.address.line1 address_line"}},

		"an auto accident somewhere":  {func(c *aClaim, _ *ruleContext) { c.Accident.State = "" }, []string{"accident.state accident_state_required"}},
		"another accident somewhere":  {func(c *aClaim, _ *ruleContext) { c.Accident.Type, c.Accident.State = "other", "" }, nil},
		"an accident in the future":   {func(c *aClaim, _ *ruleContext) { c.Accident.Date = on(2026, 3, 21) }, []string{"accident.date accident_date_future"}},
		"an accident in no state":     {func(c *aClaim, _ *ruleContext) { c.Accident.State = "ZZ" }, []string{"accident.state state_unknown"}},
		"no accident":                 {func(c *aClaim, _ *ruleContext) { c.Accident = nil }, nil},
		"services today":              {line(func(l *service) { l.ServiceDate = on(2026, 3, 20) }), nil},
		"services tomorrow":           {line(func(l *service) { l.ServiceDate = on(2026, 3, 21) }), []string{"lines.0.service_date service_date_future"}},
		"services two years ago":      {line(func(l *service) { l.ServiceDate = on(2024, 3, 20) }), nil},
		"services over two years ago": {line(func(l *service) { l.ServiceDate = on(2024, 3, 19) }), []string{"lines.0.service_date service_date_old"}},
		"a late replacement": {func(c *aClaim, _ *ruleContext) {
			c.Frequency, c.Lines[0].ServiceDate = claim.FrequencyReplacement, on(2023, 3, 19)
		}, nil},
		"an undated predetermination": {func(c *aClaim, _ *ruleContext) {
			c.Kind, c.Lines[0].ServiceDate, c.Lines[1].ServiceDate = claim.KindPredetermination, billing.Date{}, billing.Date{}
		}, nil},
		"placed on the day of service": {func(c *aClaim, _ *ruleContext) { c.Lines[1].PriorPlacementDate = on(2026, 3, 9) }, nil},
		"placed after the service":     {func(c *aClaim, _ *ruleContext) { c.Lines[1].PriorPlacementDate = on(2026, 3, 10) }, []string{"lines.1.prior_placement_date prior_placement_late"}},
		"placed in the future": {func(c *aClaim, _ *ruleContext) {
			c.Lines[1].ServiceDate, c.Lines[1].PriorPlacementDate, c.Kind = billing.Date{}, on(2026, 3, 21), claim.KindPredetermination
		}, []string{"lines.1.prior_placement_date prior_placement_late"}},

		"no tooth to restore":  {line(func(l *service) { l.Tooth, l.Surfaces = "", nil }), []string{"lines.0.tooth tooth_required", "lines.0.surfaces surfaces_required"}},
		"surfaces of no tooth": {func(c *aClaim, _ *ruleContext) { c.Lines[1].Surfaces = []string{"M"} }, []string{"lines.1.tooth tooth_required"}},
		"a tooth cleaned":      {line(func(l *service) { l.ProcedureCode, l.Surfaces = "D1120", nil }), []string{"lines.0.tooth tooth_not_allowed"}},
		"a tooth that is none": {line(func(l *service) { l.Tooth = "33" }), []string{"lines.0.tooth tooth_unknown"}},
		"surfaces that are none": {line(func(l *service) { l.Surfaces = []string{"X", "MO", "M", "M"} }), []string{
			"lines.0.surfaces surface_unknown", "lines.0.surfaces surface_repeated",
		}},
		"six surfaces":               {line(func(l *service) { l.Surfaces = strings.Split("MODBFL", "") }), []string{"lines.0.surfaces surfaces_too_many"}},
		"five, the cheek's included": {line(func(l *service) { l.Surfaces = strings.Split("MODBL", "") }), nil},
		"the edge of a molar":        {line(func(l *service) { l.Surfaces = []string{"I"} }), []string{"lines.0.surfaces surface_not_of_tooth"}},
		"areas that are none": {func(c *aClaim, _ *ruleContext) { c.Lines[1].OralCavity = []string{"50", "10", "10"} }, []string{
			"lines.1.oral_cavity oral_cavity_unknown", "lines.1.oral_cavity oral_cavity_repeated",
		}},
		"a fee of a cent":      {line(func(l *service) { l.Fee = 1 }), nil},
		"no fee":               {line(func(l *service) { l.Fee = 0 }), []string{"lines.0.fee fee_zero"}},
		"a house without name": {func(c *aClaim, _ *ruleContext) { c.Subscriber.Address.Line1 = "-5-" }, nil},
		"the last state":       {func(c *aClaim, _ *ruleContext) { c.Subscriber.Address.State, c.Accident.State = "AP", "WY" }, nil},
		"an accident today":    {func(c *aClaim, _ *ruleContext) { c.Accident.Date = on(2026, 3, 20) }, nil},
		"five areas":           {func(c *aClaim, _ *ruleContext) { c.Lines[1].OralCavity = []string{"10", "20", "30", "40", "L"} }, nil},
		"six areas":            {func(c *aClaim, _ *ruleContext) { c.Lines[1].OralCavity = []string{"10", "20", "30", "40", "L", "R"} }, []string{"lines.1.oral_cavity oral_cavity_too_many"}},
	}.test(t)
}

func TestMemberIDs(t *testing.T) {
	t.Parallel()
	for id, good := range map[string]bool{
		"W1": true, "SANDBOX-PAID-ERA": true, "123456789": true, " u83 00-1/2.a_b#1 ": true,
		"1": false, "-": false, "--1": false, "A*B1": false, "Ä12": false, "12\n34": false, "12~34": false,
	} {
		c, with := goodClaim()
		c.Subscriber.MemberID = id
		want := []string{"subscriber.member_id member_id_form"}
		if got := found(c.Judge(with)); good != (got == nil) || !good && !slices.Equal(got, want) {
			t.Errorf("%q: %q", id, got)
		}
	}
}

// The teeth of both sets, with the surfaces that only front or back teeth have.
func TestTeethAndTheirSurfaces(t *testing.T) {
	t.Parallel()
	front := map[string]bool{}
	for _, s := range strings.Fields("6 7 8 9 10 11 22 23 24 25 26 27 C D E F G H M N O P Q R") {
		front[s] = true
	}
	teeth := map[string]bool{}
	for n := 1; n <= 32; n++ {
		teeth[strconv.Itoa(n)], teeth[strconv.Itoa(n+50)] = front[strconv.Itoa(n)], front[strconv.Itoa(n)]
	}
	for letter := 'A'; letter <= 'T'; letter++ {
		teeth[string(letter)], teeth[string(letter)+"S"] = front[string(letter)], front[string(letter)]
	}
	if len(teeth) != 2*32+2*20 {
		t.Fatal(len(teeth))
	}
	judged := func(tooth, surface string) string {
		c, with := goodClaim()
		c.Lines[0].Tooth, c.Lines[0].Surfaces = tooth, []string{surface}
		return strings.Join(found(c.Judge(with)), ",")
	}
	const wrong = "lines.0.surfaces surface_not_of_tooth"
	for tooth, isFront := range teeth {
		for surface, want := range map[string]string{
			"I": map[bool]string{false: wrong}[isFront], "O": map[bool]string{true: wrong}[isFront], "M": "", "D": "", "B": "", "F": "", "L": "",
		} {
			if got := judged(tooth, surface); got != want {
				t.Errorf("surface %s of tooth %s: %q, want %q", surface, tooth, got, want)
			}
		}
	}
	for _, tooth := range []string{"0", "33", "50", "83", "99", "100", "03", "U", "US", "SA", "AA", "1S", "-1", "a", "É", "1,2"} {
		if got := judged(tooth, "M"); got != "lines.0.tooth tooth_unknown" {
			t.Errorf("tooth %q: %q", tooth, got)
		}
	}
}

// What a category of procedures needs. The leading digits alone determine it.
func TestProceduresAndTeeth(t *testing.T) {
	t.Parallel()
	for codes, want := range map[string]string{
		"D2140 D2161 D2330 D2391 D2394":                   "tooth surfaces",
		"D2390 D2740 D2950 D3310 D3330 D1351":             "tooth",
		"D6245 D6750 D7140 D7240 D7250":                   "tooth",
		"D1120 D1208":                                     "none",
		"D0120 D0220 D2999 D3999 D5110 D6190 D7310 D9110": "",
	} {
		for code := range strings.FieldsSeq(codes) {
			judged := func(tooth string) string {
				c, with := goodClaim()
				c.Lines[0].ProcedureCode, c.Lines[0].Tooth, c.Lines[0].Surfaces = code, tooth, nil
				return strings.Join(found(c.Judge(with)), ",")
			}
			without, with := "", ""
			switch want {
			case "tooth":
				without = "lines.0.tooth tooth_required"
			case "tooth surfaces":
				without, with = "lines.0.tooth tooth_required,lines.0.surfaces surfaces_required", "lines.0.surfaces surfaces_required"
			case "none":
				with = "lines.0.tooth tooth_not_allowed"
			}
			if got := judged(""); got != without {
				t.Errorf("%s without a tooth: %q, want %q", code, got, without)
			}
			if got := judged("14"); got != with {
				t.Errorf("%s with a tooth: %q, want %q", code, got, with)
			}
		}
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	const twice, again = "lines.1.procedure_code duplicate_line", "lines.0.procedure_code duplicate_service"
	for name, x := range map[string]struct {
		within func(c *aClaim) // changes the claim, whose second line is a copy of the first
		other  func(c *aClaim) // changes a copy of it, which another claim is; nil for none
		want   []string
	}{
		"lines":                 {func(*aClaim) {}, nil, []string{twice}},
		"another fee":           {func(c *aClaim) { c.Lines[1].Fee++ }, nil, []string{twice}},
		"surfaces turned round": {func(c *aClaim) { c.Lines[1].Surfaces = []string{"O", "M"} }, nil, []string{twice}},
		"another surface":       {func(c *aClaim) { c.Lines[1].Surfaces = []string{"D"} }, nil, nil},
		"another tooth":         {func(c *aClaim) { c.Lines[1].Tooth = "B" }, nil, nil},
		"another day":           {func(c *aClaim) { c.Lines[1].ServiceDate = on(2026, 3, 3) }, nil, nil},
		"another procedure":     {func(c *aClaim) { c.Lines[1].ProcedureCode = "D2393" }, nil, nil},
		"another quadrant":      {func(c *aClaim) { c.Lines[1].OralCavity = []string{"20"} }, nil, nil},
		"lines of no procedure": {func(c *aClaim) { c.Lines = make([]claim.Line, 2) }, nil, nil},
		"another claim":         {single, func(*aClaim) {}, []string{again}},
		"in other letters":      {single, func(c *aClaim) { c.Subscriber.MemberID = " w1" }, []string{again}},
		"secondary claims":      {func(c *aClaim) { single(c); c.Coverage = billing.SequenceSecondary }, func(*aClaim) {}, nil},
		"its secondary claim":   {single, func(c *aClaim) { c.Coverage = billing.SequenceSecondary }, nil},
		"the claim it follows":  {func(c *aClaim) { single(c); c.SecondaryTo = billing.ClaimID{15: 77} }, func(c *aClaim) { c.SecondaryTo = billing.ClaimID{} }, nil},
		"the one that follows":  {single, func(c *aClaim) { c.SecondaryTo = billing.ClaimID{15: 12} }, nil},
		"another modifier":      {func(c *aClaim) { c.Lines[1].Modifiers = []string{"76"} }, nil, nil},
		"several teeth":         {func(c *aClaim) { severalTeeth(c, "3", "4"); c.Lines[1].Teeth = []string{"4", "3"} }, nil, []string{twice}},
		"other teeth":           {func(c *aClaim) { severalTeeth(c, "3", "4"); c.Lines[1].Teeth = []string{"3", "5"} }, nil, nil},
		"itself":                {single, func(c *aClaim) { c.ID = billing.ClaimID{15: 12} }, nil},
		"another plan":          {single, func(c *aClaim) { c.Subscriber.MemberID = "W2" }, nil},
		"another payer":         {single, func(c *aClaim) { c.Payer.ID = billing.PayerID{15: 5} }, nil},
		"a predetermination":    {single, func(c *aClaim) { c.Kind = claim.KindPredetermination }, nil},
		"asked for again":       {func(c *aClaim) { single(c); c.Kind = claim.KindPredetermination }, func(c *aClaim) { c.Kind = claim.KindClaim }, nil},
		"a void transaction":    {single, func(c *aClaim) { c.Frequency = claim.FrequencyVoid }, nil},
		"reconciled as paid": {single, func(c *aClaim) {
			c.State, c.Standing = claim.Reconciled, &claim.Standing{Outcome: remit.OutcomePaid}
		}, []string{again}},
		"reconciled as denied": {single, func(c *aClaim) {
			c.State, c.Standing = claim.Reconciled, &claim.Standing{Outcome: remit.OutcomeDenied}
		}, nil},
		"reconciled as reversed": {single, func(c *aClaim) { c.State, c.Standing = claim.Reconciled, nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, with := goodClaim()
			c.Lines[1] = c.Lines[0]
			x.within(c)
			if x.other != nil {
				other := *c
				other.ID, other.State = billing.ClaimID{15: 77}, claim.Queued
				x.other(&other)
				with.Similar = []*claim.Claim{c, &other}
			}
			got := slices.DeleteFunc(found(c.Judge(with)), func(s string) bool { return !strings.Contains(s, "duplicate") })
			if !slices.Equal(got, x.want) {
				t.Errorf("%q, want %q", got, x.want)
			}
		})
	}
	for _, s := range claim.States() {
		c, with := goodClaim()
		single(c)
		other := *c
		other.ID, other.State, other.Standing = billing.ClaimID{15: 77}, s, &claim.Standing{Outcome: remit.OutcomePaid}
		with.Similar = []*claim.Claim{&other}
		goes := slices.Contains([]claim.State{
			claim.Validated, claim.Queued, claim.Submitted, claim.AcceptedClearinghouse,
			claim.AcceptedPayer, claim.Paid, claim.Reconciled,
		}, s)
		if got := found(c.Judge(with)); goes != slices.Equal(got, []string{again}) || !goes && got != nil {
			t.Errorf("beside one that is %s: %q", s, got)
		}
	}
}

func single(c *claim.Claim) { c.Lines = c.Lines[:1] }

func severalTeeth(c *claim.Claim, teeth ...string) {
	for i := range c.Lines {
		c.Lines[i].ProcedureCode, c.Lines[i].Tooth, c.Lines[i].Surfaces, c.Lines[i].Teeth = "D4910", "", nil, teeth
	}
}

// Every finding names a field that a request has, says what and how in
// sentences, and does not repeat what the claim says of the patient.
func TestFindingsHelpAndRevealNothing(t *testing.T) {
	t.Parallel()
	c, with := goodClaim()
	c.Subscriber.MemberID, c.Subscriber.Address.State, c.Subscriber.Address.ZIP = "Jane*Roe", "QQ", "00000"
	c.Patient.DateOfBirth, c.Accident.Date, c.Accident.State = on(2026, 3, 19), on(2027, 1, 1), "QQ"
	c.Lines[1] = c.Lines[0]
	c.Lines[0].Tooth, c.Lines[0].Surfaces, c.Lines[0].OralCavity = "99", strings.Split("XXMODBF", ""), strings.Split("ZZ0123", "")
	c.Lines[0].ServiceDate, c.Lines[0].PriorPlacementDate, c.Lines[0].Fee = on(1999, 1, 1), on(2026, 3, 19), 0
	with.Office.NPI, with.Provider.NPI, with.Payer.Capabilities.Claims = "1", "1", false
	c.Coverage, c.Orthodontics = billing.SequenceTertiary, &claim.Orthodontics{TotalMonths: 71, MonthsRemaining: 72, ApplianceDate: on(2026, 3, 19)}
	c.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequenceTertiary, Adjudication: &claim.CoverageAdjudication{
		Paid: 717, Lines: []claim.CoverageLine{{LineNumber: 7}, {LineNumber: 1, Paid: 717}},
	}}}
	c.Note, c.MissingTeeth, c.TeethToExtract = strings.Repeat("Poe 717 ", 99), []string{"71", "71"}, []string{"71", "99"}
	list := c.Judge(with)
	if len(list) < 28 {
		t.Fatalf("%q", found(list))
	}
	sentence, code := regexp.MustCompile(`^[A-Z].*\.$`), regexp.MustCompile(`^[a-z_]+$`)
	for _, x := range list {
		if !sentence.MatchString(x.Message) || !sentence.MatchString(x.Fix) || !code.MatchString(x.Code) {
			t.Errorf("%+v", x)
		}
		for _, secret := range []string{"Jane", "Roe", "Kim", "Poe", "QQ", "99", "71", "72", "ZZ", "1999", "2026"} {
			if strings.Contains(fmt.Sprint(x), secret) {
				t.Errorf("%+v contains %q", x, secret)
			}
		}
	}
	if again := c.Judge(with); !reflect.DeepEqual(again, list) {
		t.Errorf("judged again: %q", found(again))
	}
	faults := claim.FindingFaults(list[:2])
	if len(faults) != 2 || billingtest.FieldCodes(faults)[0] != list[0].Field+" not_allowed" || faults[0].Message != list[0].Message+" "+list[0].Fix {
		t.Errorf("%+v", faults)
	}
}
