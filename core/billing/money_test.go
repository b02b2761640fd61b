package billing_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestParseMoney(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]billing.Money{
		"0.00": 0, "12.50": 1250, "-12.50": -1250, "0.05": 5, "-0.01": -1, "007.10": 710, "123456789012.34": 12345678901234,
	} {
		if got, err := billing.ParseMoney(in); err != nil || got != want {
			t.Errorf("ParseMoney(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "-", "1", "1.5", "1.500", ".50", "1,000.00", "+1.00", "1e2.00", " 1.00", "1.00 ", "--1.00", "1.-0", "9999999999999999.00"} {
		if got, err := billing.ParseMoney(in); err == nil {
			t.Errorf("ParseMoney(%q) = %d, want an error", in, got)
		}
	}
}

func TestParseX12Money(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]billing.Money{
		"100": 10000, "100.5": 10050, "1,250.00": 125000, "-12,345,678": -1234567800, "-42": -4200, ".2": 20, "0": 0, "1.005": 101, "-1.005": -101, "1.004": 100, "5.": 500,
	} {
		if got, err := billing.ParseX12Money(in); err != nil || got != want {
			t.Errorf("ParseX12Money(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "-", ".", "abc", "1.2.3", "1e9", "99999999999999999999", "150,00", "1250,000", ",250", "1,,250", "1.250,00", "1,2,3"} {
		if got, err := billing.ParseX12Money(in); err == nil {
			t.Errorf("ParseX12Money(%q) = %d, want an error", in, got)
		}
	}
}

func FuzzMoney(f *testing.F) {
	f.Add("12.50")
	f.Add("-0.01")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := billing.ParseMoney(s)
		if err != nil {
			return
		}
		if again, err := billing.ParseMoney(m.String()); err != nil || again != m {
			t.Errorf("ParseMoney(%q) = %d, whose form %q reads as %d, %v", s, m, m, again, err)
		}
	})
}

func TestDollars(t *testing.T) {
	t.Parallel()
	for m, want := range map[billing.Money]string{0: "$0.00", -1: "-$0.01", 120_00: "$120.00", -1_250_00: "-$1,250.00", 1_234_567_89: "$1,234,567.89"} {
		if got := m.Dollars(); got != want {
			t.Errorf("%s is %s, want %s", m, got, want)
		}
	}
}
