package caller_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
)

func TestKeySecrets(t *testing.T) {
	t.Parallel()
	for _, m := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
		s := caller.NewKeySecret(m)
		if !strings.HasPrefix(s, "molar_"+string(m)+"_") || len(s) != len("molar_test_")+38 || !caller.WellFormedKeySecret(s) {
			t.Fatalf("NewKeySecret(%s) = %q, not well formed", m, s)
		}
		otherMode := strings.NewReplacer("_test_", "_live_", "_live_", "_test_").Replace(s)
		for _, bad := range []string{"", "hello", s + " ", otherMode} {
			if caller.WellFormedKeySecret(bad) {
				t.Errorf("%q is well formed", bad)
			}
		}
		for i := range len(s) { // a typing error anywhere is seen without a look-up
			typo := s[:i] + string(s[i]^1) + s[i+1:]
			if caller.WellFormedKeySecret(typo) {
				t.Errorf("%q differs from a secret at %d and is well formed", typo, i)
			}
		}
	}
	if a, b := caller.NewKeySecret(billing.ModeTest), caller.NewKeySecret(billing.ModeTest); a == b {
		t.Error("two secrets are equal")
	}
}

func TestValidNPI(t *testing.T) {
	t.Parallel()
	for npi, want := range map[string]bool{"1234567893": true, "1245319599": true, "1234567890": false, "123456789": false, "12345678931": false, "123456789a": false, "": false} {
		if got := directory.ValidNPI(npi); got != want {
			t.Errorf("ValidNPI(%q) = %t, want %t", npi, got, want)
		}
	}
}

func TestValidIdempotencyKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"a": true, "\"quoted\"": true, strings.Repeat("~", 255): true,
		"": false, strings.Repeat("a", 256): false, "with space": false, "tab\t": false, "é": false, "nul\x00": false, "del\x7f": false,
	} {
		if got := caller.ValidIdempotencyKey(key); got != want {
			t.Errorf("ValidIdempotencyKey(%q) = %t, want %t", key, got, want)
		}
	}
}

func TestPatientKey(t *testing.T) {
	t.Parallel()
	born := billing.Date{Year: 1985, Month: 4, Day: 12}
	same := [][2]string{{"José", "O'Neil-Smith"}, {"JOSE", "oneilsmith"}, {" jose ", "O’Neil Smith"}, {"Jose\u0301", "ONEILSMITH"}}
	want, ok := directory.PatientKey(same[0][0], same[0][1], born)
	if !ok {
		t.Fatal("a name and a date of birth make a key")
	}
	for _, n := range same {
		if got, _ := directory.PatientKey(n[0], n[1], born); got != want {
			t.Errorf("PatientKey(%q) = %q, want %q", n, got, want)
		}
	}
	if a, _ := directory.PatientKey("ab", "c", born); a != "" {
		if b, _ := directory.PatientKey("a", "bc", born); a == b {
			t.Errorf("first and last name run together: %q", a)
		}
	}
	// Stored patients have this key: a letter that Unicode does not decompose stays.
	const stored = "25450c948c9f9535a35e5dd3ce424022287fda56872779c945120b2cfe35977f"
	if got, _ := directory.PatientKey("Łukasz", "O’Weiß", born); got != stored {
		t.Errorf("the key of a stored patient is %s, want %s", got, stored)
	}
	if _, ok := directory.PatientKey("--", "''", born); ok {
		t.Error("a name without letters or digits made a key")
	}
	if _, ok := directory.PatientKey("Jo", "Do", billing.Date{}); ok {
		t.Error("no date of birth made a key")
	}
}
