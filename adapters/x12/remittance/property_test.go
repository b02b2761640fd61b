package remittance_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// generator makes payments as payers make them.
type generator struct{ *rand.Rand }

func (g generator) pick(all ...string) string { return all[g.IntN(len(all))] }

func (g generator) day() billing.Date {
	return billing.Date{Year: 2020 + g.IntN(9), Month: 1, Day: 1}.AddDays(g.IntN(366))
}

func (g generator) adjustments(charge billing.Money) []remittance.Adjustment {
	var all []remittance.Adjustment
	for range g.IntN(9) {
		all = append(all, remittance.Adjustment{
			Group: g.pick("CO", "PR", "OA", "PI"), Reason: g.pick("1", "2", "3", "23", "45", "A2", "101"),
			Amount: billing.Money(g.Int64N(int64(charge)+1)/8 - 50), Quantity: g.pick("", "", "1"),
		})
	}
	return all
}

func (g generator) service(n int) remittance.Service {
	s := remittance.Service{
		Procedure: remittance.Procedure{Qualifier: "AD", Code: fmt.Sprintf("D%04d", g.IntN(10_000))},
		Charge:    billing.Money(g.Int64N(3_000_00)), Units: g.pick("", "1", "2"),
		References: []remittance.Reference{{Qualifier: "6R", Value: fmt.Sprint(n + 1)}},
		Dates:      []remittance.Date{{Qualifier: "472", Day: g.day()}},
	}
	s.Adjustments = g.adjustments(s.Charge)
	if g.IntN(5) == 0 {
		s.Submitted = remittance.Procedure{Qualifier: "AD", Code: "D2391", Modifiers: []string{"F1"}}
		s.Remarks = []remittance.Remark{{Qualifier: "HE", Code: "N381"}, {Qualifier: "HE", Code: "N19"}}
	}
	if g.IntN(2) == 0 {
		s.Amounts = []remittance.Amount{{Qualifier: "B6", Amount: s.Charge}}
	}
	return s
}

func (g generator) claim() remittance.Claim {
	c := remittance.Claim{
		ControlNumber: fmt.Sprintf("PCN-%d", g.IntN(100)), Status: g.pick("1", "1", "2", "3", "4", "19", "25"), FilingCode: "12",
		PayerControlNumber: fmt.Sprintf("N%06d", g.IntN(1_000_000)), PlaceOfService: "11", Frequency: g.pick("1", "7"),
		Charge: billing.Money(g.Int64N(5_000_00)),
		Names:  []remittance.Name{{Entity: "QC", Kind: "1", Last: g.pick("DOE", "ROE"), First: "JANE", IDQualifier: "MI", ID: "W1"}},
		Dates:  []remittance.Date{{Qualifier: "232", Day: g.day()}},
	}
	for n := range g.IntN(5) {
		c.Services = append(c.Services, g.service(n))
	}
	if g.IntN(3) == 0 {
		c.Adjustments = g.adjustments(c.Charge)
		c.Outpatient = []string{"", "", "MA15"}
	}
	return c
}

func (g generator) remittance() remittance.Remittance {
	r := full()
	r.Claims, r.Adjustments = nil, nil
	for range g.IntN(20) {
		c := g.claim()
		r.Claims = append(r.Claims, c)
		if g.IntN(6) == 0 {
			r.Claims = append(r.Claims, *c.Reversed())
		}
	}
	for range g.IntN(15) {
		r.Adjustments = append(r.Adjustments, remittance.ProviderAdjustment{
			Provider: g.pick("1234567893", "1234567893", "9"), Period: billing.Date{Year: 2026, Month: 12, Day: 31},
			Reason: g.pick("WO", "L6", "72", "CS"), Reference: g.pick("", "PCN-3"), Amount: billing.Money(g.Int64N(200_00) - 100_00),
		})
	}
	r.Settle()
	return r
}

// TestPaymentsComeBack proves that what is settled adds up, comes back as it
// was, and is written again as it was.
func TestPaymentsComeBack(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		g := generator{rand.New(rand.NewPCG(seed, 835))}
		want := []remittance.Remittance{g.remittance(), g.remittance()}
		b := encode(t, want)
		got, warnings, err := readAll(bytes.NewReader(b))
		if err != nil || len(warnings) > 0 {
			t.Fatalf("seed %d: error %v, warnings %v", seed, err, warnings)
		}
		for i := range got {
			if !got[i].Balance.Holds() || got[i].Total < 0 {
				t.Fatalf("seed %d: total %s, %v", seed, got[i].Total, got[i].Balance.Findings)
			}
			for n := range got[i].Claims {
				want[i].Claims[n].Ordinal = n + 1
			}
			want[i].Balance = got[i].Balance
		}
		if got := bare(got); !reflect.DeepEqual(got, bare(want)) {
			t.Fatalf("seed %d: payments\n%+v became\n%+v", seed, bare(want), got)
		}
		if again := encode(t, got); !bytes.Equal(again, b) {
			t.Fatalf("seed %d: not stable", seed)
		}
	}
}

// TestFindsWhatIsOff changes one figure of a payment that adds up, and proves
// that it is found where it is, to the cent, and that no other claim changes.
func TestFindsWhatIsOff(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		g := generator{rand.New(rand.NewPCG(seed, 42))}
		r := g.remittance()
		off := billing.Money(g.Int64N(20_00) + 1)
		want := map[remittance.Level]billing.Money{}
		victim := -1 // no claim
		switch line, claim := g.IntN(3) == 0, g.IntN(2) == 0; {
		case len(r.Claims) > 0 && line:
			victim = g.IntN(len(r.Claims))
			if lines := r.Claims[victim].Services; len(lines) > 0 {
				lines[g.IntN(len(lines))].Paid += off
				want[remittance.LevelLine] = off
			}
		case len(r.Claims) > 0 && claim:
			victim = g.IntN(len(r.Claims))
			r.Claims[victim].Paid += off
			want[remittance.LevelClaim], want[remittance.LevelPayment] = off, -off
		default:
			r.Total += off
			want[remittance.LevelPayment] = off
		}
		all, _, err := readAll(bytes.NewReader(encode(t, []remittance.Remittance{r})))
		if err != nil {
			t.Fatal(err)
		}
		got := map[remittance.Level]billing.Money{}
		for _, f := range all[0].Balance.Findings {
			got[f.Level] += f.Off()
			if f.Level != remittance.LevelPayment && f.Claim != victim+1 {
				t.Errorf("seed %d: %s, not claim %d", seed, f, victim+1)
			}
		}
		if !reflect.DeepEqual(got, want) || all[0].Balance.Holds() != (len(want) == 0) {
			t.Errorf("seed %d: found %v, want %v", seed, got, want)
		}
		for i := range all[0].Claims {
			if c := &all[0].Claims[i]; !c.Balanced() && i != victim {
				t.Errorf("seed %d: claim %d does not add up: %v", seed, i+1, c.Findings)
			}
		}
	}
}
