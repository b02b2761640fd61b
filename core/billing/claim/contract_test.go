package claim_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/contract"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/remit"
)

// delta is a fee schedule for the services of crownClaim but the last: 800.00, 70.00 (more than
// the charge) and 120.00.
func delta() []*fee.Schedule {
	return []*fee.Schedule{{
		ID: billing.FeeScheduleID{15: 1}, Name: "Delta 2026", Kind: fee.Allowed, EffectiveFrom: billing.Date{Year: 2026, Month: 1, Day: 1},
		Rows: []fee.Row{
			{ProcedureCode: "D0120", Amount: 70_00}, {ProcedureCode: "D2392", Amount: 120_00}, {ProcedureCode: "D2740", Amount: 800_00},
		},
	}}
}

// with returns a line with what change does to it.
func with(l remit.Line, change func(*remit.Line)) remit.Line {
	change(&l)
	return l
}

func remarks(codes ...string) func(*remit.Line) {
	return func(l *remit.Line) { l.Remarks = codes }
}

// TestContract compares what a payer allows for the crown with the contract, which has 800.00.
func TestContract(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		line      remit.Line
		allowed   billing.Money
		apart     contract.Apart
		underpaid billing.Money
	}{
		"as the contract says":         {paying("D2740", 640_00, cas("PR", "2", 160_00), cas("CO", "45", 150_00)), 800_00, "", 0},
		"below it":                     {paying("D2740", 600_00, cas("PR", "2", 150_00), cas("CO", "45", 200_00)), 750_00, "", 50_00},
		"below it by a dollar":         {paying("D2740", 799_00, cas("CO", "45", 151_00)), 799_00, "", 0},
		"below it by a dollar and 1 c": {paying("D2740", 798_99, cas("CO", "45", 151_01)), 798_99, "", 1_01},
		"above it":                     {paying("D2740", 900_00, cas("CO", "45", 50_00)), 900_00, "", 0},
		"all of it is deductible":      {paying("D2740", 0, cas("PR", "1", 700_00), cas("CO", "45", 250_00)), 700_00, "", 100_00},
		"as stated":                    {with(paying("D2740", 600_00, cas("PR", "2", 350_00)), func(l *remit.Line) { l.Allowed = money(760_00) }), 760_00, "", 40_00},
		"a cut for several procedures": {paying("D2740", 700_00, cas("CO", "45", 150_00), cas("CO", "59", 100_00)), 700_00, "", 100_00},
		"a part is refused":            {paying("D2740", 600_00, cas("CO", "45", 150_00), cas("CO", "16", 200_00)), 800_00, "", 0},
		"sequestration":                {paying("D2740", 784_00, cas("CO", "45", 150_00), cas("CO", "253", 16_00)), 800_00, "", 0},
		"denied":                       {paying("D2740", 0, cas("CO", "29", 950_00)), 0, contract.Denied, 0},
		"another code is paid": {
			with(paying("D2791", 400_00, cas("CO", "45", 550_00)), func(l *remit.Line) { l.SubmittedCode = "D2740" }), 400_00, contract.Code, 0,
		},
		"a cheaper alternative":      {paying("D2740", 400_00, cas("CO", "45", 300_00), cas("PR", "169", 250_00)), 650_00, contract.Code, 0},
		"an alternative by a remark": {with(paying("D2740", 400_00, cas("CO", "45", 550_00)), remarks("N449")), 400_00, contract.Code, 0},
		"the maximum":                {paying("D2740", 400_00, cas("CO", "45", 250_00), cas("PR", "119", 300_00)), 700_00, contract.Maximum, 0},
		"the lifetime maximum":       {paying("D2740", 400_00, cas("CO", "45", 250_00), cas("PR", "35", 300_00)), 700_00, contract.Maximum, 0},
		"too often":                  {paying("D2740", 400_00, cas("CO", "45", 250_00), cas("CO", "151", 300_00)), 700_00, contract.Frequency, 0},
		"once in five years":         {with(paying("D2740", 400_00, cas("CO", "45", 550_00)), remarks("N417")), 400_00, contract.Frequency, 0},
		"another payer":              {paying("D2740", 100_00, cas("OA", "23", 600_00), cas("CO", "45", 250_00)), 700_00, contract.OtherPayer, 0},
		"out of the network":         {with(paying("D2740", 300_00, cas("PR", "45", 650_00)), func(l *remit.Line) { l.Allowed = money(300_00) }), 300_00, contract.Network, 0},
		"capitation":                 {paying("D2740", 0, cas("CO", "24", 950_00)), 0, contract.Discount, 0},
		"fewer units":                {with(paying("D2740", 400_00, cas("CO", "45", 550_00)), func(l *remit.Line) { l.Units = "1" }), 400_00, "", 400_00},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settledClaim(t, eraFile{1, "Delta", []remit.Claim{remitted("1", "A1", []remit.Line{x.line})}})
			if !r.Contracted().SetTerms(delta()) || r.Contracted().SetTerms(delta()) {
				t.Error("what the contract says does not change once")
			}
			k := r.Contracted().Compare()
			if k == nil || len(k.Lines) != 4 {
				t.Fatalf("%+v", k)
			}
			l := k.Lines[0]
			if l.ScheduleName != "Delta 2026" || *l.Expected != 800_00 || l.Allowed == nil || *l.Allowed != x.allowed || l.Apart != x.apart || *l.Difference() != x.allowed-800_00 {
				t.Errorf("the crown: expected %v, allowed %v, %q", l.Expected, l.Allowed, l.Apart)
			}
			if got := r.Contracted().Underpaid(); got != x.underpaid {
				t.Errorf("underpaid is %s, want %s", got, x.underpaid)
			}
			if l := k.Lines[1]; *l.Expected != 60_50 || l.Allowed != nil || l.Apart != contract.Undecided || l.Difference() != nil {
				t.Errorf("the exam, which is charged below the contract and not decided: %+v", l)
			}
			if l := k.Lines[3]; l.Expected != nil || l.Apart != contract.NoContract || !l.ScheduleID.IsZero() {
				t.Errorf("the cleaning, which has no row: %+v", l)
			}
		})
	}
}

