package corenet

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// TestStrangersOfADependent compares the members of an inquiry about a dependent, who has
// no ID. Payers respond about both, or about one of them, in either loop.
func TestStrangersOfADependent(t *testing.T) {
	t.Parallel()
	born := func(day int) billing.Date { return billing.Date{Year: 2015, Month: 5, Day: day} }
	parent, child := person{id: "W998877", first: "OTTOLINE", last: "QUILLFEATHER"}, person{first: "BASIL", last: "QUILLFEATHER", born: born(6)}
	ours := []person{parent, child}
	other, otherChild := person{id: "Z999999", first: "OTHER", last: "ZYX"}, person{first: "ANN", last: "ZYX", born: born(7)}
	for name, c := range map[string]struct {
		theirs []person
		want   bool
	}{
		"both":                         {[]person{parent, child}, false},
		"the dependent as subscriber":  {[]person{{id: "Z999999", first: "BASIL", last: "QUILL", born: born(6)}}, false},
		"the subscriber alone":         {[]person{parent}, false},
		"a new ID and name of both":    {[]person{{id: "Z999999", last: "PLUME"}, {first: "B", last: "PLUME", born: born(6)}}, false},
		"others":                       {[]person{other, otherChild}, true},
		"another subscriber":           {[]person{other}, true},
		"another dependent alone":      {[]person{otherChild}, true},
		"another dependent, name only": {[]person{{first: "ANN", last: "ZYX"}}, false},
		"no member":                    {nil, false},
		"members without a name":       {[]person{{}, {}}, false},
	} {
		if got := strangers(ours, c.theirs); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
