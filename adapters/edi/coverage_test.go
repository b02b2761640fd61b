package edi_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
)

func TestCoverage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		want     []string // category: line | notes
	}{
		"the patient's share":   {[]string{"EB*A*IND*25*****.2"}, []string{"basic: 80 covered"}},
		"the plan's share":      {[]string{"EB*D*IND*25*****.8"}, []string{"basic: 80 covered"}},
		"a share in percent":    {[]string{"EB*A*IND*25*****20"}, []string{"basic: 80 covered"}},
		"a third":               {[]string{"EB*A*IND*25*****.3333"}, []string{"basic: 66.67 covered"}},
		"all the patient's":     {[]string{"EB*A*IND*25*****1.0"}, []string{"basic: 0 not covered"}},
		"no share":              {[]string{"EB*A*IND*25*****120", "EB*A*IND*26*****X", "EB*A*IND*24*****-.5"}, nil},
		"several service types": {[]string{"EB*A*IND*23^41*****0"}, []string{"preventive: 100 covered", "diagnostic: 100 covered"}},
		"all service types": {
			[]string{"EB*A**41^23^25^26^24^40^36^39^38*****.5"},
			[]string{
				"preventive: 50 covered", "diagnostic: 50 covered", "basic: 50 covered", "endodontics: 50 covered", "periodontics: 50 covered",
				"oral_surgery: 50 covered", "major: 50 covered", "prosthodontics: 50 covered", "orthodontics: 50 covered",
			},
		},
		"not covered": {[]string{"EB*I*IND*38", "EB*E*IND*36"}, []string{"major: not covered", "orthodontics: not covered"}},
		"not covered in part": {
			[]string{"EB*A*IND*36*****.5", "EB*E*IND*36", "MSG*COSMETIC CROWNS"}, []string{"major: 50 covered | COSMETIC CROWNS"},
		},
		"not covered out of network": {
			[]string{"EB*I*IND*38*********N", "EB*A*IND*38*****.5****Y"}, []string{"orthodontics: 50 covered"},
		},
		"covered without a share": {[]string{"EB*1*IND*38"}, []string{"orthodontics: covered"}},
		"in network first": {
			[]string{"EB*A*IND*25*****.5****N", "EB*A*IND*25*****.3****W", "EB*A*IND*25*****.2****Y"},
			[]string{"basic: 80 covered | Out of network: 50 percent | Any network: 70 percent"},
		},
		"networks that agree": {[]string{"EB*A*IND*25*****.2****N", "EB*A*IND*25*****.2****Y"}, []string{"basic: 80 covered"}},
		"networks by name": {
			[]string{"EB*A**25**OUT-OF-NETWORK***.5****U", "EB*A**25**SPOON PLAN***.2****U"},
			[]string{"basic: 80 covered | OUT-OF-NETWORK: 50 percent"},
		},
		"classes in messages": {
			[]string{
				"EB*A**35*****0", "MSG*PREVENTIVE AND DIAGNOSTIC", "EB*A**35*****.2", "MSG*CLASS II - BASIC SERVICES", "MSG*DEDUCTIBLE APPLIES",
				"EB*A**30*****.5", "MSG*Major Restorative", "EB*A*******.5", "MSG*ORAL SURGERY",
			},
			[]string{
				"preventive: 100 covered", "diagnostic: 100 covered", "basic: 80 covered | DEDUCTIBLE APPLIES",
				"oral_surgery: 50 covered", "major: 50 covered",
			},
		},
		"a class of its own, and another": {
			[]string{"EB*A**25*****.2", "EB*A**35*****.4", "MSG*COMPOSITES", "EB*I**35", "MSG*ORTHODONTICS"},
			[]string{"basic: 80 covered | COMPOSITES: 60 percent", "orthodontics: not covered"},
		},
		"no class": {[]string{"EB*A**35*****.2", "MSG*DEDUCTIBLE WAIVED FOR PREVENTIVE"}, nil},
		"X-rays are a part of diagnostics": {
			[]string{"EB*A**4*****.2", "EB*A**23*****0", "EB*A**5*****0"}, []string{"diagnostic: 100 covered | X-rays: 80 percent"},
		},
		"X-rays alone": {[]string{"EB*A**4*****.2"}, []string{"diagnostic: 80 covered"}},
		"parts that differ": {
			[]string{"EB*A**4*****.2", "EB*A**5*****0"}, []string{"diagnostic:  | X-rays: 80 percent | Laboratory: 100 percent"},
		},
		"a class instead of a service type": {
			[]string{"EB*A**30*****.5", "MSG*BENEFITCLASS=DENTURES", "MSG*DEDUCTIBLE WAIVED"},
			[]string{"prosthodontics: 50 covered | DENTURES: DEDUCTIBLE WAIVED"},
		},
		"parts by network": {
			[]string{
				"EB*A**25*****.2****Y", "EB*A**25*****.5****N",
				"EB*A**68*****.4****Y", "MSG*BENEFITCLASS=COMPOSITES", "EB*A**68*****.6****N", "MSG*BENEFITCLASS=COMPOSITES",
				"EB*A**64*****.4****Y", "MSG*BENEFITCLASS=AMALGAM", "EB*A**64*****.4****N", "MSG*BENEFITCLASS=AMALGAM",
			},
			[]string{
				"basic: 80 covered | COMPOSITES: 60 percent | COMPOSITES (Out of network): 40 percent | AMALGAM: 60 percent | Out of network: 50 percent",
			},
		},
		"implants by class":      {[]string{"EB*A**AQ*****.5", "MSG*BENEFITCLASS=IMPLANTS"}, []string{"implants: 50 covered"}},
		"implants by procedures": {[]string{"EB*A*******.5*****AD:D6010", "EB*A*******.5*****AD:D6199"}, []string{"implants: 50 covered"}},
		"implants that differ": {
			[]string{"EB*A*******.5*****AD:D6010", "EB*A*******.2*****AD:D6100"},
			[]string{"implants:  | D6010: 50 percent | D6100: 80 percent"},
		},
		"a bridge is no implant": {[]string{"EB*A*******.5*****AD:D6200"}, nil},
		"a frequency": {
			[]string{"EB*A**41*****0", "HSD*VS*2***23*1", "DTP*304*D8*20260302"}, []string{"preventive: 100 covered, 2 per calendar_year | last 2026-03-02"},
		},
		"a frequency alone":       {[]string{"EB*F**39", "HSD*VS*1***21*10"}, []string{"prosthodontics: covered, 1 per 10 years"}},
		"an age":                  {[]string{"EB*F**38******S7*19"}, []string{"orthodontics:  | up to age 19"}},
		"the payer's words":       {[]string{"EB*F*IND*38***32*1000", "MSG*ORTHO TO AGE 19"}, []string{"orthodontics:  | ORTHO TO AGE 19"}},
		"medical service types":   {[]string{"EB*A**33*****.2", "EB*A**98*****.2"}, nil},
		"a copayment is coverage": {[]string{"EB*B**25****15"}, []string{"basic: covered | Co-payment 15.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, item := range benefits(t, nil, c.segments...).Coverage {
				got = append(got, strings.Join(append([]string{string(item.Category) + ": " + coverageLine(item)}, item.Notes...), " | "))
			}
			sameList(t, "coverage", got, c.want)
		})
	}
}