// TestContractOfAWholeClaim has what depends on more than one line.
func TestContractOfAWholeClaim(t *testing.T) {
	t.Parallel()
	short := paying("D2740", 750_00, cas("CO", "45", 200_00))
	shortToo := paying("D2392", 100_00, cas("CO", "45", 50_00))
	beyond := paying("D2392", 150_00)
	one := remitted("1", "A1", []remit.Line{short, beyond})
	for name, x := range map[string]struct {
		files []eraFile
		want  billing.Money
		apart contract.Apart // of the crown
	}{
		"two lines below":              {[]eraFile{{1, "Delta", []remit.Claim{remitted("1", "A1", []remit.Line{short, shortToo})}}}, 70_00, ""},
		"one above makes up for none":  {[]eraFile{{1, "Delta", []remit.Claim{one}}}, 50_00, ""},
		"the discount is on the claim": {[]eraFile{{1, "Delta", []remit.Claim{remitted("1", "A1", []remit.Line{short}, cas("CO", "45", 10_00))}}}, 0, contract.ClaimLevel},
		"no lines":                     {[]eraFile{{1, "Delta", []remit.Claim{remitted("1", "A1", nil, cas("CO", "45", 400_00))}}}, 0, contract.ClaimLevel},
		"split in two":                 {[]eraFile{{1, "Delta", []remit.Claim{remitted("1", "A1", []remit.Line{with(paying("D2740", 400_00, cas("CO", "45", 75_00)), number("1")), with(paying("D2740", 350_00, cas("CO", "45", 125_00)), number("1"))})}}}, 50_00, ""},
		"taken back":                   {[]eraFile{{1, "Delta", []remit.Claim{one}}, {2, "Delta", []remit.Claim{takenBack(one)}}}, 0, contract.Undecided},
		"corrected":                    {[]eraFile{{1, "Delta", []remit.Claim{one}}, {2, "Delta", []remit.Claim{remitted("1", "A1", []remit.Line{paying("D2740", 800_00, cas("CO", "45", 150_00)), beyond})}}}, 0, ""},
		"a later payer's discount":     {[]eraFile{{1, "Delta", []remit.Claim{one}}, {2, "Cigna", []remit.Claim{remitted("2", "B1", []remit.Line{paying("D2740", 10_00, cas("OA", "23", 750_00), cas("CO", "45", 190_00))})}}}, 50_00, ""},
		"reversed, then decided anew":  {[]eraFile{{1, "Delta", []remit.Claim{one}}, {2, "Delta", []remit.Claim{takenBack(one), remitted("1", "A2", []remit.Line{paying("D2740", 780_00, cas("CO", "45", 170_00))})}}}, 20_00, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settledClaim(t, x.files...)
			r.Contracted().SetTerms(delta())
			if got := r.Contracted().Underpaid(); got != x.want {
				t.Errorf("underpaid is %s, want %s: %+v", got, x.want, r.Contracted().Compare())
			}
			if got := r.Contracted().Compare().Lines[0].Apart; got != x.apart {
				t.Errorf("the crown: %q, want %q", got, x.apart)
			}
			r.State = claim.Reconciled
			if got := r.Contracted().Underpaid(); got != x.want {
				t.Errorf("reconciled, underpaid is %s, want %s", got, x.want)
			}
			second := *r.Claim
			second.Coverage = billing.SequenceSecondary
			if second.Recount(r.Ledger); second.Contracted().Compare().Lines[0].Apart != contract.OtherPayer || second.Contracted().Underpaid() != 0 {
				t.Errorf("to another payer: %+v", second.Contracted().Compare())
			}
		})
	}
}

