package intake_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
)

// Whatever a caller writes is refused or makes a claim within the limits, whose
// findings name fields and are the same each time.
func FuzzClaimRequest(f *testing.F) {
	f.Add("D2392", "2026-03-02", "100.00", "A", "M,O", "10", "2020-01-31", "1985-04-12", "W1", "IL", "62701-0001", 1, false)
	f.Add("D1110", "", "-1", "AS", "", "L,R", "", "0001-01-01", "*", "", "", 100, true)
	f.Add("x", "9999-12-31", "999999.99", "\xff", ",", "00", "x", "", "", "é", "00000", -1, true)
	f.Fuzz(func(t *testing.T, code, day, fee, tooth, surfaces, areas, placed, born, member, state, zip string, quantity int, draft bool) {
		r := claimRequest()
		r.Draft, r.Subscriber.DateOfBirth, r.Subscriber.MemberID = draft, born, member
		r.Subscriber.Address.State, r.Subscriber.Address.ZIP = state, zip
		r.Lines = []intake.ClaimLineInput{{
			ProcedureCode: code, ServiceDate: &day, Fee: fee, Quantity: &quantity, Tooth: &tooth,
			Surfaces: strings.Split(surfaces, ","), OralCavity: strings.Split(areas, ","), PriorPlacementDate: &placed,
		}}
		c, faults := r.Claim()
		if len(faults) == 0 {
			l := c.Lines[0]
			if l.Fee < 0 || l.Fee.String() != "0.00" && 50*l.Fee > 99_999_999_99 || l.Quantity < 1 || l.Quantity > 99 {
				t.Errorf("%+v", l)
			}
			if a := c.Subscriber.Address; !draft && (len(a.State) != 2 || len(a.ZIP) != 5 && len(a.ZIP) != 9) {
				t.Errorf("%+v", a)
			}
		}
		with := billing.RuleContext{Today: on(2026, 3, 20)}
		findings := c.Judge(with)
		if again := c.Judge(with); !reflect.DeepEqual(findings, again) {
			t.Errorf("%+v, then %+v", findings, again)
		}
		for _, x := range findings {
			if x.Field == "" || x.Code == "" {
				t.Errorf("%+v", x)
			}
		}
	})
}
