package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/intake"
)

// Whatever a body is, it is refused or is a claim that can be shown.
func FuzzClaimBody(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"lines":[{}]}`, `{"office_id":"off_01JGFJJZ00FC1R3ZY5N7Q8Z4VK","payer_id":"CHTEST","draft":true}`,
		`{"office_id":"off_01JGFJJZ00FC1R3ZY5N7Q8Z4VK","payer_id":"CHTEST","subscriber":{"first_name":"Sam","last_name":"Example",` +
			`"date_of_birth":"1984-02-29","member_id":"1","gender":"male","address":{"line1":"2 Oak St","city":"Albany","state":"NY","zip":"12207-1234"}},` +
			`"patient":{"first_name":"K","last_name":"E","date_of_birth":"2015-06-01","relationship":"child"},` +
			`"accident":{"type":"auto","date":"2026-01-01","state":"ny"},"lines":[{"procedure_code":"D2391","service_date":"2026-01-02",` +
			`"fee":"180.00","quantity":2e0,"tooth":"3","surfaces":["o"],"oral_cavity":["10"],"prior_placement_date":"2020-01-01"}]}`,
		`{"office_id":"off_01JGFJJZ00FC1R3ZY5N7Q8Z4VK","payer_id":"CHTEST","draft":true,"coverage":"secondary","other_coverage":[{"sequence":"primary",` +
			`"payer_id":"60054","subscriber":{"first_name":"A","last_name":"B","member_id":"2"},"relationship":"self","adjudication":{"payment_date":` +
			`"2026-01-15","paid":"1.00","adjustments":[{"group":"CO","reason":"45","amount":"-1.00","quantity":"1"}],"lines":[{"line_number":1,` +
			`"procedure_code":"D1110","paid":"1.00","units":1e0}]}}],"lines":[{"teeth":["1","2"],"modifiers":["22"],"diagnosis_pointers":[1],` +
			`"prosthesis":"initial"}],"diagnosis_codes":["K02.52"],"orthodontics":{"total_months":24},"facility":{"name":"F"},"patient_paid":"1.00",` +
			`"referring_provider":{"npi":"1245319599"},"assignment_of_benefits":false,"release_of_information":"signed","missing_teeth":["1"]}`,
		`{"other_coverage":[{"adjudication":{"lines":[null,{"adjustments":1}]}},1],"lines":[{"diagnosis_pointers":[1.5,"1",1e99]}],"accept_assignment":"x"}`,
		`{"lines":[{"quantity":1e999},{"quantity":-0},1,null],"subscriber":1,"draft":"x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var in intake.ClaimRequest
		tree, faults := readTree(t, string(body))
		in.Faults = faults
		jsonbody.NewObject("", tree, &in.Faults).Fill(&in)
		for name := range in.Given {
			if name != "" && len(body) == 0 {
				t.Errorf("%q is given", name)
			}
		}
		c, faults := in.Claim()
		if len(faults) > 0 {
			for _, fault := range faults {
				if fault.Code == "" || fault.Message == "" {
					t.Errorf("fault %+v", fault)
				}
			}
			return
		}
		if in.Given["lines"] && len(c.Lines) != len(in.Lines) {
			t.Errorf("%d lines of %d", len(c.Lines), len(in.Lines))
		}
		c.State = claim.Validated
		if _, err := json.Marshal(claimShape(&claim.Record{Claim: &c})); err != nil {
			t.Error(err)
		}
	})
}
