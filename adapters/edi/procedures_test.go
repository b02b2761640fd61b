package edi_test

import (
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// The service date is 2026-06-15, the patient is 41.
func TestProcedure(t *testing.T) {
	t.Parallel()
	const ask = "AD:D2740"
	for name, c := range map[string]struct {
		segments   []string
		want, note string
	}{
		"a share":          {[]string{"EB*A*IND******.5*****" + ask}, "50 covered, covered_now", ""},
		"the plan's share": {[]string{"EB*D*******.6*****" + ask}, "60 covered, covered_now", ""},
		"not covered":      {[]string{"EB*I**********U*Y*" + ask}, "not covered, not_covered", ""},
		"excluded":         {[]string{"EB*E***********" + "*" + ask}, "not covered, not_covered", ""},
		"the patient pays all": {
			[]string{"EB*A*IND******1*****" + ask}, "0 not covered, not_covered", "",
		},
		"not covered out of network": {
			[]string{"EB*I**********U*N*" + ask, "EB*A*******.5***U*Y*" + ask}, "50 covered, covered_now", "",
		},
		"in network first": {
			[]string{"EB*A*******.8****N*" + ask, "EB*A*******.5****Y*" + ask}, "50 covered, covered_now", "Out of network: 20 percent",
		},
		"the share of its service type": {
			[]string{"EB*A**36*****.5", "EB*F**36**********" + ask, "HSD*VS*1***21*10"}, "50 covered, 1 per 10 years, covered_now", "",
		},
		"its service type is not covered": {[]string{"EB*I**36", "EB*F**36**********" + ask}, "not covered, not_covered", ""},
		"no word of cover":                {[]string{"EB*F************" + ask}, "", ""},
		"a frequency alone":               {[]string{"EB*F************" + ask, "HSD*VS*1***34*60"}, "covered, 1 per 60 months, covered_now", ""},
		"in units":                        {[]string{"EB*F************" + ask, "HSD*FL*2***34*6"}, "covered, 2 per 6 months, covered_now", ""},
		"per interval":                    {[]string{"EB*F************" + ask, "HSD*VS*1*YR*5"}, "covered, 1 per 5 years, covered_now", ""},
		"as a quantity":                   {[]string{"EB*F*IND****23***P6*2***" + ask}, "covered, 2 per calendar_year, covered_now", ""},
		"no count":                        {[]string{"EB*F************" + ask, "HSD*VS****34*12"}, "", ""},
		"per tooth": {
			[]string{"EB*F************" + ask, "HSD*VS*1***21*5", "MSG*ONCE PER TOOTH"}, "covered, 1 per 5 years per tooth, covered_now", "ONCE PER TOOTH",
		},
		"of another tooth, perhaps": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***34*60", "DTP*304*D8*20230831", "MSG*ONCE PER TOOTH"},
			"50 covered, 1 per 60 months per tooth, last 2023-08-31, next 2028-08-31, covered_now", "ONCE PER TOOTH",
		},
		"not due, rolling months": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***34*60", "DTP*304*D8*20230831"},
			"50 covered, 1 per 60 months, last 2023-08-31, next 2028-08-31, not_due_yet", "",
		},
		"due again, rolling months": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***34*6", "DTP*304*D8*20251215"},
			"50 covered, 1 per 6 months, last 2025-12-15, next 2026-06-15, covered_now", "",
		},
		"rolling weeks": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***35*2", "DTP*304*D8*20260610"},
			"50 covered, 1 per 2 weeks, last 2026-06-10, next 2026-06-24, not_due_yet", "",
		},
		"rolling days": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***7*90", "DTP*304*D8*20260610"},
			"50 covered, 1 per 90 days, last 2026-06-10, next 2026-09-08, not_due_yet", "",
		},
		"rolling years": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***21*1", "DTP*304*D8*20240229"},
			"50 covered, 1 per 1 year, last 2024-02-29, next 2025-02-28, covered_now", "",
		},
		"plan years": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***22*2", "DTP*304*D8*20240229"},
			"50 covered, 1 per 2 plan years, last 2024-02-29, covered_now", "",
		},
		"a calendar year used up": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***23*1", "DTP*304*D8*20260302"},
			"50 covered, 1 per calendar_year, last 2026-03-02, next 2027-01-01, not_due_yet", "",
		},
		"a calendar year gone by": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***23*1", "DTP*304*D8*20251202"},
			"50 covered, 1 per calendar_year, last 2025-12-02, next 2026-01-01, covered_now", "",
		},
		"calendar years": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***23*5", "DTP*304*D8*20230302"},
			"50 covered, 1 per 5 calendar years, last 2023-03-02, next 2028-01-01, not_due_yet", "",
		},
		"one known visit of two": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*2***23*1", "DTP*304*D8*20260302"},
			"50 covered, 2 per calendar_year, last 2026-03-02, covered_now", "",
		},
		"two known visits of two": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*2***23*1", "DTP*304*D8*20260302", "DTP*304*D8*20260501"},
			"50 covered, 2 per calendar_year, last 2026-05-01, next 2027-01-01, not_due_yet", "",
		},
		"two visits in two years": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*2***23*1", "DTP*304*D8*20250302", "DTP*304*D8*20260501"},
			"50 covered, 2 per calendar_year, last 2026-05-01, covered_now", "",
		},
		"two visits, rolling": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*2***34*12", "DTP*304*D8*20260302", "DTP*304*D8*20250901"},
			"50 covered, 2 per 12 months, last 2026-03-02, next 2026-09-01, not_due_yet", "",
		},
		"none remain": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*2***23*1", "DTP*304*D8*20260302", "EB*F*****29***P6*0***" + ask},
			"50 covered, 2 per calendar_year, last 2026-03-02, next 2027-01-01, not_due_yet", "",
		},
		"all used": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*2***23*1", "EB*F********99*2***" + ask},
			"50 covered, 2 per calendar_year, next 2027-01-01, not_due_yet", "",
		},
		"all used, in the plan year of the amounts": {
			[]string{"EB*F*IND*35***23*1500", "EB*A*******.5*****" + ask, "HSD*VS*2***22*1", "EB*F********99*2***" + ask},
			"50 covered, 2 per plan_year, next 2027-01-01, not_due_yet", "",
		},
		"one remains": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*2***23*1", "DTP*304*D8*20260302", "EB*F*****29***P6*1***" + ask},
			"50 covered, 2 per calendar_year, last 2026-03-02, covered_now", "",
		},
		"a plan year without dates": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***22*1", "DTP*304*D8*20260302"},
			"50 covered, 1 per plan_year, last 2026-03-02, covered_now", "",
		},
		"a plan year from July": {
			[]string{"DTP*292*RD8*20250701-20260630", "EB*A*******.5*****" + ask, "HSD*VS*1***22*1", "DTP*304*D8*20260302"},
			"50 covered, 1 per plan_year, last 2026-03-02, next 2026-07-01, not_due_yet", "",
		},
		"a plan year in words": {
			[]string{"EB*1**35", "MSG*YOUR BENEFIT PERIOD IS FROM OCTOBER 1 TO SEPTEMBER 30", "EB*A*******.5*****" + ask, "HSD*VS*1***22*1", "DTP*304*D8*20260302"},
			"50 covered, 1 per plan_year, last 2026-03-02, next 2026-10-01, not_due_yet", "",
		},
		"a lifetime used up": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***32*1", "DTP*304*D8*20200302"},
			"50 covered, 1 per lifetime, last 2020-03-02, not_due_yet", "",
		},
		"the payer says when": {
			[]string{"EB*A*******.5*****" + ask, "MSG*NEXT ELIGIBLE DATE: 12/01/2026"},
			"50 covered, next 2026-12-01, not_due_yet", "NEXT ELIGIBLE DATE: 12/01/2026",
		},
		"never, in their way": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***34*60", "DTP*304*D8*99990101"}, "50 covered, 1 per 60 months, covered_now", "",
		},
		"too old": {
			[]string{"EB*A*******0*S7*18***" + ask}, "100 covered, to age 18, age_limit", "",
		},
		"too old, in a row of its own": {
			[]string{"EB*D*******1*****" + ask, "EB*F********S7*18"}, "100 covered, to age 18, age_limit", "",
		},
		"of the last age": {[]string{"EB*A*******0*S7*41.0***" + ask}, "100 covered, to age 41, covered_now", ""},
		"too young": {
			[]string{"EB*A*******0*S8*50***" + ask}, "100 covered, age_limit", "from age 50: 100 percent",
		},
		"split by age": {
			[]string{"EB*A*******0*S7*26***" + ask, "HSD*VS*2***23*1", "EB*A*******.2*S8*27***" + ask, "HSD*VS*1***23*1"},
			"80 covered, 1 per calendar_year, covered_now", "up to age 26: 2 per calendar_year, 100 percent; from age 27: 1 per calendar_year, 80 percent",
		},
		"downgraded": {
			[]string{"EB*A*******.5*****" + ask, "MSG*DOWNGRADED TO AN AMALGAM"}, "50 covered, downgraded", "DOWNGRADED TO AN AMALGAM",
		},
		"downgraded, in other words": {
			[]string{"EB*A*******.5*****" + ask, "MSG*THE LEAST EXPENSIVE ALTERNATIVE IS PAID"},
			"50 covered, downgraded",
			"THE LEAST EXPENSIVE ALTERNATIVE IS PAID",
		},
		"not downgraded": {[]string{"EB*A*******.5*****" + ask, "MSG*NO DOWNGRADE"}, "50 covered, covered_now", "NO DOWNGRADE"},
		"money and authorization": {
			[]string{"EB*B******25.00****Y**" + ask, "EB*CB******500*****Y*" + ask},
			"covered, covered_now",
			"Authorization is needed; Co-payment 25.00; Coverage is based on 500.00",
		},
		"in a range": {
			[]string{"EB*A*******.5*****AD:D2710::::::D2799", "HSD*VS*1***21*5"}, "50 covered, 1 per 5 years, covered_now", "D2710 to D2799",
		},
		"in a range with a hyphen": {[]string{"EB*A*******.5*****AD:D2710-D2799"}, "50 covered, covered_now", "D2710 to D2799"},
		"in a range, and on its own": {
			[]string{"EB*I************AD:D2700::::::D2799", "EB*F************AD:D2700::::::D2799", "HSD*VS*1***21*5", "EB*A*******.2*****" + ask},
			"80 covered, 1 per 5 years, covered_now", "D2700 to D2799",
		},
		"not covered in a range": {[]string{"EB*I************AD:D2700::::::D2799"}, "not covered, not_covered", "D2700 to D2799"},
		"an age limit in a row of its own": {
			[]string{"EB*A*******0*****" + ask, "EB*F************" + ask, "MSG*COVERED TO AGE 14"}, "100 covered, to age 14, age_limit", "COVERED TO AGE 14",
		},
		"an age limit out of network": {
			[]string{"EB*A*******0****Y*" + ask, "EB*A*******0****N*" + ask, "MSG*COVERED TO AGE 14", "EB*F***********Y*" + ask, "MSG*TO AGE 50"},
			"100 covered, to age 50, covered_now", "TO AGE 50; Out of network: COVERED TO AGE 14",
		},
		"a doubt out of network": {
			[]string{"EB*A*******0****Y*" + ask, "EB*A*******0****N*" + ask, "MSG*CHILDREN ONLY"}, "100 covered, covered_now", "Out of network: CHILDREN ONLY",
		},
		"bands in messages": {
			[]string{"EB*A*******0*****" + ask, "MSG*AGES 0-18", "HSD*VS*2***23*1", "EB*A*******.5*****" + ask, "MSG*AGE 19 AND OVER", "HSD*VS*1***23*1"},
			"50 covered, 1 per calendar_year, covered_now", "AGES 0-18; AGE 19 AND OVER",
		},
		"bands in messages of one row": {
			[]string{"EB*A*******0*****" + ask, "MSG*2 PER CALENDAR YEAR, AGES 0-18", "MSG*1 PER CALENDAR YEAR, AGE 19 AND OVER"},
			"100 covered, 1 per calendar_year, covered_now", "2 PER CALENDAR YEAR, AGES 0-18; 1 PER CALENDAR YEAR, AGE 19 AND OVER",
		},
		"two limits that disagree": {
			[]string{"EB*A*******0*S7*50***" + ask, "MSG*UNDER AGE 40"}, "100 covered, to age 50", "UNDER AGE 40",
		},
		"the age limit of its class": {
			[]string{"EB*A**38*****.5", "EB*F**38", "MSG*ORTHO TO AGE 19", "EB*F**38**********" + ask}, "50 covered, age_limit", "",
		},
		"a share of its own, and the age limit of its class": {
			[]string{"EB*F**38******S7*19", "EB*A**38*****.5*****" + ask}, "50 covered", "",
		},
		"the age limit of another service of its class": {
			[]string{"EB*A**41*****0", "MSG*FLUORIDE TO AGE 14", "EB*F**41**********" + ask}, "100 covered, covered_now", "",
		},
		"a doubt about its class": {
			[]string{"EB*A**38*****.5", "MSG*DEPENDENTS ONLY, TO AGE 26", "EB*F**38**********" + ask}, "50 covered", "",
		},
		"a frequency in words, used up": {
			[]string{"EB*A*******.5*****" + ask, "DTP*304*D8*20230831", "MSG*ONE IN 5 YEARS"},
			"50 covered, 1 per 5 years, last 2023-08-31, next 2028-08-31, not_due_yet", "ONE IN 5 YEARS",
		},
		"a frequency in words, not used up": {
			[]string{"EB*A*******.5*****" + ask, "DTP*304*D8*20200831", "MSG*ONE IN 5 YEARS"},
			"50 covered, 1 per 5 years, last 2020-08-31, next 2025-08-31, covered_now", "ONE IN 5 YEARS",
		},
		"a frequency in codes and words": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***21*5", "MSG*ONE IN 5 YEARS"}, "50 covered, 1 per 5 years, covered_now", "ONE IN 5 YEARS",
		},
		"a frequency that cannot be read": {[]string{"EB*A*******.5*****" + ask, "HSD*VS*1"}, "50 covered", ""},
		"a doubt, and not covered":        {[]string{"EB*I************" + ask, "MSG*CHILDREN ONLY"}, "not covered, not_covered", "CHILDREN ONLY"},
		"a doubt, and not due": {
			[]string{"EB*A*******.5*****" + ask, "HSD*VS*1***34*60", "DTP*304*D8*20230831", "MSG*CHILDREN ONLY"},
			"50 covered, 1 per 60 months, last 2023-08-31, next 2028-08-31, not_due_yet", "CHILDREN ONLY",
		},
		"benefits that begin later": {
			[]string{"EB*A*******.5*****" + ask, "DTP*348*D8*20270101"}, "50 covered, next 2027-01-01, not_due_yet", "",
		},
		"benefits of its class that begin later": {
			[]string{"EB*A**36*****.5", "DTP*348*D8*20270101", "EB*F**36**********" + ask}, "50 covered, next 2027-01-01, not_due_yet", "",
		},
		"in lower case": {[]string{"EB*A*IND******.5*****ad:d2740"}, "50 covered, covered_now", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := benefits(t, []string{"D2740"}, c.segments...)
			if len(b.Procedures) != 1 {
				t.Fatalf("%d procedures", len(b.Procedures))
			}
			equal(t, "procedure", procedureLine(b.Procedures[0]), c.want)
			if c.note != "" || name == "not due, rolling months" {
				equal(t, "note", b.Procedures[0].Note, c.note)
			}
			sameList(t, "payer_notes", b.PayerNotes, nil)
		})
	}
}

