package billing_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

func TestIDReadsWhatItPrints(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
	id := billing.NewID[billing.CheckID](billing.RealAt(at))
	s := id.String()
	if !strings.HasPrefix(s, "elg_") || len(s) != 30 {
		t.Fatalf("String() = %q, want elg_ and 26 characters", s)
	}
	for _, in := range []string{s, strings.ToLower(s)} {
		got, err := billing.ParseID[billing.CheckID](in)
		if err != nil || got != id {
			t.Errorf("ParseID(%q) = %v, %v, want %v", in, got, err, id)
		}
	}
	var scanned billing.CheckID
	v, err := id.Value()
	if err != nil {
		t.Fatal(err)
	}
	if err := scanned.Scan(v); err != nil || scanned != id {
		t.Errorf("Scan(Value()) = %v, %v, want %v", scanned, err, id)
	}
	if uuid := id.UUID(); uuid[14] != '7' || !strings.Contains("89ab", uuid[19:20]) {
		t.Errorf("UUID() = %s, want version 7 of the RFC's variant", uuid)
	}
}

func TestIDRefuses(t *testing.T) {
	t.Parallel()
	good := billing.NewID[billing.CheckID](billing.RealAt(time.Now())).String()
	for name, in := range map[string]string{
		"empty":           "",
		"prefix alone":    "elg_",
		"another prefix":  "off_" + good[4:],
		"one short":       good[:29],
		"one long":        good + "0",
		"letter not used": "elg_" + "U" + good[5:],
		"over 128 bits":   "elg_8" + good[5:],
		"zero":            "elg_" + strings.Repeat("0", 26),
		"not ASCII":       "elg_é" + good[6:],
	} {
		if id, err := billing.ParseID[billing.CheckID](in); err == nil {
			t.Errorf("%s: ParseID(%q) = %v, want an error", name, in, id)
		}
	}
}

func TestIDsFollowTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var ids []string
	for i := range 3000 {
		ids = append(ids, billing.NewID[billing.EventID](billing.RealAt(at.Add(time.Duration(i)*time.Microsecond))).String())
	}
	if !slices.IsSorted(ids) {
		t.Error("IDs of later microseconds do not sort later")
	}
}

func TestZeroIDIsNull(t *testing.T) {
	t.Parallel()
	var id billing.PatientID
	v, err := id.Value()
	if v != nil || err != nil || id.String() != "" {
		t.Errorf("zero ID: Value() = %v, %v, String() = %q, want NULL and empty", v, err, id)
	}
	id = billing.NewID[billing.PatientID](billing.RealAt(time.Now()))
	if err := id.Scan(nil); err != nil || !id.IsZero() {
		t.Errorf("Scan(nil) = %v, %v, want zero", id, err)
	}
}

func FuzzParseID(f *testing.F) {
	f.Add("elg_01JZ5N0QK8E8R5GQ6S9V7T3XYZ")
	f.Add("elg_00000000000000000000000000")
	f.Fuzz(func(t *testing.T, s string) {
		id, err := billing.ParseID[billing.CheckID](s)
		if err == nil && id.String() != "elg_"+strings.ToUpper(s[4:]) {
			t.Errorf("ParseID(%q).String() = %q", s, id)
		}
	})
}
