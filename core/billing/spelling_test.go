package billing_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestComparableName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"O’Neill": "oneill", "O´Neill": "oneill", "OʼNeill": "oneill", "O`Neill": "oneill", "Zoë-Ann 2": "zoeann2", "’ -": "", "李": "李",
		"Łukasz ŁUKASZ": "lukaszlukasz", "SØREN søren": "sorensoren", "Weiß WEIẞ": "weissweiss", "Æsir æsir": "aesiraesir", "Œuvre": "oeuvre",
		"Đorđe": "dorde", "Þórður": "thordur", "Yıldız YILDIZ İ": "yildizyildizi", "Ħal Ŧŋĸ": "haltnk",
	} {
		if got := billing.ComparableName(name); got != want {
			t.Errorf("ComparableName(%q) = %q, want %q", name, got, want)
		}
	}
}
