package remittance_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

// check proves that reading b fails with a position, or that what it gave is
// written and read again without a change, and that each payment can be cut out.
func check(t *testing.T, b []byte) {
	t.Helper()
	first, _, err := readAll(bytes.NewReader(b))
	if err != nil {
		x12test.Refused(t, b, err)
	}
	if len(first) == 0 {
		return
	}
	for i := range first {
		checkSums(t, &first[i])
		checkExtract(t, b, &first[i])
	}
	once := encode(t, first)
	second, warnings, err := readAll(bytes.NewReader(once))
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, once)
	}
	for _, w := range warnings {
		if w.Reason == "the count is wrong" || w.Reason == "the control number is not the header's" {
			t.Fatalf("what was written has warnings: %v\n%s", warnings, once)
		}
	}
	if twice := encode(t, second); !bytes.Equal(once, twice) {
		t.Fatalf("not stable:\n%s\n%s", once, twice)
	}
	if len(first) != len(second) {
		t.Fatalf("%d payments became %d", len(first), len(second))
	}
	for i := range first {
		checkSame(t, &first[i], &second[i])
	}
}

// checkSums adds up again, in another order, what the decoder added up.
func checkSums(t *testing.T, r *remittance.Remittance) {
	t.Helper()
	var sum billing.Money
	lines := 0
	for i := range r.Claims {
		c := &r.Claims[i]
		sum += c.Paid
		lines += len(c.Services)
		off := c.Charge-c.Adjusted("", "") != c.Paid
		for n := range c.Services {
			s := &c.Services[n]
			off = off || s.Charge-s.Adjusted("", "") != s.Paid
		}
		if off && c.Balanced() {
			t.Fatalf("claim %d does not add up", i+1)
		}
	}
	b := &r.Balance
	if b.Payment.From != sum || b.Payment.Less != r.AdjustmentsTotal() || b.Payment.Stated != r.Total ||
		b.Claims.Checked != len(r.Claims) || b.Lines.Checked != lines {
		t.Fatalf("balance %+v", b)
	}
	if b.Holds() != (len(b.Findings) == 0) {
		t.Fatalf("balanced %v with findings %v", b.Holds(), b.Findings)
	}
}

// checkSame proves that no figure changed, and nothing at all where the values
// were such as are written as they are.
func checkSame(t *testing.T, was, is *remittance.Remittance) {
	t.Helper()
	want, got := bare([]remittance.Remittance{*was}), bare([]remittance.Remittance{*is})
	if was.Balance.Unread == 0 && (was.Balance.Payment != is.Balance.Payment || was.Balance.Claims != is.Balance.Claims || was.Balance.Lines != is.Balance.Lines) {
		t.Fatalf("balance %+v became %+v", was.Balance, is.Balance)
	}
	if was.Balance.Unread == 0 && plain(reflect.ValueOf(want), "") && !reflect.DeepEqual(want, got) {
		t.Fatalf("payment\n%+v became\n%+v", want, got)
	}
}

// plain reports whether every string in v is written as it is. Field is the one
// that v is the value of: most may have ten characters at least.
func plain(v reflect.Value, field string) bool {
	switch v.Kind() { //nolint:exhaustive // the other kinds hold no strings
	case reflect.String:
		limit := 10
		switch field {
		case "State":
			limit = 2
		case "Qualifier", "IDQualifier", "Entity", "Kind", "Function", "Group", "Handling", "CreditDebit", "Method",
			"Status", "FilingCode", "PlaceOfService", "Frequency":
			limit = 3
		case "Reason":
			limit = 5
		}
		return len(v.String()) <= limit && string(x12.Text(v.String())) == v.String()
	case reflect.Slice:
		for i := range v.Len() {
			if !plain(v.Index(i), field) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "Findings" && !plain(v.Field(i), name) {
				return false
			}
		}
	case reflect.Pointer:
		return v.IsNil() || plain(v.Elem(), field)
	}
	return true
}

// checkExtract cuts the payment out of the file that it came in.
func checkExtract(t *testing.T, b []byte, r *remittance.Remittance) {
	t.Helper()
	out, err := remittance.Extract(b, r.Span)
	if err != nil {
		t.Fatalf("cannot be cut out: %v", err)
	}
	if !bytes.Contains(out, b[r.Span.Start:r.Span.End]) {
		t.Fatalf("the transaction set is not as it was:\n%s", out)
	}
	all, warnings, err := readAll(bytes.NewReader(out))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d payments were cut out, error %v", len(all), err)
	}
	for _, w := range warnings {
		if w.Offset >= all[0].Span.End && r.Interchange.Control > 0 { // a control number that is none may be a delimiter
			t.Fatalf("the new trailers are wrong: %v", w)
		}
	}
	want, got := *r, all[0]
	if got.Interchange != want.Interchange || got.Group != want.Group || got.Control != want.Control {
		t.Fatalf("the envelope is another: %+v", got.Interchange)
	}
	if !reflect.DeepEqual(bare([]remittance.Remittance{want}), bare([]remittance.Remittance{got})) {
		t.Fatalf("payment\n%+v became\n%+v", want, got)
	}
}

func FuzzDecode(f *testing.F) {
	x12test.Seed(f)
	f.Fuzz(func(t *testing.T, b []byte) { check(t, b) })
}

// FuzzExtract cuts at any bytes of any input: it gives a set or an error with a
// position.
func FuzzExtract(f *testing.F) {
	for _, b := range x12test.Samples(f) {
		at := bytes.Index(b, []byte("ST*835"))
		f.Add(b, at, len(b), 0, bytes.Index(b, []byte("GS*")))
		f.Add(b, at, at+3, bytes.Index(b, []byte("ISA")), at-2)
	}
	f.Fuzz(func(t *testing.T, b []byte, start, end, interchange, group int) {
		out, err := remittance.Extract(b, remittance.Span{Start: start, End: end, Interchange: interchange, Group: group})
		if err != nil {
			if _, ok := errors.AsType[*x12.Error](err); !ok {
				t.Fatalf("error %v without a position", err)
			}
			return
		}
		if !bytes.Contains(out, b[start:end]) {
			t.Fatalf("bytes %d to %d were not cut out", start, end)
		}
	})
}
