// Package filltest makes values without zero fields. It knows no noun, so that the tests of each can use it.
package filltest

import (
	"crypto/rand"
	"reflect"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Unicode is text with characters of several scripts, as callers may send it.
const Unicode = "Zoë \"Q\" \\ <b>&amp; $1 %s '; -- \t\n\u007f\u0301\u2028\u202e\ufffd \U0001F9B7 歯科 \U0010FFFF"

// Filled returns a value without zero fields at any depth. A test that stores
// or copies it notices a missing field. Lists have two elements, and no two
// strings or IDs are equal. What is of the type of a known value equals it.
func Filled[T any](t testing.TB, known ...any) (v T) {
	t.Helper()
	fill(t, reflect.ValueOf(&v).Elem(), known)
	return v
}

func fill(t testing.TB, v reflect.Value, known []any) {
	t.Helper()
	for _, k := range known {
		if v.Type() == reflect.TypeOf(k) {
			v.Set(reflect.ValueOf(k))
			return
		}
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 5, 4, 3, 2, 1, 7000, time.UTC)))
		return
	case billing.Date:
		v.Set(reflect.ValueOf(billing.Date{Year: 2026, Month: 5, Day: 4}))
		return
	}
	switch v.Kind() { //nolint:exhaustive // the rest is for the default
	case reflect.String:
		v.SetString(rand.Text() + Unicode)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64(rand.Text()[0]))
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(rand.Text()[0]))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), known)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), known)
		fill(t, v.Index(1), known)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), known)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, known)
		fill(t, value, known)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	default:
		t.Fatalf("no value is known for a %s", v.Type())
	}
}
