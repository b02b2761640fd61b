package jsonbody

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Object reads the fields of a JSON object by name and type. A field of the
// wrong type, or with an unknown name, becomes a fault with its dotted path. A
// missing or null field reads as the zero value, which package intake judges.
type Object struct {
	Path   string            // with a dot at its end, or empty
	node   *Value            // nil if there is nothing to read
	fields map[string]*Value // not read yet
	faults *billing.Faults
	few    bool // the faults are an item's own
}

// fewFaults is how many faults an item keeps. A body has a thousand items.
const fewFaults = 10

func (o *Object) full() bool { return o.faults.Full() || o.few && len(*o.faults) >= fewFaults }

func (o *Object) add(field string, code billing.FaultCode, message string) {
	if !o.full() {
		o.faults.Add(field, code, message)
	}
}

// inner returns an object in the object.
func (o *Object) inner(path string, n *Value) *Object {
	in := NewObject(path, n, o.faults)
	in.few = o.few
	return in
}

// NewObject reads n, which may be nil.
func NewObject(path string, n *Value, faults *billing.Faults) *Object {
	o := &Object{Path: path, node: n, fields: map[string]*Value{}, faults: faults}
	if n != nil {
		for _, f := range n.fields {
			if _, twice := o.fields[f.name]; !twice {
				o.fields[f.name] = f.value
			}
		}
	}
	return o
}

// take returns the field if it has the kind, and nil if it is missing or null.
// It removes the field from those not read yet.
func (o *Object) take(name string, want Kind, fault string) *Value {
	n := o.fields[name]
	delete(o.fields, name)
	if n == nil || n.Kind == KindNull {
		return nil
	}
	if n.Kind != want {
		o.Fault(name, billing.FaultType, fault)
		return nil
	}
	return n
}

// Text returns the string, or "" if it is missing or null.
func (o *Object) Text(name string) string {
	if n := o.take(name, KindString, "The value must be a string."); n != nil {
		return n.Text
	}
	return ""
}

// OptionalText returns the string, or nil if it is missing or null.
func (o *Object) OptionalText(name string) *string {
	if n := o.take(name, KindString, "The value must be a string or null."); n != nil {
		return &n.Text
	}
	return nil
}

// Raw returns the value as it was sent, or nil if it is missing or null.
func (o *Object) Raw(name string) []byte {
	n := o.fields[name]
	delete(o.fields, name)
	if n == nil || n.Kind == KindNull {
		return nil
	}
	return n.Raw
}

// IsNull reports whether the field is present and null.
func (o *Object) IsNull(name string) bool {
	n := o.fields[name]
	return n != nil && n.Kind == KindNull
}

// Given returns the names of the fields that are present, including null ones.
func (o *Object) Given() map[string]bool {
	names := map[string]bool{}
	if o.node != nil {
		for _, f := range o.node.fields {
			names[f.name] = true
		}
	}
	return names
}

// Flag returns the boolean, or false if it is missing or null.
func (o *Object) Flag(name string) bool {
	v := o.OptionalFlag(name)
	return v != nil && *v
}

// OptionalFlag returns the boolean, or nil if it is missing or null.
func (o *Object) OptionalFlag(name string) *bool {
	n := o.take(name, KindBool, "The value must be true, false or null.")
	if n == nil {
		return nil
	}
	return new(n.Text == "true")
}

// maxNumber is the upper limit of the numbers of the API, which are counts.
const maxNumber = 1_000_000_000

// OptionalNumber returns the whole number, in any spelling, or nil if it is
// missing or null.
func (o *Object) OptionalNumber(name string) *int {
	n := o.take(name, KindNumber, "The value must be a whole number.")
	if n == nil {
		return nil
	}
	return o.whole(o.Path+name, n)
}

// whole returns the value of a number, or nil with a fault.
func (o *Object) whole(path string, n *Value) *int {
	v, err := strconv.ParseFloat(n.Text, 64)
	switch {
	case err != nil || math.Abs(v) > maxNumber:
		o.add(path, billing.FaultRange, "The number is too large.")
		return nil
	case v != math.Trunc(v):
		o.add(path, billing.FaultType, "The value must be a whole number.")
		return nil
	}
	return new(int(v))
}

// Number returns the whole number. A missing number is a fault.
func (o *Object) Number(name string) int {
	if o.IsMissing(name) {
		o.Fault(name, billing.FaultRequired, "A value is required.")
	}
	if n := o.OptionalNumber(name); n != nil {
		return *n
	}
	return 0
}

// Fraction returns the number, or 0 if it is missing or null.
func (o *Object) Fraction(name string) float64 {
	if v := o.OptionalFraction(name); v != nil {
		return *v
	}
	return 0
}

