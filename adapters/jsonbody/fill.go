package jsonbody

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Fill reads the object into a struct, whose fields say by their names and types what a
// caller may send: PayerID is payer_id, and a pointer or a slice is nil for a field that
// is missing or null. Every other field of the object is a fault.
func (o *Object) Fill(in any, without ...string) {
	o.Fields(in, without...)
	o.End()
}

// Fields is Fill for an object that has other fields too.
func (o *Object) Fields(in any, without ...string) { o.read(reflect.ValueOf(in).Elem(), without) }

// part is where a field of a struct is in the object.
type part struct {
	name    string   // "-" if it is not there, and "." if it is a part of the struct
	without []string // the fields that it does not have itself
}

// parts has the parts of each type of a struct, in the order of its fields.
//
//nolint:gochecknoglobals // types do not change
var parts sync.Map

var secondWord = regexp.MustCompile(`([a-z])([A-Z])`)

func partsOf(t reflect.Type) []part {
	if known, ok := parts.Load(t); ok {
		return known.([]part)
	}
	all := make([]part, t.NumField())
	for i := range all {
		f := t.Field(i)
		name := cmp.Or(f.Tag.Get("body"), strings.ToLower(secondWord.ReplaceAllString(f.Name, "${1}_$2")))
		if f.Anonymous {
			name = "."
		}
		all[i] = part{name, strings.Split(f.Tag.Get("without"), ",")}
	}
	parts.Store(t, all)
	return all
}

func (o *Object) read(in reflect.Value, without []string) {
	all := partsOf(in.Type())
	for i, p := range all {
		if t := in.Field(i).Type(); t.Kind() == reflect.Slice && reflect.PointerTo(t.Elem()).Implements(reflect.TypeFor[keeper]()) {
			o.leave(p.name)
		}
	}
	for i, p := range all {
		if p.name == "-" || slices.Contains(without, p.name) {
			continue
		}
		switch to := in.Field(i).Addr().Interface().(type) {
		case *billing.Faults: // of reading
		case *map[string]bool:
			*to = o.Given()
		case *string:
			*to = o.Text(p.name)
		case **string:
			*to = o.OptionalText(p.name)
		case *bool:
			*to = o.Flag(p.name)
		case **bool:
			*to = o.OptionalFlag(p.name)
		case *int:
			*to = o.Number(p.name)
		case **int:
			*to = o.OptionalNumber(p.name)
		case **float64:
			*to = o.OptionalFraction(p.name)
		case *time.Time:
			*to = o.Instant(p.name)
		case *[]byte:
			*to = o.Raw(p.name)
		case *[]string:
			*to = o.OptionalTexts(p.name)
		case *[]int:
			*to = o.OptionalNumbers(p.name)
		default:
			o.readInner(p, in.Field(i))
		}
	}
}

// keeper is an item of a list that keeps its faults, by its own fields, beside those of the body.
type keeper interface{ OwnFaults() *billing.Faults }

// leave takes the faults in the items of a list off those of the body, for items that keep their own.
func (o *Object) leave(list string) {
	*o.faults = slices.DeleteFunc(*o.faults, func(f billing.FieldFault) bool {
		item, within := strings.CutPrefix(f.Field, o.Path+list+".")
		return within && strings.Contains(item, ".")
	})
}

// keep lets an item of a list keep its own faults.
func (o *Object) keep(faults *billing.Faults) {
	if o.node != nil && o.node.own != nil {
		*faults = billing.Faults{*o.node.own}
	}
	o.Path, o.faults, o.few = "", faults, true
}

// readInner reads objects in the object.
func (o *Object) readInner(p part, into reflect.Value) {
	switch kind := into.Kind(); {
	case kind == reflect.Struct && p.name == ".":
		o.read(into, nil)
	case kind == reflect.Struct:
		o.Object(p.name).Fill(into.Addr().Interface(), p.without...)
	case kind == reflect.Pointer:
		if inner := o.OptionalObject(p.name); inner != nil {
			into.Set(reflect.New(into.Type().Elem()))
			inner.Fill(into.Interface(), p.without...)
		}
	case kind == reflect.Slice:
		if all := o.OptionalObjects(p.name); all != nil {
			into.Set(reflect.MakeSlice(into.Type(), len(all), len(all)))
			for i, inner := range all {
				item := into.Index(i)
				if own, keeps := item.Addr().Interface().(keeper); keeps {
					inner.keep(own.OwnFaults())
				}
				inner.Fill(item.Addr().Interface(), p.without...)
			}
		}
	default:
		panic("jsonbody: a request has a field of type " + into.Type().String())
	}
}
