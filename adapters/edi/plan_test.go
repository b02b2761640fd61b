package edi_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		want     coverage.Status
	}{
		"dental active":                   {[]string{"EB*1*IND*35"}, coverage.Active},
		"capitation":                      {[]string{"EB*3*IND*30"}, coverage.Active},
		"pending investigation":           {[]string{"EB*5*IND*35"}, coverage.Active},
		"inactive":                        {[]string{"EB*6*IND*35"}, coverage.Inactive},
		"inactive, pending":               {[]string{"EB*8**30"}, coverage.Inactive},
		"no service type":                 {[]string{"EB*1"}, coverage.Active},
		"dental counts before the plan":   {[]string{"EB*1**30", "EB*6**35"}, coverage.Inactive},
		"dental among others":             {[]string{"EB*6**30", "EB*1**1^33^35^47"}, coverage.Active},
		"active counts before inactive":   {[]string{"EB*6**35", "EB*1**35"}, coverage.Active},
		"the one on the service date":     {[]string{"EB*1**35", "DTP*346*RD8*20240101-20241231", "EB*6**35", "DTP*346*D8*20250101"}, coverage.Inactive},
		"a part of dental care":           {[]string{"EB*1**23^41"}, coverage.Active},
		"medical alone":                   {[]string{"EB*1**33^47", "EB*C**47**23*100"}, coverage.Unknown},
		"a plan without dental care":      {[]string{"EB*1**30", "EB*I**35"}, coverage.Inactive},
		"no dental care out of network":   {[]string{"EB*1**30", "EB*I**35*********N"}, coverage.Active},
		"amounts without a word of cover": {[]string{"EB*F*IND*35***23*1000"}, coverage.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "status", benefits(t, nil, c.segments...).Status, c.want)
		})
	}
}

func TestCoverageDates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		from, to string
	}{
		"none":                              {[]string{"EB*1**35"}, "", ""},
		"plan":                              {[]string{"DTP*346*D8*20250301", "DTP*347*D8*20261231", "EB*1**35"}, "2025-03-01", "2026-12-31"},
		"eligibility before plan":           {[]string{"DTP*346*D8*20200101", "DTP*356*D8*20250301", "EB*1**35"}, "2025-03-01", ""},
		"a range":                           {[]string{"DTP*291*RD8*20260101-20261231", "EB*1**35"}, "2026-01-01", "2026-12-31"},
		"benefit":                           {[]string{"EB*1**35", "DTP*348*D8*20240101", "DTP*349*D8*20261231"}, "2024-01-01", "2026-12-31"},
		"the person before the row":         {[]string{"DTP*346*D8*20250301", "EB*1**35", "DTP*346*D8*20200101"}, "2025-03-01", ""},
		"the end under an amount":           {[]string{"EB*1**35", "EB*F*IND*35***23*1500", "DTP*347*D8*20261015"}, "", "2026-10-15"},
		"a benefit of a category is not it": {[]string{"EB*1**35", "EB*A**36*****.5", "DTP*348*D8*20250101"}, "", ""},
		"no end, in their way":              {[]string{"DTP*356*D8*20250301", "DTP*357*D8*99991231", "EB*1**35"}, "2025-03-01", ""},
		"no end, in a range":                {[]string{"DTP*346*RD8*20250301-99991231", "EB*1**35"}, "2025-03-01", ""},
		"the service date repeated":         {[]string{"DTP*291*D8*20260615", "EB*1**35"}, "", ""},
		"the service date as a range":       {[]string{"DTP*291*RD8*20260615-20260615", "EB*1**35"}, "", ""},
		"no date":                           {[]string{"DTP*346*D8*00000000", "DTP*347*D8*UNKNOWN", "EB*1**35"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := benefits(t, nil, c.segments...)
			equal(t, "effective", b.CoverageEffectiveDate.String(), c.from)
			equal(t, "termination", b.CoverageTerminationDate.String(), c.to)
		})
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		want     coverage.Plan
	}{
		"name, type and group": {
			[]string{"REF*18*P7", "REF*6P*G100*ACME", "EB*1**35*PR*GOLD PPO"},
			coverage.Plan{Name: "GOLD PPO", Type: "PPO", GroupNumber: "G100"},
		},
		"each from where it is": {
			[]string{"EB*1**35", "REF*6P*G200", "EB*1**30*QQ*SILVER"},
			coverage.Plan{Name: "SILVER", Type: "QQ", GroupNumber: "G200"},
		},
		"plan number for want of a group": {[]string{"REF*18*P7", "EB*1**35"}, coverage.Plan{GroupNumber: "P7"}},
		"period in words": {
			[]string{"EB*1**35", "MSG*BENEFIT YEAR: JULY 1 - JUNE 30", "EB*F*IND*35***23*1000"},
			coverage.Plan{BenefitPeriod: "JULY 1 - JUNE 30"},
		},
		"period as dates": {
			[]string{"DTP*292*RD8*20260701-20270630", "EB*1**35"}, coverage.Plan{BenefitPeriod: "2026-07-01 to 2027-06-30"},
		},
		"period of the deductible": {[]string{"EB*1**35", "EB*F*IND*38***32*1000", "EB*C*IND*35***22*50"}, coverage.Plan{BenefitPeriod: "plan_year"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "plan", benefits(t, nil, c.segments...).Plan, c.want)
		})
	}
	for code, name := range map[string]string{
		"C1": "commercial", "EP": "EPO", "HM": "HMO", "IN": "indemnity", "IP": "individual policy", "MC": "Medicaid", "PS": "POS",
	} {
		equal(t, code, benefits(t, nil, "EB*1**35*"+code).Plan.Type, name)
	}
	inHolder := message(payerLoop, providerLoop, subscriberLoop, "REF*6P*G300", dependentLoop, "EB*1**35")
	equal(t, "group of the subscriber", answer(t, withPatient(inquiry270()), inHolder).Benefits.Plan.GroupNumber, "G300")
}

func TestNetworkStatus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		want     coverage.NetworkStatus
	}{
		"not a word":             {[]string{"EB*1**35", "EB*A**41*****0"}, ""},
		"of the coverage":        {[]string{"EB*1**35*********N", "EB*A**41*****0****Y"}, coverage.OutOfNetwork},
		"in network only":        {[]string{"EB*1**35", "EB*A**41*****0****Y", "EB*C**35***23*50"}, coverage.InNetwork},
		"out of network only":    {[]string{"EB*1**35", "EB*A**41*****0****N"}, coverage.OutOfNetwork},
		"both":                   {[]string{"EB*1**35", "EB*A**41*****0****Y", "EB*A**41*****.2****N"}, coverage.NetworkUnknown},
		"the payer is unsure":    {[]string{"EB*1**35", "EB*A**41*****0****U"}, coverage.NetworkUnknown},
		"out beside the default": {[]string{"EB*1**35", "EB*A**41*****0", "EB*A**41*****.2****N"}, coverage.NetworkUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "network status", benefits(t, nil, c.segments...).NetworkStatus, c.want)
		})
	}
}