// OptionalFraction returns the number, or nil if it is missing or null.
func (o *Object) OptionalFraction(name string) *float64 {
	n := o.take(name, KindNumber, "The value must be a number.")
	if n == nil {
		return nil
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	if err != nil {
		o.Fault(name, billing.FaultRange, "The number is too large.")
		return nil
	}
	return &v
}

// IsMissing reports whether the field is missing or null.
func (o *Object) IsMissing(name string) bool {
	n := o.fields[name]
	return n == nil || n.Kind == KindNull
}

// Instant returns a date-time with an offset, or zero if it is missing or
// null.
func (o *Object) Instant(name string) time.Time {
	n := o.take(name, KindString, "The value must be a string or null.")
	if n == nil {
		return time.Time{}
	}
	t, err := ParseInstant(n.Text)
	if err != nil {
		o.Fault(name, billing.FaultFormat, "A date-time must have an offset, such as 2026-01-02T03:04:05Z or 2026-01-02T03:04:05-05:00.")
	}
	return t
}

// OptionalTexts returns the array of strings, or nil if it is missing or null.
func (o *Object) OptionalTexts(name string) []string {
	n := o.take(name, KindArray, "The value must be an array of strings, or null.")
	if n == nil {
		return nil
	}
	texts := make([]string, len(n.items))
	for i, item := range n.items {
		if item.Kind != KindString {
			o.add(o.Path+name+"."+strconv.Itoa(i), billing.FaultType, "The value must be a string.")
		}
		texts[i] = item.Text
	}
	return texts
}

// OptionalNumbers returns the array of whole numbers, or nil if it is missing or
// null.
func (o *Object) OptionalNumbers(name string) []int {
	n := o.take(name, KindArray, "The value must be an array of whole numbers, or null.")
	if n == nil {
		return nil
	}
	numbers := make([]int, len(n.items))
	for i, item := range n.items {
		path := o.Path + name + "." + strconv.Itoa(i)
		if item.Kind != KindNumber {
			o.add(path, billing.FaultType, "The value must be a whole number.")
		} else if v := o.whole(path, item); v != nil {
			numbers[i] = *v
		}
	}
	return numbers
}

// OptionalObjects returns the objects of the array, or nil if it is missing or
// null. Call end on each.
func (o *Object) OptionalObjects(name string) []*Object {
	n := o.take(name, KindArray, "The value must be an array of objects, or null.")
	if n == nil {
		return nil
	}
	objects := make([]*Object, len(n.items))
	for i, item := range n.items {
		path := o.Path + name + "." + strconv.Itoa(i)
		if item.Kind != KindObject {
			o.add(path, billing.FaultType, "The value must be an object.")
			item = nil
		}
		objects[i] = o.inner(path+".", item)
	}
	return objects
}

// Object returns the object in the field. A missing object is a fault.
func (o *Object) Object(name string) *Object {
	n := o.take(name, KindObject, "The value must be an object.")
	if n == nil {
		o.Fault(name, billing.FaultRequired, "A value is required.")
	}
	return o.inner(o.Path+name+".", n)
}

// OptionalObject returns the object in the field, or nil if it is missing or
// null.
func (o *Object) OptionalObject(name string) *Object {
	n := o.take(name, KindObject, "The value must be an object or null.")
	if n == nil {
		return nil
	}
	return o.inner(o.Path+name+".", n)
}

// End adds a fault for each unknown field.
func (o *Object) End() {
	if o.node == nil {
		return
	}
	for _, f := range o.node.fields {
		if o.full() {
			return
		}
		if o.fields[f.name] != nil {
			o.add(o.Path+f.name, billing.FaultUnknown, "Unknown field.")
		}
	}
}

// instantForm is strict RFC 3339. time.Parse also accepts one-digit hours, a
// comma before the fraction, and offsets of more than a day.
var instantForm = regexp.MustCompile(
	`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)

// ParseInstant reads RFC 3339 and rounds up to the microsecond, the precision
// of stored times. So "from" and "before" are exact for every stored time.
func ParseInstant(s string) (time.Time, error) {
	s = strings.ReplaceAll(s, " ", "+")
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, err
	}
	if !instantForm.MatchString(s) {
		return time.Time{}, strconv.ErrSyntax
	}
	t = t.UTC()
	if rounded := t.Truncate(time.Microsecond); rounded.Before(t) {
		t = rounded.Add(time.Microsecond)
	}
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, strconv.ErrRange
	}
	if t.IsZero() { // the zero time means "no filter"
		t = t.Add(time.Microsecond)
	}
	return t, nil
}

// Fault adds a fault of a field.
func (o *Object) Fault(name string, code billing.FaultCode, message string) {
	o.add(o.Path+name, code, message)
}
