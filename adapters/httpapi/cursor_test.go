package httpapi

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

func position() *billing.Position {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	return &billing.Position{Time: at, ID: billing.NewID[billing.CheckID](billing.RealAt(at))}
}

func TestCursor(t *testing.T) {
	t.Parallel()
	c := cursors{func() [32]byte { return [32]byte{1} }}
	scope := billing.Scope{Org: billing.NewID[billing.OrgID](billing.RealAt(time.Now())), Mode: billing.ModeTest}
	bound := func(name string, s billing.Scope, raw string) list {
		return queryOf(t, raw).bind(name, s, "limit", "cursor")
	}
	home := bound("eligibility", scope, "outcome=answered&office_id=x&limit=3")
	want := position()
	s := *c.encode(home, want)

	for name, l := range map[string]list{
		"same":        home,
		"other order": bound("eligibility", scope, "limit=50&cursor=z&office_id=x&outcome=answered"),
	} {
		if got, ok := c.decode(l, s); !ok || *got != *want {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
	}
	otherMode, otherOrg := scope, scope
	otherMode.Mode = billing.ModeLive
	otherOrg.Org = billing.NewID[billing.OrgID](billing.RealAt(time.Now()))
	for name, l := range map[string]list{
		"list":         bound("events", scope, "outcome=answered&office_id=x"),
		"mode":         bound("eligibility", otherMode, "outcome=answered&office_id=x"),
		"organization": bound("eligibility", otherOrg, "outcome=answered&office_id=x"),
		"fewer":        bound("eligibility", scope, "outcome=answered"),
		"more":         bound("eligibility", scope, "outcome=answered&office_id=x&payer_id=y"),
		"other value":  bound("eligibility", scope, "outcome=answered&office_id=y"),
	} {
		if _, ok := c.decode(l, s); ok {
			t.Errorf("another %s took the cursor", name)
		}
	}
	if _, ok := (cursors{func() [32]byte { return [32]byte{2} }}).decode(home, s); ok {
		t.Error("another key took the cursor")
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(raw) * 8 {
		raw[i/8] ^= 1 << (i % 8)
		if _, ok := c.decode(home, base64.RawURLEncoding.EncodeToString(raw)); ok {
			t.Errorf("bit %d does not count", i)
		}
		raw[i/8] ^= 1 << (i % 8)
	}
	for _, bad := range []string{"", "x", s[1:], s + "A", s + "=", s[:len(s)-1]} {
		if _, ok := c.decode(home, bad); ok {
			t.Errorf("took %q", bad)
		}
	}
	if c.encode(home, nil) != nil {
		t.Error("the last page has a cursor")
	}
}

func FuzzCursor(f *testing.F) {
	c := cursors{func() [32]byte { return [32]byte{1} }}
	l := list{name: "eligibility"}
	good := *c.encode(l, position())
	f.Add(good)
	f.Add("")
	f.Add(good[1:])
	f.Fuzz(func(t *testing.T, s string) {
		if p, ok := c.decode(l, s); ok && *c.encode(l, p) != s {
			t.Errorf("%q reads as %v", s, p)
		}
	})
}
