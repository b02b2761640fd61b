package coverage

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
)

// Background is what is known of a check's patient when the payer responds: who it is, and
// the last answer of the same payer about them. Check is zero if there is none.
type Background struct {
	Patient   billing.PatientID
	Check     billing.CheckID
	Status    Status
	Benefits  []byte // of that check, as the API shows them
	Elsewhere bool   // a claim of the patient was sent to another payer than that of the check
}

// Change is a value that the payer returned otherwise than in the patient's last answered
// check. Before and After are JSON; null is a value that was not returned.
type Change struct {
	Path   string          `json:"path"` // such as maximums.0.remaining, with the positions of the later check
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// changesFrom lists what differs from an earlier answer, by path. It leaves out what follows
// from other values or from the request, what a check of an earlier release lacks, and
// procedures that only one of the two answers has: the request may not have named them.
func changesFrom(b *Background, status Status, benefits []byte) []Change {
	out := &changes{list: []Change{}}
	if status == b.Status && bytes.Equal(b.Benefits, benefits) {
		return out.list
	}
	var was, is map[string]json.RawMessage
	if json.Unmarshal(b.Benefits, &was) != nil || json.Unmarshal(benefits, &is) != nil {
		return nil
	}
	before, after := map[string]any{"status": string(b.Status)}, map[string]any{"status": string(status)}
	for name, text := range was {
		if name == "status" || name == "not_returned" || name == "differences" || bytes.Equal(text, is[name]) {
			continue // most values stay, and those need not be read
		}
		if now, shown := is[name]; shown {
			before[name], after[name] = valueOf(text), valueOf(now)
		}
	}
	out.object("", before, after)
	return out.list
}

// valueOf decodes a value of an object that was decoded.
func valueOf(text json.RawMessage) (v any) {
	_ = json.Unmarshal(text, &v) // the text is valid
	return v
}

type changes struct{ list []Change }

func (c *changes) add(path string, before, after any) {
	if reflect.DeepEqual(before, after) {
		return
	}
	b, errBefore := json.Marshal(before)
	a, errAfter := json.Marshal(after)
	if errBefore == nil && errAfter == nil {
		c.list = append(c.list, Change{path, b, a})
	}
}

func (c *changes) value(path string, before, after any) {
	switch b := before.(type) {
	case map[string]any:
		if a, ok := after.(map[string]any); ok {
			c.object(path+".", b, a)
			return
		}
	case []any:
		if a, ok := after.([]any); ok && (keyed(b) || keyed(a)) {
			c.rows(path, b, a)
			return
		}
	}
	c.add(path, before, after)
}

// object compares the values that both have a field for.
func (c *changes) object(at string, before, after map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		a, shown := after[name]
		if derived := name == "period_count" || name == "period_unit"; shown && !derived {
			c.value(at+name, before[name], a)
		}
	}
}

// rows compares lists whose items are about something: a category, a procedure, or an amount
// of a level, a period and a part of the plan.
func (c *changes) rows(path string, before, after []any) {
	procedures := path == "procedures"
	left := slices.Clone(before)
	for i, item := range after {
		at := path + "." + nameOf(item, i)
		k := slices.IndexFunc(left, func(o any) bool { return identity(o) == identity(item) })
		switch {
		case k >= 0:
			c.value(at, left[k], item)
			left = slices.Delete(left, k, k+1)
		case !procedures:
			c.add(at, nil, item)
		}
	}
	for _, gone := range left {
		if !procedures {
			c.add(pathOfGone(path, gone), gone, nil)
		}
	}
}

// pathOfGone returns the path of an item that the later check lacks: that of the list if its
// items have positions.
func pathOfGone(path string, item any) string {
	if name := nameOf(item, -1); name != "-1" {
		return path + "." + name
	}
	return path
}

// keyed reports whether the items of a list are objects.
func keyed(items []any) bool {
	return len(items) > 0 && slices.IndexFunc(items, func(o any) bool { _, ok := o.(map[string]any); return !ok }) < 0
}

// nameOf returns an item's name in paths: its category, its code, or else its position.
func nameOf(item any, i int) string {
	row, _ := item.(map[string]any)
	for _, key := range []string{"category", "code"} {
		if name, ok := row[key].(string); ok {
			return name
		}
	}
	return strconv.Itoa(i)
}

// identity returns what an item is about.
func identity(item any) [5]any {
	row, _ := item.(map[string]any)
	return [5]any{row["category"], row["code"], row["level"], row["period"], row["applies_to"]}
}
