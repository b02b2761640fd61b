package remittance_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// FuzzValues proves that the fast ways to read amounts and days say what
// billing says.
func FuzzValues(f *testing.F) {
	for _, s := range []string{
		"0", "-0", "1", "12.", ".5", "-.05", "1250.5", "1,250.00", "1.005", "1.004", "-", ".", "", "-.", "1.2.3", "1-", "+1", "1E3", "0001", "--1",
		"92233720368547", "922337203685477", "999999999999999", "9999999999999999", "99999999999999.99", "123456789012.34", "00000000000000000001",
		"20260228", "20260229", "20240229", "20261301", "20260100", "20260132", "20261231", "00010101", "00000000", "2026-1-1", "202601011", "0x1f0101", "+2260101",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		s := string(x12.Text(value))
		if s == "" || len(s) > 100 {
			return
		}
		all, _, err := readAll(strings.NewReader(body("BPR*I*0*C*NON************"+s, "TRN*1", "CLP*A*1*0*0", "AMT*AU*"+s)))
		if err != nil {
			t.Fatal(err)
		}
		day, _ := billing.ParseX12Date(s)
		if all[0].Date != day {
			t.Errorf("%q is the day %v, want %v", s, all[0].Date, day)
		}
		want, err := billing.ParseX12Money(s)
		got, stated := all[0].Claims[0].Amount("AU")
		if stated != (err == nil) || got != want {
			t.Errorf("%q is the amount %s (%v), want %s (%v)", s, got, stated, want, err)
		}
	})
}