func TestSharesWithUnknownClassesKeepTheirNames(t *testing.T) {
	t.Parallel()
	b := benefits(t, nil, "EB*1**35", "EB*A**35*****0", "MSG*CLASS I", "EB*A**35*****.2", "MSG*Group B care", "EB*A**35*****.5", "MSG*GROUP C CARE")
	equal(t, "status", b.Status, coverage.Active)
	sameList(t, "payer_notes", b.PayerNotes, []string{"CLASS I: 100 percent", "Group B care: 80 percent", "GROUP C CARE: 50 percent"})
	sameList(t, "of one share", benefits(t, nil, "EB*A**35*****.2", "MSG*DEDUCTIBLE APPLIES").PayerNotes, []string{"Dental care: DEDUCTIBLE APPLIES", "Dental care: 80 percent"})
}

func TestPercentagesThatLookInvertedAreReportedAndKept(t *testing.T) {
	t.Parallel()
	b := benefits(t, nil, "EB*A**41*****1.0", "EB*A**36*****.2")
	equal(t, "preventive", coverageLine(b.Coverage[0]), "0 not covered")
	if len(b.PayerNotes) != 1 || !strings.Contains(b.PayerNotes[0], "patient's share") {
		t.Errorf("no note says so: %q", b.PayerNotes)
	}
}

func TestSharesWithoutCategoryAreNotes(t *testing.T) {
	t.Parallel()
	b := benefits(t, nil, "EB*A**35*****.2", "EB*A**28*****.5****Y", "EB*A**28*****.6****N", "EB*A**27*****1", "EB*A**37*****0", "EB*A**7*****.2")
	sameList(t, "payer_notes", b.PayerNotes, []string{
		"Dental care: 80 percent", "Adjunctive services: 50 percent", "Adjunctive services (Out of network): 40 percent",
		"Maxillofacial prosthetics: 0 percent", "Dental accident: 100 percent", "Anesthesia: 80 percent",
	})
}
