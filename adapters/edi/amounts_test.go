package edi_test

import "testing"

func TestAmounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		maximums []string
	}{
		"amount, used and remaining": {
			[]string{"EB*F*IND*35***23*2000.00", "EB*F*IND*35***29*1600.00", "EB*F*IND*35***24*400.00"},
			[]string{"individual calendar_year 2000.00 used 400.00 remaining 1600.00"},
		},
		"used is derived":      {[]string{"EB*F*IND*35***23*2000", "EB*F*IND*35***29*1600.5"}, []string{"individual calendar_year 2000.00 used 399.50 remaining 1600.50"}},
		"remaining is derived": {[]string{"EB*F*IND*35***23*2,000", "EB*F*IND*35***24*400"}, []string{"individual calendar_year 2000.00 used 400.00 remaining 1600.00"}},
		"amount is derived":    {[]string{"EB*F*IND*35***29*1600", "EB*F*IND*35***24*400"}, []string{"individual calendar_year 2000.00 used 400.00 remaining 1600.00"}},
		"remaining comes first": {
			[]string{"EB*F*IND*35***29*1600", "EB*F*IND*35***22*2000"}, []string{"individual plan_year 2000.00 used 400.00 remaining 1600.00"},
		},
		"by contract":      {[]string{"EB*F*IND*35***25*2000"}, []string{"individual plan_year 2000.00"}},
		"no period":        {[]string{"EB*F*IND*35****2000"}, []string{"individual calendar_year 2000.00"}},
		"the usual period": {[]string{"EB*F*IND*35***22*2000", "EB*F*FAM*35***29*100"}, []string{"individual plan_year 2000.00", "family plan_year remaining 100.00"}},
		"a lifetime": {
			[]string{"EB*F*IND*38***32*1500", "EB*F*IND*38***33*900"}, []string{"individual lifetime 1500.00 used 600.00 remaining 900.00 for orthodontics"},
		},
		"what remains of a lifetime, stated for a year": {
			[]string{"EB*F*IND*38***32*1500", "EB*F*IND*38***29*900"}, []string{"individual lifetime 1500.00 used 600.00 remaining 900.00 for orthodontics"},
		},
		"a year before a lifetime": {
			[]string{"EB*F*IND*38***32*1500", "EB*F*IND*38***23*500", "EB*F*IND*38***29*100"},
			[]string{"individual lifetime 1500.00 for orthodontics", "individual calendar_year 500.00 used 400.00 remaining 100.00 for orthodontics"},
		},
		"the whole plan first": {
			[]string{"EB*F*IND*38***32*1500", "EB*F*IND*35***23*1000"},
			[]string{"individual calendar_year 1000.00", "individual lifetime 1500.00 for orthodontics"},
		},
		"several categories": {[]string{"EB*F*IND*36^39***23*500"}, []string{"individual calendar_year 500.00 for major, prosthodontics"}},
		"a class":            {[]string{"EB*F*IND*AQ***23*500", "MSG*BENEFITCLASS=IMPLANTS"}, []string{"individual calendar_year 500.00 for IMPLANTS"}},
		"family and children": {
			[]string{"EB*F*ESP*35***23*3000", "EB*F*CHD*38***32*1500"},
			[]string{"family calendar_year 3000.00", "individual lifetime 1500.00 for orthodontics, children"},
		},
		"members of the family": {
			[]string{"EB*F*EMP*35***23*1", "EB*F*SPO*35***23*2", "EB*F*DEP*35***23*3", "EB*F*SPC*35***23*4"},
			[]string{
				"individual calendar_year 1.00 for employee", "individual calendar_year 2.00 for spouse",
				"individual calendar_year 3.00 for dependents", "family calendar_year 4.00",
			},
		},
		"networks that agree": {
			[]string{"EB*F*IND*35***23*2000*****Y", "EB*F*IND*35***23*2000*****N", "EB*F*IND*35***29*500"},
			[]string{"individual calendar_year 2000.00 used 1500.00 remaining 500.00"},
		},
		"networks that differ": {
			[]string{"EB*F*IND*35***23*1000*****N", "EB*F*IND*35***23*2000*****Y", "EB*F*IND*35***29*500"},
			[]string{"individual calendar_year 2000.00 used 1500.00 remaining 500.00 for in network", "individual calendar_year 1000.00 for out of network"},
		},
		"networks by name": {
			[]string{"EB*F*IND*35**SELECT*23*2000*****U", "EB*F*IND*35**NON-CONTRACTED*23*1000*****U", "EB*F*IND*35**NON-CONTRACTED*29*400*****U"},
			[]string{"individual calendar_year 2000.00 for SELECT", "individual calendar_year 1000.00 used 600.00 remaining 400.00 for NON-CONTRACTED"},
		},
		"out of network alone": {[]string{"EB*F*IND*35***23*1000*****N"}, []string{"individual calendar_year 1000.00 for out of network"}},
		"what was met, by a marker": {
			[]string{"EB*F*IND*35**MET*22*300", "EB*F*IND*35***22*1000", "EB*F*IND*35**MET*32*50", "EB*F*IND*35***32*40"},
			[]string{"individual plan_year 1000.00 used 300.00 remaining 700.00", "individual lifetime 40.00 used 50.00"},
		},
		"no sum below zero": {[]string{"EB*F*IND*35***23*100", "EB*F*IND*35***29*150"}, []string{"individual calendar_year 100.00 remaining 150.00"}},
		"not money":         {[]string{"EB*F*IND*35***23*1.2.3", "EB*F*IND*35***23*MANY"}, nil},
		"of a procedure":    {[]string{"EB*F*IND****23*100******AD:D6010"}, nil},
		"of a medical plan": {[]string{"EB*F*IND*33***23*100"}, nil},
		"the same twice":    {[]string{"EB*F*IND*35***23*1000", "EB*F*IND*35***23*1000"}, []string{"individual calendar_year 1000.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameList(t, "maximums", amountLines(benefits(t, nil, c.segments...).Maximums), c.maximums)
		})
	}
}

func TestDeductiblesAreApart(t *testing.T) {
	t.Parallel()
	b := benefits(t, nil, "EB*C*IND*35***23*50", "EB*C*IND*35***29*20", "EB*C*FAM*35***23*150", "EB*F*IND*35***23*1000", "EB*C*IND*35***27*10")
	sameList(t, "deductibles", amountLines(b.Deductibles), []string{
		"individual calendar_year 50.00 used 30.00 remaining 20.00", "family calendar_year 150.00",
	})
	sameList(t, "payer_notes", b.PayerNotes, []string{"Deductible: 10.00 per 1 visit"})
}
