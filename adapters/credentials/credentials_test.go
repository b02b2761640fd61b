package credentials_test

import (
	"encoding/base32"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/credentials"
)

func TestHash(t *testing.T) {
	t.Parallel()
	p := credentials.New([32]byte{1})
	want := p.Hash("a@x.y", "correct horse")
	if !strings.HasPrefix(want, "argon2id$v=19$m=19456,t=2,p=1$") || want != credentials.New([32]byte{1}).Hash("a@x.y", "correct horse") {
		t.Errorf("hash %s", want)
	}
	for name, other := range map[string]string{
		"another password": p.Hash("a@x.y", "correct horsf"),
		"another address":  p.Hash("b@x.y", "correct horse"),
		"another key":      credentials.New([32]byte{2}).Hash("a@x.y", "correct horse"),
	} {
		if other == want {
			t.Errorf("%s has the same hash", name)
		}
	}
}

// TestStep has vectors of RFC 6238, appendix B, in six digits.
func TestStep(t *testing.T) {
	t.Parallel()
	p := credentials.New([32]byte{})
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for at, code := range map[int64]string{1111111111: "050471", 1111111109: "081804", 1234567890: "005924", 20000000000: "353130"} {
		for _, late := range []int64{-30, 0, 30} {
			if step, ok := p.Step(secret, code, time.Unix(at+late, 0)); !ok || step != at/30 {
				t.Errorf("code %s at %d%+d: step %d, %t", code, at, late, step, ok)
			}
		}
		for _, late := range []int64{-60, 60} {
			if _, ok := p.Step(secret, code, time.Unix(at+late, 0)); ok {
				t.Errorf("code %s is right %d s late", code, late)
			}
		}
	}
	for _, bad := range []string{"", "287083", " 287082", "2870820"} {
		if _, ok := p.Step(secret, bad, time.Unix(59, 0)); ok {
			t.Errorf("code %q is right", bad)
		}
	}
	if _, ok := p.Step("not base32!", "287082", time.Unix(59, 0)); ok {
		t.Error("a damaged secret has a right code")
	}
}

// TestStrength measures passwords whose signs stand for letters. It ends even when a
// password has nothing else.
func TestStrength(t *testing.T) {
	t.Parallel()
	p := credentials.New([32]byte{})
	for password, good := range map[string]bool{
		"Crowns and bridges 14": true, "correct horse battery staple": true, "kPz8vQ2mXw4r": true, strings.Repeat("a4@8({[<369!1|0$5+7%2", 4)[:72]: true,
		"P@$$w0rd2026": false, "we1c0me12345": false, "dr. sm1th dental": false, "é": false, "": false, "\xff\u0130ſ": false,
	} {
		if strength := p.Strength(password, []string{"dr", "smith", "dental"}); (strength >= 3) != good || strength < 0 || strength > 4 {
			t.Errorf("%q: %d", password, strength)
		}
	}
}
