package edi_test

import (
	"slices"
	"strings"
	"testing"
)

func TestPlanRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		want     map[string]string
		notes    []string
	}{
		"missing tooth": {
			[]string{"EB*F", "MSG*NO MISSING TOOTH CLAUSE EXISTS"}, map[string]string{"missing_tooth_clause": "NO MISSING TOOTH CLAUSE EXISTS"}, nil,
		},
		"missing tooth, in other words": {
			[]string{"EB*F**39", "MSG*TEETH LOST BEFORE COVERAGE ARE NOT REPLACED"},
			map[string]string{"missing_tooth_clause": "TEETH LOST BEFORE COVERAGE ARE NOT REPLACED"},
			nil,
		},
		"waiting periods of a category and another": {
			[]string{"EB*F**25", "MSG*6 MONTH WAITING PERIOD", "EB*F**36", "MSG*WAITING PERIOD FOR MAJOR SERVICES: 12 MONTHS"},
			map[string]string{"waiting_period": "basic: 6 MONTH WAITING PERIOD; WAITING PERIOD FOR MAJOR SERVICES: 12 MONTHS"},
			nil,
		},
		"a waiting period as a service type": {
			[]string{"EB*F**32******MN*6"}, map[string]string{"waiting_period": "6 months"}, nil,
		},
		"a waiting period of a service type": {
			[]string{"EB*F**32^36***34***P6*12"}, map[string]string{"waiting_period": "major: 12 months"}, nil,
		},
		"a waiting period of two service types, in words": {
			[]string{"EB*F**36^39", "MSG*12 MONTH WAITING PERIOD", "EB*F**32^25^26", "MSG*6 MONTHS"},
			map[string]string{"waiting_period": "major, prosthodontics: 12 MONTH WAITING PERIOD; basic, endodontics: 6 MONTHS"},
			nil,
		},
		"a waiting period of a class": {
			[]string{"EB*F**30", "MSG*BENEFITCLASS=CLASS IV", "MSG*12 MONTH WAITING PERIOD"},
			map[string]string{"waiting_period": "CLASS IV: 12 MONTH WAITING PERIOD"},
			nil,
		},
		"a waiting period of the whole plan": {
			[]string{"EB*F**35^36^39", "MSG*NO WAITING PERIOD"}, map[string]string{"waiting_period": "NO WAITING PERIOD"}, nil,
		},
		"a waiting period that ends": {
			[]string{"EB*F**32", "DTP*348*D8*20270101"}, map[string]string{"waiting_period": "until 2027-01-01"}, nil,
		},
		"benefits that begin later": {
			[]string{"EB*A**36^39*****.5", "DTP*348*D8*20270101"}, map[string]string{"waiting_period": "major, prosthodontics from 2027-01-01"}, nil,
		},
		"benefits that began": {[]string{"EB*A**36*****.5", "DTP*348*D8*20260615"}, map[string]string{}, nil},
		"authorization": {
			[]string{"EB*F", "MSG*A PRE-DETERMINATION IS ADVISED OVER $300", "EB*A**36*****.5***Y", "EB*1**35********Y"},
			map[string]string{"pre_authorization": "A PRE-DETERMINATION IS ADVISED OVER $300; Authorization is needed for major; Authorization is needed"},
			nil,
		},
		"coordination of benefits": {
			[]string{"EB*F", "MSG*COB: BIRTHDAY RULE", "EB*R**35", "LS*2120", "NM1*PRP*2*OTHER DENTAL", "LE*2120"},
			map[string]string{"coordination_of_benefits": "COB: BIRTHDAY RULE; The payer knows of another payer: OTHER DENTAL"},
			nil,
		},
		"two other payers": {
			[]string{"EB*R**35", "LS*2120", "NM1*PRP*2*FIRST DENTAL", "LE*2120", "EB*R**35", "LS*2120", "NM1*PRP*2*SECOND DENTAL", "LE*2120"},
			map[string]string{
				"coordination_of_benefits": "The payer knows of another payer: FIRST DENTAL; The payer knows of another payer: SECOND DENTAL",
			},
			nil,
		},
		"preparation": {[]string{"EB*F", "MSG*PAID ON THE PREPARATION DATE"}, map[string]string{"major_services_paid_on": "prep_date"}, nil},
		"seat":        {[]string{"EB*F**36", "MSG*CROWNS ARE PAID ON SEAT DATE"}, map[string]string{"major_services_paid_on": "seat_date"}, nil},
		"both dates say nothing": {
			[]string{"EB*F", "MSG*PREP DATE OR SEAT DATE"}, map[string]string{}, []string{"PREP DATE OR SEAT DATE"},
		},
		"two rules in one": {
			[]string{"EB*F", "MSG*MISSING TOOTH CLAUSE AND WAITING PERIOD APPLY"},
			map[string]string{
				"missing_tooth_clause": "MISSING TOOTH CLAUSE AND WAITING PERIOD APPLY", "waiting_period": "MISSING TOOTH CLAUSE AND WAITING PERIOD APPLY",
			},
			nil,
		},
		"before the first EB": {
			[]string{"MSG*NO WAITING PERIOD APPLIES", "MSG*HELLO", "EB*1**35"},
			map[string]string{"waiting_period": "NO WAITING PERIOD APPLIES"},
			[]string{"HELLO"},
		},
		"of a procedure": {[]string{"EB*F************AD:D6010", "MSG*WAITING PERIOD 6 MONTHS"}, map[string]string{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := benefits(t, nil, c.segments...)
			sameMap(t, "plan_rules", ruleMap(b.PlanRules), c.want)
			sameList(t, "payer_notes", b.PayerNotes, c.notes)
		})
	}
}