// number states under which number a line was billed.
func number(n string) func(*remit.Line) {
	return func(l *remit.Line) { l.ControlNumber = n }
}

// TestContractCountsUnits has a line of three units.
func TestContractCountsUnits(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		units string
		apart contract.Apart
		want  billing.Money
	}{{"3", "", 100_00}, {"", "", 100_00}, {"2", contract.Units, 0}} {
		line := with(paying("D2740", 2300_00, cas("CO", "45", 700_00)), func(l *remit.Line) { l.Units = x.units })
		c := crownClaim()
		c.Lines = c.Lines[:1]
		c.Lines[0].Fee, c.Lines[0].Quantity = 3000_00, 3
		c.State, c.SentAt = claim.AcceptedPayer, noon
		l, _, last := postFiles(c, []eraFile{{1, "Delta", []remit.Claim{remitted("1", "A1", []remit.Line{line})}}})
		c.Settle(l, last, claim.Cause{At: noon})
		c.Contracted().SetTerms(delta())
		if k := c.Contracted().Compare(); *k.Lines[0].Expected != 2400_00 || k.Lines[0].Apart != x.apart || c.Contracted().Underpaid() != x.want {
			t.Errorf("%q units: %+v", x.units, k)
		}
	}
}

// TestNoContract has claims that are compared with nothing.
func TestNoContract(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(c *claim.Claim){
		"a predetermination": func(c *claim.Claim) { c.Kind = claim.KindPredetermination },
		"a void":             func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid },
		"no dates": func(c *claim.Claim) {
			for i := range c.Lines {
				c.Lines[i].ServiceDate = billing.Date{}
			}
		},
		"before the contract": func(c *claim.Claim) {
			for i := range c.Lines {
				c.Lines[i].ServiceDate.Year = 2025
			}
		},
	} {
		c := crownClaim()
		change(c)
		if c.Contracted().SetTerms(delta()) || c.Contracted().Compare() != nil || c.Contracted().Underpaid() != 0 {
			t.Errorf("%s: %+v", name, c.Contracted().Compare())
		}
	}
}

// TestNextStepNamesWhatAPayerStaysBelow asks for the difference until a person accepts it.
func TestNextStepNamesWhatAPayerStaysBelow(t *testing.T) {
	t.Parallel()
	c := crownClaim()
	c.Lines = c.Lines[:1]
	c.State, c.SentAt = claim.AcceptedPayer, noon
	short := paying("D2740", 600_00, cas("PR", "2", 150_00), cas("CO", "45", 200_00))
	l, _, last := postFiles(c, []eraFile{{1, "Delta", []remit.Claim{remitted("1", "A1", []remit.Line{short})}}})
	c.Settle(l, last, claim.Cause{At: noon})
	without := c.NextStep()
	c.Contracted().SetTerms(delta())
	want := "The payer allows $50.00 less than its contract says: ask it to correct the payment, or accept the difference"
	if got := c.NextStep(); got != want+", then post the payment and reconcile the claim." {
		t.Errorf("paid: %q", got)
	}
	c.State, c.ReconciledAt = claim.Reconciled, evening
	if got := c.NextStep(); got != want+"." {
		t.Errorf("reconciled: %q", got)
	}
	c.State, c.Decisions = claim.Paid, decision.List{{Of: "underpaid", As: decision.Accepted, Amount: 40_00}}
	if got := c.NextStep(); got == without {
		t.Errorf("another amount was accepted: %q", got)
	}
	c.Decisions[0].Amount = 50_00
	if got := c.NextStep(); got != without {
		t.Errorf("accepted: %q", got)
	}
}
