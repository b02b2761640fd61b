package edi_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestVocabulary has what segments say about waiting periods, counts, co-payments, alternate
// procedures and benefits out of network, as a check shows it.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments string
		path     string
		want     string
	}{
		"none": {"EB*1**35", "waiting_periods", `null`},
		"a wait in words": {
			"EB*1**35~MSG*WAITING PERIOD 12 MONTHS FOR MAJOR SERVICES", "waiting_periods", `[{"category":"major","months":12,"until":null}]`,
		},
		"a wait in words, in years, of two categories": {
			"EB*1**35~MSG*ONE WAITING PERIOD: 2 YEARS FOR BRIDGES AND IMPLANTS", "waiting_periods",
			`[{"category":"prosthodontics","months":24,"until":null},{"category":"implants","months":24,"until":null}]`,
		},
		"a wait of its service type": {"EB*F**25~MSG*6 MONTH WAITING PERIOD", "waiting_periods", `[{"category":"basic","months":6,"until":null}]`},
		"a wait as codes": {
			"EB*F**32^36***34***P6*12", "waiting_periods", `[{"category":"major","months":12,"until":null}]`,
		},
		"a wait as codes, in years and with its end": {
			"EB*F**32^39******YY*1~DTP*348*D8*20270101", "waiting_periods", `[{"category":"prosthodontics","months":12,"until":"2027-01-01"}]`,
		},
		"a wait by the begin of benefits, and its length in words": {
			"EB*A**36*****.5~DTP*348*D8*20270101~EB*1**35~MSG*12 MONTH WAITING PERIOD FOR MAJOR", "waiting_periods",
			`[{"category":"major","months":12,"until":"2027-01-01"}]`,
		},
		"a wait that ends on a day in words": {
			"EB*1**35~MSG*WAITING PERIOD FOR ORTHODONTICS UNTIL 01/01/2027", "waiting_periods", `[{"category":"orthodontics","months":null,"until":"2027-01-01"}]`,
		},
		"benefits that began": {"EB*A**36*****.5~DTP*348*D8*20260615", "waiting_periods", `null`},
		"no wait":             {"EB*F**36~MSG*NO WAITING PERIOD, WAS 12 MONTHS", "waiting_periods", `null`},
		"a wait of no category": {
			"EB*1**35~MSG*12 MONTH WAITING PERIOD APPLIES", "waiting_periods", `null`,
		},
		"two waits in one message stay in words": {
			"EB*1**35~MSG*WAITING PERIOD 6 MONTHS BASIC 12 MONTHS MAJOR", "waiting_periods", `null`,
		},
		"used, as year to date": {
			"EB*F************AD:D1110~HSD*VS*2***23*1~EB*F*****24***VS*1***AD:D1110", "procedures.0.frequency.used", `1`,
		},
		"used, as a quantity": {
			"EB*F************AD:D1110~HSD*VS*2***23*1~EB*F********99*2***AD:D1110", "procedures.0.frequency.used", `2`,
		},
		"used, as what remains": {
			"EB*F************AD:D1110~HSD*VS*2***23*1~EB*F*****29***VS*2***AD:D1110", "procedures.0.frequency.used", `0`,
		},
		"used, of another network": {
			"EB*F***********Y*AD:D1110~HSD*VS*2***23*1~EB*F*****24***VS*1**N*AD:D1110", "procedures.0.frequency.used", `null`,
		},
		"used, of a category": {
			"EB*F**41~HSD*VS*2***23*1~EB*F**41***24***VS*1", "coverage.0.frequency.used", `1`,
		},
		"not counted":           {"EB*F************AD:D1110~HSD*VS*2***23*1", "procedures.0.frequency.used", `null`},
		"a copay of a category": {"EB*A**25*****0~EB*B**25***27*20", "coverage.0.copay", `"20.00"`},
		"a copay of a procedure, in network": {
			"EB*B******35*****N*AD:D1110~EB*B******15*****Y*AD:D1110", "procedures.0.copay", `"15.00"`,
		},
		"a copay of the other network": {"EB*A**25*****.2****Y~EB*B**25***27*20*****N", "coverage.0.copay", `null`},
		"no copay":                     {"EB*A**25*****.2", "coverage.0.copay", `null`},
		"an alternate procedure": {
			"EB*A*******.2*****AD:D1110~MSG*ALTERNATE BENEFIT, DOWNGRADED TO D1120", "procedures.0.alternate_code", `"D1120"`,
		},
		"an alternate procedure beside its own code": {
			"EB*A*******.2*****AD:D1110~MSG*D1110 IS SUBJECT TO LEAST EXPENSIVE TREATMENT D1120", "procedures.0.alternate_code", `"D1120"`,
		},
		"two alternate procedures": {
			"EB*A*******.2*****AD:D1110~MSG*ALTERNATE BENEFIT OF D1120 OR D1330", "procedures.0.alternate_code", `null`,
		},
		"another code that is no alternate": {"EB*A*******.2*****AD:D1110~MSG*SHARES ITS LIMIT WITH D4910", "procedures.0.alternate_code", `null`},
		"out of network": {
			"EB*F*IND*35***23*2000*****Y~EB*F*IND*35***29*1500*****Y~EB*F*IND*35***23*1000*****N~EB*C*IND*35***23*50*****W~" +
				"EB*A*IND*41*****0****Y~EB*A*IND*41*****.2****N~EB*A*IND*36*****.5****Y~EB*A*IND*36*****.5****N", "out_of_network",
			`{"coverage":[{"category":"preventive","copay":null,"covered":true,"frequency":null,"notes":[],"percent_paid":80}],` +
				`"deductibles":[],"maximums":[{"amount":"1000.00","applies_to":null,"level":"individual","period":"calendar_year","remaining":null,"used":null}]}`,
		},
		"out of network only": {"EB*F*IND*35***23*1000*****N~EB*A*IND*41*****.2****N", "out_of_network", `null`},
		"out of network the same": {
			"EB*F*IND*35***23*1000*****Y~EB*F*IND*35***23*1000*****N~EB*A*IND*41*****.2****Y~EB*A*IND*41*****.2****N", "out_of_network", `null`,
		},
	} {
		var shown any
		if err := json.Unmarshal(benefits(t, nil, strings.Split(c.segments, "~")...).Data(), &shown); err != nil {
			t.Fatal(err)
		}
		if got := valueAt(shown, c.path); got != c.want {
			t.Errorf("%s: %s is %s, want %s", name, c.path, got, c.want)
		}
	}
}

// valueAt returns the value at a path of a document, as JSON.
func valueAt(value any, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			if name != "0" || len(v) == 0 {
				return "no such item"
			}
			value = v[0]
		}
	}
	return jsonOf(value)
}
