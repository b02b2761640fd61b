package cli

import (
	"strings"
	"testing"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
)

// TestAllInvalid writes the result of a file whose items the API refused, because all are invalid.
func TestAllInvalid(t *testing.T) {
	t.Parallel()
	file := &molar.Schedule{Rows: []molar.ScheduleRow{
		{Line: 2, Item: &molar.ScheduleItem{ItemID: "a"}}, {Line: 3}, {Line: 4, Item: &molar.ScheduleItem{ItemID: "b"}},
	}}
	rows := []*molar.ScheduleRow{&file.Rows[0], &file.Rows[2]}
	fault := func(field string) molar.Fault { return molar.Fault{Field: field, Message: "The payer has no route."} }
	for name, faults := range map[string][]molar.Fault{
		"none": nil, "of the batch": {fault("not_after")}, "of the batch, too": {fault("items.0.payer_id"), fault("items.1.payer_id"), fault("recheck")},
		"of the list": {fault("items")}, "of one item": {fault("items.1.item_id")}, "of others": {fault("items.2.payer_id")},
	} {
		if s := (&scheduleCheck{file: file}); s.refused(rows, faults) || s.invalid != nil {
			t.Errorf("%s: these faults do not say that all items are invalid", name)
		}
	}
	s := &scheduleCheck{file: file}
	if !s.refused(rows, []molar.Fault{fault("items.0.payer_id"), fault("items.1.payer_id")}) {
		t.Fatal("both items are invalid")
	}
	var out strings.Builder
	person, err := s.write(&out, s.invalid)
	if n := s.unasked(s.invalid); err != nil || person != 3 || n != 3 {
		t.Errorf("%d need a person and %d are invalid, %v, want 3", person, n, err)
	}
	if text := out.String(); strings.Count(text, ",invalid,") != 2 || strings.Count(text, "payer_id: The payer has no route.") != 2 || !strings.Contains(text, "left_out") {
		t.Errorf("the result is %s", text)
	}
}
