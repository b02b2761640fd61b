package x12_test

import (
	"math"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
)

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]x12.Element{
		"":                        "",
		"  O'Brien-Smith  Jr. ":   "O'BRIEN-SMITH JR.",
		"a*b^c:d~e\x00\x1f\nf`":   "A B C D E F'",
		"Ærøskøbing Straße":       "AEROSKOBING STRASSE",
		"Nuñez Ångström Łódź":     "NUNEZ ANGSTROM LODZ",
		"Nguyễn Thị Phượng":       "NGUYEN THI PHUONG",
		"Œuvre Ĳssel Þór ǅ":       "OEUVRE IJSSEL THOR",
		"n\u0303 e\u0301":         "N E",
		"d’Arc “x” – y":           `D'ARC "X" - Y`,
		"Ｔａｎａｋａ：１":                "TANAKA 1",
		"張偉":                      "",
		"Ann 張":                   "ANN",
		"a\u00d7b\u00f7c\u20acd€": "A B C D",
		"bad\xffbyte":             "BAD BYTE",
		"Știrbei Ștefan Țară":     "STIRBEI STEFAN TARA",
		"12345 D1110":             "12345 D1110",
	} {
		if got := x12.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
		for _, again := range []string{string(want), " " + string(want)} { // the second is spelled character by character
			if got := x12.Text(again); got != want {
				t.Errorf("Text(%q) = %q, want %q", again, got, want)
			}
		}
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	if got := x12.Clip("abc def", 4); got != "ABC" {
		t.Errorf("Clip gives %q", got)
	}
	if got := x12.Composite("AD", "D1110", "", ""); got != "AD:D1110" {
		t.Errorf("Composite gives %q", got)
	}
	if got := x12.Composite("", "D1110"); got != ":D1110" {
		t.Errorf("Composite gives %q", got)
	}
	if got := x12.Repeat("30", "", "*", "35"); got != "30^35" {
		t.Errorf("Repeat gives %q", got)
	}
	if got := x12.Int(-12); got != "-12" {
		t.Errorf("Int gives %q", got)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"Zoë", "*~:^", "張", "\xff", "ǅẞ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := x12.Text(s)
		for i := range len(once) {
			if c := once[i]; c < ' ' || c >= 0x7f || c == '*' || c == '^' || c == ':' || c == '~' || 'a' <= c && c <= 'z' {
				t.Fatalf("Text(%q) = %q has %q", s, once, c)
			}
		}
		if spaced := x12.Text(" " + s); spaced != once {
			t.Fatalf("Text(%q) = %q, and %q after a space", s, once, spaced)
		}
		if twice := x12.Text(string(once)); twice != once {
			t.Fatalf("%q became %q", once, twice)
		}
	})
}

func TestCents(t *testing.T) {
	t.Parallel()
	for cents, want := range map[int64]x12.Element{
		0: "0", 5: ".05", 50: ".5", 99: ".99", 100: "1", 120: "1.2", 15001: "150.01", 1_000_000: "10000",
		-1: "-.01", -100: "-1", -12_50: "-12.5", math.MaxInt64: "92233720368547758.07", math.MinInt64: "-92233720368547758.08",
	} {
		if got := x12.Cents(cents); got != want {
			t.Errorf("Cents(%d) = %q, want %q", cents, got, want)
		}
	}
}
