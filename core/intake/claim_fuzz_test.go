package intake_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/claim"
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
		with := claim.RuleContext{Today: on(2026, 3, 20)}
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

// Whatever a caller writes of another coverage and of details is refused, or is
// within the limits and names what the claim has.
func FuzzClaimCoverage(f *testing.F) {
	f.Add("primary", "CHTEST", "", "spouse", "CI", "2026-03-15", "70.00", "CO", "45", "10.00", "1", 1, 1, "K02.52", "A,B", 1, "replacement", 24, false)
	f.Add("tertiary", "", "Other", "self", "12", "", "-1.00", "PR", "b1", "-99999999.99", "1.5", 3, -1, "k0252", "", 2, "", 0, true)
	f.Add("", "x", "y", "", "xx", "9999-12-31", "1e9", "CR", "4*5", "~", "é", -1, 10000, "\xff", ",", -1, "initial", 100, true)
	f.Fuzz(func(t *testing.T, sequence, payer, name, relationship, filing, day, paid, group, reason, amount, quantity string,
		line, units int, diagnosis, teeth string, pointer int, prosthesis string, months int, draft bool,
	) {
		r := claimRequest()
		r.Draft, r.DiagnosisCodes, r.Orthodontics.TotalMonths = draft, []string{diagnosis}, &months
		r.Lines[1].Teeth, r.Lines[1].DiagnosisPointers, r.Lines[0].Prosthesis = strings.Split(teeth, ","), []int{pointer}, &prosthesis
		o := &r.OtherCoverage[0]
		o.Sequence, o.PayerID, o.PayerName, o.Relationship, o.FilingIndicator = sequence, payer, name, relationship, filing
		o.Adjudication.PaymentDate, o.Adjudication.Paid = day, paid
		o.Adjudication.Adjustments = []intake.AdjustmentInput{{Group: group, Reason: reason, Amount: amount, Quantity: quantity}}
		o.Adjudication.Lines = []intake.CoverageLineInput{{LineNumber: &line, ProcedureCode: "D2392", Paid: paid, Units: &units}}
		c, faults := r.Claim()
		if len(faults) > 0 {
			return
		}
		made := &c.OtherCoverage[0]
		if made.Sequence == c.Turn() || made.Payer.PayerID != "" && made.Payer.Name != "" {
			t.Errorf("%+v", made)
		}
		a := made.Adjudication
		if l := a.Lines[0]; a.Paid < 0 || l.LineNumber < 1 || l.LineNumber > len(c.Lines) || l.Units < 0 {
			t.Errorf("%+v", a)
		}
		if adjusted := a.Adjustments[0]; len(adjusted.Reason) > 5 || strings.ContainsAny(adjusted.Reason+adjusted.Quantity, "*:~^ ") {
			t.Errorf("%+v", adjusted)
		}
		if code := c.DiagnosisCodes[0]; strings.Contains(code, ".") || len(code) > 7 || c.Lines[1].DiagnosisPointers[0] != 1 {
			t.Errorf("%q", code)
		}
		if l := &c.Lines[1]; l.Tooth != "" && len(l.Teeth) > 0 || len(l.Teeth) == 1 {
			t.Errorf("%+v", l)
		}
	})
}
