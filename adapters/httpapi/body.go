package httpapi

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

// readBody reads the body of a request into its struct in package intake. It does not
// know the fields in without.
func readBody[T any](x *exchange, without ...string) (in T) {
	faults := reflect.ValueOf(&in).Elem().FieldByName("Faults").Addr().Interface().(*billing.Faults)
	x.document(faults).fill(&in, without...)
	return in
}

// fill reads the object into a struct, whose fields say by their names and types what a
// caller may send: PayerID is payer_id, and a pointer or a slice is nil for a field that
// is missing or null. Every other field of the object is a fault.
func (o *object) fill(in any, without ...string) {
	o.read(reflect.ValueOf(in).Elem(), without)
	o.end()
}

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

func (o *object) read(in reflect.Value, without []string) {
	for i, p := range partsOf(in.Type()) {
		if p.name == "-" || slices.Contains(without, p.name) {
			continue
		}
		switch to := in.Field(i).Addr().Interface().(type) {
		case *billing.Faults: // of reading
		case *map[string]bool:
			*to = o.given()
		case *string:
			*to = o.text(p.name)
		case **string:
			*to = o.optionalText(p.name)
		case *bool:
			*to = o.flag(p.name)
		case **bool:
			*to = o.optionalFlag(p.name)
		case *int:
			*to = o.number(p.name)
		case **int:
			*to = o.optionalNumber(p.name)
		case **float64:
			*to = o.optionalFraction(p.name)
		case *time.Time:
			*to = o.instant(p.name)
		case *[]string:
			*to = o.optionalTexts(p.name)
		case *[]int:
			*to = o.optionalNumbers(p.name)
		default:
			o.readInner(p, in.Field(i))
		}
	}
}

// readInner reads objects in the object.
func (o *object) readInner(p part, into reflect.Value) {
	switch kind := into.Kind(); {
	case kind == reflect.Struct && p.name == ".":
		o.read(into, nil)
	case kind == reflect.Struct:
		o.object(p.name).fill(into.Addr().Interface(), p.without...)
	case kind == reflect.Pointer:
		if inner := o.optionalObject(p.name); inner != nil {
			into.Set(reflect.New(into.Type().Elem()))
			inner.fill(into.Interface(), p.without...)
		}
	case kind == reflect.Slice:
		if all := o.optionalObjects(p.name); all != nil {
			into.Set(reflect.MakeSlice(into.Type(), len(all), len(all)))
			for i, inner := range all {
				inner.fill(into.Index(i).Addr().Interface(), p.without...)
			}
		}
	default:
		panic("httpapi: a request has a field of type " + into.Type().String())
	}
}