func TestPayerNotesAreWhatIsLeft(t *testing.T) {
	t.Parallel()
	b := benefits(t, nil,
		"EB*1**35", "MSG*FIRST", "MSG*SECOND  WITH   SPACES", "EB*F**35", "MSG*FIRST", "EB*A**41*****0", "MSG*DEDUCTIBLE WAIVED",
		"EB*F**96", "MSG*BENEFITCLASS=HABIT APPLIANCE", "MSG*INITIAL ONLY", "EB*F**28", "MSG*LIMITED", "EB*F**23^41", "MSG*SHARED",
		"EB*F**33", "MSG*CHIROPRACTIC")
	sameList(t, "payer_notes", b.PayerNotes, []string{
		"FIRST", "SECOND WITH SPACES", "HABIT APPLIANCE: INITIAL ONLY", "Adjunctive services: LIMITED", "SHARED", "CHIROPRACTIC",
	})
	sameList(t, "preventive", b.Coverage[0].Notes, []string{"DEDUCTIBLE WAIVED"})
}

func TestNotReturnedListsWhatNoSegmentSays(t *testing.T) {
	t.Parallel()
	all := []string{
		"coverage_effective_date", "coverage_termination_date", "plan.name", "plan.type", "plan.group_number", "plan.benefit_period",
		"network_status", "maximums", "deductibles",
		"coverage.preventive", "coverage.diagnostic", "coverage.basic", "coverage.endodontics", "coverage.periodontics",
		"coverage.oral_surgery", "coverage.major", "coverage.prosthodontics", "coverage.implants", "coverage.orthodontics",
		"procedures.D1110",
		"plan_rules.missing_tooth_clause", "plan_rules.waiting_period", "plan_rules.pre_authorization",
		"plan_rules.coordination_of_benefits", "plan_rules.major_services_paid_on",
	}
	sameList(t, "nothing but the status", benefits(t, []string{"D1110", "D1110"}, "EB*1**35").NotReturned, all)
	b := benefits(t, []string{"D1110"},
		"REF*6P*G1", "DTP*346*D8*20260101", "DTP*347*D8*20261231", "EB*1**35*PR*GOLD*******Y", "EB*F**35***23*1", "EB*C**35***23*1",
		"EB*A**41^23^25^26^24^40^36^39^38*****.5", "EB*A*******.5*****AD:D6010", "EB*A*******.5*****AD:D1110",
		"EB*F", "MSG*MISSING TOOTH", "MSG*WAITING PERIOD", "MSG*PREAUTHORIZATION", "MSG*COB", "MSG*SEAT DATE")
	sameList(t, "everything", b.NotReturned, nil)
	said := strings.Join(slices.Concat(b.PayerNotes), " ")
	equal(t, "payer notes", said, "")
}