// TestCountsAreOfTheDayOfTheAnswer has services that are used up when the payer answers, and a visit in that
// year, in the next one, or in the one before.
func TestCountsAreOfTheDayOfTheAnswer(t *testing.T) {
	t.Parallel()
	const ask = "AD:D1110"
	share, yearly := "EB*A*******0*****"+ask, "HSD*VS*2***23*1"
	used, none := "EB*F********99*2***"+ask, "EB*F*****29***P6*0***"+ask
	newYear := time.Date(2027, 1, 1, 7, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		asked    time.Time
		zone     string
		on       billing.Date
		segments []string
		want     string
	}{
		"this year":              {on: billing.Date{Year: 2026, Month: 12, Day: 31}, segments: []string{used}, want: "next 2027-01-01, not_due_yet"},
		"next year":              {on: billing.Date{Year: 2027, Month: 1, Day: 1}, segments: []string{used}, want: "next 2027-01-01, covered_now"},
		"none remain, next year": {on: billing.Date{Year: 2027, Month: 1, Day: 5}, segments: []string{none}, want: "next 2027-01-01, covered_now"},
		"a day that the payer states": {
			on: billing.Date{Year: 2027, Month: 1, Day: 5}, segments: []string{none, "MSG*NEXT ELIGIBLE 2027-01-02"}, want: "next 2027-01-02, covered_now",
		},
		"last year":                      {on: billing.Date{Year: 2025, Month: 11, Day: 30}, segments: []string{used}, want: "next 2026-01-01, not_due_yet"},
		"still last year at the office":  {newYear, "America/Los_Angeles", billing.Date{Year: 2027, Month: 1, Day: 1}, []string{used}, "next 2027-01-01, covered_now"},
		"the new year at another office": {newYear, "America/New_York", billing.Date{Year: 2027, Month: 1, Day: 1}, []string{used}, "next 2028-01-01, not_due_yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := inquiry270()
			q.Inquiry.ProcedureCodes, q.Inquiry.ServiceDate, q.Inquiry.Office.TimeZone = []string{"D1110"}, c.on, c.zone
			if !c.asked.IsZero() {
				q.CreatedAt = c.asked
			}
			b := answer(t, q, about(slices.Concat([]string{share, yearly}, c.segments)...)).Benefits
			equal(t, "procedure", procedureLine(b.Procedures[0]), "100 covered, 2 per calendar_year, "+c.want)
		})
	}

	// A plan year is taken to be that of the amounts, which is no reason to say that the plan pays.
	q := inquiry270()
	q.Inquiry.ProcedureCodes, q.Inquiry.ServiceDate = []string{"D1110"}, billing.Date{Year: 2027, Month: 1, Day: 5}
	b := answer(t, q, about("EB*F*IND*35***23*1500", share, "HSD*VS*2***22*1", used)).Benefits
	equal(t, "procedure of a plan year", procedureLine(b.Procedures[0]), "100 covered, 2 per plan_year, next 2027-01-01, not_due_yet")
}

func TestStandardGivesTheProceduresAskedFor(t *testing.T) {
	t.Parallel()
	segments := []string{"EB*A*******.5*****AD:D2740", "MSG*CROWNS", "EB*A*******0*****AD:D1110", "EB*A*******0*****AD:D0120", "EB*A*******0*****HC:99213"}
	codes := func(b *coverage.Benefits) (out []string) {
		for _, p := range b.Procedures {
			out = append(out, p.Code)
		}
		return out
	}
	b := benefits(t, []string{"D1110", "D9110"}, segments...)
	sameList(t, "standard", codes(b), []string{"D1110"})
	sameList(t, "the words about another are not the plan's", b.PayerNotes, nil)
	sameList(t, "none asked for", codes(benefits(t, nil, segments...)), []string{"D2740", "D1110", "D0120"})

	q := inquiry270()
	q.Inquiry.DetailLevel, q.Inquiry.ProcedureCodes = coverage.DetailEnhanced, []string{"D1110", "D9110"}
	sameList(t, "enhanced", codes(answer(t, q, about(segments...)).Benefits), []string{"D1110", "D2740", "D0120"})
}
