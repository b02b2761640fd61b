package httpapi

import (
	"crypto/sha256"
	"math"
	"mime"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// object reads the fields of a JSON object by name and type. A field of the
// wrong type, or with an unknown name, becomes a fault with its dotted path. A
// missing or null field reads as the zero value, which package intake judges.
type object struct {
	path   string           // with a dot at its end, or empty
	node   *node            // nil if there is nothing to read
	fields map[string]*node // not read yet
	faults *billing.Faults
}

// document reads the request's body. An optionalBody that was not sent is an
// empty object. It adds the faults of the query, where these operations have
// no parameters, and of the form of the body.
func (x *exchange) document(faults *billing.Faults) *object {
	x.noQuery(faults)
	if x.bodyless() {
		return newObject("", nil, faults)
	}
	if lines := x.req.Values("Content-Type"); len(lines) != 1 || !isJSON(lines[0]) {
		code := billing.FaultFormat
		if len(lines) == 0 || lines[0] == "" {
			code = billing.FaultRequired
		}
		faults.Add("Content-Type", code, "Send the body as application/json, in UTF-8.")
	}
	for _, f := range x.jsonFaults {
		faults.Add(f.Field, f.Code, f.Message)
	}
	return newObject("", x.json, faults)
}

// bodyless reports whether the client left out an optional body.
func (x *exchange) bodyless() bool {
	return (x.route.body == optionalBody || x.route.body == emptyBody) && len(x.body) == 0
}

// fingerprint covers the operation and the meaning of its body, so that a
// repeated request may be spelled differently.
func (x *exchange) fingerprint() [sha256.Size]byte {
	m := &meaning{Hash: sha256.New()}
	m.put([]byte(x.method + " " + string(x.req.URI().PathOriginal()) + "\n"))
	switch {
	case x.route.body == noBody:
	case x.route.body == uploadBody:
		m.put(x.upload.Meaning())
	case x.bodyless():
		m.put([]byte("json:{}"))
	case x.json != nil && len(x.jsonFaults) == 0:
		m.put([]byte("json:"))
		m.add(x.json)
	default:
		m.put([]byte("raw:"))
		m.put(x.body)
	}
	return m.sum()
}

func isJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "application/json" {
		return false
	}
	charset, given := params["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

// newObject reads n, which may be nil.
func newObject(path string, n *node, faults *billing.Faults) *object {
	o := &object{path, n, map[string]*node{}, faults}
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
func (o *object) take(name string, want kind, fault string) *node {
	n := o.fields[name]
	delete(o.fields, name)
	if n == nil || n.kind == kindNull {
		return nil
	}
	if n.kind != want {
		o.faults.Add(o.path+name, billing.FaultType, fault)
		return nil
	}
	return n
}

// text returns the string, or "" if it is missing or null.
func (o *object) text(name string) string {
	if n := o.take(name, kindString, "The value must be a string."); n != nil {
		return n.text
	}
	return ""
}

// optionalText returns the string, or nil if it is missing or null.
func (o *object) optionalText(name string) *string {
	if n := o.take(name, kindString, "The value must be a string or null."); n != nil {
		return &n.text
	}
	return nil
}

// isNull reports whether the field is present and null.
func (o *object) isNull(name string) bool {
	n := o.fields[name]
	return n != nil && n.kind == kindNull
}

// given returns the names of the fields that are present, including null ones.
func (o *object) given() map[string]bool {
	names := map[string]bool{}
	if o.node != nil {
		for _, f := range o.node.fields {
			names[f.name] = true
		}
	}
	return names
}

// flag returns the boolean, or false if it is missing or null.
func (o *object) flag(name string) bool {
	v := o.optionalFlag(name)
	return v != nil && *v
}

// optionalFlag returns the boolean, or nil if it is missing or null.
func (o *object) optionalFlag(name string) *bool {
	n := o.take(name, kindBool, "The value must be true, false or null.")
	if n == nil {
		return nil
	}
	return new(n.text == "true")
}

// maxNumber is the upper limit of the numbers of the API, which are counts.
const maxNumber = 1_000_000_000

// optionalNumber returns the whole number, in any spelling, or nil if it is
// missing or null.
func (o *object) optionalNumber(name string) *int {
	n := o.take(name, kindNumber, "The value must be a whole number.")
	if n == nil {
		return nil
	}
	return o.whole(o.path+name, n)
}

// whole returns the value of a number, or nil with a fault.
func (o *object) whole(path string, n *node) *int {
	v, err := strconv.ParseFloat(n.text, 64)
	switch {
	case err != nil || math.Abs(v) > maxNumber:
		o.faults.Add(path, billing.FaultRange, "The number is too large.")
		return nil
	case v != math.Trunc(v):
		o.faults.Add(path, billing.FaultType, "The value must be a whole number.")
		return nil
	}
	return new(int(v))
}

// number returns the whole number. A missing number is a fault.
func (o *object) number(name string) int {
	if o.isMissing(name) {
		o.faults.Add(o.path+name, billing.FaultRequired, "A value is required.")
	}
	if n := o.optionalNumber(name); n != nil {
		return *n
	}
	return 0
}

// fraction returns the number, or 0 if it is missing or null.
func (o *object) fraction(name string) float64 {
	if v := o.optionalFraction(name); v != nil {
		return *v
	}
	return 0
}

// optionalFraction returns the number, or nil if it is missing or null.
func (o *object) optionalFraction(name string) *float64 {
	n := o.take(name, kindNumber, "The value must be a number.")
	if n == nil {
		return nil
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if err != nil {
		o.faults.Add(o.path+name, billing.FaultRange, "The number is too large.")
	}
	return &v
}

// isMissing reports whether the field is missing or null.
func (o *object) isMissing(name string) bool {
	n := o.fields[name]
	return n == nil || n.kind == kindNull
}

// instant returns a date-time with an offset, or zero if it is missing or
// null.
func (o *object) instant(name string) time.Time {
	n := o.take(name, kindString, "The value must be a string or null.")
	if n == nil {
		return time.Time{}
	}
	t, err := parseInstant(n.text)
	if err != nil {
		o.faults.Add(o.path+name, billing.FaultFormat, "A date-time must have an offset, such as 2026-01-02T03:04:05Z or 2026-01-02T03:04:05-05:00.")
	}
	return t
}

// optionalTexts returns the array of strings, or nil if it is missing or null.
func (o *object) optionalTexts(name string) []string {
	n := o.take(name, kindArray, "The value must be an array of strings, or null.")
	if n == nil {
		return nil
	}
	texts := make([]string, len(n.items))
	for i, item := range n.items {
		if item.kind != kindString {
			o.faults.Add(o.path+name+"."+strconv.Itoa(i), billing.FaultType, "The value must be a string.")
		}
		texts[i] = item.text
	}
	return texts
}

// optionalNumbers returns the array of whole numbers, or nil if it is missing or
// null.
func (o *object) optionalNumbers(name string) []int {
	n := o.take(name, kindArray, "The value must be an array of whole numbers, or null.")
	if n == nil {
		return nil
	}
	numbers := make([]int, len(n.items))
	for i, item := range n.items {
		path := o.path + name + "." + strconv.Itoa(i)
		if item.kind != kindNumber {
			o.faults.Add(path, billing.FaultType, "The value must be a whole number.")
		} else if v := o.whole(path, item); v != nil {
			numbers[i] = *v
		}
	}
	return numbers
}

// optionalObjects returns the objects of the array, or nil if it is missing or
// null. Call end on each.
func (o *object) optionalObjects(name string) []*object {
	n := o.take(name, kindArray, "The value must be an array of objects, or null.")
	if n == nil {
		return nil
	}
	objects := make([]*object, len(n.items))
	for i, item := range n.items {
		path := o.path + name + "." + strconv.Itoa(i)
		if item.kind != kindObject {
			o.faults.Add(path, billing.FaultType, "The value must be an object.")
			item = nil
		}
		objects[i] = newObject(path+".", item, o.faults)
	}
	return objects
}

// object returns the object in the field. A missing object is a fault.
func (o *object) object(name string) *object {
	n := o.take(name, kindObject, "The value must be an object.")
	if n == nil {
		o.faults.Add(o.path+name, billing.FaultRequired, "A value is required.")
	}
	return newObject(o.path+name+".", n, o.faults)
}

// optionalObject returns the object in the field, or nil if it is missing or
// null.
func (o *object) optionalObject(name string) *object {
	n := o.take(name, kindObject, "The value must be an object or null.")
	if n == nil {
		return nil
	}
	return newObject(o.path+name+".", n, o.faults)
}

// end adds a fault for each unknown field.
func (o *object) end() {
	if o.node == nil {
		return
	}
	for _, f := range o.node.fields {
		if o.faults.Full() {
			return
		}
		if o.fields[f.name] != nil {
			o.faults.Add(o.path+f.name, billing.FaultUnknown, "Unknown field.")
		}
	}
}
