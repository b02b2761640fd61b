package x12_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// loop has a value of each kind.
type loop struct {
	address x12.Address
	number  string
	codes   []string
	paid    *billing.Money
	service billing.DateSpan
	cuts    []x12.Adjustment
}

func (l *loop) loop(f *x12.Fields) {
	l.address.Loop(f)
	f.Reference("G1", &l.number)
	if f.Optional("SVC") {
		f.Components(1, 1, &l.codes, 9).AmountIf(2, &l.paid)
	}
	if f.Qualified("DTP", "472") {
		f.Span(2, &l.service)
	}
	f.Adjustments(&l.cuts, 0)
}

// TestFields proves that a loop comes back as it was written, and that what states
// nothing is not written.
func TestFields(t *testing.T) {
	t.Parallel()
	day := billing.Date{Year: 2026, Month: 3, Day: 4}
	far := make([]string, 40)
	far[0], far[39] = "AD", "LAST"
	for _, c := range []struct {
		want string
		loop loop
	}{
		{"", loop{}},
		{"N4*TULSA~", loop{address: x12.Address{City: "TULSA"}}},
		{"REF*G1*N-1~DTP*472*D8*20260304~", loop{number: "N-1", service: billing.DateSpan{From: day, To: day}}},
		{"SVC*AD" + strings.Repeat(":", 39) + "LAST*.5~", loop{codes: far, paid: new(billing.Money(50))}},
		{"DTP*472*RD8*20260304-20260305~", loop{service: billing.DateSpan{From: day, To: day.AddDays(1)}}},
		{"CAS*CO*45*1**97*2~CAS*PR*1*3*2~", loop{cuts: []x12.Adjustment{
			{Group: "CO", Reason: "45", Amount: 100}, {Group: "CO", Reason: "97", Amount: 200}, {Group: "PR", Reason: "1", Amount: 300, Quantity: "2"},
		}}},
	} {
		var w x12.Writer
		w.Open(x12.Interchange{Created: time.Unix(0, 0)}, x12.Group{Created: time.Unix(0, 0)}, x12.Set{ID: "837", Control: "0001"})
		c.loop.loop(w.Fields())
		file := w.Bytes()
		_, got, _ := strings.Cut(string(file), "~ST*837*0001~")
		if got, _, _ = strings.Cut(got, "SE*"); got != c.want {
			t.Errorf("wrote %q, want %q", got, c.want)
		}
		var read loop
		var f x12.Fields
		if err := x12.NewReader(bytes.NewReader(file), x12.Limits{}).Each(func(s *x12.Segment) error {
			read.loop(f.Read(s))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(read, c.loop) {
			t.Errorf("read %+v of %s", read, c.want)
		}
	}
}
